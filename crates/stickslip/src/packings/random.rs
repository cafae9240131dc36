//! Random numbers that are the same on every machine and can be saved.
//!
//! The bits are those of ChaCha with eight rounds, a published stream that no release may change. What is made of them
//! is written out here and uses only operations that are rounded the same everywhere.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

/// A source of random numbers: a seed, a stream of it, and how far that has been read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "State", into = "State")]
pub struct Random {
    seed: u64,
    numbers: ChaCha8Rng,
}

/// What is saved.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    seed: u64,
    stream: u64,
    position: u64,
}

impl From<State> for Random {
    fn from(state: State) -> Self {
        let mut random = Random::stream(state.seed, state.stream);
        random.numbers.set_word_pos(state.position.into());
        random
    }
}

impl From<Random> for State {
    fn from(random: Random) -> Self {
        let Random { seed, numbers } = random;
        // a position beyond 64 bits is out of reach
        State { seed, stream: numbers.get_stream(), position: numbers.get_word_pos() as u64 }
    }
}

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Random::stream(seed, 0)
    }

    /// One of the independent streams of a seed, for parts that are made apart.
    pub fn stream(seed: u64, stream: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut numbers = ChaCha8Rng::from_seed(key);
        numbers.set_stream(stream);
        Random { seed, numbers }
    }

    /// From 0 to 1, without 1: the upper 53 of 64 bits.
    pub fn uniform(&mut self) -> f64 {
        (self.numbers.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// A whole number below another; favours none by more than that number in 2⁶⁴.
    pub fn below(&mut self, end: usize) -> usize {
        ((self.numbers.next_u64() as u128 * end as u128) >> 64) as usize
    }

    /// Puts things in a random order.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for k in (1..things.len()).rev() {
            things.swap(k, self.below(k + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_of_a_seed_never_changes() {
        let mut random = Random::new(42);
        let first: Vec<u64> = (0..3).map(|_| random.uniform().to_bits()).collect();
        assert_eq!(first, [0x3fd6_49cd_1c46_63ea, 0x3fd2_48e2_a905_a77c, 0x3fdf_950d_87d9_3f24]);
    }

    #[test]
    fn a_saved_state_goes_on_with_the_same_bits() {
        let mut random = Random::stream(7, 3);
        for _ in 0..1001 {
            random.uniform();
        }
        let saved = serde_json::to_string(&random).unwrap();
        let mut restored: Random = serde_json::from_str(&saved).unwrap();
        assert_eq!(restored, random);
        for _ in 0..100 {
            assert_eq!(restored.uniform().to_bits(), random.uniform().to_bits());
        }
    }

    #[test]
    fn seeds_and_streams_differ() {
        let firsts =
            [Random::new(1), Random::new(2), Random::stream(1, 1)].map(|mut random| random.uniform());
        assert!(firsts[0] != firsts[1] && firsts[0] != firsts[2]);
    }

    #[test]
    fn numbers_are_spread_evenly() {
        let mut random = Random::new(3);
        let mut counts = [0; 10];
        for _ in 0..100_000 {
            counts[random.below(10)] += 1;
        }
        // five standard deviations of √(n/10)
        assert!(counts.iter().all(|&count: &i32| (count - 10_000).abs() < 500), "{counts:?}");
        let mut order: Vec<usize> = (0..100).collect();
        random.shuffle(&mut order);
        assert!(order.iter().enumerate().filter(|&(k, &item)| k == item).count() < 10);
        order.sort_unstable();
        assert!(order.iter().enumerate().all(|(k, &item)| k == item));
    }
}
