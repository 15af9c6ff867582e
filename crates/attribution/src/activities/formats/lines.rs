//! The lines of the Java API, plain or in a log with times (`logcat -v threadtime`) -> one
//! component `cpu`, active while any section is open, at work for the innermost section of
//! each thread. Log lines that give wall clock and uptime tie the program's clock to the
//! board's, and lines of scripts (`wattline-state COMPONENT: STATE`) to the same clock.

use std::collections::BTreeMap;

use super::super::api::{MARK, STATE_MARK};
use super::super::label::Labels;
use super::super::log::{Component, ComponentEvent, LIMIT_NS, NodeLog, nanoseconds};
use super::super::remark::{Remark, RemarkKind, summarised};
use super::super::sections::Sections;
use wattline_units::power::{MarkerTexts, parse_log_line, parse_session_log};

/// Name of the component.
pub const COMPONENT: &str = "cpu";
/// Its states.
const IDLE: &str = "idle";
const ACTIVE: &str = "active";

/// One mark of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ApiMarker<'t> {
    kind: char,
    at_ns: i64,
    thread: i64,
    label: &'t str,
}

/// Reads a log; lines that are not the API's are passed over. The node is also the origin
/// of labels that name none.
#[must_use]
pub fn read_lines(text: &str, node: &str, labels: &mut Labels) -> NodeLog {
    let mut reader = LinesReader::new(node, labels, LogClocks::of(text));
    for (index, line) in text.lines().enumerate() {
        reader.line(index + 1, line);
    }
    reader.finish()
}

/// Whether a text has lines of the API.
#[must_use]
pub fn has_lines(text: &str) -> bool {
    text.contains(MARK) || text.contains(STATE_MARK)
}

/// How the clocks of a log go together.
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

    /// The moment of a log line.
    fn uptime_ns(self, line: &str) -> Option<i64> {
        Some(nanoseconds(parse_log_line(line)?.wall_s? + self.wall_s?))
    }
}

/// The mark in a line; what is wrong with it, if it is broken.
fn mark(line: &str) -> Option<Result<ApiMarker<'_>, &'static str>> {
    let rest = &line[line.find(MARK)? + MARK.len()..];
    Some(parse(rest))
}

fn parse(rest: &str) -> Result<ApiMarker<'_>, &'static str> {
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

/// What a line says happened in a process, at a moment.
enum Happening<'t> {
    Mark(ApiMarker<'t>),
    Death,
}

struct LinesReader<'a, 't> {
    labels: &'a mut Labels,
    clocks: LogClocks,
    log: NodeLog,
    sections: Sections,
    /// What happened: moment, process, what.
    happenings: Vec<(i64, i64, Happening<'t>)>,
    /// The latest moment of each thread, and of all.
    latest_of: BTreeMap<(i64, i64), i64>,
    latest_ns: i64,
}

impl<'a, 't> LinesReader<'a, 't> {
    fn new(node: &str, labels: &'a mut Labels, clocks: LogClocks) -> Self {
        let mut log = NodeLog::new(node);
        let cpu = log.component(COMPONENT);
        for state in [IDLE, ACTIVE] {
            log.components[cpu].state(state);
        }
        log.components[cpu].initial = Some(0);
        Self {
            labels,
            clocks,
            log,
            sections: Sections::default(),
            happenings: Vec::new(),
            latest_of: BTreeMap::new(),
            latest_ns: -LIMIT_NS,
        }
    }

    fn line(&mut self, number: usize, line: &'t str) {
        match mark(line) {
            None => match line.split_once(STATE_MARK) {
                Some((_, rest)) => self.logged_state(number, line, rest),
                None => self.death(line),
            },
            Some(Ok(mark)) => {
                let process = parse_log_line(line).map_or(0, |line| i64::from(line.pid));
                self.happened(mark, process);
            }
            Some(Err(problem)) => self.unreadable(number, problem),
        }
    }

    /// Keeps a mark with its moment on the board's clock.
    fn happened(&mut self, mark: ApiMarker<'t>, process: i64) {
        let at_ns = mark.at_ns.saturating_add(self.clocks.program_ns);
        let mut at_ns = at_ns.clamp(-LIMIT_NS, LIMIT_NS);
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
        self.happenings.push((at_ns, process, Happening::Mark(mark)));
    }

    /// Goes through all that happened; lines of several threads may have changed places.
    fn replay(&mut self) {
        let mut happenings = std::mem::take(&mut self.happenings);
        happenings.sort_by_key(|(at_ns, ..)| *at_ns);
        for (at_ns, process, happening) in happenings {
            let was_open = self.sections.are_open();
            match happening {
                Happening::Mark(mark) => self.mark(at_ns, &mark, process),
                Happening::Death => {
                    let labels = &*self.labels;
                    let ended = self.sections.died(at_ns, process, |label| labels.text(label));
                    for label in ended {
                        self.log.change(at_ns, 0, ComponentEvent::Remove(label));
                    }
                }
            }
            self.state(at_ns, was_open);
        }
    }

    fn mark(&mut self, at_ns: i64, mark: &ApiMarker<'_>, process: i64) {
        let thread = (process, mark.thread);
        if mark.kind == 'X' {
            let label = self.labels.parse(&self.log.node, mark.label);
            if let Some(proxy) = self.sections.rename(at_ns, thread, label) {
                self.log.change(at_ns, 0, ComponentEvent::Rebind(proxy, label));
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
            self.turn(at_ns, turn.from, turn.to);
        }
    }

    fn turn(
        &mut self,
        at_ns: i64,
        from: Option<super::super::label::Label>,
        to: Option<super::super::label::Label>,
    ) {
        if let Some(from) = from {
            self.log.change(at_ns, 0, ComponentEvent::Remove(from));
        }
        if let Some(to) = to {
            self.log.change(at_ns, 0, ComponentEvent::Add(to));
        }
    }

    fn state(&mut self, at_ns: i64, was_open: bool) {
        let is_open = self.sections.are_open();
        if is_open != was_open {
            self.log.set_state(at_ns, 0, if is_open { ACTIVE } else { IDLE });
        }
    }

    /// `COMPONENT: STATE` of a script, at the log's time.
    fn logged_state(&mut self, number: usize, line: &str, rest: &str) {
        let parts = rest.split_once(':').map(|(name, state)| (name.trim(), state.trim()));
        let parts = parts.filter(|(name, state)| !name.is_empty() && !state.is_empty());
        match (self.clocks.uptime_ns(line), parts) {
            (Some(at_ns), Some((name, state))) => {
                let component = self.log.component(name);
                self.log.set_state(at_ns, component, state);
            }
            (None, _) => self.unreadable(number, "its time and uptime are not known"),
            (_, None) => self.unreadable(number, "it is not COMPONENT: STATE"),
        }
    }

    fn unreadable(&mut self, number: usize, problem: &str) {
        let message = format!("line {number}: {problem}; it is left out");
        self.log.remarks.push(Remark::new(RemarkKind::Unreadable, message));
    }

    /// A line of the system that says that a process died.
    fn death(&mut self, line: &str) {
        let text = parse_session_log(line, &MarkerTexts::default());
        if let Some(pid) = text.deaths.first().and_then(|death| death.pid) {
            self.happenings.push((self.latest_ns, i64::from(pid), Happening::Death));
        }
    }

    fn finish(mut self) -> NodeLog {
        self.replay();
        let labels = &*self.labels;
        self.sections.finish(|label| labels.text(label));
        let mut log = self.log;
        log.remarks.append(&mut self.sections.remarks);
        log.remarks = summarised(log.remarks);
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
