//! Joints that cannot be are refused with the remedy, and nothing changes.

use super::{at, ball, hanging};
use stickslip::bodies::Course;
use stickslip::joints::JointFault;
use stickslip::{Body, Joint, Overlaps, World};
use stickslip_geometry::shape::{Ball, Shape};
use stickslip_geometry::space::{Pose, Vector};
use stickslip_solvers::panel::{AnyMethod, InteriorPoint};

type V = Vector<3>;

#[test]
fn bad_input_is_refused() {
    let (mut world, hook) = hanging::<3>();
    let wall = world.add(Body::fixed(Shape::Ball(Ball { radius: 0.1 }), Pose::at(at(3.0, 0.0)))).unwrap();
    let body = world.add(Body { name: Some("bob".into()), ..ball(1.0, at(1.0, 0.0)) }).unwrap();
    let mut other = World::<3>::default();
    (0..9).for_each(|_| drop(other.add(ball(1.0, V::zeros()))));
    let stranger = other.add(ball(1.0, V::zeros())).unwrap();
    let (o, z) = (V::zeros(), V::z());
    let slow = Course::Constant(1.0);
    let empty = Course::Table(vec![]);
    for (joint, word) in [
        (Joint::ball(hook, stranger, o), "no body 9"),
        (Joint::ball(body, body, o), "bob with itself"),
        (Joint::ball(hook, wall, o), "neither"),
        (Joint::ball(hook, body, V::repeat(f64::NAN)), "point is not finite"),
        (Joint::hinge(hook, body, o, V::repeat(f64::INFINITY)), "axis is not finite"),
        (Joint::hinge(hook, body, o, o), "axis is zero"),
        (Joint::slider(hook, body, o, o), "axis is zero"),
        (Joint::rod(hook, body, o, o), "length is 0"),
        (Joint::rope(hook, body, o, z, 0.0), "length is 0"),
        (Joint::rope(hook, body, o, z, f64::NAN), "length is NaN"),
        (Joint::rod(hook, body, o, V::repeat(f64::NAN)), "second point is not finite"),
        (Joint::hinge(hook, body, o, z).limited(1.0, 0.0), "limits are 1 and 0"),
        (Joint::hinge(hook, body, o, z).limited(f64::NAN, 0.0), "limits are NaN"),
        (Joint::hinge(hook, body, o, z).limited(f64::NEG_INFINITY, f64::INFINITY), "finite"),
        (Joint::ball(hook, body, o).limited(0.0, 1.0), "a ball joint has no limits"),
        (Joint::fixed(hook, body).driven(slow.clone(), 1.0), "a fixed joint has no motor"),
        (Joint::rod(hook, body, o, z).driven(slow.clone(), 1.0), "a distance joint has no motor"),
        (Joint::hinge(hook, body, o, z).driven(slow.clone(), -1.0), "at most -1"),
        (Joint::hinge(hook, body, o, z).driven(slow.clone(), f64::NAN), "at most NaN"),
        (Joint::hinge(hook, body, o, z).driven(empty, 1.0), "a table has no rows"),
        (Joint::hinge(hook, body, o, z).driven(Course::Constant(f64::NAN), 1.0), "speed is not finite"),
    ] {
        let error = world.join(joint.named("elbow")).unwrap_err();
        assert_eq!(error.name, "elbow");
        let text = error.to_string();
        assert!(text.starts_with("joint elbow: ") && text.contains(word), "{text} lacks {word}");
        assert!(world.joints().is_empty());
    }
    let id = world.join(Joint::ball(hook, body, o).named("elbow")).unwrap();
    assert_eq!(world.joints().find("elbow"), Some(id));
    assert_eq!(world.joints().bodies(id), Some((hook, body)));
    assert_eq!(world.coordinate(id), None);
    let again = world.join(Joint::ball(hook, body, o).named("elbow")).unwrap_err();
    assert_eq!(again.fault, JointFault::Name);
}

/// A solver that knows no motors is refused before the step.
#[test]
fn solvers_that_do_not_know_the_law_are_refused() {
    let (mut world, hook) = hanging::<2>();
    world.solver = Some(AnyMethod::from(InteriorPoint::default()));
    let body = world.add(ball(1.0, at(1.0, 0.0))).unwrap();
    world.join(Joint::ball(hook, body, Vector::zeros())).unwrap();
    assert!(world.step(1e-3).unwrap().converged());
    world.join(Joint::pin(hook, body, Vector::zeros()).driven(Course::Constant(1.0), 1.0)).unwrap();
    let error = world.step(1e-3).unwrap_err().to_string();
    assert!(error.contains("interior-point") && error.contains("motor") && error.contains("auto"), "{error}");
}

/// Jointed bodies do not touch each other unless told to.
#[test]
fn jointed_bodies_overlap_in_peace() {
    for collides in [false, true] {
        let (mut world, _) = hanging::<2>();
        world.gravity = Vector::zeros();
        world.overlapping = Overlaps::Accept;
        let a = world.add(ball(1.0, at(1.0, 0.0))).unwrap();
        let b = world.add(ball(1.0, at(1.1, 0.0))).unwrap();
        let joint = Joint::rope(a, b, at(1.0, 0.0), at(1.1, 0.0), 1.0);
        world.join(if collides { joint.colliding() } else { joint }).unwrap();
        let report = world.step(1e-2).unwrap();
        assert_eq!(report.contacts, usize::from(collides));
    }
}
