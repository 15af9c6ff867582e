//! What threads and JVMs did that end between two looks of the monitor.

use super::*;

/// Rows of an account that stand for what no method has.
fn rest(methods: &[BTreeMap<String, String>], name: &str) -> f64 {
    let rows = methods.iter().filter(|row| row["class"] == "(unattributed)");
    rows.filter(|row| row["method"].starts_with(name)).map(|row| number(row, "share")).sum()
}

/// Two methods do all the work, in threads that are gone before their CPU time is
/// asked for.
fn brief(options: &[&str]) -> Option<Shares> {
    let shares = Shares::record(&["Brief", "3"], options, &[])?;
    shares.are_its_own_within(0.12, &["heavy", "light"]);
    let own = shares.of("heavy", "share") + shares.of("light", "share");
    let (ended, itself) =
        (rest(&shares.methods, "not sampled: "), rest(&shares.methods, "the JVM itself"));
    assert!(own > 0.3, "{own} of the JVM, {ended} ended, {itself} itself: {:?}", shares.methods);
    assert!(itself < own, "{itself}: {:?}", shares.methods);
    Some(shares)
}

#[test]
#[ignore = "by day probes tell of brief threads; scripts/nightly.sh runs it"]
fn what_brief_threads_used_belongs_to_their_methods_by_samples() {
    let Some(shares) = brief(&["--period-ms", "10"]) else { return };
    let threads = rows(shares.folder.path().join("rec/accounts/threads.csv"));
    assert!(threads.iter().any(|row| row["name"] == "Thread-# (ended)"), "{threads:?}");
}

#[test]
fn what_brief_threads_used_belongs_to_their_methods_by_probes() {
    brief(&["--mode", "instrumentation", "--exact"]);
}

/// A command of 0.9 s, and the last part of a cycle, are whole, however the JVM ends.
fn leaves_its_last_figures(way: &'static str) {
    let exact = ["--mode", "instrumentation", "--exact", "--interval", "1"];
    let Some(ends) = Shares::record(&["Ends", "900", way], &exact, &[]) else { return };
    let calls = ends.of("works", "executions");
    assert_eq!(calls, ends.printed("calls"), "{way}: {:?}", ends.methods);
    assert!(ends.of("works", "share") > 0.4, "{way}: {:?}", ends.methods);
    // The first samples come late: what ran before has no known method.
    let sampled = Shares::record(&["Ends", "3000", way], &["--interval", "1"], &[]).unwrap();
    assert!(sampled.of("works", "samples") > 3.0, "{way}: {:?}", sampled.methods);
    assert!(sampled.of("works", "share") > 0.15, "{way}: {:?}", sampled.methods);
}

/// Its hooks don't run: of all ways the one that leaves least.
#[test]
fn a_jvm_that_halts_leaves_its_last_figures() {
    leaves_its_last_figures("halts");
}

#[test]
#[ignore = "by day a JVM halts; scripts/nightly.sh runs it"]
fn a_jvm_that_ends_in_order_leaves_its_last_figures() {
    for way in ["returns", "exits"] {
        leaves_its_last_figures(way);
    }
}
