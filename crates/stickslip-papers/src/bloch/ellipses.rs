//! Bloch 2023, 3.3.3: a column of ellipses without friction collapses on a floor of glued disks.

use crate::{Claim, Experiment, Result, Setting, fit, parameter};
use stickslip::World;
use stickslip::contacts::Contact;
use stickslip_geometry::shape::{Bounds, Shape};
use stickslip_geometry::space::{Pose, Vector};
use stickslip_pictures::{By, Frame, Style};

pub const EXPERIMENT: Experiment = Experiment {
    id: "bloch-ellipses",
    summary: "a column of 100 ellipses collapses, with closest points by common normals",
    paper: "Bloch 2023, section 3.3.3, Fig. 13",
    run,
};

const SCENE: &str = include_str!("../../../../scenes/papers/bloch-ellipses.toml");
/// Ellipses in a row, and rows, of a quick and of a full run.
const SIDES: [usize; 2] = [6, 10];
/// Seeds of masses and widths.
const SEEDS: [u64; 2] = [1, 2];
/// Moments that are drawn, as steps.
const DRAWN: [usize; 4] = [0, 100, 200, 400];
/// Two kinds of solving a step: to a residual, and by the solver and the test of the paper.
const CERTIFIED: &str = "tolerance = 1e-8";
const PRINTED: &str = "tolerance = 1e-14, retry = false, method = { apgd-ar = { increment = 1e-3 } }";

fn run(setting: &Setting) -> Result<Vec<Claim>> {
    let side = SIDES[usize::from(!setting.quick)];
    let step = parameter(&setting.scene("bloch-ellipses", SCENE, &[], &[])?, "step")?;
    let mut runs = Vec::new();
    for seed in SEEDS {
        let drawn = (seed == SEEDS[0]).then_some(setting);
        runs.push(Collapse::new(setting, side, (seed, step, CERTIFIED), drawn)?);
    }
    let halved = Collapse::new(setting, side, (SEEDS[0], 0.5 * step, CERTIFIED), None)?;
    let printed = Collapse::new(setting, side, (SEEDS[0], step, PRINTED), None)?;
    let mut claims: Vec<Claim> = runs.iter().flat_map(Collapse::claims).collect();
    claims.push(
        Claim::at_most(
            "largest overlap by steps half as long, by that before",
            0.0,
            halved.overlap / runs[0].overlap,
            0.6,
        )
        .ours(),
    );
    claims.push(
        Claim::near(
            "mean height at the end by the solver and the test of the paper, by that of certified steps",
            1.0,
            printed.height / runs[0].height,
            0.2,
        )
        .ours(),
    );
    runs.extend([halved, printed]);
    let names = [
        "seed",
        "step",
        "solver",
        "height",
        "width",
        "overlap",
        "residual",
        "normals",
        "contacts",
        "iterations",
        "seconds",
    ];
    setting.table("runs", &names, runs.iter().map(Collapse::row))?;
    Ok(claims)
}

/// A run.
struct Collapse {
    seed: u64,
    step: f64,
    /// Whether steps go to a residual, or to the test of the paper.
    certified: bool,
    /// Mean height and mean distance from the middle at the end, by those at the start.
    height: f64,
    width: f64,
    /// Largest overlap by the fixed axis, residual, and error of points and normals of contacts.
    overlap: f64,
    residual: f64,
    normals: f64,
    /// Contacts of ellipses that were looked at.
    contacts: usize,
    iterations: f64,
    seconds: f64,
    missed: usize,
}

impl Collapse {
    fn new(
        setting: &Setting,
        side: usize,
        (seed, step, solver): (u64, f64, &str),
        drawn: Option<&Setting>,
    ) -> Result<Self> {
        let settings = [
            format!("n={side}"),
            format!("seed={seed}"),
            format!("step={step}"),
            format!("solver={{ {solver} }}"),
        ];
        let scene = setting.scene("bloch-ellipses", SCENE, &[], &settings)?;
        let mut world = scene.build::<2>()?.world;
        let time = &scene.file.time.value;
        let axis = parameter(&scene, "axis")?;
        let [height, width] = extent(&world);
        let mut run = Collapse {
            seed,
            step,
            certified: solver == CERTIFIED,
            height: 0.0,
            width: 0.0,
            overlap: 0.0,
            residual: 0.0,
            normals: 0.0,
            contacts: 0,
            iterations: 0.0,
            seconds: 0.0,
            missed: 0,
        };
        let steps = (time.end / time.step).round() as usize;
        for k in 0..=steps {
            if let Some(setting) = drawn.filter(|_| DRAWN.contains(&k)) {
                draw(setting, &world, k, 1.2 * height)?;
            }
            let poses: Vec<Pose<2>> =
                (0..world.bodies().len()).map(|b| world.bodies().shape_pose(b)).collect();
            let report = world.step(time.step)?;
            run.overlap = run.overlap.max(report.penetration / axis);
            if let Some(outcome) = report.outcome {
                run.residual = run.residual.max(outcome.residual.scaled);
                run.iterations += outcome.iterations as f64 / (steps + 1) as f64;
            }
            run.seconds += report.seconds.all();
            for (contact, _) in world.contacts() {
                run.contacts += 1;
                run.normals = run.normals.max(fault(&world, contact, &poses));
            }
        }
        run.missed = world.missed();
        let [lower, wider] = extent(&world);
        (run.height, run.width) = (lower / height, wider / width);
        Ok(run)
    }

