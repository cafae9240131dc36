//! Ctrl-C: the first ends the work cleanly with what was reached, the second ends the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The flag that the first Ctrl-C raises.
pub fn flag() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let raised = flag.clone();
        // without a handler Ctrl-C simply ends the process: nothing to report
        let _ = ctrlc::set_handler(move || {
            if raised.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        flag
    })
    .clone()
}

/// Whether Ctrl-C was pressed.
pub fn raised() -> bool {
    flag().load(Ordering::Relaxed)
}
