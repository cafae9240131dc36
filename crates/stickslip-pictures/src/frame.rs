//! What one picture shows, taken from a world at one time.

use crate::colours::{By, Colouring, Scale};
use crate::error::PictureError;
use crate::picture::Picture;
use crate::style::Style;
use stickslip::World;
use stickslip::bodies::Bodies;
use stickslip::rigid::Rigid;
use stickslip_geometry::shape::Shape;
use stickslip_geometry::space::{Dim, Pose, Rotation, Space, Vector, axis};

/// Bodies, forces and colours at one time.
#[derive(Clone, Debug)]
pub struct Frame<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// The time.
    pub time: f64,
    /// Against gravity, or the last axis without any.
    pub up: Vector<D>,
    /// What is drawn.
    pub bodies: Vec<Drawn<D>>,
    /// Force chains: for each contact that pushes, the way from the centre of each free body to it.
    pub chains: Vec<Chain<D>>,
    /// The ends of rods and ropes.
    pub rods: Vec<[Vector<D>; 2]>,
    /// What the colours mean.
    pub scale: Scale,
}

/// A body as it is drawn.
#[derive(Clone, Debug)]
pub struct Drawn<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// Its shape.
    pub shape: Shape<D>,
    /// Where the shape is.
    pub pose: Pose<D>,
    /// What its colour shows; none for bodies that contacts do not move.
    pub value: Option<f64>,
}

/// One link of a force chain.
#[derive(Clone, Copy, Debug)]
pub struct Chain<const D: usize> {
    /// The centre of a body, and the contact.
    pub ends: [Vector<D>; 2],
    /// The normal force.
    pub force: f64,
}

/// What pictures of the plane and of space differ in.
pub trait Depict<const D: usize>: Rigid<D> {
    /// How far something has turned, in radians.
    fn angle(rotation: &Rotation<D>) -> f64
    where
        Dim<D>: Space<D>;
    /// Draws a frame.
    fn draw(frame: &Frame<D>, style: &Style<D>) -> Result<Picture, PictureError>
    where
        Dim<D>: Space<D>;
}

impl<const D: usize> Frame<D>
where
    Dim<D>: Depict<D>,
{
    /// Of a world as it is now. Where space repeats itself, bodies are drawn in the cell at the origin.
    pub fn of(world: &World<D>, colouring: &Colouring) -> Result<Self, PictureError> {
        let bodies = world.bodies();
        check(bodies)?;
        let way = |b: usize| -> Vector<D> {
            let cell = |k: usize, period: f64| -(bodies.x[b][k] / period).floor() * period;
            Vector::from_fn(|k, _| world.periods.0[k].map_or(0.0, |period| cell(k, period)))
        };
        let mut chains = Vec::new();
        for (contact, impulse) in world.contacts() {
            let force = contact.frame.column(0).dot(&impulse) / world.last_h();
            // driven and fixed bodies have no centre that would mean anything
            let free = contact.sides().into_iter().filter(|side| bodies.is_free(side.0 as usize));
            chains.extend(free.filter(|_| force > 0.0).map(|(body, _, arm)| {
                let centre = bodies.x[body as usize] + way(body as usize);
                Chain { ends: [centre, centre + arm], force }
            }));
        }
        let rods = world.distances().map(|(body, ends)| ends.map(|end| end + way(body.index())));
        let (values, scale) = values(world, colouring)?;
        let drawn = (0..bodies.len()).map(|b| {
            let pose = bodies.shape_pose(b);
            Drawn {
                shape: bodies.shape[b].clone(),
                pose: Pose { x: if bodies.is_free(b) { pose.x + way(b) } else { pose.x }, ..pose },
                value: bodies.is_free(b).then(|| values[b]),
            }
        });
        Ok(Frame {
            time: world.time(),
            up: (-world.gravity).try_normalize(0.0).unwrap_or_else(|| axis(D - 1)),
            bodies: drawn.collect(),
            chains,
            rods: rods.collect(),
            scale,
        })
    }

    /// The picture.
    pub fn draw(&self, style: &Style<D>) -> Result<Picture, PictureError> {
        style.validate()?;
        <Dim<D> as Depict<D>>::draw(self, style)
    }

    /// A force that only one in twenty links exceeds: what the widest lines stand for.
    pub(crate) fn strong(&self) -> f64 {
        quantile(self.chains.iter().map(|chain| chain.force), 0.95)
    }
}

