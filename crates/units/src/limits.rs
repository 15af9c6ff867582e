//! What a file, a stream or a setting may at most ask of this machine. Every reader of what
//! somebody else wrote checks against one of these limits before it reserves memory, and refuses
//! with the limit's name, what was asked for and what is allowed. `docs/limits.md` has the table.

use std::fmt;
use std::io::{self, BufRead, Read};

use thiserror::Error;

/// The most of something that is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputLimit {
    /// What is limited, as the table and errors name it ("bytes of an archive entry").
    pub name: &'static str,
    /// The largest value that is accepted.
    pub most: u64,
}

/// Every limit; `docs/limits.md` has a row for each.
pub const ALL: &[InputLimit] = &[
    DEVICE_FILE_BYTES,
    DEVICE_OUTPUT_BYTES,
    LINE_BYTES,
    AGENT_LINE_BYTES,
    AGENT_READING_BYTES,
    AGENT_METHODS,
    AGENT_NAME_BYTES,
    AGENT_NODES,
    AGENT_DEPTH,
    AGENT_FIGURES,
    AGENT_SECONDS,
    METRICS_HEAD_BYTES,
    METRICS_SECONDS,
    METRICS_CONNECTIONS,
    VIEW_READERS,
    VIEW_SECONDS,
    CONTROL_ORDER_BYTES,
    CONTROL_SECONDS,
    LISTED_ROWS,
    ARCHIVE_BYTES,
    ARCHIVE_ENTRIES,
    ARCHIVE_LOG_ENTRIES,
    ARCHIVE_ENTRY_BYTES,
    ARCHIVE_CONTENT_BYTES,
    ARCHIVE_RATIO,
    CLASS_FILE_BYTES,
    SOURCE_FILE_BYTES,
    TOOL_ANSWER_BYTES,
    FILE_BYTES,
    SCENARIO_BYTES,
    OFFLINE_SCENARIOS,
    CAMPAIGN_RUNS,
    UNPACKED_LOG_BYTES,
    UNPACKED_TRACE_BYTES,
    TRACE_PACKET_BYTES,
    TABLE_COLUMNS,
    TABLE_FEATURES,
    TABLE_NUMBERS,
    TABLE_ROW_BYTES,
    BLOCK_TEXT_BYTES,
    LOG_COMPONENTS,
    COMPONENT_STATES,
    TABLE_BOARDS,
    FACTOR_LEVELS,
    FOLD_SUMS,
    PARQUET_PAGE_BYTES,
    PARQUET_FOOTER_BYTES,
    PARQUET_ROWS_PER_BYTE,
    ARROW_MESSAGE_BYTES,
    FIT_REPEATS,
];

/// What a command on a board may print: sessions print some lines, listings some thousands.
pub const DEVICE_OUTPUT_BYTES: InputLimit = InputLimit::new("bytes of a board's output", 128 << 20);

/// A file that is fetched from a board: samples and logs of a session of hours.
pub const DEVICE_FILE_BYTES: InputLimit = InputLimit::new("bytes of a board's file", 2 << 30);

/// A line of a text log or a text protocol: longer than any that a program of the field writes.
pub const LINE_BYTES: InputLimit = InputLimit::new("bytes of a line", 16 << 20);

/// Class, method and descriptor, each as long as a class file allows.
pub const AGENT_LINE_BYTES: InputLimit =
    InputLimit::new("bytes of a line of the JVM's agent", 256 << 10);

/// Ten times the first reading of a server with 200 busy threads.
pub const AGENT_READING_BYTES: InputLimit =
    InputLimit::new("bytes of a reading of the JVM's agent", 32 << 20);

/// Twice as many as the agent names.
pub const AGENT_METHODS: InputLimit = InputLimit::new("methods of a measured JVM", 512 << 10);

/// 256 for each of them, as many as there may be.
pub const AGENT_NAME_BYTES: InputLimit =
    InputLimit::new("bytes of the names of a measured JVM's methods", 128 << 20);

