//! Shapes.

use super::bodies::check_moves;
use super::space::{pose, towards, vector};
use crate::format::{HalfSpaceSpec, MeshSpec, PartSpec, PolytopeSpec, SegmentSpec, ShapeFields};
use crate::nearest::did_you_mean;
use crate::reader::{Fault, Placed};
use crate::scene::Scene;
use stickslip::rigid::Rigid;
use stickslip_geometry::shape::{
    Ball, Capsule, Compound, Cuboid, Cylinder, Ellipsoid, HalfSpace, HollowBall, HollowCylinder, Mesh,
    Polytope, Segment, Shape, ShapeError, Superellipsoid,
};
use stickslip_geometry::space::{Dim, Pose, Vector, axis};

/// Shapes by name, and compounds, inside each other at most.
pub(crate) const DEPTH: usize = 16;

/// A shape, and where it is in the pose of what has it.
pub(crate) struct Placement<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    pub shape: Shape<D>,
    pub part: Pose<D>,
}

impl Scene {
    /// The one shape among some keys, if it can be.
    pub(crate) fn shape<const D: usize>(
        &self,
        fields: &ShapeFields,
        depth: usize,
    ) -> Result<Placement<D>, Fault>
    where
        Dim<D>: Rigid<D>,
    {
        let placement = self.given_shape::<D>(fields, depth)?;
        placement.shape.validate().map_err(shape_fault)?;
        Ok(placement)
    }

    fn given_shape<const D: usize>(&self, fields: &ShapeFields, depth: usize) -> Result<Placement<D>, Fault>
    where
        Dim<D>: Rigid<D>,
    {
        let at_origin = |shape| Ok(Placement { shape, part: Pose::identity() });
        let given = [
            fields.shape.is_some(),
            fields.ball.is_some(),
            fields.cuboid.is_some(),
            fields.half_space.is_some(),
            fields.capsule.is_some(),
            fields.segment.is_some(),
            fields.ellipsoid.is_some(),
            fields.superellipsoid.is_some(),
            fields.hollow_ball.is_some(),
            fields.hollow_cylinder.is_some(),
            fields.cylinder.is_some(),
            fields.polytope.is_some(),
            fields.mesh.is_some(),
            fields.compound.is_some(),
        ];
        if given.iter().filter(|&&given| given).count() != 1 {
            return Err(Fault::new("a body has exactly one shape")
                .remedy(format!("give one of {}", SHAPE_KEYS.join(", "))));
        }
        if let Some(name) = fields.shape {
            return self.named_shape(name, depth);
        }
        if let Some(ball) = fields.ball {
            return at_origin(Shape::Ball(Ball { radius: ball.radius }));
        }
        if let Some(cuboid) = fields.cuboid {
            return at_origin(Shape::Cuboid(Cuboid::new(vector::<D>(&cuboid.size) * 0.5)));
        }
        if let Some(HalfSpaceSpec { normal }) = fields.half_space {
            let up = normal.as_ref().map_or(axis(D - 1), vector);
            let rotation = towards(D - 1, &up).ok_or_else(no_direction)?;
            let part = Pose { x: Vector::zeros(), rotation };
            return Ok(Placement { shape: Shape::HalfSpace(HalfSpace), part });
        }
        if let Some(capsule) = fields.capsule {
            let half_length = 0.5 * capsule.length;
            return at_origin(Shape::Capsule(Capsule { half_length, radius: capsule.radius }));
        }
        if let Some(segment) = fields.segment {
            return segment_between(segment);
        }
        if let Some(ellipsoid) = fields.ellipsoid {
            return at_origin(Shape::Ellipsoid(Ellipsoid { radii: vector(&ellipsoid.radii) }));
        }
        if let Some(body) = fields.superellipsoid {
            let along = body.along.unwrap_or(body.across);
            let shape = Superellipsoid { radii: vector(&body.radii), across: body.across, along };
            return at_origin(Shape::Superellipsoid(shape));
        }
        if let Some(hollow) = fields.hollow_ball {
            return at_origin(Shape::HollowBall(HollowBall { radius: hollow.radius }));
        }
        if let Some(hollow) = fields.hollow_cylinder {
            return at_origin(Shape::HollowCylinder(HollowCylinder { radius: hollow.radius }));
        }
        if let Some(cylinder) = fields.cylinder {
            let half_length = 0.5 * cylinder.length;
            return at_origin(Shape::Cylinder(Cylinder { half_length, radius: cylinder.radius }));
        }
        if let Some(polytope) = fields.polytope {
            return at_origin(Shape::Polytope(self.polytope(polytope)?));
        }
        if let Some(mesh) = fields.mesh {
            return at_origin(Shape::Mesh(self.mesh(mesh)?));
        }
        at_origin(Shape::Compound(self.compound(fields.compound.unwrap_or_default(), depth)?))
    }

