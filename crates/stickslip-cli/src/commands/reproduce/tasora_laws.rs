//! Tasora 2013, Figs 1 to 5: one contact driven by hand, against the closed forms.
//!
//! For the six laws of Fig. 1 a grip pulls a light ball over a spring along a path Y, slowly. With the stiffness k of the
//! grip and K of the contact in series, the force is that of a spring and a slider over Y, and the gap is `Y + force/k`.
//! For the four surfaces of Figs 2 to 5 a heavy ball is pressed on the floor and then moved in all directions: where it
//! flows, its force lies on the surface.

use super::{Claim, Experiment, Setting};
use anyhow::Result;
use rayon::prelude::*;
use stickslip::contacts::{Attraction, Interface, Surface};
use stickslip::schemes::Dvi;
use stickslip::{Body, Material, World};
use stickslip_geometry::shape::{Ball, HalfSpace, Shape};
use stickslip_geometry::space::{Pose, Vector};
use stickslip_pictures::plots::{Plot, Series};

pub const EXPERIMENT: Experiment = Experiment {
    id: "tasora-laws",
    summary: "one contact through loading, unloading and pull-off: six laws, four yield surfaces",
    paper: "Tasora 2013, sections 5 to 8, Figs 1 to 5",
    run,
};

const RADIUS: f64 = 0.1;
const MU: f64 = 0.5;
/// Stiffness of the contact and of the grip.
const STIFFNESS: f64 = 1e6;
const GRIP: f64 = 1e6;
const COHESION: f64 = 200.0;
const CAP: f64 = 600.0;
/// The path of the grip, loading and unloading; its speed, and the size of steps.
const PATH: [f64; 7] = [0.4e-3, -1e-3, -0.2e-3, -2e-3, 1e-3, -0.5e-3, 3e-3];
const SPEED: f64 = 0.05;
const STEP: f64 = 2e-6;
/// Differences of forces and gaps by the largest that count as none.
const TOLERANCE: f64 = 5e-3;
/// Rows of a curve that are kept.
const ROWS: usize = 600;

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let mut claims = Vec::new();
    let curves: Vec<Vec<Moment>> =
        LAWS.par_iter().map(|law| pull(law, setting.quick)).collect::<Result<_>>()?;
    for (law, curve) in LAWS.iter().zip(&curves) {
        claims.extend(law.claims(curve));
        law.draw(setting, curve)?;
    }
    for surface in &SURFACES {
        let found = surface.probe()?;
        claims.push(surface.claim(&found));
        surface.draw(setting, &found)?;
    }
    Ok(claims)
}

/// A law of Fig. 1.
struct NormalLaw {
    figure: &'static str,
    name: &'static str,
    stiffness: f64,
    surface: Surface,
    attraction: Option<Attraction>,
}

const LAWS: [NormalLaw; 6] = [
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
struct Moment {
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

/// A floor and a ball of a given mass just above it, which never turns.
fn on_floor(interface: Interface, mass: f64, gap: f64) -> Result<World<2>> {
    let mut world = World::<2>::new(Dvi::default());
    world.stop.tolerance = 1e-12;
    world.materials.define("", Material { mu: MU, ..Default::default() })?;
    world.materials.define_interface("", "", interface)?;
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity()))?;
    let shape = Shape::Ball(Ball { radius: RADIUS });
    let of_shape = shape.mass(1.0)?;
    let mut own = shape.mass(mass / of_shape.mass)?;
    own.inertia = shape.mass(1e12 * mass / of_shape.mass)?.inertia;
    let at = Vector::<2>::new(0.0, RADIUS + gap);
    world.add(Body { mass: Some(own), ..Body::new(shape, Pose::at(at)) })?;
    Ok(world)
}