/// More than the agent's tree of calls and a node for each method.
pub const AGENT_NODES: InputLimit = InputLimit::new("paths of calls in a measured JVM", 512 << 10);

/// The deepest stack of Flight Recorder.
pub const AGENT_DEPTH: InputLimit = InputLimit::new("calls on a path in a measured JVM", 2048);

/// Each of 5 000 methods in each of 200 threads.
pub const AGENT_FIGURES: InputLimit =
    InputLimit::new("figures of a measured JVM's methods and threads", 1 << 20);

/// A collection of a large heap stops the agent.
pub const AGENT_SECONDS: InputLimit =
    InputLimit::new("seconds of an answer of the JVM's agent", 10);

/// Twice what web servers take.
pub const METRICS_HEAD_BYTES: InputLimit =
    InputLimit::new("bytes of the head of a request for metrics", 16 << 10);

/// The time that Prometheus gives a target.
pub const METRICS_SECONDS: InputLimit = InputLimit::new("seconds of a request for metrics", 10);

/// More than the programs that read one machine.
pub const METRICS_CONNECTIONS: InputLimit = InputLimit::new("connections to the metrics", 32);

/// More than the programs that read one machine.
pub const VIEW_READERS: InputLimit = InputLimit::new("readers of the views of tenants", 64);

/// A reader that was suspended resumes within it.
pub const VIEW_SECONDS: InputLimit =
    InputLimit::new("seconds of a line of the views of tenants", 60);

/// Long lists of network cards and processes, and what runs with all its sentences.
pub const CONTROL_ORDER_BYTES: InputLimit =
    InputLimit::new("bytes of an order to a running monitor, and of its answer", 64 << 10);

/// A cycle ends, and a meter is asked whether it moves.
pub const CONTROL_SECONDS: InputLimit =
    InputLimit::new("seconds of an order to a running monitor", 10);

/// More than anybody scrolls through.
pub const LISTED_ROWS: InputLimit = InputLimit::new("rows of a level of a running monitor", 10_000);

/// An archive that is read as a whole, such as an Android package.
pub const ARCHIVE_BYTES: InputLimit = InputLimit::new("bytes of an archive", 2 << 30);

/// Entries of an archive: the JDK's own sources have 30 000.
pub const ARCHIVE_ENTRIES: InputLimit = InputLimit::new("entries of an archive", 1_000_000);

/// Entries of an archive of logs: a bug report has some thousands.
pub const ARCHIVE_LOG_ENTRIES: InputLimit =
    InputLimit::new("entries of an archive of logs", 65_536);

/// An entry of an archive, unpacked.
pub const ARCHIVE_ENTRY_BYTES: InputLimit = InputLimit::new("bytes of an archive entry", 256 << 20);

/// All that is read of one archive, unpacked.
pub const ARCHIVE_CONTENT_BYTES: InputLimit =
    InputLimit::new("unpacked bytes of an archive", 1 << 30);

/// What an archive unpacks to, in multiples of its size, once that is more than an archive of
/// any size may unpack to ([`ARCHIVE_ENTRY_BYTES`]).
pub const ARCHIVE_RATIO: InputLimit = InputLimit::new("unpacked bytes per byte of an archive", 250);

/// A class file: methods have at most 64 KiB, but classes may have many.
pub const CLASS_FILE_BYTES: InputLimit = InputLimit::new("bytes of a class file", 64 << 20);

/// A source file: generated ones have a few million bytes.
pub const SOURCE_FILE_BYTES: InputLimit = InputLimit::new("bytes of a source file", 64 << 20);

/// What one of the Java programs that we start answers to a request.
pub const TOOL_ANSWER_BYTES: InputLimit = InputLimit::new("bytes of a tool's answer", 256 << 20);

/// A file that is read whole: tables, models, logs and reports of a campaign.
pub const FILE_BYTES: InputLimit = InputLimit::new("bytes of a file that is read whole", 1 << 30);

/// A scenario file.
pub const SCENARIO_BYTES: InputLimit = InputLimit::new("bytes of a scenario", 16 << 20);

