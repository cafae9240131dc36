//! The friction cone with ν facets, turned at will.
//!
//! ```text
//! {r_N n + D β : β ≥ 0, Σβ ≤ μ r_N},   D = [d_1 … d_ν]        Renouf–Acary 2006, 3.2.1: inner approximation
//! ```
//!
//! In the plane d = ±1 is exact. In space the regular ν-gon touches the disk at its vertices only, so a fixed
//! polygon errs by up to an angle π/ν in the direction of slip and by a factor cos(π/ν) in the bound. A departure
//! from the paper removes that error: the polygon of each solve has a vertex where the last one says the impulse
//! points. Slip then ends at that vertex, where polygon and disk agree, and so the faceted solutions tend to
//! that of the cone.

use super::OneContact;
use super::direction::{Flow, newton, turned, unit_tangent};
use crate::block::{Vector, tangent_norm};

/// The vertices d_i as tangential blocks; the first one points along `aim`.
pub(crate) fn directions<const D: usize>(count: usize, aim: &Vector<D>) -> Vec<Vector<D>> {
    match D {
        0 | 1 => Vec::new(),
        2 => [1.0, -1.0].iter().map(|sign| aim * *sign).collect(),
        _ => (0..count).map(|i| turned(aim, std::f64::consts::TAU * i as f64 / count as f64)).collect(),
    }
}

/// Where the next polygon's first vertex points, judged by the impulse r of the last one.
///
/// An impulse on the cone slips, and its direction takes Newton's turn towards that of its velocity (the vertex
/// itself would say nothing new). One within lies on an edge of the last polygon or sticks: along it.
pub(crate) fn aim<const D: usize>(
    contact: &OneContact<D>,
    r: &Vector<D>,
    facets: usize,
    flow: Flow,
) -> Vector<D> {
    let &OneContact { W, q, mu } = contact;
    let Some(d) = unit_tangent(r) else {
        return unit_tangent(&-contact.velocity(r)).unwrap_or_else(first_tangent);
    };
    if D < 3 || tangent_norm(r) < mu * r[0] * (1.0 - 1e-9) {
        return d;
    }
    match newton(W, &q, mu, (r[0], &d), flow) {
        Some((_, turn)) => {
            let half_facet = std::f64::consts::PI / facets as f64;
            unit_tangent(&turned(&d, turn.clamp(-half_facet, half_facet))).unwrap_or(d)
        }
        None => d,
    }
}

fn first_tangent<const D: usize>() -> Vector<D> {
    let mut d = Vector::zeros();
    if D > 1 {
        d[1] = 1.0;
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_are_regular_and_start_at_the_aim() {
        let aim = Vector::<3>::new(0.0, 0.6, 0.8);
        let d = directions(5, &aim);
        assert_eq!((d.len(), d[0]), (5, aim));
        assert!(d.iter().sum::<Vector<3>>().norm() < 1e-15);
        assert!(d.iter().all(|d| (d.norm() - 1.0).abs() < 1e-15 && d[0] == 0.0));
        assert_eq!(directions(8, &Vector::<2>::new(0.0, 1.0)).len(), 2);
        assert!(directions(8, &Vector::<1>::new(0.0)).is_empty());
    }
}
