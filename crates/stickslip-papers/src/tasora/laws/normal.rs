//! The six normal laws of Fig. 1, and the damped one of section 7.
//!
//! A grip pulls a light ball over a spring along a path Y, slowly. With the stiffness k of the grip and K of the contact in
//! series, the force is that of a spring and a slider over Y, and the gap is `Y + force/k`.

use super::{CAP, COHESION, RADIUS, ROWS, STIFFNESS, TOLERANCE, on_floor};
use crate::{Claim, Result, Setting, fit};
use stickslip::contacts::{Attraction, Interface, Surface};
use stickslip_pictures::plots::{Plot, Series};

/// Stiffness of the grip.
const GRIP: f64 = 1e6;
/// The path of the grip, loading and unloading; its speed, and the size of steps.
const PATH: [f64; 7] = [0.4e-3, -1e-3, -0.2e-3, -2e-3, 1e-3, -0.5e-3, 3e-3];
/// The path of a damped contact, which stays closed.
const DAMPED_PATH: [f64; 6] = [0.4e-3, -1e-3, -0.5e-3, -1.5e-3, -0.7e-3, -1e-3];
/// Damping over stiffness.
const DAMPING: f64 = 5e-3;
/// How far adhesion reaches: a quarter is left there.
const LENGTH: f64 = 1e-3;
const SPEED: f64 = 0.05;
const STEP: f64 = 2e-6;

/// A law of Fig. 1, or of section 7.
pub struct NormalLaw {
    figure: &'static str,
    name: &'static str,
    stiffness: f64,
    damping: f64,
    surface: Surface,
    attraction: Option<Attraction>,
}

pub const LAWS: [NormalLaw; 7] = [
    NormalLaw {
        figure: "1a",
        name: "rigid",
        stiffness: f64::INFINITY,
        damping: 0.0,
        surface: Surface::Cone,
        attraction: None,
    },
    NormalLaw {
        figure: "1b",
        name: "compliant",
        stiffness: STIFFNESS,
        damping: 0.0,
        surface: Surface::Cone,
        attraction: None,
    },
    NormalLaw {
        figure: "1c",
        name: "compliant with short-range adhesion",
        stiffness: STIFFNESS,
        damping: 0.0,
        surface: Surface::Cone,
        attraction: Some(Attraction::ShortRange { pull: COHESION, length: LENGTH, range: 1e-2 }),
    },
    NormalLaw {
        figure: "1d",
        name: "rigid with plastic pull-off",
        stiffness: f64::INFINITY,
        damping: 0.0,
        surface: Surface::Cohesive { cohesion: COHESION },
        attraction: None,
    },
    NormalLaw {
        figure: "1e",
        name: "compliant with plastic pull-off",
        stiffness: STIFFNESS,
        damping: 0.0,
        surface: Surface::Cohesive { cohesion: COHESION },
        attraction: None,
    },
    NormalLaw {
        figure: "1f",
        name: "compliant with plastic pull-off and crushing",
        stiffness: STIFFNESS,
        damping: 0.0,
        surface: Surface::Capped { cohesion: COHESION, cap: CAP },
        attraction: None,
    },
    NormalLaw {
        figure: "viscous",
        name: "compliant and damped",
        stiffness: STIFFNESS,
        damping: DAMPING,
        surface: Surface::Cone,
        attraction: None,
    },
];

/// Where the grip and the ball are, and the force on the ball.
#[derive(Clone, Copy)]
pub struct Moment {
    time: f64,
    grip: f64,
    gap: f64,
    force: f64,
}

/// The grip at a time.
fn grip(path: &[f64], speed: f64, time: f64) -> f64 {
    let mut left = time * speed;
    for pair in path.windows(2) {
        let way = pair[1] - pair[0];
        if left <= way.abs() {
            return pair[0] + left * way.signum();
        }
        left -= way.abs();
    }
    path[path.len() - 1]
}

