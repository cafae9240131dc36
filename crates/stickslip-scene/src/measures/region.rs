//! What a region holds: solid fraction and stress.

use crate::observers::View;
use stickslip::World;
use stickslip::packings::Region;
use stickslip::rigid::Rigid;
use stickslip_geometry::shape::Shape;
use stickslip_geometry::space::{Dim, Matrix, Vector};

/// Samples across a ball that a border cuts.
const ACROSS: usize = 16;

/// The part of a region that free bodies take up. Balls that its border cuts count by the part of sample points inside,
/// other bodies by where their centre is.
pub fn solid_fraction<const D: usize>(world: &World<D>, region: &Region<D>) -> f64
where
    Dim<D>: Rigid<D>,
{
    let bodies = world.bodies();
    let free = (0..bodies.len()).filter(|&b| bodies.is_free(b));
    let solid: f64 = free
        .map(|b| {
            let (shape, x) = (&bodies.shape[b], &bodies.x[b]);
            let volume = shape.mass(1.0).map_or(0.0, |mass| mass.mass);
            volume
                * match shape {
                    Shape::Ball(ball) => part_inside(region, x, ball.radius),
                    _ => f64::from(u8::from(region.holds(x, 0.0))),
                }
        })
        .sum();
    solid / region.volume()
}

/// The part of a ball that lies in a region.
fn part_inside<const D: usize>(region: &Region<D>, x: &Vector<D>, radius: f64) -> f64
where
    Dim<D>: Rigid<D>,
{
    if region.holds(x, radius) {
        return 1.0;
    }
    if !region.bounds().grown(radius).contains(&stickslip_geometry::shape::Bounds { low: *x, high: *x }) {
        return 0.0;
    }
    let (mut all, mut inside) = (0usize, 0usize);
    for number in 0..ACROSS.pow(D as u32) {
        let mut rest = number;
        let offset = Vector::<D>::from_fn(|_, _| {
            let k = rest % ACROSS;
            rest /= ACROSS;
            (k as f64 + 0.5) / ACROSS as f64 * 2.0 - 1.0
        });
        if offset.norm_squared() <= 1.0 {
            all += 1;
            inside += usize::from(region.holds(&(x + offset * radius), 0.0));
        }
    }
    inside as f64 / all.max(1) as f64
}

/// Σ f ⊗ ℓ / V over the contacts in a region, f the force on the second body and ℓ the way from the first centre to the
/// second; of a body that is not free, from the contact. Pressure is positive.
pub fn stress<const D: usize>(view: &View<D>, region: &Region<D>) -> Matrix<D>
where
    Dim<D>: Rigid<D>,
{
    let Some(report) = view.report else { return Matrix::<D>::zeros() };
    let bodies = view.world.bodies();
    let arm = |body: u32, arm: &Vector<D>| if bodies.is_free(body as usize) { *arm } else { Vector::zeros() };
    let mut sum = Matrix::<D>::zeros();
    for (contact, r) in view.world.contacts() {
        if region.holds(&contact.point, 0.0) {
            let way = arm(contact.key.a, &contact.arms[0]) - arm(contact.key.b, &contact.arms[1]);
            sum += r * way.transpose();
        }
    }
    sum / (report.h * region.volume())
}
