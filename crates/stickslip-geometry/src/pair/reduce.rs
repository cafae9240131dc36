//! Fewer contact points that hold a body as well: those that span the widest area, low ones before high ones.
//!
//! Every choice keeps the point that comes first unless a later one is clearly better, so that rounding does not change
//! the choice from step to step.

use super::Point;
use crate::shape::cross;
use crate::space::Vector;

/// A later point must be better by this part of the size.
const CLEARLY: f64 = 1e-6;

/// What a length of height costs in lengths of width: for the first point, which should be the lowest one of a body that
/// is tilted by more than a thousandth, and for the others.
const HEIGHT: (f64, f64) = (1e3, 10.0);

/// Keeps at most two points in the plane and four in space, of those from `first` on, which share a normal.
pub fn reduce<const D: usize>(out: &mut Vec<Point<D>>, first: usize, size: f64) {
    let most = if D == 2 { 2 } else { 4 };
    if out.len() - first <= most {
        return;
    }
    let points = &out[first..];
    let normal = points[0].normal;
    let lowest = points.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
    let flat_from = |k: usize, x: &Vector<D>| {
        let way = points[k].a - x;
        way - normal * normal.dot(&way)
    };
    let flat = |k: usize, from: usize| flat_from(k, &points[from].a);
    // the score is a length; a point above the others helps little
    let pick = |height: f64, score: &dyn Fn(usize) -> f64| {
        let mut best = (0, f64::NEG_INFINITY);
        for (k, point) in points.iter().enumerate() {
            let found = score(k) - height * (point.gap - lowest);
            if found > best.1 + CLEARLY * size {
                best = (k, found);
            }
        }
        best
    };
    let middle = points.iter().map(|p| p.a).sum::<Vector<D>>() / points.len() as f64;
    let p = pick(HEIGHT.0, &|k| flat_from(k, &middle).norm()).0;
    let q = pick(HEIGHT.1, &|k| flat(k, p).norm()).0;
    let mut kept = vec![p, q];
    if D == 3 {
        let way = flat(q, p);
        let length = way.norm();
        if length > CLEARLY * size {
            // the farthest point on either side of the line from p to q
            let aside = cross(&normal, &way) / length;
            let left = pick(HEIGHT.1, &|k| flat(k, p).dot(&aside)).0;
            let right = pick(HEIGHT.1, &|k| -flat(k, p).dot(&aside)).0;
            kept.extend([left, right]);
        }
    }
    kept.sort_unstable();
    kept.dedup();
    let kept: Vec<Point<D>> = kept.into_iter().map(|k| points[k]).collect();
    out.truncate(first);
    out.extend(kept);
}

/// Keeps at most four points, of those from `first` on, whose normals may differ: the lowest one, then always the one
/// that is farthest from those kept.
pub fn spread<const D: usize>(out: &mut Vec<Point<D>>, first: usize, size: f64) {
    let points = &out[first..];
    if points.len() <= 4 {
        return;
    }
    let lowest = points.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
    let mut kept: Vec<usize> = Vec::with_capacity(4);
    while kept.len() < 4 {
        let mut best = (0, f64::NEG_INFINITY);
        for (k, point) in points.iter().enumerate().filter(|(k, _)| !kept.contains(k)) {
            let away = kept.iter().map(|&j| (point.a - points[j].a).norm()).fold(size, f64::min);
            let height = if kept.is_empty() { HEIGHT.0 } else { HEIGHT.1 };
            let found = away - height * (point.gap - lowest);
            if found > best.1 + CLEARLY * size {
                best = (k, found);
            }
        }
        kept.push(best.0);
    }
    kept.sort_unstable();
    let kept: Vec<Point<D>> = kept.into_iter().map(|k| points[k]).collect();
    out.truncate(first);
    out.extend(kept);
}
