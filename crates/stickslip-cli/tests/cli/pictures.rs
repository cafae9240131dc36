//! Pictures, movies, trajectories and pages of runs.

use crate::support::{Folder, expect, text};
use std::path::Path;

/// A ball that rolls down a slope.
const ROLLING: &str = r#"
title = "A ball <rolls>"
dimension = 2
time = { step = 2e-3, end = 0.2 }
[[body]]
name = "slope"
half_space = {}
turn = 0.2
fixed = true
[[body]]
name = "ball"
ball = { radius = 0.1 }
at = [0, 0.11]
"#;

fn store(folder: &Folder, output: &str) -> String {
    let path = folder.path("rolling.toml");
    std::fs::write(&path, format!("{ROLLING}\n[output]\n{output}\n")).unwrap();
    text(&path)
}

fn begins(path: &Path, with: &[u8]) -> bool {
    std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(with))
}

/// Images of a GIF: each has one block of control.
fn images(path: &Path) -> usize {
    let bytes = std::fs::read(path).unwrap();
    bytes.windows(3).filter(|three| *three == [0x21, 0xf9, 0x04]).count()
}

#[test]
fn flags_draw_what_the_scene_does_not_ask_for() {
    let folder = Folder::new();
    let (scene, out) = (store(&folder, "series = {}"), folder.path("out"));
    let [picture, movie] = ["end.png", "ball.gif"].map(|name| folder.path(name));
    let arguments =
        ["run", &scene, "--out", &text(&out), "--picture", &text(&picture), "--movie", &text(&movie)];
    let run = expect(0, &arguments);
    assert!(begins(&picture, b"\x89PNG") && begins(&movie, b"GIF89a"));
    for name in ["run.json", "series.csv", "end.png", "ball.gif"] {
        assert!(run.out.contains(name), "{name} is not named in: {}", run.out);
    }
    expect(0, &["run", &scene, "--out", &text(&out), "--picture", "--movie"]);
    assert!(begins(&out.join("picture.png"), b"\x89PNG") && begins(&out.join("movie.gif"), b"GIF89a"));
    // off unless asked for, and nothing of the run before is left
    let run = expect(0, &["run", &scene, "--out", &text(&out)]);
    assert!(!out.join("movie.gif").exists() && !out.join("picture.png").exists());
    assert!(!run.out.contains("movie"), "{}", run.out);
}

#[test]
fn keys_draw_at_times_and_every_so_often() {
    let folder = Folder::new();
    let output = "picture = { every = 0.1, times = [0.05], size = [160, 90] }\n\
                  movie = { file = \"m.gif\", every = 0.05, size = [160, 90] }\n\
                  look = { colour = \"force:0..2\", chains = true, view = { low = [-1, -1], high = [1, 1] } }";
    let (scene, out) = (store(&folder, output), folder.path("out"));
    expect(0, &["run", &scene, "--out", &text(&out)]);
    let mut names: Vec<String> = std::fs::read_dir(out.join("pictures"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, [0, 25, 50, 100].map(|step| format!("step-{step:08}.png")));
    assert_eq!(images(&out.join("m.gif")), 5);
}

#[test]
fn residuals_are_kept_for_those_who_draw_them() {
    let folder = Folder::new();
    let output = "picture = { size = [160, 90] }\nmovie = { every = 0.05, size = [160, 90] }";
    let scene = store(&folder, output);
    let drawn = |colour: &str| {
        let (out, look) = (folder.path(colour), format!("output.look.colour=\"{colour}\""));
        expect(0, &["run", &scene, "--out", &text(&out), "--set", &look]);
        assert_eq!(images(&out.join("movie.gif")), 5);
        std::fs::read(out.join("picture.png")).unwrap()
    };
    assert!(drawn("residual") != drawn("plain"));
}

#[test]
fn a_run_beyond_its_end_begins_another_movie_and_says_so() {
    let folder = Folder::new();
    let (scene, out) = (store(&folder, "movie = { every = 0.02, size = [160, 90] }"), folder.path("out"));
    expect(0, &["run", &scene, "--out", &text(&out), "--end", "0.1"]);
    // as a killed process leaves it
    std::fs::write(out.join(".movie.1.part.gif"), b"GIF89a").unwrap();
    let run = expect(0, &["run", &scene, "--out", &text(&out), "--resume", "--picture"]);
    assert!(run.err.contains("movie-2.gif begins at time 0.12"), "{}", run.err);
    assert_eq!((images(&out.join("movie.gif")), images(&out.join("movie-2.gif"))), (6, 5));
    assert!(!out.join(".movie.1.part.gif").exists() && out.join("picture.png").exists());
}

#[test]
fn looks_and_targets_that_cannot_be_are_refused() {
    let folder = Folder::new();
    let refused = |output: &str, more: &[&str], words: &[&str]| {
        let scene = store(&folder, output);
        let run = expect(2, &[&["run", &scene, "--out", &text(&folder.path("out"))], more].concat());
        for word in words {
            assert!(run.err.contains(word), "\"{word}\" is not in: {}", run.err);
        }
    };
    refused("look = { colour = \"sped\" }", &[], &["rolling.toml:16:", "sped", "give speed, size"]);
    refused("movie = { file = \"m.avi\" }", &[], &["rolling.toml:16:", ".webm"]);
    refused("movie = { file = \"../m.gif\" }", &[], &["without a folder"]);
    refused("movie = { rate = 0 }", &[], &["images a second"]);
    refused("picture = { size = [1, 1] }", &[], &["from 16 to 16384"]);
    refused("look = { camera = { zoom = -1 } }", &[], &["zoom"]);
    refused("", &["--movie", "dominoes"], &["--movie dominoes", "comes before"]);
    refused("", &["--picture", "a.jpg"], &["--picture a.jpg", ".png"]);
    refused("", &["--movie", &text(&folder.path("none/a.gif"))], &["does not exist"]);
}

#[test]
fn a_run_becomes_one_page() {
    let folder = Folder::new();
    let scene = store(&folder, "series = {}\ncertificate = true\npicture = {}");
    let [out, page] = ["out", "page.html"].map(|name| text(&folder.path(name)));
    expect(0, &["run", &scene, "--out", &out]);
    let run = expect(0, &["report", &out, "--out", &page]);
    assert!(run.out.contains("certified: all 100 steps within 1e-8") && run.out.contains("page.html"));
    let html = std::fs::read_to_string(&page).unwrap();
    for part in [
        "<h1>A ball &lt;rolls&gt;</h1>",
        "verdict good\">certified: all 100 steps within 1e-8",
        "data:image/png;base64,",
        "kinetic",
        "<svg",
        "half_space = {}",
        "<td>seed</td><td>0</td>",
    ] {
        assert!(html.contains(part), "{part} is missing");
    }
    assert!(!html.contains("src=\"http"));
    expect(0, &["report", &out]);
    assert!(begins(&Path::new(&out).join("report.html"), b"<!doctype html>"));
    let none = expect(2, &["report", &text(&folder.path("none"))]).err;
    assert!(none.contains("give the folder of a run"), "{none}");
}
