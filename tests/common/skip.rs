//! What a test says that can't run here: a line on standard error, past the runner, which keeps
//! what passing tests print; and a line of the file that `WATTLINE_SKIPS` names, from which
//! `test.sh` makes its list. With `WATTLINE_REQUIRE=all` it fails instead, if this machine
//! was to have what is missing.

// Not every crate has skips of both kinds.
#![allow(dead_code)]

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;
use std::panic::Location;
use std::thread;

/// Skips for want of what a machine that runs the tests is to have: what
/// `scripts/packages.sh` installs for tests, what Maven fetches, what Linux offers.
///
/// # Panics
/// If `WATTLINE_REQUIRE` is `all`.
#[track_caller]
pub fn because(reason: impl Display) {
    let name = test_name(Location::caller());
    assert!(!all_is_required(), "{name} can't be skipped under WATTLINE_REQUIRE=all: {reason}");
    record(&name, &reason);
}

/// Skips for want of what no command of this project brings: other people's data, a device,
/// another release of the JDK (`scripts/test-jdks.sh`), a right that the system denies, a
/// program that it has no package of.
#[track_caller]
pub fn outside(reason: impl Display) {
    record(&test_name(Location::caller()), &reason);
}

/// The runner calls a test's thread by its name; a thread that a test started has none.
fn test_name(caller: &Location<'_>) -> String {
    let thread = thread::current();
    match thread.name() {
        Some(name) if name != "main" => name.to_owned(),
        _ => caller.to_string(),
    }
}

fn all_is_required() -> bool {
    match std::env::var("WATTLINE_REQUIRE").as_deref() {
        Ok("all") => true,
        Err(_) | Ok("") => false,
        Ok(other) => panic!("WATTLINE_REQUIRE is {other:?}: `all`, or not set"),
    }
}

/// One write each, so that the lines of tests that run at once stay whole.
fn record(name: &str, reason: &dyn Display) {
    let words = reason.to_string();
    let skip = format!("{name}: {}", words.split_whitespace().collect::<Vec<_>>().join(" "));
    std::io::stderr().write_all(format!("skipped {skip}\n").as_bytes()).ok();
    if let Some(path) = std::env::var_os("WATTLINE_SKIPS") {
        let file = OpenOptions::new().append(true).create(true).open(&path);
        let written = file.and_then(|mut file| file.write_all(format!("{skip}\n").as_bytes()));
        written.unwrap_or_else(|error| panic!("WATTLINE_SKIPS={}: {error}", path.display()));
    }
}
