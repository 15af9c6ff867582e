//! Trace file of Android's method tracer, as Dalvik's `vm/Profile.cpp` and ART's `runtime/trace.cc`
//! write it with both clocks: a text, then records in little-endian order.

use std::collections::BTreeMap;

use crate::simulated_model::MethodName;

/// First bytes of the binary part.
const MAGIC: &[u8; 4] = b"SLOW";
/// Format version of records with thread time and wall time.
const VERSION: u16 = 3;
/// Bytes before the records in the binary part.
const HEADER_BYTES: usize = 32;
/// Bytes of a record.
const RECORD_BYTES: usize = 14;
/// Address of the first method, and the distance from one to the next: the records name methods by
/// their addresses, whose last two bits are free.
const FIRST_METHOD: u32 = 0x6a10_4b08;
const METHOD_BYTES: u32 = 0x38;

/// Virtual machine that writes the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vm {
    /// Up to Android 4.4.
    Dalvik,
    /// From Android 5.0 on.
    Art,
}

impl Vm {
    /// VM of an API level.
    pub fn of(level: u32) -> Self {
        if level < 21 { Self::Dalvik } else { Self::Art }
    }
}

/// Event of a record: a method was entered or left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TraceAction {
    Enter = 0,
    Exit = 1,
}

/// Thread time since the thread was first seen and wall time since the start, in microseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TraceTimes {
    pub thread_us: u32,
    pub wall_us: u32,
}

/// Records of a trace in their buffer, with the methods that they name.
#[derive(Debug)]
pub(super) struct TraceFile {
    vm: Vm,
    start_epoch_us: u64,
    buffer_bytes: usize,
    records: Vec<u8>,
    has_overflowed: bool,
    methods: Vec<MethodName>,
    numbers: BTreeMap<MethodName, usize>,
}

impl TraceFile {
    pub fn new(vm: Vm, start_epoch_us: u64, buffer_bytes: usize) -> Self {
        let (records, methods, numbers) = Default::default();
        Self { vm, start_epoch_us, buffer_bytes, records, has_overflowed: false, methods, numbers }
    }

    /// Number of a method in the trace, added if it is new.
    pub fn method_number(&mut self, method: &MethodName) -> usize {
        if let Some(number) = self.numbers.get(method) {
            return *number;
        }
        let number = self.methods.len();
        self.numbers.insert(method.clone(), number);
        self.methods.push(method.clone());
        number
    }

    /// Adds a record, if there is still room in the buffer.
    pub fn add_record(
        &mut self,
        thread: u16,
        method: usize,
        action: TraceAction,
        times: TraceTimes,
    ) {
        if HEADER_BYTES + self.records.len() + RECORD_BYTES > self.buffer_bytes {
            self.has_overflowed = true;
            return;
        }
        self.records.extend(thread.to_le_bytes());
        self.records.extend((method_address(method) | action as u32).to_le_bytes());
        self.records.extend(times.thread_us.to_le_bytes());
        self.records.extend(times.wall_us.to_le_bytes());
    }

    /// Bytes of the whole file; `threads` are their numbers and names.
    pub fn to_bytes(&self, elapsed_us: u64, threads: &[(u16, &str)]) -> Vec<u8> {
        let mut bytes = self.header_text(elapsed_us, threads).into_bytes();
        let mut header = [0; HEADER_BYTES];
        header[..4].copy_from_slice(MAGIC);
        header[4..6].copy_from_slice(&VERSION.to_le_bytes());
        header[6..8].copy_from_slice(&(HEADER_BYTES as u16).to_le_bytes());
        header[8..16].copy_from_slice(&self.start_epoch_us.to_le_bytes());
        header[16..18].copy_from_slice(&(RECORD_BYTES as u16).to_le_bytes());
        bytes.extend(header);
        bytes.extend(&self.records);
        bytes
    }

