//! The lines of the Java API, plain or in a log with times (`logcat -v threadtime`) -> one
//! component `cpu`, active while any section is open, at work for the innermost section of
//! each thread. Log lines that give wall clock and uptime tie the program's clock to the
//! board's, and lines of scripts (`wattline-state COMPONENT: STATE`) to the same clock.

use std::collections::BTreeMap;

use super::super::api::{MARKER_PREFIX, STATE_MARKER_PREFIX};
use super::super::label::Labels;
use super::super::log::{
    Component, ComponentEvent, MOMENT_LIMIT_NS, NodeLog, seconds_to_nanoseconds,
};
use super::super::remark::{Remark, RemarkKind, summarise_remarks};
use super::super::sections::Sections;
use wattline_units::power::{MarkerTexts, parse_log_line, parse_session_log};

/// Name of the component whose sections the API marks.
pub const CPU_COMPONENT: &str = "cpu";
/// State of this component while no section is open.
const IDLE_STATE: &str = "idle";
const ACTIVE_STATE: &str = "active";

/// Marker that the API wrote: begin, end or rename of a section, with thread, time and label.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ApiMarker<'t> {
    kind: char,
    at_ns: i64,
    thread: i64,
    label: &'t str,
}

/// Reads a log of the API's lines; other lines are skipped. The node is also the origin of labels
/// that name none.
#[must_use]
pub fn read_lines(text: &str, node: &str, labels: &mut Labels) -> NodeLog {
    let mut reader = LinesReader::new(node, labels, LogClocks::of(text));
    for (index, line) in text.lines().enumerate() {
        reader.read_line(index + 1, line);
    }
    reader.finish()
}

/// Whether a text contains lines of the API.
#[must_use]
pub fn has_lines(text: &str) -> bool {
    text.contains(MARKER_PREFIX) || text.contains(STATE_MARKER_PREFIX)
}

/// Offsets between the clocks of a log.
#[derive(Debug, Clone, Copy, Default)]
struct LogClocks {
    /// What to add to the wall clock for uptime, in seconds.
    wall_s: Option<f64>,
    /// What to add to the program's clock for uptime, in nanoseconds: the median over all
    /// marks with a wall clock.
    program_ns: i64,
}

impl LogClocks {
    fn of(text: &str) -> Self {
        let alignment = parse_session_log(text, &MarkerTexts::default()).alignment().ok();
        let clocks = Self { wall_s: alignment.map(|found| found.offset_s), program_ns: 0 };
        let mut offsets: Vec<i64> = text
            .lines()
            .filter_map(|line| {
                let mark = mark(line)?.ok()?;
                clocks.uptime_ns(line)?.checked_sub(mark.at_ns)
            })
            .collect();
        offsets.sort_unstable();
        Self { program_ns: offsets.get(offsets.len() / 2).copied().unwrap_or(0), ..clocks }
    }

    /// Returns a log line's time in nanoseconds since the start of the device.
    fn uptime_ns(self, line: &str) -> Option<i64> {
        Some(seconds_to_nanoseconds(parse_log_line(line)?.wall_s? + self.wall_s?))
    }
}

/// Parses the marker in a line, if there is one; the error is what is wrong with a broken one.
fn mark(line: &str) -> Option<Result<ApiMarker<'_>, &'static str>> {
    let rest = &line[line.find(MARKER_PREFIX)? + MARKER_PREFIX.len()..];
    Some(parse_marker(rest))
}

fn parse_marker(rest: &str) -> Result<ApiMarker<'_>, &'static str> {
    let mut fields = rest.trim_end().splitn(4, ' ');
    let kind = fields.next().unwrap_or("");
    let number = |field: Option<&str>| field.and_then(|field| field.parse::<i64>().ok());
    let at_ns = number(fields.next()).ok_or("it has no time")?;
    let thread = number(fields.next()).ok_or("it has no thread")?;
    let label = fields.next().unwrap_or("");
    match kind {
        "E" => Ok(ApiMarker { kind: 'E', at_ns, thread, label }),
        "B" | "X" if label.is_empty() => Err("it has no label"),
        "B" => Ok(ApiMarker { kind: 'B', at_ns, thread, label }),
        "X" => Ok(ApiMarker { kind: 'X', at_ns, thread, label }),
        _ => Err("it is neither B, E nor X"),
    }
}

/// Event of a process in the log: one of its markers, or its death.
enum ProcessEvent<'t> {
    Mark(ApiMarker<'t>),
    Death,
}

struct LinesReader<'a, 't> {
    labels: &'a mut Labels,
    clocks: LogClocks,
    log: NodeLog,
    sections: Sections,
    /// What happened: moment, process, what.
    happenings: Vec<(i64, i64, ProcessEvent<'t>)>,
    /// The latest moment of each thread, and of all.
    latest_of: BTreeMap<(i64, i64), i64>,
    latest_ns: i64,
}

impl<'a, 't> LinesReader<'a, 't> {
    fn new(node: &str, labels: &'a mut Labels, clocks: LogClocks) -> Self {
        let mut log = NodeLog::new(node);
        let cpu = log.component_number(CPU_COMPONENT);
        for state in [IDLE_STATE, ACTIVE_STATE] {
            log.components[cpu].state_number(state);
        }
        log.components[cpu].initial = Some(0);
        Self {
            labels,
            clocks,
            log,
            sections: Sections::default(),
            happenings: Vec::new(),
            latest_of: BTreeMap::new(),
            latest_ns: -MOMENT_LIMIT_NS,
        }
    }

