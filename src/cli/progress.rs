//! What is said on standard error while a command works: stages, bars, warnings.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::pace::Pace;
use super::{Failure, stop};

static QUIET: AtomicBool = AtomicBool::new(false);

/// The latest bar.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Errors only (`--quiet`).
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// The result of a command, on standard output. A reader that has gone (`| head`) is no
/// error.
pub fn result(text: impl AsRef<str>) {
    if !stop::is_ending() {
        let _ = writeln!(std::io::stdout(), "{}", text.as_ref());
    }
}

/// A line about what is being done.
pub fn say(text: impl AsRef<str>) {
    if !QUIET.load(Ordering::Relaxed) && !stop::is_ending() {
        eprintln!("{}", text.as_ref());
        let mut pace = PACE.lock().unwrap_or_else(PoisonError::into_inner);
        pace.iter_mut().for_each(Pace::heard);
    }
}

/// A line about how to go on after an error or a stop.
pub fn remedy(text: impl AsRef<str>) {
    eprintln!("{}", text.as_ref());
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

/// A stage of a pipeline begins: what is going on until the next one, or a bar.
pub fn stage(name: &str) {
    with_pace(|pace, now| pace.stage(name, now));
}

/// A later part that takes `board_s` seconds on the board's clock, for estimates of the whole.
pub fn expect(part: &'static str, board_s: f64) {
    with_pace(|pace, _| pace.expect(part, board_s));
}

/// What is done and left: a bar on a terminal, else a line where nothing else is said for
/// half a minute. Ends when it is dropped.
pub struct Bar {
    drawn: ProgressBar,
}

/// A bar of `length` parts.
pub fn bar(length: u64, what: &'static str) -> Bar {
    bar_on_board(length, what, 0.0)
}

/// The same of parts that take `board_s` seconds together on the board's clock; 0 where they
/// run elsewhere.
pub fn bar_on_board(length: u64, what: &'static str, board_s: f64) -> Bar {
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
    with_pace(|pace, now| pace.begin(what, length, board_s, now));
    Bar { drawn }
}

impl Bar {
    /// One more part was made now.
    pub fn inc(&self, parts: u64) {
        with_pace(|pace, now| pace.made(parts, now));
        self.show();
    }

    /// So many parts are done, of which those since the last call were made now.
    pub fn made_up_to(&self, done: u64) {
        with_pace(|pace, now| pace.made_up_to(done, now));
        self.show();
    }

    /// So many parts are done, those since the last call from before.
    pub fn found_up_to(&self, done: u64) {
        with_pace(|pace, now| pace.found_up_to(done, now));
        self.show();
    }

    /// Changes how many parts there are.
    pub fn set_length(&self, length: u64) {
        with_pace(|pace, _| pace.set_length(length));
        self.drawn.set_length(length);
    }

    /// Says something beside the bar.
    pub fn suspend(&self, say: impl FnOnce()) {
        self.drawn.suspend(say);
    }

    fn show(&self) {
        let (done, left) = with_pace(|pace, now| (pace.done(), pace.time_left(now)));
        self.drawn.set_position(done);
        self.drawn.set_message(left);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        with_pace(|pace, now| pace.end(now));
        self.drawn.finish_and_clear();
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
        thread::spawn(break_silence);
    }
    result
}

/// Says how far the command is whenever nothing was said for long. On a terminal a bar does.
fn break_silence() {
    let is_drawn = std::io::stderr().is_terminal();
    loop {
        thread::sleep(Duration::from_secs(1));
        let line = with_pace(|pace, now| pace.line(now, is_drawn));
        if let Some(line) = line.filter(|_| !stop::is_ending()) {
            eprintln!("{line}");
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
