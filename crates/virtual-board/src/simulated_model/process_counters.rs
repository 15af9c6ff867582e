//! Counters of a process: reads the agent's files and accounts what was executed.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::accounting::Accounting;
use super::cost::joules;
use super::error::invalid_agent_output;
use super::interface::{SimulatedModel, Usage};
use super::share::{CallFrame, ExecutedCode, ReadingShare};

/// Bytes of a counter in the file.
const COUNTER_BYTES: usize = 8;

/// Number of counters that are compared at once.
const COUNTERS_PER_COMPARISON: usize = 64;

/// Simulated energy model of a process: the agent's counters with their accounting.
pub(super) struct ProcessCounters<A> {
    session: PathBuf,
    accounting: A,
    map: MapFileReader,
    counters: Option<File>,
    buffer: Vec<u8>,
    before: Vec<u8>,
    executed: Vec<(usize, u64)>,
    allocated: u128,
    problem: Option<String>,
}

/// Reader of the growing map file.
#[derive(Default)]
struct MapFileReader {
    file: Option<File>,
    offset: u64,
    partial: Vec<u8>,
}

impl<A: Accounting> ProcessCounters<A> {
    /// Counters of the session in this folder, whose agent may not have started yet.
    pub fn new(session: &Path, accounting: A) -> Self {
        Self {
            session: session.to_path_buf(),
            accounting,
            map: MapFileReader::default(),
            counters: None,
            buffer: Vec::new(),
            before: Vec::new(),
            executed: Vec::new(),
            allocated: 0,
            problem: None,
        }
    }

    /// Reads the map, then the counters, and returns the usage since the last call. The map comes
    /// first since the agent writes it before the counts.
    fn read_usage(&mut self) -> io::Result<Usage> {
        self.executed.clear();
        if let Some(text) = self.map.read_new_lines(&self.session.join("map.txt"))? {
            self.accounting.add_map_lines(&text)?;
        }
        let Some(file) = open_if_present(&mut self.counters, &self.session.join("counters.bin"))?
        else {
            return Ok(Usage::default());
        };
        let length = self.accounting.counter_count() * COUNTER_BYTES;
        self.before.resize(length, 0);
        self.buffer.resize(length, 0);
        let filled = read_prefix(file, &mut self.buffer)?;
        let whole = filled / COUNTER_BYTES * COUNTER_BYTES;
        self.buffer[whole..].copy_from_slice(&self.before[whole..]);
        self.collect_executed();
        let used = self.accounting.spend(&self.executed);
        self.allocated += u128::from(used.bytes);
        Ok(Usage { energy_j: joules(used.energy), allocated_bytes: used.bytes })
    }

    /// Adds the counters that have changed since the last reading, with their executions. Most
    /// counters are unchanged, so stretches of equal bytes are skipped.
    fn collect_executed(&mut self) {
        let old = self.before.chunks_mut(COUNTERS_PER_COMPARISON * COUNTER_BYTES);
        let new = self.buffer.chunks(COUNTERS_PER_COMPARISON * COUNTER_BYTES);
        for (stretch, (old, new)) in old.zip(new).enumerate().filter(|(_, (old, new))| old != new) {
            let words = old.chunks_exact(COUNTER_BYTES).zip(new.chunks_exact(COUNTER_BYTES));
            for (at, (old, new)) in words.enumerate().filter(|(_, (old, new))| old != new) {
                let executions = counter_value(new).saturating_sub(counter_value(old));
                self.executed.push((stretch * COUNTERS_PER_COMPARISON + at, executions));
            }
            old.copy_from_slice(new);
        }
    }
}

/// Little-endian number of eight bytes.
fn counter_value(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("a counter is eight bytes"))
}

impl<A: Accounting> SimulatedModel for ProcessCounters<A> {
    fn advance(&mut self) -> Usage {
        match self.read_usage() {
            Ok(usage) => usage,
            Err(error) => {
                self.problem.get_or_insert_with(|| error.to_string());
                Usage::default()
            }
        }
    }

    fn shares(&self) -> Vec<ReadingShare> {
        self.accounting.shares(&self.executed)
    }

    fn frames(&self, code: ExecutedCode) -> Vec<CallFrame> {
        self.accounting.frames(code)
    }

    fn write_ground_truth(&mut self, dir: &Path) -> io::Result<()> {
        self.advance();
        match &self.problem {
            Some(problem) => Err(invalid_agent_output(problem.clone())),
            None => self.accounting.ground_truth().write(dir, self.allocated),
        }
    }
}

