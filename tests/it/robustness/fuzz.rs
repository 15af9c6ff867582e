//! Fuzz targets: sources made from the seeds (`tests/fuzz`, `tests/targets`), and traces of
//! methods, by cutting, doubling, overwriting and joining. Under `cargo test` they run for
//! WATTLINE_FUZZ_SECONDS each (2 if not set), under `cargo bolero` as long as one likes.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use bolero::TypeGenerator;
use wattline::blocks::{Granularity, divide};
use wattline::device::{AdbBoard, Board, CancelFlag, Server, list_boards};
use wattline::instrument::{self, InstrumentOptions, Probe};
use wattline::java::{ClassPath, SourceFile};
use wattline::operations;
use wattline::toolchain::method_trace;

/// What is done to a seed. Numbers are taken modulo what they choose from.
#[derive(Debug, TypeGenerator)]
struct Mutation {
    seed: u8,
    #[generator(bolero::produce::<Vec<Edit>>().with().len(1usize..10))]
    edits: Vec<Edit>,
}

/// A change of bytes.
#[derive(Debug, TypeGenerator)]
pub enum Edit {
    Cut { at: u16, length: u8 },
    EndAt { at: u16 },
    Double { at: u16, length: u8, to: u16 },
    Repeat { at: u16, length: u8, times: u8 },
    Bytes { at: u16, bytes: [u8; 3] },
    Token { at: u16, token: u8 },
    Join { at: u16, seed: u8, from: u16, length: u8 },
}

/// Text that changes what the text around it means.
const TOKENS: [&str; 40] = [
    "{", "}", "(", ")", "[", "]", "->", "?", ":", "<", ">", ">>", "::", ";", ",", "@", ".", "...",
    "\"", "\"\"\"", "'", "\\u007b", "/*", "*/", "//", "case ", "default ", "new ", "else ", "if (",
    "class ", "record ", "yield ", "switch (", "this.", "super.", "int ", "var ", "null", "- ",
];

fn seeds() -> &'static [Vec<u8>] {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        let folders = ["targets", "fuzz"].map(|name| tests.join(name));
        let entries = folders.iter().flat_map(|f| walkdir::WalkDir::new(f).sort_by_file_name());
        let files = entries.map(|entry| entry.unwrap().into_path());
        let sources = files.filter(|path| path.extension().is_some_and(|e| e == "java"));
        sources.map(|path| fs::read(path).unwrap()).collect()
    })
}