    fn named_shape<const D: usize>(&self, name: &str, depth: usize) -> Result<Placement<D>, Fault>
    where
        Dim<D>: Rigid<D>,
    {
        let Some(definition) = self.file.shape.get(name) else {
            let fault = Fault::new(format!("there is no shape \"{name}\""));
            let near = did_you_mean(name, self.file.shape.keys().map(String::as_str));
            return Err(fault.remedy(near.unwrap_or_else(|| format!("define it under [shape.{name}]"))));
        };
        let spot = self.spot(definition);
        if depth == 0 {
            return Err(Fault::new(format!("the shape \"{name}\" stands for itself")).at(spot.place));
        }
        self.shape(&definition.value.shape_fields(), depth - 1)
            .map_err(|fault| fault.at(spot.key(&SHAPE_KEYS)))
    }

    fn compound<const D: usize>(&self, parts: &[Placed<PartSpec>], depth: usize) -> Result<Compound<D>, Fault>
    where
        Dim<D>: Rigid<D>,
    {
        if depth == 0 {
            return Err(Fault::new("compounds are nested too deeply"));
        }
        let part = |placed: &Placed<PartSpec>| {
            let (part, spot) = (&placed.value, self.spot(placed));
            check_moves(spot, part.at.as_ref(), part.turn.as_ref(), None)?;
            let Placement { shape, part: inner } = self
                .shape(&part.shape_fields(), depth - 1)
                .map_err(|fault| fault.at(spot.key(&SHAPE_KEYS)))?;
            Ok((pose::<D>(part.at.as_ref(), part.turn.as_ref()).of_part(&inner), shape))
        };
        Ok(Compound::new(parts.iter().map(part).collect::<Result<_, Fault>>()?))
    }

    fn polytope<const D: usize>(&self, spec: &PolytopeSpec) -> Result<Polytope<D>, Fault>
    where
        Dim<D>: Rigid<D>,
    {
        match spec {
            PolytopeSpec { points: Some(points), file: None } => {
                let points: Vec<Vector<D>> = points.iter().map(vector).collect();
                Polytope::hull(&points).map_err(shape_fault)
            }
            PolytopeSpec { points: None, file: Some(file) } => {
                let whole = Polytope::<3>::read(&self.path(file)?).map_err(file_fault)?;
                into_dimension(whole).ok_or_else(|| Fault::new("a file of a polytope needs dimension = 3"))
            }
            _ => Err(Fault::new("a polytope has either points or a file")),
        }
    }

    fn mesh<const D: usize>(&self, spec: &MeshSpec) -> Result<Mesh<D>, Fault>
    where
        Dim<D>: Rigid<D>,
    {
        match spec {
            MeshSpec {
                vertices: Some(vertices), facets: Some(facets), file: None, heights: None, ..
            } => {
                let vertices = vertices.iter().map(vector).collect();
                let facet = |facet: &Vec<u32>| {
                    <[u32; D]>::try_from(facet.as_slice()).map_err(|_| {
                        let message =
                            format!("a facet in {D}D has {D} corners, but there is one of {}", facet.len());
                        Fault::new(message)
                    })
                };
                let facets = facets.iter().map(facet).collect::<Result<_, Fault>>()?;
                Mesh::new(vertices, facets).map_err(shape_fault)
            }
            MeshSpec { vertices: None, facets: None, file: Some(file), heights: None, .. } => {
                let whole = Mesh::<3>::read(&self.path(file)?).map_err(file_fault)?;
                into_dimension(whole).ok_or_else(|| Fault::new("a file of a mesh needs dimension = 3"))
            }
            MeshSpec { vertices: None, facets: None, file: None, heights: Some(heights), spacing } => {
                terrain(heights, spacing.unwrap_or(1.0))
            }
            _ => Err(Fault::new("a mesh has either vertices and facets, or a file, or heights")),
        }
    }

