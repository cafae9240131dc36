//! What a picture shows if it is not told: all bodies, and what holds them.

use crate::frame::{Drawn, Frame};
use stickslip_geometry::shape::{Bounds, Shape};
use stickslip_geometry::space::{Dim, Space, Vector};

/// Fixed bodies larger than what moves by more than this are ground, which need not be seen whole.
const GROUND: f64 = 3.0;

impl<const D: usize> Frame<D>
where
    Dim<D>: Space<D>,
{
    /// The box around what there is to see.
    pub fn bounds(&self) -> Bounds<D> {
        let boxes = self.boxes();
        boxes[1..].iter().fold(boxes[0], |all, next| all.around_both(next))
    }

    /// Boxes around all that there is to see, at least one.
    pub(crate) fn boxes(&self) -> Vec<Bounds<D>> {
        let finite = |free: bool| -> Vec<Bounds<D>> {
            let bodies = self.bodies.iter().filter(|body| body.value.is_some() == free);
            bodies.map(|body| body.shape.bounds(&body.pose)).filter(Bounds::is_finite).collect()
        };
        let all = |boxes: &[Bounds<D>]| boxes.iter().copied().reduce(|a, b| a.around_both(&b));
        let (mut boxes, fixed) = (finite(true), finite(false));
        match all(&boxes) {
            Some(free) => {
                let near = free.grown(GROUND * free.size());
                boxes.extend(fixed.into_iter().filter(|bounds| near.contains(bounds)));
            }
            None => boxes = fixed,
        }
        let inner = all(&boxes).unwrap_or(Bounds { low: Vector::zeros(), high: Vector::zeros() });
        boxes.extend(self.bodies.iter().filter_map(|body| holding(&inner, body)));
        // of nothing, a unit
        if all(&boxes).is_none_or(|bounds| bounds.size() <= 0.0) {
            boxes.push(inner.grown(1.0));
        }
        boxes
    }
}

/// What is to be seen of a shape without end that holds what is in a box.
fn holding<const D: usize>(bounds: &Bounds<D>, body: &Drawn<D>) -> Option<Bounds<D>>
where
    Dim<D>: Space<D>,
{
    let centre = (bounds.low + bounds.high) * 0.5;
    let local = body.pose.to_local(&centre);
    let last = D - 1;
    match &body.shape {
        Shape::HalfSpace(_) => {
            // the point of the plane below the middle, if it is not far away
            let foot = centre - body.pose.axis_to_world(last) * local[last];
            let near = bounds.grown(GROUND * bounds.size());
            let foot = Bounds { low: foot, high: foot };
            near.contains(&foot).then_some(foot)
        }
        Shape::HollowBall(hollow) => {
            Some(Bounds::around(&body.pose.x, &Vector::repeat(1.05 * hollow.radius)))
        }
        Shape::HollowCylinder(hollow) => {
            let axis = body.pose.axis_to_world(last);
            let middle = body.pose.x + axis * local[last];
            let half = axis.map(|a| hollow.radius * (1.0 - a * a).max(0.0).sqrt());
            Some(Bounds::around(&middle, &half))
        }
        _ => None,
    }
}