/// Refuses bodies that are nowhere.
fn check<const D: usize>(bodies: &Bodies<D>) -> Result<(), PictureError>
where
    Dim<D>: Rigid<D>,
{
    let finite = |v: Vector<D>| v.iter().all(|x| x.is_finite());
    for b in 0..bodies.len() {
        let what = if !finite(bodies.x[b]) {
            "position"
        } else if !finite(bodies.pose(b).turn_to_world(&Vector::repeat(1.0))) {
            "orientation"
        } else {
            continue;
        };
        return Err(PictureError::NotFinite { body: bodies.name(b), what });
    }
    Ok(())
}

/// What the colours of all bodies show, and their meaning.
fn values<const D: usize>(world: &World<D>, colouring: &Colouring) -> Result<(Vec<f64>, Scale), PictureError>
where
    Dim<D>: Depict<D>,
{
    let bodies = world.bodies();
    let of_all = |value: &dyn Fn(usize) -> f64| (0..bodies.len()).map(value).collect::<Vec<f64>>();
    let mut groups = Vec::new();
    let half_turn = std::f64::consts::PI;
    let (label, values, range) = match &colouring.by {
        By::Plain => ("", vec![0.0; bodies.len()], Some([0.0, 1.0])),
        By::Speed => ("speed", of_all(&|b| bodies.v[b].norm()), None),
        By::Size => ("size", of_all(&|b| bodies.shape[b].bounds(&Pose::identity()).size()), None),
        By::Angle if D == 2 => {
            ("angle", of_all(&|b| Dim::<D>::angle(&bodies.rotation[b])), Some([-half_turn, half_turn]))
        }
        By::Angle => ("angle", of_all(&|b| Dim::<D>::angle(&bodies.rotation[b])), Some([0.0, half_turn])),
        By::Force => ("force", forces(world), None),
        By::Residual if world.steps() > 0 && !world.keep_residuals => return Err(PictureError::NoResiduals),
        By::Residual => ("residual", residuals(world), None),
        By::Name => {
            groups = names(bodies);
            let place = |b: usize| groups.iter().position(|name| *name == group(bodies, b)).unwrap_or(0);
            ("name", of_all(&|b| place(b) as f64), Some([0.0, 1.0]))
        }
        By::Given { label, values } if values.len() == bodies.len() => (label.as_str(), values.clone(), None),
        By::Given { label, values } => {
            let (label, found) = (label.clone(), values.len());
            return Err(PictureError::Values { label, found, bodies: bodies.len() });
        }
    };
    let free = || (0..bodies.len()).filter(|&b| bodies.is_free(b)).map(|b| values[b]);
    let from_zero = matches!(colouring.by, By::Speed | By::Force);
    let logarithmic = colouring.by == By::Residual;
    let mark = logarithmic.then(|| (world.stop.tolerance, "tolerance".into()));
    let range = colouring.range.or(range).unwrap_or_else(|| match &mark {
        Some((tolerance, _)) => decades_around(*tolerance, free()),
        None => automatic(free(), from_zero),
    });
    let map = colouring.shown_as::<D>();
    Ok((values, Scale { label: label.into(), map, range, groups, logarithmic, mark }))
}

/// The largest share of the contacts and joints of each body in the residual.
fn residuals<const D: usize>(world: &World<D>) -> Vec<f64>
where
    Dim<D>: Rigid<D>,
{
    let mut largest = vec![0.0; world.bodies().len()];
    for &((a, b), share) in world.residuals() {
        for body in [a, b] {
            largest[body.index()] = share.max(largest[body.index()]);
        }
    }
    largest
}