impl MapFileReader {
    /// Takes the lines that were added to the file, whole lines only; `None` if there are none.
    fn read_new_lines(&mut self, path: &Path) -> io::Result<Option<String>> {
        let Some(file) = open_if_present(&mut self.file, path)? else { return Ok(None) };
        let length = file.metadata()?.len();
        if length <= self.offset {
            return Ok(None);
        }
        let start = self.partial.len();
        let added = usize::try_from(length - self.offset)
            .map_err(|e| invalid_agent_output(e.to_string()))?;
        self.partial.resize(start + added, 0);
        file.read_exact_at(&mut self.partial[start..], self.offset)?;
        self.offset = length;
        let whole = self.partial.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let text: Vec<u8> = self.partial.drain(..whole).collect();
        String::from_utf8(text).map(Some).map_err(|e| invalid_agent_output(format!("map.txt: {e}")))
    }
}

/// Opens the file once it exists; `None` before.
fn open_if_present<'a>(file: &'a mut Option<File>, path: &Path) -> io::Result<Option<&'a File>> {
    if file.is_none() {
        match File::open(path) {
            Ok(found) => *file = Some(found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(file.as_ref())
}

/// Fills the buffer from the file's start and returns the number of bytes.
fn read_prefix(file: &File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::simulated_model::{CodeOrigin, CostTable, MethodName, SimulatedModelOptions, open};

    const MAP: &str = "pattern\t0\top:Addition/int\npattern\t1\tbytes\n\
        class\tA\tA.java\t-\tplain\nmethod\tm\t()V\t-\t0\nblock\t0\t7:0*2\t8:1*24\n";

    fn counters(dir: &Path, counts: &[u64]) {
        let bytes: Vec<u8> = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        fs::write(dir.join("counters.bin"), bytes).unwrap();
    }

    #[test]
    fn energy_is_counts_times_costs() {
        let dir = tempfile::tempdir().unwrap();
        let mut chip =
            open(dir.path(), &CostTable::raspberry_pi_5(), &SimulatedModelOptions::default())
                .unwrap();
        assert_eq!(chip.advance(), Usage::default(), "no agent yet");
        fs::write(dir.path().join("map.txt"), format!("{MAP}blo")).unwrap();
        counters(dir.path(), &[3, 99]);
        // two additions of 29.5478 + 0.09716775 + 6.739114 nJ
        let addition = 36.384_081_75e-9;
        let usage = chip.advance();
        assert!((usage.energy_j - 6.0 * addition).abs() < 1e-18, "{}", usage.energy_j);
        assert_eq!(usage.allocated_bytes, 72);
        counters(dir.path(), &[4, 99]);
        assert_eq!(chip.advance().allocated_bytes, 24, "only what is new");
        assert_eq!(chip.advance(), Usage::default());
    }

    #[test]
    fn shares_are_those_of_the_last_reading() {
        let dir = tempfile::tempdir().unwrap();
        let options = SimulatedModelOptions::default();
        let mut chip = open(dir.path(), &CostTable::raspberry_pi_5(), &options).unwrap();
        let call = "pattern\t2\tcall:java.lang.Math.abs(int)\nblock\t1\t9:0*1\t9:2*1\n";
        fs::write(dir.path().join("map.txt"), format!("{MAP}{call}")).unwrap();
        counters(dir.path(), &[3, 4]);
        let usage = chip.advance();
        let shares = chip.shares();
        let method = MethodName { class: "A".into(), name: "m".into(), descriptor: "()V".into() };
        let symbol = "void A.m()".into();
        let own = CallFrame { symbol, method, origin: CodeOrigin::Ahead, address: 1 << 26 };
        let in_other = CallFrame { address: own.address + 4, ..own.clone() };
        let frames: Vec<Vec<CallFrame>> =
            shares.iter().map(|share| chip.frames(share.code)).collect();
        assert_eq!((&frames[0], &frames[1]), (&vec![own], &vec![in_other.clone()]));
        assert_eq!((&*frames[2][0].symbol, &frames[2][1]), ("java.lang.Math.abs", &in_other));
        let sum: f64 = shares.iter().map(|share| share.energy_j).sum();
        assert!((sum / usage.energy_j - 1.0).abs() < 1e-12);
        chip.advance();
        assert_eq!(chip.shares(), [], "nothing since");
    }

    #[test]
    fn a_broken_map_is_told_by_the_truth() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("map.txt"), "pattern\t0\top:Sum/int\n").unwrap();
        let mut chip =
            open(dir.path(), &CostTable::raspberry_pi_5(), &SimulatedModelOptions::default())
                .unwrap();
        assert_eq!(chip.advance(), Usage::default());
        let error = chip.write_ground_truth(&dir.path().join("truth")).unwrap_err().to_string();
        assert!(error.contains("op:Sum/int"), "{error}");
    }
}