    fn read_line(&mut self, number: usize, line: &'t str) {
        match mark(line) {
            None => match line.split_once(STATE_MARKER_PREFIX) {
                Some((_, rest)) => self.read_state_marker(number, line, rest),
                None => self.read_process_death(line),
            },
            Some(Ok(mark)) => {
                let process = parse_log_line(line).map_or(0, |line| i64::from(line.pid));
                self.keep_marker(mark, process);
            }
            Some(Err(problem)) => self.remark_on_unreadable(number, problem),
        }
    }

    /// Adds a marker with its time on the device's clock.
    fn keep_marker(&mut self, mark: ApiMarker<'t>, process: i64) {
        let at_ns = mark.at_ns.saturating_add(self.clocks.program_ns);
        let mut at_ns = at_ns.clamp(-MOMENT_LIMIT_NS, MOMENT_LIMIT_NS);
        let latest = self.latest_of.entry((process, mark.thread)).or_insert(at_ns);
        if at_ns < *latest {
            let message = format!(
                "the clock of thread {} goes back by {:.6} s; it is taken to stand still",
                mark.thread,
                (*latest - at_ns) as f64 * 1e-9
            );
            self.log.remarks.push(Remark::at(RemarkKind::ClockStep, at_ns, message));
            at_ns = *latest;
        }
        *latest = at_ns;
        self.latest_ns = self.latest_ns.max(at_ns);
        self.happenings.push((at_ns, process, ProcessEvent::Mark(mark)));
    }

    /// Applies all events in the order of their times; lines of several threads may be interleaved
    /// out of order.
    fn replay(&mut self) {
        let mut happenings = std::mem::take(&mut self.happenings);
        happenings.sort_by_key(|(at_ns, ..)| *at_ns);
        for (at_ns, process, happening) in happenings {
            let was_open = self.sections.has_open();
            match happening {
                ProcessEvent::Mark(mark) => self.apply_marker(at_ns, &mark, process),
                ProcessEvent::Death => {
                    let labels = &*self.labels;
                    let ended =
                        self.sections.end_process(at_ns, process, |label| labels.text(label));
                    for label in ended {
                        self.log.add_change(at_ns, 0, ComponentEvent::Remove(label));
                    }
                }
            }
            self.change_cpu_state(at_ns, was_open);
        }
    }

    fn apply_marker(&mut self, at_ns: i64, mark: &ApiMarker<'_>, process: i64) {
        let thread = (process, mark.thread);
        if mark.kind == 'X' {
            let label = self.labels.parse(&self.log.node, mark.label);
            if let Some(proxy) = self.sections.rename(at_ns, thread, label) {
                self.log.add_change(at_ns, 0, ComponentEvent::Rebind(proxy, label));
            }
            return;
        }
        let turn = if mark.kind == 'B' {
            let label = self.labels.parse(&self.log.node, mark.label);
            Some(self.sections.begin(at_ns, thread, label))
        } else {
            self.sections.end(at_ns, thread)
        };
        if let Some(turn) = turn {
            self.change_activity(at_ns, turn.from, turn.to);
        }
    }

    fn change_activity(
        &mut self,
        at_ns: i64,
        from: Option<super::super::label::Label>,
        to: Option<super::super::label::Label>,
    ) {
        if let Some(from) = from {
            self.log.add_change(at_ns, 0, ComponentEvent::Remove(from));
        }
        if let Some(to) = to {
            self.log.add_change(at_ns, 0, ComponentEvent::Add(to));
        }
    }

    fn change_cpu_state(&mut self, at_ns: i64, was_open: bool) {
        let is_open = self.sections.has_open();
        if is_open != was_open {
            self.log.set_state(at_ns, 0, if is_open { ACTIVE_STATE } else { IDLE_STATE });
        }
    }

    /// `COMPONENT: STATE` of a script, at the log's time.
    fn read_state_marker(&mut self, number: usize, line: &str, rest: &str) {
        let parts = rest.split_once(':').map(|(name, state)| (name.trim(), state.trim()));
        let parts = parts.filter(|(name, state)| !name.is_empty() && !state.is_empty());
        match (self.clocks.uptime_ns(line), parts) {
            (Some(at_ns), Some((name, state))) => {
                let component = self.log.component_number(name);
                self.log.set_state(at_ns, component, state);
            }
            (None, _) => self.remark_on_unreadable(number, "its time and uptime are not known"),
            (_, None) => self.remark_on_unreadable(number, "it is not COMPONENT: STATE"),
        }
    }

    fn remark_on_unreadable(&mut self, number: usize, problem: &str) {
        let message = format!("line {number}: {problem}; it is left out");
        self.log.remarks.push(Remark::new(RemarkKind::Unreadable, message));
    }

