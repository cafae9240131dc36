//! What the paper says of many balls by four methods. Two methods are compared over the steps with contacts that both solved:
//! no limit on sweeps enters. Seconds are sweeps times what a sweep takes in the
//! fastest quarter of all steps: other work on the machine hardly enters.

use super::crowd::{Course, Size, find};
use super::method::{COMPARED, Cost, IPDAS, Method, SAL};
use crate::{Claim, Relation, Result, Setting, fit};
use std::ops::RangeInclusive;

/// How far the active sets may be from each other in sweeps: runs are chaotic, and differ by as much from seed to seed.
const ALIKE: f64 = 0.3;
/// How far the sweeps of IBP by those of IPDAS may be from the paper's ratio, 0.58 to 1.58 but for one, as a part of it where it is
/// more than one; and below what that one is.
const COMPARABLE: f64 = 0.6;
const BREAKS_DOWN: f64 = 0.5;
/// How far the sweeps of a step by IPDAS may be from the paper's, as a power of two: what it leaves open moves them as far.
pub const WITHIN: f64 = 1.2;
/// Steps of the paper's runs of many balls.
const STEPS: f64 = 1e4;
/// Methods that are known to let balls pass through each other.
const PASSING: [Method; 1] = [SAL];
/// How far both active sets may be from each other in seconds, and the others below them: seconds hang on other work too.
const ALIKE_IN_TIME: f64 = 0.5;
const AS_FAST: f64 = 0.2;
/// How far powers of growth may be from the paper's.
const POWER: f64 = 0.3;

/// Why IBP takes as many sweeps as IPDAS where the paper's take a twelfth.
const BROKE_DOWN: &str =
    "the paper marks IBP as passing through balls there; here it does not, and takes as many sweeps as IPDAS";

/// What one run takes by another.
struct Ratio {
    sweeps: f64,
    seconds: f64,
    /// Seconds more in a step.
    gap: f64,
    /// The part of the steps with contacts that both solved.
    share: f64,
}

impl Ratio {
    fn of<S>(course: &Course<S>, other: &Course<S>) -> Self {
        let pairs = || course.steps.iter().zip(&other.steps).filter(|(a, b)| a.sweeps > 0 && b.sweeps > 0);
        let (ours, others): (Vec<Cost>, Vec<Cost>) = pairs().filter(|(a, b)| a.solved && b.solved).unzip();
        let seconds = [total(&ours) * rate(course), total(&others) * rate(other)];
        let count = ours.len() as f64;
        Ratio {
            sweeps: total(&ours) / total(&others),
            seconds: seconds[0] / seconds[1],
            gap: (seconds[0] - seconds[1]) / count,
            share: count / pairs().count() as f64,
        }
    }
}

/// Sweeps of some steps.
fn total(steps: &[Cost]) -> f64 {
    steps.iter().map(|step| step.sweeps as f64).sum()
}

/// Seconds of a sweep, as slow as the slowest in the fastest quarter of all steps.
fn rate<S>(course: &Course<S>) -> f64 {
    let steps = course.steps.iter().filter(|step| step.sweeps > 0);
    let mut took: Vec<f64> = steps.map(|step| step.seconds / step.sweeps as f64).collect();
    took.sort_by(f64::total_cmp);
    took.get(took.len() / 4).copied().unwrap_or(f64::NAN)
}

/// All methods of a number of balls with a choice, by IPDAS.
struct Compared<'a, S> {
    courses: [&'a Course<S>; 4],
}

impl<'a, S> Compared<'a, S> {
    fn find(courses: &'a [Course<S>], balls: usize, choice: &str) -> Result<Self> {
        let [epdas, ipdas, sal, ibp] = COMPARED.map(|method| find(courses, balls, method, choice));
        Ok(Compared { courses: [epdas?, ipdas?, sal?, ibp?] })
    }

    fn ratios(&self) -> [Ratio; 4] {
        self.courses.map(|course| Ratio::of(course, self.courses[1]))
    }

    /// A claim on the method of a number, which is none on a run that ended early.
    fn of_whole(&self, k: usize, claim: Claim) -> Claim {
        of_whole(claim, &[self.courses[k], self.courses[1]])
    }
}

/// A claim on runs: it never passes where one of them ended early, and alarms where that is not known of the method.
pub fn of_whole<S>(claim: Claim, courses: &[&Course<S>]) -> Claim {
    let broke = || courses.iter().filter_map(|course| Some((course.method, course.broke_off()?)));
    let why: Vec<String> = broke().map(|(_, why)| why).collect();
    if why.is_empty() {
        return claim;
    }
    let failed = Claim { pass: false, ..claim };
    if broke().all(|(method, _)| PASSING.contains(&method)) {
        failed.finding(.., why.join("; "))
    } else {
        failed.unless(why.join("; "))
    }
}