/// Drives the ball by the grip along the path.
fn pull(law: &NormalLaw, quick: bool) -> Result<Vec<Moment>> {
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

    fn claims(&self, curve: &[Moment]) -> [Claim; 2] {
        let expected = self.expected(curve);
        let largest = |value: &dyn Fn(&(f64, f64)) -> f64| expected.iter().map(value).fold(0.0, f64::max);
        let (force, gap) = (largest(&|e| e.0.abs()), largest(&|e| e.1.abs()));
        // a curve may turn a step earlier or later: the nearest of three moments counts
        let off = |value: &dyn Fn(&Moment) -> f64, wanted: &dyn Fn(&(f64, f64)) -> f64| {
            let last = curve.len() - 1;
            let near = |k: usize| {
                (k.saturating_sub(1)..=(k + 1).min(last))
                    .map(|j| (value(&curve[k]) - wanted(&expected[j])).abs())
                    .fold(f64::INFINITY, f64::min)
            };
            (0..curve.len()).map(near).fold(0.0, f64::max)
        };
        let say = |what: &str| {
            format!("Fig. {} {}: largest difference of the {what} by the largest", self.figure, self.name)
        };
        [
            Claim::near(say("force"), 0.0, off(&|m| m.force, &|e| e.0) / force, TOLERANCE),
            Claim::near(say("gap"), 0.0, off(&|m| m.gap, &|e| e.1) / gap, TOLERANCE),
        ]
    }

    fn draw(&self, setting: &Setting, curve: &[Moment]) -> Result<()> {
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

/// A yield surface of Figs 2 to 5.
struct YieldSurface {
    figure: &'static str,
    name: &'static str,
    surface: Surface,
}

const SURFACES: [YieldSurface; 4] = [
    YieldSurface { figure: "2", name: "cone", surface: Surface::Cone },
    YieldSurface {
        figure: "3",
        name: "cone with cohesion",
        surface: Surface::Cohesive { cohesion: COHESION },
    },
    YieldSurface { figure: "4", name: "rounded cone", surface: Surface::Rounded { cohesion: COHESION } },
    YieldSurface {
        figure: "5",
        name: "capped cone",
        surface: Surface::Capped { cohesion: COHESION, cap: CAP },
    },
];

/// Directions in which the contact is moved, over half a turn, and depths to which it is pressed before.
const DIRECTIONS: usize = 25;
const DEPTHS: [f64; 3] = [0.1e-3, 0.3e-3, 0.5e-3];
/// How far it is moved: beyond yield wherever there is any.
const FAR: f64 = 1.5e-3;
/// Directions pushed deeper into a surface without a cap end on no surface; those count that flow.
const FLOWS: f64 = 1e-6;

impl YieldSurface {
    /// Forces, normal and tangential, at the end of every way that yields.
    fn probe(&self) -> Result<Vec<(f64, f64)>> {
        let cases: Vec<(f64, f64)> = DEPTHS
            .iter()
            .flat_map(|&depth| {
                (0..DIRECTIONS)
                    .map(move |k| (depth, std::f64::consts::PI * k as f64 / (DIRECTIONS - 1) as f64))
            })
            .collect();
        let found: Vec<Option<(f64, f64)>> =
            cases.par_iter().map(|&(depth, angle)| self.move_along(depth, angle)).collect::<Result<_>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Presses a heavy ball, moves it by an angle from the normal, and gives the force; none where it does not yield.
    fn move_along(&self, depth: f64, angle: f64) -> Result<Option<(f64, f64)>> {
        let interface = Interface {
            stiffness_n: STIFFNESS,
            stiffness_t: STIFFNESS,
            surface: self.surface,
            ..Default::default()
        };
        let (mass, h, speed) = (1e12, 1e-6, 1.0);
        let mut world = on_floor(interface, mass, 0.0)?;
        let pressed = depth / speed;
        world.forces.push(Box::new(move |bodies, time, loads| {
            let wanted = if time < pressed {
                Vector::<2>::new(0.0, -speed)
            } else {
                Vector::<2>::new(angle.sin(), angle.cos()) * speed
            };
            loads[1].0 += (wanted - bodies.v[1]) * (mass / h);
        }));
        let steps = ((depth + FAR) / (speed * h)).round() as usize;
        for _ in 0..steps {
            world.step(h)?;
        }
        let found = world.contacts().fold(Vector::<2>::zeros(), |sum, (_, r)| sum + r) / h;
        // the force without any yield
        let elastic = Vector::<2>::new(-angle.sin() * FAR, depth - angle.cos() * FAR) * STIFFNESS;
        let yields = (found - elastic).norm() > FLOWS * elastic.norm();
        Ok(yields.then_some((found[1], -found[0])))
    }

    /// Distance of a force from the surface, negative inside.
    fn distance(&self, (normal, tangential): (f64, f64)) -> f64 {
        let from_cone = |normal: f64, top: f64| {
            let slope = (1.0 + MU * MU).sqrt();
            // along the edge, and across it
            let along = (normal + MU * tangential) / slope;
            let across = (tangential - MU * normal) / slope;
            if normal <= top && along >= 0.0 && across <= 0.0 {
                return across.max(normal - top);
            }
            let end = top * slope;
            let edge = if along < 0.0 {
                normal.hypot(tangential)
            } else if along > end {
                (normal - top).hypot(tangential - MU * top)
            } else {
                across.abs()
            };
            let cap = if tangential <= MU * top { (normal - top).abs() } else { f64::INFINITY };
            edge.min(cap)
        };
        match self.surface {
            Surface::Cone => from_cone(normal, f64::INFINITY),
            Surface::Cohesive { cohesion } => from_cone(normal + cohesion, f64::INFINITY),
            Surface::Rounded { cohesion } => from_cone(normal, f64::INFINITY) - cohesion,
            Surface::Capped { cohesion, cap } => from_cone(normal, cap - cohesion) - cohesion,
        }
    }

    fn claim(&self, found: &[(f64, f64)]) -> Claim {
        let largest = found.iter().map(|f| f.0.hypot(f.1)).fold(0.0, f64::max);
        let off = found.iter().map(|&f| self.distance(f).abs()).fold(0.0, f64::max);
        let claim = format!(
            "Fig. {} {}: largest distance of {} yielding forces from the surface by the largest force",
            self.figure,
            self.name,
            found.len()
        );
        Claim::near(claim, 0.0, off / largest, TOLERANCE)
    }

    fn draw(&self, setting: &Setting, found: &[(f64, f64)]) -> Result<()> {
        let name = format!("figure-{}", self.figure);
        setting.table(
            &name,
            &["normal", "tangential", "distance"],
            found.iter().map(|&f| vec![f.0, f.1, self.distance(f)]),
        )?;
        let most = found.iter().map(|f| f.0.max(f.1)).fold(1.0, f64::max);
        // small crosses, apart from each other
        let arm = 0.008 * most;
        let gap = (f64::NAN, f64::NAN);
        let cross = |&(n, t): &(f64, f64)| [(n - arm, t), (n + arm, t), gap, (n, t - arm), (n, t + arm), gap];
        let plot = Plot {
            title: format!("Tasora 2013, Fig. {}: {}", self.figure, self.name),
            x: "normal force [N]".into(),
            y: "tangential force [N]".into(),
            series: vec![
                Series { label: "closed form".into(), points: self.outline(most) },
                Series { label: "measured".into(), points: found.iter().flat_map(cross).collect() },
            ],
            ..Plot::default()
        };
        setting.figure(&name, &plot)
    }

    /// The surface as a curve: from every point of the axis up to where the distance changes its sign.
    fn outline(&self, most: f64) -> Vec<(f64, f64)> {
        let (low, high) = match self.surface {
            Surface::Cone => (0.0, most),
            Surface::Cohesive { cohesion } | Surface::Rounded { cohesion } => (-cohesion, most),
            Surface::Capped { cohesion, cap } => (-cohesion, cap),
        };
        let height = |normal: f64| {
            let (mut inside, mut outside) = (0.0, 2.0 * most + COHESION);
            for _ in 0..50 {
                let middle = 0.5 * (inside + outside);
                if self.distance((normal, middle)) > 0.0 { outside = middle } else { inside = middle }
            }
            inside
        };
        let mut curve: Vec<(f64, f64)> =
            (0..=ROWS).map(|k| low + (high - low) * k as f64 / ROWS as f64).map(|n| (n, height(n))).collect();
        if matches!(self.surface, Surface::Capped { .. }) {
            curve.push((high, 0.0));
        }
        curve
    }
}
