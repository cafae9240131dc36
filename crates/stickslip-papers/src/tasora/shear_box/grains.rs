//! Figs 12 and 13: how fast the grains move under the load, and whereto, up to shortly after the halves began to shift.

use crate::{Result, Setting, fit};
use stickslip::World;
use stickslip_geometry::shape::Shape;
use stickslip_geometry::space::Vector;
use stickslip_pictures::{By, Camera, Colouring, Frame, Style};

/// How long the halves have shifted by then.
const SHIFTED: f64 = 0.05;

/// Where grains were as the lid was let go, and how they moved since.
pub struct Grains {
    balls: Vec<usize>,
    begin: f64,
    start: Vec<Vector<3>>,
    /// Of the lower half, against the way of the upper one: the paper sees all from the lower half.
    speed: f64,
    moved: Option<Moved>,
}

/// Mean velocities of all bodies, and pictures of both figures.
struct Moved {
    v: Vec<Vector<3>>,
    frames: [Frame<3>; 2],
}

impl Grains {
    pub fn new(world: &World<3>, speed: f64) -> Self {
        let bodies = world.bodies();
        let is_ball = |b: &usize| matches!(bodies.shape[*b], Shape::Ball(_));
        let balls = (0..bodies.len()).filter(is_ball).collect();
        Grains { balls, begin: world.time(), start: bodies.x.clone(), speed, moved: None }
    }

    /// Takes all that is wanted once it is time.
    pub fn follow(&mut self, world: &World<3>, shift: f64) {
        if self.moved.is_some() || world.time() < shift + SHIFTED {
            return;
        }
        let x = &world.bodies().x;
        let time = world.time() - self.begin;
        let along = Vector::<3>::new(self.speed * (world.time() - shift), 0.0, 0.0);
        let v: Vec<Vector<3>> =
            x.iter().zip(&self.start).map(|(x, start)| (x - start + along) / time).collect();
        let down =
            |v: &Vector<3>| (-v[2] / v.norm().max(f64::MIN_POSITIVE)).clamp(-1.0, 1.0).acos().to_degrees();
        let of = |label: &str, values: Vec<f64>| {
            let by = By::Given { label: label.into(), values };
            let mut frame = Frame::of(world, &Colouring::from(by)).ok()?;
            frame.bodies.retain(|drawn| matches!(drawn.shape, Shape::Ball(_)));
            Some(frame)
        };
        let speeds = of("speed [mm/s]", v.iter().map(|v| 1e3 * v.norm()).collect());
        let ways = of("from straight down [degrees]", v.iter().map(down).collect());
        self.moved = speeds.zip(ways).map(|(speeds, ways)| Moved { v, frames: [speeds, ways] });
    }

    /// How fast the grains go down by how fast they go along the shift, root mean squares, and their mean velocity down.
    pub fn down(&self) -> Option<[f64; 2]> {
        let Moved { v, .. } = self.moved.as_ref()?;
        let mean = |of: fn(&Vector<3>) -> f64| fit::mean(self.balls.iter().map(|&b| of(&v[b])));
        Some([(mean(|v| v[2] * v[2]) / mean(|v| v[0] * v[0])).sqrt(), -mean(|v| v[2])])
    }

    /// Draws them from the side.
    pub fn draw(&self, setting: &Setting) -> Result<()> {
        let Some(moved) = &self.moved else { return Ok(()) };
        let titles = ["Fig. 12: speed of the grains", "Fig. 13: direction of the grains"];
        for ((frame, title), figure) in moved.frames.iter().zip(titles).zip([12, 13]) {
            let style = Style {
                size: (640, 560),
                camera: Camera { azimuth: -90.0, elevation: 4.0, ..Camera::default() },
                title: format!("Tasora 2013, {title}"),
                ..Style::default()
            };
            frame.draw(&style)?.save(&setting.folder.join(format!("figure-{figure}.png")))?;
        }
        let rows = self.balls.iter().map(|&b| {
            let (x, v) = (self.start[b], moved.v[b]);
            vec![x[0], x[1], x[2], v[0], v[1], v[2]]
        });
        setting.table("figure-12", &["x", "y", "z", "v_x", "v_y", "v_z"], rows)
    }
}
