//! Abide 2021, 6.3: balls of two radii fall in a box; sweeps and times of four methods, and how deep balls overlap.

use super::crowd::{self, Course, Job, LOOKS, Size};
use super::judge::{self, WITHIN};
use super::method::{COMPARED, IBP, IPDAS, Method, Printed, Run, SAL};
use crate::{Claim, Experiment, Result, Setting, friction, parameter};
use stickslip_pictures::Style;
use stickslip_scene::Scene;
use stickslip_solvers::panel::Order;

pub const EXPERIMENT: Experiment = Experiment {
    id: "abide-sedimentation",
    summary: "100 to 1600 balls fall in a box: sweeps, times and overlaps of four methods",
    paper: "Abide 2021, section 6.3, Figs 5 to 7, Tables 4 to 6",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/abide-sedimentation.toml");
/// The active sets take γ from W: with the printed γ they cycle.
const SCALED: Printed = Printed::new(None, 1e-6, 1000);
const PRINTED: Printed = Printed { gamma: Some([1e-4, 1e-9]), ..SCALED };
/// Ends sweeps when the small balls are borne too.
const FINE: Printed = Printed { epsilon: 1e-2 * SCALED.epsilon, most: 100_000, ..SCALED };
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
const MARKED: [Method; 2] = [SAL, IBP];
/// What the paper leaves open, chosen otherwise: the start, the radii between the two, the limit of sweeps, their order, and the
/// mass in ρ.
const SCENES: [(&str, &[&str]); 2] =
    [("seed 7 and a fifth of the speed", &["seed=7", "speed=0.02"]), ("five radii", &["levels=5"])];
const SWEEPS: [(&str, Printed); 3] = [
    ("at most 10 000 sweeps", Printed { most: 10_000, ..SCALED }),
    ("sweeps in the order of the contacts", Printed { order: Order::Given, ..SCALED }),
    HEAVY,
];
const HEAVY: (&str, Printed) = ("the mass of the lightest ball in ρ", Printed { mass: 1.0, ..SCALED });
/// With half of it, balls of this number pass through each other by SAL.
const HEAVY_BALLS: usize = 400;
const PRINTED_GAMMA: &str = "printed γ";
/// Overlap by the small radius at most, whatever the step.
const DEEPEST: f64 = 0.5;
/// A ball that a heavier one throws back is this many times as fast as both were.
const THROWN: f64 = 3.0;
const FINE_BALLS: usize = 800;
const FINE_EPSILON: &str = "a hundredth of ε";

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let sizes: &[usize] = setting.choose(&[100, 200, 400, 800, 1600], &[100, 200, 800]);
    let mut jobs = crowd::jobs(sizes, AUTO, SCALED, |balls, _| scene(setting, balls, &[]))?;
    for (choice, changes) in SCENES {
        jobs.extend(crowd::chosen(&COMPARED, 100, choice, SCALED, &scene(setting, 100, changes)?));
    }
    let plain = scene(setting, 100, &[])?;
    for (choice, printed) in SWEEPS {
        jobs.extend(crowd::chosen(&COMPARED, 100, choice, printed, &plain));
    }
    jobs.extend(crowd::chosen(&[IPDAS], 100, PRINTED_GAMMA, PRINTED, &plain));
    jobs.extend(crowd::chosen(&[IPDAS], FINE_BALLS, FINE_EPSILON, FINE, &scene(setting, FINE_BALLS, &[])?));
    if sizes.contains(&HEAVY_BALLS) {
        jobs.extend(crowd::chosen(&[SAL], HEAVY_BALLS, HEAVY.0, HEAVY.1, &scene(setting, HEAVY_BALLS, &[])?));
    }
    let courses = crowd::run_all(&jobs, |job, run, look| picture(setting, job, run, look))?;
    crowd::tables(setting, "tables-5-6", &courses, &SIZES)?;
    judge::table(setting, &courses, &SIZES)?;
    crowd::draw(setting, &courses, [7, 6], &[100, 200])?;
    let mut claims = Vec::new();
    let judged: Vec<&Size> = SIZES.iter().filter(|size| sizes.contains(&size.balls)).collect();
    for size in &judged {
        let weights = SCALED.epsilon / crowd::find(&courses, size.balls, IPDAS, "")?.weight;
        let why = format!(
            "ε is {weights:.1} times the weight of the lightest ball: sweeps end before it is borne, and the paper's cannot come \
             from the printed ε"
        );
        claims.extend(judge::claims(&courses, size, TOLERANCE, &(-12.0..=-WITHIN, why))?);
        claims.extend(overlaps(&courses, size.balls, &plain)?);
    }
    let found = crowd::find(&courses, FINE_BALLS, IPDAS, FINE_EPSILON)?;
    claims.push(judge::of_whole(borne(found, "IPDAS with a hundredth of ε", &plain)?, &[found]));
    if let (Some(few), Some(many)) = (judged.first(), judged.last()) {
        let weights = SCALED.epsilon / crowd::find(&courses, many.balls, IPDAS, "")?.weight;
        let why = format!(
            "ε is {weights:.0} times the weight of the lightest of {} balls: sweeps end before it is borne",
            many.balls
        );
        claims.extend(judge::growth(&courses, few, many, -0.6..=0.2, &why)?);
    }
    let choices: Vec<&str> =
        SCENES.iter().map(|(choice, _)| *choice).chain(SWEEPS.iter().map(|(choice, _)| *choice)).collect();
    claims.extend(judge::choices(&courses, &SIZES[0], &choices)?);
    claims.push(friction::compare::<2>(setting, &plain)?.lift().ours());
    Ok(claims)
}