/// Scenarios of a chain of `[offline]` tables.
pub const OFFLINE_SCENARIOS: InputLimit =
    InputLimit::new("scenarios that stand in for one another", 16);

/// Runs of all cases with their repeats.
pub const CAMPAIGN_RUNS: InputLimit = InputLimit::new("runs of a campaign", 1_000_000);

/// A log or recording of a run, unpacked.
pub const UNPACKED_LOG_BYTES: InputLimit = InputLimit::new("bytes of an unpacked log", 1 << 30);

/// A compressed trace, unpacked; it is read packet by packet.
pub const UNPACKED_TRACE_BYTES: InputLimit =
    InputLimit::new("bytes of an unpacked trace", 64 << 30);

/// A packet of a Perfetto trace, which is held whole.
pub const TRACE_PACKET_BYTES: InputLimit = InputLimit::new("bytes of a trace packet", 16 << 20);

/// Columns of a table, used or not.
pub const TABLE_COLUMNS: InputLimit = InputLimit::new("columns of a table", 65_536);

/// Columns that a fit uses: it holds some matrices of features by features.
pub const TABLE_FEATURES: InputLimit = InputLimit::new("feature columns of a table", 2048);

/// Counts of a table in memory, and sixteen for each case.
pub const TABLE_NUMBERS: InputLimit =
    InputLimit::new("numbers of a table that is held whole", 1 << 26);

/// A row of a CSV table.
pub(crate) const TABLE_ROW_BYTES: InputLimit =
    InputLimit::new("bytes of a row of a table", 8 << 20);

/// Names, groups and devices of 4096 rows.
pub const BLOCK_TEXT_BYTES: InputLimit =
    InputLimit::new("bytes of text in a block of a table", 64 << 20);

/// Components of a log of power states; later ones share one.
pub const LOG_COMPONENTS: InputLimit = InputLimit::new("components of a log", 2000);

/// Power states of a component; later ones share one.
pub const COMPONENT_STATES: InputLimit = InputLimit::new("states of a component", 1000);

/// Boards that the cases of a fit are of: it holds matrices of their square.
pub const TABLE_BOARDS: InputLimit = InputLimit::new("boards of a table", 1000);

/// Levels of all factors of `fit --factors`.
pub const FACTOR_LEVELS: InputLimit = InputLimit::new("levels of factors", 2000);

/// Cross products of all folds of a fit that reads rows in blocks.
pub const FOLD_SUMS: InputLimit = InputLimit::new("sums of a fit in blocks", 1 << 27);

/// A dictionary and a page of each column in use of a Parquet file, unpacked.
pub const PARQUET_PAGE_BYTES: InputLimit =
    InputLimit::new("bytes of Parquet pages held at a time", 2 << 30);

/// The footer of a Parquet file.
pub const PARQUET_FOOTER_BYTES: InputLimit =
    InputLimit::new("bytes of a Parquet footer", 256 << 20);

/// Rows of a Parquet file for each of its bytes: runs of one value take none.
pub const PARQUET_ROWS_PER_BYTE: InputLimit =
    InputLimit::new("rows of a Parquet file per byte", 1024);

/// A message of an Arrow stream, unpacked.
pub const ARROW_MESSAGE_BYTES: InputLimit = InputLimit::new("bytes of an Arrow message", 1 << 30);

/// Replicates of a bootstrap and further descents.
pub const FIT_REPEATS: InputLimit = InputLimit::new("repeated fits", 100_000);

/// More was asked for than a limit allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{asked} {}, more than the limit of {}", .limit.name, .limit.most)]
pub struct LimitExceeded {
    /// The limit.
    pub limit: InputLimit,
    /// What was asked for; of a stream, what had come when it was refused.
    pub asked: u64,
}

impl InputLimit {
    /// A limit of this name and value.
    pub const fn new(name: &'static str, most: u64) -> Self {
        Self { name, most }
    }