    /// Reads a line of the system about the death of a process.
    fn read_process_death(&mut self, line: &str) {
        let text = parse_session_log(line, &MarkerTexts::default());
        if let Some(pid) = text.deaths.first().and_then(|death| death.pid) {
            self.happenings.push((self.latest_ns, i64::from(pid), ProcessEvent::Death));
        }
    }

    fn finish(mut self) -> NodeLog {
        self.replay();
        let labels = &*self.labels;
        self.sections.finish(|label| labels.text(label));
        let mut log = self.log;
        log.remarks.append(&mut self.sections.remarks);
        log.remarks = summarise_remarks(log.remarks);
        log.sort();
        log.components.iter_mut().for_each(Component::choose_baseline);
        log
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn events(log: &NodeLog, labels: &Labels) -> Vec<String> {
        let text = |change: &super::super::super::log::StateChange| match change.event {
            ComponentEvent::State(state) => log.components[0].states[state].clone(),
            ComponentEvent::Add(label) => format!("+{}", labels.text(label)),
            ComponentEvent::Remove(label) => format!("-{}", labels.text(label)),
            ComponentEvent::Rebind(from, to) => {
                format!("{}={}", labels.text(from), labels.text(to))
            }
            other => format!("{other:?}"),
        };
        log.changes.iter().map(|change| format!("{} {}", change.at_ns, text(change))).collect()
    }

    #[test]
    fn the_innermost_section_pays() {
        let text = "hello\nwattline-act B 10 1 load\nwattline-act B 20 1 4:parse\n\
                    wattline-act E 30 1\nwattline-act X 35 1 search\nwattline-act E 40 1\n";
        let mut labels = Labels::default();
        let log = read_lines(text, "app", &mut labels);
        assert_eq!(
            events(&log, &labels),
            [
                "10 +app:load",
                "10 active",
                "20 -app:load",
                "20 +4:parse",
                "30 -4:parse",
                "30 +app:load",
                "35 app:load=app:search",
                "40 -app:search",
                "40 idle"
            ]
        );
        assert!(log.remarks.is_empty(), "{:?}", log.remarks);
    }

    #[test]
    fn logs_with_times_are_on_the_boards_clock() {
        let text = "01-01 09:00:00.000  100  100 I wattline: uptime 50.00\n\
            01-01 09:00:01.000  200  201 I System.out: wattline-act B 7000000000 1 load\n\
            01-01 09:00:01.500  300  300 I wattline: wattline-state cpu frequency: 1 kHz\n\
            01-01 09:00:02.000  200  201 I System.out: wattline-act E 8000000000 1\n";
        let log = read_lines(text, "app", &mut Labels::default());
        let span = log.span().unwrap();
        assert_eq!((span.0 / 1_000_000, span.1 / 1_000_000), (51_000, 52_000));
        assert_eq!(
            (log.components[1].name.as_str(), log.changes[2].component),
            ("cpu frequency", 1)
        );
    }

    #[test]
    fn a_death_ends_its_sections() {
        let text = "01-01 09:00:01.000  200  201 I System.out: wattline-act B 7000000000 1 load\n\
            01-01 09:00:02.000  900  901 I ActivityManager: Process org.x (pid 200) has died\n\
            01-01 09:00:03.000  300  301 I System.out: wattline-act E 9000000000 1\n\
            wattline-act B x 1 load\nwattline-act B 9000000000 2 rest\n";
        let log = read_lines(text, "app", &mut Labels::default());
        let kinds: Vec<RemarkKind> = log.remarks.iter().map(|remark| remark.kind).collect();
        use RemarkKind::{EndWithoutBegin, NeverEnded, ProcessDied, Unreadable};
        assert_eq!(kinds, [Unreadable, ProcessDied, EndWithoutBegin, NeverEnded]);
    }

    #[test]
    fn lines_of_threads_may_change_places_but_no_clock_goes_back() {
        let text = "wattline-act B 10 1 a\nwattline-act B 30 2 b\nwattline-act E 20 1\n\
                    wattline-act E 25 2\n";
        let mut labels = Labels::default();
        let log = read_lines(text, "app", &mut labels);
        let expected = [
            "10 +app:a",
            "10 active",
            "20 -app:a",
            "20 idle",
            "30 +app:b",
            "30 active",
            "30 -app:b",
            "30 idle",
        ];
        assert_eq!(events(&log, &labels), expected);
        assert_eq!(log.remarks.len(), 1);
        assert!(log.remarks[0].message.contains("thread 2 goes back"), "{:?}", log.remarks);
    }

    proptest! {
        #[test]
        fn any_lines_make_a_log_in_order(
            lines in proptest::collection::vec("wattline-act [BEX] -?[0-9]{1,19} [12]( [ab:]{0,3})?|(wattline-state )?.{0,20}", 0..40),
        ) {
            let log = read_lines(&lines.join("\n"), "app", &mut Labels::default());
            prop_assert!(log.changes.is_sorted_by(|a, b| a.at_ns <= b.at_ns));
        }
    }
}
