//! The colours of a GIF: boxes of the colour cube are halved where colours differ most (median cut).

use crate::colours::Rgb;

/// Bits a channel of the cells that colours are counted in, and of those that are looked up.
const COUNTED: u32 = 5;
const FOUND: u32 = 6;

/// A palette, and which of its colours is nearest to any other.
#[derive(Debug)]
pub struct Palette {
    colours: Vec<Rgb>,
    /// By cell; found when first asked for.
    nearest: Vec<Option<u8>>,
}

/// Colours of a cell, as one.
#[derive(Clone, Copy, Debug)]
struct Cell {
    mean: [f64; 3],
    weight: f64,
}

impl Palette {
    /// Of up to a number of colours, at most 256.
    pub fn of(colours: impl Iterator<Item = Rgb>, most: usize) -> Self {
        let mut boxes = vec![count(colours)];
        while boxes.len() < most {
            let Some((place, axis)) = widest(&boxes) else { break };
            let mut cells = boxes.swap_remove(place);
            cells.sort_by(|a, b| a.mean[axis].total_cmp(&b.mean[axis]));
            let half = 0.5 * cells.iter().map(|cell| cell.weight).sum::<f64>();
            let mut sum = 0.0;
            let middle = cells.iter().position(|cell| {
                sum += cell.weight;
                sum >= half
            });
            let upper = cells.split_off((middle.unwrap_or(0) + 1).min(cells.len() - 1));
            boxes.extend([cells, upper]);
        }
        let colours = boxes.iter().filter(|cells| !cells.is_empty()).map(|cells| mean(cells)).collect();
        Palette { colours, nearest: vec![None; 1 << (3 * FOUND)] }
    }

    /// Red, green and blue of all colours.
    pub fn bytes(&self) -> Vec<u8> {
        self.colours.concat()
    }

    /// The place of the nearest colour.
    pub fn find(&mut self, colour: Rgb) -> u8 {
        let shift = 8 - FOUND;
        let cell = colour.iter().fold(0, |cell, &c| (cell << FOUND) | usize::from(c >> shift));
        *self.nearest[cell].get_or_insert_with(|| {
            let middle = colour.map(|c| i32::from(c >> shift << shift) + (1 << (shift - 1)));
            let far = |other: &Rgb| (0..3).map(|k| (middle[k] - i32::from(other[k])).pow(2)).sum::<i32>();
            (0..self.colours.len()).min_by_key(|&k| far(&self.colours[k])).unwrap_or(0) as u8
        })
    }
}

/// The cells that hold colours. Rare ones count for more than their number: a small body is no less seen.
fn count(colours: impl Iterator<Item = Rgb>) -> Vec<Cell> {
    let mut sums = vec![([0.0; 3], 0.0); 1 << (3 * COUNTED)];
    for colour in colours {
        let cell = colour.iter().fold(0, |cell, &c| (cell << COUNTED) | usize::from(c >> (8 - COUNTED)));
        let (sum, number) = &mut sums[cell];
        (0..3).for_each(|k| sum[k] += f64::from(colour[k]));
        *number += 1.0;
    }
    let filled = sums.into_iter().filter(|(_, number)| *number > 0.0);
    filled.map(|(sum, number)| Cell { mean: sum.map(|x| x / number), weight: f64::sqrt(number) }).collect()
}

/// The box and the axis along which colours differ most, if any box has more than one cell.
fn widest(boxes: &[Vec<Cell>]) -> Option<(usize, usize)> {
    let spread = |cells: &[Cell], axis: usize| {
        let weight = cells.iter().map(|cell| cell.weight).sum::<f64>();
        let mean = cells.iter().map(|cell| cell.weight * cell.mean[axis]).sum::<f64>() / weight;
        cells.iter().map(|cell| cell.weight * (cell.mean[axis] - mean).powi(2)).sum::<f64>()
    };
    (0..boxes.len())
        .filter(|&k| boxes[k].len() > 1)
        .flat_map(|k| (0..3).map(move |axis| (k, axis)))
        .max_by(|a, b| spread(&boxes[a.0], a.1).total_cmp(&spread(&boxes[b.0], b.1)))
}

fn mean(cells: &[Cell]) -> Rgb {
    let weight = cells.iter().map(|cell| cell.weight.powi(2)).sum::<f64>();
    std::array::from_fn(|k| {
        (cells.iter().map(|cell| cell.weight.powi(2) * cell.mean[k]).sum::<f64>() / weight).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept_as_they_are() {
        let colours = [[255, 255, 255], [10, 20, 30], [200, 0, 100], [0, 0, 0]];
        let mut palette = Palette::of(colours.into_iter(), 255);
        assert_eq!(palette.colours.len(), 4);
        for colour in colours {
            let found = palette.find(colour);
            assert_eq!(palette.colours[usize::from(found)], colour);
        }
    }

    #[test]
    fn many_colours_are_met_closely() {
        let ramp = |k: u32| [(k / 16) as u8, (255 - k / 16) as u8, (k % 16 * 4) as u8];
        let mut palette = Palette::of((0..4096).map(ramp), 255);
        assert!(palette.colours.len() == 255);
        for k in 0..4096 {
            let place = palette.find(ramp(k));
            let found = palette.colours[usize::from(place)];
            let error = (0..3).map(|c| ramp(k)[c].abs_diff(found[c])).max();
            assert!(error <= Some(16), "{:?} as {found:?}", ramp(k));
        }
    }
}
