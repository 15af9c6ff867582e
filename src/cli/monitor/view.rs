//! What the live view shows, as text: rows sorted and filtered, one line each. Pure, so
//! that it can be tested without a terminal.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::attribution::mapping::{Mapping, RuntimeMethod};
use crate::attribution::monitor::jvm::{JvmMethod, JvmState, MethodCycle, Way};
use crate::format::visible_name;
use crate::recording::{COUNT_MARKS_LEGEND, CallCountKind, kind_of_thread};
use crate::units::{Joules, Watts};
use wattline_units::limits::{InputLimit, LISTED_ROWS};

use super::choice::{ListLevel, ListOptions, SortKey};
use super::frame::MonitorInterval;

/// A row since the begin.
#[derive(Debug, Clone, Default, PartialEq)]
struct RowTally {
    now_w: f64,
    now_cpu: f64,
    total_j: f64,
    calls: Option<u64>,
    /// Which calls were counted.
    counted: CallCountKind,
}

impl RowTally {
    fn per_call(&self) -> Option<f64> {
        let is_whole = !matches!(self.counted, CallCountKind::Until(_));
        let calls = self.calls.filter(|calls| *calls > 0 && is_whole)?;
        Some(self.total_j / calls as f64)
    }

    fn calls(&self) -> String {
        self.calls.map_or("-".into(), |calls| self.counted.mark(calls.to_string()))
    }
}

/// What the methods of a JVM are called: as they run, or as in the sources.
#[derive(Debug, Clone, Copy)]
pub struct MethodNames<'a> {
    /// The running names.
    pub state: &'a JvmState,
    /// How it is measured.
    pub way: Way,
    /// Methods of which not all calls are counted, by number.
    pub counted: &'a BTreeMap<usize, CallCountKind>,
    /// Those of the sources.
    pub mapping: Option<&'a Mapping>,
}

impl MethodNames<'_> {
    /// The count that is shown, and what it is.
    fn count(&self, did: &MethodCycle) -> (Option<u64>, CallCountKind) {
        match self.way {
            Way::Sampling => (Some(did.samples), CallCountKind::All),
            Way::Instrumentation => {
                let counted = self.counted.get(&did.method).copied().unwrap_or_default();
                (did.is_counted.then_some(did.calls), counted)
            }
        }
    }

    /// Class and method.
    fn of(&self, number: usize) -> (String, String) {
        let JvmMethod { class, name, file, first_line, last_line } = self.state.method(number);
        let Some(mapping) = self.mapping else { return (class, name) };
        let lines = (first_line, last_line);
        let named = mapping.source_method(RuntimeMethod {
            class: &class,
            method: &name,
            file: &file,
            lines,
        });
        (named.class, named.method)
    }
}

/// Everything seen since the begin.
#[derive(Debug, Clone, Default)]
pub struct Tallies {
    rows: BTreeMap<ListLevel, BTreeMap<String, RowTally>>,
    now_w: BTreeMap<&'static str, (f64, f64)>,
}

impl Tallies {
    /// Adds a frame; what was the last cycle's is not any more.
    pub fn add(&mut self, frame: &MonitorInterval, names: Option<MethodNames<'_>>) {
        for tally in self.rows.values_mut().flat_map(BTreeMap::values_mut) {
            (tally.now_w, tally.now_cpu) = (0.0, 0.0);
        }
        let d = frame.cycle.duration_s();
        self.now_w.clear();
        for component in &frame.cycle.components {
            let watts = (component.energy.joules / d, component.unattributed_j / d);
            self.now_w.insert(component.part.name(), watts);
        }
        for process in &frame.cycle.processes {
            let key = format!("{:>7} {}", process.id.pid, process.name);
            let joules = process.cpu_j + process.network_j.unwrap_or(0.0);
            self.count(ListLevel::Processes, key, (joules, process.cpu_s, None), d);
            for thread in &process.threads {
                let key = format!("{:>7} {} (of {})", thread.tid, thread.name, process.id.pid);
                self.count(ListLevel::Threads, key, (thread.cpu_j, thread.cpu_s, None), d);
            }
        }
        if let (Some(jvm), Some(names)) = (&frame.jvm, names) {
            self.add_jvm(&jvm.power, names, d);
        }
        self.rows.values_mut().for_each(|rows| merge(rows, LISTED_ROWS));
    }