/// Whole powers of ten around values, with one on either side of a middle, and none far below it.
fn decades_around(middle: f64, values: impl Iterator<Item = f64>) -> [f64; 2] {
    let middle = if middle > 0.0 && middle.is_finite() { middle.log10() } else { -8.0 };
    let powers = values.map(f64::log10).filter(|power| power.is_finite());
    let [low, high] = powers.fold([middle; 2], |[low, high], power| [low.min(power), high.max(power)]);
    let low = low.floor().max(middle.floor() - 6.0).min(middle.ceil() - 1.0);
    [low, high.ceil().max(middle.floor() + 1.0)].map(|power| 10f64.powf(power))
}

/// The sum of the normal forces on each body.
fn forces<const D: usize>(world: &World<D>) -> Vec<f64>
where
    Dim<D>: Rigid<D>,
{
    let mut forces = vec![0.0; world.bodies().len()];
    for (contact, impulse) in world.contacts() {
        for (body, ..) in contact.sides() {
            forces[body as usize] += contact.frame.column(0).dot(&impulse).max(0.0) / world.last_h();
        }
    }
    forces
}

/// The group of a body: its name without digits at the end, or its kind.
fn group<const D: usize>(bodies: &Bodies<D>, b: usize) -> String
where
    Dim<D>: Rigid<D>,
{
    let name = bodies.name(b);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || "-_ #.".contains(c));
    if stem.is_empty() { bodies.shape[b].name().into() } else { stem.into() }
}

/// The groups of free bodies, in the order of their first body.
fn names<const D: usize>(bodies: &Bodies<D>) -> Vec<String>
where
    Dim<D>: Rigid<D>,
{
    let mut names: Vec<String> = Vec::new();
    for b in (0..bodies.len()).filter(|&b| bodies.is_free(b)) {
        let name = group(bodies, b);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The range of values; of those that start from zero, a few large ones are left beyond the end.
fn automatic(values: impl Iterator<Item = f64> + Clone, from_zero: bool) -> [f64; 2] {
    if from_zero {
        return [0.0, quantile(values, 0.98)];
    }
    let finite = values.filter(|x| x.is_finite());
    let [low, high] = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)]);
    if low <= high { [low, high] } else { [0.0, 0.0] }
}

/// The value that a share of all finite ones does not exceed; 0 of none.
fn quantile(values: impl Iterator<Item = f64>, share: f64) -> f64 {
    let mut sorted: Vec<f64> = values.filter(|x| x.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let place = (share * sorted.len().saturating_sub(1) as f64).ceil() as usize;
    sorted.get(place).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip::Body;
    use stickslip_geometry::shape::Ball;

    #[test]
    fn a_body_that_is_nowhere_is_refused_by_name() {
        let mut world = World::<2>::default();
        let ball = Shape::Ball(Ball { radius: 1.0 });
        world.add(Body { name: Some("lost".into()), ..Body::new(ball, Pose::identity()) }).unwrap();
        let mut bodies = world.bodies().clone();
        assert!(check(&bodies).is_ok());
        bodies.x[0][1] = f64::NAN;
        let error = check(&bodies).unwrap_err().to_string();
        assert!(error.contains("body lost: its position is not finite"), "{error}");
    }

    #[test]
    fn a_few_large_values_do_not_set_the_range() {
        let values = (0..100).map(|k| if k == 50 { 1e6 } else { f64::from(k) });
        assert_eq!(automatic(values.clone(), true), [0.0, 99.0]);
        assert_eq!(automatic(values, false), [0.0, 1e6]);
        assert_eq!(automatic([f64::NAN].into_iter(), false), [0.0, 0.0]);
    }

    #[test]
    fn residuals_are_shown_by_whole_decades_with_the_tolerance_inside() {
        let near =
            |values: &[f64]| decades_around(1e-6, values.iter().copied()).map(f64::log10).map(f64::round);
        assert_eq!(near(&[]), [-7.0, -5.0]);
        assert_eq!(near(&[3e-9, 2e-7]), [-9.0, -5.0]);
        assert_eq!(near(&[0.0, 1e-30, f64::NAN, 2e-3]), [-12.0, -2.0]);
        assert_eq!(decades_around(0.0, [].into_iter()), decades_around(1e-8, [].into_iter()));
    }
}
