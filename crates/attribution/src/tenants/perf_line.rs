//! One line of `perf script` or `perf sched script`.

/// What every sample's line begins with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SampleHead<'a> {
    pub comm: &'a str,
    /// The process, where the line has `pid/tid`.
    pub pid: Option<i64>,
    pub tid: i64,
    pub cpu: u32,
    pub at_ns: u64,
}

/// What a line says.
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
    /// `PERF_RECORD_LOST`.
    Lost { cpu: u32, records: u64 },
    /// Any other event.
    Other,
    /// Not a line of `perf script`.
    Unreadable,
}

/// Reads a line.
pub(super) fn parse(line: &str) -> PerfLine<'_> {
    let line = line.trim_end();
    if line.is_empty() || line.starts_with('#') {
        return PerfLine::Other;
    }
    let Some((head, rest)) = head(line) else { return PerfLine::Unreadable };
    if let Some(record) = rest.strip_prefix("PERF_RECORD_") {
        return record_line(head, record);
    }
    event_line(head, rest).unwrap_or(PerfLine::Unreadable)
}

/// Brackets among which the one of the CPU is looked for.
const BRACKETS: usize = 32;

fn head(line: &str) -> Option<(SampleHead<'_>, &str)> {
    // A thread's name has at most fifteen characters, any of which may be a bracket.
    line.match_indices('[').take(BRACKETS).find_map(|(open, _)| head_at(line, open))
}

/// `comm pid[/tid] [cpu] [flags] seconds.fraction:`, with the bracket of the CPU at `open`.
fn head_at(line: &str, open: usize) -> Option<(SampleHead<'_>, &str)> {
    let (cpu, rest) = line[open + 1..].split_once(']')?;
    let cpu = cpu.parse().ok()?;
    let (first, rest) = word(rest)?;
    let (at_ns, rest) = match time_ns(first) {
        Some(at_ns) => (at_ns, rest),
        // Flags like `d..2.` may stand before the time.
        None => {
            let (second, rest) = word(rest)?;
            (time_ns(second)?, rest)
        }
    };
    let before = line[..open].trim();
    let (comm, id) = before.rsplit_once(char::is_whitespace)?;
    let (pid, tid) = match id.split_once('/') {
        Some((pid, tid)) => (Some(pid.parse().ok()?), tid.parse().ok()?),
        None => (None, id.parse().ok()?),
    };
    Some((SampleHead { comm: comm.trim_end(), pid, tid, cpu, at_ns }, rest))
}

fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (end > 0).then(|| (&text[..end], text[end..].trim_start()))
}

/// `46874.749084:` or `46874.749084607:`.
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
    let (first, after) = word(rest)?;
    let (period, event, data) = match first.parse::<u64>() {
        Ok(period) => {
            let (event, data) = word(after)?;
            (Some(period), event, data)
        }
        Err(_) => (None, first, after),
    };
    let event = event.strip_suffix(':')?;
    if event.ends_with("sched_switch") {
        return switch(head, data);
    }
    Some(match period {
        Some(period) if !event.starts_with("sched:") => PerfLine::Count { head, period, event },
        _ => PerfLine::Other,
    })
}

fn switch<'a>(head: SampleHead<'a>, data: &'a str) -> Option<PerfLine<'a>> {
    // A thread's name may hold anything, also ` ==> `: what follows it is looked for from
    // the end.
    let (prev, next) = data.split_once(" ==> ")?;
    if let (Some(prev), Some(next)) =
        (prev.strip_prefix("prev_comm="), next.strip_prefix("next_comm="))
    {
        let (prev_comm, rest) = prev.rsplit_once(" prev_pid=")?;
        let prev_tid = word(rest)?.0.parse().ok()?;
        let (next_comm, rest) = next.rsplit_once(" next_pid=")?;
        let next_tid = word(rest)?.0.parse().ok()?;
        return Some(PerfLine::Switch { head, prev_tid, prev_comm, next_tid, next_comm });
    }
    // `swapper/0:0 [120] R ==> bash:1234 [120]`
    let (prev_comm, prev_tid) = short(prev)?;
    let (next_comm, next_tid) = short(next)?;
    Some(PerfLine::Switch { head, prev_tid, prev_comm, next_tid, next_comm })
}

fn short(text: &str) -> Option<(&str, i64)> {
    let (name, _) = text.rsplit_once(" [")?;
    let (comm, tid) = name.rsplit_once(':')?;
    Some((comm, tid.parse().ok()?))
}
