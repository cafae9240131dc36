//! The surface of a heap.

use libm::atan;
use stickslip::rigid::Rigid;
use stickslip::{BodyId, World};
use stickslip_geometry::space::Dim;

/// Columns across a heap.
const COLUMNS: usize = 16;
/// Points that a straight line needs.
const FEWEST: usize = 4;

/// The highest point of some bodies.
pub fn height<const D: usize>(world: &World<D>, group: &[BodyId]) -> f64
where
    Dim<D>: Rigid<D>,
{
    group.iter().map(|body| top(world, body.index())).fold(f64::NEG_INFINITY, f64::max)
}

fn top<const D: usize>(world: &World<D>, b: usize) -> f64
where
    Dim<D>: Rigid<D>,
{
    let bodies = world.bodies();
    let top = bodies.shape[b].bounds(&bodies.shape_pose(b)).high[D - 1];
    if top.is_finite() { top } else { bodies.x[b][D - 1] }
}

/// The slope of the surface over the first axis, in degrees: the tops of equal columns, straight lines through those to
/// either side of the highest, the steeper of both. Columns at the ends are left out: toes and walls bend the surface.
pub fn slope<const D: usize>(world: &World<D>, group: &[BodyId]) -> f64
where
    Dim<D>: Rigid<D>,
{
    let bodies = world.bodies();
    let along = || group.iter().map(|body| bodies.x[body.index()][0]);
    let (low, high) = (along().fold(f64::INFINITY, f64::min), along().fold(f64::NEG_INFINITY, f64::max));
    if !(high - low).is_normal() {
        return 0.0;
    }
    let mut tops = [f64::NEG_INFINITY; COLUMNS];
    for b in group.iter().map(|body| body.index()) {
        let column = ((bodies.x[b][0] - low) / (high - low) * COLUMNS as f64) as usize;
        let column = &mut tops[column.min(COLUMNS - 1)];
        *column = column.max(top(world, b));
    }
    let width = (high - low) / COLUMNS as f64;
    let surface: Vec<(f64, f64)> = tops
        .iter()
        .enumerate()
        .skip(1)
        .take(COLUMNS - 2)
        .filter(|(_, top)| top.is_finite())
        .map(|(k, top)| (k as f64 * width, *top))
        .collect();
    let peak = (0..surface.len()).max_by(|&i, &j| surface[i].1.total_cmp(&surface[j].1)).unwrap_or(0);
    let sides = [surface.get(..=peak), surface.get(peak..)];
    let steepest = sides.into_iter().flatten().filter_map(gradient).map(f64::abs).fold(0.0, f64::max);
    atan(steepest).to_degrees()
}

/// The gradient of the straight line through points, by least squares.
fn gradient(points: &[(f64, f64)]) -> Option<f64> {
    if points.len() < FEWEST {
        return None;
    }
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / n, y + point.1 / n));
    let spread: f64 = points.iter().map(|point| (point.0 - x) * (point.0 - x)).sum();
    let product: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    Some(product / spread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip::Body;
    use stickslip_geometry::shape::{Ball, Shape};
    use stickslip_geometry::space::{Pose, Vector};

    #[test]
    fn a_roof_has_the_slope_of_its_sides() {
        let mut world = World::<2>::default();
        let mut group = Vec::new();
        for k in -50..=50 {
            let x = f64::from(k);
            let body = Body::new(
                Shape::Ball(Ball { radius: 0.4 }),
                Pose::at(Vector::<2>::new(x, 40.0 - 0.5 * x.abs())),
            );
            group.push(world.add(body).unwrap());
        }
        assert!(
            (slope(&world, &group) - 0.5f64.atan().to_degrees()).abs() < 0.5,
            "{}",
            slope(&world, &group)
        );
        assert!((height(&world, &group) - 40.4).abs() < 1e-12);
    }
}
