//! Ctrl-C, or a polite end from outside: commands that run until they are stopped finish
//! what they have and write it; others leave nothing half done behind and say what is kept.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::virtual_board::is_ignored;

use super::{ending, kept, leftovers, progress};

/// How long a stop may go unnoticed.
const LOOK: Duration = Duration::from_millis(50);

/// Whether the command finishes by itself when it is asked to stop.
static FINISHES: AtomicBool = AtomicBool::new(false);

/// From now on, asking the program to stop makes it say what is kept, tidy up and end as the
/// signal says, unless the command listens itself. Signals that whoever started the program
/// wants ignored (`nohup`) are ignored still.
pub fn tidy_up_when_asked(temporary: Option<PathBuf>) {
    let heard = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
    let (sender, receiver) = mpsc::channel::<Signals>();
    let listen = move || {
        let Ok(mut signals) = receiver.recv() else { return };
        for signal in signals.forever() {
            // A command that finishes by itself listens to the other two.
            if signal == SIGHUP || !FINISHES.load(Ordering::SeqCst) {
                end(signal, temporary);
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

fn end(signal: i32, temporary: Option<PathBuf>) {
    ending::begin();
    progress::end_bar();
    leftovers::remove_all(temporary.as_deref());
    // Last, since a run may have ended meanwhile.
    if let Some(sentence) = kept::sentence() {
        progress::remedy(sentence);
    }
    // Without it nobody would end the program.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    std::process::exit(128 + signal);
}

/// If the program is being ended, waits for that; else goes on.
pub fn wait_for_end() {
    while ending::is_ending() {
        thread::park();
    }
}

/// Whether a command was asked to stop that then finishes by itself.
#[derive(Debug, Clone)]
pub struct Stop(Arc<AtomicUsize>);

impl Stop {
    /// From now on, asking sets this instead of ending the program.
    pub fn listen() -> Self {
        let stop = Arc::new(AtomicUsize::new(0));
        for signal in [SIGINT, SIGTERM] {
            // Without it the signal ends the program at once, as ever.
            let number = signal as usize;
            let _ = signal_hook::flag::register_usize(signal, Arc::clone(&stop), number);
        }
        FINISHES.store(true, Ordering::SeqCst);
        Self(stop)
    }

    /// Whether it was.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
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
