//! Formulas, parameters, random ranges, copies, includes and settings.

use stickslip_scene::Scene;

const HEAD: &str = "dimension = 2\ntime = { step = 1e-3, end = 1 }\n";

fn parse(text: &str, settings: &[&str]) -> Scene {
    let settings: Vec<String> = settings.iter().map(|text| text.to_string()).collect();
    Scene::parse("s", "s.toml", &format!("{HEAD}{text}"), None, &settings)
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn parameters_stand_for_values_and_can_be_set() {
    let text = "[parameters]\nr = 0.5\nd = \"2 * $r\"\nstuff = \"steel\"\nheld = true\n[material.steel]\n[[body]]\n\
                ball = { radius = \"$d / 2\" }\nat = [\"$d\", \"-sqrt(16) * $r\"]\nmaterial = \"$stuff\"\nfixed = \"$held\"";
    let body = &parse(text, &[]).file.body[0].value;
    assert_eq!(body.ball.as_ref().unwrap().radius, 0.5);
    assert_eq!(body.at.as_ref().unwrap().0, [1.0, -2.0]);
    assert_eq!((body.material.as_deref(), body.fixed), (Some("steel"), true));
    let set = parse(text, &["r=0.25", "time.end=3", "gravity=[0, -1]", "held=false"]);
    assert_eq!(set.file.body[0].value.at.as_ref().unwrap().0, [0.5, -1.0]);
    assert_eq!((set.file.time.value.end, set.file.time.value.step), (3.0, 1e-3));
    assert_eq!(set.file.gravity.unwrap().0, [0.0, -1.0]);
    assert!(!set.file.body[0].value.fixed);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let refused = |setting: &str| {
        let text = format!("{HEAD}[parameters]\nmu = 0.4");
        Scene::parse("s", "s.toml", &text, None, &[setting.into()]).unwrap_err().to_string()
    };
    assert!(refused("mue=0.3").contains("did you mean \"mu\"?"));
    assert!(refused("mu").contains("give NAME=VALUE"));
    assert!(refused("time.ende=2").contains("did you mean \"end\"?"));
}

#[test]
fn a_fault_of_a_setting_is_shown_in_the_setting() {
    let text = format!(
        "{HEAD}[parameters]\nr = 0.5\nd = \"2 * $r\"\nof = \"steel\"\n[material.steel]\n[[body]]\n\
         ball = {{ radius = \"$d / 2\" }}\nmaterial = \"$of\"\nat = [\"$d\", \"$r\"]\n"
    );
    let refused = |settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(|text| text.to_string()).collect();
        let scene = Scene::parse("s", "s.toml", &text, None, &settings);
        scene.and_then(|scene| scene.build::<2>().map(drop)).unwrap_err().to_string()
    };
    // a key of the scene, by its own place
    let expected =
        "--set time.step=-1: step = -1\n |\n | time.step=-1\n |      ^^^^\n = give a positive number";
    assert_eq!(refused(&["time.step=-1"]), expected);
    // a parameter that a value asks for through another one
    let said = refused(&["r=-1"]);
    assert!(said.starts_with("--set r=-1: radius = -1"), "{said}");
    assert!(
        said.contains("\n | r=-1\n |   ^^\n") && said.ends_with("it stands for $r in s.toml:9:1"),
        "{said}"
    );
    // text needs no quotes, and the caret stands below it as it was given
    let said = refused(&["of=stel"]);
    assert!(said.starts_with("--set of=stel: there is no material \"stel\""), "{said}");
    assert!(said.contains("\n |    ^^^^\n") && said.contains("did you mean \"steel\"?"), "{said}");
    let said = refused(&["gravity=down"]);
    assert!(said.starts_with("--set gravity=down: a list of 2 numbers"), "{said}");
    // of several settings none is blamed alone
    let said = refused(&["d=1", "r=inf"]);
    assert!(said.starts_with("s.toml:11:1: at = inf"), "{said}");
    assert!(said.ends_with("with --set d=1 and --set r=inf"), "{said}");
}

