//! Ctrl-C and other requests to end: commands that run until they are stopped finish and write
//! their results; others clean up and report what is kept.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::virtual_board::is_signal_ignored;

use super::{campaign_in_progress, leftovers, progress, shutdown};

/// Interval in which a request to stop is noticed.
const CHECK_PAUSE: Duration = Duration::from_millis(50);

/// Whether the command finishes by itself on a request to stop.
static FINISHES_BY_ITSELF: AtomicBool = AtomicBool::new(false);

/// From now on, a signal to end makes the program report what is kept, clean up and end as the
/// signal does, unless the command listens for it. Signals that were ignored when the program
/// started (`nohup`) stay ignored.
pub fn clean_up_on_signals(temporary: Option<PathBuf>) {
    let heard = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_signal_ignored(*signal));
    let (sender, receiver) = mpsc::channel::<Signals>();
    let listen = move || {
        let Ok(mut signals) = receiver.recv() else { return };
        for signal in signals.forever() {
            // A command that finishes by itself listens to the other two.
            if signal == SIGHUP || !FINISHES_BY_ITSELF.load(Ordering::SeqCst) {
                end_program(signal, temporary);
                return;
            }
        }
    };
    // Without a thread or the signals, a signal ends the program at once, as ever.
    if thread::Builder::new().spawn(listen).is_ok()
        && let Ok(signals) = Signals::new(heard)
    {
        let _ = sender.send(signals);
    }
}

/// Cleans up, reports what is kept, and ends the program as the signal does.
fn end_program(signal: i32, temporary: Option<PathBuf>) {
    shutdown::begin();
    progress::end_bar();
    leftovers::clean_up(temporary.as_deref());
    // Last, since a run may have ended meanwhile.
    if let Some(sentence) = campaign_in_progress::kept_progress() {
        progress::remedy(sentence);
    }
    // Without it nobody would end the program.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    std::process::exit(128 + signal);
}

/// Waits for the end of the program if it is being ended; else returns.
pub fn wait_for_end() {
    while shutdown::is_shutting_down() {
        thread::park();
    }
}

/// Request to stop a command that then finishes by itself.
#[derive(Debug, Clone)]
pub struct StopRequest(Arc<AtomicUsize>);

impl StopRequest {
    /// Makes signals set this request from now on, instead of ending the program.
    pub fn listen() -> Self {
        let stop = Arc::new(AtomicUsize::new(0));
        for signal in [SIGINT, SIGTERM] {
            // Without it the signal ends the program at once, as ever.
            let number = signal as usize;
            let _ = signal_hook::flag::register_usize(signal, Arc::clone(&stop), number);
        }
        FINISHES_BY_ITSELF.store(true, Ordering::SeqCst);
        Self(stop)
    }

    /// Whether the command was asked to stop.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Sleeps until a time; returns true at once when the command is asked to stop or `is_over` is
    /// true.
    pub fn sleep(&self, until: Instant, mut is_over: impl FnMut() -> bool) -> bool {
        loop {
            if self.is_asked() || is_over() {
                return true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            thread::sleep(left.min(CHECK_PAUSE));
        }
    }
}
