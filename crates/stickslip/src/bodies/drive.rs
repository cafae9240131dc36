//! Motions that are prescribed: belts, drums, shaken floors, sinking supports.

/// A quantity given as a function of time.
#[derive(Clone, Debug, PartialEq)]
pub enum Course<T> {
    /// Always the same.
    Constant(T),
    /// `amplitude cos(2π frequency t + phase)`: the velocity of a shaken support.
    Cosine {
        /// largest value
        amplitude: T,
        /// cycles in a unit of time
        frequency: f64,
        /// at time 0
        phase: f64,
    },
    /// From one value to another between two times, straight.
    Ramp {
        /// value up to `begin`
        from: T,
        /// value from `end` on
        to: T,
        /// when the change begins
        begin: f64,
        /// when it is done
        end: f64,
    },
    /// Straight between given times, constant before the first and after the last.
    Table(Vec<(f64, T)>),
}

impl<T> Course<T>
where
    T: Copy + std::ops::Add<Output = T> + std::ops::Sub<Output = T> + std::ops::Mul<f64, Output = T>,
{
    /// The value at a time.
    pub fn at(&self, time: f64) -> T {
        match self {
            Course::Constant(value) => *value,
            Course::Cosine { amplitude, frequency, phase } => {
                *amplitude * (std::f64::consts::TAU * frequency * time + phase).cos()
            }
            Course::Ramp { from, to, begin, end } => between((*begin, *from), (*end, *to), time),
            Course::Table(table) => {
                let after = table.partition_point(|&(t, _)| t <= time);
                let last = table.len() - 1;
                between(table[after.saturating_sub(1)], table[after.min(last)], time)
            }
        }
    }

    /// What is wrong with it, if anything.
    pub fn fault(&self) -> Option<String> {
        match self {
            Course::Constant(_) | Course::Cosine { .. } => None,
            Course::Ramp { begin, end, .. } if begin < end => None,
            Course::Ramp { begin, end, .. } => {
                Some(format!("a ramp begins at {begin} and ends at {end}: let it end later than it begins"))
            }
            Course::Table(table) if table.is_empty() => Some("a table has no rows: give at least one".into()),
            Course::Table(table) => table
                .windows(2)
                .find(|pair| pair[0].0 >= pair[1].0 || pair[0].0.is_nan() || pair[1].0.is_nan())
                .map(|pair| format!("a table has {} after {}: let its times rise", pair[1].0, pair[0].0)),
        }
    }
}

/// Straight from a to b, constant outside.
fn between<T>(a: (f64, T), b: (f64, T), time: f64) -> T
where
    T: Copy + std::ops::Add<Output = T> + std::ops::Sub<Output = T> + std::ops::Mul<f64, Output = T>,
{
    if time <= a.0 || b.0 <= a.0 {
        a.1
    } else if time >= b.0 {
        b.1
    } else {
        a.1 + (b.1 - a.1) * ((time - a.0) / (b.0 - a.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courses_between_and_beyond_their_ends() {
        let ramp = Course::Ramp { from: 1.0, to: 3.0, begin: 2.0, end: 4.0 };
        assert_eq!([0.0, 3.0, 9.0].map(|t| ramp.at(t)), [1.0, 2.0, 3.0]);
        let table = Course::Table(vec![(0.0, 1.0), (1.0, 5.0), (2.0, 5.0)]);
        assert_eq!([-1.0, 0.25, 1.5, 3.0].map(|t| table.at(t)), [1.0, 2.0, 5.0, 5.0]);
        let shaken = Course::Cosine { amplitude: 2.0, frequency: 0.5, phase: 0.0 };
        assert!((shaken.at(1.0) + 2.0).abs() < 1e-15);
    }

    #[test]
    fn faults_are_told() {
        assert!(Course::Ramp { from: 0.0, to: 1.0, begin: 2.0, end: 2.0 }.fault().unwrap().contains("2"));
        assert!(Course::<f64>::Table(vec![]).fault().is_some());
        assert!(Course::Table(vec![(1.0, 0.0), (f64::NAN, 0.0)]).fault().is_some());
        assert!(Course::Table(vec![(1.0, 0.0), (2.0, 0.0)]).fault().is_none());
    }
}