/// What the paper says of one number of balls; which powers of two of the sweeps of a step by the paper's are explained, and why.
pub fn claims<S>(
    courses: &[Course<S>],
    size: &Size,
    tolerance: f64,
    (known, why): &(RangeInclusive<f64>, String),
) -> Result<Vec<Claim>> {
    let balls = size.balls;
    let compared = Compared::find(courses, balls, "")?;
    let mut claims = sweeps(&compared, size, &format!("{balls} balls"));
    let [epdas, _, sal, ibp] = compared.ratios();
    let paper = size.seconds.map(|seconds| seconds / size.seconds[1]);
    let say = |method: &str| format!("seconds of {method} by those of IPDAS, {balls} balls");
    claims.push(
        compared.of_whole(0, Claim::near(say("EPDAS"), paper[0], epdas.seconds, ALIKE_IN_TIME)).timed(),
    );
    claims.push(compared.of_whole(2, Claim::at_least(say("SAL"), 1.0, sal.seconds, AS_FAST)).timed());
    claims.push(compared.of_whole(3, Claim::at_least(say("IBP"), 1.0, ibp.seconds, AS_FAST)).timed());
    let auto =
        courses.iter().find(|course| course.balls == balls && matches!(course.method, Method::Auto(_)));
    let residual = auto.map_or(f64::NAN, |course| course.residual);
    let claim = format!("largest residual of a step by auto, {balls} balls");
    claims.push(Claim::at_most(claim, tolerance, residual, 0.0).ours());
    let whole = compared.courses.iter().filter(|course| course.broke_off().is_none()).count();
    let claim = format!("methods that reach the end, {balls} balls");
    claims.push(of_whole(Claim::near(claim, 4.0, whole as f64, 0.0), &compared.courses));
    let ipdas = compared.courses[1];
    let sweeps = total(&ipdas.steps) / ipdas.steps.len() as f64;
    let claim = format!("sweeps of IPDAS in a step by the paper's, as a power of two, {balls} balls");
    let claim = Claim::near(claim, 0.0, (sweeps * STEPS / size.sweeps[1]).log2(), WITHIN);
    claims.push(claim.finding(known.clone(), why));
    Ok(claims)
}

/// The active sets are alike, SAL takes more sweeps where it does in the paper, IBP takes comparable ones.
fn sweeps<S>(compared: &Compared<'_, S>, size: &Size, what: &str) -> Vec<Claim> {
    let [epdas, _, sal, ibp] = compared.ratios();
    let paper = size.sweeps.map(|sweeps| sweeps / size.sweeps[1]);
    let say = |method: &str| format!("sweeps of {method} by those of IPDAS, {what}");
    let mut claims = vec![
        compared.of_whole(0, Claim::near(say("EPDAS"), 1.0, epdas.sweeps, ALIKE)),
        compared.of_whole(2, Claim::at_least(say("SAL"), fit::smaller(paper[2], 1.0), sal.sweeps, 0.0)),
    ];
    let ibp = Claim::near(say("IBP"), paper[3], ibp.sweeps, COMPARABLE * fit::larger(paper[3], 1.0));
    let ibp = if paper[3] < BREAKS_DOWN { ibp.finding(0.5..=1.6, BROKE_DOWN) } else { ibp };
    claims.push(compared.of_whole(3, ibp));
    claims
}

/// The same with every other choice, none of which may turn the verdict: the worst of all.
pub fn choices<S>(courses: &[Course<S>], size: &Size, choices: &[&str]) -> Result<Vec<Claim>> {
    let mut all = Vec::new();
    for choice in choices {
        let compared = Compared::find(courses, size.balls, choice)?;
        all.extend(sweeps(&compared, size, "the worst of all open choices"));
    }
    let margin = |claim: &Claim| match claim.relation {
        Relation::Near => -(claim.measured - claim.paper).abs(),
        Relation::AtLeast => claim.measured - claim.paper,
        Relation::AtMost => claim.paper - claim.measured,
    };
    all.sort_by(|a, b| a.claim.cmp(&b.claim).then(a.pass.cmp(&b.pass)).then(margin(a).total_cmp(&margin(b))));
    all.dedup_by(|next, first| next.claim == first.claim);
    Ok(all)
}

