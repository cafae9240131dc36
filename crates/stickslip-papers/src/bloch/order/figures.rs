//! Figs 5 to 8 and their tables.

use super::exact::Moment;
use super::{
    Case, ENDS, Fall, Falls, ROLLS_CONVEX, ROLLS_FIXED, SLIDES_CONVEX, SLIDES_FIXED, SMOOTH, WITH_FRICTION,
};
use crate::{Result, Setting};
use stickslip_pictures::plots::{Plot, Series};

/// What is drawn over time is drawn up to here.
const DRAWN: f64 = 3.0;

/// File name, axis, and value of a moment of a run.
type Quantity = (&'static str, &'static str, fn(&Fall, &Moment) -> f64);
const DISTANCE: Quantity = ("distance", "distance", |_, moment| moment.gap);
/// What the insets of Fig. 7 show.
const FLOATING: Quantity = ("inset", "distance after landing", |fall, moment| {
    if moment.time > fall.slope.landing() + fall.h { moment.gap } else { f64::NAN }
});
const NORMAL: Quantity = ("normal", "normal velocity", |_, moment| moment.v_n);
const TANGENTIAL: Quantity = ("tangential", "tangential velocity", |_, moment| moment.v_t);
const ROTATION: Quantity = ("rotation", "rotation velocity", |_, moment| moment.spin);

pub fn write(setting: &Setting, falls: &Falls) -> Result<()> {
    motion(setting, "figure-5", "5", &[falls.coarsest(SMOOTH)], &[DISTANCE, NORMAL, TANGENTIAL])?;
    for cases in [[ROLLS_FIXED, ROLLS_CONVEX], [SLIDES_FIXED, SLIDES_CONVEX]] {
        let name = format!("figure-7-mu-{}", cases[0].mu);
        let drawn = cases.map(|case| falls.coarsest(case));
        motion(setting, &name, "7", &drawn, &[DISTANCE, FLOATING, TANGENTIAL, ROTATION])?;
    }
    errors(setting, ("figure-6", "6: no friction"), CENTRE, falls, &[SMOOTH])?;
    errors(setting, ("figure-8-centre", "8: with friction"), CENTRE, falls, &WITH_FRICTION)?;
    errors(setting, ("figure-8-angle", "8: with friction"), ANGLE, falls, &WITH_FRICTION)?;
    let rows = falls.0.iter().flatten().map(|fall| {
        let [centre, angle] = fall.errors(ENDS[0]);
        let [centre_half, angle_half] = fall.errors(ENDS[1]);
        let problems =
            if fall.counts.is_empty() { String::new() } else { format!("{:.3}", fall.problems(1.0)) };
        let numbers = [fall.h, centre, angle, centre_half, angle_half, fall.residual];
        let numbers = numbers.iter().map(|number| number.to_string());
        [fall.case.name().replace(',', "")].into_iter().chain(numbers).chain([problems]).collect::<Vec<_>>()
    });
    let columns = [
        "case",
        "step",
        "centre",
        "angle",
        "centre to half the end",
        "angle to half the end",
        "largest residual",
        "fixed_point_iterations",
    ];
    setting.table("errors", &columns, rows)
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
                let points = drawn.map(|moment| (moment.time, value(fall, moment))).collect();
                Series { label: fall.case.scheme.into(), points }
            })
            .collect();
        let times = (0..=600).map(|k| f64::from(k) * DRAWN / 600.0);
        let points = times.map(|time| (time, value(falls[0], &falls[0].slope.at(mu, time)))).collect();
        series.push(Series { label: "exact".into(), points });
        let title = format!("Bloch 2023, Fig. {figure}: {y}, mu = {mu}, dt = {h}");
        let plot = Plot { title, x: "t".into(), y: (*y).into(), series, ..Plot::default() };
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

/// Which error is drawn, and how its axis is called.
type Error = (usize, &'static str);
const CENTRE: Error = (0, "L2 error of the centre");
const ANGLE: Error = (1, "L2 error of the angle");

/// Errors over the time step on two logarithmic axes, beside the first order.
fn errors(
    setting: &Setting,
    (name, title): (&str, &str),
    (which, y): Error,
    falls: &Falls,
    cases: &[Case],
) -> Result<()> {
    let points = |fall: &Fall| (fall.h, fall.errors(ENDS[0])[which]);
    let mut series: Vec<Series> = cases
        .iter()
        .map(|case| Series { label: case.name(), points: falls.of(*case).iter().map(points).collect() })
        .collect();
    let (h, coarse) = points(falls.coarsest(cases[0]));
    let first = falls.of(cases[0]).iter().map(|fall| (fall.h, 0.5 * coarse * fall.h / h)).collect();
    let solid = series.len();
    series.push(Series { label: "order 1".into(), points: first });
    let plot = Plot {
        title: format!("Bloch 2023, Fig. {title}"),
        x: "dt".into(),
        y: y.into(),
        series,
        logarithmic: true,
        logarithmic_x: true,
        dashed_from: Some(solid),
        size: (900, 440),
    };
    setting.figure(name, &plot)
}
