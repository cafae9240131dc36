//! Ctrl-C: the first ends the work cleanly with what was reached, one more a second later or after ends the process.

use crate::Verdict;
use crate::report::note;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Signals that come together are one: programs that end others tell a process and its group.
const TOGETHER: Duration = Duration::from_secs(1);

/// The flag that the first Ctrl-C raises.
pub fn flag() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let raised = flag.clone();
        let mut first = None;
        // without a handler Ctrl-C simply ends the process: nothing to report
        let _ = ctrlc::set_handler(move || {
            raised.store(true, Ordering::Relaxed);
            if first.get_or_insert_with(Instant::now).elapsed() > TOGETHER {
                std::process::exit(130);
            }
        });
        flag
    })
    .clone()
}

/// For work that has no end of its own on the way: the first Ctrl-C ends the process, with what there is to say of it.
pub fn ends(say: impl Fn() -> String + Send + 'static) {
    let _ = ctrlc::set_handler(move || {
        note(&say());
        std::process::exit(Verdict::NotConverged as i32);
    });
}

/// Whether Ctrl-C was pressed.
pub fn raised() -> bool {
    flag().load(Ordering::Relaxed)
}
