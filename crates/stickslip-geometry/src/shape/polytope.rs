//! Convex polygon and polyhedron: the hull of points, in the axes they are given in.

use super::{Bounds, Mass, ShapeError, Topology, cross, files, hull};
use crate::space::{Dim, Matrix, Pose, Space, Vector};
use std::path::Path;

/// Points closer than this part of the size to a face lie in it.
const FLAT: f64 = 1e-9;

/// The same for points from a file: binary STL has single precision.
const FLAT_IN_FILES: f64 = 1e-6;

/// A convex polygon or polyhedron.
#[derive(Clone, Debug, PartialEq)]
pub struct Polytope<const D: usize> {
    vertices: Vec<Vector<D>>,
    normals: Vec<Vector<D>>,
    topology: Topology,
    size: f64,
    inner_radius: f64,
}

impl<const D: usize> Polytope<D>
where
    Dim<D>: Space<D>,
{
    /// The convex hull of points; points inside or on a face are left out.
    pub fn hull(points: &[Vector<D>]) -> Result<Self, ShapeError> {
        Self::hull_within(points, FLAT)
    }

    /// The hull, with points as near to a face as a part of the size taken to lie in it.
    pub(crate) fn hull_within(points: &[Vector<D>], flat: f64) -> Result<Self, ShapeError> {
        let shape = if D == 2 { "polygon" } else { "polyhedron" };
        if let Some(index) = points.iter().position(|x| !x.iter().all(|c| c.is_finite())) {
            return Err(ShapeError::NotFinite { shape, index });
        }
        if points.len() <= D {
            return Err(ShapeError::FewPoints { shape, found: points.len(), needed: D + 1 });
        }
        let mut low = points[0];
        let mut high = points[0];
        for x in points {
            low = low.inf(x);
            high = high.sup(x);
        }
        // wrapped about the middle and at size one, for the tolerances
        let (middle, size) = ((low + high) * 0.5, (high - low).norm());
        let degenerate = ShapeError::Degenerate { shape, found: points.len() };
        if !(size > 0.0 && size.is_finite()) {
            return Err(degenerate);
        }
        let (kept, topology) = if D == 2 {
            let plane: Vec<_> =
                points.iter().map(|x| (x - middle) / size).map(|x| Vector::<2>::new(x[0], x[1])).collect();
            let kept = hull::polygon(&plane, flat);
            let n = kept.len() as u32;
            let loops = (0..n).map(|k| vec![k, (k + 1) % n]).collect();
            (kept, if n > 2 { Topology::new(loops, n as usize) } else { None })
        } else {
            let space: Vec<_> = points
                .iter()
                .map(|x| (x - middle) / size)
                .map(|x| Vector::<3>::new(x[0], x[1], x[2]))
                .collect();
            match hull::polyhedron(&space, flat) {
                Some((kept, topology)) => (kept, Some(topology)),
                None => (Vec::new(), None),
            }
        };
        let Some(topology) = topology else { return Err(degenerate) };
        let vertices: Vec<Vector<D>> = kept.iter().map(|&k| points[k as usize]).collect();
        let normals = topology.faces.iter().map(|face| face_normal(&vertices, &face.corners)).collect();
        let mut polytope = Polytope { vertices, normals, topology, size, inner_radius: 0.0 };
        polytope.inner_radius = polytope.depth();
        // a slab thinner than the tolerance passes for a polyhedron but has no inside
        if polytope.inner_radius > flat * size { Ok(polytope) } else { Err(degenerate) }
    }

    /// The vertices.
    pub fn vertices(&self) -> &[Vector<D>] {
        &self.vertices
    }

    /// Outward unit normals of the faces.
    pub fn normals(&self) -> &[Vector<D>] {
        &self.normals
    }

    /// Faces and edges.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Length of the diagonal of the box around the vertices.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Volume, centre, and integral of x xᵀ about the centre.
    fn moments(&self) -> (f64, Vector<D>, Matrix<D>) {
        // simplices from the first vertex to each piece of a face:
        //   ∫ x xᵀ = V / ((D+1)(D+2)) (Σ uᵢ uᵢᵀ + s sᵀ),  s = Σ uᵢ
        let tip = self.vertices[0];
        let (mut volume, mut first, mut second) = (0.0, Vector::zeros(), Matrix::zeros());
        let d = D as f64;
        for (face, normal) in self.topology.faces.iter().zip(&self.normals) {
            let at = |k: usize| self.vertices[face.corners[k] as usize] - tip;
            for k in 1..face.corners.len() - (D - 2) {
                let part = if D == 2 {
                    at(0).dot(normal) * (at(1) - at(0)).norm() / 2.0
                } else {
                    at(0).dot(&cross(&(at(k) - at(0)), &(at(k + 1) - at(0)))) / 6.0
                };
                let mut sum = at(0) + at(k);
                let mut squares = at(0) * at(0).transpose() + at(k) * at(k).transpose();
                if D == 3 {
                    sum += at(k + 1);
                    squares += at(k + 1) * at(k + 1).transpose();
                }
                volume += part;
                first += sum * (part / (d + 1.0));
                second += (squares + sum * sum.transpose()) * (part / ((d + 1.0) * (d + 2.0)));
            }
        }
        let centre = first / volume;
        (volume, tip + centre, second - centre * centre.transpose() * volume)
    }

    pub(super) fn mass(&self, density: f64) -> Mass<D> {
        let (volume, centre, second) = self.moments();
        Dim::<D>::principal(density * volume, centre, &(second * density))
    }

    pub(super) fn bounds(&self, pose: &Pose<D>) -> Bounds<D> {
        Bounds::of_points(self.vertices.iter().map(|v| pose.to_world(v)))
    }

    /// Of the ball about the centre of mass: at most the largest one.
    pub(super) fn inner_radius(&self) -> f64 {
        self.inner_radius
    }

    /// Distance of the centre of mass from the nearest face.
    fn depth(&self) -> f64 {
        let (_, centre, _) = self.moments();
        let faces = self.topology.faces.iter().zip(&self.normals);
        faces
            .map(|(face, normal)| (self.vertices[face.corners[0] as usize] - centre).dot(normal))
            .fold(f64::INFINITY, |least, depth| if depth < least || depth.is_nan() { depth } else { least })
    }

    pub(super) fn support(&self, direction: &Vector<D>) -> Vector<D> {
        let mut best = self.vertices[0];
        for v in &self.vertices {
            if v.dot(direction) > best.dot(direction) {
                best = *v;
            }
        }
        best
    }
}

impl Polytope<3> {
    /// The hull of the points in an OBJ or STL file.
    pub fn read(path: &Path) -> Result<Self, ShapeError> {
        let surface = files::read(path)?;
        // faces of a file need not be flat to more digits than it was written with
        Self::hull_within(&surface.points, FLAT_IN_FILES)
    }
}

/// Outward unit normal of a loop.
pub(crate) fn face_normal<const D: usize>(vertices: &[Vector<D>], corners: &[u32]) -> Vector<D> {
    let at = |k: usize| vertices[corners[k % corners.len()] as usize] - vertices[corners[0] as usize];
    if D == 2 {
        let way = at(1);
        return Vector::<D>::from_fn(|k, _| if k == 0 { way[1] } else { -way[0] }).normalize();
    }
    // twice the area vector
    let mut area = Vector::zeros();
    for k in 1..corners.len() - 1 {
        area += cross(&at(k), &at(k + 1));
    }
    area.normalize()
}
