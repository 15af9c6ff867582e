//! Android's sampler of methods, which samples a process's stack at an interval of the board's
//! clock: samples in busy time are drawn as for `simpleperf`, in the time between the thread
//! sleeps.

use std::path::PathBuf;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

use super::recording::ClockInterval;
use super::tick_sampling::{ApplicationWork, WorkDistribution};
use super::trace_file::{TraceAction, TraceFile, TraceTimes, Vm};
use crate::board_state::BoardState;
use crate::simulated_model::{CallFrame, ExecutedCode, MethodName};

/// Number and name of the one thread that the simulated energy model knows.
const MAIN_THREAD: (u16, &str) = (1, "main");

/// Delay of the end of a sleep in nanoseconds: the default slack of Linux's timers.
const SLEEP_DELAY_NS: u64 = 50_000;

/// Application's request for method sampling: file, buffer and interval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TraceRequest {
    pub path: PathBuf,
    pub buffer_bytes: usize,
    pub interval_us: u64,
}

/// Running method sampler of a process.
pub(crate) struct MethodSampler {
    wanted: TraceRequest,
    vm: Vm,
    file: TraceFile,
    start_ns: u64,
    /// Nanoseconds between two samples.
    period_ns: u64,
    /// Time of the next sample in nanoseconds since boot.
    next_ns: u64,
    /// CPU time of the thread since the start, in nanoseconds.
    own_ns: f64,
    /// CPU time of the thread at the first sample, where Android's count begins.
    first_own_ns: Option<f64>,
    /// Stack of the last sample, the outermost method first.
    stack: Vec<usize>,
    generator: ChaCha8Rng,
}

/// Time, VM and seed with which a method sampler starts.
pub(super) struct SamplerStart<'a> {
    pub vm: Vm,
    pub now_ns: u64,
    pub epoch_us: u64,
    /// The board's seed and the session's label.
    pub seed: (u64, &'a str),
}

