//! What pictures show is where it is, lit from where the light is.

use stickslip::{Body, Joint, World};
use stickslip_geometry::shape::{Ball, Bounds, Cuboid, HalfSpace, HollowBall, Segment, Shape};
use stickslip_geometry::space::{Pose, Vector};
use stickslip_pictures::{By, Camera, ColourMap, Colouring, Frame, Picture, PictureError, Style};
use stickslip_solvers::panel::Nlgs;

fn ball(radius: f64) -> Shape<3> {
    Shape::Ball(Ball { radius })
}

fn v3(x: f64, y: f64, z: f64) -> Vector<3> {
    Vector::<3>::new(x, y, z)
}

/// A world of balls, each with a value that gives it a colour of its own.
fn balls(places: &[(Vector<3>, f64)], values: &[f64], style: &Style<3>) -> Picture {
    let mut world = World::<3>::default();
    for &(x, radius) in places {
        world.add(Body::new(ball(radius), Pose::at(x))).unwrap();
    }
    let by = By::Given { label: "value".into(), values: values.to_vec() };
    let colouring = Colouring { range: Some([0.0, 1.0]), ..by.into() };
    Frame::of(&world, &colouring).unwrap().draw(style).unwrap()
}

/// Without lettering, from the side: x to the right, z up.
fn side_view(size: (u32, u32)) -> Style<3> {
    let camera = Camera { azimuth: -90.0, elevation: 0.0, ..Camera::default() };
    let bounds = Some(Bounds { low: Vector::repeat(-2.0), high: Vector::repeat(2.0) });
    Style { size, camera, bounds, legend: false, ..Style::default() }
}

/// Whether a pixel has a strong colour, which neither the background nor floors have.
fn coloured([r, g, b]: [u8; 3]) -> bool {
    r.max(g).max(b) - r.min(g).min(b) > 30
}

fn coloured_pixels(picture: &Picture) -> Vec<(u32, u32)> {
    let (width, height) = picture.size();
    (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, y)))
        .filter(|&(x, y)| coloured(picture.pixel(x, y).unwrap()))
        .collect()
}

#[test]
fn the_silhouette_of_a_sphere_has_its_area_and_place() {
    let style = side_view((400, 400));
    let picture = balls(&[(v3(0.8, 0.0, -0.5), 0.7)], &[0.9], &style);
    let pixels = coloured_pixels(&picture);
    // the eye stands where the front of the box just fits with its margins: half of it is 2 wide at this depth
    let focal = 200.0 / 15f64.to_radians().tan();
    let slope = 200.0 * 0.92 / focal;
    let depth = 2.0 / slope + 2.0;
    // a sphere off the axis is seen as an ellipse; its area as of a cone of rays
    let place = |x: f64| 200.0 + focal * x / depth;
    let radius = focal * 0.7 / (depth * depth - 0.49f64).sqrt();
    let area = std::f64::consts::PI * radius * radius;
    let found = pixels.len() as f64;
    assert!((found / area - 1.0).abs() < 0.03, "{found} pixels for {area}");
    let mean =
        |k: &dyn Fn(&(u32, u32)) -> u32| pixels.iter().map(|p| f64::from(k(p)) + 0.5).sum::<f64>() / found;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    assert!((x - place(0.8)).abs() < 1.5 && (y - place(0.5)).abs() < 1.5, "at {x}, {y}");
}

#[test]
fn nearer_things_hide_farther_ones_whatever_their_order() {
    // the eye is at negative y
    let places = [(v3(0.0, 1.5, 0.0), 0.9), (v3(0.0, -1.0, 0.0), 0.5)];
    let swapped = [places[1], places[0]];
    let style = side_view((200, 200));
    for picture in [balls(&places, &[0.0, 1.0], &style), balls(&swapped, &[1.0, 0.0], &style)] {
        let [r, _, b] = picture.pixel(100, 100).unwrap();
        assert!(r > b, "the yellow ball in front of the violet one");
        let [r, _, b] = picture.pixel(100, 70).unwrap();
        assert!(b > r, "the violet ball beside it");
    }
}

