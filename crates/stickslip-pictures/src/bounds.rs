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
        let all = |pick: &dyn Fn(&Drawn<D>) -> bool| {
            let boxes = self.bodies.iter().filter(|&b| pick(b)).map(|b| b.shape.bounds(&b.pose));
            boxes.filter(Bounds::is_finite).reduce(|a, b| a.around_both(&b))
        };
        let free = all(&|body| body.value.is_some());
        let fixed = all(&|body| body.value.is_none());
        let bounds = match (free, fixed) {
            (Some(free), _) => {
                let near = free.grown(GROUND * free.size());
                let small = |b: &Drawn<D>| b.value.is_none() && near.contains(&b.shape.bounds(&b.pose));
                all(&small).map_or(free, |fixed| free.around_both(&fixed))
            }
            (None, Some(fixed)) => fixed,
            (None, None) => Bounds::around(&Vector::zeros(), &Vector::repeat(1e-9)),
        };
        let bounds = self.bodies.iter().fold(bounds, |bounds, body| holding(bounds, body));
        // of nothing, a unit
        if bounds.size() > 1e-8 { bounds } else { bounds.grown(1.0) }
    }
}

/// Widened by a shape without end that holds what is in a box.
fn holding<const D: usize>(bounds: Bounds<D>, body: &Drawn<D>) -> Bounds<D>
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
            if near.contains(&foot) { bounds.around_both(&foot) } else { bounds }
        }
        Shape::HollowBall(hollow) => {
            bounds.around_both(&Bounds::around(&body.pose.x, &Vector::repeat(1.05 * hollow.radius)))
        }
        Shape::HollowCylinder(hollow) => {
            let axis = body.pose.axis_to_world(last);
            let middle = body.pose.x + axis * local[last];
            let half = axis.map(|a| hollow.radius * (1.0 - a * a).max(0.0).sqrt());
            bounds.around_both(&Bounds::around(&middle, &half))
        }
        _ => bounds,
    }
}
