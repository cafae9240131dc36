//! A disk or sphere and a polygon or polyhedron: the point of the solid closest to the centre.

use super::Point;
use super::closest::is_over;
use super::solid::Solid;
use crate::shape::Ball;
use crate::space::{Dim, Space, Vector};

/// The contact, from the ball at x to the solid, which is seen from x.
pub fn contact<const D: usize>(ball: &Ball, x: &Vector<D>, solid: &Solid<D>) -> Point<D>
where
    Dim<D>: Space<D>,
{
    let (distance, outward) = nearest(&Vector::zeros(), solid);
    let gap = distance - ball.radius;
    let a = x - outward * ball.radius;
    Point { gap, normal: -outward, a, b: a - outward * gap, feature: 0 }
}

/// Signed distance of a point from a solid, and the unit vector from the solid to it.
pub(super) fn nearest<const D: usize>(x: &Vector<D>, solid: &Solid<D>) -> (f64, Vector<D>)
where
    Dim<D>: Space<D>,
{
    let (mut face, mut height) = (0, f64::NEG_INFINITY);
    for f in 0..solid.normals.len() {
        let h = solid.height(f, x);
        if h > height {
            (face, height) = (f, h);
        }
    }
    // inside, the way out is through the nearest face
    let (mut distance, mut outward) = (height, solid.normals[face]);
    if height > 0.0 {
        distance = f64::INFINITY;
        for f in 0..solid.normals.len() {
            let h = solid.height(f, x);
            if h <= 0.0 {
                continue;
            }
            if is_over(x, solid, f) {
                if h < distance {
                    (distance, outward) = (h, solid.normals[f]);
                }
                continue;
            }
            // over no face of those it sees, it is closest to a side of one
            let corners = &solid.topology.faces[f].corners;
            for k in 0..corners.len() {
                let (p, q) = (solid.vertex(corners[k]), solid.vertex(corners[(k + 1) % corners.len()]));
                let t = ((x - p).dot(&(q - p)) / (q - p).norm_squared()).clamp(0.0, 1.0);
                let way = p - x + (q - p) * t;
                let far = way.norm();
                if far < distance {
                    (distance, outward) = (far, -way / far);
                }
            }
        }
    }
    (distance, outward)
}
