//! Bodies: columns by dense index inside, [`BodyId`] outside.

mod drive;

pub use drive::Course;

use crate::many;
use crate::rigid::{Mover, Rigid};
use std::collections::HashMap;
use std::ops::Range;
use stickslip_geometry::shape::{Mass, Shape, ShapeError};
use stickslip_geometry::space::{Dim, Inertia, Pose, Rotation, Space, Spin, Vector};

/// A body of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(pub(crate) u32);

impl BodyId {
    /// Its place in the columns.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a body moves.
#[derive(Clone, Debug, Default)]
pub enum Motion<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// By forces and contacts.
    #[default]
    Free,
    /// Not at all.
    Fixed,
    /// As prescribed, whatever the contacts do.
    Driven {
        /// Velocity of its centre.
        v: Course<Vector<D>>,
        /// Its spin.
        spin: Course<Spin<D>>,
    },
    /// Along one direction only, without turning, under forces, contacts and a force of its own: a wall that a servo
    /// holds at a given load.
    Guided {
        /// The direction; its length does not count.
        along: Vector<D>,
        /// The force along it.
        force: Course<f64>,
    },
}

/// Resistance of a medium: force and torque by velocity and spin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drag {
    /// Force by velocity.
    pub linear: f64,
    /// Torque by spin; by the mean of the moments where they differ.
    pub angular: f64,
}

impl Drag {
    /// Of a sphere that creeps through a fluid of a given viscosity (Stokes).
    pub fn stokes(radius: f64, viscosity: f64) -> Self {
        let area = std::f64::consts::PI * viscosity * radius;
        Drag { linear: 6.0 * area, angular: 8.0 * area * radius * radius }
    }
}

/// A body to be: a shape, where it is and how it moves.
#[derive(Clone, Debug)]
pub struct Body<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// Its shape.
    pub shape: Shape<D>,
    /// Where the shape is.
    pub pose: Pose<D>,
    /// Velocity of the centre of mass.
    pub v: Vector<D>,
    /// Spin, in the axes of the world.
    pub spin: Spin<D>,
    /// Mass by the shape's volume. Ignored where `mass` is given.
    pub density: f64,
    /// Mass, centre and moments as given; by shape and density without it.
    pub mass: Option<Mass<D>>,
    /// How it moves.
    pub motion: Motion<D>,
    /// Resistance of a medium. Default none.
    pub drag: Drag,
    /// The name of its material.
    pub material: String,
    /// Its name; its number without one.
    pub name: Option<String>,
}

impl<const D: usize> Body<D>
where
    Dim<D>: Space<D>,
{
    /// A free body of density 1000 at rest.
    pub fn new(shape: Shape<D>, pose: Pose<D>) -> Self {
        Body {
            shape,
            pose,
            v: Vector::zeros(),
            spin: Spin::<D>::default(),
            density: 1000.0,
            mass: None,
            motion: Motion::Free,
            drag: Drag::default(),
            material: String::new(),
            name: None,
        }
    }

    /// A body that never moves.
    pub fn fixed(shape: Shape<D>, pose: Pose<D>) -> Self {
        Body { motion: Motion::Fixed, ..Body::new(shape, pose) }
    }
}

/// A body that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// Its shape cannot be.
    #[error("body {name}: {source}")]
    Shape {
        /// the body
        name: String,
        /// what is wrong
        source: ShapeError,
    },
    /// A mass or a moment that is no positive number.
    #[error("body {name}: {what} = {value}: give a positive number")]
    Mass {
        /// the body
        name: String,
        /// mass or moment
        what: &'static str,
        /// the value
        value: String,
    },
    /// A number that is none.
    #[error("body {name}: its {what} is not finite")]
    NotFinite {
        /// the body
        name: String,
        /// which
        what: &'static str,
    },
    /// A prescribed motion that makes no sense.
    #[error("body {name}: {fault}")]
    Drive {
        /// the body
        name: String,
        /// what is wrong
        fault: String,
    },
    /// A material that was not defined.
    #[error("body {name}: there is no material \"{material}\"; {known}")]
    Material {
        /// the body
        name: String,
        /// what was asked for
        material: String,
        /// what there is
        known: String,
    },
    /// Two bodies of one name.
    #[error("there is a body named {name} already: names are unique")]
    Name {
        /// the name
        name: String,
    },
}