    /// A file that the scene names.
    fn path(&self, file: &str) -> Result<std::path::PathBuf, Fault> {
        let folder = self.folder.as_ref().ok_or_else(|| Fault::new("a built-in scene reads no files"))?;
        Ok(folder.join(file))
    }
}

/// The keys that give a shape.
pub(crate) const SHAPE_KEYS: [&str; 14] = [
    "ball",
    "box",
    "half_space",
    "capsule",
    "segment",
    "ellipsoid",
    "superellipsoid",
    "hollow_ball",
    "hollow_cylinder",
    "cylinder",
    "polytope",
    "mesh",
    "compound",
    "shape",
];

fn shape_fault(error: ShapeError) -> Fault {
    Fault::new(error.to_string())
}

/// What is wrong with a file of a shape.
fn file_fault(error: ShapeError) -> Fault {
    shape_fault(error).remedy("give an OBJ or STL file, by its path from the scene file")
}

fn no_direction() -> Fault {
    Fault::new("a direction of length 0: give a vector other than zero")
}

/// The same shape, where D is its dimension.
fn into_dimension<T: 'static, U: 'static>(shape: T) -> Option<U> {
    let shape: Box<dyn std::any::Any> = Box::new(shape);
    shape.downcast().ok().map(|shape| *shape)
}

fn segment_between<const D: usize>(segment: &SegmentSpec) -> Result<Placement<D>, Fault>
where
    Dim<D>: Rigid<D>,
{
    let (from, to) = (vector::<D>(&segment.from), vector::<D>(&segment.to));
    let rotation = towards(0, &(to - from))
        .ok_or_else(|| Fault::new("both ends of the segment are the same: give two points"))?;
    let shape = Shape::Segment(Segment { half_length: 0.5 * (to - from).norm() });
    Ok(Placement { shape, part: Pose { x: (from + to) * 0.5, rotation } })
}

/// A surface of heights over a grid that begins at the origin.
fn terrain<const D: usize>(heights: &[Vec<f64>], spacing: f64) -> Result<Mesh<D>, Fault>
where
    Dim<D>: Rigid<D>,
{
    if !(spacing > 0.0 && spacing.is_finite()) {
        return Err(Fault::new(format!("spacing = {spacing}: give a positive number")));
    }
    let (rows, columns) = (heights.len(), heights.first().map_or(0, Vec::len));
    if heights.iter().any(|row| row.len() != columns) {
        return Err(Fault::new(
            "the rows of the heights have different lengths: give as many numbers in each",
        ));
    }
    if (D == 2 && rows != 1) || (D == 3 && rows < 2) || columns < 2 {
        let message = "heights need one row in 2D, at least two in 3D, and at least two numbers in a row";
        return Err(Fault::new(message));
    }
    let vertex = |row: usize, column: usize| {
        Vector::<D>::from_fn(|k, _| match k {
            0 => column as f64 * spacing,
            _ if k == D - 1 => heights[row][column],
            _ => row as f64 * spacing,
        })
    };
    let vertices = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let vertices = vertices.map(|(row, column)| vertex(row, column)).collect();
    let number = |row: usize, column: usize| (row * columns + column) as u32;
    let mut facets: Vec<[u32; D]> = Vec::new();
    for column in 0..columns - 1 {
        if D == 2 {
            // the solid is to the left of the way from the first corner to the second
            facets.push(std::array::from_fn(|k| number(0, column + 1 - k)));
        }
        for row in 0..rows - 1 {
            let corners = [(row, column), (row, column + 1), (row + 1, column + 1), (row + 1, column)];
            let [a, b, c, d] = corners.map(|(row, column)| number(row, column));
            facets.extend([[a, b, c], [a, c, d]].map(|facet| std::array::from_fn(|k| facet[k])));
        }
    }
    Mesh::new(vertices, facets).map_err(shape_fault)
}
