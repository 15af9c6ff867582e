//! Samples of a recording, with the files, symbols and threads that they name.

use std::collections::BTreeMap;

use super::recording_request::RecordedApplication;
use super::report::{
    CallChainEntry, ExecutionType, RecordData, ReportFile, ReportRecord, ReportSample, ReportThread,
};
use super::tick_sampling::ApplicationWork;
use crate::simulated_model::{CallFrame, CodeOrigin, ExecutedCode};

/// Thread of a process that a sample belongs to. The simulated energy model does not know threads:
/// the application's code counts as the main thread's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ProcessPart {
    Main,
    Compiler,
    Collector,
}

/// Samples of a recording, with the tables of files and threads.
#[derive(Debug)]
pub(super) struct CollectedSamples {
    application: RecordedApplication,
    files: Vec<FileSymbols>,
    file_ids: BTreeMap<String, usize>,
    threads: BTreeMap<ProcessPart, u32>,
    samples: Vec<ReportSample>,
}

/// Symbols of a file that samples name.
#[derive(Debug, Default)]
struct FileSymbols {
    path: String,
    names: Vec<String>,
    ids: BTreeMap<String, usize>,
}

/// Constant frame of native code.
struct NativeFrame {
    file: &'static str,
    symbol: &'static str,
}

/// Frame of ART's compiler.
const COMPILER_FRAME: NativeFrame = NativeFrame {
    file: "/apex/com.android.art/lib64/libart.so",
    symbol: "art::jit::Jit::CompileMethod(art::ArtMethod*, art::Thread*, art::CompilationKind, bool)",
};
/// Frame of ART's garbage collector.
const COLLECTOR_FRAME: NativeFrame = NativeFrame {
    file: "/apex/com.android.art/lib64/libart.so",
    symbol: "art::gc::collector::ConcurrentCopying::RunPhases()",
};
/// Frame of the log library.
const LOG_FRAME: NativeFrame =
    NativeFrame { file: "/system/lib64/liblog.so", symbol: "__android_log_write_log_message" };

/// Address of all native frames, whose real one is unknown.
const NATIVE_ADDRESS: u64 = 0x1000;

/// Largest number of characters in a thread's name; of a longer one Android keeps the last.
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

    /// Adds a sample of some work at a time, with the frames of its code, the innermost first.
    pub fn add(
        &mut self,
        work: ApplicationWork,
        frames: Vec<CallFrame>,
        time_ns: u64,
        event_count: u64,
    ) {
        let (part, callchain) = match work {
            ApplicationWork::Code(ExecutedCode::Compiler) => {
                (ProcessPart::Compiler, vec![self.native_entry(&COMPILER_FRAME)])
            }
            ApplicationWork::Collector => {
                (ProcessPart::Collector, vec![self.native_entry(&COLLECTOR_FRAME)])
            }
            ApplicationWork::Log => (ProcessPart::Main, vec![self.native_entry(&LOG_FRAME)]),
            ApplicationWork::Code(_) => (
                ProcessPart::Main,
                frames.into_iter().map(|frame| self.frame_entry(frame)).collect(),
            ),
        };
        let thread_id = self.thread_number(part);
        self.samples.push(ReportSample {
            time: Some(time_ns),
            thread_id: i32::try_from(thread_id).ok(),
            callchain,
            event_count: Some(event_count),
            event_type_id: Some(0),
        });
    }

    /// Samples up to a time in nanoseconds since boot.
    pub(crate) fn samples_until(&self, until_ns: u64) -> impl Iterator<Item = &ReportSample> {
        self.samples.iter().filter(move |sample| sample.time.is_some_and(|time| time <= until_ns))
    }

    /// Records of the files, then of the threads.
    pub fn name_records(&self) -> Vec<ReportRecord> {
        let file = |(id, symbols): (usize, &FileSymbols)| {
            RecordData::File(ReportFile {
                id: u32::try_from(id).ok(),
                path: Some(symbols.path.clone()),
                symbol: symbols.names.clone(),
                mangled_symbol: symbols.names.clone(),
            })
        };
        let thread = |(part, thread_id): (&ProcessPart, &u32)| {
            RecordData::Thread(ReportThread {
                thread_id: Some(*thread_id),
                process_id: Some(self.application.pid),
                thread_name: Some(self.thread_name(*part)),
            })
        };
        let files = self.files.iter().enumerate().map(file);
        files.chain(self.threads.iter().map(thread)).map(ReportRecord::from).collect()
    }

    /// Thread number of a part: that of the process for the main thread, the following ones for the
    /// others.
    fn thread_number(&mut self, part: ProcessPart) -> u32 {
        let offset = match part {
            ProcessPart::Main => 0,
            ProcessPart::Compiler => 1,
            ProcessPart::Collector => 2,
        };
        *self.threads.entry(part).or_insert(self.application.pid + offset)
    }

    /// Name of a part's thread.
    fn thread_name(&self, part: ProcessPart) -> String {
        match part {
            ProcessPart::Main => package_thread_name(&self.application.package).to_owned(),
            ProcessPart::Compiler => "Jit thread pool".to_owned(),
            ProcessPart::Collector => "HeapTaskDaemon".to_owned(),
        }
    }

    /// Call chain entry of a native frame.
    fn native_entry(&mut self, native: &NativeFrame) -> CallChainEntry {
        let place = (native.file.to_owned(), native.symbol.to_owned());
        self.symbol_entry(place, NATIVE_ADDRESS, ExecutionType::Native)
    }

    /// Call chain entry of a frame.
    fn frame_entry(&mut self, frame: CallFrame) -> CallChainEntry {
        let execution = match frame.origin {
            CodeOrigin::Ahead | CodeOrigin::Library => ExecutionType::Native,
            CodeOrigin::Jit => ExecutionType::Jit,
            CodeOrigin::Dex => ExecutionType::Interpreted,
        };
        let path = file_path(&self.application.package, &frame);
        self.symbol_entry((path, frame.symbol), frame.address, execution)
    }

    /// Call chain entry of a symbol at an address in a file.
    fn symbol_entry(
        &mut self,
        (path, symbol): (String, String),
        address: u64,
        execution: ExecutionType,
    ) -> CallChainEntry {
        let files = &mut self.files;
        let file = *self.file_ids.entry(path.clone()).or_insert_with(|| {
            files.push(FileSymbols { path, ..FileSymbols::default() });
            files.len() - 1
        });
        CallChainEntry {
            vaddr_in_file: Some(address),
            file_id: u32::try_from(file).ok(),
            symbol_id: i32::try_from(self.files[file].symbol_index(symbol)).ok(),
            execution_type: Some(execution.into()),
        }
    }
}

impl FileSymbols {
    /// Index of a symbol, added if it is new.
    fn symbol_index(&mut self, name: String) -> usize {
        let names = &mut self.names;
        *self.ids.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            names.len() - 1
        })
    }
}

/// Path of the file with a frame's code, as simpleperf names it.
fn file_path(package: &str, frame: &CallFrame) -> String {
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

/// Last characters of a package's name, as its thread is named.
fn package_thread_name(name: &str) -> &str {
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
        let names = profile.name_records();
        assert_eq!(names.len(), 4 + 3);
        let threads: Vec<String> = names.iter().filter_map(thread_name).collect();
        assert_eq!(threads, ["ple.application", "Jit thread pool", "HeapTaskDaemon"]);
    }

    fn thread_name(record: &ReportRecord) -> Option<String> {
        match &record.data {
            Some(RecordData::Thread(thread)) => thread.thread_name.clone(),
            _ => None,
        }
    }
}