/// How deep balls are in each other at the end.
fn overlaps(courses: &[Course<()>], balls: usize, scene: &Scene) -> Result<Vec<Claim>> {
    let ipdas = crowd::find(courses, balls, IPDAS, "")?;
    let auto = crowd::find(courses, balls, AUTO, "")?;
    let weights = SCALED.epsilon / ipdas.weight;
    let mut claim = borne(ipdas, "IPDAS", scene)?;
    if weights > 1.0 {
        claim = claim.finding(..=5.0, format!(
            "ε is {weights:.1} times the weight of the lightest ball: sweeps end before it is borne, with residuals of {:.0e} at \
             most",
            ipdas.residual
        ));
    }
    let mut claims =
        vec![judge::of_whole(claim, &[ipdas]), judge::of_whole(borne(auto, "auto", scene)?, &[auto])];
    // marked in the paper: SAL and IBP end with balls in each other
    for &method in MARKED.iter().filter(|_| balls >= 800) {
        let course = crowd::find(courses, balls, method, "")?;
        let claim = format!("overlap at the end by {}, by that of IPDAS, {balls} balls", method.name());
        let claim = Claim::at_least(claim, 1.0, course.overlap() / ipdas.overlap(), 0.0).finding(
            0.5..1.0,
            format!(
                "both end by the same ε, with residuals of {:.0e} and {:.0e} at most: none is the more exact",
                course.residual, ipdas.residual
            ),
        );
        claims.push(judge::of_whole(claim, &[course, ipdas]));
    }
    Ok(claims)
}

/// A ball is seen up to the way of a step, at the speed of a fall from the lid, inside another, and the scheme does not take
/// that back; where this way is longer than half a radius, the step is too long for the balls. Without losses a much heavier ball
/// that comes as fast from the other side throws a small one back three times as fast.
fn borne(course: &Course<()>, method: &str, scene: &Scene) -> Result<Claim> {
    let fall = (2.0 * parameter(scene, "g")? * parameter(scene, "height")?).sqrt();
    let way = fall * scene.file.time.value.step / radii(course.balls).0;
    let claim = format!("overlap at the end by {method}, by the small radius, {} balls", course.balls);
    let why = format!(
        "the printed step is too long: a ball that falls from the lid goes {way:.2} small radii in it, up to three times as far \
         after a blow by a heavier one, is seen as deep inside another, and the scheme does not take that back"
    );
    Ok(Claim::at_most(claim, way.min(DEEPEST), course.overlap(), 0.0).finding(..=THROWN * way, why).ours())
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
    if let Some(stage) = stage.filter(|_| job.is_pictured()) {
        let style = Style { size: (480, 800), title: format!("{} balls", job.balls), ..Style::default() };
        setting.picture(&format!("figure-5-{}-{}", job.balls, stage + 1), &run.built.world, &style)?;
    }
    Ok(())
}
