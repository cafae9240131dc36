//! The forms of W agree: stored blocks, factored by bodies, factored by a sparse mass; and what they weigh.

#![allow(non_snake_case)]
// a counting allocator cannot be written without `unsafe`; this one only counts and passes on
#![allow(unsafe_code)]

mod support;

use nalgebra::SMatrix;
use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;
use stickslip_solvers::block::Vector;
use stickslip_solvers::delassus::{Bodies, Delassus, DelassusError, Side};
use stickslip_solvers::fclib::{Fclib, Form};
use stickslip_solvers::laws::Law;
use stickslip_solvers::problem::{ContactProblem, ProblemError};
use stickslip_solvers::residual::residual;
use stickslip_solvers::sparse::Sparse;
use support::{Random, System, assembled, dense, distance, generate, norm, solve};

/// Counts the bytes that the current thread holds.
struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let _ = HELD.try_with(|held| held.set(held.get() + bytes));
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { Heap.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { Heap.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn systems<const D: usize>() -> Vec<(&'static str, System<D>)> {
    let law = Law::coulomb(0.5);
    vec![
        ("pile", generate::pile(1, 20, 50, 10.0, law)),
        ("heavy and light", generate::pile(2, 20, 50, 1e6, law)),
        ("stack", generate::stack(3, 10, 5.0, law)),
        ("doubled", generate::doubled(&generate::pile(4, 15, 30, 1.0, law))),
        ("elastic", generate::elastic(5, 40, law)),
        ("mixed laws", generate::pile(6, 30, 60, 1.0, law).with_laws(generate::mixed)),
    ]
}

/// Runs a check on every system in every dimension.
fn everywhere(
    check: fn(&str, &[ContactProblem<1>]),
    flat: fn(&str, &[ContactProblem<2>]),
    space: fn(&str, &[ContactProblem<3>]),
) {
    fn run<const D: usize>(check: fn(&str, &[ContactProblem<D>])) {
        for (name, system) in systems::<D>() {
            let forms = [system.stored(), system.factored(), system.by_sparse_mass()];
            let expected = if name == "elastic" { "sparse mass" } else { "bodies" };
            assert!(forms[0].W.form().contains("stored"));
            assert!(forms[1].W.form().contains(expected), "D = {D}, {name}: {}", forms[1].W.form());
            assert!(forms[2].W.form().contains("sparse mass"));
            check(&format!("D = {D}, {name}"), &forms);
        }
    }
    run(check);
    run(flat);
    run(space);
}

fn same_operator<const D: usize>(name: &str, forms: &[ContactProblem<D>]) {
    let contacts = forms[0].contacts();
    let r: Vec<Vector<D>> = Random(9).vectors(contacts);
    let u: Vec<_> = forms.iter().map(|problem| problem.velocities(&r)).collect();
    for (problem, u_form) in forms.iter().zip(&u).skip(1) {
        let form = problem.W.form();
        let off = distance(u_form, &u[0]) / norm(&u[0]);
        assert!(off < 1e-13, "{name}, {form}: products differ by {off:e}");
        for i in 0..contacts {
            let (W_ii, reference) = (problem.W.diagonal(i), forms[0].W.diagonal(i));
            let off = (W_ii - reference).norm() / reference.norm();
            assert!(off < 1e-13, "{name}, {form}: W_ii of contact {i} differs by {off:e}");
            assert!((problem.W.scale(i) - reference.trace() / D as f64).abs() <= 1e-13 * reference.norm());
        }
    }
    // and the stored one is what was put in
    let W = assembled(&forms[0]);
    for form in &forms[1..] {
        assert!((assembled(form) - &W).norm() <= 1e-13 * W.norm(), "{name}: {}", form.W.form());
    }
}

#[test]
fn products_and_diagonals_agree() {
    everywhere(same_operator, same_operator, same_operator);
}

/// As a file would hold it, with velocities without impulses or without, a problem is the same one.
fn same_file<const D: usize>(name: &str, forms: &[ContactProblem<D>]) {
    for problem in forms {
        let problem = problem.with_laws(|law| Law::coulomb(law.mu()));
        let r: Vec<Vector<D>> = Random(4).vectors(problem.contacts());
        let u = problem.velocities(&r);
        let dofs = problem.W.factors().map_or(0, |(M, _)| M.rows);
        let v_free: Vec<f64> = (0..dofs).map(|k| (k as f64).sin()).collect();
        for v_free in [None, Some(v_free.as_slice())] {
            let file = Fclib::of_problem(&problem, v_free).unwrap();
            let by_bodies = problem.W.form().contains("bodies");
            assert_eq!(matches!(file.form, Form::Global { .. }), by_bodies, "{name}: {}", problem.W.form());
            let back = file.problem::<D>(Law::coulomb).unwrap();
            assert_eq!(back.laws, problem.laws);
            let off = distance(&back.velocities(&r), &u) / norm(&u);
            assert!(off < 1e-12, "{name}, {}: {off:e}", problem.W.form());
        }
    }
    let jointed = forms[0].with_laws(|_| Law::bilateral());
    assert!(Fclib::of_problem(&jointed, None).unwrap_err().to_string().contains("block 0"));
}

#[test]
fn problems_go_to_files_and_back() {
    everywhere(same_file, same_file, same_file);
}

#[test]
fn normals_alone_are_the_frictionless_problem() {
    let system = generate::pile::<3>(8, 20, 50, 10.0, Law::coulomb(0.5));
    assert!(system.factored().normals().is_none(), "friction needs tangents");
    let problem = system.factored().with_laws(|_| Law::frictionless());
    assert!(system.stored().with_laws(|_| Law::frictionless()).normals().is_none());
    let normals = problem.normals().unwrap();
    let (r, outcome) = solve("nlgs-accelerated", &normals, 1e-12, 100_000);
    assert_eq!(outcome.status.name(), "converged");
    let whole: Vec<Vector<3>> = r.iter().map(|r| Vector::<3>::new(r[0], 0.0, 0.0)).collect();
    assert!(residual(&problem, &whole).scaled < 1e-11);
}

/// Impulses along normals through the centres turn nothing: three degrees of freedom a body are enough.
#[test]
fn normals_of_spheres_need_no_turns() {
    let W = |offset: f64| {
        let side = |sign: f64, body: u32| {
            let mut H = SMatrix::<f64, 6, 3>::zeros();
            H.fixed_view_mut::<3, 3>(0, 0).fill_diagonal(sign);
            // torques of tangents at an arm of one along the normal, and of a normal beside the centre
            (H[(5, 1)], H[(4, 2)], H[(4, 0)]) = (1.0, -1.0, offset);
            Side { H, body }
        };
        let sides = vec![side(1.0, 0), side(-1.0, 0), side(1.0, 1)];
        let mass = [SMatrix::identity() * 2.0, SMatrix::identity() * 3.0];
        Delassus::Bodies6(Bodies::new(&mass, vec![0, 1, 3], sides).unwrap())
    };
    assert!(matches!(W(0.1).normals(), Some(Delassus::Bodies6(_))));
    let (whole, normals) = (W(1e-14), W(1e-14).normals().unwrap());
    assert!(matches!(normals, Delassus::Bodies3(_)));
    let (mut u, mut u_N) = (vec![Vector::<3>::zeros(); 2], vec![Vector::<1>::zeros(); 2]);
    whole.product().apply(&[Vector::<3>::new(0.7, 0.0, 0.0), Vector::<3>::new(-1.3, 0.0, 0.0)], &mut u);
    normals.product().apply(&[Vector::<1>::new(0.7), Vector::<1>::new(-1.3)], &mut u_N);
    assert_eq!([u[0][0], u[1][0]], [u_N[0][0], u_N[1][0]]);
    assert_eq!(whole.diagonal(1)[(0, 0)], normals.diagonal(1)[(0, 0)]);
}

/// Sweeps visit contacts one at a time, through another path of each form than products: after a fixed number the
/// impulses differ by rounding only.
fn same_sweeps<const D: usize>(name: &str, forms: &[ContactProblem<D>]) {
    let found: Vec<_> = forms.iter().map(|problem| solve("nlgs", problem, 0.0, 40)).collect();
    for ((r, outcome), problem) in found.iter().zip(forms).skip(1) {
        let off = distance(r, &found[0].0) / norm(&found[0].0);
        assert!(off < 1e-9, "{name}, {}: impulses differ by {off:e}", problem.W.form());
        let residuals = (outcome.residual.scaled, found[0].1.residual.scaled);
        assert!((residuals.0 - residuals.1).abs() < 1e-9, "{name}: {residuals:?}");
    }
}

#[test]
fn sweeps_agree() {
    everywhere(same_sweeps, same_sweeps, same_sweeps);
}

/// At the solution of the convex problem velocities are unique, so they agree as far as the residual does.
fn same_solution<const D: usize>(name: &str, forms: &[ContactProblem<D>]) {
    if name.contains("heavy") {
        return;
    }
    let frictionless = |problem: &ContactProblem<D>| problem.with_laws(|_| Law::frictionless());
    let u: Vec<_> = forms
        .iter()
        .map(|problem| {
            let problem = frictionless(problem);
            let (r, outcome) = solve("apgd-asr", &problem, 1e-11, 20_000);
            assert!(outcome.residual.scaled < 1e-10, "{name}: {:?}", outcome.residual);
            problem.velocities(&r)
        })
        .collect();
    for u_form in &u[1..] {
        let off = distance(u_form, &u[0]) / norm(&forms[0].q);
        assert!(off < 1e-8, "{name}: velocities differ by {off:e}");
    }
}

#[test]
fn solutions_agree() {
    everywhere(same_solution, same_solution, same_solution);
}

#[test]
fn inverse_mass_is_the_inverse_of_m() {
    fn check<const D: usize>() {
        for (name, system) in systems::<D>() {
            let x: Vec<f64> = (0..system.M.rows).map(|i| (i as f64).sin()).collect();
            for problem in [system.factored(), system.by_sparse_mass()] {
                let back = problem.W.inverse_mass(&system.M.apply(&x)).unwrap();
                let off = back.iter().zip(&x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(off < 1e-12, "D = {D}, {name}: {off:e}");
            }
            assert!(system.stored().W.inverse_mass(&x).is_none());
        }
    }
    check::<1>();
    check::<2>();
    check::<3>();
}

/// A contact whose two sides are on one body, as between two parts of one rigid clump: the sides add up.
#[test]
fn both_sides_of_a_contact_on_one_body() {
    let system = generate::pile::<3>(7, 1, 2, 1.0, Law::coulomb(0.5));
    let H = dense(&system.H);
    let side =
        |column: usize, s: f64| Side { H: (H.fixed_view::<6, 3>(0, column) * s).into_owned(), body: 0 };
    let mass = dense(&system.M).fixed_view::<6, 6>(0, 0).into_owned();
    let W = Bodies::new(&[mass], vec![0, 2], vec![side(0, 1.0), side(3, -0.5)]).unwrap();
    let W = Delassus::Bodies6(W);
    let problem = ContactProblem::new(W, vec![Vector::zeros()], vec![Law::coulomb(0.5)]).unwrap();
    let by_product = assembled(&problem);
    let off = (by_product.fixed_view::<3, 3>(0, 0) - problem.W.diagonal(0)).norm() / by_product.norm();
    assert!(off < 1e-14, "W_ii is off its own product by {off}");
}

/// Memory of the factored form in space: at most 600 bytes a contact besides the bodies, whatever their number.
#[test]
fn memory_of_the_factored_form() {
    const BYTES_A_BODY: usize = 6 * 6 * 8;
    let check = |contacts: usize| {
        let bodies = contacts / 5;
        let system = generate::pile::<3>(8, bodies, contacts, 1.0, Law::coulomb(0.5));
        let before = HELD.get();
        let W = Delassus::<3>::factored(&system.M, &system.H).unwrap();
        let held = (HELD.get() - before) as usize;
        assert_eq!(W.form(), "factored by bodies");
        let a_contact = (held - BYTES_A_BODY * bodies) as f64 / contacts as f64;
        eprintln!("{contacts} contacts: {a_contact:.0} bytes each");
        assert!(a_contact > 200.0, "the count missed the arrays: {a_contact}");
        assert!(a_contact <= 600.0, "{contacts} contacts: {a_contact:.0} bytes each");
        drop(W);
        assert!((HELD.get() - before).unsigned_abs() < 1000, "memory was lost");
    };
    // memory is counted by thread: one of its own does all the work
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| [100_000, 157_000].map(check));
}

/// A Cholesky factor sees one triangle: an M that is not symmetric must not pass for one that is.
#[test]
fn asymmetric_mass_is_refused_or_symmetrised() {
    let H = Sparse::from_triplets(6, 3, &[(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)]);
    let mass = |off: f64| {
        let mut entries: Vec<(u32, u32, f64)> = (0..6).map(|i| (i, i, 2.0)).collect();
        entries.push((0, 1, off));
        Sparse::from_triplets(6, 6, &entries)
    };
    assert!(matches!(Delassus::<3>::factored(&mass(0.1), &H), Err(DelassusError::MassNotSymmetric { .. })));
    let W = Delassus::<3>::factored(&mass(1e-4), &H).unwrap();
    let W_ii = W.diagonal(0);
    // the symmetric part of [[2, 1e-4], [0, 2]]⁻¹
    assert!(
        (W_ii[(0, 1)] + 0.5 * 1e-4 / 4.0).abs() < 1e-15 && (W_ii[(0, 1)] - W_ii[(1, 0)]).abs() < 1e-18,
        "{W_ii}"
    );
    assert!((W.inverse_mass(&[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]).unwrap()[0] + 1e-4 / 4.0).abs() < 1e-15);
    let (mut u, r) = (vec![Vector::zeros()], vec![Vector::<3>::new(1.0, 2.0, 3.0)]);
    W.product().apply(&r, &mut u);
    assert!((u[0] - W_ii * r[0]).norm() < 1e-14);
}

/// Squares of such numbers overflow or vanish, and a residual of zero or NaN would be the answer.
#[test]
fn magnitudes_beyond_floating_point_are_refused() {
    for (q, W) in [(1e-163, 1.0), (1e300, 1.0), (1.0, 1e300), (1.0, 1e-200)] {
        let matrix = Sparse::from_triplets(1, 1, &[(0, 0, W)]);
        let problem = ContactProblem::<1>::new(
            Delassus::stored(&matrix).unwrap(),
            vec![Vector::<1>::new(-q)],
            vec![Law::frictionless()],
        );
        assert!(matches!(problem, Err(ProblemError::Magnitude { .. })), "q {q:e}, W {W:e}");
    }
}