/// Drives the ball by the grip along the path.
pub fn pull(law: &NormalLaw, quick: bool) -> Result<Vec<Moment>> {
    let speed = if quick { 2.0 * SPEED } else { SPEED };
    let interface = Interface {
        stiffness_n: law.stiffness,
        stiffness_t: law.stiffness,
        surface: law.surface,
        damping: law.damping,
        ..Default::default()
    };
    // so light that its landing shows in no force
    let mass = 2e-4;
    let mut world = on_floor(interface, mass, law.start())?;
    if let Some(attraction) = law.attraction {
        world.materials.define_attraction("", "", attraction)?;
    }
    let damping = 2.0 * (GRIP * mass).sqrt();
    let path = law.path();
    world.forces.push(Box::new(move |bodies, time, loads| {
        let way = grip(path, speed, time) - (bodies.x[1][1] - RADIUS);
        loads[1].0[1] += GRIP * way - damping * bodies.v[1][1];
    }));
    let length: f64 = path.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum();
    let steps = (length / (speed * STEP)) as usize;
    let mut curve = Vec::with_capacity(steps);
    for _ in 0..steps {
        let report = world.step(STEP)?;
        let (gap, way) = (world.bodies().x[1][1] - RADIUS, grip(path, speed, report.time));
        // what the grip holds against
        let force = GRIP * (gap - way) + damping * world.bodies().v[1][1];
        curve.push(Moment { time: report.time, grip: way, gap, force });
    }
    Ok(curve)
}

impl NormalLaw {
    fn path(&self) -> &'static [f64] {
        if self.damping > 0.0 { &DAMPED_PATH } else { &PATH }
    }

    /// The gap at which the ball rests while the grip is where it begins.
    fn start(&self) -> f64 {
        if self.attraction.is_some() { adhesive(PATH[0]) } else { PATH[0] }
    }

    /// Force and gap by the closed form.
    fn expected(&self, curve: &[Moment]) -> Vec<(f64, f64)> {
        let grips = || curve.iter().map(|moment| moment.grip);
        if self.attraction.is_some() {
            return grips().map(|grip| (GRIP * (adhesive(grip) - grip), adhesive(grip))).collect();
        }
        if self.damping > 0.0 {
            let gaps = damped(curve.iter().map(|moment| (moment.time, moment.grip)), self.damping);
            return gaps.zip(grips()).map(|(gap, grip)| (GRIP * (gap - grip), gap)).collect();
        }
        let series = 1.0 / (1.0 / GRIP + 1.0 / self.stiffness);
        let (cohesion, cap) = match self.surface {
            Surface::Cone => (0.0, f64::INFINITY),
            Surface::Cohesive { cohesion } | Surface::Rounded { cohesion } => (cohesion, f64::INFINITY),
            Surface::Capped { cohesion, cap } => (cohesion, cap),
        };
        let forces = spring_and_slider(grips(), series, cohesion, cap);
        forces.zip(curve).map(|(force, moment)| (force, moment.grip + force / GRIP)).collect()
    }

    pub fn claims(&self, curve: &[Moment]) -> [Claim; 2] {
        let expected = self.expected(curve);
        let largest = |value: &dyn Fn(&(f64, f64)) -> f64| expected.iter().map(value).fold(0.0, fit::larger);
        let (force, gap) = (largest(&|e| e.0.abs()), largest(&|e| e.1.abs()));
        // a curve may turn a step earlier or later: the nearest of three moments counts
        let off = |value: &dyn Fn(&Moment) -> f64, wanted: &dyn Fn(&(f64, f64)) -> f64| {
            let last = curve.len() - 1;
            let near = |k: usize| {
                (k.saturating_sub(1)..=(k + 1).min(last))
                    .map(|j| (value(&curve[k]) - wanted(&expected[j])).abs())
                    .fold(f64::INFINITY, fit::smaller)
            };
            (0..curve.len()).map(near).fold(0.0, fit::larger)
        };
        let say = |what: &str| {
            format!("{} {}: largest difference of the {what} by the largest", self.place(), self.name)
        };
        [
            Claim::near(say("force"), 0.0, off(&|m| m.force, &|e| e.0) / force, TOLERANCE),
            Claim::near(say("gap"), 0.0, off(&|m| m.gap, &|e| e.1) / gap, TOLERANCE),
        ]
    }

    /// Where the paper has it.
    fn place(&self) -> String {
        if self.damping > 0.0 { "eq. (45)".into() } else { format!("Fig. {}", self.figure) }
    }

    pub fn draw(&self, setting: &Setting, curve: &[Moment]) -> Result<()> {
        let expected = self.expected(curve);
        let every = curve.len().div_ceil(ROWS);
        let rows = || curve.iter().zip(&expected).step_by(every);
        let name = format!("figure-{}", self.figure);
        setting.table(
            &name,
            &["grip", "gap", "force", "closed_gap", "closed_force"],
            rows().map(|(m, e)| vec![m.grip, m.gap, m.force, e.1, e.0]),
        )?;
        let closed =
            Series { label: "closed form".into(), points: rows().map(|(_, e)| (1e3 * e.1, e.0)).collect() };
        let measured = Series {
            label: "measured".into(),
            points: rows().map(|(m, _)| (1e3 * m.gap, m.force)).collect(),
        };
        let plot = Plot {
            title: format!("Tasora 2013, {}: {}", self.place(), self.name),
            x: "gap [mm]".into(),
            y: "force [N]".into(),
            series: vec![closed, measured],
            ..Plot::default()
        };
        setting.figure(&name, &plot)
    }
}