/// What a body without a name is called.
fn numbered(body: usize) -> String {
    format!("#{body}")
}

/// All bodies of a world, one column a property.
#[derive(Clone, Debug)]
pub struct Bodies<const D: usize>
where
    Dim<D>: Space<D>,
{
    name: Vec<Option<String>>,
    by_name: HashMap<String, BodyId>,
    /// Centres of mass.
    pub x: Vec<Vector<D>>,
    /// Orientations of the principal axes.
    pub rotation: Vec<Rotation<D>>,
    /// Velocities of the centres.
    pub v: Vec<Vector<D>>,
    /// Spins, in the axes of the world.
    pub spin: Vec<Spin<D>>,
    /// Masses; infinite for bodies that no contact moves.
    pub mass: Vec<f64>,
    /// Principal moments of free bodies.
    pub inertia: Vec<Option<Inertia<D>>>,
    /// Shapes.
    pub shape: Vec<Shape<D>>,
    /// Where each shape is in the principal axes of its body.
    pub offset: Vec<Pose<D>>,
    /// How each moves.
    pub motion: Vec<Motion<D>>,
    /// Resistance of a medium.
    pub drag: Vec<Drag>,
    /// Directions of guided bodies.
    guide: Vec<Option<Vector<D>>>,
    /// Index of each material.
    pub material: Vec<u32>,
}

impl<const D: usize> Default for Bodies<D>
where
    Dim<D>: Space<D>,
{
    fn default() -> Self {
        Bodies {
            name: Vec::new(),
            by_name: HashMap::new(),
            x: Vec::new(),
            rotation: Vec::new(),
            v: Vec::new(),
            spin: Vec::new(),
            mass: Vec::new(),
            inertia: Vec::new(),
            shape: Vec::new(),
            offset: Vec::new(),
            motion: Vec::new(),
            drag: Vec::new(),
            guide: Vec::new(),
            material: Vec::new(),
        }
    }
}

