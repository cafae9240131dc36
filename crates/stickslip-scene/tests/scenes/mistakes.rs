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
fn masses_and_forces_that_cannot_be_are_refused_at_their_key() {
    for (lines, place, words) in [
        ("inertia = [1, 1, 3]", "s.toml:5:1:", "none be larger than the sum"),
        ("inertia = [1, -1, 1]", "s.toml:5:1:", "positive"),
        ("centre = [nan, 0, 0]", "s.toml:5:11:", "not a number"),
        ("fixed = true\nforce = { constant = [1, 0, 0] }", "s.toml:6:1:", "fixed or driven"),
        ("force = { table = [[1, [1, 0, 0]], [0, [1, 0, 0]]] }", "s.toml:5:1:", "let its times rise"),
        ("torque = { constant = [inf, 0, 0] }", "s.toml:5:1:", "not finite"),
        ("fixed = true\nv = [1, 0, 0]", "s.toml:5:1:", "fixed does not move"),
    ] {
        let body = format!("[[body]]\nball = {{ radius = 1 }}\n{lines}");
        let message = refused(&with(&body).replace("dimension = 2", "dimension = 3"));
        assert!(message.contains(place) && message.contains(words), "{lines}: {message}");
    }
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
        ("[material.steel]\nspinning = 0.1", "s.toml:4:1:", &["in the plane", "leave spinning out"]),
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
            "[[pair]]\nbetween = [\"a\", \"b\"]\nmu = 0\n[[pair]]\nbetween = [\"b\", \"a\"]\nmu = 1\n[material.a]\n[material.b]",
            "s.toml:7:1:",
            &["given twice", "one [[pair]]"],
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
        ("[[body]]\nball = { radius = 1 }\nat = [inf, 0]", "s.toml:5:1:", &["at = inf", "finite"]),
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
        assert_told(&with(line), place, words);
    }
}

/// What is said begins with a place, shows it and has some words.
fn assert_told(text: &str, place: &str, words: &[&str]) {
    let said = refused(text);
    assert!(said.starts_with(place), "{text}\n{said}");
    assert!(said.contains('^'), "{said}");
    for word in words {
        assert!(said.contains(word), "\"{word}\" is not in:\n{said}");
    }
}