#[test]
fn a_box_hides_a_ball_behind_it_and_not_one_before_it() {
    let mut world = World::<3>::default();
    world.add(Body::new(ball(0.3), Pose::at(v3(-1.0, 1.5, 0.0)))).unwrap();
    world.add(Body::new(ball(0.3), Pose::at(v3(1.0, -1.5, 0.0)))).unwrap();
    world.add(Body::fixed(Shape::Cuboid(Cuboid::<3>::new(v3(1.9, 0.2, 0.8))), Pose::identity())).unwrap();
    let picture = Frame::of(&world, &By::Size.into()).unwrap().draw(&side_view((300, 300))).unwrap();
    let seen = coloured_pixels(&picture);
    assert!(!seen.is_empty() && seen.iter().all(|&(x, _)| x > 150), "{:?}", seen.first());
}

#[test]
fn the_shadow_falls_away_from_the_sun() {
    let mut world = World::<3>::default();
    world.gravity = v3(0.0, 0.0, -9.81);
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::at(v3(0.0, 0.0, -1.0)))).unwrap();
    world.add(Body::new(ball(0.5), Pose::identity())).unwrap();
    // pixels of the floor in shadow in the left and in the right half
    let shaded = |sun: f64| {
        let camera = Camera { azimuth: -90.0, elevation: 40.0, sun: (sun, 45.0), zoom: 1.0 };
        let style = Style { camera, ..side_view((300, 300)) };
        let picture = Frame::of(&world, &By::Size.into()).unwrap().draw(&style).unwrap();
        let dark = |x: u32, y: u32| picture.pixel(x, y).is_some_and(|c| !coloured(c) && c[1] < 205);
        [0..150, 150..300].map(|half| half.map(|x| (0..300).filter(|&y| dark(x, y)).count()).sum::<usize>())
    };
    let ([left, right], [other_left, other_right]) = (shaded(90.0), shaded(-90.0));
    assert!(right > 200 && left < right / 4, "sun at the left: {left} and {right}");
    assert!(other_left > 200 && other_right < other_left / 4, "at the right: {other_left} and {other_right}");
}

#[test]
fn the_colour_of_the_middle_value_is_that_of_the_map() {
    let mut world = World::<2>::default();
    world.add(Body::new(Shape::Ball(Ball { radius: 1.0 }), Pose::at(Vector::<2>::new(3.0, 4.0)))).unwrap();
    let by = By::Given { label: "value".into(), values: vec![7.0] };
    let colouring = Colouring { range: Some([6.0, 8.0]), map: Some(ColourMap::Diverging), by };
    let style = Style { size: (100, 100), legend: false, ..Style::<2>::default() };
    let picture = Frame::of(&world, &colouring).unwrap().draw(&style).unwrap();
    assert_eq!(picture.pixel(50, 40), Some(ColourMap::Diverging.at(0.5)));
    assert_eq!(picture.pixel(2, 2), Some([255; 3]));
}

#[test]
fn disks_cover_their_area() {
    let mut world = World::<2>::default();
    world.add(Body::new(Shape::Ball(Ball { radius: 1.0 }), Pose::at(Vector::<2>::new(-1.0, 0.5)))).unwrap();
    let bounds = Bounds { low: Vector::repeat(-2.0), high: Vector::repeat(2.0) };
    let style = Style { size: (440, 440), legend: false, bounds: Some(bounds), ..Style::<2>::default() };
    let picture = Frame::of(&world, &By::Plain.into()).unwrap().draw(&style).unwrap();
    let pixels = coloured_pixels(&picture);
    // the margins are 28 of 720 each way, at least 0.7 of that
    let scale = (440.0 - 2.0 * 28.0 * 0.7) / 4.0;
    let area = std::f64::consts::PI * scale * scale;
    assert!((pixels.len() as f64 / area - 1.0).abs() < 0.04, "{} for {area}", pixels.len());
    let x = pixels.iter().map(|p| f64::from(p.0)).sum::<f64>() / pixels.len() as f64;
    assert!((x - (220.0 - scale)).abs() < 2.0, "{x}");
}

