//! A ball that falls on a tilted plane: every scheme meets the exact motion at first order in the time step.

use stickslip::rigid::Rigid;
use stickslip::schemes::{Convex, Exact, FixedPoint, Maury, MoreauJean};
use stickslip::{Body, Material, Scheme, World};
use stickslip_geometry::shape::{Ball, HalfSpace, Shape};
use stickslip_geometry::space::{Dim, Pose, Vector};

const G: f64 = 9.81;
const ANGLE: f64 = 0.35;
const RADIUS: f64 = 0.1;
const HEIGHT: f64 = 0.4;
const SECONDS: f64 = 0.8;

/// Way down the slope, height of the centre over the plane, and way of the surface by turning, after Bloch 2023, appendix
/// B; `share` is I/(m r²).
fn exact(mu: f64, share: f64, t: f64) -> [f64; 3] {
    let (along, across) = (G * ANGLE.sin(), G * ANGLE.cos());
    let impact = (2.0 * HEIGHT / across).sqrt();
    if t <= impact {
        return [0.5 * along * t * t, RADIUS + HEIGHT - 0.5 * across * t * t, 0.0];
    }
    let (v_t, v_n, s) = (along * impact, across * impact, t - impact);
    // at the impact, and later under the weight, friction either makes the ball roll or is not enough
    let to_roll = share / (1.0 + share);
    let slows = (v_t * to_roll).min(mu * v_n);
    let brakes = if mu * v_n >= v_t * to_roll { (along * to_roll).min(mu * across) } else { mu * across };
    let way = 0.5 * along * impact * impact + (v_t - slows) * s + 0.5 * (along - brakes) * s * s;
    let turned = (slows * s + 0.5 * brakes * s * s) / share;
    [way, RADIUS, turned]
}

/// Error over the run, as in Bloch 2023, 3.2.
fn error<const D: usize>(scheme: &Scheme, mu: f64, share: f64, h: f64) -> f64
where
    Dim<D>: Rigid<D>,
{
    let mut world = World::<D>::new(scheme.clone());
    world.stop.tolerance = 1e-12;
    world.gravity[0] = G * ANGLE.sin();
    world.gravity[D - 1] = -G * ANGLE.cos();
    world.materials.define("", Material { mu, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    let mut x = Vector::zeros();
    x[D - 1] = RADIUS + HEIGHT;
    let ball = world.add(Body::new(Shape::Ball(Ball { radius: RADIUS }), Pose::at(x))).unwrap().index();
    let (mut sum, mut turned) = (0.0, 0.0);
    while world.time() < SECONDS - 0.5 * h {
        world.step(h).unwrap();
        let bodies = world.bodies();
        // the turn as the way of the surface, which no orientation counts beyond half a turn
        let top = bodies.velocity_at(ball, &{
            let mut arm = Vector::zeros();
            arm[D - 1] = RADIUS;
            arm
        });
        turned += h * (top[0] - bodies.v[ball][0]);
        let [way, height, surface] = exact(mu, share, world.time());
        let errors = [bodies.x[ball][0] - way, bodies.x[ball][D - 1] - height, turned - surface];
        sum += h * errors.map(|e| e * e).iter().sum::<f64>();
    }
    sum.sqrt()
}

/// The mean order over four halvings; an impact that falls on the grid by chance spoils single ones.
fn order<const D: usize>(scheme: &Scheme, mu: f64, share: f64) -> f64
where
    Dim<D>: Rigid<D>,
{
    let h = [8e-3, 5e-4];
    let [coarse, fine] = h.map(|h| {
        let near = [1.0, 0.93, 0.87, 0.81, 0.77];
        near.iter().map(|part| error::<D>(scheme, mu, share, h * part)).sum::<f64>()
    });
    (coarse / fine).log2() / (h[0] / h[1]).log2()
}

fn check(scheme: Scheme, mu: f64) {
    let orders = [order::<2>(&scheme, mu, 0.5), order::<3>(&scheme, mu, 0.4)];
    for order in orders {
        assert!((0.85..1.4).contains(&order), "{} at mu {mu}: order {order}", scheme.name());
    }
}

#[test]
fn without_friction() {
    for scheme in
        [Scheme::from(Maury), Convex.into(), FixedPoint.into(), Exact.into(), MoreauJean::default().into()]
    {
        check(scheme, 0.0);
    }
}

#[test]
fn slipping() {
    for scheme in [Scheme::from(Convex), FixedPoint.into(), Exact.into(), MoreauJean::default().into()] {
        check(scheme, 0.1);
    }
}

#[test]
fn sticking() {
    for scheme in [Scheme::from(Convex), FixedPoint.into(), Exact.into(), MoreauJean::default().into()] {
        check(scheme, 1.0);
    }
}