#[test]
fn numbers_out_of_range_are_told_at_their_key() {
    for (line, place, words) in [
        ("[output]\nseries = { every = -1 }", "s.toml:4:12:", &["every = -1", "positive time"][..]),
        ("[output]\nseries = { every = nan }", "s.toml:4:20:", &["not a number"]),
        ("[output]\nparaview = { every = 0 }", "s.toml:4:14:", &["every = 0", "every step"]),
        ("[output]\ntrajectory = { every = inf }", "s.toml:4:16:", &["every = inf"]),
        ("[output]\nprofile = { width = 1, every = -2 }", "s.toml:4:24:", &["every = -2"]),
        ("[output]\nprofile = { width = 0, every = 1 }", "s.toml:4:13:", &["width = 0"]),
        ("[output]\nprofile = { width = 1, every = 1, group = \"x\" }", "s.toml:4:35:", &["group \"x\""]),
        ("[output]\npicture = { every = 0 }", "s.toml:4:13:", &["every = 0"]),
        ("[output]\npicture = { times = [1, -1] }", "s.toml:4:13:", &["times = -1"]),
        ("[output]\npicture = { size = [0, 90] }", "s.toml:4:13:", &["0 x 90", "16 to 16384"]),
        ("[output]\nmovie = { every = -1 }", "s.toml:4:11:", &["every = -1"]),
        ("[output]\nmovie = { size = [640, 100000] }", "s.toml:4:11:", &["640 x 100000"]),
        ("[output]\nmovie = { rate = 0 }", "s.toml:4:11:", &["0", "images"]),
        ("[output]\nproblems = { every = 0 }", "s.toml:4:14:", &["every = 0", "at least 1"]),
        ("[output]\nproblems = { steps = [0] }", "s.toml:4:14:", &["steps = 0", "at least 1"]),
        ("[output]\nproblems = {}", "s.toml:4:1:", &["no step is chosen"]),
        (
            "[output]\nlook = { camera = {}, view = { low = [0, 0], high = [0, 0] } }",
            "s.toml:4:23:",
            &["view"],
        ),
        ("gravity = [0, inf]", "s.toml:3:1:", &["gravity = inf", "finite"]),
        ("periods = [-1, 0]", "s.toml:3:1:", &["-1", "positive"]),
        ("solver = { tolerance = 0 }", "s.toml:3:12:", &["tolerance = 0", "positive"]),
        ("solver = { max_iterations = 0 }", "s.toml:3:12:", &["at least 1"]),
        ("solver = { overlap = 0 }", "s.toml:3:12:", &["overlap = 0", "leave it out"]),
        ("solver = { reach = -1 }", "s.toml:3:12:", &["reach = -1", "leave it out"]),
        ("scheme = { moreau-jean = { theta = 2 } }", "s.toml:3:1:", &["theta", "2"]),
        ("scheme = \"exact\"\nsolver = { method = \"spg\" }", "s.toml:4:12:", &["spg", "auto"]),
        ("[[body]]\nball = { radius = 1 }\ndensity = -1", "s.toml:5:1:", &["density = -1", "positive"]),
        ("[[body]]\nball = { radius = 1 }\nfixed = true\ndensity = 0", "s.toml:6:1:", &["density = 0"]),
        (
            "[[body]]\nball = { radius = 1 }\nat = [0, 0]\nturn = inf",
            "s.toml:6:1:",
            &["turn = inf", "finite"],
        ),
        ("[[body]]\nball = { radius = 1 }\nspin = inf", "s.toml:5:1:", &["spin = inf"]),
        (
            "[[body]]\nball = { radius = 1 }\ndrive = { v = { constant = [1, 0] } }\ndrag = { linear = -1 }",
            "s.toml:6:1:",
            &["drag = -1"],
        ),
        (
            "[[body]]\nball = { radius = 1 }\ndrive = { v = { constant = [inf, 0] } }",
            "s.toml:5:1:",
            &["velocity", "drive"],
        ),
        ("[shape.s]\nball = { radius = -1 }\n[[body]]\nshape = \"s\"", "s.toml:4:1:", &["radius = -1"]),
        (
            "[[body]]\ncompound = [{ ball = { radius = 1 } }, { at = [0, 1], ball = { radius = -1 } }]",
            "s.toml:4:55:",
            &["radius = -1"],
        ),
        (
            "[[packing]]\ndensity = -1\ntower = { blocks = 2, block = [1, 1] }",
            "s.toml:4:1:",
            &["density = -1"],
        ),
        (
            "[[packing]]\nat = [0, 0]\nturn = inf\ntower = { blocks = 2, block = [1, 1] }",
            "s.toml:5:1:",
            &["turn = inf"],
        ),
        (
            "[[packing]]\ngrid = { origin = [0, 0], counts = [100000, 100000], spacing = 1, sizes = { fixed = 1 } }",
            "s.toml:4:1:",
            &["1.0e10 bodies", "at most 1e7"],
        ),
        (
            "[[packing]]\nfill = { region = { box = { low = [0, 0], high = [1, 1] } }, sizes = { fixed = 1e-9 }, \
             fraction = 0.5 }",
            "s.toml:4:1:",
            &["bodies are too many"],
        ),
        (
            "[[body]]\nball = { radius = 1 }\nrepeat = { count = 100000000 }",
            "s.toml:5:20:",
            &["100000000 copies"],
        ),
        (
            "[[body]]\nfixed = true\nmesh = { heights = [[0, 1]], spacing = -1 }",
            "s.toml:5:1:",
            &["spacing = -1"],
        ),
    ] {
        assert_told(&with(line), place, words);
    }
    let time = |text: &str| format!("dimension = 2\ntime = {{ {text} }}\n");
    assert_told(&time("step = 2, end = 1"), "s.toml:2:10:", &["longer than the run", "shorter step"]);
    assert_told(&time("step = 1, end = 1, travel = 0"), "s.toml:2:29:", &["travel = 0", "leave it out"]);
}

#[test]
fn what_a_beginner_gets_wrong_is_told_in_words_of_scenes() {
    for (line, place, words) in [
        ("gravity = [\"0\", \"-9.81 m/s\"]", "s.toml:3:17:", &["\"m\"", "numbers have no units"][..]),
        ("[body]\nball = { radius = 1 }", "s.toml:3:1:", &["a list is expected", "write [[body]]"]),
        ("[[body]]\nball = { radius = 1 }\ndrive = { v = [1, 0] }", "s.toml:5:15:", &["{ constant = … }"]),
        ("[[body]]\nhalf_space = {}", "s.toml:4:1:", &["cannot be free", "fixed = true"]),
        ("[[body]]\nname = \"\"\nball = { radius = 1 }", "s.toml:4:1:", &["the name is empty"]),
        ("[[body]]\nat = [0, 0]\nball = { radius = 1e-200 }", "s.toml:5:1:", &["mass = 0"]),
        ("[[body]]\nsegment = { from = [0, 0], to = [1, 0] }", "s.toml:4:1:", &["cannot be free"]),
        (
            "[[packing]]\ngrain = { rock = { corners = 100000000 } }\ninsert = { region = { box = { low = [0, 0], high = \
             [1, 1] } }, sizes = { fixed = 0.1 }, number = 1 }",
            "s.toml:5:1:",
            &["corners = 100000000", "at most 1000"],
        ),
    ] {
        assert_told(&with(line), place, words);
    }
    let endless = "dimension = 3\ntime = { step = 1e-300, end = 1 }";
    assert_told(endless, "s.toml:2:10:", &["1.0e300 steps are too many"]);
    let set = Scene::parse(
        "s",
        "s.toml",
        &with("[[body]]\nball = { radius = 1 }"),
        None,
        &["body.v=[1, 0]".into()],
    );
    let said = set.unwrap_err().to_string();
    assert!(
        said.starts_with("--set body.v=[1, 0]: [[body]] is a list") && said.contains("parameter"),
        "{said}"
    );
}

