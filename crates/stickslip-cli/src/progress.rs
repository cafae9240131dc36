//! One line on standard error that tells how long work goes, on a terminal only.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use stickslip_solvers::stop::Progress;

/// Work shorter than this shows nothing.
const QUIET_SECONDS: f64 = 1.0;
/// Time between two lines.
const INTERVAL_SECONDS: f64 = 0.2;

/// A callback for solvers; `None` where nobody looks.
pub fn callback(label: String) -> Option<Progress> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    let last = AtomicU64::new(f64::to_bits(QUIET_SECONDS - INTERVAL_SECONDS));
    Some(Arc::new(move |check| {
        if check.seconds < f64::from_bits(last.load(Ordering::Relaxed)) + INTERVAL_SECONDS {
            return;
        }
        last.store(check.seconds.to_bits(), Ordering::Relaxed);
        let (natural, scaled) = (check.residual.natural, check.residual.scaled);
        let text = format!(
            "{label}: {:.0} s, iteration {}, residual {natural:.1e}, scaled {scaled:.1e}",
            check.seconds, check.iteration
        );
        show(&text);
    }))
}

/// Shows what goes on, where somebody looks.
pub fn show(text: &str) {
    if std::io::stderr().is_terminal() {
        let _ = write!(std::io::stderr(), "\r\x1b[K{text}");
    }
}

/// Removes the line.
pub fn clear() {
    show("");
}
