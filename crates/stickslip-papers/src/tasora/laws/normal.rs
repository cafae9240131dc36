//! The six normal laws of Fig. 1.
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
const SPEED: f64 = 0.05;
const STEP: f64 = 2e-6;

/// A law of Fig. 1.
pub struct NormalLaw {
    figure: &'static str,
    name: &'static str,
    stiffness: f64,
    surface: Surface,
    attraction: Option<Attraction>,
}

pub const LAWS: [NormalLaw; 6] = [
    NormalLaw {
        figure: "1a",
        name: "rigid",
        stiffness: f64::INFINITY,
        surface: Surface::Cone,
        attraction: None,
    },
    NormalLaw {
        figure: "1b",
        name: "compliant",
        stiffness: STIFFNESS,
        surface: Surface::Cone,
        attraction: None,
    },
    NormalLaw {
        figure: "1c",
        name: "compliant with short-range adhesion",
        stiffness: STIFFNESS,
        surface: Surface::Cone,
        attraction: Some(Attraction::ShortRange { pull: COHESION, length: 1e-3, range: 1e-2 }),
    },
    NormalLaw {
        figure: "1d",
        name: "rigid with plastic pull-off",
        stiffness: f64::INFINITY,
        surface: Surface::Cohesive { cohesion: COHESION },
        attraction: None,
    },
    NormalLaw {
        figure: "1e",
        name: "compliant with plastic pull-off",
        stiffness: STIFFNESS,
        surface: Surface::Cohesive { cohesion: COHESION },
        attraction: None,
    },
    NormalLaw {
        figure: "1f",
        name: "compliant with plastic pull-off and crushing",
        stiffness: STIFFNESS,
        surface: Surface::Capped { cohesion: COHESION, cap: CAP },
        attraction: None,
    },
];

/// Where the grip and the ball are, and the force on the ball.
#[derive(Clone, Copy)]
pub struct Moment {
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
        ..Default::default()
    };
    // so light that its landing shows in no force
    let mass = 2e-4;
    let mut world = on_floor(interface, mass, law.start())?;
    if let Some(attraction) = law.attraction {
        world.materials.define_attraction("", "", attraction)?;
    }
    let damping = 2.0 * (GRIP * mass).sqrt();
    world.forces.push(Box::new(move |bodies, time, loads| {
        let way = grip(&PATH, speed, time) - (bodies.x[1][1] - RADIUS);
        loads[1].0[1] += GRIP * way - damping * bodies.v[1][1];
    }));
    let length: f64 = PATH.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum();
    let steps = (length / (speed * STEP)) as usize;
    let mut curve = Vec::with_capacity(steps);
    for _ in 0..steps {
        let before = world.bodies().x[1][1] - RADIUS;
        let report = world.step(STEP)?;
        let contact: f64 = world.contacts().map(|(_, r)| r[1]).sum::<f64>() / STEP;
        // pulls act by the gap at the beginning of a step
        let pull = law.attraction.map_or(0.0, |attraction| attraction.force(before, true));
        let gap = world.bodies().x[1][1] - RADIUS;
        curve.push(Moment { grip: grip(&PATH, speed, report.time), gap, force: contact - pull });
    }
    Ok(curve)
}

impl NormalLaw {
    /// The gap at which the ball rests while the grip is where it begins.
    fn start(&self) -> f64 {
        let pull = |gap: f64| self.attraction.map_or(0.0, |attraction| attraction.force(gap, true));
        (0..100).fold(PATH[0], |gap, _| PATH[0] - pull(gap) / GRIP)
    }

    /// Force and gap by the closed form.
    fn expected(&self, curve: &[Moment]) -> Vec<(f64, f64)> {
        if let Some(attraction) = self.attraction {
            // without history: the force by the gap
            let force = |gap: f64| STIFFNESS * (-gap).max(0.0) - attraction.force(gap, true);
            return curve
                .iter()
                .map(|moment| (force(moment.gap), moment.grip + force(moment.gap) / GRIP))
                .collect();
        }
        let series = 1.0 / (1.0 / GRIP + 1.0 / self.stiffness);
        let (cohesion, cap) = match self.surface {
            Surface::Cone => (0.0, f64::INFINITY),
            Surface::Cohesive { cohesion } | Surface::Rounded { cohesion } => (cohesion, f64::INFINITY),
            Surface::Capped { cohesion, cap } => (cohesion, cap),
        };
        let forces = spring_and_slider(curve.iter().map(|moment| moment.grip), series, cohesion, cap);
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
            format!("Fig. {} {}: largest difference of the {what} by the largest", self.figure, self.name)
        };
        [
            Claim::near(say("force"), 0.0, off(&|m| m.force, &|e| e.0) / force, TOLERANCE),
            Claim::near(say("gap"), 0.0, off(&|m| m.gap, &|e| e.1) / gap, TOLERANCE),
        ]
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
            title: format!("Tasora 2013, Fig. {}: {}", self.figure, self.name),
            x: "gap [mm]".into(),
            y: "force [N]".into(),
            series: vec![closed, measured],
            ..Plot::default()
        };
        setting.figure(&name, &plot)
    }
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
