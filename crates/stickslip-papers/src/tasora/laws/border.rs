//! The border of a convex set of forces in the half plane `t ≥ 0`, by straight pieces and arcs, and a point that is pushed
//! against it: the force of a contact with the same stiffness in both directions.
//!
//! ```text
//! γ̇ = e inside,   γ̇ = e − (e·ν) ν where e presses against a border of normal ν        Tasora 2013 (26), (27)
//! ```
//!
//! On an arc of radius R, with θ from its normal to e, `tan(θ/2)` falls by `exp(−|e| s/R)`. Where flow that opens under pressure
//! is not kept, the normal force goes on as inside there, and the other follows along the border.

use stickslip_geometry::space::Vector;

/// What a way may miss a corner by.
const ROUNDING: f64 = 1e-9;

/// A piece of the border, the set on its right.
enum Piece {
    /// Straight.
    Line([Vector<2>; 2]),
    /// Between two angles of its normal, the second smaller.
    Arc { centre: Vector<2>, radius: f64, angles: [f64; 2] },
}

/// The border, from the end that pulls to the one that pushes.
pub struct Border(Vec<Piece>);

/// The normal of a straight way, on its left.
fn normal(ends: &[Vector<2>]) -> Vector<2> {
    let way = ends[1] - ends[0];
    Vector::<2>::new(-way[1], way[0]).normalize()
}

fn at_angle(angle: f64) -> Vector<2> {
    Vector::<2>::new(angle.cos(), angle.sin())
}

impl Border {
    /// A line with corners, from the axis on, rounded outwards by a radius.
    pub fn new(corners: &[Vector<2>], radius: f64) -> Self {
        let mut pieces = Vec::new();
        let mut angle = std::f64::consts::PI;
        for ends in corners.windows(2) {
            let normal = normal(ends);
            let next = normal[1].atan2(normal[0]);
            // parts of one kind: on one side of the tangential axis, and opening or crushing
            let mut cuts = vec![angle, next];
            let axis = (-ends[0][0] / radius.max(f64::MIN_POSITIVE)).clamp(-1.0, 1.0).acos();
            cuts.extend(
                [axis, std::f64::consts::FRAC_PI_2].iter().filter(|cut| next < **cut && **cut < angle),
            );
            cuts.sort_by(|a, b| b.total_cmp(a));
            for pair in cuts.windows(2) {
                pieces.push(Piece::Arc { centre: ends[0], radius, angles: [pair[0], pair[1]] });
            }
            let line = [ends[0] + normal * radius, ends[1] + normal * radius];
            if line[0][0] < 0.0 && line[1][0] > 0.0 {
                let cut = line[0] - (line[1] - line[0]) * (line[0][0] / (line[1][0] - line[0][0]));
                pieces.push(Piece::Line([line[0], cut]));
                pieces.push(Piece::Line([cut, line[1]]));
            } else {
                pieces.push(Piece::Line(line));
            }
            angle = next;
        }
        Border(pieces)
    }

    /// Where a point inside ends that is pushed along a way, and whether all flow is kept.
    pub fn push(&self, start: Vector<2>, way: Vector<2>, keeps: bool) -> Vector<2> {
        let hits = self.0.iter().enumerate().filter_map(|(k, piece)| Some((k, piece.hit(start, way)?)));
        let Some((mut k, hit)) = hits.min_by(|a, b| a.1.total_cmp(&b.1)) else { return start + way };
        let (mut at, mut left) = (start + way * hit, 1.0 - hit);
        for _ in 0..2 * self.0.len() {
            let piece = &self.0[k];
            let closes = !keeps && piece.opens_under_pressure();
            let (end, after, forward) =
                if closes { piece.follow(at, way, left) } else { piece.slide(at, way, left) };
            (at, left) = (end, after);
            let next = if forward { k + 1 } else { k.wrapping_sub(1) };
            if left <= 0.0 || next >= self.0.len() {
                break;
            }
            k = next;
        }
        at
    }

    /// Points along it.
    pub fn points(&self, count: usize) -> Vec<Vector<2>> {
        let part = |k: usize| k as f64 / count as f64;
        let of = |piece: &Piece, part: f64| match piece {
            Piece::Line([a, b]) => a + (b - a) * part,
            Piece::Arc { centre, radius, angles: [from, to] } => {
                centre + at_angle(from + (to - from) * part) * *radius
            }
        };
        self.0.iter().flat_map(|piece| (0..=count).map(move |k| of(piece, part(k)))).collect()
    }
}

impl Piece {
    /// The part of a way from inside at which it leaves the set here.
    fn hit(&self, start: Vector<2>, way: Vector<2>) -> Option<f64> {
        let part = match self {
            Piece::Line(ends) => {
                let (normal, along) = (normal(ends), ends[1] - ends[0]);
                let part = normal.dot(&(ends[0] - start)) / normal.dot(&way);
                let place = along.dot(&(start + way * part - ends[0])) / along.norm_squared();
                (normal.dot(&way) > 0.0 && (-ROUNDING..=1.0 + ROUNDING).contains(&place)).then_some(part)?
            }
            Piece::Arc { centre, radius, angles: [from, to] } => {
                let (a, b) = (way.norm_squared(), way.dot(&(start - centre)));
                let root = b * b - a * ((start - centre).norm_squared() - radius * radius);
                let part = (-b + root.max(0.0).sqrt()) / a;
                let out = start + way * part - centre;
                let angle = out[1].atan2(out[0]);
                (root >= 0.0 && (*to..=*from).contains(&angle)).then_some(part)?
            }
        };
        (0.0..=1.0).contains(&part).then_some(part)
    }

