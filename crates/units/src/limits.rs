//! Upper limits of what a file, a stream or a setting may demand of this machine. Every reader of
//! foreign input checks against one of these limits before it reserves memory; its error has the
//! limit's name, the demand and the limit. `docs/reference/limits.md` and
//! `docs/internals/limits.md` have the tables.

use std::fmt;
use std::io::{self, BufRead, Read};

use thiserror::Error;

/// Named upper limit of a size or number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputLimit {
    /// Name of the limited quantity in the table and in errors ("bytes of an archive entry").
    pub name: &'static str,
    /// The largest value that is accepted.
    pub most: u64,
}

/// Every limit; `docs/reference/limits.md` or `docs/internals/limits.md` has a row for each.
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

/// Limit on the output of a command on a board: sessions print some lines, listings thousands.
pub const DEVICE_OUTPUT_BYTES: InputLimit = InputLimit::new("bytes of a board's output", 128 << 20);

/// Limit on a file that is fetched from a board: samples and logs of a session of hours.
pub const DEVICE_FILE_BYTES: InputLimit = InputLimit::new("bytes of a board's file", 2 << 30);

/// Limit on a line of a text log or a text protocol: longer than any in known formats.
pub const LINE_BYTES: InputLimit = InputLimit::new("bytes of a line", 16 << 20);

/// Limit on a line of the agent: class, method and descriptor, each as long as a class file
/// allows.
pub const AGENT_LINE_BYTES: InputLimit =
    InputLimit::new("bytes of a line of the JVM's agent", 256 << 10);

/// Limit on a reading of the agent: ten times the first one of a server with 200 busy threads.
pub const AGENT_READING_BYTES: InputLimit =
    InputLimit::new("bytes of a reading of the JVM's agent", 32 << 20);

/// Limit on the methods of a measured JVM: twice as many as the agent names.
pub const AGENT_METHODS: InputLimit = InputLimit::new("methods of a measured JVM", 512 << 10);

/// Limit on the bytes of the names of all methods of a measured JVM together: a mean of 256 for
/// each of [`AGENT_METHODS`].
pub const AGENT_NAME_BYTES: InputLimit =
    InputLimit::new("bytes of the names of a measured JVM's methods", 128 << 20);

/// Limit on call paths of a measured JVM: more than the agent's call tree and a node for each
/// method.
pub const AGENT_NODES: InputLimit = InputLimit::new("paths of calls in a measured JVM", 512 << 10);

/// Limit on the length of a call path: the deepest stack of Flight Recorder.
pub const AGENT_DEPTH: InputLimit = InputLimit::new("calls on a path in a measured JVM", 2048);

/// Limit on figures per method and thread: each of 5 000 methods in each of 200 threads.
pub const AGENT_FIGURES: InputLimit =
    InputLimit::new("figures of a measured JVM's methods and threads", 1 << 20);

/// Limit on the agent's time to answer: a GC of a large heap stops the agent.
pub const AGENT_SECONDS: InputLimit =
    InputLimit::new("seconds of an answer of the JVM's agent", 10);

/// Limit on the head of an HTTP request for metrics: twice what web servers accept.
pub const METRICS_HEAD_BYTES: InputLimit =
    InputLimit::new("bytes of the head of a request for metrics", 16 << 10);

/// Limit on the duration of a request for metrics: Prometheus's own timeout.
pub const METRICS_SECONDS: InputLimit = InputLimit::new("seconds of a request for metrics", 10);

/// Limit on simultaneous connections for metrics: more than the programs that read one machine.
pub const METRICS_CONNECTIONS: InputLimit = InputLimit::new("connections to the metrics", 32);

/// Limit on readers of the views of tenants: more than the programs that read one machine.
pub const VIEW_READERS: InputLimit = InputLimit::new("readers of the views of tenants", 64);

