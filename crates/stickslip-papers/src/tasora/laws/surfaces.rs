//! The four yield surfaces of Figs 2 to 5: a heavy ball is pressed on the floor and then moved in all directions. Its force at
//! the end is that of a point that is pushed against the surface and slides along it, by the paper's flow, which keeps all that it
//! opens, and by our default, under which what slip opens under pressure closes again.

use super::border::Border;
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

/// Whether what slip opens under pressure stays open: by the paper's (26), and by our default.
const FLOWS: [bool; 2] = [true, false];

/// The force at the end of a way, normal and tangential, measured and by the closed form, under each of [`FLOWS`].
pub struct Found([[Vector<2>; 2]; 2]);

impl YieldSurface {
    /// Forces at the end of every way.
    pub fn probe(&self) -> Result<Vec<Found>> {
        let angle = |k: usize| std::f64::consts::PI * k as f64 / (DIRECTIONS - 1) as f64;
        let cases: Vec<(f64, f64)> =
            DEPTHS.iter().flat_map(|&depth| (0..DIRECTIONS).map(move |k| (depth, angle(k)))).collect();
        let find = |&(depth, angle): &(f64, f64)| {
            let start = Vector::<2>::new(STIFFNESS * depth, 0.0);
            let way = Vector::<2>::new(-angle.cos(), angle.sin()) * (STIFFNESS * FAR);
            let mut by_flow = [[Vector::<2>::zeros(); 2]; 2];
            for (found, keeps) in by_flow.iter_mut().zip(FLOWS) {
                *found = [self.move_along(depth, angle, keeps)?, self.border().push(start, way, keeps)];
            }
            Ok(Found(by_flow))
        };
        cases.par_iter().map(find).collect()
    }

    /// Presses a heavy ball, moves it by an angle from the normal, and gives the force.
    fn move_along(&self, depth: f64, angle: f64, keeps_opening: bool) -> Result<Vector<2>> {
        let interface = Interface {
            stiffness_n: STIFFNESS,
            stiffness_t: STIFFNESS,
            surface: self.surface,
            keeps_opening,
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
        Ok(Vector::<2>::new(found[1], -found[0]))
    }

    /// The border as the figures draw it: a cone, moved or rounded, and its cap.
    fn border(&self) -> Border {
        let far = 10.0 * STIFFNESS * FAR;
        let cone =
            |apex: f64, top: f64| [Vector::<2>::new(apex, 0.0), Vector::<2>::new(top, MU * (top - apex))];
        match self.surface {
            Surface::Cone => Border::new(&cone(0.0, far), 0.0),
            Surface::Cohesive { cohesion } => Border::new(&cone(-cohesion, far), 0.0),
            Surface::Rounded { cohesion } => Border::new(&cone(0.0, far), cohesion),
            Surface::Capped { cohesion, cap } => {
                let [apex, edge] = cone(0.0, cap - cohesion);
                Border::new(&[apex, edge, Vector::<2>::new(edge[0], 0.0)], cohesion)
            }
        }
    }

    pub fn claims(&self, found: &[Found]) -> [Claim; 2] {
        let off = |flow: usize| {
            let largest = found.iter().map(|Found(by)| by[flow][1].norm()).fold(0.0, fit::larger);
            found.iter().map(|Found(by)| (by[flow][0] - by[flow][1]).norm()).fold(0.0, fit::larger) / largest
        };
        let claim = |flow: usize, text: &str| {
            let (figure, name, count) = (self.figure, self.name, found.len());
            let text = format!(
                "Fig. {figure} {name}: largest distance of {count} forces from a closed form that {text}, by the largest"
            );
            Claim::near(text, 0.0, off(flow), TOLERANCE)
        };
        [claim(0, "keeps all associated flow"), claim(1, "keeps flow by pulls and crushing alone").ours()]
    }

    pub fn draw(&self, setting: &Setting, found: &[Found]) -> Result<()> {
        let name = format!("figure-{}", self.figure);
        let columns = ["kept", "kept_closed_form", "closing", "closing_closed_form"];
        let columns = columns.map(|column| [format!("{column}_normal"), format!("{column}_tangential")]);
        setting.table(
            &name,
            &columns.as_flattened().iter().map(String::as_str).collect::<Vec<&str>>(),
            found.iter().map(|Found(by)| by.as_flattened().iter().flat_map(|x| [x[0], x[1]]).collect()),
        )?;
        let most = found.iter().flat_map(|Found(by)| by.map(|of| of[0].max())).fold(1.0, fit::larger);
        // small crosses, apart from each other
        let arm = 0.008 * most;
        let gap = (f64::NAN, f64::NAN);
        let cross = |force: &Vector<2>| {
            let (n, t) = (force[0], force[1]);
            [(n - arm, t), (n + arm, t), gap, (n, t - arm), (n, t + arm), gap]
        };
        let measured = |flow: usize, label: &str| Series {
            label: label.into(),
            points: found.iter().flat_map(|Found(by)| cross(&by[flow][0])).collect(),
        };
        let outline = self.border().points(ROWS).into_iter().filter(|x| x[0] <= most);
        let plot = Plot {
            title: format!("Tasora 2013, Fig. {}: {}", self.figure, self.name),
            x: "normal force [N]".into(),
            y: "tangential force [N]".into(),
            series: vec![
                Series { label: "yield surface".into(), points: outline.map(|x| (x[0], x[1])).collect() },
                measured(0, "all flow kept"),
                measured(1, "what slip opens closes"),
            ],
            ..Plot::default()
        };
        setting.figure(&name, &plot)
    }
}
