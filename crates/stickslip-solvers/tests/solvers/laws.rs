//! What must hold for every law of dry contact and of joints: its projection is one, and its natural map is zero where the law holds, only there.

use crate::support::{Random, law_of};
use stickslip_solvers::block::{Vector, tangent_norm};
use stickslip_solvers::laws::{ContactLaw, Kind, Law};

/// Dry contact and joints, which have a textbook form each; the others are in `yield_surfaces`.
const DRY: [Kind; 5] = [Kind::Frictionless, Kind::Coulomb, Kind::Convex, Kind::Bilateral, Kind::Motor];
const FRICTION: [f64; 5] = [0.0, 0.05, 0.5, 1.0, 2.0];

/// A law of a family; a joint of some rows.
fn any(kind: Kind, random: &mut Random) -> Law {
    match kind {
        Kind::Bilateral => Law::locked(1 + random.below(3) as u8),
        kind => law_of(kind, FRICTION[random.below(5)]),
    }
}

/// A random impulse that the law admits.
fn admissible<const D: usize>(law: &Law, random: &mut Random) -> Vector<D> {
    let mut r: Vector<D> = random.vector();
    match law {
        Law::Bilateral(law) => return Vector::from_fn(|k, _| if k < law.rows.into() { r[k] } else { 0.0 }),
        Law::Motor(law) => return Vector::from_fn(|k, _| if k == 0 { r[0] * law.most } else { 0.0 }),
        _ => {}
    }
    let (size, share) = (tangent_norm(&r), random.unit());
    r[0] = random.unit();
    let limit = if law.kind() == Kind::Frictionless { 0.0 } else { law.mu() * r[0] };
    for k in 1..D {
        r[k] *= if size > 0.0 { share * limit / size } else { 0.0 };
    }
    r
}

/// Whether the law admits an impulse, to rounding.
fn admits<const D: usize>(law: &Law, r: &Vector<D>) -> bool {
    match law {
        Law::Bilateral(law) => r.iter().skip(law.rows.into()).all(|&x| x == 0.0),
        Law::Motor(law) => r[0].abs() <= law.most && tangent_norm(r) == 0.0,
        law => r[0] >= 0.0 && tangent_norm(r) <= law.mu() * r[0] + 1e-15,
    }
}

fn projections<const D: usize>() {
    let random = &mut Random(D as u64);
    for _ in 0..4000 {
        for kind in DRY {
            let law = any(kind, random);
            let [a, b]: [Vector<D>; 2] = [random.vector(), random.vector()];
            let (p, p_b) = (law.project(a), law.project(b));
            assert!(admits(&law, &p), "{law:?} at {a}: {p} is not admissible");
            assert!((law.project(p) - p).norm() <= 1e-15, "{law:?} at {a}: not idempotent");
            assert!((p - p_b).norm() <= (a - b).norm() * (1.0 + 1e-15), "{law:?} at {a}, {b}: expansive");
            // nearest: (a − p)·(k − p) ≤ 0 for every admissible k
            let k: Vector<D> = admissible(&law, random);
            assert!((law.project(k) - k).norm() <= 1e-15, "{law:?}: {k} is admissible and moved");
            assert!((a - p).dot(&(k - p)) <= 1e-15, "{law:?} at {a}: {k} is nearer than {p}");
        }
    }
}

#[test]
fn projections_are_projections() {
    projections::<1>();
    projections::<2>();
    projections::<3>();
}

/// Without friction and without a tangential part, the cone once took a pull for its own.
#[test]
fn a_pull_without_tangent_projects_to_zero() {
    for law in [Law::coulomb(0.0), Law::convex(0.0), Law::coulomb(0.5)] {
        assert_eq!(law.project(Vector::<1>::new(-2.0)), Vector::<1>::zeros());
        assert_eq!(law.project(Vector::<3>::new(-2.0, 0.0, 0.0)), Vector::<3>::zeros());
        assert_eq!(law.natural_map(&Vector::<1>::zeros(), &Vector::<1>::new(2.0)), Vector::<1>::zeros());
    }
}