impl MethodSampler {
    /// Starts a sampler; Dalvik takes its first sample at once, ART after the first interval.
    pub(super) fn new(wanted: TraceRequest, beginning: &SamplerStart<'_>) -> Self {
        let SamplerStart { vm, now_ns, epoch_us, seed: (seed, label) } = *beginning;
        let seed = Sha256::new()
            .chain_update(b"methods")
            .chain_update(seed.to_le_bytes())
            .chain_update(now_ns.to_le_bytes())
            .chain_update(label.as_bytes())
            .finalize();
        let period_ns = wanted.interval_us * 1000 + SLEEP_DELAY_NS;
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

    /// Takes the samples of the sleep before an interval and of the code executed in it; `frames`
    /// gives the frames of executed code.
    pub(crate) fn sample_interval(
        &mut self,
        interval: &ClockInterval,
        frames: impl Fn(ExecutedCode) -> Vec<CallFrame>,
    ) {
        self.sample_sleep_until(interval.from_ns);
        let lots = WorkDistribution::new(&interval.spent);
        let own_share = thread_share(interval);
        let end_ns = interval.from_ns + interval.busy_ns;
        while self.next_ns < end_ns {
            let passed_ns = (self.next_ns - interval.from_ns) as f64;
            let found = match lots.draw(&mut self.generator) {
                Some(
                    ApplicationWork::Code(ExecutedCode::Compiler) | ApplicationWork::Collector,
                )
                | None => None,
                Some(ApplicationWork::Log) => Some(vec![log_method()]),
                Some(ApplicationWork::Code(code)) => {
                    Some(frames(code).into_iter().rev().map(|frame| frame.method).collect())
                }
            };
            self.add_sample(found, self.own_ns + passed_ns * own_share);
        }
        self.own_ns += interval.busy_ns as f64 * own_share;
    }

    /// Ends sampling and writes the trace file. One that cannot be written stays empty, which the
    /// process sees.
    pub(crate) fn finish_and_write(self, board: &BoardState) {
        let path = self.wanted.path.clone();
        let bytes = self.into_trace_bytes(board.clock.now_ns());
        let whole = if board.cuts_traces() { bytes.len() / 2 } else { bytes.len() };
        // No process writes elsewhere than in the board's folder.
        if let Ok(inside) = path.strip_prefix(board.root())
            && !board.is_disk_full()
        {
            board.folder.write(&inside.to_string_lossy(), &bytes[..whole]).ok();
        }
    }

    /// Ends sampling and returns the bytes of the trace file.
    fn into_trace_bytes(mut self, now_ns: u64) -> Vec<u8> {
        self.sample_sleep_until(now_ns);
        self.file.to_bytes((now_ns - self.start_ns) / 1000, &[MAIN_THREAD])
    }

    /// Takes the samples of a sleep that lasts until a time.
    fn sample_sleep_until(&mut self, until_ns: u64) {
        while self.next_ns < until_ns {
            self.add_sample(Some(sleep_stack(self.vm)), self.own_ns);
        }
    }

    /// Records how the stack has changed since the last sample. While another thread has the
    /// processor (`None`), the stack stays as it was.
    fn add_sample(&mut self, found: Option<Vec<MethodName>>, own_ns: f64) {
        let first_own_ns = *self.first_own_ns.get_or_insert(own_ns);
        let times = TraceTimes {
            thread_us: ((own_ns - first_own_ns) / 1000.0) as u32,
            wall_us: ((self.next_ns - self.start_ns) / 1000) as u32,
        };
        self.next_ns += self.period_ns;
        let Some(found) = found else { return };
        let found: Vec<usize> =
            found.iter().map(|method| self.file.method_number(method)).collect();
        let same = self.stack.iter().zip(&found).take_while(|(old, new)| old == new).count();
        for left in self.stack.drain(same..).rev() {
            self.file.add_record(MAIN_THREAD.0, left, TraceAction::Exit, times);
        }
        for entered in &found[same..] {
            self.file.add_record(MAIN_THREAD.0, *entered, TraceAction::Enter, times);
        }
        self.stack = found;
    }
}

/// Part of an interval's time that the application's own thread had.
fn thread_share(interval: &ClockInterval) -> f64 {
    let is_own = |work: ApplicationWork| {
        !matches!(work, ApplicationWork::Code(ExecutedCode::Compiler) | ApplicationWork::Collector)
    };
    let all: f64 = interval.spent.iter().map(|part| part.energy_j).sum();
    let own = interval.spent.iter().filter(|part| is_own(part.work));
    let own: f64 = own.map(|part| part.energy_j).sum();
    if all > 0.0 { own / all } else { 0.0 }
}

/// Name of a method of the library.
fn library_method(class: &str, name: &str, descriptor: &str) -> MethodName {
    MethodName { class: class.into(), name: name.into(), descriptor: descriptor.into() }
}

/// Method in which a thread writes to the log.
fn log_method() -> MethodName {
    let descriptor = "(IILjava/lang/String;Ljava/lang/String;)I";
    library_method("android.util.Log", "println_native", descriptor)
}

/// Methods of the library in which a thread sleeps, the native one last.
fn sleep_stack(vm: Vm) -> Vec<MethodName> {
    let of_thread = |descriptor| library_method("java.lang.Thread", "sleep", descriptor);
    match vm {
        Vm::Dalvik => {
            vec![of_thread("(JI)V"), library_method("java.lang.VMThread", "sleep", "(JI)V")]
        }
        Vm::Art => vec![of_thread("(JI)V"), of_thread("(Ljava/lang/Object;JI)V")],
    }
}

#[cfg(test)]
mod tests {
    use super::super::tick_sampling::SampledShare;
    use super::*;
    use crate::simulated_model::CodeOrigin;

    fn sampler(vm: Vm) -> MethodSampler {
        let path = "trace".into();
        let wanted = TraceRequest { path, buffer_bytes: 1 << 20, interval_us: 10_000 };
        let beginning = SamplerStart { vm, now_ns: 1_000, epoch_us: 5, seed: (1, "one") };
        MethodSampler::new(wanted, &beginning)
    }

    fn frames(_: ExecutedCode) -> Vec<CallFrame> {
        let frame = |class: &str, name: &str| CallFrame {
            symbol: String::new(),
            method: library_method(class, name, "()V"),
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
        sampler.sample_interval(&reading(1_000, 25_000_000, own), frames);
        sampler
            .sample_interval(&reading(45_001_000, 5_000_000, ApplicationWork::Collector), frames);
        sampler.sample_interval(&reading(50_001_000, 5_000_000, own), frames);
        let bytes = sampler.into_trace_bytes(60_001_000);
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
        sampler.sample_interval(&reading(1_000, 15_000_000, ApplicationWork::Log), frames);
        let bytes = sampler.into_trace_bytes(16_000_000);
        assert_eq!(rows(&bytes), [[0, 0, 0, 10_050]]);
    }
}
