//! What a recording has collected: samples, and the files, symbols and threads that they name.

use std::collections::BTreeMap;

use super::draw::ApplicationWork;
use super::recording_request::RecordedApplication;
use super::report::{
    CallChainEntry, Data, ExecutionType, ReportFile, ReportRecord, ReportSample, ReportThread,
};
use crate::simulated_model::{CallFrame, CodeOrigin, ExecutedCode};

/// The part of a process that a sample is of. The chip does not know threads: what the
/// application executes is its main thread's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ProcessPart {
    Main,
    Compiler,
    Collector,
}

/// The collected samples.
#[derive(Debug)]
pub(super) struct CollectedSamples {
    application: RecordedApplication,
    files: Vec<Symbols>,
    file_ids: BTreeMap<String, usize>,
    threads: BTreeMap<ProcessPart, u32>,
    samples: Vec<ReportSample>,
}

/// The symbols of a file that samples name.
#[derive(Debug, Default)]
struct Symbols {
    path: String,
    names: Vec<String>,
    ids: BTreeMap<String, usize>,
}

/// A frame of native code that is the same in every sample.
struct Native {
    file: &'static str,
    symbol: &'static str,
}

const COMPILER: Native = Native {
    file: "/apex/com.android.art/lib64/libart.so",
    symbol: "art::jit::Jit::CompileMethod(art::ArtMethod*, art::Thread*, art::CompilationKind, bool)",
};
const COLLECTOR: Native = Native {
    file: "/apex/com.android.art/lib64/libart.so",
    symbol: "art::gc::collector::ConcurrentCopying::RunPhases()",
};
const LOG: Native =
    Native { file: "/system/lib64/liblog.so", symbol: "__android_log_write_log_message" };

/// Where the code of all native frames lies: no more is known of it than its name.
const NATIVE_ADDRESS: u64 = 0x1000;

/// The most characters of a thread's name; of a longer one Android keeps the last.
const THREAD_NAME_MAX: usize = 15;

impl CollectedSamples {
    pub fn new(application: RecordedApplication) -> Self {
        Self {
            application,
            files: Vec::new(),
            file_ids: BTreeMap::new(),
            threads: BTreeMap::new(),
            samples: Vec::new(),
        }
    }

    /// Adds a sample, with these frames of the code, the innermost first.
    pub fn add(
        &mut self,
        work: ApplicationWork,
        frames: Vec<CallFrame>,
        time_ns: u64,
        event_count: u64,
    ) {
        let (part, callchain) = match work {
            ApplicationWork::Code(ExecutedCode::Compiler) => {
                (ProcessPart::Compiler, vec![self.native(&COMPILER)])
            }
            ApplicationWork::Collector => (ProcessPart::Collector, vec![self.native(&COLLECTOR)]),
            ApplicationWork::Log => (ProcessPart::Main, vec![self.native(&LOG)]),
            ApplicationWork::Code(_) => {
                (ProcessPart::Main, frames.into_iter().map(|frame| self.frame(frame)).collect())
            }
        };
        let thread_id = self.thread(part);
        self.samples.push(ReportSample {
            time: Some(time_ns),
            thread_id: i32::try_from(thread_id).ok(),
            callchain,
            event_count: Some(event_count),
            event_type_id: Some(0),
        });
    }

    /// How many samples there are up to a time.
    pub(crate) fn samples_until(&self, until_ns: u64) -> impl Iterator<Item = &ReportSample> {
        self.samples.iter().filter(move |sample| sample.time.is_some_and(|time| time <= until_ns))
    }

    /// The files, then the threads.
    pub fn names(&self) -> Vec<ReportRecord> {
        let file = |(id, symbols): (usize, &Symbols)| {
            Data::File(ReportFile {
                id: u32::try_from(id).ok(),
                path: Some(symbols.path.clone()),
                symbol: symbols.names.clone(),
                mangled_symbol: symbols.names.clone(),
            })
        };
        let thread = |(part, thread_id): (&ProcessPart, &u32)| {
            Data::Thread(ReportThread {
                thread_id: Some(*thread_id),
                process_id: Some(self.application.pid),
                thread_name: Some(self.thread_name(*part)),
            })
        };
        let files = self.files.iter().enumerate().map(file);
        files.chain(self.threads.iter().map(thread)).map(ReportRecord::from).collect()
    }

    /// The main thread has the number of the process, the others those after it.
    fn thread(&mut self, part: ProcessPart) -> u32 {
        let offset = match part {
            ProcessPart::Main => 0,
            ProcessPart::Compiler => 1,
            ProcessPart::Collector => 2,
        };
        *self.threads.entry(part).or_insert(self.application.pid + offset)
    }

