//! One line of `perf script`, `perf sched script`, ftrace's text (`trace`, `trace_pipe`) or
//! `trace-cmd report`.

/// Beginning of every event's line: thread, process, CPU, time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SampleHead<'a> {
    /// The thread's name; empty where the line has none.
    pub comm: &'a str,
    /// The process, where the line has it: `pid/tid`, or ftrace's column of thread groups.
    pub pid: Option<i64>,
    /// The thread, where the line has it.
    pub tid: Option<i64>,
    /// The CPU, where the line has it.
    pub cpu: Option<u32>,
    pub at_ns: u64,
}

/// Content of a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PerfLine<'a> {
    /// `sched:sched_switch`.
    Switch {
        head: SampleHead<'a>,
        prev_tid: i64,
        prev_comm: &'a str,
        next_tid: i64,
        next_comm: &'a str,
    },
    /// `PERF_RECORD_SWITCH_CPU_WIDE OUT`; IN tells nothing new.
    Out { head: SampleHead<'a>, next_tid: i64 },
    /// A sample of a counter: so many events since its last one.
    Count { head: SampleHead<'a>, period: u64, event: &'a str },
    /// Records that the recorder lost.
    Lost { cpu: Option<u32>, records: u64 },
    /// Any other event.
    Other,
    /// A line that is no event: a comment, a call stack.
    Beside,
    /// Not a line of these programs.
    Unreadable,
}

/// Parses a line.
pub(super) fn parse_perf_line(line: &str) -> PerfLine<'_> {
    let line = line.trim_end();
    if let Some(comment) = line.strip_prefix('#') {
        return overwritten_events(comment).unwrap_or(PerfLine::Beside);
    }
    if line.is_empty() || is_header(line) {
        return PerfLine::Beside;
    }
    if let Some(lost) = dropped_events(line) {
        return lost;
    }
    let Some((head, rest)) = sample_head(line) else {
        return if is_stack(line) { PerfLine::Beside } else { PerfLine::Unreadable };
    };
    if let Some(record) = rest.strip_prefix("PERF_RECORD_") {
        return record_line(head, record);
    }
    event_line(head, rest).unwrap_or(PerfLine::Unreadable)
}

/// Whether a line is part of the header of `trace-cmd report`.
fn is_header(line: &str) -> bool {
    let begins = ["cpus=", "version = ", "trace.dat", "CPU "];
    begins.iter().any(|begin| line.starts_with(begin))
        && (line.ends_with("is empty") || !line.starts_with("CPU "))
}

/// Parses the number of overwritten events from `entries-in-buffer/entries-written: 205/1000
/// #P:4`.
fn overwritten_events(comment: &str) -> Option<PerfLine<'static>> {
    let (_, counts) = comment.split_once("entries-in-buffer/entries-written:")?;
    let (kept, written) = split_word(counts)?.0.split_once('/')?;
    let records = written.parse::<u64>().ok()?.saturating_sub(kept.parse().ok()?);
    (records > 0).then_some(PerfLine::Lost { cpu: None, records })
}

/// Parses the number of lost events from `CPU:2 [LOST 70 EVENTS]` of ftrace or `CPU:2 [70 EVENTS
/// DROPPED]` of trace-cmd.
fn dropped_events(line: &str) -> Option<PerfLine<'static>> {
    let (cpu, what) = line.trim_start().strip_prefix("CPU:")?.split_once(" [")?;
    what.contains("EVENTS").then(|| {
        let records = what.split(' ').find_map(|word| word.parse().ok()).unwrap_or(1);
        PerfLine::Lost { cpu: cpu.trim().parse().ok(), records }
    })
}

/// Whether a line is a frame of a call stack: an address and a name, `=> name` of ftrace, a place
/// in a source.
fn is_stack(line: &str) -> bool {
    let begins_apart = line.starts_with([' ', '\t']) || line.starts_with("=>");
    let line = line.trim_start();
    let first = line.split(char::is_whitespace).next().unwrap_or("");
    let is_address = first.len() >= 4 && first.bytes().all(|byte| byte.is_ascii_hexdigit());
    let place = line.rsplit_once(':').map(|(_, number)| number);
    let is_place = first == line
        && place.is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()));
    begins_apart && (is_address || is_place || line.starts_with("=>"))
        || line.ends_with("<stack trace>")
}

/// Largest number of brackets among which that of the CPU is searched.
const MOST_BRACKETS: usize = 32;

fn sample_head(line: &str) -> Option<(SampleHead<'_>, &str)> {
    // A thread's name has at most fifteen characters, any of which may be a bracket.
    let with_cpu = line
        .match_indices('[')
        .take(MOST_BRACKETS)
        .find_map(|(open, _)| sample_head_at(line, open));
    with_cpu.or_else(|| sample_head_without_cpu(line))
}

/// Parses `comm pid[/tid] [cpu] [flags] seconds.fraction:`, or `comm-tid (tgid) [cpu] ...`, with
/// the bracket of the CPU at `open`.
fn sample_head_at(line: &str, open: usize) -> Option<(SampleHead<'_>, &str)> {
    let (cpu, rest) = line[open + 1..].split_once(']')?;
    let cpu = cpu.parse().ok()?;
    let (first, rest) = split_word(rest)?;
    let (at_ns, rest) = match time_ns(first) {
        Some(at_ns) => (at_ns, rest),
        // Flags like `d..2.` may stand before the time.
        None => {
            let (second, rest) = split_word(rest)?;
            (time_ns(second)?, rest)
        }
    };
    Some((head_of_thread(line[..open].trim(), Some(cpu), at_ns)?, rest))
}

