//! Probes against the local javac and JVM: annotated targets do the same before and
//! after, and are counted as their comments say.
//!
//! `//= for_1.test 4, if_1 ?` in a target: of the blocks that start on this line, the
//! one whose name within its unit ends so runs four times, or has no probe. The entry
//! of a method is `entry`, of initialisers `clinit` and `fields`, of a lambda
//! `lambda_N`.

#![allow(clippy::unwrap_used)]

pub mod compiler;
mod corpus;
pub mod java;
mod random;
mod suite;
mod switches;
mod unwritable;
mod watched;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use java::{Build, has_jdk};
use wattline::blocks::{Block, BlockKind, FileBlocks, Granularity, UnitKind, class_names, divide};
use wattline::campaign::{CountSnapshot, parse_snapshots};
use wattline::instrument::{InstrumentOptions, InstrumentedSources, Probe, instrument};
use wattline::java::SourceFile;
use wattline::java::kinds::{Field, Kind};
use wattline::java::{NodeId, syntax};

const WARNINGS: [&str; 2] = ["-Xlint:all,-serial,-fallthrough", "-Werror"];

/// The targets that have a `main`, as one program; those of Java 25 if javac knows it.
fn targets() -> Vec<SourceFile> {
    let mut files = targets_in("targets");
    files.extend(targets_of_java_25());
    files
}

fn targets_of_java_25() -> Vec<SourceFile> {
    if java::javac_version() >= 25 {
        return targets_in("targets25");
    }
    crate::skip::outside("tests/targets25 needs a javac of Java 25");
    Vec::new()
}

fn targets_in(folder: &str) -> Vec<SourceFile> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut files = java::java_files(&tests.join(folder));
    files.retain(|file| file.text.contains("void main("));
    files
}

/// Whether loops that call nothing count their exceptions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Watched {
    Yes,
    No,
}

/// One target, instrumented, and what its blocks were counted as.
struct Trace<'a> {
    file: &'a SourceFile,
    blocks: &'a FileBlocks,
    probed: &'a [bool],
    /// The id of the file's first block.
    first: usize,
    counts: HashMap<usize, u64>,
}

#[test]
fn targets_do_the_same_with_probes_and_are_counted_exactly() {
    if !has_jdk() {
        return;
    }
    targets_do_the_same(
        &targets(),
        &[
            (Granularity::Statement, Probe::Count, Watched::Yes),
            (Granularity::Statement, Probe::Log, Watched::No),
            (Granularity::Statement, Probe::Calls, Watched::No),
            (Granularity::Expression, Probe::Count, Watched::Yes),
        ],
    );
}

/// Those alone that a newer JDK than the usual one compiles, for `scripts/test-jdks.sh`.
#[test]
fn targets_of_java_25_do_the_same_with_probes() {
    if !has_jdk() {
        return;
    }
    let files = targets_of_java_25();
    if !files.is_empty() {
        targets_do_the_same(&files, &[(Granularity::Expression, Probe::Count, Watched::Yes)]);
    }
}

/// Snapshots of these probes, and loops that are not watched in methods drawn at random, have tests
/// of the day.
#[test]
#[ignore = "two more kinds of probes; scripts/nightly.sh runs it"]
fn targets_do_the_same_with_snapshots_and_without_watched_loops() {
    if !has_jdk() {
        return;
    }
    targets_do_the_same(
        &targets(),
        &[
            (Granularity::Statement, Probe::Count, Watched::No),
            (Granularity::Statement, Probe::Window, Watched::Yes),
        ],
    );
}

