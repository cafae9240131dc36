//! Movies decode to what was drawn.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::PathBuf;
use std::process::Command;
use stickslip::{Body, World};
use stickslip_geometry::shape::{Ball, Shape};
use stickslip_geometry::space::{Pose, Vector};
use stickslip_pictures::{Beside, By, Film, Frame, Movie, Picture, PictureError, Style};

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
    frames().into_iter().for_each(|frame| drop(movie.push(frame).unwrap()));
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

#[test]
fn a_movie_goes_on_from_its_images_to_the_same_bytes() {
    let folder = folder("resumed");
    let style = Style { bounds: None, ..style() };
    for ending in ["gif", "png"] {
        let [straight, resumed] = ["straight", "resumed"].map(|name| folder.join(format!("{name}.{ending}")));
        let mut movie = Movie::create(&straight, style.clone(), 12.5).unwrap();
        let (mut sight, mut kept) = (None, Vec::new());
        for (k, frame) in frames().into_iter().enumerate() {
            let picture = movie.push(frame).unwrap();
            if k < 3 {
                kept.push(folder.join(format!("{k}.png")));
                picture.keep(&kept[k]).unwrap();
                sight = movie.sight();
            }
        }
        movie.finish().unwrap();
        let images = kept.iter().map(|path| Picture::read(path));
        let mut movie = Movie::resume(&resumed, style.clone(), 12.5, &sight.unwrap(), images).unwrap();
        frames().drain(3..).for_each(|frame| drop(movie.push(frame).unwrap()));
        movie.finish().unwrap();
        assert!(fs::read(&straight).unwrap() == fs::read(&resumed).unwrap(), "{ending} differs");
    }
    fs::write(folder.join("half.png"), b"\x89PNG").unwrap();
    let error = Picture::read(&folder.join("half.png")).unwrap_err().to_string();
    assert!(error.contains("half.png") && error.contains("cannot be read"), "{error}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn mp4_and_webm_hold_every_image_where_there_is_ffmpeg() {
    if Command::new("ffmpeg").arg("-version").output().is_err() {
        eprintln!("skipped: ffmpeg is not installed");
        return;
    }
    let folder = folder("ffmpeg");
    for name in ["a.mp4", "a.webm"] {
        let path = folder.join(name);
        shoot(&path);
        // ffmpeg itself counts what it can decode
        let read = Command::new("ffmpeg")
            .args(["-i", path.to_str().unwrap(), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
            .output()
            .unwrap();
        assert_eq!(read.stdout.len(), 6 * 120 * 90 * 3, "{name}");
        let colour = |image: usize, x: usize| {
            let at = 3 * (image * 120 * 90 + 45 * 120 + x);
            read.stdout[at..at + 3].to_vec()
        };
        // the disk has moved from the left
        assert!(
            (0..120).any(|x| colour(0, x).iter().zip(colour(5, x)).any(|(a, b)| a.abs_diff(b) > 60)),
            "{name}"
        );
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_movie_beside_the_run_has_the_same_bytes_and_keeps_every_image_in_order() {
    let folder = folder("beside");
    let [at_once, beside] = ["at-once.gif", "beside.gif"].map(|name| folder.join(name));
    shoot(&at_once);
    let (sender, kept) = std::sync::mpsc::channel();
    let keep = move |picture: &Picture| {
        sender.send(picture.rgb()).unwrap();
        Ok(())
    };
    let mut movie = Beside::new(Movie::create(&beside, style(), 12.5).unwrap(), keep).unwrap();
    assert_eq!(movie.sight().unwrap(), None);
    frames().into_iter().for_each(|frame| movie.push(frame).unwrap());
    // a checkpoint knows of what is drawn, and nothing waits then
    assert_eq!(movie.sight().unwrap().unwrap().range, [0.0, 5.0]);
    let kept: Vec<Vec<u8>> = kept.try_iter().collect();
    assert_eq!(kept, pictures().iter().map(Picture::rgb).collect::<Vec<_>>());
    movie.finish().unwrap();
    assert!(fs::read(&at_once).unwrap() == fs::read(&beside).unwrap());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn runs_on_every_thread_at_once_do_not_wait_for_each_other() {
    let folder = folder("many");
    let ball = Shape::Ball(Ball { radius: 1.0 });
    let mut world = World::<3>::default();
    world.add(Body::new(ball, Pose::identity())).unwrap();
    let style = Style { size: (64, 48), ..Style::default() };
    rayon::broadcast(|thread| {
        let path = folder.join(format!("{}.gif", thread.index()));
        let movie = Movie::create(&path, style.clone(), 12.5).unwrap();
        let mut movie = Beside::new(movie, |_| Ok(())).unwrap();
        (0..5).for_each(|_| movie.push(Frame::of(&world, &By::Size.into()).unwrap()).unwrap());
        movie.finish().unwrap();
    });
    assert_eq!(fs::read_dir(&folder).unwrap().count(), rayon::current_num_threads());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_goes_wrong_beside_the_run_is_told_once_and_leaves_nothing() {
    let folder = folder("failing");
    let failing = || {
        let mut room = 2;
        let keep = move |_: &Picture| {
            room -= 1;
            if room < 0 { Err(PictureError::Encode("no room".into())) } else { Ok(()) }
        };
        Beside::new(Movie::create(&folder.join("a.gif"), style(), 12.5).unwrap(), keep).unwrap()
    };
    let mut movie = failing();
    let told = frames().into_iter().find_map(|frame| movie.push(frame).err());
    let told = told.or_else(|| movie.sight().err()).unwrap().to_string();
    assert!(told.contains("no room"), "{told}");
    let again = frames().into_iter().find_map(|frame| movie.push(frame).err()).unwrap();
    assert!(matches!(again, PictureError::Ended) && matches!(movie.finish(), Err(PictureError::Ended)));
    let mut movie = failing();
    let told = frames().into_iter().find_map(|frame| movie.push(frame).err());
    let told = told.or_else(|| movie.finish().err()).unwrap().to_string();
    assert!(told.contains("no room"), "{told}");
    // nor does a movie that nobody finishes
    failing().push(frames().remove(0)).unwrap();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    fs::remove_dir_all(folder).unwrap();
}
