//! Typical mistakes: each is shown at its line, under its key, with the remedy.

use stickslip_scene::{Scene, check::check};

/// What reading or building a scene says.
fn refused(text: &str) -> String {
    let scene = match Scene::parse("s", "s.toml", text, None, &[]) {
        Err(error) => return error.to_string(),
        Ok(scene) => scene,
    };
    check(&scene)
        .map(|findings| findings.refused.unwrap_or_default())
        .unwrap_or_else(|error| error.to_string())
}

/// A scene of a line too many.
fn with(line: &str) -> String {
    format!("dimension = 2\ntime = {{ step = 1e-3, end = 1 }}\n{line}\n")
}

#[test]
fn a_misspelled_key_is_shown_with_the_right_one() {
    let text = with("[[body]]\nball = { raduis = 0.1 }");
    let expected = "s.toml:4:10: unknown key \"raduis\" in [body.ball]\n  |\n4 | ball = { raduis = 0.1 }\n  |          ^^^^^^\n  \
                    = did you mean \"radius\"?";
    assert_eq!(refused(&text), expected);
}

#[test]
fn typical_mistakes_are_told_with_line_and_remedy() {
    for (line, place, words) in [
        ("[[body]]\nboll = { radius = 1 }", "s.toml:4:1:", &["unknown key \"boll\"", "\"ball\""][..]),
        (
            "[[body]]\nball = { radius = 1 }\nat = [0, 1, 2]",
            "s.toml:5:6:",
            &["2D takes 2 numbers", "there are 3"],
        ),
        ("[[body]]\nball = { radius = -1 }", "s.toml:4:1:", &["radius = -1", "positive"]),
        ("[[body]]\nball = { radius = \"$r\" }", "s.toml:4:19:", &["no parameter \"r\"", "[parameters]"]),
        (
            "[parameters]\nradius = 1\n[[body]]\nball = { radius = \"$radus\" }",
            "s.toml:6:19:",
            &["did you mean \"$radius\"?"],
        ),
        ("gravity = [0, nan]", "s.toml:3:15:", &["not a number"]),
        (
            "[[body]]\nball = { radius = 1 }\ndrive = { v = { constant = [\"sqrt(-1)\", 0] } }",
            "s.toml:5:29:",
            &["not a number"],
        ),
        ("[[body]]\nball = { radius = { random = [2, 1] } }", "s.toml:4:30:", &["empty", "low end first"]),
        ("[[body]]\nball = { radius = \"2 * (1\" }", "s.toml:4:19:", &["lacks a \")\""]),
        (
            "[[body]]\nball = { radius = 1 }\nmaterial = \"stel\"\n[material.steel]\nmu = 0.3",
            "s.toml:5:1:",
            &["no material", "\"steel\""],
        ),
        ("[material.steel]\nmu = -0.3", "s.toml:4:1:", &["mu = -0.3"]),
        ("[material.steel]\nrolling = -1", "s.toml:4:1:", &["rolling = -1"]),
        (
            "[material.clay]\ninterface = { stiffness_n = 1e6 }",
            "s.toml:4:1:",
            &["no place in this scheme", "scheme = \"dvi\""],
        ),
        (
            "scheme = \"dvi\"\n[material.clay]\ninterface = { stiffness_n = -1 }",
            "s.toml:5:15:",
            &["stiffness_n = -1", "positive"],
        ),
        (
            "scheme = \"dvi\"\n[material.clay.interface]\nstiffness_n = 1e6\nsurface = { cohesive = { cohesion = -2 } }",
            "s.toml:6:1:",
            &["cohesion = -2"],
        ),
        (
            "scheme = \"dvi\"\n[material.clay.interface]\nsoftening = [[1, 1], [0, 0]]",
            "s.toml:5:1:",
            &["softening", "rise"],
        ),
        ("scheme = \"dvi\"\n[material.clay.interface]\nstifness_n = 1", "s.toml:5:1:", &["\"stiffness_n\"?"]),
        ("scheme = { dvi = { flow = \"colomb\" } }", "s.toml:3:27:", &["\"coulomb\""]),
        (
            "[[pair]]\nbetween = [\"default\", \"default\"]\nattraction = { touch = { pull = -1 } }",
            "s.toml:5:1:",
            &["pull = -1"],
        ),
        (
            "[material.steel]\nattraction = { glue = { pull = 1 } }",
            "s.toml:4:16:",
            &["unknown kind \"glue\""],
        ),
        ("[[body]]\nball = { radius = 1 }\nmass = -2", "s.toml:5:1:", &["-2", "positive"]),
        ("[[body]]\nball = { radius = 1 }\nbox = { size = [1, 1] }", "s.toml:4:1:", &["exactly one shape"]),
        ("[[body]]\nat = [0, 0]", "s.toml:3:1:", &["exactly one shape", "half_space"]),
        ("scheme = \"exakt\"", "s.toml:3:10:", &["unknown kind \"exakt\"", "\"exact\""]),
        ("solver = { method = \"nlsg\" }", "s.toml:3:12:", &["nlsg", "nlgs"]),
        ("[[body]]\nball = { radius = 1 }\nat = [nan, 0]", "s.toml:5:7:", &["not a number"]),
        ("[[body]]\nball = { radius = 1 }\nat = [inf, 0]", "s.toml:5:1:", &["position is not finite"]),
        ("[[body]]\nball = {}", "s.toml:4:8:", &["\"radius\" is missing"]),
        ("[[body]]\nball = 3", "s.toml:4:8:", &["a table is expected", "a number"]),
        ("title = [", "s.toml:3:10:", &["array"]),
        (
            "[[packing]]\nfill = { region = { ball = { centre = [0, 0], radius = 1 } }, sizes = { fixed = 0.1 } }",
            "s.toml:4:1:",
            &["number or fraction"],
        ),
        ("[[joint]]\na = \"x\"\nb = \"y\"\nlink = \"fixed\"", "s.toml:4:1:", &["no body and no group \"x\""]),
        (
            "[[body]]\nball = { radius = 1 }\nname = \"a\"\n[[body]]\nball = { radius = 1 }\nname = \"a\"",
            "s.toml:8:1:",
            &["named a already"],
        ),
        ("[output]\nseries = { bodies = [\"lid\"] }", "s.toml:4:12:", &["no body and no group \"lid\""]),
        ("[[body]]\nball = { radius = 1 }\nat = [\"$i\", 0]", "s.toml:5:7:", &["repeat"]),
    ] {
        let said = refused(&with(line));
        assert!(said.starts_with(place), "{line}\n{said}");
        assert!(said.contains('^'), "{said}");
        for word in words {
            assert!(said.contains(word), "\"{word}\" is not in:\n{said}");
        }
    }
}

#[test]
fn overlaps_are_told_in_words_of_the_scene() {
    let said =
        refused(&with("[[body]]\nball = { radius = 1 }\n[[body]]\nball = { radius = 1 }\nat = [1, 0]"));
    assert!(said.contains("overlaps = \"resolve\""), "{said}");
}

#[test]
fn a_scene_needs_its_dimension_and_its_time() {
    assert!(refused("time = { step = 1, end = 1 }").contains("write dimension = 2"));
    assert!(refused("dimension = 4").starts_with("s.toml:1:13:"));
    assert!(refused("dimension = 2").contains("\"time\" is missing"));
    assert!(refused("dimension = 2\ntime = { step = 0, end = 1 }").starts_with("s.toml:2:10:"));
}