/// The gap where grip and adhesive contact hold each other: `k (gap − grip)` rises, and the force of the contact falls.
fn adhesive(grip: f64) -> f64 {
    let force = |gap: f64| STIFFNESS * (-gap).max(0.0) - COHESION / (1.0 + gap.max(0.0) / LENGTH).powi(2);
    let (mut low, mut high) = (grip - 2.0 * COHESION / GRIP, grip.max(0.0));
    for _ in 0..60 {
        let gap = 0.5 * (low + high);
        if GRIP * (gap - grip) > force(gap) { high = gap } else { low = gap }
    }
    0.5 * (low + high)
}

/// The gap of a spring and a dashpot behind the spring of the grip, from touch on:
/// `K y + α K ẏ = k (Y − y)`, exactly over stretches of a straight Y.
fn damped(grips: impl Iterator<Item = (f64, f64)>, damping: f64) -> impl Iterator<Item = f64> {
    let both = STIFFNESS + GRIP;
    let (share, tau) = (GRIP / both, damping * STIFFNESS / both);
    let mut last: Option<(f64, f64, f64)> = None;
    grips.map(move |(time, grip)| {
        let gap = match last {
            Some((before, from, gap)) if grip < 0.0 || gap < 0.0 => {
                let h = time - before;
                let slope = (grip - from) / h;
                // the way of a straight Y without end, and what is left of the beginning
                let steady = |way: f64| share * (way - slope * tau);
                steady(grip) + (gap - steady(from)) * (-h / tau).exp()
            }
            _ => grip,
        };
        last = Some((time, grip, gap));
        gap
    })
}

/// The force of a spring on a slider that yields at a pull, once it has touched, and at a cap.
fn spring_and_slider(
    ways: impl Iterator<Item = f64>,
    stiffness: f64,
    cohesion: f64,
    cap: f64,
) -> impl Iterator<Item = f64> {
    let (mut plastic, mut bonded) = (0.0, false);
    ways.map(move |way| {
        let trial = -stiffness * (way - plastic);
        let force = trial.clamp(if bonded { -cohesion } else { 0.0 }, cap);
        if trial > cap || (bonded && trial < -cohesion) {
            plastic = way + force / stiffness;
        }
        bonded |= force > 0.0 && cohesion > 0.0;
        force
    })
}