#[test]
fn force_chains_are_drawn_where_the_force_is() {
    let mut world = World::<2>::default();
    world.gravity = Vector::<2>::new(0.0, -10.0);
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    world.add(Body::new(Shape::Ball(Ball { radius: 1.0 }), Pose::at(Vector::<2>::new(0.0, 1.0)))).unwrap();
    world.step(1e-2).unwrap();
    let frame = Frame::of(&world, &By::Force.into()).unwrap();
    let weight = 10.0 * 1000.0 * std::f64::consts::PI;
    assert_eq!(frame.chains.len(), 1);
    assert!((frame.chains[0].force / weight - 1.0).abs() < 1e-6, "{}", frame.chains[0].force);
    assert!((frame.bodies[1].value.unwrap() / weight - 1.0).abs() < 1e-6);
    let style = Style { size: (200, 200), legend: false, ..Style::<2>::default() };
    let below = |style: &Style<2>| frame.draw(style).unwrap().pixel(100, 140).unwrap();
    let [r, g, b] = below(&Style { chains: true, ..style.clone() });
    assert!(r > 100 && g < 60 && b < 60, "{r} {g} {b}");
    assert_ne!(below(&style), [r, g, b]);
}

/// A ball that falls on another one, solved by some sweeps alone; what is left of it on each.
fn residuals(sweeps: usize) -> Frame<2> {
    let mut world = World::<2>::default();
    world.gravity = Vector::<2>::new(0.0, -10.0);
    world.stop.tolerance = 1e-6;
    (world.keep_residuals, world.retry, world.stop.max_iterations) = (true, false, sweeps);
    world.solver = Some(Nlgs::default().into());
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    for y in [1.0, 3.0, 9.0] {
        let place = Pose::at(Vector::<2>::new(0.0, y));
        world.add(Body::new(Shape::Ball(Ball { radius: 1.0 }), place)).unwrap();
    }
    world.step(1e-2).unwrap();
    let frame = Frame::of(&world, &By::Residual.into()).unwrap();
    let worst = world.residuals().iter().map(|&(_, share)| share).fold(0.0, f64::max);
    let shown: Vec<f64> = frame.bodies.iter().filter_map(|body| body.value).collect();
    assert!(shown[..2].contains(&worst) && shown[2] == 0.0, "{worst:e} is not in {shown:?}");
    world.keep_residuals = false;
    let error = Frame::of(&world, &By::Residual.into()).unwrap_err().to_string();
    assert!(error.contains("keep_residuals"), "{error}");
    frame
}

#[test]
fn residuals_are_drawn_on_a_logarithmic_scale_with_the_tolerance() {
    let [bad, good] = [1, 1000].map(residuals);
    assert!(bad.scale.range[1] > 1e-4 && good.scale.range[1] < 2e-5, "{:?} {:?}", bad.scale, good.scale);
    let style = Style { size: (200, 200), ..Style::<2>::default() };
    let marked = bad.draw(&style).unwrap();
    let mut unmarked = bad.clone();
    unmarked.scale.mark = None;
    assert!(marked.rgb() != unmarked.draw(&style).unwrap().rgb(), "the tolerance is pointed out");
    // the worst of both balls that touch is nearer to the end of the colours than to their beginning
    let worst = bad.bodies.iter().filter_map(|body| body.value).fold(0.0, f64::max);
    assert!(bad.scale.place(worst).unwrap() > 0.5);
}

#[test]
fn rods_are_drawn_between_their_ends() {
    let mut world = World::<2>::default();
    let small = || Shape::Ball(Ball { radius: 0.5 });
    let hook = world.add(Body::fixed(small(), Pose::at(Vector::<2>::new(0.0, 1.2)))).unwrap();
    let bob = world.add(Body::new(small(), Pose::at(Vector::<2>::new(0.0, -1.2)))).unwrap();
    let style = Style { size: (200, 200), legend: false, ..Style::<2>::default() };
    let middle = |world: &World<2>| {
        Frame::of(world, &By::Plain.into()).unwrap().draw(&style).unwrap().pixel(100, 100).unwrap()
    };
    assert_eq!(middle(&world), [255; 3]);
    let [from, to] = [1.2, -1.2].map(|y| Vector::<2>::new(0.0, y));
    world.join(Joint::rod(hook, bob, from, to)).unwrap();
    assert!(middle(&world)[0] < 150, "{:?}", middle(&world));
}

