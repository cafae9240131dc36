//! A law of your own: Tresca's friction, on a block that is pushed along a floor.
//!
//! `cargo run --release -p stickslip-scene --example own_law`

#![allow(clippy::print_stdout, non_snake_case)]

use stickslip_geometry::space::{Matrix, Vector};
use stickslip_solvers::laws::ContactLaw;

// ANCHOR: law
/// Friction up to a constant impulse, whatever the pressure: K = R₊ × the ball of radius c.
struct Tresca {
    most: f64,
}

impl ContactLaw for Tresca {
    fn project<const D: usize>(&self, y: Vector<D>) -> Vector<D> {
        let tangent = along_tangents(&y);
        let mut p = tangent * (self.most / tangent.norm().max(self.most));
        p[0] = y[0].max(0.0);
        p
    }

    fn derivative<const D: usize>(&self, y: &Vector<D>) -> Matrix<D> {
        let tangent = along_tangents(y);
        let length = tangent.norm();
        let mut J = Matrix::<D>::identity();
        if length > self.most {
            // on the ball: across the direction alone
            let t = tangent / length;
            J = (J - t * t.transpose()) * (self.most / length);
        }
        J.fill_row(0, 0.0);
        J.fill_column(0, 0.0);
        J[(0, 0)] = f64::from(y[0] > 0.0);
        J
    }
}
// ANCHOR_END: law

fn along_tangents<const D: usize>(y: &Vector<D>) -> Vector<D> {
    let mut tangent = *y;
    tangent[0] = 0.0;
    tangent
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // a block of 2 kg pressed down and pushed: u = r/m + q
    let (m, law) = (2.0, Tresca { most: 1.5 });
    let q = Vector::<3>::new(-0.5, 1.0, 0.0);
    let mut r = Vector::<3>::zeros();
    for _ in 0..100 {
        let u = r / m + q;
        r = law.project(r - u * m * 0.5);
    }
    let u = r / m + q;
    // it rests on the floor, and friction takes c/m of its speed
    let expected = 1.0 - law.most / m;
    println!("r = {:.3?}, u = {:.3?}", r.as_slice(), u.as_slice());
    if (u - Vector::<3>::new(0.0, expected, 0.0)).norm() > 1e-12 {
        return Err("this is not Tresca's friction".into());
    }
    // the derivative is that of the projection
    let (y, d) = (Vector::<3>::new(0.3, 2.0, 1.0), Vector::<3>::new(1e-6, -2e-6, 3e-6));
    let change = law.project(y + d) - law.project(y);
    if (change - law.derivative(&y) * d).norm() > 1e-10 {
        return Err("the derivative is wrong".into());
    }
    Ok(())
}