    /// Its ends.
    fn ends(&self) -> [Vector<2>; 2] {
        match self {
            Piece::Line(ends) => *ends,
            Piece::Arc { centre, radius, angles } => angles.map(|angle| centre + at_angle(angle) * *radius),
        }
    }

    /// Whether flow here opens the contact although it is pressed.
    fn opens_under_pressure(&self) -> bool {
        let [a, b] = self.ends();
        0.5 * (a[0] + b[0]) > 0.0 && b[0] - a[0] > ROUNDING && b[1] > a[1]
    }

    /// The same as [`slide`](Self::slide) where the normal force goes on as inside.
    fn follow(&self, at: Vector<2>, way: Vector<2>, left: f64) -> (Vector<2>, f64, bool) {
        let forward = way[0] >= 0.0;
        let end = self.ends()[usize::from(forward)];
        let needed = (end[0] - at[0]) / way[0];
        if needed <= left {
            return (end, left - needed, forward);
        }
        let normal = at[0] + way[0] * left;
        let tangential = match self {
            Piece::Line([a, b]) => a[1] + (b[1] - a[1]) * (normal - a[0]) / (b[0] - a[0]),
            Piece::Arc { centre, radius, .. } => {
                centre[1] + (radius * radius - (normal - centre[0]).powi(2)).max(0.0).sqrt()
            }
        };
        (Vector::<2>::new(normal, tangential), 0.0, forward)
    }

    /// Slides along it by a part of a way: where to, the part that is left at its end, and whether that is the second one.
    fn slide(&self, at: Vector<2>, way: Vector<2>, left: f64) -> (Vector<2>, f64, bool) {
        match self {
            Piece::Line([a, b]) => {
                let along = (b - a).normalize();
                let speed = along.dot(&way);
                let forward = speed >= 0.0;
                let end = if forward { *b } else { *a };
                let needed = (end - at).norm() / speed.abs();
                if needed > left {
                    (at + along * (speed * left), 0.0, forward)
                } else {
                    (end, left - needed, forward)
                }
            }
            Piece::Arc { centre, radius, angles: [from, to] } => {
                let wanted = way[1].atan2(way[0]);
                let out = at - centre;
                let angle = if *radius > 0.0 { out[1].atan2(out[0]) } else { wanted.clamp(*to, *from) };
                let forward = wanted < angle;
                let end = if forward { *to } else { *from };
                let rate = way.norm() / radius.max(f64::MIN_POSITIVE);
                let tangent = |angle: f64| (0.5 * (wanted - angle)).tan();
                // never where the way points to a normal of this arc
                let needed = if (*to..=*from).contains(&wanted) {
                    f64::INFINITY
                } else {
                    (tangent(angle) / tangent(end)).ln() / rate
                };
                if needed > left {
                    let angle = wanted - 2.0 * (tangent(angle) * (-rate * left).exp()).atan();
                    (centre + at_angle(angle) * *radius, 0.0, forward)
                } else {
                    (centre + at_angle(end) * *radius, left - needed, forward)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Border;
    use stickslip_geometry::space::Vector;

    #[test]
    fn a_point_slides_as_by_many_small_projections() {
        let corners = [[0.0, 0.0], [2.0, 1.0], [2.0, 0.0]].map(|[n, t]| Vector::<2>::new(n, t));
        let border = Border::new(&corners, 0.5);
        // the set is a triangle widened by a half, together with its mirror image
        let nearest = |x: Vector<2>| {
            let n = x[0].clamp(0.0, 2.0);
            let mut best = Vector::<2>::new(n, x[1].clamp(-0.5 * n, 0.5 * n));
            for side in [-1.0, 1.0] {
                let edge = Vector::<2>::new(2.0, side);
                let on = edge * (x.dot(&edge) / 5.0).clamp(0.0, 1.0);
                let inside = x[0] <= 2.0 && x[1].abs() <= 0.5 * x[0];
                if !inside && (x - on).norm() < (x - best).norm() {
                    best = on;
                }
            }
            best
        };
        let project = |x: Vector<2>| {
            let core = nearest(x);
            if (x - core).norm() <= 0.5 { x } else { core + (x - core).normalize() * 0.5 }
        };
        for k in 0..=12 {
            let angle = std::f64::consts::PI * f64::from(k) / 12.0;
            let (start, way) = (Vector::<2>::new(1.0, 0.0), Vector::<2>::new(angle.cos(), angle.sin()) * 6.0);
            let steps = 60_000;
            let end = (0..steps).fold(start, |x, _| project(x + way / f64::from(steps)));
            let closed = border.push(start, way, true);
            assert!((closed - end).norm() < 1e-3, "{k}: {closed} {end}");
        }
    }
}