impl<const D: usize> Bodies<D>
where
    Dim<D>: Rigid<D>,
{
    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Adds a body of a material; refuses what cannot be, and then changes nothing.
    pub(crate) fn add(&mut self, body: Body<D>, material: u32) -> Result<BodyId, BodyError> {
        let name = body.name.clone().unwrap_or_else(|| numbered(self.len()));
        let shape_error = |source| BodyError::Shape { name: name.clone(), source };
        body.shape.validate().map_err(shape_error)?;
        self.check(&name, &body)?;
        let free = matches!(body.motion, Motion::Free | Motion::Guided { .. });
        let mass = match body.mass {
            None if free => Some(body.shape.mass(body.density).map_err(shape_error)?),
            given => given,
        };
        if let Some(mass) = mass.filter(|_| free) {
            let refuse = |what, value: String| BodyError::Mass { name: name.clone(), what, value };
            if !(mass.mass > 0.0 && mass.mass.is_finite()) {
                return Err(refuse("mass", mass.mass.to_string()));
            }
            if !Dim::<D>::is_positive(&mass.inertia) {
                return Err(refuse("inertia", format!("{:?}", mass.inertia)));
            }
        }
        let axes = mass.map_or(Pose::identity(), |mass| Pose { x: mass.centre, rotation: mass.axes });
        let centre = body.pose.of_part(&axes);
        self.x.push(centre.x);
        self.rotation.push(centre.rotation);
        let guide = match &body.motion {
            Motion::Guided { along, .. } => Some(along.normalize()),
            _ => None,
        };
        let fixed = matches!(body.motion, Motion::Fixed);
        let v = if fixed { Vector::zeros() } else { body.v };
        self.v.push(guide.map_or(v, |guide| guide * guide.dot(&v)));
        self.spin.push(if fixed || guide.is_some() { Spin::<D>::default() } else { body.spin });
        self.guide.push(guide);
        self.drag.push(body.drag);
        let mass = mass.filter(|_| free);
        self.mass.push(mass.map_or(f64::INFINITY, |mass| mass.mass));
        self.inertia.push(mass.map(|mass| mass.inertia));
        self.shape.push(body.shape);
        self.offset.push(axes.inverse());
        self.motion.push(body.motion);
        self.material.push(material);
        let id = BodyId(self.len() as u32 - 1);
        if let Some(name) = &body.name {
            self.by_name.insert(name.clone(), id);
        }
        self.name.push(body.name);
        Ok(id)
    }

    fn check(&self, name: &str, body: &Body<D>) -> Result<(), BodyError> {
        let finite = |v: &Vector<D>| v.iter().all(|x| x.is_finite());
        let wrong = if !finite(&body.pose.x) {
            Some("position")
        } else if !finite(&body.pose.turn_to_world(&Vector::repeat(1.0))) {
            Some("orientation")
        } else if !finite(&body.v) {
            Some("velocity")
        } else if !Dim::<D>::is_finite(&body.spin) {
            Some("spin")
        } else {
            None
        };
        if let Some(what) = wrong {
            return Err(BodyError::NotFinite { name: name.into(), what });
        }
        if self.by_name.contains_key(name) {
            return Err(BodyError::Name { name: name.into() });
        }
        let fault = match &body.motion {
            Motion::Driven { v, spin } => v.fault().or_else(|| spin.fault()),
            Motion::Guided { along, .. } if !(along.norm() > 0.0 && along.norm().is_finite()) => {
                Some("its guide has no direction: give a vector other than zero".into())
            }
            Motion::Guided { force, .. } => force.fault(),
            Motion::Free | Motion::Fixed => None,
        };
        if let Some(fault) = fault {
            return Err(BodyError::Drive { name: name.into(), fault });
        }
        let Drag { linear, angular } = body.drag;
        if let Some(value) = [linear, angular].into_iter().find(|x| !(*x >= 0.0 && x.is_finite())) {
            let fault = format!("its drag is {value}: give a number of at least 0");
            return Err(BodyError::Drive { name: name.into(), fault });
        }
        Ok(())
    }

    /// The name of a body, or its number.
    pub fn name(&self, body: usize) -> String {
        self.name[body].clone().unwrap_or_else(|| numbered(body))
    }

    /// The body of that name.
    pub fn find(&self, name: &str) -> Option<BodyId> {
        self.by_name.get(name).copied()
    }

    /// Where the shape of a body is.
    pub fn shape_pose(&self, body: usize) -> Pose<D> {
        self.pose(body).of_part(&self.offset[body])
    }

    /// Centre and principal axes of a body.
    pub fn pose(&self, body: usize) -> Pose<D> {
        Pose { x: self.x[body], rotation: self.rotation[body] }
    }

    /// Whether forces and contacts move it.
    pub fn is_free(&self, body: usize) -> bool {
        self.mass[body].is_finite()
    }

    /// Mass and inertia of a free body.
    #[inline]
    pub(crate) fn mover(&self, body: usize) -> Option<Mover<D>> {
        let inertia = self.inertia[body]?;
        Some(Mover { mass: self.mass[body], inertia, rotation: self.rotation[body], guide: self.guide[body] })
    }

    /// Spin and orientation of a body after a time without torque, from given ones.
    pub(crate) fn coast(
        &self,
        body: usize,
        rotation: &Rotation<D>,
        spin: &Spin<D>,
        time: f64,
    ) -> (Spin<D>, Rotation<D>) {
        match &self.inertia[body] {
            Some(inertia) => Dim::<D>::coast(rotation, inertia, spin, time),
            None => (*spin, Dim::<D>::turn(rotation, spin, time)),
        }
    }

    /// Velocity of a point of a body, `arm` away from its centre.
    pub fn velocity_at(&self, body: usize, arm: &Vector<D>) -> Vector<D> {
        self.v[body] + Dim::<D>::swing(&self.spin[body], arm)
    }

    /// Kinetic energy of the free bodies.
    pub fn kinetic_energy(&self) -> f64 {
        let of_body = |b: usize| self.mover(b).map(|mover| self.kinetic_energy_of(b, &mover));
        let of_chunk = |range: Range<usize>| range.filter_map(of_body).sum::<f64>();
        many::map_chunks(self.len(), of_chunk).into_iter().sum()
    }

    /// That of a body that impulses move.
    pub(crate) fn kinetic_energy_of(&self, body: usize, mover: &Mover<D>) -> f64 {
        let momentum = Dim::<D>::angular_momentum(&mover.rotation, &mover.inertia, &self.spin[body]);
        0.5 * (mover.mass * self.v[body].norm_squared() + Dim::<D>::dot(&momentum, &self.spin[body]))
    }
}
