//! What is measured and written.

use super::packing::RegionSpec;
use super::pictures::{LookSpec, MovieSpec, PictureSpec};
use crate::reader::{Placed, Point};
use schemars::JsonSchema;
use serde::Deserialize;

/// What is written to the folder of the run. All is off unless asked for.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "output")]
pub struct OutputSpec {
    /// A time series, `series.csv`. Default none.
    pub series: Option<Placed<SeriesSpec>>,
    /// The free surface over the first axis, `profile.csv`. Default none.
    pub profile: Option<Placed<ProfileSpec>>,
    /// The certificate of every step, `certificate.csv`. Default false.
    #[serde(default)]
    pub certificate: bool,
    /// Files for ParaView: bodies, contacts and meshes, listed in `bodies.pvd`, `contacts.pvd`, `meshes.pvd`. Default
    /// none.
    pub paraview: Option<Placed<Every>>,
    /// Contact problems of chosen steps as FCLIB files, which hold dry friction alone: no joints, no resistance to rolling or
    /// spinning, no interface with a cohesion, a cap or a dilatancy. Default none.
    pub problems: Option<Placed<ProblemsSpec>>,
    /// Positions, orientations, velocities and spins of all bodies, `trajectory.hdf5`. Default none.
    pub trajectory: Option<Placed<Every>>,
    /// Pictures of the last state and of others. Default none.
    pub picture: Option<Placed<PictureSpec>>,
    /// A movie of the run. Default none.
    pub movie: Option<Placed<MovieSpec>>,
    /// How pictures and movies look. Default by speed, all bodies.
    #[serde(default)]
    pub look: Placed<LookSpec>,
}

/// How often.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "every")]
pub struct Every {
    /// Simulated time between two of them; one as short as a step takes every step [time].
    pub every: f64,
}

/// A time series: energies, penetration, residual, iterations, and all measures.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "series")]
pub struct SeriesSpec {
    /// Simulated time between two rows [time]. Default every step.
    pub every: Option<f64>,
    /// Bodies whose position, velocity and spin become columns. Default none.
    #[serde(default)]
    pub bodies: Vec<String>,
    /// Groups whose centre of mass and its velocity become columns. Default none.
    #[serde(default)]
    pub groups: Vec<String>,
    /// Bodies or groups whose force by contacts becomes columns: what walls bear. Default none.
    #[serde(default)]
    pub forces: Vec<String>,
}

/// The free surface: the highest point of bodies in columns over the first axis, one row a column that is not empty.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "profile")]
pub struct ProfileSpec {
    /// Simulated time between two profiles; one as short as a step takes every step [time].
    pub every: f64,
    /// Width of a column; about two bodies is a good one [length].
    pub width: f64,
    /// A group, or a body. Default all free bodies.
    pub group: Option<String>,
}

/// Contact problems as files.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "problems")]
pub struct ProblemsSpec {
    /// The numbers of the steps, from 1. Default none.
    #[serde(default)]
    pub steps: Vec<usize>,
    /// Every so many steps. Default none.
    pub every: Option<usize>,
}

/// A measure: columns of the series, and of the table of a sweep. Exactly one of the kinds.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "measure")]
pub struct MeasureSpec {
    /// The name of its columns, unlike all others.
    pub name: String,
    /// What is measured.
    pub of: MeasureKind,
}

/// What is measured.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "kind of measure")]
pub enum MeasureKind {
    /// Contacts that carry a force, by free body.
    Coordination(GroupChoice),
    /// The part of a region that free bodies take up; balls that its border cuts count by sampling, other bodies by
    /// where their centre is.
    SolidFraction(RegionChoice),
    /// Mean stress of a region by contacts inside, `Σ f ⊗ ℓ / V`, pressure positive: one column a component.
    Stress(RegionChoice),
    /// Fabric of all contacts that carry a force, `⟨n ⊗ n⟩`: one column a component.
    Fabric(ContactChoice),
    /// Force chains, pairs in contact counted once: `strong`, the share of contacts above the mean normal force; `mean` and
    /// `largest` normal force; `anisotropy` of the strong ones, from 0 (all directions alike) to 1 (all along one line);
    /// `length`, the mean number of free bodies in the pieces that strong contacts join.
    ForceChains(ContactChoice),
    /// How far two groups have come apart: the variance over cells of the mass fraction of one, by its largest value. 1
    /// where no cell holds both, 0 where all cells hold them in the same proportion.
    Segregation(SegregationSpec),
    /// Centre of mass: one column a component.
    CentreOfMass(GroupChoice),
    /// Mass that has crossed a plane along its normal, less what came back.
    Flow(FlowSpec),
    /// Slope of the surface of a heap over the first axis, in degrees: the steeper of both sides.
    Repose(GroupChoice),
    /// Highest point of the free bodies.
    Height(GroupChoice),
    /// Largest speed.
    Speed(GroupChoice),
}

/// Which bodies.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "choice of a group")]
pub struct GroupChoice {
    /// A group, or a body. Default all free bodies.
    pub group: Option<String>,
}

/// Which contacts.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "choice of contacts")]
pub struct ContactChoice {
    /// A group, or a body, one of which takes part. Default all free bodies.
    pub group: Option<String>,
    /// Where the contact is. Default anywhere.
    pub region: Option<RegionSpec>,
}

/// Two groups that may come apart.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "segregation")]
pub struct SegregationSpec {
    /// A group.
    pub group: String,
    /// The other one.
    pub other: String,
    /// Side of the cells, cubes with a corner at the origin; some five bodies across is a good size [length].
    pub cell: f64,
}

/// Where.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "choice of a region")]
pub struct RegionChoice {
    /// The region.
    pub region: RegionSpec,
}

/// A plane that bodies cross.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "flow")]
pub struct FlowSpec {
    /// A point of the plane [length].
    pub at: Point,
    /// Its normal: the way that counts as positive.
    pub normal: Point,
    /// A group, or a body. Default all free bodies.
    pub group: Option<String>,
}
