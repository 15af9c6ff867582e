//! HTML page and terminal summary of a recording.

use std::cmp::Reverse;

use askama::Template;

use super::tables::by_energy;
use super::{COUNT_MARKS_LEGEND, CallCountKind, FoldedMethod, Recording, RecordingSums};
use crate::account::Femtojoules;
use crate::exact::share;
use crate::format;
use crate::power::FigureBasis;
use crate::report::view::calls::plain_picture;
use crate::report::view::flame::FlameView;
use crate::units::{Joules, Seconds, Watts};

/// Largest number of rows of a table.
const TOP: usize = 30;

#[derive(Template)]
#[template(path = "recording.html")]
struct RecordingPage<'a> {
    style: &'a str,
    script: &'a str,
    flame_script: &'a str,
    version: &'a str,
    name: String,
    is_model: bool,
    is_virtual: bool,
    headline: String,
    notes: Vec<String>,
    ledger: Vec<RecordingLedgerView>,
    /// Flame graph of calls, if they were sampled.
    flame: Option<FlameView>,
    tables: Vec<TableView>,
    facts: Vec<(&'static str, String)>,
}

struct RecordingLedgerView {
    name: &'static str,
    energy: String,
    power: String,
    share: String,
}

struct TableView {
    title: &'static str,
    sentence: &'static str,
    /// Legend of the marks of counts; empty without marks.
    marks: &'static str,
    first: &'static str,
    second: &'static str,
    calls: &'static str,
    rows: Vec<SpenderView>,
}

struct SpenderView {
    first: String,
    second: String,
    calls: String,
    calls_raw: u64,
    energy: String,
    energy_raw: f64,
    power: String,
    per_call: String,
    cpu: String,
    cpu_raw: f64,
    share: String,
    width: String,
}

/// A row of a table before formatting: a method, a class, a process or a thread.
struct Spender {
    first: String,
    second: String,
    calls: Option<u64>,
    /// Coverage of the calls; absent for samples or no calls.
    counted: Option<CallCountKind>,
    energy: Femtojoules,
    cpu_s: f64,
}

/// Writes the text of `report.html`.
pub fn recording_page(name: &str, recording: &Recording, sums: &RecordingSums) -> String {
    let about = &recording.about;
    let mut facts = vec![
        ("machine", about.host.clone()),
        (
            "length",
            format!("{:.1} s in {}", about.duration_s, format::counted(about.cycles, "cycle")),
        ),
        ("share of", format!("{} CPU time", about.share)),
    ];
    facts.extend(about.formulas.iter().map(|formula| ("formula", formula.from.clone())));
    if let Some(jvm) = &about.jvm {
        facts.push(("JVM", format!("pid {}, Java {}, {}", jvm.pid, jvm.java, jvm.way)));
        if !jvm.folded.is_empty() {
            let folded: Vec<String> = jvm.folded.iter().map(FoldedMethod::line).collect();
            facts.push(("calls not counted any more: too many for a probe", folded.join(", ")));
        }
        if !jvm.estimated.is_empty() {
            facts.push(("calls counted in windows of time, and scaled", jvm.estimated.join(", ")));
        }
    }
    let page = RecordingPage {
        style: include_str!("../report/templates/style.css"),
        script: include_str!("../report/templates/sort.js"),
        flame_script: include_str!("../report/templates/flame.js"),
        version: env!("CARGO_PKG_VERSION"),
        name: format::visible(name),
        is_model: about.is_model(),
        is_virtual: about.is_virtual,
        headline: format::visible(&format!("{}; {}", about.host, about.meter())),
        notes: about.notes.iter().map(|note| format::visible(note)).collect(),
        ledger: ledger(sums),
        flame: super::call_accounts(recording)
            .map(|calls| plain_picture(&calls, sums.jvm.unwrap_or(Femtojoules::ZERO).joules().0)),
        tables: tables(recording, sums),
        facts: facts.into_iter().map(|(name, value)| (name, format::visible(&value))).collect(),
    };
    page.render().expect("the template has all its values")
}

