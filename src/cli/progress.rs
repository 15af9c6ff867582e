//! What is said on standard error while a command works: stages, bars, warnings; and what
//! commands print. Control characters of foreign names show as their code.

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

use super::pace::Pace;
use super::{ending, kept};

pub use super::standard_output::{document, result};

static QUIET: AtomicBool = AtomicBool::new(false);

/// The latest bar.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Errors only (`--quiet`).
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Writes a line to standard error, after its title.
fn tell(title: &str, text: &str) {
    let space = if title.is_empty() { "" } else { " " };
    // There is no other place to tell it, and the work does not depend on it.
    let _ = writeln!(std::io::stderr(), "{title}{space}{}", visible(&shortened_message(text)));
}

/// A line about what is being done.
pub fn say(text: impl AsRef<str>) {
    say_titled("", text.as_ref());
}

/// What is to be known of how a file is written.
pub fn remarks(file: &Path, remarks: &[String]) {
    remarks.iter().for_each(|remark| say(format!("{}: {remark}", file.display())));
}

fn say_titled(title: &str, text: &str) {
    if !QUIET.load(Ordering::Relaxed) && !ending::is_ending() {
        tell(title, text);
        let mut pace = PACE.lock().unwrap_or_else(PoisonError::into_inner);
        pace.iter_mut().for_each(Pace::heard);
    }
}

/// A line about how to go on after an error or a stop.
pub fn remedy(text: impl AsRef<str>) {
    tell("", text.as_ref());
}

/// A line about something that went less well than it should.
pub fn warn(text: impl AsRef<str>) {
    say_titled(&paint("warning:", "33;1"), text.as_ref());
}

/// The same of one line, whatever names are in it.
pub fn warn_in_line(text: impl AsRef<str>) {
    warn(visible_name(text.as_ref()));
}

/// A program that was run ended with a code of its own.
pub fn program_failed(code: u8) {
    tell(&paint("error:", "31;1"), &format!("the program ended with exit code {code}"));
}

/// The error that ends the program, with its causes.
pub fn error(failure: &Failure) {
    let said = failure.to_string();
    tell(&paint("error:", "31;1"), &said);
    let mut cause = std::error::Error::source(failure);
    while let Some(error) = cause {
        let because = error.to_string();
        if !said.contains(&because) {
            tell("  because:", &because);
        }
        if let Some(remedy) = super::error::remedy(error) {
            tell(" ", remedy);
        }
        cause = error.source();
    }
}

/// The terminal, as what hears the stages.
pub struct Terminal {
    /// What was to be told once, and was.
    warned: Mutex<BTreeSet<String>>,
}

/// The one of this process.
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

    /// Asks at a terminal; elsewhere nobody answers.
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

    /// What is going on until the next one, or a bar.
    fn stage(&self, name: &str) {
        with_pace(|pace, now| pace.stage(name, now));
    }

    /// For estimates of the whole.
    fn expect(&self, part: &'static str, seconds: f64) {
        with_pace(|pace, _| pace.expect(part, seconds));
    }

    fn campaign(&self, folder: &Path) {
        kept::begin(folder);
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
        with_pace(|pace, now| pace.begin(what, length, now));
        Box::new(Drawn(drawn))
    }
}

/// What is done and left: a bar on a terminal, else a line where nothing else is said for
/// half a minute. Ends when it is dropped.
struct Drawn(ProgressBar);

impl WorkProgress for Drawn {
    fn inc(&self, parts: u64) {
        with_pace(|pace, _| pace.made(parts));
        self.show();
    }

    fn made_up_to(&self, done: u64) {
        with_pace(|pace, _| pace.made_up_to(done));
        self.show();
    }

    fn found_up_to(&self, done: u64) {
        with_pace(|pace, now| pace.found_up_to(done, now));
        self.show();
    }

    fn set_length(&self, length: u64) {
        with_pace(|pace, _| pace.set_length(length));
        self.0.set_length(length);
    }

    fn suspend(&self, say: &mut dyn FnMut()) {
        self.0.suspend(say);
    }
}

impl Drawn {
    fn show(&self) {
        let (done, left) = with_pace(|pace, now| (pace.done(), pace.time_left(now)));
        self.0.set_position(done);
        self.0.set_message(left);
    }
}

impl Drop for Drawn {
    fn drop(&mut self) {
        with_pace(|pace, now| pace.end(now));
        self.0.finish_and_clear();
    }
}

/// How far the command is. One at a time works, whatever its number of threads.
static PACE: Mutex<Option<Pace>> = Mutex::new(None);

/// Lets `change` see and change how far the command is, at the present time.
fn with_pace<T>(change: impl FnOnce(&mut Pace, Duration) -> T) -> T {
    static START: OnceLock<Instant> = OnceLock::new();
    let start = *START.get_or_init(Instant::now);
    let mut pace = PACE.lock().unwrap_or_else(PoisonError::into_inner);
    let is_first = pace.is_none();
    let result = change(pace.get_or_insert_default(), start.elapsed());
    drop(pace);
    if is_first && !QUIET.load(Ordering::Relaxed) {
        // Without a thread for it, it is silent.
        let _ = thread::Builder::new().spawn(break_silence);
    }
    result
}

/// Says how far the command is whenever nothing was said for long. On a terminal a bar does.
fn break_silence() {
    let is_drawn = std::io::stderr().is_terminal();
    loop {
        thread::sleep(Duration::from_secs(1));
        let line = with_pace(|pace, now| pace.line(now, is_drawn));
        if let Some(line) = line.filter(|_| !ending::is_ending()) {
            tell("", &line);
        }
    }
}

/// Takes the latest bar away, if it is there.
pub fn end_bar() {
    if let Some(bar) = BAR.lock().ok().and_then(|mut latest| latest.take()) {
        bar.finish_and_clear();
    }
}

/// `text` in colour, on a terminal that has not opted out.
fn paint(text: &str, code: &str) -> String {
    let wanted = std::env::var_os("NO_COLOR").is_none() && std::io::stderr().is_terminal();
    if wanted { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
}
