//! What impulses do to bodies, carried along as one velocity a body.
//!
//! ```text
//! v = M⁻¹ H r        u = Hᵀ v + q        v_y = v + β (v − v_last)
//! ```
//!
//! A step reads each contact once: impulses are summed on bodies as they are, and divided by their mass where the step is
//! taken up. Bodies are few and fit the caches; of a contact without friction between round bodies an iteration reads its
//! normal and its bodies (32 bytes), q, and two impulses of which one is replaced: 56 bytes read, 8 written.

use super::Bodies;
use super::carried::{Carried, Carries, Change};
use super::runs::Runs;
use super::sides::{Acting, of_sides};
use crate::block::Vector;
use crate::parallel;

/// One velocity a body.
pub(crate) struct ByBodies<'a, const D: usize, const B: usize> {
    W: &'a Bodies<D, B>,
    runs: &'a Runs,
    /// Velocities now and at y.
    now: Vec<[f64; B]>,
    at_y: Vec<[f64; B]>,
    /// What the impulses of the last step within the reach of their runs give to each body, by even runs and by odd ones.
    pushes: Vec<[f64; B]>,
    odd_pushes: Vec<[f64; B]>,
}

impl<const D: usize, const B: usize> Carries<D> for Bodies<D, B> {
    type Carried<'a> = ByBodies<'a, D, B>;

    fn carried(&self, r: &[Vector<D>]) -> ByBodies<'_, D, B> {
        let mut now = vec![[0.0; B]; self.mass_factor.len()];
        of_sides!(&self.sides, sides => self.move_bodies(sides, r, &mut now));
        let odd_pushes = vec![[0.0; B]; now.len()];
        ByBodies { W: self, runs: self.runs(), at_y: now.clone(), pushes: now.clone(), odd_pushes, now }
    }
}

impl<const D: usize, const B: usize> ByBodies<'_, D, B> {
    /// The part of body b in `dᵀWd = (v⁺ − v_y)ᵀ M (v⁺ − v_y)`.
    fn curvature_of(&self, sides: &impl Acting<D, B>, r: &[Vector<D>], b: usize) -> f64 {
        let v = self.runs.settled(sides, r, b, [&self.pushes[b], &self.odd_pushes[b]]);
        let (at_y, mobility) = (&self.at_y[b], sides.mobility(b));
        (0..B).map(|k| (v[k] - at_y[k]) * (v[k] - at_y[k]) / mobility[k]).sum()
    }
}

