//! Android's sampler of methods, which looks at a process's threads at an interval of the
//! board's clock: what it finds in the busy time is drawn as for `simpleperf`, in the time
//! between the thread sleeps.

use std::path::PathBuf;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

use super::draw::{ApplicationWork, Lots};
use super::recording::ClockInterval;
use super::trace_file::{TraceAction, TraceFile, TraceTimes, Vm};
use crate::board_state::BoardState;
use crate::simulated_model::{CallFrame, ExecutedCode, MethodName};

/// The number and name of the one thread that the chip knows.
const MAIN: (u16, &str) = (1, "main");

/// How late a sleep ends: the slack of Linux's timers, where nobody sets another.
const LATE_NS: u64 = 50_000;

/// What an application asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WantedTrace {
    pub path: PathBuf,
    pub buffer_bytes: usize,
    pub interval_us: u64,
}

/// The sampler of a process while it runs.
pub(crate) struct MethodSampler {
    wanted: WantedTrace,
    vm: Vm,
    file: TraceFile,
    start_ns: u64,
    /// From a look to the next.
    period_ns: u64,
    /// Of the next look.
    next_ns: u64,
    /// The thread's own, of all that was executed since the start.
    own_ns: f64,
    /// The thread's own at the first look, where Android's count begins.
    first_own_ns: Option<f64>,
    /// What the last look found, the outermost method first.
    stack: Vec<usize>,
    generator: ChaCha8Rng,
}

/// Under which circumstances a sampler begins.
pub(super) struct SamplerStart<'a> {
    pub vm: Vm,
    pub now_ns: u64,
    pub epoch_us: u64,
    /// The board's seed, and the session's label.
    pub seed: (u64, &'a str),
}

impl MethodSampler {
    /// Dalvik looks at once, ART when the interval has passed.
    pub(super) fn new(wanted: WantedTrace, beginning: &SamplerStart<'_>) -> Self {
        let SamplerStart { vm, now_ns, epoch_us, seed: (seed, label) } = *beginning;
        let seed = Sha256::new()
            .chain_update(b"methods")
            .chain_update(seed.to_le_bytes())
            .chain_update(now_ns.to_le_bytes())
            .chain_update(label.as_bytes())
            .finalize();
        let period_ns = wanted.interval_us * 1000 + LATE_NS;
        Self {
            vm,
            file: TraceFile::new(vm, epoch_us, wanted.buffer_bytes),
            start_ns: now_ns,
            period_ns,
            next_ns: if vm == Vm::Dalvik { now_ns } else { now_ns + period_ns },
            own_ns: 0.0,
            first_own_ns: None,
            stack: Vec::new(),
            generator: ChaCha8Rng::from_seed(seed.into()),
            wanted,
        }
    }

    /// Looks at what was executed, and at the sleep before it; `frames` are those of a code.
    pub(crate) fn take(
        &mut self,
        interval: &ClockInterval,
        frames: impl Fn(ExecutedCode) -> Vec<CallFrame>,
    ) {
        self.sleep_until(interval.from_ns);
        let lots = Lots::of(&interval.spent);
        let own_share = own_share(interval);
        let end_ns = interval.from_ns + interval.busy_ns;
        while self.next_ns < end_ns {
            let passed_ns = (self.next_ns - interval.from_ns) as f64;
            let found = match lots.draw(&mut self.generator) {
                Some(
                    ApplicationWork::Code(ExecutedCode::Compiler) | ApplicationWork::Collector,
                )
                | None => None,
                Some(ApplicationWork::Log) => Some(vec![log()]),
                Some(ApplicationWork::Code(code)) => {
                    Some(frames(code).into_iter().rev().map(|frame| frame.method).collect())
                }
            };
            self.look(found, self.own_ns + passed_ns * own_share);
        }
        self.own_ns += interval.busy_ns as f64 * own_share;
    }

    /// Ends it and writes its file. One that can't be written stays empty, which the process
    /// sees.
    pub(crate) fn write(self, board: &BoardState) {
        let path = self.wanted.path.clone();
        let bytes = self.finish(board.clock.now_ns());
        let whole = if board.cuts_traces() { bytes.len() / 2 } else { bytes.len() };
        // No process writes elsewhere than in the board's folder.
        if let Ok(inside) = path.strip_prefix(board.root())
            && !board.is_disk_full()
        {
            board.folder.write(&inside.to_string_lossy(), &bytes[..whole]).ok();
        }
    }

    fn finish(mut self, now_ns: u64) -> Vec<u8> {
        self.sleep_until(now_ns);
        self.file.bytes((now_ns - self.start_ns) / 1000, &[MAIN])
    }

    fn sleep_until(&mut self, until_ns: u64) {
        while self.next_ns < until_ns {
            self.look(Some(sleep(self.vm)), self.own_ns);
        }
    }

