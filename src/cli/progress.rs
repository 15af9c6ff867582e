//! Messages on standard error while a command works (stages, bars, warnings), and printing of
//! results. Control characters of foreign names show as their code.

use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use wattline_units::shortened::shortened_message;

use crate::failure::Failure;
use crate::format::{visible, visible_name};
use crate::progress::{Progress, WorkProgress};

use super::progress_estimate::ProgressEstimate;
use super::{campaign_in_progress, shutdown};

pub use super::standard_output::{document, result};

/// Whether messages about the work and warnings are left out.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Latest progress bar.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Sets whether messages about the work and warnings are left out (`--quiet`).
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Writes a title and a text to standard error.
fn write_line(title: &str, text: &str) {
    let space = if title.is_empty() { "" } else { " " };
    // There is no other place to tell it, and the work does not depend on it.
    let _ = writeln!(std::io::stderr(), "{title}{space}{}", visible(&shortened_message(text)));
}

/// Prints a message about the work.
pub fn say(text: impl AsRef<str>) {
    say_titled("", text.as_ref());
}

/// Prints remarks on how a file is written.
pub fn print_remarks(file: &Path, remarks: &[String]) {
    remarks.iter().for_each(|remark| say(format!("{}: {remark}", file.display())));
}

/// Prints a message with a title, unless quiet or ending.
fn say_titled(title: &str, text: &str) {
    if !QUIET.load(Ordering::Relaxed) && !shutdown::is_shutting_down() {
        write_line(title, text);
        let mut pace = ESTIMATE.lock().unwrap_or_else(PoisonError::into_inner);
        pace.iter_mut().for_each(ProgressEstimate::note_line);
    }
}

/// Prints a remedy after an error or a stop.
pub fn remedy(text: impl AsRef<str>) {
    write_line("", text.as_ref());
}

/// Prints a warning.
pub fn warn(text: impl AsRef<str>) {
    say_titled(&paint("warning:", "33;1"), text.as_ref());
}

/// Prints a warning in one line, whatever characters its names contain.
pub fn warn_in_line(text: impl AsRef<str>) {
    warn(visible_name(text.as_ref()));
}

/// Prints that a program which was run ended with an exit code of its own.
pub fn program_failed(code: u8) {
    write_line(&paint("error:", "31;1"), &format!("the program ended with exit code {code}"));
}

/// Prints the error that ends the program, with its causes and remedies.
pub fn error(failure: &Failure) {
    let said = failure.to_string();
    write_line(&paint("error:", "31;1"), &said);
    let mut cause = std::error::Error::source(failure);
    while let Some(error) = cause {
        let because = error.to_string();
        if !said.contains(&because) {
            write_line("  because:", &because);
        }
        if let Some(remedy) = super::error::remedy(error) {
            write_line(" ", remedy);
        }
        cause = error.source();
    }
}

/// Progress of stages and tasks, shown on the terminal.
pub struct Terminal {
    /// Warnings of `warn_once` that were printed.
    warned: Mutex<BTreeSet<String>>,
}

/// Terminal of this process.
pub static TERMINAL: Terminal = Terminal { warned: Mutex::new(BTreeSet::new()) };

impl Progress for Terminal {
    fn say(&self, text: &str) {
        say(text);
    }

    fn warn(&self, text: &str) {
        warn(text);
    }

    fn warn_once(&self, text: &str) {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.insert(text.to_owned()) {
            warn(text);
        }
    }

    /// Asks a question at a terminal; false elsewhere.
    fn confirm(&self, question: &str) -> bool {
        let is_asked = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
        if !is_asked || QUIET.load(Ordering::Relaxed) {
            return false;
        }
        say(format!("{question} [y/N]"));
        let mut answer = String::new();
        let heard = std::io::stdin().read_line(&mut answer);
        heard.is_ok() && answer.trim_start().to_ascii_lowercase().starts_with('y')
    }

    /// Begins a stage, for lines about progress.
    fn stage(&self, name: &str) {
        with_estimate(|pace, now| pace.begin_stage(name, now));
    }

