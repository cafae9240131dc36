//! Bodies: masses, centres and moments that are given, and forces.

use crate::support::scene;
use stickslip_geometry::space::Vector;

#[test]
fn forces_and_torques_move_a_body_of_given_mass_and_moment() {
    let scene = scene(
        r#"
dimension = 2
gravity = [0, 0]
time = { step = 1e-2, end = 1 }
[[body]]
name = "puck"
ball = { radius = 0.1 }
mass = 2
inertia = 0.5
force = { ramp = { from = [0, 0], to = [8, 0], begin = 0, end = 1 } }
torque = { constant = 1 }
"#,
    );
    let mut built = scene.build::<2>().unwrap();
    for _ in 0..100 {
        let report = built.world.step(1e-2).unwrap();
        assert!(report.energy.error().abs() < 1e-12);
    }
    let bodies = built.world.bodies();
    assert!((bodies.v[0] - Vector::<2>::new(2.0, 0.0)).norm() < 1e-9, "{}", bodies.v[0]);
    assert!((bodies.spin[0] - 2.0).abs() < 1e-9, "{}", bodies.spin[0]);
}

#[test]
fn copies_are_numbered_once() {
    let names = |name: &str| {
        let body = format!(
            "[[body]]\nname = \"{name}\"\nball = {{ radius = 1 }}\nrepeat = {{ count = 2, step = [3, 0] }}\n"
        );
        let built =
            scene(&format!("dimension = 2\ntime = {{ step = 1e-3, end = 1 }}\n{body}")).build::<2>().unwrap();
        [0, 1].map(|b| built.world.bodies().name(b))
    };
    assert_eq!(names("link"), ["link-0", "link-1"]);
    assert_eq!(names("link-{$i}"), ["link-0", "link-1"]);
}

#[test]
fn centre_and_moments_are_in_the_axes_of_the_body() {
    let scene = scene(
        r#"
dimension = 3
time = { step = 1e-3, end = 1 }
[[body]]
box = { size = [1, 1, 1] }
at = [5, 0, 0]
turn = [0, 0, 1.5707963267948966]
mass = 3
centre = [0.2, 0, 0]
inertia = [1, 2, 2.5]
"#,
    );
    let built = scene.build::<3>().unwrap();
    let bodies = built.world.bodies();
    assert!((bodies.x[0] - Vector::<3>::new(5.0, 0.2, 0.0)).norm() < 1e-12, "{}", bodies.x[0]);
    assert_eq!(bodies.mass[0], 3.0);
    let moments = bodies.inertia[0].unwrap();
    assert!((moments - Vector::<3>::new(1.0, 2.0, 2.5)).norm() < 1e-12, "{moments}");
}
