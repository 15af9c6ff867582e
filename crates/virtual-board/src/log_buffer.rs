//! Log buffer of the board, which logcat prints.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

use super::calendar::CalendarTime;

/// Default size of the buffer: older lines are dropped beyond this many bytes.
const DEFAULT_BYTES: usize = 256 * 1024;

/// Bytes that a line takes beside its text and tag.
const LINE_OVERHEAD_BYTES: usize = 24;

/// Line of the log.
#[derive(Debug, Clone)]
pub(super) struct BufferedLine {
    /// Time in nanoseconds since boot.
    pub at_ns: u64,
    /// Offset of the wall clock at that time, in nanoseconds.
    pub moved_ns: i64,
    pub pid: u32,
    /// Priority: V, D, I, W, E or F.
    pub level: char,
    pub tag: String,
    pub text: String,
}

/// Output format of logcat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogFormat {
    Brief,
    Tag,
    Time,
    Threadtime,
    Raw,
}

impl LogFormat {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name {
            "brief" => Some(Self::Brief),
            "tag" => Some(Self::Tag),
            "time" => Some(Self::Time),
            "threadtime" => Some(Self::Threadtime),
            "raw" => Some(Self::Raw),
            _ => None,
        }
    }
}

impl BufferedLine {
    /// Line in a format, with its line end; `boot_epoch_ns` is the wall clock at boot.
    pub(super) fn to_text(&self, format: LogFormat, boot_epoch_ns: u128) -> String {
        let at_ns = boot_epoch_ns + u128::from(self.at_ns);
        let at_ns = at_ns.saturating_add_signed(self.moved_ns.into());
        let stamp = || CalendarTime::from_epoch_ns(at_ns).log_stamp();
        let Self { pid, level, tag, text, .. } = self;
        match format {
            LogFormat::Brief => format!("{level}/{tag:<8}({pid:5}): {text}\n"),
            LogFormat::Tag => format!("{level}/{tag:<8}: {text}\n"),
            LogFormat::Time => format!("{} {level}/{tag:<8}({pid:5}): {text}\n", stamp()),
            LogFormat::Threadtime => {
                format!("{} {pid:5} {pid:5} {level} {tag:<8}: {text}\n", stamp())
            }
            LogFormat::Raw => format!("{text}\n"),
        }
    }
}

/// Filter expression of logcat: `TAG:LEVEL ... *:LEVEL`.
#[derive(Debug, Default)]
pub(super) struct LogFilter {
    tags: Vec<(String, usize)>,
    others: usize,
}

/// Letters of the priorities, the lowest first; `S` is silent.
const LEVELS: &str = "VDIWEFS";

impl LogFilter {
    /// Adds one filter expression; false if it is malformed.
    pub(super) fn add(&mut self, expression: &str) -> bool {
        let (tag, level) = expression.split_once(':').unwrap_or((expression, "V"));
        let level =
            level.chars().next().map_or(Some(0), |letter| LEVELS.find(letter.to_ascii_uppercase()));
        let Some(level) = level else { return false };
        match tag {
            "*" => self.others = level,
            _ => self.tags.push((tag.to_owned(), level)),
        }
        true
    }

    /// Whether the filter lets a line pass.
    pub(super) fn matches(&self, line: &BufferedLine) -> bool {
        let own = self.tags.iter().rev().find(|(tag, _)| *tag == line.tag);
        let least = own.map_or(self.others, |(_, level)| *level);
        LEVELS.find(line.level).is_some_and(|level| level >= least)
    }
}

/// Log buffer that threads share.
#[derive(Default)]
pub(super) struct LogBuffer {
    lines: Mutex<LogLines>,
    changed: Condvar,
}

/// Lines of the log, with their size and number.
struct LogLines {
    lines: VecDeque<BufferedLine>,
    bytes: usize,
    bytes_max: usize,
    /// Number of lines that were ever added.
    added: u64,
}

impl Default for LogLines {
    fn default() -> Self {
        Self { lines: VecDeque::new(), bytes: 0, bytes_max: DEFAULT_BYTES, added: 0 }
    }
}

