//! Series for ParaView: bodies as points with their whole state, contacts with their forces, and meshes of all shapes that
//! are no balls and have an end.

use super::vtk::{Field, PolyData, write_series};
use super::{Observer, OutputError, View, is_due, make_folder};
use crate::build::spin_parts;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::path::{Path, PathBuf};
use stickslip::rigid::Rigid;
use stickslip::{BodyId, World};
use stickslip_geometry::shape::Shape;
use stickslip_geometry::space::{Dim, Pose, Vector, axis};

pub const FOLDER: &str = "paraview";

/// The three series.
const SERIES: [&str; 3] = ["bodies", "contacts", "meshes"];

/// Corners of a circle, and half of those about a smooth body.
const ROUND: usize = 24;

pub struct ParaView {
    folder: PathBuf,
    every: f64,
    /// The number of each body's group, from 1.
    group: Vec<(BodyId, f64)>,
    frames: Vec<Frame>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Frame {
    step: usize,
    time: f64,
}

impl ParaView {
    pub fn new(folder: &Path, every: f64, groups: &BTreeMap<String, Vec<BodyId>>) -> Self {
        let numbered = groups.values().enumerate();
        let group =
            numbered.flat_map(|(k, all)| all.iter().map(move |&body| (body, (k + 1) as f64))).collect();
        ParaView { folder: folder.into(), every, group, frames: Vec::new() }
    }

    fn file(series: &str, frame: &Frame) -> String {
        format!("{FOLDER}/{series}-{:08}.vtp", frame.step)
    }

    fn list(&self) -> Result<(), OutputError> {
        SERIES.iter().try_for_each(|series| {
            let files = self.frames.iter().map(|frame| (frame.time, Self::file(series, frame)));
            write_series(&self.folder.join(format!("{series}.pvd")), files)
        })
    }
}

impl<const D: usize> Observer<D> for ParaView
where
    Dim<D>: Rigid<D>,
{
    fn name(&self) -> &'static str {
        FOLDER
    }

    fn observe(&mut self, view: &View<D>) -> Result<(), OutputError> {
        if !is_due(self.every, view.report) {
            return Ok(());
        }
        make_folder(&self.folder.join(FOLDER))?;
        let frame = Frame { step: view.world.steps(), time: view.world.time() };
        for (series, data) in
            SERIES.iter().zip([bodies(view.world, &self.group), contacts(view), meshes(view.world)])
        {
            data.write(&self.folder.join(Self::file(series, &frame)))?;
        }
        self.frames.push(frame);
        self.list()
    }

    fn state(&mut self) -> Result<String, OutputError> {
        serde_json::to_string(&self.frames)
            .map_err(|error| OutputError::write(&self.folder.join(FOLDER), error))
    }

    fn resume(&mut self, state: &str) -> Result<(), OutputError> {
        self.frames =
            serde_json::from_str(state).map_err(|_| OutputError::damaged(&self.folder.join(FOLDER)))?;
        self.list()
    }

    fn files(&self) -> Vec<String> {
        SERIES.iter().map(|series| format!("{series}.pvd")).collect()
    }
}

/// A point of the plane lies in space at height 0.
fn in_space<const D: usize>(x: &Vector<D>) -> [f64; 3] {
    std::array::from_fn(|k| x.get(k).copied().unwrap_or(0.0))
}

fn bodies<const D: usize>(world: &World<D>, groups: &[(BodyId, f64)]) -> PolyData
where
    Dim<D>: Rigid<D>,
{
    let bodies = world.bodies();
    let all = || 0..bodies.len();
    let mut group = vec![0.0; bodies.len()];
    groups.iter().for_each(|&(body, number)| group[body.index()] = number);
    let spin = |b: usize| {
        let parts = spin_parts::<D>(&bodies.spin[b]);
        if D == 2 { [0.0, 0.0, parts[0]] } else { [parts[0], parts[1], parts[2]] }
    };
    // what has no end has no size either
    let finite = |value: f64| if value.is_finite() { value } else { 0.0 };
    let mut fields = vec![
        Field::vectors("v", all().map(|b| in_space(&bodies.v[b]))),
        Field::vectors("spin", all().map(spin)),
        Field::scalars("radius", all().map(|b| finite(bodies.shape[b].inner_radius()))),
        Field::scalars("mass", all().map(|b| finite(bodies.mass[b]))),
        Field::scalars("free", all().map(|b| f64::from(u8::from(bodies.is_free(b))))),
        Field::scalars("material", all().map(|b| f64::from(bodies.material[b]))),
        Field::scalars("group", group.into_iter()),
    ];
    let names = ["axis_x", "axis_y", "axis_z"];
    for (k, name) in names.into_iter().enumerate().take(D) {
        fields.push(Field::vectors(name, all().map(|b| in_space(&bodies.shape_pose(b).axis_to_world(k)))));
    }
    let points = all().map(|b| in_space(&bodies.x[b])).collect();
    PolyData { points, point_fields: fields, ..PolyData::default() }
}

