//! Abide 2021, 6.3: balls of two radii fall in a box; sweeps and times of four methods, and how deep balls overlap.

use super::crowd::{self, Course, Job, LOOKS, Size};
use super::method::{COMPARED, IPDAS, Method, Printed, Run};
use crate::{Claim, Experiment, Result, Setting, friction};
use stickslip_pictures::Style;
use stickslip_scene::Scene;
use stickslip_solvers::one_contact::Name;

pub const EXPERIMENT: Experiment = Experiment {
    id: "abide-sedimentation",
    summary: "100 to 1600 balls fall in a box: sweeps, times and overlaps of four methods",
    paper: "Abide 2021, section 6.3, Figs 5 to 7, Tables 4 to 6",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/abide-sedimentation.toml");
/// The active sets take γ from W: with the printed γ they cycle.
const SCALED: Printed = Printed { gamma: None, epsilon: 1e-6, most: 10_000 };
const PRINTED: Printed = Printed { gamma: Some([1e-4, 1e-9]), epsilon: 1e-6, most: 1000 };
/// Residual of `auto`.
const TOLERANCE: f64 = 1e-4;
const AUTO: Method = Method::Auto(TOLERANCE);
/// A shorter time.
const QUICK: [&str; 1] = ["time.end=0.3"];
/// Table 4: small and large radius.
const RADII: [(usize, f64, f64); 5] = [
    (100, 2.5e-4, 5.0e-4),
    (200, 2.5e-4, 4.5e-4),
    (400, 1.2e-4, 2.6e-4),
    (800, 1.2e-4, 2.3e-4),
    (1600, 6.0e-5, 1.3e-4),
];
/// Tables 6 and 5.
const SIZES: [Size; 5] = [
    Size::new(100, [67726.0, 67121.0, 326121.0, 106194.0], [2.588, 2.562, 22.294, 13.751]),
    Size::new(200, [89347.0, 85663.0, 363596.0, 120975.0], [8.412, 8.392, 44.214, 33.533]),
    Size::new(400, [95995.0, 99765.0, 442943.0, 138970.0], [28.347, 28.347, 87.293, 65.856]),
    Size::new(800, [147445.0, 142802.0, 144305.0, 83404.0], [107.919, 105.408, 182.144, 186.395]),
    Size::new(
        1600,
        [25578301.0, 23836195.0, 2648147.0, 1978658.0],
        [12298.419, 11515.381, 18673.187, 16798.548],
    ),
];
/// The paper's asterisks.
const MARKED: [Method; 2] = [Method::Paper(Name::Sal), Method::Paper(Name::Ibp)];
/// Another start: what it must not change.
const OTHER: [&str; 2] = ["seed=7", "speed=0.02"];

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let sizes: &[usize] = setting.choose(&[100, 200, 400, 800, 1600], &[100, 200]);
    let jobs = crowd::jobs(sizes, AUTO, |balls| scene(setting, balls, &[]))?;
    let courses = crowd::run_all(&jobs, &SCALED, |job, run, look| picture(setting, job, run, look))?;
    let small = |balls| radii(balls).0;
    crowd::table(setting, "tables-5-6", &courses, &SIZES, small)?;
    let cycling = [Job { balls: 100, method: IPDAS, scene: scene(setting, 100, &[])? }];
    let cycling = crowd::run_all(&cycling, &PRINTED, |_, _, _| Ok(()))?;
    crowd::table(setting, "printed-gamma", &cycling, &SIZES, small)?;
    crowd::draw(setting, &courses, [7, 6], &[100, 200])?;
    let mut claims = Vec::new();
    for size in SIZES.iter().filter(|size| sizes.contains(&size.balls)) {
        let balls = size.balls;
        claims.extend(crowd::claims(&courses, size, TOLERANCE));
        let overlap = |method| crowd::find(&courses, balls, method).map_or(f64::NAN, Course::overlap);
        for method in [IPDAS, AUTO] {
            let claim =
                format!("overlap at the end by {}, by the small radius, {balls} balls", method.name());
            claims.push(Claim::at_most(claim, 0.0, overlap(method) / small(balls), 0.2).unless(
                "who falls is up to half the way of a step inside another when it is seen, which the scheme does not \
                 take back; and where the printed ε is more than the weight of a ball, sweeps end before it is borne",
            ));
        }
        // marked in the paper: SAL and IBP end with balls in each other
        for &method in MARKED.iter().filter(|_| balls >= 800) {
            let claim = format!("overlap at the end by {}, by that of IPDAS, {balls} balls", method.name());
            claims.push(
                Claim::at_least(claim, 1.0, overlap(method) / overlap(IPDAS), 0.0)
                    .unless("the method ends as well as the others where its sweeps are let converge"),
            );
        }
    }
    claims.extend(other_start(setting, &courses)?);
    claims.push(friction::compare::<2>(setting, &jobs[0].scene)?.lift());
    Ok(claims)
}

/// The same with another start: the methods compare as before.
fn other_start(setting: &Setting, courses: &[Course<()>]) -> Result<Vec<Claim>> {
    let jobs = crowd::jobs(&[100], AUTO, |balls| scene(setting, balls, &OTHER))?;
    let others = crowd::run_all(&jobs, &SCALED, |_, _, _| Ok(()))?;
    let ratio = |courses: &[Course<()>], method| {
        let sweeps = |method| crowd::find(courses, 100, method).map_or(f64::NAN, Course::sweeps);
        sweeps(method) / sweeps(IPDAS)
    };
    let claim = |method: Method| {
        let claim = format!("sweeps of {} by those of IPDAS, another start by the first", method.name());
        Claim::near(claim, 1.0, ratio(&others, method) / ratio(courses, method), 0.5)
    };
    Ok(COMPARED.into_iter().filter(|method| *method != IPDAS).map(claim).collect())
}

fn radii(balls: usize) -> (f64, f64) {
    let found = RADII.iter().find(|(number, ..)| *number == balls);
    found.map_or((f64::NAN, f64::NAN), |&(_, small, large)| (small, large))
}

fn scene(setting: &Setting, balls: usize, others: &[&str]) -> Result<Scene> {
    let (small, large) = radii(balls);
    let mut settings = vec![format!("balls={balls}"), format!("small={small:e}"), format!("large={large:e}")];
    settings.extend(others.iter().map(|other| other.to_string()));
    setting.scene("abide-sedimentation", SCENE, &QUICK, &settings)
}

/// Figure 5: the box early, later and at the end.
fn picture(setting: &Setting, job: &Job, run: &Run<2>, look: usize) -> Result<()> {
    let stage = [LOOKS / 50, LOOKS / 10, LOOKS].iter().position(|moment| *moment == look);
    if let Some(stage) = stage.filter(|_| crowd::is_pictured(job)) {
        let style = Style { size: (480, 800), title: format!("{} balls", job.balls), ..Style::default() };
        setting.picture(&format!("figure-5-{}-{}", job.balls, stage + 1), &run.built.world, &style)?;
    }
    Ok(())
}
