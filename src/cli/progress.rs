//! What is said on standard error while a command works: stages, bars, warnings.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Failure;

static QUIET: AtomicBool = AtomicBool::new(false);

/// Errors only (`--quiet`).
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// The result of a command, on standard output. A reader that has gone (`| head`) is no
/// error.
pub fn result(text: impl AsRef<str>) {
    let _ = writeln!(std::io::stdout(), "{}", text.as_ref());
}

/// A line about what is being done.
pub fn say(text: impl AsRef<str>) {
    if !QUIET.load(Ordering::Relaxed) {
        eprintln!("{}", text.as_ref());
    }
}

/// A line about something that went less well than it should.
pub fn warn(text: impl AsRef<str>) {
    say(format!("{} {}", paint("warning:", "33;1"), text.as_ref()));
}

/// The error that ends the program, with its causes.
pub fn error(failure: &Failure) {
    eprintln!("{} {failure}", paint("error:", "31;1"));
    let mut cause = std::error::Error::source(failure);
    while let Some(error) = cause {
        if !failure.to_string().contains(&error.to_string()) {
            eprintln!("  because: {error}");
        }
        if let Some(remedy) = super::error::remedy(error) {
            eprintln!("  {remedy}");
        }
        cause = error.source();
    }
}

/// A bar with position and time left, on a terminal; else nothing.
pub fn bar(length: u64, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if QUIET.load(Ordering::Relaxed) || !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{prefix:>12} [{bar:40}] {pos}/{len} {eta} {msg}");
    if let Ok(style) = style {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(what);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// `text` in colour, on a terminal that has not opted out.
fn paint(text: &str, code: &str) -> String {
    let wanted = std::env::var_os("NO_COLOR").is_none() && std::io::stderr().is_terminal();
    if wanted { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
}
