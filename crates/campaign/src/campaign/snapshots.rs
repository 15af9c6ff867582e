//! `wattline-counts-1.windows`: snapshots of the executed blocks during a session, for counts and
//! power from one run.

use thiserror::Error;

/// The first line.
const HEADER: &str = "# wattline-windows 1";

/// The blocks executed since the snapshot before.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CountSnapshot {
    /// Time of the snapshot, in seconds on the board's clock, as the samples have.
    pub uptime_s: f64,
    /// Executed probes. Fewer than executions: some blocks follow from others.
    pub probes: u64,
    /// Blocks that ran, with their executions.
    pub executions: Vec<(usize, u64)>,
}

/// An invalid line of the snapshots.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("snapshots, line {line}: {problem}")]
pub struct SnapshotError {
    /// Line, from 1.
    pub line: usize,
    /// Description of the error.
    pub problem: &'static str,
}

/// Parses the snapshots, in order of time. A last line without its end was torn when the
/// application was killed, and is left out.
pub fn parse_snapshots(text: &str) -> Result<Vec<CountSnapshot>, SnapshotError> {
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut lines = whole.lines();
    if lines.next() != Some(HEADER) {
        return Err(SnapshotError { line: 1, problem: "it is not `# wattline-windows 1`" });
    }
    let mut snapshots: Vec<CountSnapshot> = Vec::new();
    for (index, line) in lines.enumerate() {
        let at = |problem| SnapshotError { line: index + 2, problem };
        if line == HEADER {
            return Err(at("several processes or class loaders have snapshots of their own"));
        }
        let snapshot = snapshot(line).map_err(at)?;
        if snapshots.last().is_some_and(|last| last.uptime_s >= snapshot.uptime_s) {
            return Err(at("its time is not after that of the line before"));
        }
        snapshots.push(snapshot);
    }
    Ok(snapshots)
}

/// `NANOSECONDS PROBES [BLOCK EXECUTIONS]...`.
fn snapshot(line: &str) -> Result<CountSnapshot, &'static str> {
    let mut numbers = line.split(' ').map(|word| word.parse::<u64>().map_err(|_| "no number"));
    let mut next = || numbers.next().transpose();
    let (Some(nanos), Some(probes)) = (next()?, next()?) else {
        return Err("it has no time and number of probes");
    };
    let mut snapshot =
        CountSnapshot { uptime_s: nanos as f64 * 1e-9, probes, executions: Vec::new() };
    while let Some(block) = next()? {
        let executions = next()?.ok_or("a block without its executions")?;
        snapshot.executions.push((block as usize, executions));
    }
    Ok(snapshot)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# wattline-windows 1\n250000000 0\n500000000 7 3 5 10 4\n";

    #[test]
    fn lines_are_read_and_a_torn_one_is_left_out() {
        let last = CountSnapshot { uptime_s: 0.5, probes: 7, executions: vec![(3, 5), (10, 4)] };
        let read = parse_snapshots(TEXT).unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!(read[1], last);
        assert_eq!(parse_snapshots(&format!("{TEXT}750000000 8 3")).unwrap(), read);
    }

    #[test]
    fn what_is_wrong_names_its_line() {
        let message = |text: &str| parse_snapshots(text).unwrap_err().to_string();
        assert_eq!(message("x\n"), "snapshots, line 1: it is not `# wattline-windows 1`");
        assert_eq!(message(""), "snapshots, line 1: it is not `# wattline-windows 1`");
        let later = message(&TEXT.replace("500000000", "250000000"));
        assert_eq!(later, "snapshots, line 3: its time is not after that of the line before");
        assert_eq!(message(&TEXT.replace(" 7 ", " x ")), "snapshots, line 3: no number");
        let short = TEXT.replace("250000000 0", "250000000");
        assert_eq!(message(&short), "snapshots, line 2: it has no time and number of probes");
        let two =
            "snapshots, line 4: several processes or class loaders have snapshots of their own";
        assert_eq!(message(&[TEXT, TEXT].concat()), two);
    }
}