/// Limit on the time a reader takes for a line of a tenant's view: a suspended one resumes within.
pub const VIEW_SECONDS: InputLimit =
    InputLimit::new("seconds of a line of the views of tenants", 60);

/// Limit on an order to a running monitor and its answer: long lists of network cards and
/// processes fit.
pub const CONTROL_ORDER_BYTES: InputLimit =
    InputLimit::new("bytes of an order to a running monitor, and of its answer", 64 << 10);

/// Limit on the time of an order: a cycle ends, and a meter is asked whether it moves.
pub const CONTROL_SECONDS: InputLimit =
    InputLimit::new("seconds of an order to a running monitor", 10);

/// Limit on the rows that the monitor lists at one level: more than anybody scrolls through.
pub const LISTED_ROWS: InputLimit = InputLimit::new("rows of a level of a running monitor", 10_000);

/// Limit on an archive that is read as a whole, such as an Android package.
pub const ARCHIVE_BYTES: InputLimit = InputLimit::new("bytes of an archive", 2 << 30);

/// Limit on the entries of an archive: the JDK's own sources have 30 000.
pub const ARCHIVE_ENTRIES: InputLimit = InputLimit::new("entries of an archive", 1_000_000);

/// Limit on the entries of an archive of logs: a bug report has some thousands.
pub const ARCHIVE_LOG_ENTRIES: InputLimit =
    InputLimit::new("entries of an archive of logs", 65_536);

/// Limit on an unpacked entry of an archive.
pub const ARCHIVE_ENTRY_BYTES: InputLimit = InputLimit::new("bytes of an archive entry", 256 << 20);

/// Limit on all that is read of one archive, unpacked.
pub const ARCHIVE_CONTENT_BYTES: InputLimit =
    InputLimit::new("unpacked bytes of an archive", 1 << 30);

/// Limit on the compression ratio of an archive that unpacks to more than an archive of any size
/// may unpack to ([`ARCHIVE_ENTRY_BYTES`]).
pub const ARCHIVE_RATIO: InputLimit = InputLimit::new("unpacked bytes per byte of an archive", 250);

/// Limit on a class file: methods have at most 64 KiB, but classes may have many.
pub const CLASS_FILE_BYTES: InputLimit = InputLimit::new("bytes of a class file", 64 << 20);

/// Limit on a source file: generated ones have a few million bytes.
pub const SOURCE_FILE_BYTES: InputLimit = InputLimit::new("bytes of a source file", 64 << 20);

/// Limit on the answer of a Java program that wattline starts to one request.
pub const TOOL_ANSWER_BYTES: InputLimit = InputLimit::new("bytes of a tool's answer", 256 << 20);

/// Limit on a file that is read whole: tables, models, logs and reports of a campaign.
pub const FILE_BYTES: InputLimit = InputLimit::new("bytes of a file that is read whole", 1 << 30);

/// Limit on a scenario file.
pub const SCENARIO_BYTES: InputLimit = InputLimit::new("bytes of a scenario", 16 << 20);

/// Limit on the scenarios of a chain of `[offline]` tables.
pub const OFFLINE_SCENARIOS: InputLimit =
    InputLimit::new("scenarios that stand in for one another", 16);

/// Limit on the runs of a campaign: all cases with their repeats.
pub const CAMPAIGN_RUNS: InputLimit = InputLimit::new("runs of a campaign", 1_000_000);

/// Limit on an unpacked log or recording of a run.
pub const UNPACKED_LOG_BYTES: InputLimit = InputLimit::new("bytes of an unpacked log", 1 << 30);

/// Limit on an unpacked trace, which is read packet by packet.
pub const UNPACKED_TRACE_BYTES: InputLimit =
    InputLimit::new("bytes of an unpacked trace", 64 << 30);

/// Limit on a packet of a Perfetto trace, which is held whole.
pub const TRACE_PACKET_BYTES: InputLimit = InputLimit::new("bytes of a trace packet", 16 << 20);

