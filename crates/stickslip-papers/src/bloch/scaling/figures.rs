//! Fig. 10 and Table 2.

use super::filling::{AR, Filling, GRADIENTS, METHODS, PGD, Sample};
use super::{INFLUENCE, LEAST, line, printed};
use crate::{Result, Setting, fit};
use stickslip_pictures::plots::{Plot, Series};

pub fn write(setting: &Setting, boxes: [&Filling; 2], by_method: &[Filling]) -> Result<()> {
    for filling in boxes {
        samples(setting, filling)?;
        draw(setting, filling)?;
    }
    powers(setting, boxes)?;
    table(setting, boxes, by_method)
}

fn samples(setting: &Setting, filling: &Filling) -> Result<()> {
    let row = |sample: &Sample| {
        let of = METHODS.iter().zip(&sample.of).map(|(name, one)| {
            let numbers = [sample.time, one.active as f64, one.iterations as f64, one.seconds, one.residual];
            [vec![name.to_string()], numbers.map(|x| x.to_string()).to_vec()].concat()
        });
        of.collect::<Vec<_>>()
    };
    let columns = ["method", "time", "active", "iterations", "seconds", "residual"];
    let rows = filling.samples.iter().flat_map(row);
    setting.table(&format!("samples-{}", filling.spheres()), &columns, rows)
}

fn draw(setting: &Setting, filling: &Filling) -> Result<()> {
    let number = filling.spheres();
    let series = (0..GRADIENTS).map(|k| Series { label: METHODS[k].into(), points: filling.points(k) });
    let plot = Plot {
        title: format!("Bloch 2023, Fig. 10: {number} spheres"),
        x: "active contacts".into(),
        y: "iterations".into(),
        series: series.collect(),
        ..Plot::default()
    };
    setting.figure(&format!("figure-10-{number}"), &plot)
}

/// How iterations grow with active contacts while a box fills.
fn powers(setting: &Setting, boxes: [&Filling; 2]) -> Result<()> {
    let rows = boxes.iter().flat_map(|filling| {
        METHODS.iter().enumerate().map(|(k, name)| {
            let points = filling.growing(k, 0.0);
            let (power, error) = line::power(&filling.growing(k, LEAST));
            let explained = fit::correlation(points.iter().copied()).powi(2);
            let numbers = [power, error, line::intercept(&points), explained].map(|x| x.to_string());
            [vec![name.to_string(), filling.spheres().to_string()], numbers.to_vec()].concat()
        })
    });
    let columns = ["method", "spheres", "power", "its error", "intercept", "explained by a line"];
    setting.table("powers", &columns, rows)
}

/// Table 2 beside ours. The small box is filled by each method; in the large one all see the same problems.
fn table(setting: &Setting, [small, large]: [&Filling; 2], by_method: &[Filling]) -> Result<()> {
    let last = large.last_active();
    let mut rows = Vec::new();
    for filling in [small, large] {
        for (k, name) in METHODS.iter().enumerate() {
            let is_small = filling.n == small.n;
            let counts = match (is_small, by_method.get(k)) {
                (true, Some(run)) => [run.constraints, run.active].map(Some),
                // filled by one method; the others have seen its last problem
                (false, Some(_)) => [(k == AR).then_some(filling.constraints), Some(last[k])],
                (_, None) => [None; 2],
            };
            let of_paper = printed(filling.n).filter(|_| k < GRADIENTS);
            let show = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
            let paper = |value: fn(&super::Printed, usize) -> f64| show(of_paper.map(|row| value(row, k)));
            let influence = filling.time(k) / small.time(k);
            let residual = filling.samples.iter().map(|sample| sample.of[k].residual).fold(0.0, fit::larger);
            let run = by_method.get(k).filter(|_| is_small).map(|run| run.solves);
            rows.push(vec![
                name.to_string(),
                filling.spheres().to_string(),
                paper(|row, k| row.constraints[k]),
                show(counts[0].map(|count| count as f64)),
                paper(|row, k| row.active[k]),
                show(counts[1].map(|count| count as f64)),
                show(of_paper.filter(|_| !is_small).map(|_| INFLUENCE[k])),
                show((!is_small).then_some(influence)),
                paper(|row, k| row.acceleration[k]),
                (filling.seconds(k) / filling.seconds(PGD)).to_string(),
                filling.iterations(k).to_string(),
                filling.seconds(k).to_string(),
                show(run),
                residual.to_string(),
                filling.dense.to_string(),
            ]);
        }
    }
    let columns = [
        "method",
        "spheres",
        "final constraints of the paper",
        "final constraints",
        "final active contacts of the paper",
        "final active contacts",
        "influence of N of the paper",
        "influence of N",
        "acceleration of the paper",
        "acceleration",
        "iterations",
        "seconds of a problem",
        "seconds of all solves",
        "worst residual",
        "seconds of a dense step by apgd-ar",
    ];
    setting.table("table-2", &columns, rows.into_iter())
}
