//! The chip: reads the agent's files, and turns counts into energy.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::cost::joules;
use super::map::Map;
use super::price::{Price, Prices};
use super::{Silicon, Usage, truth};

/// Bytes of a counter in the file.
const COUNTER_BYTES: usize = 8;

/// Counters that are compared at once.
const STRETCH: usize = 64;

/// A process's counters, what they stand for and what was read of them.
pub(super) struct Chip {
    session: PathBuf,
    prices: Prices,
    map: MapReader,
    counters: Option<File>,
    buffer: Vec<u8>,
    before: Vec<u8>,
    counter_prices: Vec<Price>,
    pattern_prices: Vec<Price>,
    problem: Option<String>,
}

/// How far the map was read.
#[derive(Default)]
struct MapReader {
    file: Option<File>,
    offset: u64,
    partial: Vec<u8>,
    map: Map,
}

impl Chip {
    /// A chip for the session in this folder, whose agent may not have started yet.
    pub fn new(session: &Path, prices: Prices) -> Self {
        Self {
            session: session.to_path_buf(),
            prices,
            map: MapReader::default(),
            counters: None,
            buffer: Vec::new(),
            before: Vec::new(),
            counter_prices: Vec::new(),
            pattern_prices: Vec::new(),
            problem: None,
        }
    }

    /// Reads the map first: the agent writes it before the counts.
    fn read(&mut self) -> io::Result<Usage> {
        self.map.read(&self.session.join("map.txt"))?;
        self.price_new()?;
        let Some(file) = opened(&mut self.counters, &self.session.join("counters.bin"))? else {
            return Ok(Usage::default());
        };
        let length = self.counter_prices.len() * COUNTER_BYTES;
        self.before.resize(length, 0);
        self.buffer.resize(length, 0);
        let filled = read_prefix(file, &mut self.buffer)?;
        let whole = filled / COUNTER_BYTES * COUNTER_BYTES;
        self.buffer[whole..].copy_from_slice(&self.before[whole..]);
        Ok(self.account())
    }

    fn counts(&self) -> Vec<u64> {
        self.before.chunks_exact(COUNTER_BYTES).map(word).collect()
    }

    /// Prices the patterns and counters that are new in the map.
    fn price_new(&mut self) -> io::Result<()> {
        let map = &self.map.map;
        for text in &map.patterns[self.pattern_prices.len()..] {
            let price = self.prices.of(text);
            self.pattern_prices.push(price.ok_or_else(|| {
                invalid(format!("the agent's pattern \"{text}\" has no cost in the cost file"))
            })?);
        }
        for counter in &map.counters[self.counter_prices.len()..] {
            let mut sum = Price::default();
            for item in &counter.items {
                let price = self.pattern_prices[item.pattern];
                sum.energy = sum.energy.saturating_add(price.energy.saturating_mul(item.count));
                sum.bytes = sum.bytes.saturating_add(price.bytes.saturating_mul(item.count));
            }
            self.counter_prices.push(sum);
        }
        Ok(())
    }

    /// Usage since the last reading. Most counters stand still between two readings,
    /// so stretches of bytes that are as before are passed over.
    fn account(&mut self) -> Usage {
        let mut used = Used::default();
        let old = self.before.chunks_mut(STRETCH * COUNTER_BYTES);
        let new = self.buffer.chunks(STRETCH * COUNTER_BYTES);
        let prices = self.counter_prices.chunks(STRETCH);
        for ((old, new), prices) in old.zip(new).zip(prices).filter(|((old, new), _)| old != new) {
            let words = old.chunks_exact(COUNTER_BYTES).zip(new.chunks_exact(COUNTER_BYTES));
            for ((old, new), price) in words.zip(prices) {
                used.add(word(new).saturating_sub(word(old)), *price);
            }
            old.copy_from_slice(new);
        }
        Usage { energy_j: joules(used.energy), allocated_bytes: used.bytes }
    }
}

/// Attojoules and bytes of a reading.
#[derive(Default)]
struct Used {
    energy: u128,
    bytes: u64,
}

impl Used {
    fn add(&mut self, executions: u64, price: Price) {
        self.energy += u128::from(executions) * u128::from(price.energy);
        self.bytes = self.bytes.saturating_add(executions.saturating_mul(price.bytes));
    }
}

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("a counter is eight bytes"))
}

impl Silicon for Chip {
    fn advance(&mut self) -> Usage {
        match self.read() {
            Ok(usage) => usage,
            Err(error) => {
                self.problem.get_or_insert_with(|| error.to_string());
                Usage::default()
            }
        }
    }

    fn write_truth(&mut self, dir: &Path) -> io::Result<()> {
        self.advance();
        match &self.problem {
            Some(problem) => Err(invalid(problem.clone())),
            None => truth::write(dir, &self.map.map, &self.counts(), &self.pattern_prices),
        }
    }
}

impl MapReader {
    /// Takes what was added to the file, whole lines only.
    fn read(&mut self, path: &Path) -> io::Result<()> {
        let Some(file) = opened(&mut self.file, path)? else { return Ok(()) };
        let length = file.metadata()?.len();
        if length <= self.offset {
            return Ok(());
        }
        let start = self.partial.len();
        let added = usize::try_from(length - self.offset).map_err(|e| invalid(e.to_string()))?;
        self.partial.resize(start + added, 0);
        file.read_exact_at(&mut self.partial[start..], self.offset)?;
        self.offset = length;
        let whole = self.partial.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let text: Vec<u8> = self.partial.drain(..whole).collect();
        let text = std::str::from_utf8(&text).map_err(|e| invalid(format!("map.txt: {e}")))?;
        self.map.feed(text).map_err(|e| invalid(e.to_string()))
    }
}

/// The file, opened once it is there.
fn opened<'a>(file: &'a mut Option<File>, path: &Path) -> io::Result<Option<&'a File>> {
    if file.is_none() {
        match File::open(path) {
            Ok(found) => *file = Some(found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(file.as_ref())
}

/// Fills the buffer from the file's start; how much there was.
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

fn invalid(problem: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::silicon::{CostTable, SiliconOptions, open};

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
            open(dir.path(), &CostTable::raspberry_pi_5(), &SiliconOptions::default()).unwrap();
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
    fn a_broken_map_is_told_by_the_truth() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("map.txt"), "pattern\t0\top:Sum/int\n").unwrap();
        let mut chip =
            open(dir.path(), &CostTable::raspberry_pi_5(), &SiliconOptions::default()).unwrap();
        assert_eq!(chip.advance(), Usage::default());
        let error = chip.write_truth(&dir.path().join("truth")).unwrap_err().to_string();
        assert!(error.contains("op:Sum/int"), "{error}");
    }
}