fn ledger(sums: &RecordingSums) -> Vec<RecordingLedgerView> {
    let rows = super::tables::ledger_rows(sums);
    let view = |(name, energy): (&'static str, Femtojoules)| RecordingLedgerView {
        name,
        energy: format::energy(energy.joules()),
        power: power(energy, sums.duration_s),
        share: format::percent_or_none(share(energy, sums.total)),
    };
    rows.into_iter().map(view).collect()
}

fn power(energy: Femtojoules, seconds: f64) -> String {
    if seconds > 0.0 {
        Watts(energy.joules().0 / seconds).to_string()
    } else {
        format::NONE.to_string()
    }
}

fn tables(recording: &Recording, sums: &RecordingSums) -> Vec<TableView> {
    let mut tables = Vec::new();
    if let Some(jvm) = &recording.about.jvm {
        let calls = if jvm.way == "sampling" { "Samples" } else { "Calls" };
        tables.push(TableView {
            title: "Methods",
            sentence: "What a method's own code spends, over all threads, without the methods \
                       that it calls. Shares are of the JVM.",
            marks: if is_marked(sums) { COUNT_MARKS_LEGEND } else { "" },
            first: "Class",
            second: "Method",
            calls,
            rows: spender_views(
                methods(sums, jvm.way == "sampling"),
                sums.jvm.unwrap_or(Femtojoules::ZERO),
                sums.duration_s,
            ),
        });
        tables.push(TableView {
            title: "Classes",
            sentence: "The sum of their methods.",
            marks: "",
            first: "Class",
            second: "",
            calls,
            rows: spender_views(
                classes(sums, calls),
                sums.jvm.unwrap_or(Femtojoules::ZERO),
                sums.duration_s,
            ),
        });
    }
    tables.push(TableView {
        title: "Processes",
        sentence: "Processor and, where it is known who sends, network.",
        marks: "",
        first: "Process",
        second: "Name",
        calls: "Calls",
        rows: spender_views(processes(sums), sums.total, sums.duration_s),
    });
    if !sums.threads.is_empty() {
        tables.push(TableView {
            title: "Threads",
            sentence: "Threads of the JVM and of watched processes.",
            marks: "",
            first: "Process and thread",
            second: "Name",
            calls: "Calls",
            rows: spender_views(threads(sums), sums.total, sums.duration_s),
        });
    }
    tables
}

fn methods(sums: &RecordingSums, is_sampled: bool) -> Vec<Spender> {
    let row = |(key, sum): (&super::RecordedMethodKey, &super::MethodSum)| Spender {
        first: key.class.clone(),
        second: key.method.clone(),
        calls: if is_sampled { sum.samples } else { sum.calls },
        counted: sum.calls.map(|_| sum.counted),
        energy: sum.energy(),
        cpu_s: sum.cpu_s,
    };
    by_energy(sums).into_iter().map(row).collect()
}

fn classes(sums: &RecordingSums, calls: &str) -> Vec<Spender> {
    let cpu_s = |class: &str| {
        let own = sums.methods.iter().filter(|(key, _)| key.class == class);
        own.map(|(_, sum)| sum.cpu_s).sum()
    };
    let row = |(class, (energy, count)): (&String, &(Femtojoules, Option<u64>))| Spender {
        first: class.clone(),
        second: String::new(),
        calls: *count,
        counted: (calls == "Calls").then(|| counted(sums, class)),
        energy: *energy,
        cpu_s: cpu_s(class),
    };
    sums.classes.iter().map(row).collect()
}

/// Least coverage among the counts of a class's methods.
fn counted(sums: &RecordingSums, class: &str) -> CallCountKind {
    let own = sums.methods.iter().filter(|(key, _)| key.class == class);
    own.map(|(_, sum)| sum.counted).max().unwrap_or_default()
}

fn is_marked(sums: &RecordingSums) -> bool {
    sums.methods.values().any(|sum| sum.counted != CallCountKind::All)
}

fn processes(sums: &RecordingSums) -> Vec<Spender> {
    let row = |((pid, _), sum): (&(u32, u64), &super::ProcessSum)| Spender {
        first: pid.to_string(),
        second: sum.name.clone(),
        calls: None,
        counted: None,
        energy: sum.energy(),
        cpu_s: sum.cpu_s,
    };
    sums.processes.iter().map(row).collect()
}

