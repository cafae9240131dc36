//! Figs 5 to 8 and their tables.

use super::exact::{self, Moment};
use super::{Fall, PRINTED, STEP};
use crate::{Result, Setting};
use stickslip_pictures::plots::{Plot, Series};

/// What is drawn over time is drawn up to here.
const DRAWN: f64 = 3.0;

type Quantity = (&'static str, &'static str, fn(&Moment) -> f64);
const DISTANCE: Quantity = ("distance", "distance", |moment| moment.gap);
/// What the insets of Fig. 7 show.
const FLOATING: Quantity = ("inset", "distance after landing", |moment| {
    if moment.time > exact::landing() + STEP { moment.gap } else { f64::NAN }
});
const NORMAL: Quantity = ("normal", "normal velocity", |moment| moment.v_n);
const TANGENTIAL: Quantity = ("tangential", "tangential velocity", |moment| moment.v_t);
const ROTATION: Quantity = ("rotation", "rotation velocity", |moment| moment.spin);

pub fn write(setting: &Setting, by_case: &[&[Fall]]) -> Result<()> {
    motion(setting, "figure-5", "5", &[&by_case[0][0]], &[DISTANCE, NORMAL, TANGENTIAL])?;
    for k in [1, 3] {
        let falls = [&by_case[k][0], &by_case[k + 1][0]];
        let name = format!("figure-7-mu-{}", falls[0].case.mu);
        motion(setting, &name, "7", &falls, &[DISTANCE, FLOATING, TANGENTIAL, ROTATION])?;
    }
    errors(setting, "figure-6", "6: error of the centre, no friction", 0, &by_case[..1])?;
    errors(setting, "figure-8-centre", "8: error of the centre", 0, &by_case[1..PRINTED])?;
    errors(setting, "figure-8-angle", "8: error of the angle", 1, &by_case[1..PRINTED])?;
    let rows = by_case.iter().flat_map(|falls| falls.iter()).map(|fall| {
        let [centre, angle] = fall.errors();
        let problems = if fall.convex_problems > 0 {
            format!("{:.3}", fall.mean_convex_problems())
        } else {
            String::new()
        };
        let numbers = [fall.case.mu, fall.h, centre, angle].map(|number| number.to_string());
        let [mu, h, centre, angle] = numbers;
        vec![fall.case.scheme.into(), mu, h, centre, angle, problems]
    });
    setting.table("errors", &["scheme", "mu", "step", "centre", "angle", "fixed_point_iterations"], rows)
}

/// Quantities over time beside the exact ones.
fn motion(
    setting: &Setting,
    name: &str,
    figure: &str,
    falls: &[&Fall],
    quantities: &[Quantity],
) -> Result<()> {
    let (mu, h) = (falls[0].case.mu, falls[0].h);
    for (quantity, y, value) in quantities {
        let mut series: Vec<Series> = falls
            .iter()
            .map(|fall| {
                let drawn = fall.moments.iter().take_while(|moment| moment.time <= DRAWN);
                let points = drawn.map(|moment| (moment.time, value(moment))).collect();
                Series { label: fall.case.scheme.into(), points }
            })
            .collect();
        let times = (0..=600).map(|k| f64::from(k) * DRAWN / 600.0);
        let points = times.map(|time| (time, value(&exact::at(mu, time)))).collect();
        series.push(Series { label: "exact".into(), points });
        let title = format!("Bloch 2023, Fig. {figure}: {y}, mu = {mu}, dt = {h}");
        let plot = Plot { title, x: "t".into(), series, ..Plot::default() };
        setting.figure(&format!("{name}-{quantity}"), &plot)?;
    }
    let columns = ["time", "gap", "v_n", "v_t", "spin"];
    let mut rows = Vec::new();
    for fall in falls {
        let drawn = fall.moments.iter().take_while(|moment| moment.time <= DRAWN);
        rows.extend(drawn.map(|m| {
            let numbers = [m.time, m.gap, m.v_n, m.v_t, m.spin].map(|number| number.to_string());
            [fall.case.scheme.to_string()].into_iter().chain(numbers).collect::<Vec<String>>()
        }));
    }
    let columns: Vec<&str> = ["scheme"].into_iter().chain(columns).collect();
    setting.table(name, &columns, rows.into_iter())
}

/// Errors over the time step on two logarithmic axes, beside the first order.
fn errors(setting: &Setting, name: &str, title: &str, which: usize, by_case: &[&[Fall]]) -> Result<()> {
    let mut series: Vec<Series> = by_case
        .iter()
        .map(|falls| Series {
            label: falls[0].case.name(),
            points: falls.iter().map(|fall| (fall.h, fall.errors()[which])).collect(),
        })
        .collect();
    let coarse = by_case[0][0].errors()[which] / by_case[0][0].h;
    let first = by_case[0].iter().map(|fall| (fall.h, 0.5 * coarse * fall.h)).collect();
    let solid = series.len();
    series.push(Series { label: "order 1".into(), points: first });
    let plot = Plot {
        title: format!("Bloch 2023, Fig. {title}"),
        x: "dt".into(),
        series,
        logarithmic: true,
        logarithmic_x: true,
        dashed_from: Some(solid),
        size: (900, 440),
        ..Plot::default()
    };
    setting.figure(name, &plot)
}
