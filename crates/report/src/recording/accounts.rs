//! Sums of a recording by process, method and class, and accounts for exports, in which each
//! method is one block.

use std::collections::BTreeMap;

use super::{CallCountKind, MethodRow, Recording};
use crate::account::{
    AccountEntry, Accounts, BlockAccount, Concentration, Femtojoules, Ledger, LedgerEntry,
    LedgerRow, LineKey, MethodKey as AccountKey,
};
use crate::blocks::BlockId;
use crate::exact::share;
use crate::units::Joules;

/// Key of a recorded method, over all threads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordedMethodKey {
    /// Binary class name.
    pub class: String,
    /// Name with parameter types, where known.
    pub method: String,
}

/// Sums of a method over a recording: calls, times, energies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MethodSum {
    /// Source file; empty where unknown.
    pub file: String,
    /// First line; 0 where unknown.
    pub first_line: u32,
    /// Last line.
    pub last_line: u32,
    /// Calls; absent without a probe.
    pub calls: Option<u64>,
    /// Which of the calls were counted.
    pub counted: CallCountKind,
    /// Samples; absent where none were taken.
    pub samples: Option<u64>,
    /// Waiting time in seconds.
    pub waited_s: f64,
    /// Bytes sent and received by sockets.
    pub bytes: u64,
    /// CPU time in seconds.
    pub cpu_s: f64,
    /// Energy of the CPU.
    pub cpu: Femtojoules,
    /// Energy of the network; absent where unknown.
    pub network: Option<Femtojoules>,
    /// Mean power over the recording in watts, by the paper's literal formula.
    pub literal_w: f64,
}

impl MethodSum {
    /// Energy of CPU and network.
    pub fn energy(&self) -> Femtojoules {
        self.cpu + self.network.unwrap_or(Femtojoules::ZERO)
    }

    /// Calls that the energy relates to; absent where they were counted for a part of the time.
    pub fn all_calls(&self) -> Option<u64> {
        self.calls.filter(|_| !matches!(self.counted, CallCountKind::Until(_)))
    }
}

/// Sums of a process over a recording: CPU time, shares, energies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProcessSum {
    /// The last name of the process.
    pub name: String,
    /// CPU time in seconds.
    pub cpu_s: f64,
    /// Mean over cycles of its share of active CPU time.
    pub share_active: f64,
    /// Mean over cycles of its share of the CPU capacity.
    pub share_capacity: f64,
    /// Energy of the CPU.
    pub cpu: Femtojoules,
    /// Energy of the network; absent where unknown.
    pub network: Option<Femtojoules>,
}

impl ProcessSum {
    /// Energy of CPU and network.
    pub fn energy(&self) -> Femtojoules {
        self.cpu + self.network.unwrap_or(Femtojoules::ZERO)
    }
}

/// All sums of a recording. `total` is the processes and `unattributed`; the JVM is its methods
/// and three remainders.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordingSums {
    /// Duration in seconds.
    pub duration_s: f64,
    /// Energy of all parts of the machine.
    pub total: Femtojoules,
    /// Sums by process: number and start.
    pub processes: BTreeMap<(u32, u64), ProcessSum>,
    /// Energy without a known process.
    pub unattributed: Femtojoules,
    /// Energy of the JVM; absent where none was measured.
    pub jvm: Option<Femtojoules>,
    /// Sums by method of the JVM.
    pub methods: BTreeMap<RecordedMethodKey, MethodSum>,
    /// Energy and calls by class.
    pub classes: BTreeMap<String, (Femtojoules, Option<u64>)>,
    /// Name, CPU seconds and energy by thread of the JVM.
    pub threads: BTreeMap<(u32, u64), (String, f64, Femtojoules)>,
    /// Energy of threads that were sampled in no method of the filter; of a JVM's network the
    /// part that no method sent.
    pub no_method: Femtojoules,
    /// Energy of the JVM's threads that no sample and no timed call covers, by their names, with
    /// `#` for digits.
    pub not_sampled: BTreeMap<String, Femtojoules>,
    /// Energy of the JVM itself: garbage collector, compiler.
    pub jvm_itself: Femtojoules,
}

