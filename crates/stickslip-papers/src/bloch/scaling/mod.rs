//! Bloch 2023, 3.3.1: gradient methods on spheres without friction, as these become many.
//!
//! A box is filled by APGD-AR, as in the paper. Now and then the problem of the next step is given to all methods, from
//! zero and with the paper's step and stopping test, so that they are compared on the same problems; and to `auto`, to a
//! residual. The small box of the paper is also filled by every method, for the counts of Table 2.

mod figures;
mod filling;
mod line;

use crate::{Claim, Experiment, Result, Setting, fit};
use filling::{AR, ASR, Filling, GRADIENTS, METHODS, PGD, Plan};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bloch-scaling",
    summary: "512 and 125 000 spheres fall into a box without friction: iterations and times of gradient methods",
    paper: "Bloch 2023, section 3.3.1, Figs 9 and 10, Table 2",
    run,
};

const SCENE: &str = include_str!("../../../../../scenes/papers/bloch-scaling.toml");
/// Spheres a side of the small box, and of the large one of a full and of a quick run.
const SMALL: usize = 8;
const LARGE: [usize; 2] = [50, 12];
/// Masses, radii and places: the large box is filled by the first of these.
const SEEDS: [u64; 3] = [2023, 2024, 2025];

/// A box of Table 2.
pub struct Printed {
    spheres: usize,
    /// Of each method.
    constraints: [f64; GRADIENTS],
    active: [f64; GRADIENTS],
    /// Time by that of PGD.
    acceleration: [f64; GRADIENTS],
}

const TABLE: [Printed; 2] = [
    Printed {
        spheres: 512,
        constraints: [2426.0, 2439.0, 2452.0, 2418.0, 2428.0],
        active: [1488.0, 1354.0, 1416.0, 1372.0, 1447.0],
        acceleration: [1.0, 0.37, 0.66, 0.31, 0.45],
    },
    Printed {
        spheres: 125_000,
        constraints: [910_646.0, 910_867.0, 910_794.0, 910_715.0, 910_238.0],
        active: [299_758.0, 292_170.0, 291_796.0, 292_480.0, 292_839.0],
        acceleration: [1.0, 0.51, 1.01, 0.43, 0.69],
    },
];
/// Time with 125 000 spheres by that with 512, of each method.
const INFLUENCE: [f64; GRADIENTS] = [9.4, 12.9, 14.4, 12.9, 14.2];

/// Powers are those of problems with at least this part of the last contacts.
const LEAST: f64 = 0.1;

fn printed(n: usize) -> Option<&'static Printed> {
    TABLE.iter().find(|row| row.spheres == n.pow(3))
}

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let fill = |n: usize, seed: u64, method: usize, sampled: bool| {
        let drawn = sampled && seed == SEEDS[0];
        let printed = printed(n).map(|row| row.constraints[method]);
        Filling::new(setting, &Plan { n, seed, method, sampled, drawn, printed })
    };
    let n = LARGE[usize::from(setting.quick)];
    let (small, large) = (fill(SMALL, SEEDS[0], AR, true)?, fill(n, SEEDS[0], AR, true)?);
    let by_method =
        (0..GRADIENTS).map(|method| fill(SMALL, SEEDS[0], method, false)).collect::<Result<Vec<_>>>()?;
    let seeds = SEEDS[1..].iter().map(|&seed| fill(SMALL, seed, AR, true)).collect::<Result<Vec<_>>>()?;
    figures::write(setting, [&small, &large], &by_method)?;
    let mut claims = of_size(&[&[&small], seeds.iter().collect::<Vec<_>>().as_slice()].concat());
    claims.extend(of_size(&[&large]));
    let found: Vec<Count> = by_method.iter().enumerate().map(|(k, one)| Count::new(k, one)).collect();
    claims.extend(counts(&by_method[AR], &found));
    claims.extend(counts(&large, &[Count::new(AR, &large)]));
    claims.extend(straight(&large));
    claims.extend(growth(&small, &large));
    Ok(claims)
}

/// What the paper says of every size, by the worst of all seeds.
fn of_size(boxes: &[&Filling]) -> Vec<Claim> {
    let spheres = boxes[0].spheres();
    let say = |text: &str| format!("{spheres} spheres: {text}");
    let least = |value: &dyn Fn(&Filling) -> f64| {
        boxes.iter().map(|one| value(one)).fold(f64::INFINITY, fit::smaller)
    };
    let most = |value: &dyn Fn(&Filling) -> f64| boxes.iter().map(|one| value(one)).fold(0.0, fit::larger);
    let accelerated = |one: &Filling| (1..GRADIENTS).map(|k| one.iterations(k)).fold(0.0, fit::larger);
    let pgd = least(&|one| one.iterations(PGD) / accelerated(one));
    let asr = least(&|one| one.least(ASR, |one| one.iterations as f64));
    let ar = least(&|one| one.least(AR, |one| one.seconds));
    let mut claims = vec![
        Claim::at_least(say("iterations of PGD by the most of the others"), 1.0, pgd, 0.0),
        Claim::at_least(say("iterations of the best of the others by APGD-ASR"), 1.0, asr, 0.0),
        Claim::at_least(say("time of the fastest of the others by APGD-AR"), 1.0, ar, 0.05).timed(),
        Claim::at_most(say("kinetic energy at the end by its largest"), 0.0, most(&|one| one.rest), 0.05)
            .ours(),
        Claim::at_most(say("largest overlap by the least radius"), 0.0, most(&|one| one.overlap), 0.005)
            .ours(),
    ];
    // problems of the small box take milliseconds, whose ratios a busy machine changes: they stand in the table alone
    if let Some(row) = printed(boxes[0].n).filter(|_| boxes[0].n > SMALL) {
        let off = |k: usize| {
            let found = fit::mean(boxes.iter().map(|one| one.seconds(k) / one.seconds(PGD)));
            (found / row.acceleration[k]).max(row.acceleration[k] / found)
        };
        let farthest = (1..GRADIENTS).map(off).fold(1.0, fit::larger);
        let text = say("time by that of PGD, by Table 2 or the other way round, most of the accelerated");
        claims.push(Claim::at_most(text, 1.0, farthest, 2.0).timed());
    }
    claims
}