impl LogLines {
    /// Drops the oldest lines beyond the size of the buffer.
    fn trim(&mut self) {
        while self.bytes > self.bytes_max {
            let Some(dropped) = self.lines.pop_front() else { break };
            self.bytes -= bytes_of(&dropped);
        }
    }
}

/// Bytes that a line takes in the buffer.
fn bytes_of(line: &BufferedLine) -> usize {
    line.text.len() + line.tag.len() + LINE_OVERHEAD_BYTES
}

impl LogBuffer {
    /// Adds a line. One with a time to come (a GC inside a busy interval) stays unseen until then.
    pub(super) fn add(&self, line: BufferedLine) {
        let mut lines = self.lock();
        lines.bytes += bytes_of(&line);
        lines.added += 1;
        let at = lines.lines.partition_point(|other| other.at_ns <= line.at_ns);
        lines.lines.insert(at, line);
        lines.trim();
        self.changed.notify_all();
    }

    /// Used and available bytes.
    pub(super) fn used_and_available_bytes(&self) -> (usize, usize) {
        let lines = self.lock();
        (lines.bytes, lines.bytes_max)
    }

    /// Sets the size of the buffer in bytes.
    pub(super) fn resize(&self, bytes: usize) {
        let mut lines = self.lock();
        lines.bytes_max = bytes;
        lines.trim();
    }

    /// Resets contents and size as a restart of the board does.
    pub(super) fn boot(&self) {
        *self.lock() = LogLines::default();
    }

    /// Empties the log.
    pub(super) fn clear(&self) {
        let mut lines = self.lock();
        lines.lines.clear();
        lines.bytes = 0;
    }

    /// Lines up to a time that pass a filter.
    pub(super) fn read(&self, now_ns: u64, filter: &LogFilter) -> Vec<BufferedLine> {
        let lines = self.lock();
        let past = lines.lines.iter().take_while(|line| line.at_ns <= now_ns);
        past.filter(|line| filter.matches(line)).cloned().collect()
    }

    /// Number of lines that were ever added.
    pub(super) fn added_count(&self) -> u64 {
        self.lock().added
    }

    /// Waits, at most for `limit`, until more than `added` lines were added.
    pub(super) fn wait_for_line(&self, added: u64, limit: Duration) {
        let none = |lines: &mut LogLines| lines.added <= added;
        drop(self.changed.wait_timeout_while(self.lock(), limit, none));
    }

    fn lock(&self) -> MutexGuard<'_, LogLines> {
        self.lines.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(at_ns: u64, level: char, tag: &str, text: &str) -> BufferedLine {
        BufferedLine { at_ns, moved_ns: 0, pid: 42, level, tag: tag.into(), text: text.into() }
    }

    #[test]
    fn formats_are_those_of_android() {
        let line = line(1_500_000_000, 'I', "System.out", "wattline: begin");
        let epoch = 1_709_210_096_000_000_000;
        assert_eq!(
            line.to_text(LogFormat::Threadtime, epoch),
            "02-29 12:34:57.500    42    42 I System.out: wattline: begin\n"
        );
        assert_eq!(line.to_text(LogFormat::Brief, epoch), "I/System.out(   42): wattline: begin\n");
    }

    #[test]
    fn lines_are_in_order_of_time_and_the_future_is_hidden() {
        let log = LogBuffer::default();
        for (at, text) in [(10, "a"), (30, "gc"), (20, "b"), (30, "c")] {
            log.add(line(at, 'D', "x", text));
        }
        let texts = |now| -> Vec<String> {
            log.read(now, &LogFilter::default()).into_iter().map(|line| line.text).collect()
        };
        assert_eq!(texts(25), ["a", "b"]);
        assert_eq!(texts(30), ["a", "b", "gc", "c"]);
    }

    #[test]
    fn filters_choose_by_tag_and_level() {
        let mut filter = LogFilter::default();
        assert!(filter.add("dalvikvm:D") && filter.add("*:S") && !filter.add("x:Q"));
        assert!(filter.matches(&line(0, 'D', "dalvikvm", "")));
        assert!(!filter.matches(&line(0, 'V', "dalvikvm", "")));
        assert!(!filter.matches(&line(0, 'E', "other", "")));
    }
}
