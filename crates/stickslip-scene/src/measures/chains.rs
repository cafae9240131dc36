//! Force chains: how unevenly a network carries its load.
//!
//! Strong contacts bear more than the mean normal force. All contact points of a pair are one contact.

use super::network::{Choice, deviator};
use crate::observers::View;
use stickslip::rigid::Rigid;
use stickslip_geometry::space::{Dim, Matrix, Vector};

/// The names of the numbers.
pub const NAMES: [&str; 5] = ["strong", "mean", "largest", "anisotropy", "length"];

/// What two bodies exchange.
struct Link<const D: usize> {
    ends: (u32, u32, [i32; 3]),
    /// Normal impulse, and the sum of normals weighted by it.
    r_n: f64,
    normal: Vector<D>,
}

/// Share of strong contacts, mean and largest normal force, anisotropy of the strong contacts, and the mean number of
/// free bodies in the pieces that strong contacts join; all 0 without forces.
pub fn statistics<const D: usize>(view: &View<D>, choice: &Choice<D>) -> [f64; 5]
where
    Dim<D>: Rigid<D>,
{
    let links = links(view, choice);
    let Some(report) = view.report.filter(|_| !links.is_empty()) else { return [0.0; 5] };
    let count = links.len() as f64;
    let mean = links.iter().map(|link| link.r_n).sum::<f64>() / count;
    let largest = links.iter().map(|link| link.r_n).fold(0.0, f64::max);
    // equal forces are a little apart by rounding
    let strong: Vec<&Link<D>> = links.iter().filter(|link| link.r_n > mean * (1.0 + 1e-9)).collect();
    let fabric = strong.iter().fold(Matrix::<D>::zeros(), |sum, link| {
        // normals of a pair that cancel each other, of a grain between two walls of one body, have no direction
        let n = link.normal.try_normalize(0.0).unwrap_or_else(Vector::zeros);
        sum + n * n.transpose() / strong.len() as f64
    });
    let pieces = pieces(view, &strong);
    let bodies: usize = pieces.iter().sum();
    let length = bodies as f64 / pieces.len().max(1) as f64;
    [strong.len() as f64 / count, mean / report.h, largest / report.h, deviator(&fabric), length]
}

fn links<const D: usize>(view: &View<D>, choice: &Choice<D>) -> Vec<Link<D>>
where
    Dim<D>: Rigid<D>,
{
    let mut links: Vec<Link<D>> = Vec::new();
    for (contact, r) in choice.contacts(view.world) {
        let n = contact.frame.column(0).into_owned();
        let (r_n, ends) = (r.dot(&n), (contact.key.a, contact.key.b, contact.key.image));
        if r_n <= 0.0 {
            continue;
        }
        match links.last_mut() {
            // points of a pair follow one another
            Some(link) if link.ends == ends => {
                link.r_n += r_n;
                link.normal += n * r_n;
            }
            _ => links.push(Link { ends, r_n, normal: n * r_n }),
        }
    }
    links
}

/// How many free bodies each connected piece has; walls join nothing.
fn pieces<const D: usize>(view: &View<D>, links: &[&Link<D>]) -> Vec<usize>
where
    Dim<D>: Rigid<D>,
{
    let bodies = view.world.bodies();
    let mut parent: Vec<usize> = (0..bodies.len()).collect();
    let mut touched = vec![false; bodies.len()];
    for link in links {
        let ends = [link.ends.0 as usize, link.ends.1 as usize];
        ends.iter().for_each(|&b| touched[b] = bodies.is_free(b));
        if ends.iter().all(|&b| bodies.is_free(b)) {
            let [a, b] = ends.map(|b| root(&mut parent, b));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut sizes = vec![0; bodies.len()];
    (0..bodies.len()).filter(|&b| touched[b]).for_each(|b| sizes[root(&mut parent, b)] += 1);
    sizes.retain(|&size| size > 0);
    sizes
}

/// The first body of a piece; the way there is halved for the next search.
fn root(parent: &mut [usize], mut b: usize) -> usize {
    while parent[b] != b {
        parent[b] = parent[parent[b]];
        b = parent[b];
    }
    b
}
