//! The surface of a heap.

use libm::atan;
use std::collections::BTreeMap;
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

/// The free surface: the middle of each column of a width over the first axis, and the highest point of the bodies whose
/// centres are in it. Columns begin at multiples of the width from an origin; empty ones are left out.
pub fn surface<const D: usize>(world: &World<D>, group: &[BodyId], origin: f64, width: f64) -> Vec<(f64, f64)>
where
    Dim<D>: Rigid<D>,
{
    let points = group.iter().map(|body| (world.bodies().x[body.index()][0], top(world, body.index())));
    column_tops(points, origin, width).into_values().collect()
}

/// Points, each a place and a height, in columns of a width: by the number of its column from an origin, its middle and
/// the highest point in it. Empty columns are left out.
pub fn column_tops(
    points: impl IntoIterator<Item = (f64, f64)>,
    origin: f64,
    width: f64,
) -> BTreeMap<i64, (f64, f64)> {
    let mut tops = BTreeMap::new();
    for (x, height) in points {
        let column = ((x - origin) / width).floor() as i64;
        let middle = origin + (column as f64 + 0.5) * width;
        let (_, highest) = tops.entry(column).or_insert((middle, f64::NEG_INFINITY));
        *highest = f64::max(*highest, height);
    }
    tops
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
    let width = (high - low) / COLUMNS as f64;
    let mut surface = surface(world, group, low, width);
    surface.retain(|(x, _)| (low + width..high - width).contains(x));
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
        // columns of two disks each, from -50 to 51; the nearer to the ridge counts
        let surface = surface(&world, &group, 0.0, 2.0);
        assert_eq!(surface.len(), 51);
        for (x, top) in surface {
            let nearest = if x < 0.0 { x } else { x - 1.0 };
            assert!((top - (40.4 - 0.5 * nearest.abs())).abs() < 1e-12, "{x}: {top}");
        }
    }
}
