//! Surfaces of shapes as spheres and triangles.

use nalgebra::Vector3;
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use stickslip_geometry::shape::Shape;
use stickslip_geometry::space::{Pose, Vector, axis};

/// What a shape is drawn by, in the axes of the world.
#[derive(Debug, Default)]
pub struct Surface {
    pub spheres: Vec<Round>,
    /// Corners and the normals there.
    pub triangles: Vec<[(Vector3<f64>, Vector3<f64>); 3]>,
}

/// A sphere.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    pub centre: Vector3<f64>,
    pub radius: f64,
    /// Axes of two great circles that show how it is turned.
    pub seams: Option<[Vector3<f64>; 2]>,
}

impl Surface {
    /// Adds a shape at a pose, made smaller by a factor, as round as `segments` around it allow. Shapes without end
    /// have no surface here.
    pub fn add(&mut self, shape: &Shape<3>, pose: &Pose<3>, shrink: f64, segments: usize) {
        let mut part = Part { surface: self, pose: *pose, shrink };
        match shape {
            Shape::Ball(ball) => {
                let seams = Some([0, 1].map(|k| pose.axis_to_world(k)));
                part.surface.spheres.push(Round { centre: pose.x, radius: ball.radius * shrink, seams });
            }
            Shape::Ellipsoid(_) | Shape::Superellipsoid(_) => part.by_support(shape, segments),
            Shape::Capsule(capsule) => {
                // its round ends are exact
                for end in [-capsule.half_length, capsule.half_length] {
                    let centre = pose.to_world(&(axis::<3>(0) * end * shrink));
                    let radius = capsule.radius * shrink;
                    part.surface.spheres.push(Round { centre, radius, seams: None });
                }
                part.tube(0, capsule.half_length, capsule.radius, segments);
            }
            Shape::Segment(segment) => {
                part.tube(0, segment.half_length, 0.01 * segment.half_length, segments);
            }
            Shape::Cylinder(cylinder) => {
                part.tube(2, cylinder.half_length, cylinder.radius, segments);
                part.lids(2, cylinder.half_length, cylinder.radius, segments);
            }
            Shape::Cuboid(cuboid) => {
                for face in BOX {
                    part.face(&face.map(|k| cuboid.vertex(k)));
                }
            }
            Shape::Polytope(polytope) => {
                for face in &polytope.topology().faces {
                    let corners = face.corners.iter().map(|&k| polytope.vertices()[k as usize]);
                    part.face(&corners.collect::<Vec<_>>());
                }
            }
            Shape::Mesh(mesh) => (0..mesh.facets().len()).for_each(|facet| part.face(&mesh.corners(facet))),
            Shape::Compound(compound) => {
                for (at, shape) in &compound.parts {
                    let at = Pose { x: at.x * shrink, ..*at };
                    self.add(shape, &pose.of_part(&at), shrink, segments);
                }
            }
            Shape::HalfSpace(_) | Shape::HollowBall(_) | Shape::HollowCylinder(_) => {}
        }
    }

    /// A rod between two points.
    pub fn rod(&mut self, [a, b]: [Vector3<f64>; 2], radius: f64) {
        let way = b - a;
        let Some(along) = way.try_normalize(1e-300) else { return };
        let rotation = nalgebra::UnitQuaternion::rotation_between(&Vector3::x(), &along)
            .unwrap_or_else(|| nalgebra::UnitQuaternion::from_scaled_axis(Vector3::z() * PI));
        let mut part = Part { surface: self, pose: Pose { x: (a + b) * 0.5, rotation }, shrink: 1.0 };
        part.tube(0, 0.5 * way.norm(), radius, 10);
        self.spheres.extend([a, b].map(|centre| Round { centre, radius, seams: None }));
    }
}

