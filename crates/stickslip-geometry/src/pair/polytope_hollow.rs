//! A polygon or polyhedron in a round hole: it touches with its vertices, as the farthest point of a face is a corner.

use super::{Point, reduce::spread, solid::Solid, wall::Wall};
use crate::space::{Dim, Space};

/// Appends the contacts, from the solid to the wall, both seen from one origin; the feature is the vertex.
pub(super) fn contacts<const D: usize>(solid: &Solid<D>, wall: &Wall<D>, reach: f64, out: &mut Vec<Point<D>>)
where
    Dim<D>: Space<D>,
{
    let first = out.len();
    let all = solid.vertices.iter().enumerate().map(|(k, v)| wall.touch(v, 0.0, k as u32));
    out.extend(all.filter(|point| point.gap <= reach));
    spread(out, first, solid.size);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Cuboid, HollowBall};
    use crate::space::{Pose, Vector};

    #[test]
    fn a_box_in_a_drum_stands_on_two_corners() {
        let cuboid = Cuboid::new(Vector::<2>::new(3.0, 1.0));
        let solid = Solid::cuboid(&cuboid, &Pose::at(Vector::<2>::new(0.0, -3.0)), &Vector::zeros());
        let wall = Wall::round(&HollowBall { radius: 5.0 }, &Pose::identity());
        let mut out = Vec::new();
        contacts(&solid, &wall, 0.1, &mut out);
        assert_eq!(out.len(), 2);
        for (p, x) in out.iter().zip([-3.0, 3.0]) {
            assert!(p.gap.abs() < 1e-15 && (p.normal - Vector::<2>::new(x, -4.0) / 5.0).norm() < 1e-15);
        }
    }
}