impl Mutation {
    fn source(&self) -> String {
        let seeds = seeds();
        let mut bytes = seeds[usize::from(self.seed) % seeds.len()].clone();
        self.edits.iter().for_each(|edit| edit.apply(&mut bytes, seeds));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Edit {
    /// Makes the change; `seeds` are what is joined.
    pub fn apply(&self, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let place = |at: u16| usize::from(at) % (bytes.len() + 1);
        let piece = |at: u16, length: u8| {
            let from = place(at);
            from..(from + usize::from(length)).min(bytes.len())
        };
        match *self {
            Edit::Cut { at, length } => drop(bytes.drain(piece(at, length))),
            Edit::EndAt { at } => bytes.truncate(place(at)),
            Edit::Double { at, length, to } => {
                let (copy, to) = (bytes[piece(at, length)].to_vec(), place(to));
                bytes.splice(to..to, copy);
            }
            Edit::Repeat { at, length, times } => {
                let piece = piece(at, length);
                let copy = bytes[piece.clone()].repeat(usize::from(times));
                bytes.splice(piece, copy);
            }
            Edit::Bytes { at, bytes: new } => drop(bytes.splice(piece(at, 3), new)),
            Edit::Token { at, token } => {
                let token = TOKENS[usize::from(token) % TOKENS.len()];
                let at = place(at);
                bytes.splice(at..at, token.bytes());
            }
            Edit::Join { at, seed, from, length } => {
                let other = &seeds[usize::from(seed) % seeds.len()];
                let from = usize::from(from) % (other.len() + 1);
                let other = other[from..].iter().copied().take(usize::from(length) * 4);
                let at = place(at);
                bytes.splice(at..at, other);
            }
        }
    }
}

/// How long a target runs.
pub fn duration() -> Duration {
    let seconds = std::env::var("WATTLINE_FUZZ_SECONDS").ok().and_then(|value| value.parse().ok());
    Duration::from_secs(seconds.unwrap_or(2))
}

/// Parses, divides and counts; whatever the text, all blocks are in the dictionary, and
/// operations are the same at both granularities if the parser can follow it all.
fn counted(text: &str, classes: &ClassPath) {
    let files = [SourceFile::parse("A.java", text)];
    let totals = [Granularity::Statement, Granularity::Expression].map(|granularity| {
        let blocks = [divide(&files[0], granularity)];
        let dictionary = operations::count(&files, &blocks, classes).dictionary;
        assert_eq!(dictionary.blocks.len(), blocks[0].blocks.len());
        dictionary
            .blocks
            .iter()
            .flat_map(|b| &b.operations)
            .map(|o| u64::from(o.count))
            .sum::<u64>()
    });
    // What the parser can't follow may be an operand, and so no block, at one of them only.
    if !files[0].tree.root_node().has_error() {
        assert_eq!(totals[0], totals[1], "operations at the two granularities");
    }
}

#[test]
fn sources_are_counted_whatever_they_are() {
    let classes = ClassPath::open(&[]).unwrap();
    let target = bolero::check!().with_type::<Mutation>().with_test_time(duration());
    target.for_each(|mutation| counted(&mutation.source(), &classes));
}

#[test]
fn sources_are_instrumented_whatever_they_are() {
    let target = bolero::check!().with_type::<(Mutation, bool)>().with_test_time(duration());
    target.for_each(|(mutation, is_fine)| {
        let files = [SourceFile::parse("A.java", mutation.source())];
        let granularity = if *is_fine { Granularity::Expression } else { Granularity::Statement };
        let blocks = [divide(&files[0], granularity)];
        instrument::removable(&files[0], &blocks[0]);
        let options = InstrumentOptions { probe: Probe::Count, ..InstrumentOptions::default() };
        let done = instrument::instrument(&files, &blocks, &options);
        let lines = |text: &str| text.matches('\n').count();
        assert_eq!(
            lines(&done.files[0].text),
            lines(&files[0].text),
            "statements stay on their lines"
        );
    });
}

/// A trace of a thread that is met twice in a method, first by the first look of all, and sleeps
/// between.
fn trace() -> Vec<u8> {
    let mut trace = b"*version\n3\ndata-file-overflow=false\nclock=dual\nelapsed-time-usec=30000\n\
        num-method-calls=4\nvm=dalvik\n*threads\n1\tmain\n*methods\n\
        0x6a104b08\ta.B\trun\t(ILjava/util/List;)V\tB.java\t7\n\
        0x6a104b40\tjava.lang.VMThread\tsleep\t(JI)V\tVMThread.java\t-2\n*end\n"
        .to_vec();
    trace.extend(b"SLOW\x03\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0e\x00");
    trace.extend([0; 14]);
    let rows = [(0x6a10_4b08_u32, 0), (0x6a10_4b40, 10), (0x6a10_4b41, 20), (0x6a10_4b09, 30)];
    for (method, at_ms) in rows {
        trace.extend(1_u16.to_le_bytes());
        trace.extend(method.to_le_bytes());
        trace.extend([500 * at_ms, 1000 * at_ms].map(u32::to_le_bytes).concat());
    }
    trace
}

/// An adb server, or whoever has its port, may say anything: that is an error, never a panic, and
/// nobody is waited for who has hung up.
#[test]
fn a_hostile_adb_server_is_an_error() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let SocketAddr::V4(address) = listener.local_addr().unwrap() else { panic!("not IPv4") };
    let said: Arc<Mutex<Vec<u8>>> = Arc::default();
    let answer = said.clone();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            connection.read_exact(&mut [0; 4]).ok();
            connection.write_all(&answer.lock().unwrap().clone()).ok();
        }
    });
    let answers: [&[u8]; 3] = [
        b"OKAY0023board1\tdevice model:M\nusb\tno perm\nFAIL0003abc",
        b"OKAYOKAY\x01\x05\x00\x00\x00hello\x03\x01\x00\x00\x00\x00",
        b"OKAYffff\xff\xff\xff\xff",
    ];
    let target = bolero::check!().with_type::<Mutation>().with_test_time(duration());
    target.for_each(|mutation| {
        let mut bytes = answers[usize::from(mutation.seed) % answers.len()].to_vec();
        let others = answers.map(<[u8]>::to_vec);
        mutation.edits.iter().for_each(|edit| edit.apply(&mut bytes, &others));
        *said.lock().unwrap() = bytes;
        let server = Server { address };
        if let Err(error) = list_boards(server) {
            assert!(!error.to_string().is_empty());
        }
        if let Ok(board) = AdbBoard::open(server, "board1", CancelFlag::default()) {
            drop(board.shell("true", Duration::from_secs(5)));
        }
    });
}

/// Whatever the bytes, each line of what is read has its count, and the rest is told.
#[test]
fn traces_of_methods_are_read_whatever_they_are() {
    let interval = Duration::from_millis(10);
    assert!(
        method_trace::collapsed_samples(&trace(), interval)
            .unwrap()
            .contains("a.B.run(ILjava/util/List|)V 1")
    );
    let target = bolero::check!().with_type::<Mutation>().with_test_time(duration());
    target.for_each(|mutation| {
        let mut bytes = trace();
        mutation.edits.iter().for_each(|edit| edit.apply(&mut bytes, &[trace()]));
        match method_trace::collapsed_samples(&bytes, interval) {
            Ok(stacks) => {
                assert!(stacks.lines().skip(1).all(|line| line.contains(' ')), "{stacks}")
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    });
}
