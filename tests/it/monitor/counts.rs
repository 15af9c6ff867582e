//! Counts that are not those of all calls, and energies beside them.

use super::*;

/// A server's handler beside a thread whose calls are too many for a probe: energies are
/// those that the program measures itself, and a count that stopped says so everywhere.
#[test]
#[ignore = "by day no probe is taken out; scripts/nightly.sh runs it"]
fn folded_probes_leave_energies_right_and_their_counts_are_marked() {
    let options = ["--mode", "instrumentation"];
    let Some(serves) = Shares::record(&["Serves", "12"], &options, &[]) else { return };
    serves.are_its_own_within(0.08, &["page", "tiny"]);
    let row = |name: &str| {
        serves
            .methods
            .iter()
            .find(|row| row["class"] == "Serves" && row["method"].starts_with(name))
            .unwrap()
    };
    let tiny = row("tiny");
    assert!(number(tiny, "executions") < serves.printed("calls"), "{tiny:?}");
    assert!(tiny["counted"].starts_with("until cycle "), "{tiny:?}");
    assert_eq!(tiny["energy_per_invocation_j"], "", "its energy is of more calls: {tiny:?}");
    let page = row("page");
    assert_eq!(page["counted"], "all", "{page:?}");
    let terminal = &serves.printed;
    let line = terminal.lines().find(|line| line.contains("Serves.tiny(long)")).unwrap();
    assert!(line.contains(&format!("{}+", tiny["executions"])), "{line}");
    assert!(terminal.contains("counted until the method lost its probe"), "{terminal}");
    let folder = serves.folder.path().join("rec");
    let status = Command::new(WATTLINE).arg("report").arg(&folder).output().unwrap();
    assert!(status.status.success(), "{status:?}");
    let html = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(html.contains("+</td>") && html.contains("counted until the method"), "marked");
}
