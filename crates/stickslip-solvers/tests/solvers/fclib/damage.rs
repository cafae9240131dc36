//! Damaged files give an error or the right content; they never panic, hang or exhaust memory.

use std::fs;
use std::time::{Duration, Instant};

use stickslip_solvers::fclib::{Fclib, Form, Storage};

use crate::fclib::support::{Folder, global, local, sparse};

/// A small problem whose arrays are long enough to be chunked and compressed.
fn compressed() -> Fclib {
    let n = 1100;
    let entries: Vec<_> = (0..n).map(|i| (i, i as u32, 1.0 + i as f64)).collect();
    let mut problem = local(Storage::Triplet);
    problem.dimension = 1;
    problem.mu = vec![0.5; n];
    problem.form = Form::Local { W: sparse(n, n, &entries, Storage::Triplet), q: vec![-1.0; n] };
    problem
}

fn samples() -> [Fclib; 2] {
    [global(Storage::Triplet, Storage::CompressedRows), compressed()]
}

#[test]
fn cut_at_every_97th_length() {
    let folder = Folder::new();
    let path = folder.file("cut.hdf5");
    for problem in samples() {
        problem.write(&path).unwrap();
        let bytes = fs::read(&path).unwrap();
        for length in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
            fs::write(&path, &bytes[..length]).unwrap();
            if let Ok(read) = Fclib::read(&path) {
                assert_eq!(read, problem, "cut at {length}");
            }
        }
    }
}

#[test]
fn flipped_bytes() {
    let folder = Folder::new();
    let path = folder.file("flipped.hdf5");
    // xorshift: the same damage in every run
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for problem in samples() {
        problem.write(&path).unwrap();
        let good = fs::read(&path).unwrap();
        for _ in 0..3000 {
            let mut bytes = good.clone();
            for _ in 0..=random(4) {
                let at = random(bytes.len());
                bytes[at] = match random(3) {
                    0 => 0xff,
                    1 => bytes[at] ^ (1 << random(8)),
                    _ => random(256) as u8,
                };
            }
            fs::write(&path, &bytes).unwrap();
            let start = Instant::now();
            let _ = Fclib::read(&path);
            assert!(start.elapsed() < Duration::from_secs(5));
        }
    }
}