/// Corners of the faces of a box, counterclockwise seen from outside; the bits of a corner are its sides.
const BOX: [[usize; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

/// One shape in the making.
struct Part<'a> {
    surface: &'a mut Surface,
    pose: Pose<3>,
    shrink: f64,
}

impl Part<'_> {
    fn triangle(&mut self, corners: [(Vector<3>, Vector<3>); 3]) {
        let placed = corners
            .map(|(x, normal)| (self.pose.to_world(&(x * self.shrink)), self.pose.turn_to_world(&normal)));
        self.surface.triangles.push(placed);
    }

    fn quad(&mut self, [a, b, c, d]: [(Vector<3>, Vector<3>); 4]) {
        self.triangle([a, b, c]);
        self.triangle([a, c, d]);
    }

    /// A flat convex face.
    fn face(&mut self, corners: &[Vector<3>]) {
        let [a, b, c] = [corners[0], corners[1], corners[2]];
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(|| axis(2));
        for k in 1..corners.len() - 1 {
            self.triangle([a, corners[k], corners[k + 1]].map(|x| (x, normal)));
        }
    }

    /// The side of a cylinder about an axis.
    fn tube(&mut self, along: usize, half: f64, radius: f64, segments: usize) {
        for k in 0..segments {
            let [n0, n1] = [k, k + 1].map(|k| around(along, k, segments));
            let at = |n: Vector<3>, end: f64| (n * radius + axis::<3>(along) * (end * half), n);
            self.quad([at(n0, -1.0), at(n1, -1.0), at(n1, 1.0), at(n0, 1.0)]);
        }
    }

    fn lids(&mut self, along: usize, half: f64, radius: f64, segments: usize) {
        for end in [-1.0, 1.0] {
            let normal = axis::<3>(along) * end;
            for k in 0..segments {
                let ends = if end > 0.0 { [k, k + 1] } else { [k + 1, k] };
                let [a, b] = ends.map(|k| around(along, k, segments) * radius + normal * half);
                self.triangle([normal * half, a, b].map(|x| (x, normal)));
            }
        }
    }

    /// A smooth convex body: the farthest point in each direction has that direction as its normal.
    fn by_support(&mut self, shape: &Shape<3>, segments: usize) {
        let rows = segments / 2;
        let point = |row: usize, column: usize| {
            let latitude = PI * row as f64 / rows as f64 - FRAC_PI_2;
            let longitude = TAU * (column % segments) as f64 / segments as f64;
            let normal = Vector::<3>::new(
                latitude.cos() * longitude.cos(),
                latitude.cos() * longitude.sin(),
                latitude.sin(),
            );
            (shape.support(&normal).unwrap_or_else(Vector::zeros), normal)
        };
        for row in 0..rows {
            for column in 0..segments {
                let next = column + 1;
                self.quad([
                    point(row, column),
                    point(row, next),
                    point(row + 1, next),
                    point(row + 1, column),
                ]);
            }
        }
    }
}

/// The k-th of n directions around an axis.
fn around(along: usize, k: usize, n: usize) -> Vector<3> {
    let angle = TAU * (k % n) as f64 / n as f64;
    axis::<3>((along + 1) % 3) * angle.cos() + axis::<3>((along + 2) % 3) * angle.sin()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_geometry::shape::{Cuboid, Cylinder, Ellipsoid, Superellipsoid};

    /// The volume inside, by the divergence of x / 3: negative if the faces look inwards.
    fn volume(shape: &Shape<3>) -> f64 {
        let mut surface = Surface::default();
        surface.add(
            shape,
            &Pose::<3>::turned(Vector3::new(0.3, 0.0, -1.0), Vector3::new(0.4, 1.0, 0.2)),
            1.0,
            96,
        );
        surface.triangles.iter().map(|[a, b, c]| a.0.dot(&b.0.cross(&c.0)) / 6.0).sum()
    }

    #[test]
    fn surfaces_hold_the_volume_of_their_shapes() {
        let radii = Vector::<3>::new(0.5, 0.8, 1.1);
        let shapes = [
            Shape::Ellipsoid(Ellipsoid { radii }),
            Shape::Superellipsoid(Superellipsoid::<3>::new(radii, 4.0, 3.0)),
            Shape::Cuboid(Cuboid::<3>::new(radii)),
            Shape::Cylinder(Cylinder { half_length: 0.4, radius: 0.7 }),
        ];
        for shape in shapes {
            let mass = shape.mass(1.0).unwrap().mass;
            assert!((volume(&shape) / mass - 1.0).abs() < 0.01, "{}", shape.name());
        }
    }
}