    fn add_jvm(
        &mut self,
        power: &crate::attribution::monitor::jvm::JvmPower,
        names: MethodNames<'_>,
        d: f64,
    ) {
        for thread in &power.threads {
            let name = if thread.name.is_empty() { "(ended)" } else { &thread.name };
            // All that have ended are one row.
            let figures = (thread.cpu_j, thread.cpu_s.unwrap_or(0.0), None);
            self.count(ListLevel::Threads, format!("{:>7} {name}", thread.id), figures, d);
            for method in &thread.methods {
                let (class, name) = names.of(method.method);
                let joules = method.cpu_j + method.network_j.unwrap_or(0.0);
                let (calls, counted) = names.count(&method.did);
                let figures = (joules, method.cpu_s, calls);
                for (level, key) in [
                    (ListLevel::Methods, format!("{class}.{name}")),
                    (ListLevel::Classes, class.clone()),
                ] {
                    self.count(level, key.clone(), figures, d);
                    self.mark(level, &key, counted);
                }
            }
        }
        let itself = match power.threads.iter().any(|thread| thread.cpu_s.is_none()) {
            false => "(the JVM itself: GC, compiler)",
            true => "(GC, compiler, threads that have ended)",
        };
        for (key, joules) in
            [(itself, power.rest_j), ("(threads without a known method)", power.without_method_j())]
        {
            // Rounding is no energy.
            if joules > 1e-9 * power.cpu_j {
                self.count(ListLevel::Methods, key.into(), (joules, 0.0, None), d);
            }
        }
        for thread in power.threads.iter().filter(|thread| thread.not_sampled_j > 0.0) {
            let key = format!("(not sampled: {})", kind_of_thread(&thread.name));
            self.count(ListLevel::Methods, key, (thread.not_sampled_j, 0.0, None), d);
        }
    }

    fn mark(&mut self, level: ListLevel, key: &str, counted: CallCountKind) {
        if let Some(tally) = self.rows.get_mut(&level).and_then(|rows| rows.get_mut(key)) {
            tally.counted = tally.counted.max(counted);
        }
    }

    fn is_marked(&self) -> bool {
        let methods = self.rows.get(&ListLevel::Methods).into_iter().flatten();
        methods.into_iter().any(|(_, tally)| tally.counted != CallCountKind::All)
    }

    pub(super) fn count(
        &mut self,
        level: ListLevel,
        key: String,
        figures: (f64, f64, Option<u64>),
        d: f64,
    ) {
        let (joules, cpu_s, calls) = figures;
        let tally = self.rows.entry(level).or_default().entry(key).or_default();
        tally.now_w += joules / d;
        tally.now_cpu += cpu_s / d;
        tally.total_j += joules;
        tally.calls = match calls {
            Some(calls) => Some(tally.calls.unwrap_or(0).saturating_add(calls)),
            None => tally.calls,
        };
    }

    /// Whether there is anything of a level.
    pub fn has(&self, level: ListLevel) -> bool {
        self.rows.get(&level).is_some_and(|rows| !rows.is_empty())
    }

    /// The rows of a level as text lines, head first.
    pub fn lines(&self, choice: &ListOptions, width: usize) -> Vec<String> {
        let empty = BTreeMap::new();
        let rows = self.rows.get(&choice.level).unwrap_or(&empty);
        let wanted = choice.filter.to_lowercase();
        let mut rows: Vec<(&String, &RowTally)> =
            rows.iter().filter(|(key, _)| key.to_lowercase().contains(&wanted)).collect();
        rows.sort_by(|a, b| order(choice.sort, *a, *b));
        let head = format!(
            "{:>9} {:>6} {:>9} {:>10} {:>9}  {}",
            "power",
            "cpu",
            "energy",
            choice.calls,
            "per call",
            choice.level.name()
        );
        let mut lines = vec![cut(&head, width)];
        lines.extend(rows.into_iter().skip(choice.skip).map(|(key, tally)| {
            let calls = tally.calls();
            let per_call = match choice.calls {
                "calls" => tally.per_call().map_or("-".into(), |joules| Joules(joules).to_string()),
                _ => "-".into(),
            };
            let line = format!(
                "{:>9} {:>5.1}% {:>9} {:>10} {:>9}  {key}",
                Watts(tally.now_w).to_string(),
                100.0 * tally.now_cpu,
                Joules(tally.total_j).to_string(),
                calls,
                per_call
            );
            cut(&line, width)
        }));
        lines
    }

    /// The parts of the machine in the last cycle.
    pub fn parts(&self) -> String {
        let part = |(name, (watts, rest)): (&&str, &(f64, f64))| {
            format!("{name} {} ({} unattributed)", Watts(*watts), Watts(*rest))
        };
        let parts: Vec<String> = self.now_w.iter().map(part).collect();
        if parts.is_empty() { "no figure in this cycle".into() } else { parts.join(", ") }
    }