fn contacts<const D: usize>(view: &View<D>) -> PolyData
where
    Dim<D>: Rigid<D>,
{
    let h = view.report.map_or(1.0, |report| report.h);
    let all = || view.world.contacts();
    let normal = |frame: &stickslip_geometry::space::Matrix<D>| in_space(&frame.column(0).into_owned());
    let fields = vec![
        Field::vectors("force", all().map(|(_, r)| in_space(&(r / h)))),
        Field::vectors("normal", all().map(|(contact, _)| normal(&contact.frame))),
        Field::scalars("gap", all().map(|(contact, _)| contact.gap)),
        Field::scalars("a", all().map(|(contact, _)| f64::from(contact.key.a))),
        Field::scalars("b", all().map(|(contact, _)| f64::from(contact.key.b))),
    ];
    let points = all().map(|(contact, _)| in_space(&contact.point)).collect();
    PolyData { points, point_fields: fields, ..PolyData::default() }
}

fn meshes<const D: usize>(world: &World<D>) -> PolyData
where
    Dim<D>: Rigid<D>,
{
    let (bodies, mut data) = (world.bodies(), PolyData::default());
    let mut owner = Vec::new();
    for b in 0..bodies.len() {
        add_surface(&bodies.shape[b], &bodies.shape_pose(b), &mut data);
        owner.resize(data.polygons.len(), b as f64);
    }
    data.cell_fields = vec![Field::scalars("body", owner.into_iter())];
    data
}

fn add_surface<const D: usize>(shape: &Shape<D>, pose: &Pose<D>, data: &mut PolyData)
where
    Dim<D>: Rigid<D>,
{
    let mut add = |corners: &[Vector<D>], loops: &mut dyn Iterator<Item = Vec<usize>>| {
        let first = data.points.len();
        data.points.extend(corners.iter().map(|corner| in_space(&pose.to_world(corner))));
        data.polygons.extend(loops.map(|corners| corners.into_iter().map(|k| first + k).collect()));
    };
    match shape {
        Shape::Cuboid(cuboid) => {
            let corners: Vec<Vector<D>> = (0..1 << D).map(|k| cuboid.vertex(k)).collect();
            let faces: &[[usize; 4]] = if D == 2 { &BOX[..1] } else { &BOX };
            add(&corners, &mut faces.iter().map(|face| face.to_vec()));
        }
        Shape::Polytope(polytope) if D == 2 => {
            let all: Vec<usize> = (0..polytope.vertices().len()).collect();
            add(polytope.vertices(), &mut std::iter::once(all));
        }
        Shape::Polytope(polytope) => {
            let faces = polytope.topology().faces.iter();
            add(
                polytope.vertices(),
                &mut faces.map(|face| face.corners.iter().map(|&k| k as usize).collect()),
            );
        }
        Shape::Mesh(mesh) => {
            let facets = mesh.facets().iter();
            add(mesh.vertices(), &mut facets.map(|facet| facet.iter().map(|&k| k as usize).collect()));
        }
        Shape::Compound(compound) => {
            compound.parts.iter().for_each(|(part, shape)| add_surface(shape, &pose.of_part(part), data));
        }
        Shape::Capsule(_) | Shape::Ellipsoid(_) | Shape::Superellipsoid(_) | Shape::Cylinder(_) => {
            let corners: Vec<Vector<D>> =
                directions::<D>().iter().filter_map(|direction| shape.support(direction)).collect();
            add(&corners, &mut around::<D>());
        }
        Shape::Ball(_)
        | Shape::HalfSpace(_)
        | Shape::Segment(_)
        | Shape::HollowBall(_)
        | Shape::HollowCylinder(_) => {}
    }
}

/// The faces of a box by vertices whose bits are the sides, seen from outside; the first is that of a rectangle.
const BOX: [[usize; 4]; 6] =
    [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];

/// Directions about a smooth body: a circle, or rings of one.
fn directions<const D: usize>() -> Vec<Vector<D>> {
    let circle = |radius: f64, up: f64| {
        (0..ROUND).map(move |k| {
            let angle = 2.0 * PI * k as f64 / ROUND as f64;
            let mut way: Vector<D> =
                axis::<D>(0) * (radius * angle.cos()) + axis::<D>(1) * (radius * angle.sin());
            if D == 3 {
                way[D - 1] = up;
            }
            way
        })
    };
    if D == 2 {
        return circle(1.0, 0.0).collect();
    }
    // half a ring away from the poles, where all directions meet
    let rings = (0..ROUND / 2).map(|k| PI * (k as f64 + 0.5) / (ROUND / 2) as f64);
    rings.flat_map(|angle| circle(angle.sin(), angle.cos())).collect()
}

/// The polygons between those directions.
fn around<const D: usize>() -> Box<dyn Iterator<Item = Vec<usize>>> {
    if D == 2 {
        return Box::new(std::iter::once((0..ROUND).collect()));
    }
    let rings = ROUND / 2;
    let sides = (0..rings - 1).flat_map(|ring| {
        (0..ROUND).map(move |k| {
            let (a, b) = (ring * ROUND, (ring + 1) * ROUND);
            vec![a + k, b + k, b + (k + 1) % ROUND, a + (k + 1) % ROUND]
        })
    });
    let caps = [(0..ROUND).collect(), (0..ROUND).rev().map(move |k| (rings - 1) * ROUND + k).collect()];
    Box::new(sides.chain(caps))
}