    /// Adds an expected part to the estimate of the time left.
    fn expect(&self, part: &'static str, seconds: f64) {
        with_estimate(|pace, _| pace.expect_part(part, seconds));
    }

    fn campaign(&self, folder: &Path) {
        campaign_in_progress::register(folder);
    }

    fn bar(&self, length: u64, what: &'static str) -> Box<dyn WorkProgress> {
        let drawn = ProgressBar::new(length);
        if QUIET.load(Ordering::Relaxed) || !std::io::stderr().is_terminal() {
            drawn.set_draw_target(ProgressDrawTarget::hidden());
        }
        let style = ProgressStyle::with_template("{prefix:>12} [{bar:40}] {pos}/{len} {msg}");
        if let Ok(style) = style {
            drawn.set_style(style.progress_chars("=> "));
        }
        drawn.set_prefix(what);
        drawn.enable_steady_tick(Duration::from_millis(200));
        if let Ok(mut latest) = BAR.lock() {
            *latest = Some(drawn.clone());
        }
        with_estimate(|pace, now| pace.begin_task(what, length, now));
        Box::new(TaskBar(drawn))
    }
}

/// Bar of a task on a terminal, or lines of progress where nothing else is printed for half a
/// minute. Ends when it is dropped.
struct TaskBar(ProgressBar);

impl WorkProgress for TaskBar {
    fn inc(&self, parts: u64) {
        with_estimate(|pace, _| pace.add_made(parts));
        self.show();
    }

    fn set_done_now(&self, done: u64) {
        with_estimate(|pace, _| pace.set_done_now(done));
        self.show();
    }

    fn set_done_before(&self, done: u64) {
        with_estimate(|pace, now| pace.set_done_before(done, now));
        self.show();
    }

    fn set_length(&self, length: u64) {
        with_estimate(|pace, _| pace.set_length(length));
        self.0.set_length(length);
    }

    fn suspend(&self, say: &mut dyn FnMut()) {
        self.0.suspend(say);
    }
}

impl TaskBar {
    /// Updates the bar's position and the text of the time left.
    fn show(&self) {
        let (done, left) = with_estimate(|pace, now| (pace.done(), pace.time_left(now)));
        self.0.set_position(done);
        self.0.set_message(left);
    }
}

impl Drop for TaskBar {
    fn drop(&mut self) {
        with_estimate(|pace, now| pace.end_task(now));
        self.0.finish_and_clear();
    }
}

/// Progress of the command. One task works at a time, whatever its number of threads.
static ESTIMATE: Mutex<Option<ProgressEstimate>> = Mutex::new(None);

/// Calls `change` with the progress of the command and the present time.
fn with_estimate<T>(change: impl FnOnce(&mut ProgressEstimate, Duration) -> T) -> T {
    /// Start of the program's progress.
    static START: OnceLock<Instant> = OnceLock::new();
    let start = *START.get_or_init(Instant::now);
    let mut pace = ESTIMATE.lock().unwrap_or_else(PoisonError::into_inner);
    let is_first = pace.is_none();
    let result = change(pace.get_or_insert_default(), start.elapsed());
    drop(pace);
    if is_first && !QUIET.load(Ordering::Relaxed) {
        // Without a thread for it, it is silent.
        let _ = thread::Builder::new().spawn(print_overdue_lines);
    }
    result
}

/// Prints the progress of the command whenever nothing was printed for long, on a thread of its
/// own.
fn print_overdue_lines() {
    let is_drawn = std::io::stderr().is_terminal();
    loop {
        thread::sleep(Duration::from_secs(1));
        let line = with_estimate(|pace, now| pace.overdue_line(now, is_drawn));
        if let Some(line) = line.filter(|_| !shutdown::is_shutting_down()) {
            write_line("", &line);
        }
    }
}

/// Removes the latest bar.
pub fn end_bar() {
    if let Some(bar) = BAR.lock().ok().and_then(|mut latest| latest.take()) {
        bar.finish_and_clear();
    }
}

/// Text with a colour code, on a terminal that has not opted out.
fn paint(text: &str, code: &str) -> String {
    let wanted = std::env::var_os("NO_COLOR").is_none() && std::io::stderr().is_terminal();
    if wanted { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
}