    /// Accepts a value up to the limit.
    ///
    /// # Errors
    /// [`LimitExceeded`] for a larger one.
    pub fn check(self, asked: u64) -> Result<(), LimitExceeded> {
        if asked > self.most { Err(LimitExceeded { limit: self, asked }) } else { Ok(()) }
    }

    /// A reader that fails, instead of ending early, once more bytes than the limit have come.
    pub fn reader<R: Read>(self, inner: R) -> LimitedReader<R> {
        LimitedReader { inner, limit: self, read: 0 }
    }

    /// Reads all of a stream, up to the limit.
    ///
    /// # Errors
    /// Those of the stream; [`LimitExceeded`], as an [`io::Error`], where it is longer.
    pub fn read_all(self, stream: impl Read) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.reader(stream).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads a line with its end, up to the limit; an empty one at the end of the stream.
    ///
    /// # Errors
    /// Those of the stream; [`LimitExceeded`], as an [`io::Error`], where the line is longer.
    pub fn read_line(self, stream: &mut impl BufRead) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        self.read_line_into(stream, &mut line)?;
        Ok(line)
    }

    /// Reads a line with its end, up to the limit, into a buffer that is emptied before; returns
    /// its length, 0 at the end of the stream.
    ///
    /// # Errors
    /// Those of the stream; [`LimitExceeded`], as an [`io::Error`], where the line is longer.
    pub fn read_line_into(
        self,
        stream: &mut impl BufRead,
        line: &mut Vec<u8>,
    ) -> io::Result<usize> {
        line.clear();
        let length = stream.take(self.most.saturating_add(1)).read_until(b'\n', line)?;
        self.check(length as u64)?;
        Ok(length)
    }
}

/// A reader of [`InputLimit::reader`].
#[derive(Debug)]
pub struct LimitedReader<R> {
    inner: R,
    limit: InputLimit,
    read: u64,
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // One byte more than is left shows whether the stream goes on.
        let left = self.limit.most.saturating_sub(self.read).saturating_add(1);
        let room = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let count = self.inner.read(&mut buffer[..room])?;
        self.read += count as u64;
        self.limit.check(self.read)?;
        Ok(count)
    }
}

impl From<LimitExceeded> for io::Error {
    fn from(exceeded: LimitExceeded) -> Self {
        Self::new(io::ErrorKind::FileTooLarge, exceeded)
    }
}

impl fmt::Display for InputLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.most, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUR: InputLimit = InputLimit::new("bytes of a test", 4);

    #[test]
    fn what_fits_is_read_and_what_does_not_is_an_error() {
        assert_eq!(FOUR.read_all(&b"abcd"[..]).unwrap(), b"abcd");
        let error = FOUR.read_all(&b"abcde"[..]).unwrap_err();
        assert_eq!(error.to_string(), "5 bytes of a test, more than the limit of 4");
        let endless = FOUR.read_all(io::repeat(0)).unwrap_err();
        assert_eq!(endless.kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn every_limit_is_on_its_page() {
        let page = include_str!("../../../docs/limits.md");
        let rows: Vec<String> =
            ALL.iter().map(|limit| format!("| {} | {} |", limit.name, limit.most)).collect();
        let missing: Vec<&String> = rows.iter().filter(|row| !page.contains(*row)).collect();
        assert!(missing.is_empty(), "docs/limits.md has no row that begins with {missing:?}");
        let table = page.lines().filter(|line| line.starts_with("| ")).count();
        assert_eq!(table, ALL.len() + 1, "rows of docs/limits.md that are no limit's");
    }

    #[test]
    fn lines_end_at_the_limit() {
        let mut stream = &b"abc\nabcde\n"[..];
        assert_eq!(FOUR.read_line(&mut stream).unwrap(), b"abc\n");
        assert!(FOUR.read_line(&mut stream).is_err());
        assert_eq!(FOUR.read_line(&mut &b"end"[..]).unwrap(), b"end");
        assert_eq!(FOUR.read_line(&mut &b""[..]).unwrap(), b"");
    }
}