/// Name of the energy of threads that no sample covers.
const NOT_SAMPLED: &str = "not sampled";

impl RecordingSums {
    /// Parts of the JVM's energy without a known method, with their names.
    pub fn rests(&self) -> [(&'static str, Femtojoules); 3] {
        [
            ("threads without a known method", self.no_method),
            (NOT_SAMPLED, self.not_sampled.values().copied().sum()),
            ("the JVM itself", self.jvm_itself),
        ]
    }

    /// The same with a part for each kind of threads that was not sampled.
    pub fn rests_by_thread(&self) -> Vec<(String, Femtojoules)> {
        let [no_method, _, itself] = self.rests().map(|(name, energy)| (name.to_owned(), energy));
        let by_thread = self.not_sampled.iter();
        let by_thread = by_thread.map(|(name, energy)| (format!("{NOT_SAMPLED}: {name}"), *energy));
        [no_method].into_iter().chain(by_thread).chain([itself]).collect()
    }
}

/// Adds up a recording.
pub fn sum_recording(recording: &Recording) -> RecordingSums {
    let mut sums =
        RecordingSums { duration_s: recording.about.duration_s, ..RecordingSums::default() };
    sums.total = recording.cycles.iter().map(|row| row.energy_j).sum();
    let cycles = recording.about.cycles.max(1) as f64;
    for row in &recording.processes {
        let sum = sums.processes.entry((row.pid, row.start_ticks)).or_default();
        sum.name.clone_from(&row.name);
        sum.cpu_s += row.cpu_s;
        sum.share_active += row.share_active / cycles;
        sum.share_capacity += row.share_capacity / cycles;
        sum.cpu += row.cpu_j;
        sum.network = add_optional(sum.network, row.network_j);
    }
    let processes: Femtojoules = sums.processes.values().map(ProcessSum::energy).sum();
    sums.unattributed = sums.total - processes;
    for row in &recording.threads {
        let sum = sums.threads.entry((row.pid, row.thread)).or_default();
        if !row.name.is_empty() {
            sum.0.clone_from(&row.name);
        }
        sum.1 += row.cpu_s.unwrap_or(0.0);
        sum.2 += row.energy_j;
    }
    for row in &recording.methods {
        add_method(&mut sums, row, cycles);
    }
    if recording.about.jvm.is_some() {
        let of_row = |row: &super::JvmRow| row.cpu_j + row.network_j.unwrap_or(Femtojoules::ZERO);
        let jvm: Femtojoules = recording.jvm.iter().map(of_row).sum();
        sums.jvm = Some(jvm);
        add_rests(&mut sums, recording, jvm);
    }
    if let Some(about) = &recording.about.jvm {
        for (key, sum) in &mut sums.methods {
            sum.counted = about.counted(&key.class, &key.method);
        }
    }
    sums
}

/// Sets the parts of a JVM's energy that no method has.
fn add_rests(sums: &mut RecordingSums, recording: &Recording, jvm: Femtojoules) {
    let pid = recording.about.jvm.as_ref().map(|jvm| jvm.pid);
    let threads = || recording.threads.iter().filter(|row| Some(row.pid) == pid);
    for row in threads().filter(|row| row.not_sampled_j != Femtojoules::ZERO) {
        let sum = sums.not_sampled.entry(kind_of_thread(&row.name)).or_default();
        *sum += row.not_sampled_j;
    }
    let energy: Femtojoules = threads().map(|row| row.energy_j).sum();
    sums.jvm_itself = recording.jvm.iter().map(|row| row.cpu_j).sum::<Femtojoules>() - energy;
    let methods: Femtojoules = sums.methods.values().map(MethodSum::energy).sum();
    let not_sampled: Femtojoules = sums.not_sampled.values().copied().sum();
    sums.no_method = jvm - methods - not_sampled - sums.jvm_itself;
    // Rounding of single rows is no energy of its own.
    if sums.no_method.joules().0.abs() < 1e-9 * jvm.joules().0 {
        sums.jvm_itself += sums.no_method;
        sums.no_method = Femtojoules::ZERO;
    }
}

/// The name of a thread with one `#` for each run of digits: threads of a pool have one.
pub fn kind_of_thread(name: &str) -> String {
    let mut kind = String::new();
    for letter in name.chars() {
        match letter.is_ascii_digit() {
            true if kind.ends_with('#') => {}
            true => kind.push('#'),
            false => kind.push(letter),
        }
    }
    if kind.is_empty() { "(no name)".into() } else { kind }
}

fn add_optional(sum: Option<Femtojoules>, more: Option<Femtojoules>) -> Option<Femtojoules> {
    more.map_or(sum, |more| Some(sum.unwrap_or(Femtojoules::ZERO) + more))
}

fn add_method(sums: &mut RecordingSums, row: &MethodRow, cycles: f64) {
    let key = RecordedMethodKey { class: row.class.clone(), method: row.method.clone() };
    let count =
        |sum: Option<u64>, more: Option<u64>| more.map_or(sum, |m| Some(sum.unwrap_or(0) + m));
    let sum = sums.methods.entry(key).or_default();
    sum.file.clone_from(&row.file);
    if sum.first_line == 0 || (row.first_line > 0 && row.first_line < sum.first_line) {
        sum.first_line = row.first_line;
    }
    sum.last_line = sum.last_line.max(row.last_line);
    sum.calls = count(sum.calls, row.calls);
    sum.samples = count(sum.samples, row.samples);
    sum.waited_s += row.waited_s;
    sum.bytes += row.received + row.sent;
    sum.cpu_s += row.cpu_s;
    sum.cpu += row.cpu_j;
    sum.network = add_optional(sum.network, row.network_j);
    sum.literal_w += row.literal_w / cycles;
    let class = sums.classes.entry(row.class.clone()).or_default();
    class.0 += row.cpu_j + row.network_j.unwrap_or(Femtojoules::ZERO);
    class.1 = count(class.1, row.calls);
}

/// Accounts for exports: of the JVM's methods, or of the processes where no JVM was measured.
/// Their idle energy is the rest of the machine's.
pub fn accounts_of(sums: &RecordingSums) -> Accounts {
    let processes: Femtojoules = sums.processes.values().map(ProcessSum::energy).sum();
    let whole = sums.jvm.unwrap_or(processes);
    let blocks = match sums.jvm {
        Some(_) => method_blocks(sums, whole),
        None => process_blocks(sums, whole),
    };
    let explained: Femtojoules = blocks.iter().map(|block| block.entry.energy).sum();
    let rows = [
        (LedgerEntry::Measured, sums.total),
        (LedgerEntry::Idle, sums.total - whole),
        (LedgerEntry::Operations, explained),
        (LedgerEntry::Library, Femtojoules::ZERO),
        (LedgerEntry::Gc, Femtojoules::ZERO),
        (LedgerEntry::Unexplained, whole - explained),
    ];
    let rows = rows.map(|(entry, energy)| LedgerRow {
        entry,
        energy,
        interval: None,
        share: share(energy, sums.total),
        remark: match entry {
            LedgerEntry::Library | LedgerEntry::Gc => "not told apart",
            _ => "",
        },
    });
    Accounts {
        operations: Vec::new(),
        lines: lines(&blocks),
        methods: blocks
            .iter()
            .map(|block| {
                let key = AccountKey { class: block.class.clone(), method: block.method.clone() };
                entry(key, block.entry.executions, block.entry.energy, whole)
            })
            .collect(),
        parts: Vec::new(),
        classes: grouped(&blocks, whole, |block| &block.class),
        packages: grouped(&blocks, whole, package),
        blocks,
        method_groups: None,
        // Samples have no operations, and their blocks no costs.
        concentration: Concentration::default(),
        ledger: Ledger { rows: rows.into(), unanalysed: Vec::new() },
    }
}

fn entry<K>(key: K, executions: u64, energy: Femtojoules, whole: Femtojoules) -> AccountEntry<K> {
    let share = share(energy, whole);
    AccountEntry { key, executions, energy, interval: None, share, unknown: 0, determined: true }
}

fn block(
    number: usize,
    (class, method): (String, String),
    executions: u64,
    energy: Femtojoules,
    whole: Femtojoules,
) -> BlockAccount {
    let simple = class.rsplit('.').next().unwrap_or(&class).to_string();
    BlockAccount {
        entry: entry(BlockId(number as u32), executions, energy, whole),
        name: format!("{simple}.{method}"),
        kind: "entry".into(),
        class,
        method,
        file: String::new(),
        start_line: 0,
        end_line: 0,
        cost: Joules(energy.joules().0 / executions.max(1) as f64),
        cost_interval: None,
        classes: [Femtojoules::ZERO; 8],
        lines: BTreeMap::new(),
    }
}

fn sorted(mut blocks: Vec<BlockAccount>) -> Vec<BlockAccount> {
    blocks.sort_by_key(|block| std::cmp::Reverse(block.entry.energy));
    blocks
}

fn method_blocks(sums: &RecordingSums, whole: Femtojoules) -> Vec<BlockAccount> {
    let blocks = sums.methods.iter().enumerate().map(|(number, (key, sum))| {
        let names = (key.class.clone(), key.method.clone());
        let counted = if sum.calls.is_some() { sum.all_calls() } else { sum.samples };
        let calls = counted.unwrap_or(0);
        let mut block = block(number, names, calls, sum.energy(), whole);
        block.file.clone_from(&sum.file);
        (block.start_line, block.end_line) = (sum.first_line, sum.last_line);
        block
    });
    sorted(blocks.collect())
}

fn process_blocks(sums: &RecordingSums, whole: Femtojoules) -> Vec<BlockAccount> {
    let blocks = sums.processes.iter().enumerate().map(|(number, ((pid, _), sum))| {
        let names = (format!("(processes).{}", sum.name.replace('.', "_")), format!("pid {pid}"));
        block(number, names, 1, sum.energy(), whole)
    });
    sorted(blocks.collect())
}

/// Accounts by line: a method's energy is on its first line, as its distribution is unknown.
fn lines(blocks: &[BlockAccount]) -> Vec<AccountEntry<LineKey>> {
    let known = blocks.iter().filter(|block| !block.file.is_empty() && block.start_line > 0);
    let lines = known.map(|block| AccountEntry {
        key: LineKey { file: block.file.clone(), line: block.start_line },
        executions: block.entry.executions,
        energy: block.entry.energy,
        interval: None,
        share: block.entry.share,
        unknown: 0,
        determined: true,
    });
    lines.collect()
}

/// Package of a block's class; `(default)` without one.
fn package(block: &BlockAccount) -> &str {
    block.class.rsplit_once('.').map_or("(default)", |(package, _)| package)
}

fn grouped(
    blocks: &[BlockAccount],
    whole: Femtojoules,
    key: impl Fn(&BlockAccount) -> &str,
) -> Vec<AccountEntry<String>> {
    let mut groups: BTreeMap<&str, (u64, Femtojoules)> = BTreeMap::new();
    for block in blocks {
        let sum = groups.entry(key(block)).or_default();
        sum.0 = sum.0.saturating_add(block.entry.executions);
        sum.1 += block.entry.energy;
    }
    let mut entries: Vec<AccountEntry<String>> = groups
        .into_iter()
        .map(|(name, (executions, energy))| entry(name.to_string(), executions, energy, whole))
        .collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.energy));
    entries
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::{CycleRow, JvmDescription, JvmRow, ProcessRow, ThreadRow};
    use super::*;

    pub(in super::super) fn fj(joules: f64) -> Femtojoules {
        Femtojoules::from_joules(Joules(joules))
    }

    /// Two cycles of 10 J: 6 J are a JVM's, of which its two methods have 5.
    pub(in super::super) fn recording() -> Recording {
        let mut recording = Recording::default();
        recording.about.cycles = 2;
        recording.about.duration_s = 2.0;
        recording.about.jvm = Some(JvmDescription { pid: 7, ..JvmDescription::default() });
        for cycle in 1..=2 {
            recording.cycles.push(CycleRow {
                cycle,
                start_s: cycle as f64,
                end_s: cycle as f64 + 1.0,
                part: "cpu".into(),
                formula: "design-power".into(),
                basis: "estimated".into(),
                energy_j: fj(10.0),
                unattributed_j: fj(1.0),
            });
            for (pid, joules) in [(7, 6.0), (8, 3.0)] {
                recording.processes.push(ProcessRow {
                    cycle,
                    pid,
                    start_ticks: 1,
                    name: format!("p{pid}"),
                    cpu_s: joules / 10.0,
                    share_active: joules / 9.0,
                    share_capacity: joules / 10.0,
                    cpu_j: fj(joules),
                    network_j: None,
                });
            }
            for (thread, joules, not_sampled) in [(5, 5.25, 0.0), (1 << 62, 0.25, 0.25)] {
                recording.threads.push(ThreadRow {
                    cycle,
                    pid: 7,
                    thread,
                    name: format!("pool-{thread}"),
                    cpu_s: Some(joules / 10.0),
                    energy_j: fj(joules),
                    literal_w: None,
                    not_sampled_j: fj(not_sampled),
                });
            }
            let (cpu_j, duration_s, cpu_s) = (fj(6.0), 1.0, 0.6);
            recording.jvm.push(JvmRow { cycle, pid: 7, duration_s, cpu_s, cpu_j, network_j: None });
            for (line, class, joules) in [(3, "a.A", 4.0), (9, "a.B", 1.0)] {
                recording.methods.push(MethodRow {
                    cycle,
                    thread: 5,
                    class: class.into(),
                    method: "x(int)".into(),
                    file: "a/A.java".into(),
                    first_line: line,
                    last_line: line + 1,
                    calls: Some(10),
                    samples: None,
                    duration_s: 0.1,
                    waited_s: 0.0,
                    received: 1,
                    sent: 2,
                    cpu_s: 0.1,
                    cpu_j: fj(joules),
                    network_j: None,
                    literal_w: 0.5,
                });
            }
        }
        recording
    }

    #[test]
    fn every_level_adds_up_exactly() {
        let sums = sum_recording(&recording());
        assert_eq!((sums.total, sums.unattributed, sums.jvm), (fj(20.0), fj(2.0), Some(fj(12.0))));
        let rests = sums.rests().map(|(_, energy)| energy);
        assert_eq!(rests, [fj(0.5), fj(0.5), fj(1.0)], "they hold what methods do not");
        let by_thread = sums.rests_by_thread();
        assert_eq!(by_thread[1], ("not sampled: pool-#".to_owned(), fj(0.5)));
        assert_eq!(by_thread.iter().map(|(_, energy)| *energy).sum::<Femtojoules>(), fj(2.0));
        let accounts = accounts_of(&sums);
        assert!(accounts.ledger.adds_up());
        assert_eq!(accounts.explained_energy(), fj(10.0));
        for level in [
            accounts.methods.iter().map(|entry| entry.energy).sum::<Femtojoules>(),
            accounts.classes.iter().map(|entry| entry.energy).sum(),
            accounts.blocks.iter().map(|block| block.entry.energy).sum(),
        ] {
            assert_eq!(level, accounts.explained_energy());
        }
        assert_eq!(
            (accounts.blocks[0].name.as_str(), accounts.blocks[0].entry.executions),
            ("A.x(int)", 20)
        );
    }

    #[test]
    fn without_a_jvm_the_processes_are_the_account() {
        let mut recording = recording();
        recording.about.jvm = None;
        recording.methods.clear();
        let accounts = accounts_of(&sum_recording(&recording));
        assert!(accounts.ledger.adds_up());
        assert_eq!(accounts.blocks.len(), 2);
        assert_eq!(accounts.ledger.energy(LedgerEntry::Idle), fj(2.0));
    }
}