#[test]
fn random_numbers_come_from_the_seed() {
    let at = |seed: u64| {
        let text = format!(
            "seed = {seed}\n[[body]]\nname = \"b\"\nball = {{ radius = {{ random = [0.1, 0.2] }} }}\n\
             at = [{{ random = [0, 1] }}, \"3 * $i\"]\nrepeat = {{ count = 4 }}"
        );
        let scene = parse(&text, &[]);
        let built = scene.build::<2>().unwrap();
        assert_eq!(built.groups["b"].len(), 4);
        assert_eq!(built.world.bodies().name(2), "b-2");
        built.world.bodies().x.iter().map(|x| (x[0].to_bits(), x[1])).collect::<Vec<_>>()
    };
    let (one, two) = (at(1), at(2));
    assert_eq!(one, at(1));
    assert_ne!(one, two);
    // every copy draws anew
    assert!(one[0].0 != one[1].0 && one[1].0 != one[2].0);
    assert_eq!(one.iter().map(|x| x.1).collect::<Vec<_>>(), [0.0, 3.0, 6.0, 9.0]);
}

#[test]
fn random_numbers_of_measures_and_outputs_leave_those_of_bodies_alone() {
    let at = |before: &str| {
        let text = format!(
            "seed = 7\n[parameters]\nany = {{ random = [0, 1] }}\n{before}\n[[body]]\nball = {{ radius = 0.1 }}\n\
             at = [{{ random = [0, 1] }}, \"$any\"]"
        );
        let built = parse(&text, &[]).build::<2>().unwrap();
        built.world.bodies().x[0].map(f64::to_bits)
    };
    let measure = "[[measure]]\nname = \"m\"\nof = { flow = { at = [0, 0], normal = [{ random = [1, 2] }, \"$any\"] } }\n";
    let output = "[output]\nseries = { every = { random = [0.1, 0.2] } }";
    assert_eq!(at(""), at(measure));
    assert_eq!(at(""), at(output));
    let other = "[[body]]\nball = { radius = 0.1 }\nfixed = true\nat = [{ random = [5, 6] }, 5]";
    let text =
        format!("seed = 7\n{other}\n[[body]]\nball = {{ radius = 0.1 }}\nat = [{{ random = [0, 1] }}, 0]");
    assert_ne!(at("")[0], parse(&text, &[]).build::<2>().unwrap().world.bodies().x[1][0].to_bits());
}

#[test]
fn copies_step_and_names_hold_formulas() {
    let text = "[[body]]\nname = \"b\"\nball = { radius = 0.1 }\nrepeat = { count = 3, step = [1, 2] }\n\
                [[joint]]\na = \"b-{$i}\"\nb = \"b-{$i + 1}\"\nlink = { rod = { from = [\"$i\", \"2 * $i\"], to = [\"$i + 1\", \"2 * $i + 2\"] } }\n\
                repeat = { count = 2 }";
    let built = parse(text, &[]).build::<2>().unwrap();
    assert_eq!(built.world.bodies().x[2].as_slice(), [2.0, 4.0]);
    assert_eq!(built.world.joints().len(), 2);
}

