//! Movies decode to what was drawn.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::PathBuf;
use stickslip::{Body, World};
use stickslip_geometry::shape::{Ball, Shape};
use stickslip_geometry::space::{Pose, Vector};
use stickslip_pictures::{By, Film, Frame, Movie, Picture, Style};

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("stickslip-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A disk that moves, every other time not.
fn frames() -> Vec<Frame<2>> {
    (0..6)
        .map(|k| {
            let mut world = World::<2>::default();
            let x = Vector::<2>::new(f64::from(k / 2), 0.0);
            let v = Vector::<2>::new(f64::from(k), 0.0);
            world.add(Body { v, ..Body::new(Shape::Ball(Ball { radius: 1.0 }), Pose::at(x)) }).unwrap();
            Frame::of(&world, &By::Speed.into()).unwrap()
        })
        .collect()
}

fn style() -> Style<2> {
    Style {
        size: (120, 90),
        legend: false,
        bounds: Some(frames()[5].bounds().grown(3.0)),
        ..Style::default()
    }
}

/// The pictures that the movie should show: colours by the widest range so far.
fn pictures() -> Vec<Picture> {
    let mut widest: Option<[f64; 2]> = None;
    frames()
        .into_iter()
        .map(|mut frame| {
            let [low, high] = frame.scale.range;
            let [a, b] = widest.unwrap_or([low, high]);
            widest = Some([low.min(a), high.max(b)]);
            frame.scale.range = widest.unwrap();
            frame.draw(&style()).unwrap()
        })
        .collect()
}

fn shoot(path: &std::path::Path) {
    let mut movie = Movie::create(path, style(), 12.5).unwrap();
    frames().iter().for_each(|frame| movie.push(frame).unwrap());
    assert!(!path.exists(), "half a movie has no name");
    movie.finish().unwrap();
}

#[test]
fn a_gif_shows_every_image_within_the_error_of_its_palette() {
    let folder = folder("gif");
    let path = folder.join("a.gif");
    shoot(&path);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left");
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(BufReader::new(File::open(&path).unwrap())).unwrap();
    let mut screen = vec![0u8; 120 * 90 * 4];
    let mut images = 0;
    let expected = pictures();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        assert_eq!(frame.delay, 8);
        for (k, pixel) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, pixel)| pixel[3] > 0) {
            let width = usize::from(frame.width);
            let (x, y) = (usize::from(frame.left) + k % width, usize::from(frame.top) + k / width);
            screen[4 * (y * 120 + x)..][..4].copy_from_slice(pixel);
        }
        let drawn = expected[images].rgb();
        let errors = screen.chunks_exact(4).zip(drawn.chunks_exact(3));
        let errors: Vec<u8> =
            errors.map(|(a, b)| (0..3).map(|c| a[c].abs_diff(b[c])).max().unwrap()).collect();
        let mean = errors.iter().map(|&error| f64::from(error)).sum::<f64>() / errors.len() as f64;
        let worst = errors.into_iter().max();
        assert!(mean < 1.0 && worst < Some(48), "image {images} differs by {worst:?}, {mean} in the mean");
        images += 1;
    }
    assert_eq!(images, 6);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn an_animated_png_shows_every_image_exactly() {
    let folder = folder("apng");
    let path = folder.join("a.png");
    shoot(&path);
    let decoder = png::Decoder::new(BufReader::new(File::open(&path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    assert_eq!(reader.info().animation_control().map(|control| control.num_frames), Some(6));
    let mut screen = vec![0u8; 120 * 90 * 3];
    for expected in pictures() {
        let mut buffer = vec![0; 120 * 90 * 3];
        let info = reader.next_frame(&mut buffer).unwrap();
        let place = *reader.info().frame_control().unwrap();
        let (width, left, top) = (info.width as usize, place.x_offset as usize, place.y_offset as usize);
        for (k, pixel) in buffer[..info.buffer_size()].chunks_exact(3).enumerate() {
            screen[3 * ((top + k / width) * 120 + left + k % width)..][..3].copy_from_slice(pixel);
        }
        assert!(screen == expected.rgb());
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn movies_that_cannot_be_are_refused_and_leave_nothing() {
    let folder = folder("refused");
    let refused = |name: &str, rate: f64| Film::create(&folder.join(name), rate).err().unwrap().to_string();
    assert!(refused("a.avi", 10.0).contains("one of .gif, .png"));
    assert!(refused("a.gif", 0.0).contains("0 images a second"));
    assert!(refused("none/a.gif", 10.0).contains("check that its folder exists"));
    let empty = Film::create(&folder.join("a.gif"), 10.0).unwrap();
    assert!(empty.finish().unwrap_err().to_string().contains("push at least one"));
    let mut film = Film::create(&folder.join("a.gif"), 10.0).unwrap();
    film.push(&pictures()[0]).unwrap();
    let other = Style { size: (64, 64), ..style() };
    let error = film.push(&frames()[0].draw(&other).unwrap()).unwrap_err().to_string();
    assert!(error.contains("all images of a movie are of one size"), "{error}");
    drop(film);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    fs::remove_dir_all(folder).unwrap();
}
