//! A smooth convex body and a cylinder: against an end, the round side or a rim, whatever parts them best.
//!
//! The end has a known normal; against the side it is square to the axis; the rim is that of a disk, a convex body with
//! h(n) = R |P n|, where P takes away the part along the axis.

use super::common_normal::Search;
use super::smooth::{Reach, RoundBody, Smooth};
use super::{Point, Vector};
use crate::shape::Cylinder;
use crate::space::{Dim, Matrix, Pose, Space};

/// The contact, from the body to the cylinder; none if they are plainly farther apart than the reach.
pub(super) fn contact<const D: usize>(
    body: &impl Smooth<D>,
    cylinder: &Cylinder,
    at: &Pose<D>,
    reach: f64,
) -> Option<Point<D>>
where
    Dim<D>: Space<D>,
{
    let axis = at.axis_to_world(D - 1);
    let (way, half, radius) = (at.x - body.centre(), cylinder.half_length, cylinder.radius);
    let far = body.outer_radius() + half.hypot(radius) + reach;
    if way.norm_squared() > far * far.max(0.0) {
        return None;
    }
    // how far a direction parts the shapes
    let width = |n: &Vector<D>| {
        let along = n.dot(&axis);
        way.dot(n) - body.reach(n).h - half * along.abs() - radius * (n - axis * along).norm()
    };
    let mut best: Option<Point<D>> = None;
    let mut offer = |normal: Vector<D>, a: Vector<D>| {
        let gap = width(&normal);
        if best.is_none_or(|best| gap > best.gap) {
            best = Some(Point { gap, normal, a, b: a + normal * gap, feature: 0 });
        }
    };

    let down = if way.dot(&axis) < 0.0 { -axis } else { axis };
    let end = body.centre() + body.reach(&down).s;
    offer(down, end);
    let tube = RoundBody { centre: at.x, radius };
    let side = Search::new(body, &tube, Some(axis)).nearest();
    offer(side.normal, side.a);
    // the end that looks at the body first
    for end in [-down, down] {
        let rim = Disk { centre: at.x + end * half, axis, radius, frame: [axis] };
        let common = Search::new(body, &rim, None).nearest();
        offer(common.normal, common.a);
    }
    best
}

/// A disk.
struct Disk<const D: usize> {
    centre: Vector<D>,
    axis: Vector<D>,
    radius: f64,
    frame: [Vector<D>; 1],
}

impl<const D: usize> Disk<D> {
    /// P n, and its length.
    fn across(&self, n: &Vector<D>) -> (Vector<D>, f64) {
        let across = n - self.axis * self.axis.dot(n);
        (across, across.norm())
    }
}

impl<const D: usize> Smooth<D> for Disk<D> {
    fn centre(&self) -> &Vector<D> {
        &self.centre
    }

    fn axes(&self) -> &[Vector<D>] {
        &self.frame
    }

    fn outer_radius(&self) -> f64 {
        self.radius
    }

    fn reach(&self, n: &Vector<D>) -> Reach<D> {
        let (across, length) = self.across(n);
        let s = if length > 0.0 { across * (self.radius / length) } else { Vector::zeros() };
        Reach { h: self.radius * length, s }
    }

    fn curvature(&self, n: &Vector<D>, _: &Reach<D>) -> Matrix<D> {
        let (across, length) = self.across(n);
        // along the axis the farthest point is anywhere on the rim
        let length = length.max(1e-9);
        let e = across / length;
        let P = Matrix::identity() - self.axis * self.axis.transpose();
        (P - e * e.transpose()) * (self.radius / length)
    }

    fn stretch(&self, reach: &Reach<D>) -> Matrix<D> {
        let P = Matrix::identity() - self.axis * self.axis.transpose();
        P * (self.radius * self.radius / reach.h.max(1e-9 * self.radius))
    }
}
