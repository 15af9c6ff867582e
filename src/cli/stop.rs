//! Ctrl-C, or a polite end from outside: commands that run until they are stopped finish
//! what they have and write it; others leave nothing half done behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long a stop may go unnoticed.
const LOOK: Duration = Duration::from_millis(50);

/// Whether the program was asked to stop: by which signal, 0 if it was not.
#[derive(Debug, Clone)]
pub struct Stop(Arc<AtomicUsize>);

impl Stop {
    /// From now on, asking sets this instead of ending the program.
    pub fn listen() -> Self {
        let stop = Arc::new(AtomicUsize::new(0));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            // Without it the signal ends the program at once, as ever.
            let number = signal as usize;
            let _ = signal_hook::flag::register_usize(signal, Arc::clone(&stop), number);
        }
        Self(stop)
    }

    /// Whether it was.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// If it is asked to, the program tidies up and ends at once, as the signal says.
    pub fn end_after(self, tidy_up: impl FnOnce() + Send + 'static) {
        thread::spawn(move || {
            while !self.is_asked() {
                thread::sleep(LOOK);
            }
            tidy_up();
            let signal = self.0.load(Ordering::Relaxed) as i32;
            // Without it nobody would end the program.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
            std::process::exit(128 + signal);
        });
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
