//! Ctrl-C, or a polite end from outside: commands that run until they are stopped finish
//! what they have and write it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long a stop may go unnoticed.
const LOOK: Duration = Duration::from_millis(50);

/// Whether the program was asked to stop.
#[derive(Debug, Clone)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// From now on, asking sets this instead of ending the program.
    pub fn listen() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            // Without it the signal ends the program at once, as ever.
            let _ = signal_hook::flag::register(signal, Arc::clone(&stop));
        }
        Self(stop)
    }

    /// Whether it was.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Sleeps until a time, or until it is asked to stop or `is_over` says so; whether one
    /// of these has happened.
    pub fn sleep(&self, until: Instant, mut is_over: impl FnMut() -> bool) -> bool {
        loop {
            if self.is_asked() || is_over() {
                return true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            thread::sleep(left.min(LOOK));
        }
    }
}
