//! The four yield surfaces of Figs 2 to 5: a heavy ball is pressed on the floor and then moved in all directions; where it
//! flows, its force lies on the surface.

use super::{CAP, COHESION, MU, ROWS, STIFFNESS, TOLERANCE, on_floor};
use crate::{Claim, Result, Setting, fit};
use rayon::prelude::*;
use stickslip::contacts::{Interface, Surface};
use stickslip_geometry::space::Vector;
use stickslip_pictures::plots::{Plot, Series};

/// A yield surface of Figs 2 to 5.
pub struct YieldSurface {
    figure: &'static str,
    name: &'static str,
    surface: Surface,
}

pub const SURFACES: [YieldSurface; 4] = [
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
    pub fn probe(&self) -> Result<Vec<(f64, f64)>> {
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

    pub fn claim(&self, found: &[(f64, f64)]) -> Claim {
        let largest = found.iter().map(|f| f.0.hypot(f.1)).fold(0.0, fit::larger);
        let off = found.iter().map(|&f| self.distance(f).abs()).fold(0.0, fit::larger);
        let claim = format!(
            "Fig. {} {}: largest distance of {} yielding forces from the surface by the largest force",
            self.figure,
            self.name,
            found.len()
        );
        Claim::near(claim, 0.0, off / largest, TOLERANCE)
    }

    pub fn draw(&self, setting: &Setting, found: &[(f64, f64)]) -> Result<()> {
        let name = format!("figure-{}", self.figure);
        setting.table(
            &name,
            &["normal", "tangential", "distance"],
            found.iter().map(|&f| vec![f.0, f.1, self.distance(f)]),
        )?;
        let most = found.iter().map(|f| f.0.max(f.1)).fold(1.0, fit::larger);
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
