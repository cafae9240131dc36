//! Contacts that resist rolling and spinning: the problem of a step with couples beside the impulses.
//!
//! ```text
//! |couple across the normal| ≤ μ_R ℓ r_N,   |couple along it| ≤ μ_S ℓ r_N,   1/ℓ = 1/R_a + 1/R_b
//! ```
//!
//! R is the inner radius of a body, without end for planes, holes, and bodies with flat sides; two of these, neither of which
//! rolls, take their inner radii. Rows of roll and spin are spins times ℓ and couples over ℓ.

use crate::assembly::{Ahead, Assembled, Impulses};
use crate::bodies::Bodies;
use crate::contacts::{Contact, Material};
use crate::rigid::Rigid;
use crate::task::{Answer, Task};
use stickslip_geometry::shape::Shape;
use stickslip_geometry::space::{Dim, Space, Spin, Vector};
use stickslip_solvers::laws::{Law, Rolling, RollingConvex};
use stickslip_solvers::problem::ContactProblem;

/// Whether a contact of a step resists rolling or spinning.
pub fn occurs<const D: usize>(ahead: &Ahead<D>) -> bool
where
    Dim<D>: Rigid<D>,
{
    ahead.contacts.iter().any(|contact| contact.material.resists_rolling())
}

/// The length ℓ of a contact.
fn length<const D: usize>(bodies: &Bodies<D>, contact: &Contact<D>) -> f64
where
    Dim<D>: Rigid<D>,
{
    let shapes = [contact.key.a, contact.key.b].map(|body| &bodies.shape[body as usize]);
    let sum = |counts: fn(&Shape<D>) -> bool| -> f64 {
        let radii = shapes.iter().filter(|shape| counts(shape)).map(|shape| shape.inner_radius());
        radii.filter(|radius| *radius > 0.0).map(f64::recip).sum()
    };
    let curvatures = [sum(rolls), sum(|_| true)];
    curvatures.into_iter().find(|sum| *sum > 0.0).map_or(1.0, f64::recip)
}

/// Whether a shape has no flat sides.
fn rolls<const D: usize>(shape: &Shape<D>) -> bool
where
    Dim<D>: Rigid<D>,
{
    !matches!(shape, Shape::Cuboid(_) | Shape::Polytope(_) | Shape::Segment(_) | Shape::Mesh(_))
}

/// A law with the resistance of a material to roll and spin.
pub fn law(law: Law, material: &Material) -> Law {
    let of = |mu| Rolling { mu, rolling: material.rolling, spinning: material.spinning };
    match law {
        Law::Coulomb(law) => Law::Rolling(of(law.mu)),
        Law::Convex(law) => Law::RollingConvex(RollingConvex(of(law.mu))),
        law => law,
    }
}

/// The axes of roll and spin of each contact, in the order of its rows, times ℓ; none for joints.
struct Axes<const D: usize>
where
    Dim<D>: Rigid<D>,
{
    of: Vec<(f64, Vec<Spin<D>>)>,
    /// Sign of the couple on each moving side of a contact.
    signs: Vec<Vec<f64>>,
}

impl<const D: usize> Axes<D>
where
    Dim<D>: Rigid<D>,
{
    fn new(bodies: &Bodies<D>, ahead: &Ahead<D>) -> Self {
        let of = |contact: &Contact<D>| (length(bodies, contact), Dim::<D>::roll_axes(&contact.frame));
        let moves = |body: u32| bodies.mover(body as usize).is_some_and(|mover| mover.guide.is_none());
        let signs = |contact: &Contact<D>| {
            let moving =
                contact.sides().into_iter().filter(|(body, ..)| bodies.mover(*body as usize).is_some());
            // a guided body does not turn
            moving.map(|(body, sign, _)| if moves(body) { sign } else { 0.0 }).collect()
        };
        Axes {
            of: ahead.contacts.iter().map(of).collect(),
            signs: ahead.contacts.iter().map(signs).collect(),
        }
    }

    /// Couple k on side j of block i.
    fn couple(&self, i: usize, j: usize, k: usize) -> Vec<f64> {
        match self.of.get(i) {
            Some((length, axes)) => Dim::<D>::components(&(axes[k] * (length * self.signs[i][j]))),
            None => Vec::new(),
        }
    }
}

/// What the problem of a step is made from.
pub struct Parts<'a, const D: usize>
where
    Dim<D>: Rigid<D>,
{
    pub bodies: &'a Bodies<D>,
    pub ahead: &'a Ahead<D>,
    pub assembled: &'a Assembled<D>,
}

/// Solves the problem of a step in blocks that have rows for roll and spin, and changes its impulses.
pub fn solve<const D: usize>(parts: &Parts<D>, impulses: &mut Impulses<D>, task: &Task) -> Option<Answer>
where
    Dim<D>: Rigid<D>,
{
    let solve = if D == 2 { solve_blocks::<D, 3> } else { solve_blocks::<D, 6> };
    solve(parts, impulses, task)
}

/// The same in blocks of B components.
fn solve_blocks<const D: usize, const B: usize>(
    &Parts { bodies, ahead, assembled }: &Parts<D>,
    impulses: &mut Impulses<D>,
    task: &Task,
) -> Option<Answer>
where
    Dim<D>: Rigid<D>,
{
    let problem = assembled.problem.as_ref()?;
    let axes = Axes::new(bodies, ahead);
    let W = problem.W.with_couples::<B>(|i, j, k| axes.couple(i, j, k - D))?;
    let contacts = ahead.contacts.len();
    let larger = |small: &Vector<D>, roll: &dyn Fn(usize) -> f64| {
        nalgebra::SVector::<f64, B>::from_fn(|k, _| if k < D { small[k] } else { roll(k - D) })
    };
    let spin = &ahead.free.spin;
    let q = problem.q.iter().enumerate().map(|(i, q)| {
        larger(q, &|k| match ahead.contacts.get(i) {
            Some(contact) => {
                let relative = spin[contact.key.b as usize] - spin[contact.key.a as usize];
                Dim::<D>::dot(&relative, &axes.of[i].1[k]) * axes.of[i].0
            }
            None => 0.0,
        })
    });
    let of_block = |(i, given): (usize, &Law)| match (ahead.contacts.get(i), given) {
        (Some(contact), given) => law(*given, &contact.material),
        (None, Law::Bilateral(law)) => Law::locked(law.rows.min(D as u8)),
        (None, given) => *given,
    };
    let laws = problem.laws.iter().enumerate().map(of_block).collect();
    let problem = ContactProblem::new(W, q.collect(), laws).ok()?;
    let start = |(i, r): (usize, &Vector<D>)| {
        larger(r, &|k| match (impulses.couples.get(i), axes.of.get(i)) {
            (Some(couple), Some((length, axes))) => Dim::<D>::dot(couple, &axes[k]) / length,
            _ => 0.0,
        })
    };
    let mut r: Vec<_> = impulses.blocks.iter().enumerate().map(start).collect();
    let answer = task.solve_blocks(&problem, &mut r);
    for (small, r) in impulses.blocks.iter_mut().zip(&r) {
        *small = Vector::from_fn(|k, _| r[k]);
    }
    let couple = |(r, (length, axes)): (&nalgebra::SVector<f64, B>, &(f64, Vec<Spin<D>>))| {
        axes.iter().enumerate().fold(Spin::<D>::default(), |sum, (k, axis)| sum + *axis * (r[D + k] * length))
    };
    impulses.couples = r[..contacts].iter().zip(&axes.of).map(couple).collect();
    Some(answer)
}
