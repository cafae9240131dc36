//! A run of 2n steps equals n steps, save, load, n steps, to the last bit; a broken file is never taken up.

use std::fs;
use std::path::PathBuf;
use stickslip::checkpoint::CheckpointError;
use stickslip::joints::Joint;
use stickslip::packings::Random;
use stickslip::{Body, Material, World};
use stickslip_geometry::shape::{Ball, Cuboid, HalfSpace, Shape};
use stickslip_geometry::space::{Pose, Vector};

/// Balls and a hinged pair of blocks that fall on a floor, stirred by random pushes.
fn build() -> World<3> {
    let mut world = World::<3>::default();
    world.gravity[2] = -9.81;
    world.stop.tolerance = 1e-6;
    world.materials.define("", Material { mu: 0.4, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    for k in 0..20 {
        let x = Vector::<3>::new(0.07 * (k % 3) as f64, 0.08 * (k % 2) as f64, 0.06 + 0.11 * k as f64);
        world.add(Body::new(Shape::Ball(Ball { radius: 0.05 }), Pose::at(x))).unwrap();
    }
    let block = |x: f64| {
        let shape = Shape::Cuboid(Cuboid { half: Vector::<3>::new(0.1, 0.1, 0.1) });
        Body::new(shape, Pose::at(Vector::<3>::new(x, 0.0, 0.3)))
    };
    let [a, b] = [1.0, 1.25].map(|x| world.add(block(x)).unwrap());
    let axis = Vector::<3>::new(0.0, 1.0, 0.0);
    world.join(Joint::hinge(a, b, Vector::<3>::new(1.125, 0.0, 0.2), axis)).unwrap();
    world.notes.insert("random".into(), serde_json::to_string(&Random::new(7)).unwrap());
    world
}

fn run(world: &mut World<3>, steps: usize) {
    for _ in 0..steps {
        let mut random: Random = serde_json::from_str(&world.notes["random"]).unwrap();
        let h = 1e-3 * (0.5 + random.uniform());
        world.notes.insert("random".into(), serde_json::to_string(&random).unwrap());
        world.step(h).unwrap();
    }
}

fn bits(world: &World<3>) -> Vec<u64> {
    let bodies = world.bodies();
    let numbers = bodies.x.iter().chain(&bodies.v).chain(&bodies.spin).flat_map(|v| v.iter().copied());
    let turns = bodies.rotation.iter().flat_map(|q| q.coords.iter().copied());
    numbers.chain(turns).chain([world.time()]).map(f64::to_bits).collect()
}

fn file(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("stickslip-checkpoints-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

#[test]
fn half_a_run_and_the_other_half_equal_the_whole() {
    let (path, mut whole, mut first, mut second) = (file("half"), build(), build(), build());
    run(&mut whole, 400);
    run(&mut first, 200);
    first.save(&path).unwrap();
    second.restore(&path).unwrap();
    assert_eq!(bits(&second), bits(&first));
    run(&mut second, 200);
    assert_eq!(bits(&second), bits(&whole));
    assert_eq!((second.steps(), second.missed(), &second.notes), (400, whole.missed(), &whole.notes));
}

#[test]
fn a_damaged_file_is_refused_and_the_world_stays() {
    let (path, mut world) = (file("damaged"), build());
    run(&mut world, 20);
    world.save(&path).unwrap();
    let good = fs::read(&path).unwrap();
    let before = bits(&world);
    for length in [0, 5, 30, good.len() / 2, good.len() - 1] {
        fs::write(&path, &good[..length]).unwrap();
        assert!(world.restore(&path).is_err(), "{length} bytes");
    }
    for place in [25, 40, good.len() / 2, good.len() - 1] {
        let mut bad = good.clone();
        bad[place] ^= 1;
        fs::write(&path, &bad).unwrap();
        assert!(matches!(world.restore(&path), Err(CheckpointError::Damaged { .. })), "byte {place}");
    }
    fs::write(&path, "a text").unwrap();
    assert!(matches!(world.restore(&path), Err(CheckpointError::Stranger { .. })));
    fs::write(&path, &good).unwrap();
    let mut other = build();
    other.add(Body::new(Shape::Ball(Ball { radius: 0.1 }), Pose::identity())).unwrap();
    let message = other.restore(&path).unwrap_err().to_string();
    assert!(message.contains("number of bodies is 23, here 24"), "{message}");
    assert_eq!(bits(&world), before);
    world.restore(&path).unwrap();
}

#[test]
fn a_write_that_fails_leaves_the_old_file() {
    let (path, mut world) = (file("kept"), build());
    world.save(&path).unwrap();
    let old = fs::read(&path).unwrap();
    run(&mut world, 1);
    let message = world.save(&file("kept").join("below")).unwrap_err().to_string();
    assert!(message.contains("there is no folder"), "{message}");
    let message = world.save(path.parent().unwrap()).unwrap_err().to_string();
    assert!(message.contains("not a regular file"), "{message}");
    assert_eq!(fs::read(&path).unwrap(), old);
    assert!(build().restore(&file("none")).unwrap_err().to_string().contains("check the name"));
}
