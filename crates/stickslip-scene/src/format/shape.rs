//! Shapes, as bodies, parts of compounds and definitions give them.

use crate::reader::{Placed, Point, Turn};
use schemars::JsonSchema;
use serde::Deserialize;

/// A disk or a sphere.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ball")]
pub struct BallSpec {
    /// Its radius [length].
    pub radius: f64,
}

/// A rectangle or a box about its centre.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "box")]
pub struct BoxSpec {
    /// Its edges along the axes [length].
    pub size: Point,
}

/// Everything below a line or a plane through the body's point.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "half_space")]
pub struct HalfSpaceSpec {
    /// The direction out of it. Default up the last axis.
    pub normal: Option<Point>,
}

/// A rod with round ends, along the first axis.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "capsule")]
pub struct CapsuleSpec {
    /// Between the centres of both ends [length].
    pub length: f64,
    /// Its radius [length].
    pub radius: f64,
}

/// A thin wall between two points; for bodies that are not free.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "segment")]
pub struct SegmentSpec {
    /// One end, from the body's point [length].
    pub from: Point,
    /// The other end [length].
    pub to: Point,
}

/// An ellipse or an ellipsoid about its centre.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ellipsoid")]
pub struct EllipsoidSpec {
    /// Half the width along each axis [length].
    pub radii: Point,
}

/// An ellipsoid whose squares are other powers: a round box, or a pointed body.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "superellipsoid")]
pub struct SuperellipsoidSpec {
    /// Half the width along each axis [length].
    pub radii: Point,
    /// Exponent of the plane, or of the sections across the last axis, from 1.2 to 20.
    pub across: f64,
    /// Exponent along the last axis of a solid. Default that of `across`.
    pub along: Option<f64>,
}

/// Everything outside a circle or a sphere: bodies live inside.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "hollow_ball")]
pub struct HollowBallSpec {
    /// Radius of the hole [length].
    pub radius: f64,
}

/// Everything outside an endless tube along the last axis; in space only.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "hollow_cylinder")]
pub struct HollowCylinderSpec {
    /// Radius of the tube [length].
    pub radius: f64,
}

/// A cylinder along the last axis, about its centre; in space only.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "cylinder")]
pub struct CylinderSpec {
    /// Its length [length].
    pub length: f64,
    /// Its radius [length].
    pub radius: f64,
}

/// A convex polygon or polyhedron: the hull of points, listed or from a file.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "polytope")]
pub struct PolytopeSpec {
    /// The points [length]. Default those of the file.
    pub points: Option<Vec<Point>>,
    /// An OBJ or STL file; in space only. Its path counts from the scene. Default none.
    pub file: Option<String>,
}

/// A fixed surface: listed, from a file, or as heights over the first axes.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "mesh")]
pub struct MeshSpec {
    /// The corners [length]. Default none.
    pub vertices: Option<Vec<Point>>,
    /// Segments or triangles by the numbers of their corners, counterclockwise seen from outside. Default none.
    pub facets: Option<Vec<Vec<u32>>>,
    /// An OBJ or STL file; in space only. Its path counts from the scene. Default none.
    pub file: Option<String>,
    /// Heights of a terrain on a grid, row by row along the last of the other axes; in the plane one row [length].
    /// Default none.
    pub heights: Option<Vec<Vec<f64>>>,
    /// Distance of neighbours on that grid [length]. Default 1.
    pub spacing: Option<f64>,
}

/// Makes a struct that has a shape beside its own fields.
macro_rules! with_shape {
    ($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* }) => {
        #[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        $(#[$meta])*
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
            /// The name of a shape that is defined under `[shape]`. Default none: give one of the shapes here.
            pub shape: Option<String>,
            /// A disk or a sphere. Default none.
            pub ball: Option<BallSpec>,
            /// A rectangle or a box. Default none.
            #[serde(rename = "box")]
            pub cuboid: Option<BoxSpec>,
            /// Everything below a line or a plane. Default none.
            pub half_space: Option<HalfSpaceSpec>,
            /// A rod with round ends. Default none.
            pub capsule: Option<CapsuleSpec>,
            /// A thin wall. Default none.
            pub segment: Option<SegmentSpec>,
            /// An ellipse or an ellipsoid. Default none.
            pub ellipsoid: Option<EllipsoidSpec>,
            /// A round box, or a pointed body. Default none.
            pub superellipsoid: Option<SuperellipsoidSpec>,
            /// A round hole to live in. Default none.
            pub hollow_ball: Option<HollowBallSpec>,
            /// A tube to live in. Default none.
            pub hollow_cylinder: Option<HollowCylinderSpec>,
            /// A cylinder. Default none.
            pub cylinder: Option<CylinderSpec>,
            /// A convex polygon or polyhedron. Default none.
            pub polytope: Option<PolytopeSpec>,
            /// A fixed surface. Default none.
            pub mesh: Option<MeshSpec>,
            /// Parts that move as one. Default none.
            pub compound: Option<Vec<Placed<PartSpec>>>,
        }

        impl $name {
            /// Its shape, among the keys that may give one.
            pub fn shape_fields(&self) -> $crate::format::ShapeFields<'_> {
                $crate::format::ShapeFields {
                    shape: self.shape.as_deref(),
                    ball: self.ball.as_ref(),
                    cuboid: self.cuboid.as_ref(),
                    half_space: self.half_space.as_ref(),
                    capsule: self.capsule.as_ref(),
                    segment: self.segment.as_ref(),
                    ellipsoid: self.ellipsoid.as_ref(),
                    superellipsoid: self.superellipsoid.as_ref(),
                    hollow_ball: self.hollow_ball.as_ref(),
                    hollow_cylinder: self.hollow_cylinder.as_ref(),
                    cylinder: self.cylinder.as_ref(),
                    polytope: self.polytope.as_ref(),
                    mesh: self.mesh.as_ref(),
                    compound: self.compound.as_deref(),
                }
            }
        }
    };
}

pub(crate) use with_shape;

/// The keys of which one gives a shape.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct ShapeFields<'a> {
    pub shape: Option<&'a str>,
    pub ball: Option<&'a BallSpec>,
    pub cuboid: Option<&'a BoxSpec>,
    pub half_space: Option<&'a HalfSpaceSpec>,
    pub capsule: Option<&'a CapsuleSpec>,
    pub segment: Option<&'a SegmentSpec>,
    pub ellipsoid: Option<&'a EllipsoidSpec>,
    pub superellipsoid: Option<&'a SuperellipsoidSpec>,
    pub hollow_ball: Option<&'a HollowBallSpec>,
    pub hollow_cylinder: Option<&'a HollowCylinderSpec>,
    pub cylinder: Option<&'a CylinderSpec>,
    pub polytope: Option<&'a PolytopeSpec>,
    pub mesh: Option<&'a MeshSpec>,
    pub compound: Option<&'a [Placed<PartSpec>]>,
}

with_shape! {
    /// A shape under a name.
    #[schemars(rename = "shape")]
    ShapeSpec {}
}

with_shape! {
    /// A part of a compound: a shape, and where it is.
    #[schemars(rename = "part")]
    PartSpec {
        /// Where its shape is, from the point of the compound [length]. Default there.
        at: Option<Point>,
        /// How it is turned, in radians; in space about an axis. Default not.
        turn: Option<Turn>,
    }
}