/// How sweeps and seconds grow from the fewest balls to the most, by IPDAS, as powers of their number; why sweeps may not.
pub fn growth<S>(
    courses: &[Course<S>],
    few: &Size,
    many: &Size,
    known: RangeInclusive<f64>,
    why: &str,
) -> Result<[Claim; 2]> {
    let found = [find(courses, few.balls, IPDAS, "")?, find(courses, many.balls, IPDAS, "")?];
    let sizes = [few, many];
    let power = |costs: [f64; 2]| fit::power(sizes.map(|size| size.balls as f64).into_iter().zip(costs));
    let say = |what: &str| {
        format!("power of the balls with which {what} of IPDAS grow, {} to {} balls", few.balls, many.balls)
    };
    let ours = power(found.map(|course| total(&course.steps)));
    let sweeps = Claim::near(say("sweeps"), power(sizes.map(|size| size.sweeps[1])), ours, POWER);
    let ours = power(found.map(|course| total(&course.steps) * rate(course)));
    let seconds = Claim::at_most(say("seconds"), power(sizes.map(|size| size.seconds[1])), ours, POWER);
    Ok([sweeps.finding(known, why), seconds.timed()])
}

/// The more balls, the more seconds a step by SAL takes beyond those of one by IPDAS.
pub fn widening<S>(courses: &[Course<S>], few: &Size, many: &Size) -> Result<Claim> {
    let gap = |size: &Size| -> Result<f64> { Ok(Compared::find(courses, size.balls, "")?.ratios()[2].gap) };
    let claim =
        format!("seconds of SAL less those of IPDAS in a step, {} balls by {} balls", many.balls, few.balls);
    let (few, many) = (gap(few)?, gap(many)?);
    Ok(Claim::at_least(claim, 1.0, if few > 0.0 { many / few } else { f64::NAN }, 0.0).timed())
}

/// What every method takes by IPDAS, in the paper and here, over the steps that both solved.
pub fn table<S>(setting: &Setting, courses: &[Course<S>], sizes: &[Size]) -> Result<()> {
    let columns = [
        "balls",
        "choice",
        "method",
        "paper sweeps by IPDAS",
        "sweeps by IPDAS",
        "paper seconds by IPDAS",
        "seconds by IPDAS",
        "part of the steps",
    ];
    let mut rows = Vec::new();
    for course in courses.iter().filter(|course| course.method == IPDAS) {
        let Ok(compared) = Compared::find(courses, course.balls, &course.choice) else { continue };
        let Some(size) = sizes.iter().find(|size| size.balls == course.balls) else { continue };
        for (k, ratio) in compared.ratios().iter().enumerate() {
            let numbers = [
                size.sweeps[k] / size.sweeps[1],
                ratio.sweeps,
                size.seconds[k] / size.seconds[1],
                ratio.seconds,
                ratio.share,
            ];
            let names = [course.balls.to_string(), course.choice.clone(), COMPARED[k].name()];
            rows.push(names.into_iter().chain(numbers.map(|x| format!("{x:.3}"))).collect());
        }
    }
    setting.table("by-ipdas", &columns, rows.into_iter())
}

#[cfg(test)]
mod tests {
    use super::super::crowd::LOOKS;
    use super::super::method::SAL;
    use super::*;

    fn cost(sweeps: usize, solved: bool) -> Cost {
        Cost { sweeps, seconds: 1e-3 * sweeps as f64, solved }
    }

    #[test]
    fn ratios_are_those_of_steps_that_both_solved() {
        let steps = vec![cost(10, true), cost(1000, false), cost(8, true), cost(0, true)];
        let others = vec![cost(5, true), cost(20, true), cost(1000, false), cost(0, true)];
        let ratio = Ratio::of(&Course::made_up(SAL, steps, LOOKS), &Course::made_up(IPDAS, others, LOOKS));
        assert_eq!(ratio.sweeps, 2.0);
        assert!((ratio.seconds - 2.0).abs() < 1e-12 && (ratio.gap - 5e-3).abs() < 1e-12);
        assert!((ratio.share - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_run_that_ended_early_never_passes() {
        let claim = || Claim::at_least("", 1.0, 2.0, 0.0);
        let [whole, broke] = [LOOKS, LOOKS - 1].map(|looks| Course::made_up(SAL, Vec::new(), looks));
        assert!(of_whole(claim(), &[&whole]).pass);
        let judged = of_whole(claim(), &[&whole, &broke]);
        assert!(!judged.pass && judged.finding);
        assert!(judged.why.is_some_and(|why| why.contains("5.0 small radii") && why.contains("1e-1")));
        // of the others it is not known
        let judged = of_whole(claim(), &[&whole, &broke, &Course::made_up(IPDAS, Vec::new(), LOOKS - 1)]);
        assert!(judged.is_alarming() && judged.why.is_some_and(|why| why.contains("IPDAS")));
    }
}