#[test]
fn outputs_beyond_the_end_are_told() {
    let text = with("[output]\npicture = { times = [0.5, 5] }\nproblems = { steps = [1, 1001] }");
    let warnings = check(&Scene::parse("s", "s.toml", &text, None, &[]).unwrap()).unwrap().warnings;
    assert!(
        matches!(&warnings[..], [one, two] if one.contains("time 5") && two.contains("step 1001")),
        "{warnings:?}"
    );
}

#[test]
fn columns_have_names_of_their_own() {
    let body = "[[body]]\nname = \"a\"\nball = { radius = 1 }\n";
    for (line, place, name) in [
        ("[[measure]]\nname = \"time\"\nof = \"height\"", "s.toml:7:1:", "\"time\""),
        ("[[measure]]\nname = \"\"\nof = \"height\"", "s.toml:7:1:", "no name"),
        ("[[measure]]\nname = \"run\"\nof = \"height\"", "s.toml:7:1:", "\"run\""),
        (
            "[[measure]]\nname = \"h\"\nof = \"height\"\n[[measure]]\nname = \"h\"\nof = \"speed\"",
            "s.toml:10:1:",
            "\"h\"",
        ),
        ("[output]\nseries = { bodies = [\"a\"], groups = [\"a\"] }", "s.toml:7:28:", "\"a.x\""),
        (
            "[output]\nseries = { groups = [\"a\"] }\n[[measure]]\nname = \"a.x\"\nof = \"speed\"",
            "s.toml:9:1:",
            "\"a.x\"",
        ),
    ] {
        assert_told(&with(&format!("{body}{line}")), place, &[name]);
    }
}

#[test]
fn what_the_first_step_would_refuse_is_told_at_its_key() {
    let ball = "[[body]]\nball = { radius = 1 }\n";
    let wide = format!("periods = [1.5, 0]\n{ball}");
    assert_told(&with(&wide), "s.toml:3:1:", &["body #0", "longer period"]);
    let three = format!("{ball}{ball}at = [1, 0]\n{ball}at = [2, 0]");
    assert_told(
        &with(&three),
        "s.toml:5:1:",
        &["overlap by 1.000e0", "another pair", "overlaps = \"resolve\""],
    );
}

#[test]
fn problems_that_fclib_cannot_hold_are_refused() {
    let scene = |first: &str, more: &str| {
        let bodies = "[[body]]\nname = \"a\"\nball = { radius = 1 }\nat = [0, 1.1]\n[[body]]\nname = \"b\"\nhalf_space = {}\nfixed = true";
        with(&format!("{first}\n[output]\nproblems = {{ every = 1 }}\n{bodies}\n{more}"))
    };
    assert_eq!(refused(&scene("", "")), "");
    let dry = "[material.default]\ninterface = { stiffness_n = 1e6 }";
    assert_eq!(refused(&scene("scheme = \"dvi\"", dry)), "");
    // nobody is made of it
    assert_eq!(refused(&scene("", "[material.rubber]\nrolling = 0.1")), "");
    for (first, more, words) in [
        ("", "[material.default]\nrolling = 0.1", "resist rolling or spinning"),
        (
            "scheme = \"dvi\"",
            "[material.default]\ninterface = { surface = { cohesive = { cohesion = 1 } } }",
            "a cohesion",
        ),
        ("", "[[joint]]\na = \"a\"\nb = \"b\"\nlink = \"fixed\"", "joints"),
    ] {
        assert_told(&scene(first, more), "s.toml:5:1:", &[words, "drop problems", "^^^^^^^^"]);
    }
    let spinning = scene("", "[material.default]\nspinning = 0.1");
    let in_space = spinning.replace("dimension = 2", "dimension = 3").replace("[0, 1.1]", "[0, 0, 1.1]");
    assert_told(&in_space, "s.toml:5:1:", &["resist rolling or spinning", "drop problems"]);
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