fn targets_do_the_same(files: &[SourceFile], runs: &[(Granularity, Probe, Watched)]) {
    let mut problems = Vec::new();
    let plain =
        Build::new(&with(files, &divided(files, Granularity::Statement), Probe::Plain), &WARNINGS);
    let plain = plain.expect("the targets compile without warnings");
    problems.extend(files.iter().flat_map(class_names_differ(&plain)));
    let mut outputs: Vec<_> = files.iter().map(|file| plain.run(main_class(file))).collect();
    problems.extend(files.iter().zip(&outputs).flat_map(|(file, run)| class_lines(file, run)));
    for &(granularity, probe, watched) in runs {
        let blocks = divided(files, granularity);
        let without_watched_loops = watched == Watched::No;
        let options =
            InstrumentOptions { probe, without_watched_loops, ..InstrumentOptions::default() };
        let sources = instrument(files, &blocks, &options);
        let build = Build::new(&sources, &WARNINGS).expect("they compile with probes");
        let mut first = 0;
        for ((file, blocks), expected) in files.iter().zip(&blocks).zip(&mut outputs) {
            let run = build.run(main_class(file));
            if *expected != run {
                let name = &file.path;
                problems.push(format!("{name} {granularity:?} prints\n{run}\nnot\n{expected}"));
            }
            let counts = build.counts();
            if probe == Probe::Log && build.logged() != counts {
                problems.push(format!("{}: log and counts differ", file.path));
            }
            let probed = &sources.probed[first..];
            let trace = Trace { file, blocks, probed, first, counts };
            // The call-tree probe writes at exit alone, and this one never exits.
            let is_written = probe != Probe::Calls || file.path != "Halts.java";
            if granularity == Granularity::Statement && is_written {
                problems.extend(expectations(&trace));
            }
            problems.extend(flow(&trace, Exact::Yes));
            first += blocks.blocks.len();
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// Rounds of work with pauses, the last longer than two snapshots are apart.
const ROUNDS: &str = "
class Rounds {
    static int sum;
    static void work(int n) {
        for (int i = 0; i < n; i++) {
            sum += i;
        }
    }
    public static void main(String[] args) throws Exception {
        for (int round = 0; round < 3; round++) {
            work(1000);
            Thread.sleep(300);
        }
        Thread.sleep(400);
    }
}
";

#[test]
fn snapshots_add_up_to_the_counts() {
    if !has_jdk() {
        return;
    }
    let files = [SourceFile::parse("Rounds.java", ROUNDS)];
    let blocks = divided(&files, Granularity::Statement);
    let build = Build::new(&with(&files, &blocks, Probe::Window), &WARNINGS).unwrap();
    let ended = build.run("Rounds");
    assert!(ended.ends_with("exit code Some(0)"), "{ended}");
    let text = std::fs::read_to_string(build.folder().join("wattline-counts-1.windows")).unwrap();
    let snapshots = parse_snapshots(&text).unwrap();
    assert!(snapshots.len() >= 4, "1.3 s at four a second: {text}");
    let body = blocks[0].blocks.iter().position(|block| block.name.ends_with("work(int).for_1"));
    let of = |snapshot: &CountSnapshot| {
        let found = snapshot.executions.iter().find(|(block, _)| Some(*block) == body);
        found.map_or(0, |(_, executions)| *executions)
    };
    let each: Vec<u64> = snapshots.iter().map(of).collect();
    assert_eq!(each.iter().sum::<u64>(), 3000, "{text}");
    assert_eq!(build.counts()[&body.unwrap()], 3000);
    assert!(each.iter().filter(|executions| **executions > 0).count() >= 2, "{each:?}");
    // The loop's updates have no probe: they follow from its bodies.
    let probes: u64 = snapshots.iter().map(|snapshot| snapshot.probes).sum();
    let executions: u64 = snapshots.iter().flat_map(|s| &s.executions).map(|(_, n)| n).sum();
    assert!(probes < executions, "{probes} {executions}");
}

fn divided(files: &[SourceFile], granularity: Granularity) -> Vec<FileBlocks> {
    files.iter().map(|file| divide(file, granularity)).collect()
}

fn with(files: &[SourceFile], blocks: &[FileBlocks], probe: Probe) -> InstrumentedSources {
    instrument(files, blocks, &InstrumentOptions { probe, ..InstrumentOptions::default() })
}

fn main_class(file: &SourceFile) -> &str {
    file.path.trim_end_matches(".java")
}

/// Classes that we name and javac has not written. (It writes more: tables for
/// `switch` on enums.)
fn class_names_differ(plain: &Build) -> impl Fn(&SourceFile) -> Vec<String> {
    let all = plain.classes();
    move |file| {
        let unknown = class_names(file).into_values().filter(|class| !all.contains(class));
        unknown.map(|class| format!("{}: javac has no class {class}", file.path)).collect()
    }
}

/// Checks lines `class NAME LINE` that a target prints about its local classes.
fn class_lines(file: &SourceFile, output: &str) -> Vec<String> {
    let names = class_names(file);
    let mut bodies = BTreeMap::new();
    let mut todo = vec![file.tree.root_node()];
    while let Some(node) = todo.pop() {
        if let Some(name) = names.get(&node.id())
            && node.kind() == Kind::ClassBody
        {
            // The innermost class around a line is visited last.
            bodies.insert(node.byte_range().start, (node, name));
        }
        todo.extend(node.children());
    }
    let mut problems = Vec::new();
    for line in output.lines().filter_map(|line| line.strip_prefix("class ")) {
        let (class, line) = line.split_once(' ').unwrap();
        let line: u32 = line.parse().unwrap();
        let ours = bodies
            .values()
            .filter(|(body, _)| (body.line()..=file.last_line(*body)).contains(&line));
        let ours = ours.min_by_key(|(body, _)| body.byte_range().len()).map(|(_, name)| *name);
        if ours.map(String::as_str) != Some(class) {
            problems.push(format!("{}:{line}: javac says {class}, we say {ours:?}", file.path));
        }
    }
    problems
}

/// What a target's comments say, against what was counted.
fn expectations(trace: &Trace<'_>) -> Vec<String> {
    let mut problems = Vec::new();
    for (row, line) in trace.file.text.lines().enumerate() {
        let Some((_, comment)) = line.split_once("//= ") else { continue };
        for item in comment.split(',') {
            let (name, expected) = item.trim().rsplit_once(' ').unwrap();
            let found = found(trace, row as u32 + 1, name);
            if found.as_deref() != Some(expected) {
                let place = format!("{}:{}", trace.file.path, row + 1);
                problems.push(format!("{place}: {name} is {found:?}, not {expected}"));
            }
        }
    }
    problems
}

/// The count of the block called `name` that starts on `line`; `?` without a probe.
fn found(trace: &Trace<'_>, line: u32, name: &str) -> Option<String> {
    let matches = |block: &Block| {
        let own = own_name(trace.blocks, block);
        block.start_line == line && (own == name || own.ends_with(&format!(".{name}")))
    };
    let index = trace.blocks.blocks.iter().position(matches)?;
    match trace.probed[index] {
        true => Some(count(trace, index).to_string()),
        false => Some("?".to_owned()),
    }
}

fn own_name(blocks: &FileBlocks, block: &Block) -> String {
    let unit = blocks.unit_of(block);
    match (block.kind, unit.kind) {
        (BlockKind::Entry, UnitKind::StaticInitializer) => "clinit".to_owned(),
        (BlockKind::Entry, UnitKind::InstanceInitializer) => "fields".to_owned(),
        (BlockKind::Entry, UnitKind::Lambda) => {
            let at = unit.name.find("lambda_").unwrap();
            unit.name[at..].to_owned()
        }
        (BlockKind::Entry, _) => "entry".to_owned(),
        _ => block.name[unit.name.len() + 1..].to_owned(),
    }
}

fn count(trace: &Trace<'_>, index: usize) -> u64 {
    trace.counts.get(&(trace.first + index)).copied().unwrap_or(0)
}

/// Whether no exception leaves a header of a loop or a condition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exact {
    Yes,
    No,
}

/// The flow invariants of `docs/internals/blocks.md`.
fn flow(trace: &Trace<'_>, exact: Exact) -> Vec<String> {
    let mut problems = Vec::new();
    let mut constructs: BTreeMap<NodeId, HashMap<BlockKind, u64>> = BTreeMap::new();
    let mut headers: HashMap<NodeId, u64> = HashMap::new();
    for (index, block) in trace.blocks.blocks.iter().enumerate() {
        if !trace.probed[index] {
            continue;
        }
        let id = block.construct;
        constructs.entry(id).or_default().insert(block.kind, count(trace, index));
        if let Some(condition) = syntax::field(trace.file.node(id), Field::Condition)
            && let Some(owner) = trace.blocks.owners.get(condition.id())
            && trace.probed[owner]
        {
            headers.insert(id, count(trace, owner));
        }
    }
    for (id, counts) in constructs {
        let get = |kind| counts.get(&kind).copied();
        let (init, test) = (get(BlockKind::ForInit), get(BlockKind::ForTest));
        let (update, body) = (get(BlockKind::ForUpdate), get(BlockKind::ForBody));
        let mut check = |what: &str, holds: Option<bool>| {
            if holds == Some(false) {
                problems.push(format!(
                    "{}: {what}: {counts:?} {:?}",
                    trace.file.path,
                    headers.get(&id)
                ));
            }
        };
        let entered = init.zip(update).map(|(i, u)| i + u);
        let agrees = |a: u64, b: u64| if exact == Exact::Yes { a == b } else { a <= b };
        check("for: test = init + update", test.zip(entered).map(|(t, e)| agrees(t, e)));
        check("for: update <= body", update.zip(body).map(|(u, b)| u <= b));
        check("for: body <= test", body.zip(test).map(|(b, t)| b <= t));
        let (test, body) = (get(BlockKind::WhileTest), get(BlockKind::WhileBody));
        check("while: body <= test", body.zip(test).map(|(b, t)| b <= t));
        let (test, body) = (get(BlockKind::DoTest), get(BlockKind::DoBody));
        check("do: test <= body", test.zip(body).map(|(t, b)| t <= b));
        let (then, otherwise) = (get(BlockKind::Then), get(BlockKind::Else));
        let header = headers.get(&id).copied();
        check("if: then <= condition", then.zip(header).map(|(t, h)| t <= h));
        let both = then.zip(otherwise).map(|(t, o)| t + o);
        check("if: then + else = condition", both.zip(header).map(|(b, h)| agrees(b, h)));
    }
    problems
}

#[test]
fn instrumenting_keeps_carriage_returns_tabs_and_marks() {
    let unix = "\u{feff}class T {\n\tvoid m() {\n\t\tif (a)\n\t\t\tf(1,\n2); // x\n\t}\n}// end";
    let text = unix.replace('\n', "\r\n");
    let file = SourceFile::parse("T.java", text.clone());
    let blocks = divide(&file, Granularity::Statement);
    let files = std::slice::from_ref(&file);
    let InstrumentedSources { files, .. } =
        instrument(files, &[blocks], &InstrumentOptions::default());
    let expected = text
        .replace("m() {", "m() { wattline$rt.W.c(0);")
        .replace("f(1", "{ wattline$rt.W.c(1); f(1")
        .replace("2);", "2); }");
    assert_eq!(files[0].text, expected);
}
