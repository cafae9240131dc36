//! Limit analysis: whether contact forces inside their friction cones can hold blocks in balance, by an interior-point
//! method that shares nothing with the engine but where blocks touch.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, SupportedConeT};
use stickslip::rigid::Rigid;
use stickslip::{Body, Motion};
use stickslip_geometry::pair;
use stickslip_geometry::space::{Dim, Space, Vector};

/// Blocks count as touching within this distance.
const TOUCH: f64 = 1e-9;

/// Entries of a wrench about a point: a force, then its moments in the planes of the axes.
fn wrench<const D: usize>(arm: &Vector<D>, force: &Vector<D>) -> Vec<f64> {
    let planes = (0..D).flat_map(|i| (i + 1..D).map(move |j| (i, j)));
    let moments = planes.map(|(i, j)| arm[i] * force[j] - arm[j] * force[i]);
    force.iter().copied().chain(moments).collect()
}

/// The least force, as a part of the weight, that must be added to hold blocks in balance under gravity:
///
/// ```text
/// |H r + f| → min   with |r_T| ≤ μ r_N at every point of contact
/// ```
fn imbalance<const D: usize>(bodies: &[Body<D>], gravity: &Vector<D>, mu: f64) -> f64
where
    Dim<D>: Rigid<D>,
{
    let size = D + D * (D - 1) / 2;
    let mass: Vec<_> = bodies
        .iter()
        .map(|body| matches!(body.motion, Motion::Free).then(|| body.shape.mass(1.0).unwrap()))
        .collect();
    let weight: f64 = mass.iter().flatten().map(|mass| mass.mass * gravity.norm()).sum();
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut put = |row: usize, column: usize, value: f64| {
        rows.push(row);
        columns.push(column);
        values.push(value);
    };
    // the first unknown is the imbalance, the others are forces; s = b − A x lies in the cones
    put(0, 0, -1.0);
    let balance = 1 + bodies.len() * size;
    let mut b = vec![0.0; balance];
    for (k, mass) in mass.iter().enumerate() {
        if let Some(mass) = mass {
            for i in 0..D {
                b[1 + k * size + i] = mass.mass * gravity[i] / weight;
            }
        }
    }
    let mut cones = vec![SupportedConeT::SecondOrderConeT(balance)];
    let (mut unknowns, mut points) = (1, Vec::new());
    for i in 0..bodies.len() {
        for j in i + 1..bodies.len() {
            let [p, q] = [i, j].map(|k| &bodies[k]);
            points.clear();
            pair::contacts((&p.shape, &p.pose), (&q.shape, &q.pose), TOUCH, &mut points);
            for point in &points {
                let frame = Dim::<D>::frame(&point.normal);
                for k in 0..D {
                    let force = frame.column(k).into_owned();
                    for (body, sign) in [(i, -1.0), (j, 1.0)] {
                        let Some(mass) = &mass[body] else { continue };
                        let centre = bodies[body].pose.to_world(&mass.centre);
                        for (entry, value) in wrench(&(point.a - centre), &force).into_iter().enumerate() {
                            put(1 + body * size + entry, unknowns + k, -sign * value);
                        }
                    }
                    put(b.len(), unknowns + k, if k == 0 { -mu } else { -1.0 });
                    b.push(0.0);
                }
                cones.push(SupportedConeT::SecondOrderConeT(D));
                unknowns += D;
            }
        }
    }
    let A = CscMatrix::new_from_triplets(b.len(), unknowns, rows, columns, values);
    let P = CscMatrix::zeros((unknowns, unknowns));
    let mut objective = vec![0.0; unknowns];
    objective[0] = 1.0;
    let settings = DefaultSettingsBuilder::default().verbose(false).build().unwrap();
    let mut solver = DefaultSolver::new(&P, &objective, &A, &b, &cones, settings).unwrap();
    solver.solve();
    solver.solution.obj_val
}

/// Whether forces exist that hold the blocks.
pub fn balanced<const D: usize>(bodies: &[Body<D>], gravity: &Vector<D>, mu: f64) -> bool
where
    Dim<D>: Rigid<D>,
{
    imbalance(bodies, gravity, mu) < 1e-6
}

/// Where between two numbers a property begins to hold that the second has and the first has not.
pub fn limit(mut without: f64, mut with: f64, holds: impl Fn(f64) -> bool) -> f64 {
    assert!(!holds(without) && holds(with));
    while (with - without).abs() > 1e-4 * with.abs() {
        let middle = 0.5 * (without + with);
        if holds(middle) { with = middle } else { without = middle }
    }
    with
}
