//! Shares of methods in threads that end after a few milliseconds, and before waits, on each JDK
//! of this machine.

use super::*;

/// The class that computes belongs to the method that calls it.
const OF_PROGRAM: [&str; 4] = ["--include", "Bursts", "--exclude", "Bursts$"];

/// `java` of a JDK release on this machine: in `WATTLINE_JDKS`, separated by `:`, or below
/// `/usr/lib/jvm`.
fn java_of_release(release: u32) -> Option<PathBuf> {
    let listed = std::env::var("WATTLINE_JDKS").unwrap_or_default();
    let installed = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let homes = listed.split(':').map(PathBuf::from).chain(installed.map(|entry| entry.path()));
    let is_it = |home: &PathBuf| {
        let text = fs::read_to_string(home.join("release")).unwrap_or_default();
        text.contains(&format!("JAVA_VERSION=\"{release}")) && home.join("bin/java").is_file()
    };
    let home = homes.into_iter().find(is_it);
    if home.is_none() {
        crate::skip::outside(format!("no JDK {release}"));
    }
    home.map(|home| home.join("bin/java"))
}

fn record(release: u32, command: &[&'static str], options: &[&str]) -> Option<Shares> {
    let java = java_of_release(release)?;
    if Jdk::find().ok().and_then(|jdk| jdk.release()).is_some_and(|own| own > release) {
        crate::skip::outside(format!("the JDK in use compiles for a later release than {release}"));
        return None;
    }
    Shares::record_on(Some(&java), command, &[options, &OF_PROGRAM].concat(), &[])
}

/// Without a flag on JDK 25: a sample after each 40 ms of CPU time would have none of these.
#[test]
fn brief_threads_have_samples_at_ticks_on_jdk_25() {
    let Some(shares) = record(25, &["Bursts", "4", "brief"], &[]) else { return };
    shares.are_its_own_within(0.05, &["opens", "closes"]);
    let own = shares.of("opens", "samples") + shares.of("closes", "samples");
    assert!(own > 200.0, "{own}: {:?}", shares.methods);
}

#[test]
fn brief_threads_have_samples_in_real_time_on_jdk_17() {
    let Some(shares) = record(17, &["Bursts", "4", "brief"], &["--period-ms", "10"]) else {
        return;
    };
    shares.are_its_own_within(0.05, &["opens", "closes"]);
}

const WAITING: [&str; 4] = ["begins", "beforeSleep", "beforePark", "beforeWait"];

/// A method that ends in a wait has no more than it uses, nor one that begins after it less.
#[test]
fn waits_do_not_shift_samples_on_jdk_25() {
    let Some(shares) = record(25, &["Bursts", "4", "waits"], &[]) else { return };
    shares.are_its_own_within(0.05, &WAITING);
}

#[test]
#[ignore = "by day the same is tested on JDK 25; scripts/nightly.sh runs it"]
fn waits_do_not_shift_samples_on_jdk_17() {
    let Some(shares) = record(17, &["Bursts", "6", "waits"], &["--period-ms", "10"]) else {
        return;
    };
    shares.are_its_own_within(0.05, &WAITING);
}

#[test]
#[ignore = "by day other programs never wait; scripts/nightly.sh runs it"]
fn threads_of_all_kinds_have_their_shares() {
    for release in [17, 25] {
        let names = [
            "opens",
            "closes",
            "begins",
            "beforeSleep",
            "beforePark",
            "beforeWait",
            "most",
            "some",
        ];
        let options: &[&str] = if release == 17 { &["--period-ms", "10"] } else { &[] };
        let command = ["Bursts", "10", "brief", "waits", "long"];
        let Some(shares) = record(release, &command, options) else { continue };
        shares.are_its_own_within(0.05, &names);
    }
}

/// Threads that end before their first sample are no other threads' methods.
#[test]
fn threads_without_a_sample_are_a_row_of_their_own() {
    let command = ["Bursts", "4", "brief", "ending"];
    let Some(shares) = record(25, &command, &["--period-ms", "100"]) else { return };
    let own = |name: &str| shares.own.iter().find(|(own, _)| own == name).unwrap().1;
    let row = |name: &str| {
        let found = shares.methods.iter().find(|row| row["method"] == name);
        number(found.unwrap_or_else(|| panic!("no {name}: {:?}", shares.methods)), "share")
    };
    let (brief, ending) = (row("not sampled: brief (ended)"), row("whole"));
    assert!(shares.methods.iter().all(|row| row["method"] != "opens"), "{:?}", shares.methods);
    // Part of the cycles' time is known before the threads' kinds are.
    let (found, expected) = (brief / (brief + ending), own("opens") + own("closes"));
    assert!((found - expected).abs() < 0.2, "{found} of both, {expected} by itself");
    let threads = rows(shares.folder.path().join("rec/accounts/threads.csv"));
    assert!(threads.iter().any(|row| row["name"] == "brief (ended)"), "{threads:?}");
}