/// How far (r, u) is from the law as the textbooks write it, without projection or natural map.
fn violation<const D: usize>(law: &Law, r: &Vector<D>, u: &Vector<D>) -> f64 {
    let (mu, r_T, u_T) = (law.mu(), tangent_norm(r), tangent_norm(u));
    let cone = (r_T - mu * r[0]).max(-r[0]).max(0.0);
    match law {
        Law::Bilateral(law) => {
            (0..D).map(|k| if k < law.rows.into() { u[k].abs() } else { r[k].abs() }).fold(0.0, f64::max)
        }
        Law::Motor(law) => {
            // where it moves, the impulse is at the end that opposes the motion
            let from_end = (r[0] + law.most.copysign(u[0])).abs();
            (r[0].abs() - law.most).max(from_end.min(u[0].abs())).max(r_T)
        }
        Law::Frictionless(_) => r[0].min(u[0]).abs().max(r_T),
        Law::Coulomb(_) => {
            // r_T |u_T| = −μ r_N u_T
            let slip = (1..D).map(|k| (r[k] * u_T + mu * r[0] * u[k]).abs()).fold(0.0, f64::max);
            cone.max(r[0].min(u[0]).abs()).max(slip)
        }
        Law::Convex(_) => cone.max(mu * u_T - u[0]).max(-u[0]).max(r.dot(u).abs()),
        law => unreachable!("{law:?} is not among the families of this file"),
    }
}

/// A random pair that obeys the law: open, sticking or sliding.
fn lawful<const D: usize>(law: &Law, random: &mut Random) -> (Vector<D>, Vector<D>) {
    let mut r = admissible(law, random);
    let mut u: Vector<D> = random.vector();
    let mu = law.mu();
    match (law.kind(), random.below(3)) {
        (Kind::Bilateral, _) => {
            let Law::Bilateral(law) = law else { unreachable!("of that kind") };
            (0..D.min(law.rows.into())).for_each(|k| u[k] = 0.0);
        }
        (Kind::Motor, 0) => u[0] = 0.0,
        (Kind::Motor, _) => {
            let Law::Motor(law) = law else { unreachable!("of that kind") };
            r[0] = -law.most.copysign(u[0]);
        }
        (Kind::Frictionless, 0) | (Kind::Coulomb, 0) => (r, u[0]) = (Vector::zeros(), u[0].abs()),
        (Kind::Convex, 0) => (r, u[0]) = (Vector::zeros(), u[0].abs() + mu * tangent_norm(&u)),
        (Kind::Frictionless, _) => u[0] = 0.0,
        (_, 1) => u = Vector::zeros(),
        (kind, _) => {
            // slide: r on the cone against u_T
            let u_T = tangent_norm(&u);
            u[0] = if kind == Kind::Convex { mu * u_T } else { 0.0 };
            for k in 1..D {
                r[k] = -mu * r[0] * u[k] / u_T;
            }
        }
    }
    (r, u)
}

fn natural_maps<const D: usize>() {
    let random = &mut Random(10 + D as u64);
    for _ in 0..4000 {
        for kind in DRY {
            let law = any(kind, random);
            let (r, u) = lawful::<D>(&law, random);
            assert!(violation(&law, &r, &u) < 1e-14, "{law:?}: the test's own pair is not lawful");
            let map = law.natural_map(&r, &u).norm();
            assert!(map < 1e-14, "{law:?}, r {r} u {u}: lawful, but the map is {map:e}");
            // off the law by any amount, the map and the violation agree that it is off
            for step in [1.0, 1e-2, 1e-4] {
                let (r, u): (Vector<D>, Vector<D>) =
                    (r + random.vector::<D>() * step, u + random.vector::<D>() * step);
                let (map, off) = (law.natural_map(&r, &u).norm(), violation(&law, &r, &u));
                assert!(
                    off < 1e-3 * step || map > 1e-9 * step,
                    "{law:?} r {r} u {u}: {off:e} unseen, {map:e}"
                );
                assert!(map < 1e-3 * step || off > 1e-9 * step, "{law:?} r {r} u {u}: {map:e} for {off:e}");
            }
        }
    }
}

#[test]
fn the_natural_map_is_zero_where_the_law_holds_and_only_there() {
    natural_maps::<1>();
    natural_maps::<2>();
    natural_maps::<3>();
}
