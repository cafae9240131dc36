//! The rules for sizes, indices and numbers, shared by reading and writing.

use super::error::Fault;

pub(super) fn check_dimension(dimension: i64) -> Result<(), Fault> {
    match dimension {
        1..=3 => Ok(()),
        _ => Err(Fault::Dimension(dimension)),
    }
}

pub(super) fn check_friction(mu: &[f64]) -> Result<(), Fault> {
    if mu.is_empty() {
        return Err(Fault::Empty);
    }
    check_finite(mu)?;
    match mu.iter().position(|&mu| mu < 0.0) {
        Some(index) => Err(Fault::NegativeFriction { index, value: mu[index] }),
        None => Ok(()),
    }
}

pub(super) fn check_vector(value: &[f64], wanted: usize, reason: &'static str) -> Result<(), Fault> {
    if value.len() != wanted {
        return Err(Fault::Length { found: value.len(), wanted, reason });
    }
    check_finite(value)
}

pub(super) fn check_shape(
    found: (usize, usize),
    wanted: (usize, usize),
    reason: &'static str,
) -> Result<(), Fault> {
    if found == wanted {
        return Ok(());
    }
    Err(Fault::Shape { found, wanted, reason })
}

pub(super) fn check_finite(value: &[f64]) -> Result<(), Fault> {
    match value.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(Fault::NotFinite { index, value: value[index] }),
        None => Ok(()),
    }
}

/// Pointers start at 0, never decrease, and end at `entries` (or before, when arrays are padded).
pub(super) fn check_pointers(
    pointers: impl Iterator<Item = i64>,
    entries: usize,
    exact: bool,
) -> Result<(), Fault> {
    let (mut low, mut last) = (0, None);
    for (entry, value) in pointers.enumerate() {
        let high = if entry == 0 { 0 } else { entries };
        match usize::try_from(value) {
            Ok(p) if (low..=high).contains(&p) => low = p,
            _ => {
                return Err(Fault::Pointer { entry, value, low, high });
            }
        }
        last = Some((entry, value));
    }
    match last {
        Some((entry, value)) if exact && low != entries => {
            Err(Fault::Pointer { entry, value, low: entries, high: entries })
        }
        _ => Ok(()),
    }
}

pub(super) fn check_indices(indices: impl Iterator<Item = i64>, size: usize) -> Result<(), Fault> {
    for (entry, value) in indices.enumerate() {
        if usize::try_from(value).map_or(true, |index| index >= size) {
            return Err(Fault::Index { entry, value, size });
        }
    }
    Ok(())
}

pub(super) fn length(found: usize, wanted: usize, reason: &'static str) -> Fault {
    Fault::Length { found, wanted, reason }
}