fn threads(sums: &RecordingSums) -> Vec<Spender> {
    let row =
        |((pid, thread), (name, cpu_s, energy)): (&(u32, u64), &(String, f64, Femtojoules))| {
            Spender {
                first: format!("{pid} / {thread}"),
                second: name.clone(),
                calls: None,
                counted: None,
                energy: *energy,
                cpu_s: *cpu_s,
            }
        };
    sums.threads.iter().map(row).collect()
}

fn spender_views(mut rows: Vec<Spender>, whole: Femtojoules, seconds: f64) -> Vec<SpenderView> {
    rows.sort_by_key(|row| Reverse(row.energy));
    let widest = rows.first().map_or(0.0, |row| row.energy.joules().0);
    rows.into_iter()
        .take(TOP)
        .map(|row| {
            let joules = row.energy.joules();
            let is_whole = |counted| !matches!(counted, CallCountKind::Until(_));
            let calls = row.calls.filter(|calls| row.counted.is_some_and(is_whole) && *calls > 0);
            let mark = row.counted.unwrap_or_default();
            SpenderView {
                first: format::visible(&row.first),
                second: format::visible(&row.second),
                calls: row
                    .calls
                    .map_or_else(|| format::NONE.into(), |calls| mark.mark(format::count(calls))),
                calls_raw: row.calls.unwrap_or(0),
                energy: format::energy(joules),
                energy_raw: joules.0,
                power: power(row.energy, seconds),
                per_call: calls.map_or_else(
                    || format::NONE.into(),
                    |calls| format::energy(Joules(joules.0 / calls as f64)),
                ),
                cpu: Seconds(row.cpu_s).to_string(),
                cpu_raw: row.cpu_s,
                share: format::percent_or_none(share(row.energy, whole)),
                width: format::bar_width(if widest > 0.0 { joules.0 / widest } else { 0.0 }),
            }
        })
        .collect()
}

/// Writes the terminal summary: a few lines.
pub fn summary_text(name: &str, recording: &Recording, sums: &RecordingSums) -> String {
    let about = &recording.about;
    let origin = match about.basis() {
        FigureBasis::Simulated => "simulated on a virtual board",
        FigureBasis::Estimated => "estimated by a model, not measured",
        FigureBasis::Measured => "measured",
    };
    let mut text = format!(
        "{}  ({origin}: {})\n{:.1} s in {} on {}; no intervals: one recording has no repeats\n\n",
        format::visible_name(name),
        about.meter(),
        about.duration_s,
        format::counted(about.cycles, "cycle"),
        format::visible_name(&about.host)
    );
    for row in ledger(sums) {
        text +=
            &format!("  {:<18} {:>10} {:>10} {:>9}\n", row.name, row.energy, row.power, row.share);
    }
    for table in tables(recording, sums).into_iter().filter(|table| table.title != "Threads") {
        text += &format!("\n{:<72} {:>10} {:>9}\n", table.title, "energy", "share");
        for row in table.rows.into_iter().take(8) {
            let name = format!("{} {}", row.first, row.second);
            let name = format::truncate(&format::visible_name(&name), 70);
            text += &format!("  {name:<70} {:>10} {:>9}\n", row.energy, row.share);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::accounts::tests::recording;
    use super::super::sum_recording;
    use super::*;

    #[test]
    fn the_page_says_what_it_is_and_escapes_names() {
        let mut recording = recording();
        recording.about.formulas = vec![super::super::FormulaDescription {
            basis: "estimated".into(),
            ..Default::default()
        }];
        recording.processes[1].name = "<script>\u{202e}".into();
        let sums = sum_recording(&recording);
        let page = recording_page("rec", &recording, &sums);
        assert!(page.contains("Estimated by a model, not measured"));
        assert!(!page.contains("<script>\u{202e}") && !page.contains('\u{202e}'));
        assert!(page.contains("x(int)") && page.contains("the JVM itself"));
        let text = summary_text("rec", &recording, &sums);
        assert!(
            text.contains("estimated by a model, not measured") && text.contains("unattributed"),
            "{text}"
        );
    }
}
