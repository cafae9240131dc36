//! Any bytes at all, read as an FCLIB file: an error or a problem, never a panic. What is accepted
//! must survive being written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stickslip_solvers::fclib::Fclib;

fuzz_target!(|bytes: &[u8]| {
    let folder = std::env::temp_dir();
    let path = folder.join(format!("fclib-fuzz-{}.hdf5", std::process::id()));
    std::fs::write(&path, bytes).expect("the temporary folder is writable");
    if let Ok(problem) = Fclib::read(&path) {
        problem.write(&path).expect("what was read can be written");
        let again = Fclib::read(&path).expect("what was written can be read");
        assert_eq!(again, problem);
    }
    let _ = std::fs::remove_file(&path);
});