    /// Text part of the file: clock, times, threads and methods.
    fn header_text(&self, elapsed_us: u64, threads: &[(u16, &str)]) -> String {
        let vm = match self.vm {
            Vm::Dalvik => "dalvik",
            Vm::Art => "art",
        };
        let mut text = format!(
            "*version\n{VERSION}\ndata-file-overflow={}\nclock=dual\nelapsed-time-usec={elapsed_us}\n\
             num-method-calls={}\nclock-call-overhead-nsec=1042\nvm={vm}\n*threads\n",
            self.has_overflowed,
            self.records.len() / RECORD_BYTES
        );
        for (number, name) in threads {
            text += &format!("{number}\t{name}\n");
        }
        text += "*methods\n";
        for (number, method) in self.methods.iter().enumerate() {
            text += &self.method_line(number, method);
        }
        text + "*end\n"
    }

    /// Line of a method in the text part. Only Dalvik writes a line number, that of the method's
    /// begin, which is unknown here.
    fn method_line(&self, number: usize, method: &MethodName) -> String {
        let MethodName { class, name, descriptor } = method;
        let outer = class.split('$').next().unwrap_or(class);
        let file = format!("{}.java", outer.rsplit('.').next().unwrap_or(outer));
        let line = if self.vm == Vm::Dalvik { "\t-1" } else { "" };
        format!("0x{:08x}\t{class}\t{name}\t{descriptor}\t{file}{line}\n", method_address(number))
    }
}

/// Address of a method by its number.
fn method_address(number: usize) -> u32 {
    let number = u32::try_from(number).expect("an application has fewer methods than bytes");
    FIRST_METHOD.wrapping_add(METHOD_BYTES.wrapping_mul(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(name: &str) -> MethodName {
        MethodName { class: "a.B$C".into(), name: name.into(), descriptor: "()V".into() }
    }

    /// By hand from AOSP's comment on the format.
    #[test]
    fn the_bytes_are_those_of_the_real_format() {
        let mut file = TraceFile::new(Vm::Dalvik, 0x0102_0304_0506_0708, 1024);
        let run = file.method_number(&method("run"));
        assert_eq!(file.method_number(&method("run")), run);
        file.add_record(1, run, TraceAction::Enter, TraceTimes { thread_us: 0, wall_us: 0x0a0b });
        file.add_record(1, run, TraceAction::Exit, TraceTimes { thread_us: 7, wall_us: 0x0a0c });
        let bytes = file.to_bytes(20, &[(1, "main")]);
        let text = "*version\n3\ndata-file-overflow=false\nclock=dual\nelapsed-time-usec=20\n\
                    num-method-calls=2\nclock-call-overhead-nsec=1042\nvm=dalvik\n*threads\n1\tmain\n\
                    *methods\n0x6a104b08\ta.B$C\trun\t()V\tB.java\t-1\n*end\n";
        let mut expected = text.as_bytes().to_vec();
        expected.extend(b"SLOW\x03\x00\x20\x00\x08\x07\x06\x05\x04\x03\x02\x01\x0e\x00");
        expected.extend([0; 14]);
        expected.extend(b"\x01\x00\x08\x4b\x10\x6a\x00\x00\x00\x00\x0b\x0a\x00\x00");
        expected.extend(b"\x01\x00\x09\x4b\x10\x6a\x07\x00\x00\x00\x0c\x0a\x00\x00");
        assert_eq!(bytes, expected);
    }

    #[test]
    fn a_full_buffer_is_told() {
        let mut file = TraceFile::new(Vm::Art, 0, HEADER_BYTES + 2 * RECORD_BYTES + 3);
        let run = file.method_number(&method("run"));
        (0..3).for_each(|_| file.add_record(1, run, TraceAction::Enter, TraceTimes::default()));
        let text = String::from_utf8_lossy(&file.to_bytes(0, &[])).into_owned();
        assert!(text.contains("overflow=true\n") && text.contains("calls=2\n"), "{text}");
        assert!(text.contains("\tB.java\n") && text.contains("vm=art"), "{text}");
    }
}