impl<const D: usize, const B: usize> Carried<D> for ByBodies<'_, D, B> {
    fn step<const N: usize>(&mut self, r: &mut [Vector<D>], change: &impl Change<D, N>) -> [f64; N] {
        let ByBodies { W, runs, at_y, pushes, odd_pushes, .. } = self;
        let pushes = [&mut **pushes, &mut **odd_pushes];
        let sums = of_sides!(&W.sides, sides => runs.work(r, pushes, [0.0; B], |first, r, low, reach| {
            let mut sums = [0.0; N];
            for (k, r_i) in r.iter_mut().enumerate() {
                let u = sides.velocity_at(first + k, at_y);
                sums = parallel::add(sums, change.change(first + k, u, r_i));
                sides.push_within(first + k, r_i, low, reach);
            }
            sums
        }));
        sums.into_iter().fold([0.0; N], parallel::add)
    }

    fn curvature(&self, r: &[Vector<D>], _d: impl Fn(usize) -> Vector<D> + Sync) -> f64 {
        let bodies = self.now.len();
        of_sides!(&self.W.sides, sides => parallel::sum(bodies, |b| self.curvature_of(sides, r, b)))
    }

    fn take_up(&mut self, r: &[Vector<D>], beta: f64) {
        let ByBodies { W, runs, now, at_y, pushes, odd_pushes } = self;
        // in place: pushes become velocities, those now become those at y
        of_sides!(&W.sides, sides => parallel::update_both(pushes, now, |b, push, now| {
            let next = runs.settled(sides, r, b, [push, &odd_pushes[b]]);
            *now = std::array::from_fn(|k| next[k] + (next[k] - now[k]) * beta);
            *push = next;
        }));
        std::mem::swap(now, at_y);
        std::mem::swap(now, pushes);
    }

    fn velocities(&self, q: &[Vector<D>], u: &mut [Vector<D>]) {
        of_sides!(&self.W.sides, sides => parallel::fill(u, |i| sides.velocity_at(i, &self.now) + q[i]));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Bodies, Delassus, RoundContact};
    use super::*;
    use crate::laws::Law;
    use crate::panel::{AnyMethod, PANEL};
    use crate::problem::ContactProblem;
    use crate::stop::Stop;

    /// A cube of n³ round bodies on a floor, in contact along the edges of a grid that are a little askew; every seventh body
    /// also touches one far away.
    fn cube(n: usize) -> Delassus<3> {
        let place = |x: usize, y: usize, z: usize| (x + n * (y + n * z)) as u32;
        let mut pairs = Vec::new();
        for (z, y, x) in (0..n).flat_map(|z| (0..n).flat_map(move |y| (0..n).map(move |x| (z, y, x)))) {
            let own = place(x, y, z);
            let mut touch = |other: u32| pairs.push([own, other]);
            [(x + 1, y, z), (x, y + 1, z), (x, y, z + 1)]
                .into_iter()
                .filter(|&(x, y, z)| x < n && y < n && z < n)
                .for_each(|(x, y, z)| touch(place(x, y, z)));
            if own % 7 == 3 {
                touch((own * 31 + 5) % (n * n * n) as u32);
            }
        }
        let floor = (0..n * n).map(|b| [RoundContact::FIXED, b as u32]);
        let contact = |(i, bodies): (usize, [u32; 2])| {
            let (s, c) = (0.1 + 1.3 * i as f64).sin_cos();
            RoundContact {
                frame: [[c, s, 0.0], [-0.6 * s, 0.6 * c, 0.8], [0.8 * s, -0.8 * c, 0.6]],
                // along the normal: without friction nothing turns
                arms: [[c, s, 0.0], [-c, -s, 0.0]],
                bodies,
            }
        };
        let contacts = floor.chain(pairs).enumerate().map(contact).collect();
        let roots: Vec<[f64; 2]> = (0..n * n * n).map(|b| [0.7 + 0.1 * (b % 5) as f64, 1.5]).collect();
        Delassus::Bodies6(Bodies::of_round(&roots, contacts))
    }

    fn impulses<const D: usize>(contacts: usize, salt: f64) -> Vec<Vector<D>> {
        (0..contacts).map(|i| Vector::from_fn(|k, _| (salt * (i * D + k) as f64).sin())).collect()
    }

    /// Takes impulses from a list, and keeps the velocities at y.
    struct Given<'a, const D: usize> {
        r: &'a [Vector<D>],
        at_y: std::sync::Mutex<Vec<Vector<D>>>,
    }

    impl<const D: usize> Change<D, 1> for Given<'_, D> {
        fn change(&self, i: usize, Wy_i: Vector<D>, r_i: &mut Vector<D>) -> [f64; 1] {
            *r_i = self.r[i];
            self.at_y.lock().unwrap()[i] = Wy_i;
            [1.0]
        }
    }

    fn assert_carries<const D: usize, const B: usize>(
        W: &Bodies<D, B>,
        product: impl Fn(&[Vector<D>]) -> Vec<Vector<D>>,
    ) {
        let contacts = W.diagonal.len();
        let [mut r, next, after] = [0.3, 0.7, 1.1].map(|salt| impulses::<D>(contacts, salt));
        let first = r.clone();
        let mut carried = W.carried(&r);
        let given = |r| Given { r, at_y: std::sync::Mutex::new(vec![Vector::zeros(); contacts]) };
        let assert_near = |found: &[Vector<D>], wanted: &[Vector<D>]| {
            for (i, (found, wanted)) in found.iter().zip(wanted).enumerate() {
                assert!((found - wanted).norm() < 1e-12 * (1.0 + wanted.norm()), "contact {i}");
            }
        };
        let change = given(&next);
        assert_eq!(carried.step(&mut r, &change), [contacts as f64]);
        assert_near(&change.at_y.into_inner().unwrap(), &product(&first));
        let d: Vec<Vector<D>> = r.iter().zip(&first).map(|(r, first)| r - first).collect();
        let curvature: f64 = d.iter().zip(product(&d)).map(|(d, Wd)| d.dot(&Wd)).sum();
        assert!((carried.curvature(&r, |i| d[i]) - curvature).abs() < 1e-10 * curvature);
        carried.take_up(&r, 0.5);
        let mut u = vec![Vector::zeros(); contacts];
        carried.velocities(&first, &mut u);
        let wanted: Vec<Vector<D>> = product(&next).iter().zip(&first).map(|(u, q)| u + q).collect();
        assert_near(&u, &wanted);
        let y: Vec<Vector<D>> = next.iter().zip(&first).map(|(r, last)| r + (r - last) * 0.5).collect();
        let change = given(&after);
        carried.step(&mut r, &change);
        assert_near(&change.at_y.into_inner().unwrap(), &product(&y));
    }

    #[test]
    fn what_is_carried_is_what_the_blocks_do() {
        let Delassus::Bodies6(W) = cube(20) else { unreachable!() };
        // by blocks of Ĥ, which know nothing of runs
        let by_blocks = |r: &[Vector<3>]| {
            let mut v = vec![nalgebra::SMatrix::<f64, 6, 1>::zeros(); W.mass_factor.len()];
            for (i, r) in r.iter().enumerate() {
                W.sides.for_blocks(i, |side| v[side.body as usize] += side.H * r);
            }
            let mut u = vec![Vector::<3>::zeros(); r.len()];
            for (i, u) in u.iter_mut().enumerate() {
                W.sides.for_blocks(i, |side| *u += side.H.tr_mul(&v[side.body as usize]));
            }
            u
        };
        assert_carries(&W, by_blocks);
    }

    #[test]
    fn gradient_methods_have_the_same_bits_on_any_number_of_threads() {
        let W = cube(24).normals().unwrap();
        let contacts = W.contacts();
        let q = (0..contacts).map(|i| Vector::<1>::new((0.9 * i as f64).cos() - 0.4)).collect();
        let problem = ContactProblem::new(W, q, vec![Law::frictionless(); contacts]).unwrap();
        for entry in PANEL.iter().filter(|entry| entry.name.contains("pgd")) {
            let method = AnyMethod::parse(entry.name, &entry.defaults()).unwrap();
            let on = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut r = vec![Vector::<1>::zeros(); contacts];
                let stop = Stop { tolerance: 0.0, max_iterations: 20, ..Stop::default() };
                let outcome = pool.install(|| method.build::<1>().solve(&problem, &mut r, &stop));
                (r.iter().map(|r| r[0].to_bits()).collect::<Vec<_>>(), outcome.residual.scaled.to_bits())
            };
            let alone = on(1);
            assert!(alone.0.iter().any(|&bits| bits != 0), "{}: nothing happened", entry.name);
            assert!(alone == on(2) && alone == on(7), "{}", entry.name);
        }
    }
}