    /// Rows of a level, those with the most energy first; absent where the level has none.
    fn costliest_first(&self, level: ListLevel) -> Option<Vec<(&String, &RowTally)>> {
        let mut rows: Vec<_> = self.rows.get(&level)?.iter().collect();
        rows.sort_by(|a, b| order(SortKey::Energy, *a, *b));
        Some(rows)
    }

    /// The end of a headless run for programs: all rows of each level. `calls` is the word for
    /// their counts: calls, or samples.
    pub fn figures(&self, seconds: f64, calls: &str) -> Value {
        let mut figures = json!({
            "duration_s": seconds,
            "no_intervals_reason": NO_INTERVALS,
        });
        for (level, key) in [
            (ListLevel::Processes, "processes"),
            (ListLevel::Threads, "threads"),
            (ListLevel::Methods, "methods"),
            (ListLevel::Classes, "classes"),
        ] {
            let Some(rows) = self.costliest_first(level) else { continue };
            let row = |(name, tally): (&String, &RowTally)| {
                let mut row = json!({
                    "name": name.trim(),
                    "energy_j": tally.total_j,
                    "power_w": tally.total_j / seconds,
                });
                row[calls] = json!(tally.calls);
                row
            };
            figures[key] = rows.into_iter().map(row).collect();
        }
        figures
    }

    /// The end of a headless run: the costliest rows of each level.
    pub fn summary(&self, seconds: f64, is_model: bool, calls: &str) -> String {
        let model = if is_model { "; a model's figures, no measurement" } else { "" };
        let mut text = format!("{seconds:.1} s{model}; no intervals: {NO_INTERVALS}\n");
        for level in [ListLevel::Processes, ListLevel::Methods] {
            let Some(rows) = self.costliest_first(level) else { continue };
            text += &format!("{:>10} {:>10} {:>11}  {}\n", "energy", "power", calls, level.name());
            for (key, tally) in rows.into_iter().take(10) {
                let calls = tally.calls();
                let energy = Joules(tally.total_j).to_string();
                let power = Watts(tally.total_j / seconds).to_string();
                text += &cut(&format!("{energy:>10} {power:>10} {calls:>11}  {key}"), 110);
                text.push('\n');
            }
        }
        if self.is_marked() {
            text += COUNT_MARKS_LEGEND;
            text.push('\n');
        }
        if self.has(ListLevel::Methods) && !self.has(ListLevel::Classes) {
            text += NO_METHOD;
        }
        text.trim_end().to_string()
    }
}

/// Reason why no figure has an interval.
const NO_INTERVALS: &str = "one recording has no repeats";

/// What has no row of its own any more.
const OTHERS: &str = "(others)";

/// Where there are more rows than may be, those that spend nothing now become one, from the
/// least energy on, until half of them are left.
fn merge(rows: &mut BTreeMap<String, RowTally>, most: InputLimit) {
    if most.check(rows.len() as u64).is_ok() {
        return;
    }
    let mut idle: Vec<(f64, String)> = rows
        .iter()
        .filter(|(key, tally)| tally.now_w == 0.0 && *key != OTHERS)
        .map(|(key, tally)| (tally.total_j, key.clone()))
        .collect();
    idle.sort_by(|a, b| a.0.total_cmp(&b.0));
    let excess = rows.len() - usize::try_from(most.most / 2).unwrap_or(0);
    let mut others = rows.remove(OTHERS).unwrap_or_default();
    for (_, key) in idle.into_iter().take(excess) {
        let Some(tally) = rows.remove(&key) else { continue };
        others.total_j += tally.total_j;
        others.calls = match (others.calls, tally.calls) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        others.counted = others.counted.max(tally.counted);
    }
    rows.insert(OTHERS.into(), others);
}

/// Says why a JVM that was busy may have shown none.
const NO_METHOD: &str = "no method was seen at work: the platform's own classes (javax., jdk., \
                         sun., com.sun.) take part only where --include names them, java. never\n";

fn order(sort: SortKey, a: (&String, &RowTally), b: (&String, &RowTally)) -> std::cmp::Ordering {
    let by = |figure: fn(&RowTally) -> f64| figure(b.1).total_cmp(&figure(a.1)).then(a.0.cmp(b.0));
    match sort {
        SortKey::Power => by(|tally| tally.now_w),
        SortKey::Energy => by(|tally| tally.total_j),
        SortKey::Calls => by(|tally| tally.calls.unwrap_or(0) as f64),
        SortKey::PerCall => by(|tally| tally.per_call().unwrap_or(0.0)),
        SortKey::Name => a.0.cmp(b.0),
    }
}