    fn claims(&self) -> [Claim; 5] {
        let of = |what: &str| format!("{what}, seed {}", self.seed);
        [
            Claim::at_most(of("mean height at the end by that at the start"), 0.5, self.height, 0.0),
            Claim::at_least(of("mean width at the end by that at the start"), 1.5, self.width, 0.0),
            Claim::at_most(of("worst common normal or closest point"), 0.0, self.normals, 1e-10),
            Claim::at_most(of("largest overlap by an axis"), 0.0, self.overlap, 0.03),
            Claim::at_most(of("steps that missed a residual of 1e-8"), 0.0, self.missed as f64, 0.0),
        ]
        .map(Claim::ours)
    }

    fn row(&self) -> Vec<String> {
        let solver = if self.certified { "auto" } else { "apgd-ar" };
        let numbers = [
            self.height,
            self.width,
            self.overlap,
            self.residual,
            self.normals,
            self.contacts as f64,
            self.iterations,
            self.seconds,
        ];
        let head = [self.seed.to_string(), self.step.to_string(), solver.into()];
        head.into_iter().chain(numbers.map(|number| number.to_string())).collect()
    }
}

/// Mean height and mean distance from the middle of all ellipses.
fn extent(world: &World<2>) -> [f64; 2] {
    let free: Vec<Vector<2>> = (0..world.bodies().len())
        .filter(|&b| world.bodies().is_free(b))
        .map(|b| world.bodies().x[b])
        .collect();
    let mean = |value: &dyn Fn(&Vector<2>) -> f64| fit::mean(free.iter().map(value));
    let middle = mean(&|x| x[0]);
    [mean(&|x| x[1]), mean(&|x| (x[0] - middle).abs())]
}

/// How far the points of a contact are from both surfaces, and its normal from theirs, with bodies where they were.
fn fault(world: &World<2>, contact: &Contact<2>, poses: &[Pose<2>]) -> f64 {
    let normal: Vector<2> = contact.frame.column(0).into();
    let half = normal * (0.5 * contact.gap);
    let sides =
        [(contact.key.a, contact.point - half, normal), (contact.key.b, contact.point + half, -normal)];
    let off = |(body, point, outward): (u32, Vector<2>, Vector<2>)| {
        let body = body as usize;
        let radii = match &world.bodies().shape[body] {
            Shape::Ellipsoid(ellipse) => ellipse.radii,
            other => Vector::<2>::repeat(other.inner_radius()),
        };
        let local = poses[body].to_local(&point);
        let slope = local.component_div(&radii.component_mul(&radii));
        let surface = 0.5 * (local.dot(&slope) - 1.0) / slope.norm();
        let found = poses[body].turn_to_world(&(slope / slope.norm()));
        surface.abs().max((found - outward).norm())
    };
    sides.map(off).into_iter().fold(0.0, fit::larger)
}

fn draw(setting: &Setting, world: &World<2>, step: usize, height: f64) -> Result<()> {
    let bounds = Bounds {
        low: Vector::<2>::new(-4.0 * height, -0.2),
        high: Vector::<2>::new(4.0 * height, 2.2 * height),
    };
    let style = Style {
        size: (1100, 380),
        bounds: Some(bounds),
        title: format!("Bloch 2023, Fig. 13: t = {:.1}", world.time()),
        ..Style::default()
    };
    let picture = Frame::of(world, &By::Speed.into())?.draw(&style)?;
    Ok(picture.save(&setting.folder.join(format!("figure-13-step-{step}.png")))?)
}