#[test]
fn an_empty_world_gives_a_picture() {
    let plane = Frame::of(&World::<2>::default(), &By::Speed.into()).unwrap();
    assert_eq!(plane.draw(&Style::default()).unwrap().size(), (1280, 720));
    let space = Frame::of(&World::<3>::default(), &By::Speed.into()).unwrap();
    let style = Style { size: (64, 48), chains: true, ..Style::default() };
    assert_eq!(space.draw(&style).unwrap().size(), (64, 48));
}

#[test]
fn a_world_of_walls_alone_gives_a_picture() {
    let mut world = World::<2>::default();
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::identity())).unwrap();
    world.add(Body::fixed(Shape::HollowBall(HollowBall { radius: 3.0 }), Pose::identity())).unwrap();
    world.add(Body::fixed(Shape::Segment(Segment { half_length: 1.0 }), Pose::identity())).unwrap();
    let frame = Frame::of(&world, &By::Angle.into()).unwrap();
    assert!((frame.bounds().size() - 6.3).abs() < 1e-9);
    frame.draw(&Style { size: (64, 64), ..Style::default() }).unwrap();
}

#[test]
fn sizes_and_values_that_cannot_be_are_refused() {
    let frame = Frame::of(&World::<2>::default(), &By::Speed.into()).unwrap();
    let error = frame.draw(&Style { size: (0, 720), ..Style::default() }).unwrap_err();
    assert!(matches!(error, PictureError::Size { width: 0, .. }), "{error}");
    let camera = Camera { zoom: 0.0, ..Camera::default() };
    let error = frame.draw(&Style { camera, ..Style::default() }).unwrap_err().to_string();
    assert!(error.contains("camera, zoom = 0"), "{error}");
    let point = Bounds { low: Vector::zeros(), high: Vector::zeros() };
    let error = frame.draw(&Style { bounds: Some(point), ..Style::default() }).unwrap_err();
    assert!(matches!(error, PictureError::View), "{error}");
    let by = By::Given { label: "residual".into(), values: vec![1.0] };
    let error = Frame::of(&World::<2>::default(), &by.into()).unwrap_err().to_string();
    assert!(error.contains("1 values of residual for 0 bodies"), "{error}");
}

#[test]
fn bits_do_not_depend_on_threads() {
    let mut world = World::<3>::default();
    world.add(Body::fixed(Shape::HalfSpace(HalfSpace), Pose::at(v3(0.0, 0.0, -1.0)))).unwrap();
    for k in 0..300 {
        let k = f64::from(k);
        let x = v3((1.7 * k).sin(), (2.9 * k).cos(), (0.7 * k).sin());
        let shape =
            if k as i32 % 3 == 0 { Shape::Cuboid(Cuboid::<3>::new(v3(0.1, 0.2, 0.1))) } else { ball(0.15) };
        world.add(Body::new(shape, Pose::at(x))).unwrap();
    }
    let frame = Frame::of(&world, &By::Name.into()).unwrap();
    let style = Style { size: (320, 200), ..Style::default() };
    let drawn = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| frame.draw(&style).unwrap().rgb())
    };
    assert!(drawn(1) == drawn(2) && drawn(1) == drawn(7));
}

#[test]
fn seams_show_how_a_ball_is_turned() {
    let style = side_view((120, 120));
    let middle = |turn: f64| -> u32 {
        let mut world = World::<3>::default();
        let pose = Pose::<3>::turned(Vector::zeros(), v3(0.0, 0.0, turn));
        world.add(Body::new(ball(1.5), pose)).unwrap();
        let picture = Frame::of(&world, &By::Plain.into()).unwrap().draw(&style).unwrap();
        picture.pixel(60, 60).unwrap().iter().map(|&x| u32::from(x)).sum()
    };
    // a seam runs through the middle, or is turned away
    assert!(middle(0.0) < middle(0.7) * 9 / 10, "{} {}", middle(0.0), middle(0.7));
}