/// Parses `comm pid[/tid] seconds.fraction:`.
fn sample_head_without_cpu(line: &str) -> Option<(SampleHead<'_>, &str)> {
    let mut rest = line;
    while let Some((first, after)) = split_word(rest) {
        if let Some(at_ns) = time_ns(first) {
            let before = &line[..line.len() - rest.len()];
            return Some((head_of_thread(before.trim(), None, at_ns)?, after));
        }
        rest = after;
    }
    None
}

/// Parses the thread at the beginning of a line; it may be missing, since a switch names it again.
fn head_of_thread(before: &str, cpu: Option<u32>, at_ns: u64) -> Option<SampleHead<'_>> {
    let nobody = SampleHead { comm: "", pid: None, tid: None, cpu, at_ns };
    if before.is_empty() {
        return Some(nobody);
    }
    // ftrace's column of thread groups: `( 1234)`, `(-----)`.
    let (before, group) = match before.strip_suffix(')').and_then(|text| text.rsplit_once('(')) {
        Some((before, group)) => (before.trim_end(), group.trim().parse().ok()),
        None => (before, None),
    };
    let (comm, id) = before.rsplit_once(char::is_whitespace).unwrap_or(("", before));
    let of_perf = match id.split_once('/') {
        Some((pid, tid)) => pid.parse().ok().zip(tid.parse().ok()).map(|(p, t)| (Some(p), t)),
        None => id.parse().ok().map(|tid| (None, tid)),
    };
    if let Some((pid, tid)) = of_perf {
        return Some(SampleHead { comm: comm.trim_end(), pid, tid: Some(tid), ..nobody });
    }
    // `kworker/0:1-1234` of ftrace; it says `<...>` for a name that it forgot.
    let (comm, tid) = before.rsplit_once('-')?;
    let comm = if comm == "<...>" { "" } else { comm };
    Some(SampleHead { comm, pid: group, tid: Some(tid.parse().ok()?), ..nobody })
}

fn split_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (end > 0).then(|| (&text[..end], text[end..].trim_start()))
}

/// Parses a time such as `46874.749084:` or `46874.749084607:` to nanoseconds.
fn time_ns(text: &str) -> Option<u64> {
    let (seconds, fraction) = text.strip_suffix(':')?.split_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_number(seconds) || !is_number(fraction) || fraction.len() > 9 {
        return None;
    }
    let scale = 10_u64.pow(9 - fraction.len() as u32);
    let fraction = fraction.parse::<u64>().ok()? * scale;
    seconds.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(fraction)
}

fn record_line<'a>(head: SampleHead<'a>, record: &'a str) -> PerfLine<'a> {
    if let Some(rest) = record.strip_prefix("LOST") {
        let records = rest.rsplit(' ').find_map(|word| word.parse().ok()).unwrap_or(1);
        return PerfLine::Lost { cpu: head.cpu, records };
    }
    let Some(rest) = record.strip_prefix("SWITCH_CPU_WIDE") else { return PerfLine::Other };
    if !rest.trim_start().starts_with("OUT") {
        return PerfLine::Other;
    }
    let next = rest.rsplit_once("next pid/tid:").map(|(_, next)| next.trim());
    let next_tid = next.and_then(|next| next.rsplit('/').next()?.trim().parse().ok());
    next_tid.map_or(PerfLine::Unreadable, |next_tid| PerfLine::Out { head, next_tid })
}

fn event_line<'a>(head: SampleHead<'a>, rest: &'a str) -> Option<PerfLine<'a>> {
    // Without the event's name only its text tells what it is.
    if rest.starts_with("prev_comm=") {
        return switch_line(head, rest);
    }
    let (first, after) = split_word(rest)?;
    let (period, event, data) = match first.parse::<u64>() {
        Ok(period) => {
            let (event, data) = split_word(after)?;
            (Some(period), event, data)
        }
        Err(_) => (None, first, after),
    };
    let Some(event) = event.strip_suffix(':') else {
        // ftrace's functions have no colon.
        return Some(switch_line(head, rest).unwrap_or(PerfLine::Other));
    };
    if event == "sched_switch" || event.ends_with(":sched_switch") {
        return switch_line(head, data);
    }
    Some(match period {
        Some(period) if !event.starts_with("sched:") => PerfLine::Count { head, period, event },
        _ => PerfLine::Other,
    })
}

fn switch_line<'a>(head: SampleHead<'a>, data: &'a str) -> Option<PerfLine<'a>> {
    // A thread's name may hold anything, also ` ==> `: what follows it is looked for from
    // the end.
    let (prev, next) = data.split_once(" ==> ")?;
    if let (Some(prev), Some(next)) =
        (prev.strip_prefix("prev_comm="), next.strip_prefix("next_comm="))
    {
        let (prev_comm, rest) = prev.rsplit_once(" prev_pid=")?;
        let prev_tid = split_word(rest)?.0.parse().ok()?;
        let (next_comm, rest) = next.rsplit_once(" next_pid=")?;
        let next_tid = split_word(rest)?.0.parse().ok()?;
        return Some(PerfLine::Switch { head, prev_tid, prev_comm, next_tid, next_comm });
    }
    // `swapper/0:0 [120] R ==> bash:1234 [120]`
    let (prev_comm, prev_tid) = switched_thread(prev)?;
    let (next_comm, next_tid) = switched_thread(next)?;
    Some(PerfLine::Switch { head, prev_tid, prev_comm, next_tid, next_comm })
}

fn switched_thread(text: &str) -> Option<(&str, i64)> {
    let (name, _) = text.rsplit_once(" [")?;
    let (comm, tid) = name.rsplit_once(':')?;
    Some((comm, tid.parse().ok()?))
}