    /// Writes what has changed since the last look. While another thread has the processor the
    /// stack stays as it was.
    fn look(&mut self, found: Option<Vec<MethodName>>, own_ns: f64) {
        let first_own_ns = *self.first_own_ns.get_or_insert(own_ns);
        let times = TraceTimes {
            thread_us: ((own_ns - first_own_ns) / 1000.0) as u32,
            wall_us: ((self.next_ns - self.start_ns) / 1000) as u32,
        };
        self.next_ns += self.period_ns;
        let Some(found) = found else { return };
        let found: Vec<usize> = found.iter().map(|method| self.file.number(method)).collect();
        let same = self.stack.iter().zip(&found).take_while(|(old, new)| old == new).count();
        for left in self.stack.drain(same..).rev() {
            self.file.add(MAIN.0, left, TraceAction::Exit, times);
        }
        for entered in &found[same..] {
            self.file.add(MAIN.0, *entered, TraceAction::Enter, times);
        }
        self.stack = found;
    }
}

/// The part of a reading's time that the application's own thread had.
fn own_share(interval: &ClockInterval) -> f64 {
    let is_own = |work: ApplicationWork| {
        !matches!(work, ApplicationWork::Code(ExecutedCode::Compiler) | ApplicationWork::Collector)
    };
    let all: f64 = interval.spent.iter().map(|part| part.energy_j).sum();
    let own = interval.spent.iter().filter(|part| is_own(part.work));
    let own: f64 = own.map(|part| part.energy_j).sum();
    if all > 0.0 { own / all } else { 0.0 }
}

fn method(class: &str, name: &str, descriptor: &str) -> MethodName {
    MethodName { class: class.into(), name: name.into(), descriptor: descriptor.into() }
}

fn log() -> MethodName {
    let descriptor = "(IILjava/lang/String;Ljava/lang/String;)I";
    method("android.util.Log", "println_native", descriptor)
}

/// The methods of the library that a thread sleeps in, the native one last.
fn sleep(vm: Vm) -> Vec<MethodName> {
    let of_thread = |descriptor| method("java.lang.Thread", "sleep", descriptor);
    match vm {
        Vm::Dalvik => vec![of_thread("(JI)V"), method("java.lang.VMThread", "sleep", "(JI)V")],
        Vm::Art => vec![of_thread("(JI)V"), of_thread("(Ljava/lang/Object;JI)V")],
    }
}

#[cfg(test)]
mod tests {
    use super::super::draw::SampledShare;
    use super::*;
    use crate::simulated_model::CodeOrigin;

    fn sampler(vm: Vm) -> MethodSampler {
        let path = "trace".into();
        let wanted = WantedTrace { path, buffer_bytes: 1 << 20, interval_us: 10_000 };
        let beginning = SamplerStart { vm, now_ns: 1_000, epoch_us: 5, seed: (1, "one") };
        MethodSampler::new(wanted, &beginning)
    }

    fn frames(_: ExecutedCode) -> Vec<CallFrame> {
        let frame = |class: &str, name: &str| CallFrame {
            symbol: String::new(),
            method: method(class, name, "()V"),
            origin: CodeOrigin::Ahead,
            address: 0,
        };
        vec![frame("java.lang.Math", "sin"), frame("a.B", "run")]
    }

    fn reading(from_ns: u64, busy_ns: u64, work: ApplicationWork) -> ClockInterval {
        ClockInterval { from_ns, busy_ns, spent: vec![SampledShare { work, energy_j: 1.0 }] }
    }

    /// Thread, method, whether it is left, and both times, as numbers.
    fn rows(bytes: &[u8]) -> Vec<[u32; 4]> {
        let at = bytes.windows(4).position(|part| part == b"SLOW").unwrap() + 32;
        let word = |part: &[u8]| u32::from_le_bytes(*part.first_chunk().unwrap());
        let row = |row: &[u8]| {
            let method = word(&row[2..]);
            [(method - 0x6a10_4b08) / 0x38, method & 3, word(&row[6..]), word(&row[10..])]
        };
        bytes[at..].chunks_exact(14).map(row).collect()
    }

    #[test]
    fn looks_write_what_has_changed() {
        let mut sampler = sampler(Vm::Dalvik);
        let own = ApplicationWork::Code(ExecutedCode::Own { counter: 0 });
        sampler.take(&reading(1_000, 25_000_000, own), frames);
        sampler.take(&reading(45_001_000, 5_000_000, ApplicationWork::Collector), frames);
        sampler.take(&reading(50_001_000, 5_000_000, own), frames);
        let bytes = sampler.finish(60_001_000);
        // Busy at 0, 10.05 and 20.1 ms, asleep at 30.15 and 40.2, busy at 50.25.
        let expected = [
            [0, 0, 0, 0],
            [1, 0, 0, 0],
            [1, 1, 25_000, 30_150],
            [0, 1, 25_000, 30_150],
            [2, 0, 25_000, 30_150],
            [3, 0, 25_000, 30_150],
            [3, 1, 25_250, 50_250],
            [2, 1, 25_250, 50_250],
            [0, 0, 25_250, 50_250],
            [1, 0, 25_250, 50_250],
        ];
        assert_eq!(rows(&bytes), expected);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(text.contains("\ta.B\trun\t") && text.contains("VMThread\tsleep"), "{text}");
    }

    #[test]
    fn art_waits_before_it_looks() {
        let mut sampler = sampler(Vm::Art);
        sampler.take(&reading(1_000, 15_000_000, ApplicationWork::Log), frames);
        let bytes = sampler.finish(16_000_000);
        assert_eq!(rows(&bytes), [[0, 0, 0, 10_050]]);
    }
}