/// A line in which control characters show as their code, at most so wide.
pub fn cut(line: &str, width: usize) -> String {
    visible_name(line).chars().take(width).collect()
}

#[cfg(test)]
mod tests {
    use crate::attribution::monitor::jvm::parse_reading;

    use super::*;

    fn tallies() -> Tallies {
        let mut tallies = Tallies::default();
        for (key, joules, calls) in
            [("a.A.x()", 3.0, 3), ("a.B.y()", 2.0, 1), ("b.C.z\u{1b}()", 4.0, 400)]
        {
            tallies.count(ListLevel::Methods, key.into(), (joules, 0.5, Some(calls)), 2.0);
        }
        tallies
    }

    fn names(choice: &ListOptions) -> Vec<String> {
        let lines = tallies().lines(choice, 100);
        lines[1..].iter().map(|line| line.rsplit("  ").next().unwrap().to_string()).collect()
    }

    #[test]
    fn rows_are_sorted_filtered_scrolled_and_harmless() {
        let mut choice = ListOptions {
            level: ListLevel::Methods,
            sort: SortKey::Power,
            filter: String::new(),
            skip: 0,
            calls: "calls",
        };
        assert_eq!(names(&choice), ["b.C.z\\u001B()", "a.A.x()", "a.B.y()"]);
        choice.sort = SortKey::PerCall;
        assert_eq!(names(&choice), ["a.B.y()", "a.A.x()", "b.C.z\\u001B()"]);
        choice.filter = "A.".into();
        assert_eq!(names(&choice), ["a.B.y()", "a.A.x()"]);
        choice.skip = 1;
        assert_eq!(names(&choice), ["a.A.x()"]);
        assert!(tallies().lines(&choice, 20).iter().all(|line| line.chars().count() <= 20));
        let mut sort = SortKey::Power;
        for _ in 0..5 {
            sort = sort.next();
        }
        assert_eq!(sort, SortKey::Power);
    }

    #[test]
    fn rows_of_what_is_gone_become_one() {
        let mut tallies = Tallies::default();
        for number in 0..30 {
            let joules = f64::from(number);
            tallies.count(ListLevel::Processes, format!("p{number:02}"), (joules, 0.0, None), 1.0);
        }
        let rows = tallies.rows.get_mut(&ListLevel::Processes).unwrap();
        rows.iter_mut().for_each(|(key, tally)| tally.now_w *= f64::from(u8::from(key == "p01")));
        merge(rows, InputLimit::new("rows of a test", 20));
        let keys: Vec<&str> = rows.keys().map(String::as_str).collect();
        assert_eq!((keys.len(), keys[0], keys[1], keys[2]), (11, OTHERS, "p01", "p21"));
        assert_eq!(rows.values().map(|tally| tally.total_j).sum::<f64>(), 435.0);
    }

    /// Two methods with one name in the sources are one row.
    #[test]
    fn names_of_the_sources_where_there_is_a_mapping() {
        let text =
            "cycle 0 0 0\nmethod 0\ta.A\tx\t()V\t\t0\t0\nmethod 1\tb.C\ty\t()V\t\t0\t0\nend\n";
        let mut state = JvmState::default();
        state.advance(&parse_reading(text).unwrap()).unwrap();
        let lines = "com.Game -> a.A:\n    void run() -> x\n";
        let mapping = Mapping::read(lines.as_bytes(), &|_| true).unwrap();
        let (counted, way) = (&BTreeMap::new(), Way::Sampling);
        let names = |mapping| MethodNames { state: &state, way, counted, mapping };
        let named = |mapping, number| names(mapping).of(number);
        let pair = |class: &str, name: &str| (class.to_string(), name.to_string());
        assert_eq!(named(Some(&mapping), 0), pair("com.Game", "run()"));
        assert_eq!(named(Some(&mapping), 1), pair("b.C", "y()"), "it is not in the file");
        assert_eq!(named(None, 0), pair("a.A", "x()"));
    }

    #[test]
    fn a_summary_says_what_is_no_measurement() {
        let text = tallies().summary(2.0, true, "calls");
        assert!(text.contains("no measurement") && text.contains("2.00 W"), "{text}");
        assert!(!text.contains('\u{1b}'));
    }

    #[test]
    fn a_summary_without_a_method_says_whose_classes_take_no_part() {
        let mut tallies = tallies();
        assert!(tallies.summary(2.0, false, "samples").contains("only where --include names them"));
        tallies.count(ListLevel::Classes, "a.A".into(), (3.0, 0.5, None), 2.0);
        assert!(!tallies.summary(2.0, false, "samples").contains("--include"));
    }
}
