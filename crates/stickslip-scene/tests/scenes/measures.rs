//! What measures tell, by hand and over a checkpoint.

use crate::support::{Folder, scene, whole};
use stickslip_scene::{Options, Scene, run};

/// A floor for half a second, and more.
fn on_floor(more: &str) -> Scene {
    let floor = r#"
dimension = 2
time = { step = 1e-3, end = 0.5 }
[[body]]
name = "floor"
half_space = {}
fixed = true
"#;
    scene(&(floor.to_string() + more))
}

#[test]
fn walls_bear_the_weight_and_measures_tell_the_state() {
    let more = r#"
[[body]]
name = "ball"
ball = { radius = 0.1 }
mass = 2
at = ["0.3 * $i", 0.1001]
repeat = { count = 3 }
[[measure]]
name = "fraction"
of = { solid_fraction = { region = { box = { low = [0.3, -1], high = [1, 1] } } } }
[[measure]]
name = "z"
of = { coordination = { group = "ball" } }
[[measure]]
name = "n"
of = "fabric"
[[measure]]
name = "s"
of = { stress = { region = { box = { low = [-1, -1], high = [1, 1] } } } }
[[measure]]
name = "h"
of = "height"
[output]
series = { forces = ["floor"] }
"#;
    let (scene, folder) = (on_floor(more), Folder::new("weight"));
    let last = whole(&scene, &folder).last;
    let near = |name: &str, expected: f64, tolerance: f64| {
        assert!((last[name] - expected).abs() < tolerance, "{name} = {}, not {expected}", last[name]);
    };
    near("floor.force_y", -6.0 * 9.81, 1e-6);
    near("floor.force_x", 0.0, 1e-6);
    near("z", 1.0, 1e-12);
    near("n.yy", 1.0, 1e-12);
    near("n.xx", 0.0, 1e-12);
    // three forces, each over the radius, in an area of 4
    near("s.yy", 6.0 * 9.81 * 0.1 / 4.0, 1e-6);
    near("h", 0.2, 1e-6);
    // one and a half disks in an area of 1.4
    near("fraction", 1.5 * std::f64::consts::PI * 0.01 / 1.4, 1e-3);
}

#[test]
fn chains_centres_and_flows_are_as_by_hand() {
    // a column of two light disks beside a heavy one, and one that falls through a plane
    let more = r#"
[[body]]
name = "light"
ball = { radius = 0.1 }
mass = 1
at = [0, "0.1 + 0.2 * $i"]
repeat = { count = 2 }
[[body]]
name = "heavy"
ball = { radius = 0.1 }
mass = 6
at = [1, 0.1]
[[body]]
name = "falling"
ball = { radius = 0.1 }
mass = 3
at = [2, 9]
[[measure]]
name = "all"
of = "force_chains"
[[measure]]
name = "column"
of = { force_chains = { region = { box = { low = [-0.5, -1], high = [0.5, 1] } } } }
[[measure]]
name = "n"
of = { fabric = { region = { box = { low = [5, 5], high = [6, 6] } } } }
[[measure]]
name = "centre"
of = { centre_of_mass = { group = "light" } }
[[measure]]
name = "down"
of = { flow = { at = [0, 8.5], normal = [0, -1] } }
[[measure]]
name = "up"
of = { flow = { at = [0, 8.5], normal = [0, 1], group = "falling" } }
[[measure]]
name = "parted"
of = { segregation = { group = "light", other = "heavy", cell = 0.5 } }
[output]
profile = { every = 0.25, width = 0.5, group = "light" }
"#;
    let (scene, folder) = (on_floor(more), Folder::new("chains"));
    let last = whole(&scene, &folder).last;
    let near = |name: &str, expected: f64| {
        assert!((last[name] - expected).abs() < 1e-5, "{name} = {}, not {expected}", last[name]);
    };
    let g = 9.81;
    // forces 2 g, g and 6 g: one of three is above the mean, and upright
    near("all.strong", 1.0 / 3.0);
    near("all.mean", 3.0 * g);
    near("all.largest", 6.0 * g);
    near("all.anisotropy", 1.0);
    near("all.length", 1.0);
    near("column.strong", 0.5);
    near("column.mean", 1.5 * g);
    near("n.yy", 0.0);
    near("centre.x", 0.0);
    near("centre.y", 0.2);
    near("down", 3.0);
    near("up", -3.0);
    near("parted", 1.0);
    let profile = String::from_utf8(folder.content()["profile.csv"].clone()).unwrap();
    let rows: Vec<&str> = profile.lines().collect();
    assert_eq!((rows.len(), rows[0]), (1 + 3, "step,time,x,height"));
    let row: Vec<f64> = rows[3].split(',').map(|cell| cell.parse().unwrap()).collect();
    assert!(row[0] == 500.0 && (row[2].abs() - 0.25).abs() < 1e-12 && (row[3] - 0.4).abs() < 1e-6, "{row:?}");
}

#[test]
fn what_crosses_a_plane_after_a_checkpoint_counts() {
    let scene = on_floor(
        r#"
[[body]]
name = "ball"
ball = { radius = 0.1 }
at = [0, 0.5]
v = [0, -10]
[[measure]]
name = "fallen"
of = { flow = { at = [0, 0.445], normal = [0, -1] } }
[output]
series = {}
"#,
    );
    let short = |folder: &Folder| Options { end: Some(0.01), ..Options::new(&folder.0) };
    let straight = Folder::new("crossing");
    run(&scene, &short(&straight), &mut |_| true).unwrap();
    for step in 1..10 {
        let broken = Folder::new(&format!("crossing-{step}"));
        run(&scene, &short(&broken), &mut |now| now.steps < step).unwrap();
        run(&scene, &Options { resume: true, ..short(&broken) }, &mut |_| true).unwrap();
        let [a, b] = [&straight, &broken].map(|folder| folder.content()["series.csv"].clone());
        assert!(a == b, "step {step}");
    }
}
