//! A ball and a mesh: every point of the surface that is closer to the centre than all the surface around it.

use super::{Point, feature_of_part, merge};
use crate::shape::{Ball, Mesh, Shape, cross};
use crate::space::{Dim, Pose, Space, Vector};

/// The contacts, from the ball to the mesh.
pub fn contacts<const D: usize>(
    ball: &Ball,
    at: &Pose<D>,
    mesh: &Mesh<D>,
    at_mesh: &Pose<D>,
    reach: f64,
    out: &mut Vec<Point<D>>,
) where
    Dim<D>: Space<D>,
{
    let first = out.len();
    let centre = at_mesh.to_local(&at.x);
    let near = mesh.near(&Shape::Ball(*ball).bounds(&Pose::at(centre)).grown(reach));
    // the corners seen from the centre, and the closest points
    let corners: Vec<[Vector<D>; D]> =
        near.iter().map(|&f| mesh.corners(f as usize).map(|x| x - centre)).collect();
    let feet: Vec<Vector<D>> = corners.iter().map(closest).collect();
    let tolerance = 1e-9 * ball.radius;
    for (k, foot) in feet.iter().enumerate() {
        let facet = near[k] as usize;
        let normal = mesh.normals()[facet];
        let height = -corners[k][0].dot(&normal);
        let distance = foot.norm();
        let over = (foot + normal * height).norm() <= tolerance;
        let (gap, outward) = if over && height.abs() <= ball.radius.max(reach) {
            // over the inside of the facet its normal is exact; a centre behind it by less than the radius is sunk in
            (height - ball.radius, normal)
        } else if height > 0.0 && distance > 0.0 {
            (distance - ball.radius, -foot / distance)
        } else {
            continue;
        };
        // a foot on the edge of a facet counts only if no facet there comes closer
        let closer = |j: usize| {
            feet[j].norm() < distance - 1e-3 * tolerance
                && (closest_to(&corners[j], foot) - foot).norm() <= tolerance
        };
        if gap > reach || (0..feet.len()).any(closer) {
            continue;
        }
        let outward = at_mesh.turn_to_world(&outward);
        let a = at.x - outward * ball.radius;
        let feature = feature_of_part(0, facet as u32);
        out.push(Point { gap, normal: -outward, a, b: a - outward * gap, feature });
    }
    merge(out, first, 1e-7 * ball.radius);
}

/// Point of a facet closest to the origin.
fn closest<const D: usize>(corners: &[Vector<D>; D]) -> Vector<D> {
    let on_side = |p: &Vector<D>, q: &Vector<D>| {
        let way = q - p;
        p + way * (-p.dot(&way) / way.norm_squared()).clamp(0.0, 1.0)
    };
    if D == 2 {
        return on_side(&corners[0], &corners[1]);
    }
    let normal = cross(&(corners[1] - corners[0]), &(corners[D - 1] - corners[0])).normalize();
    let sides = [(0, 1), (1, D - 1), (D - 1, 0)].map(|(i, j)| (&corners[i], &corners[j]));
    if sides.iter().all(|(p, q)| cross(&(*q - *p), &normal).dot(p) >= 0.0) {
        return normal * corners[0].dot(&normal);
    }
    let feet = sides.map(|(p, q)| on_side(p, q));
    let [a, b, c] = feet;
    [b, c].into_iter().fold(a, |best, x| if x.norm_squared() < best.norm_squared() { x } else { best })
}

/// Point of a facet closest to a point.
pub fn closest_to<const D: usize>(corners: &[Vector<D>; D], x: &Vector<D>) -> Vector<D> {
    closest(&corners.map(|c| c - x)) + x
}