/// That iterations of the accelerated methods grow with the active contacts as on a line, while the box fills.
fn straight(large: &Filling) -> Vec<Claim> {
    let explained = (1..GRADIENTS).map(|k| fit::correlation(large.growing(k, 0.0).into_iter()).powi(2));
    let say = |text: &str| format!("{} spheres: {text}", large.spheres());
    let text = "part of the spread of accelerated iterations that a line over active contacts explains";
    let mut claims = vec![Claim::at_least(say(text), 1.0, fit::mean(explained), 0.25)];
    claims.extend((1..GRADIENTS).map(|k| {
        let points = large.growing(k, 0.0);
        let start = line::intercept(&points) / fit::mean(points.iter().map(|point| point.1));
        let (power, error) = line::power(&large.growing(k, LEAST));
        let text = format!("power of active contacts that iterations of {} grow with", METHODS[k]);
        Claim::near(say(&text), 1.0, power, 0.2 + 2.0 * error).finding(0.2..1.0, format!(
            "the line does not pass through the origin: {:.0} % of the mean iterations are there without contacts",
            100.0 * start
        ))
    }));
    claims
}

/// How time grows with the spheres.
fn growth(small: &Filling, large: &Filling) -> Vec<Claim> {
    let power = |by: f64, spheres: f64| by.ln() / spheres.ln();
    let spheres = large.spheres() as f64 / small.spheres() as f64;
    let [time, work] = [large.time(AR) / small.time(AR), large.work(AR) / small.work(AR)];
    let paper = power(INFLUENCE[AR], TABLE[1].spheres as f64 / TABLE[0].spheres as f64);
    let why = format!(
        "steps, contacts and iterations all grow: their product, which is counted, by a power of {:.2}; 13 times the \
         time for 244 times the spheres leaves no more than a power of 0.47 to all of them",
        power(work, spheres)
    );
    let grows = "power of the number of spheres that the time of APGD-AR grows with";
    let costs = "time of APGD-AR by that of the small box, by the same of contacts and iterations";
    vec![
        Claim::near(grows, paper, power(time, spheres), 0.2).finding(0.9..=2.2, why),
        Claim::at_most(costs, 1.0, time / work, 1.0).ours().timed(),
    ]
}

/// Constraints and active contacts at the end of a box that a method has filled.
struct Count {
    method: usize,
    constraints: f64,
    active: f64,
}

impl Count {
    fn new(method: usize, filled: &Filling) -> Self {
        Count { method, constraints: filled.constraints as f64, active: filled.active as f64 }
    }
}

/// Final counts of methods by those of Table 2, farthest of all, where it has this box.
fn counts(box_of: &Filling, found: &[Count]) -> Vec<Claim> {
    let Some(row) = printed(box_of.n) else { return Vec::new() };
    let of_all = if found.len() > 1 { ", farthest of the methods" } else { "" };
    let say = |text: &str| format!("{} spheres: {text}{of_all}", row.spheres);
    let farthest = |part: &dyn Fn(&Count) -> f64| {
        let parts = found.iter().map(part);
        let farther = |far: f64, part: f64| if (part - 1.0).abs() <= (far - 1.0).abs() { far } else { part };
        parts.reduce(farther).unwrap_or(f64::NAN)
    };
    let active = found.iter().find(|count| count.method == AR).map_or(f64::NAN, |count| count.active);
    let spheres = row.spheres as f64;
    let borne = |active: f64| 100.0 * active / (3.0 * spheres);
    let [most, least] =
        [fit::larger, fit::smaller].map(|of| row.active.into_iter().reduce(of).unwrap_or(f64::NAN));
    let why_constraints = format!(
        "section 3.3.1 counts pairs within the largest radius of each other; Table 2 has as many as are within {:.2} of it",
        box_of.reach
    );
    let why_active = format!(
        "without friction three contacts bear one sphere: those of APGD-AR in Table 2 {:.0} % of all, ours {:.0} %; \
         runs drift apart, and Table 2 has up to {:.0} % more by one method than by another",
        borne(row.active[AR]),
        borne(active),
        100.0 * (most / least - 1.0)
    );
    let constraints = farthest(&|count| count.constraints / row.constraints[count.method]);
    let active = farthest(&|count| count.active / row.active[count.method]);
    vec![
        Claim::near(say("final constraints by Table 2"), 1.0, constraints, 0.1)
            .finding(0.8..=1.6, why_constraints),
        Claim::near(say("final active contacts by Table 2"), 1.0, active, 0.1)
            .finding(0.75..=1.25, why_active),
    ]
}