/// Limit on the columns of a table, used or not.
pub const TABLE_COLUMNS: InputLimit = InputLimit::new("columns of a table", 65_536);

/// Limit on the columns that a fit uses: it holds some matrices of features by features.
pub const TABLE_FEATURES: InputLimit = InputLimit::new("feature columns of a table", 2048);

/// Limit on the numbers of a table in memory: its counts, and sixteen for each case.
pub const TABLE_NUMBERS: InputLimit =
    InputLimit::new("numbers of a table that is held whole", 1 << 26);

/// Limit on a row of a CSV table.
pub(crate) const TABLE_ROW_BYTES: InputLimit =
    InputLimit::new("bytes of a row of a table", 8 << 20);

/// Limit on the names, groups and devices of a block of 4096 rows.
pub const BLOCK_TEXT_BYTES: InputLimit =
    InputLimit::new("bytes of text in a block of a table", 64 << 20);

/// Limit on the components of a log of power states; later ones share one.
pub const LOG_COMPONENTS: InputLimit = InputLimit::new("components of a log", 2000);

/// Limit on the power states of a component; later ones share one.
pub const COMPONENT_STATES: InputLimit = InputLimit::new("states of a component", 1000);

/// Limit on the boards of the cases of a fit, which holds matrices of boards by boards.
pub const TABLE_BOARDS: InputLimit = InputLimit::new("boards of a table", 1000);

/// Limit on the levels of all factors of `fit --factors`.
pub const FACTOR_LEVELS: InputLimit = InputLimit::new("levels of factors", 2000);

/// Limit on the cross products of all folds of a fit that reads rows in blocks.
pub const FOLD_SUMS: InputLimit = InputLimit::new("sums of a fit in blocks", 1 << 27);

/// Limit on the unpacked dictionary and page of each column in use of a Parquet file.
pub const PARQUET_PAGE_BYTES: InputLimit =
    InputLimit::new("bytes of Parquet pages held at a time", 2 << 30);

/// Limit on the footer of a Parquet file.
pub const PARQUET_FOOTER_BYTES: InputLimit =
    InputLimit::new("bytes of a Parquet footer", 256 << 20);

/// Limit on the rows of a Parquet file per byte: runs of one value take none.
pub const PARQUET_ROWS_PER_BYTE: InputLimit =
    InputLimit::new("rows of a Parquet file per byte", 1024);

/// Limit on an unpacked message of an Arrow stream.
pub const ARROW_MESSAGE_BYTES: InputLimit = InputLimit::new("bytes of an Arrow message", 1 << 30);

/// Limit on the repeated fits of a bootstrap, or of gradient descent from further random starts.
pub const FIT_REPEATS: InputLimit = InputLimit::new("repeated fits", 100_000);

/// Error for a demand over a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{asked} {}, more than the limit of {}", .limit.name, .limit.most)]
pub struct LimitExceeded {
    /// Limit that was exceeded.
    pub limit: InputLimit,
    /// Size or number demanded; of a stream, the bytes read when it was refused.
    pub asked: u64,
}

impl InputLimit {
    /// Makes a limit of a name and a largest accepted value.
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

    /// Wraps a reader so that it fails once it yields more bytes than the limit.
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

/// Reader that fails after more bytes than a limit; made by [`InputLimit::reader`].
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
        let page = concat!(
            include_str!("../../../docs/reference/limits.md"),
            include_str!("../../../docs/internals/limits.md")
        );
        let rows: Vec<String> =
            ALL.iter().map(|limit| format!("| {} | {} |", limit.name, limit.most)).collect();
        let missing: Vec<&String> = rows.iter().filter(|row| !page.contains(*row)).collect();
        assert!(missing.is_empty(), "no page of limits has a row that begins with {missing:?}");
        let table = page.lines().filter(|line| line.starts_with("| ")).count();
        assert_eq!(table, ALL.len() + 2, "rows of the two pages that are no limit's");
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