    fn thread_name(&self, part: ProcessPart) -> String {
        match part {
            ProcessPart::Main => last_letters(&self.application.package).to_owned(),
            ProcessPart::Compiler => "Jit thread pool".to_owned(),
            ProcessPart::Collector => "HeapTaskDaemon".to_owned(),
        }
    }

    fn native(&mut self, native: &Native) -> CallChainEntry {
        let place = (native.file.to_owned(), native.symbol.to_owned());
        self.entry(place, NATIVE_ADDRESS, ExecutionType::Native)
    }

    fn frame(&mut self, frame: CallFrame) -> CallChainEntry {
        let execution = match frame.origin {
            CodeOrigin::Ahead | CodeOrigin::Library => ExecutionType::Native,
            CodeOrigin::Jit => ExecutionType::Jit,
            CodeOrigin::Dex => ExecutionType::Interpreted,
        };
        let path = path(&self.application.package, &frame);
        self.entry((path, frame.symbol), frame.address, execution)
    }

    fn entry(
        &mut self,
        (path, symbol): (String, String),
        address: u64,
        execution: ExecutionType,
    ) -> CallChainEntry {
        let files = &mut self.files;
        let file = *self.file_ids.entry(path.clone()).or_insert_with(|| {
            files.push(Symbols { path, ..Symbols::default() });
            files.len() - 1
        });
        CallChainEntry {
            vaddr_in_file: Some(address),
            file_id: u32::try_from(file).ok(),
            symbol_id: i32::try_from(self.files[file].id(symbol)).ok(),
            execution_type: Some(execution.into()),
        }
    }
}

impl Symbols {
    fn id(&mut self, name: String) -> usize {
        let names = &mut self.names;
        *self.ids.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            names.len() - 1
        })
    }
}

/// The file in which a frame's code lies, as simpleperf names it.
fn path(package: &str, frame: &CallFrame) -> String {
    match frame.origin {
        CodeOrigin::Ahead => format!("/data/app/{package}/oat/arm64/base.odex"),
        CodeOrigin::Jit => "[JIT app cache]".to_owned(),
        CodeOrigin::Dex => format!("/data/app/{package}.apk"),
        CodeOrigin::Library if frame.symbol.starts_with("android.") => {
            "/system/framework/arm64/boot-framework.oat".to_owned()
        }
        CodeOrigin::Library => "/system/framework/arm64/boot.oat".to_owned(),
    }
}

/// A package's name as that of a thread.
fn last_letters(name: &str) -> &str {
    let start = name.len().saturating_sub(THREAD_NAME_MAX);
    name.get(start..).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated_model::MethodName;

    fn frame(symbol: &str, origin: CodeOrigin) -> CallFrame {
        let method =
            MethodName { class: String::new(), name: symbol.into(), descriptor: String::new() };
        CallFrame { symbol: symbol.into(), method, origin, address: 4 }
    }

    #[test]
    fn samples_name_files_symbols_and_threads() {
        let package = "org.example.application".to_owned();
        let mut profile = CollectedSamples::new(RecordedApplication { pid: 40, package });
        let own = ApplicationWork::Code(ExecutedCode::Own { counter: 3 });
        let chain = |leaf: CallFrame| vec![leaf, frame("org.example.A.m", CodeOrigin::Dex)];
        profile.add(own, chain(frame("java.lang.Math.abs", CodeOrigin::Library)), 5, 1000);
        profile.add(own, chain(frame("android.util.Log.d", CodeOrigin::Library)), 6, 1000);
        profile.add(ApplicationWork::Code(ExecutedCode::Compiler), Vec::new(), 7, 1000);
        profile.add(ApplicationWork::Collector, Vec::new(), 8, 1000);
        assert_eq!(profile.samples_until(7).count(), 3);
        let threads: Vec<_> = profile.samples.iter().map(|sample| sample.thread_id).collect();
        assert_eq!(threads, [40, 40, 41, 42].map(Some));
        let leaf = |at: usize| &profile.samples[at].callchain[0];
        assert_eq!((leaf(0).file_id, leaf(0).symbol_id), (Some(0), Some(0)));
        assert_eq!((leaf(3).file_id, leaf(3).symbol_id), (Some(3), Some(1)), "in libart, too");
        let names = profile.names();
        assert_eq!(names.len(), 4 + 3);
        let threads: Vec<String> = names.iter().filter_map(thread_name).collect();
        assert_eq!(threads, ["ple.application", "Jit thread pool", "HeapTaskDaemon"]);
    }

    fn thread_name(record: &ReportRecord) -> Option<String> {
        match &record.data {
            Some(Data::Thread(thread)) => thread.thread_name.clone(),
            _ => None,
        }
    }
}