#[test]
fn files_include_others_and_win() {
    let folder = std::env::temp_dir().join(format!("stickslip-scene-include-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("parts")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("parts/base.toml", "[parameters]\nr = 1\ns = 2\n[[body]]\nball = { radius = \"$r\" }\n");
    write("parts/wrong.toml", "[[body]]\nbal = { radius = 1 }\n");
    write(
        "a.toml",
        &format!(
            "include = [\"parts/base.toml\"]\n{HEAD}[parameters]\nr = 5\n[[body]]\nball = {{ radius = \"$s\" }}\n"
        ),
    );
    write("b.toml", &format!("include = [\"parts/wrong.toml\"]\n{HEAD}"));
    write("c.toml", &format!("include = [\"c.toml\"]\n{HEAD}"));
    write("d.toml", &format!("include = [\"none.toml\"]\n{HEAD}"));
    let radii: Vec<f64> = Scene::read(&folder.join("a.toml"), &[])
        .unwrap()
        .file
        .body
        .iter()
        .map(|body| body.value.ball.as_ref().unwrap().radius)
        .collect();
    assert_eq!(radii, [5.0, 2.0]);
    std::fs::write(folder.join("parts/image.toml"), [0xff, 0xfe]).unwrap();
    write("e.toml", &format!("include = [\"parts/image.toml\"]\n{HEAD}"));
    let refused = |name: &str| Scene::read(&folder.join(name), &[]).unwrap_err().to_string();
    assert!(refused("b.toml").contains("wrong.toml:2:1: unknown key \"bal\""), "{}", refused("b.toml"));
    assert!(refused("c.toml").contains("let no file include itself"), "{}", refused("c.toml"));
    assert!(refused("d.toml").contains("none.toml: cannot be read"), "{}", refused("d.toml"));
    assert!(refused("e.toml").contains("saved as UTF-8"), "{}", refused("e.toml"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn parameters_that_nothing_uses_are_told() {
    let text = "[parameters]\nr = 0.1\nd = \"2 * $r\"\nlost = 1\n[[body]]\nball = { radius = \"$d\" }";
    let warnings = stickslip_scene::check::check(&parse(text, &[])).unwrap().warnings;
    assert!(matches!(&warnings[..], [one] if one.contains("parameter lost")), "{warnings:?}");
}

#[test]
fn a_mass_is_met_whatever_the_shape() {
    let text = "[[body]]\nbox = { size = [0.2, 0.5] }\nmass = 7";
    let built = parse(text, &[]).build::<2>().unwrap();
    assert!((built.world.bodies().mass[0] - 7.0).abs() < 1e-12);
}

/// A ball on the floor, with keys of its material.
fn on_floor(scheme: &str, material: &str) -> Scene {
    let text = format!(
        "scheme = {scheme}\n[material.default]\n{material}\n[[body]]\nname = \"floor\"\nhalf_space = {{}}\nfixed = true\n\
         [[body]]\nname = \"ball\"\nball = {{ radius = 0.1 }}\nat = [0, 0.1]\nmass = 1"
    );
    parse(&text, &[])
}

#[test]
fn interfaces_give_way_by_their_stiffness() {
    let scene = on_floor(
        "{ dvi = { flow = \"coulomb\" } }",
        "interface = { stiffness_n = 1e5, stiffness_t = 1e5, damping = 5e-3, surface = { capped = { cap = 50 } }, \
         hardening = [[0, 1], [1e-3, 2]] }",
    );
    let mut world = scene.build::<2>().unwrap().world;
    let mut elastic = 0.0;
    for _ in 0..1000 {
        elastic = world.step(1e-3).unwrap().energy.elastic;
    }
    let depth = 0.1 - world.bodies().x[1][1];
    assert!((depth - 9.81 / 1e5).abs() < 1e-8, "{depth}");
    assert!((elastic - 0.5 * 9.81 * depth).abs() < 1e-6, "{elastic}");
}

#[test]
fn pulls_and_rolling_reach_the_world() {
    let mut world = on_floor("\"exact\"", "rolling = 0.2\nattraction = { touch = { pull = 20 } }")
        .build::<2>()
        .unwrap()
        .world;
    assert_eq!(world.materials.pair(0, 0).rolling, 0.2);
    (0..10).for_each(|_| drop(world.step(1e-3).unwrap()));
    let force: f64 = world.contacts().map(|(_, r)| r[1].abs()).sum::<f64>() / 1e-3;
    assert!((force - 29.81).abs() < 1e-6, "{force}");
}

#[test]
fn stiffness_that_steps_cannot_follow_is_told() {
    let warnings = |interface: &str| {
        let scene = on_floor("\"dvi\"", &format!("interface = {{ {interface} }}"));
        stickslip_scene::check::check(&scene).unwrap().warnings
    };
    // h √(K/m) = 1
    let told = warnings("stiffness_n = 1e6");
    assert!(matches!(&told[..], [one] if one.contains("at most 5.0e-4")), "{told:?}");
    assert_eq!(warnings("stiffness_n = 2e5"), [""; 0]);
    // damped out: it creeps within 0.1
    assert_eq!(warnings("stiffness_n = 1e9, damping = 0.1"), [""; 0]);
    assert_eq!(warnings("surface = { cohesive = { cohesion = 1 } }"), [""; 0]);
}
