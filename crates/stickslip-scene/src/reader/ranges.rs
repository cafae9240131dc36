//! Numbers that must lie in a range, and names that must be some, refused at their key.

use super::context::Spot;
use super::place::Fault;

impl Spot {
    /// Refuses what is not positive and finite.
    pub(crate) fn positive(&self, key: &str, value: f64) -> Result<f64, Fault> {
        self.within(key, value, value > 0.0, "give a positive number")
    }

    /// Refuses what is negative or not finite.
    pub(crate) fn not_negative(&self, key: &str, value: f64) -> Result<f64, Fault> {
        self.within(key, value, value >= 0.0, "give 0 or a positive number")
    }

    /// Refuses numbers of which one is not finite.
    pub(crate) fn finite(&self, key: &str, values: &[f64]) -> Result<(), Fault> {
        values.iter().try_for_each(|&value| self.within(key, value, true, "give finite numbers").map(drop))
    }

    /// Refuses a count of 0.
    pub(crate) fn at_least_one(&self, key: &str, count: usize) -> Result<usize, Fault> {
        self.within(key, count as f64, count > 0, "give at least 1").map(|_| count)
    }

    /// Refuses a name without letters.
    pub(crate) fn named(&self, key: &str, name: Option<&str>) -> Result<(), Fault> {
        match name {
            Some("") => {
                let fault = Fault::new(format!("the {key} is empty"));
                Err(fault.remedy("give one, or leave it out").at(self.key(&[key])))
            }
            _ => Ok(()),
        }
    }

    /// Simulated time between two outputs.
    pub(crate) fn every(&self, value: f64) -> Result<f64, Fault> {
        let remedy = "give a positive time; one as short as a step takes every step";
        self.within("every", value, value > 0.0, remedy)
    }

    fn within(&self, key: &str, value: f64, fits: bool, remedy: &str) -> Result<f64, Fault> {
        if fits && value.is_finite() {
            return Ok(value);
        }
        Err(Fault::new(format!("{key} = {value}")).remedy(remedy).at(self.key(&[key])))
    }
}
