//! Regions to fill with grains, and walls to hold them.

use super::{Grain, PackingError, ball_volume, positive};
use crate::bodies::Body;
use crate::rigid::Rigid;
use std::f64::consts::{FRAC_PI_2, PI};
use stickslip_geometry::shape::{Bounds, HalfSpace, HollowBall, HollowCylinder, Shape};
use stickslip_geometry::space::{Dim, Pose, Space, Vector, axis};

/// A convex part of the plane or of space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region<const D: usize> {
    /// A rectangle or a box.
    Box(Bounds<D>),
    /// A disk or the inside of a sphere.
    Ball {
        /// its centre
        centre: Vector<D>,
        /// its radius
        radius: f64,
    },
    /// An upright cylinder, along the last axis; in the plane a rectangle.
    Cylinder {
        /// the middle of its floor
        base: Vector<D>,
        /// its radius
        radius: f64,
        /// its height
        height: f64,
    },
}

impl<const D: usize> Region<D>
where
    Dim<D>: Rigid<D>,
{
    /// Refuses a region without an inside.
    pub fn validate(&self) -> Result<(), PackingError> {
        match self {
            Region::Box(bounds) => {
                (bounds.high - bounds.low).iter().try_for_each(|&edge| positive("edge of the box", edge))
            }
            Region::Ball { radius, .. } => positive("radius of the region", *radius),
            Region::Cylinder { radius, height, .. } => positive("radius of the cylinder", *radius)
                .and_then(|()| positive("height of the cylinder", *height)),
        }
    }

    /// Says how far a packing got that does not fit.
    pub(super) fn full(&self, grains: &[Grain<D>], wanted: usize) -> PackingError {
        let fraction = grains.iter().map(Grain::volume).sum::<f64>() / self.volume();
        PackingError::Full { placed: grains.len(), wanted, fraction }
    }

    /// Area or volume.
    pub fn volume(&self) -> f64 {
        match self {
            Region::Box(bounds) => (bounds.high - bounds.low).product(),
            Region::Ball { radius, .. } => ball_volume::<D>(*radius),
            Region::Cylinder { radius, height, .. } if D == 2 => 2.0 * radius * height,
            Region::Cylinder { radius, height, .. } => PI * radius * radius * height,
        }
    }

    /// The box around it.
    pub fn bounds(&self) -> Bounds<D> {
        match self {
            Region::Box(bounds) => *bounds,
            Region::Ball { centre, radius } => Bounds::around(centre, &Vector::repeat(*radius)),
            Region::Cylinder { base, radius, height } => {
                let mut bounds = Bounds::around(base, &Vector::repeat(*radius));
                bounds.low[D - 1] = base[D - 1];
                bounds.high[D - 1] = base[D - 1] + height;
                bounds
            }
        }
    }

    /// Whether a ball lies inside.
    pub fn holds(&self, x: &Vector<D>, radius: f64) -> bool {
        let around = match self {
            Region::Box(_) => true,
            Region::Ball { centre, radius: inside } => (x - centre).norm() <= inside - radius,
            Region::Cylinder { base, radius: inside, .. } => {
                let mut off = x - base;
                off[D - 1] = 0.0;
                off.norm() <= inside - radius
            }
        };
        around && self.bounds().contains(&Bounds::around(x, &Vector::repeat(radius)))
    }

    /// The same region, open to the top: a shaft without a ceiling. A ball stays what it is.
    pub(super) fn open(&self) -> Self {
        let mut open = *self;
        match &mut open {
            Region::Box(bounds) => bounds.high[D - 1] = f64::INFINITY,
            Region::Ball { .. } => {}
            Region::Cylinder { height, .. } => *height = f64::INFINITY,
        }
        open
    }

    /// Fixed bodies that hold what is inside: planes, or a tube, or a round hole; with a lid on top or without.
    pub fn walls(&self, lid: bool) -> Vec<Body<D>> {
        let Bounds { low, high } = self.bounds();
        let floor = plane(low, axis(D - 1));
        let lid = lid.then(|| plane(high, -axis(D - 1)));
        match self {
            Region::Ball { centre, radius } => {
                vec![Body::fixed(Shape::HollowBall(HollowBall { radius: *radius }), Pose::at(*centre))]
            }
            Region::Cylinder { base, radius, .. } if D == 3 => {
                let tube = Shape::HollowCylinder(HollowCylinder { radius: *radius });
                [floor, Body::fixed(tube, Pose::at(*base))].into_iter().chain(lid).collect()
            }
            Region::Box(_) | Region::Cylinder { .. } => {
                let sides = (0..D - 1).flat_map(|k| [plane(low, axis(k)), plane(high, -axis(k))]);
                std::iter::once(floor).chain(sides).chain(lid).collect()
            }
        }
    }
}

/// A plane through a point that keeps things on the side of its normal, which is along an axis.
fn plane<const D: usize>(x: Vector<D>, normal: Vector<D>) -> Body<D>
where
    Dim<D>: Rigid<D>,
{
    let up = axis::<D>(D - 1);
    let (towards, angle) = match normal[D - 1] {
        1.0 => (up, 0.0),
        -1.0 => (axis(0), PI),
        _ => (normal, FRAC_PI_2),
    };
    let rotation = Dim::<D>::turn(&Dim::<D>::identity(), &Dim::<D>::torque(&up, &towards), angle);
    Body::fixed(Shape::HalfSpace(HalfSpace), Pose { x, rotation })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walls_are_where_the_region_ends<const D: usize>(region: Region<D>)
    where
        Dim<D>: Rigid<D>,
    {
        let mut random = crate::packings::Random::new(1);
        let (bounds, radius) = (region.bounds().grown(0.3), 0.2);
        let mut inside = 0;
        for _ in 0..2000 {
            let x = Vector::from_fn(|k, _| random.between(bounds.low[k], bounds.high[k]));
            let ball = crate::packings::Grain { x, radius }.ball();
            let mut points = Vec::new();
            for wall in region.walls(true) {
                let (ball, wall) = ((&ball.shape, &ball.pose), (&wall.shape, &wall.pose));
                stickslip_geometry::pair::contacts(ball, wall, 0.0, &mut points);
            }
            assert_eq!(region.holds(&x, radius), points.is_empty(), "{region:?} {x:?}");
            inside += usize::from(points.is_empty());
        }
        assert!(inside > 100 && inside < 1900);
    }

    #[test]
    fn walls_end_where_regions_end() {
        let bounds = Bounds { low: Vector::<3>::new(-1.0, 0.0, 2.0), high: Vector::<3>::new(1.0, 1.5, 3.0) };
        walls_are_where_the_region_ends(Region::Box(bounds));
        let base = Vector::<3>::new(0.5, -0.5, 1.0);
        walls_are_where_the_region_ends(Region::Cylinder { base, radius: 1.0, height: 2.0 });
        walls_are_where_the_region_ends(Region::Ball { centre: base, radius: 1.0 });
        let base = Vector::<2>::new(0.5, 1.0);
        walls_are_where_the_region_ends(Region::Cylinder { base, radius: 1.0, height: 2.0 });
        walls_are_where_the_region_ends(Region::Ball { centre: base, radius: 1.0 });
    }

    #[test]
    fn regions_without_an_inside_are_refused() {
        let flat = Bounds { low: Vector::<2>::zeros(), high: Vector::<2>::new(1.0, 0.0) };
        assert!(Region::Box(flat).validate().unwrap_err().to_string().contains("edge of the box = 0"));
        assert!(Region::Ball { centre: Vector::<3>::zeros(), radius: f64::NAN }.validate().is_err());
    }
}
