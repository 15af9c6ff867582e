//! Whole source trees, the projects of the corpus and the JDK's own java.base: with
//! each probe they compile with the same errors and warnings as without, and blocks
//! that are said to be removable can be removed. Prints the rows of
//! docs/experiments/2026-11-probes-corpus.md.
//!
//! Runs the quick projects of the corpus; with WATTLINE_PROBES=all every one and
//! java.base, with WATTLINE_PROBES=NAME those with NAME in their name, and with
//! WATTLINE_CORPUS=FOLDER that source tree, with the options of javac in
//! WATTLINE_CORPUS_OPTIONS. WATTLINE_ROUNDS=N judges N removals in every method (default
//! 1), WATTLINE_GRANULARITY=expression divides so. JAVA_HOME is the JDK.

#![allow(clippy::unwrap_used)]

mod rounds;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::compiler::{Compiler, Said, java};
use super::java::{has_jdk, java_files};
use crate::projects::{java_version, module_sources, projects};
use wattline::blocks::{BlockId, FileBlocks, Granularity, divide};
use wattline::instrument::{InstrumentOptions, InstrumentedSources, Probe, instrument};
use wattline::java::SourceFile;

struct Corpus<'t> {
    name: &'t str,
    files: &'t [SourceFile],
    blocks: Vec<FileBlocks>,
}

#[test]
#[ignore = "fetches and compiles real projects; scripts/nightly.sh runs it"]
fn real_projects_compile_with_probes_and_without_blocks() {
    if !has_jdk() {
        return;
    }
    let wanted = std::env::var("WATTLINE_PROBES").unwrap_or_default();
    let is_wanted = |name: &str, quick: bool| match wanted.as_str() {
        "" => quick,
        "all" => true,
        part => name.contains(part),
    };
    let mut problems = Vec::new();
    println!(
        "| project | files | blocks | said plain | new: count | log | no probe | removable | tried | fail |\n\
         |---|---|---|---|---|---|---|---|---|---|"
    );
    let version = java_version(&java());
    let folder = tempfile::tempdir().unwrap();
    for project in projects().iter().filter(|p| is_wanted(p.name(), p.quick)) {
        let sources = folder.path().join(project.name().replace(':', "_"));
        if version < project.java {
            crate::skip::outside(format!("{} needs Java {}", project.name(), project.java));
            continue;
        }
        match project.fetched(&sources) {
            Ok(libraries) => {
                let path = std::env::join_paths(libraries).unwrap().into_string().unwrap();
                problems.extend(judge(project.name(), &sources, &classpath(&path)));
            }
            Err(error) => crate::skip::because(format!("{}: {error}", project.name())),
        }
    }
    if is_wanted("java.base", false)
        && let Some(sources) = module_sources("java.base", folder.path())
    {
        let patch = ["--patch-module".to_owned(), "java.base={tree}".to_owned()];
        problems.extend(judge("java.base", &sources, &patch));
    }
    if let Some(root) = std::env::var_os("WATTLINE_CORPUS") {
        let options = std::env::var("WATTLINE_CORPUS_OPTIONS").unwrap_or_default();
        let options: Vec<_> = options.split_whitespace().map(str::to_owned).collect();
        problems.extend(judge("WATTLINE_CORPUS", Path::new(&root), &options));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Options that name `path` and the classes compiled without probes.
fn classpath(path: &str) -> [String; 2] {
    ["-cp".to_owned(), format!("{{classes}}:{path}")]
}

/// Judges one tree, prints its row, and says what is wrong. In `options`, `{tree}` is
/// the folder of the sources that are compiled, `{classes}` that of the plain classes.
fn judge(name: &str, sources: &Path, options: &[String]) -> Vec<String> {
    let files = java_files(sources);
    let granularity = match std::env::var("WATTLINE_GRANULARITY").as_deref() {
        Ok("expression") => Granularity::Expression,
        _ => Granularity::Statement,
    };
    let blocks: Vec<FileBlocks> = files.iter().map(|f| divide(f, granularity)).collect();
    let corpus = Corpus { name, files: &files, blocks };
    let folder = tempfile::tempdir().unwrap();
    let (tree, classes) = (folder.path().join("tree"), folder.path().join("classes"));
    let place = |option: &String| {
        let option = option.replace("{tree}", tree.to_str().unwrap());
        option.replace("{classes}", classes.to_str().unwrap())
    };
    let mut all = vec!["-Xlint:all".to_owned()];
    all.extend(options.iter().map(place));
    let mut compiler = Compiler::start(&all);
    let none = BTreeSet::new();
    write(&corpus.variant(Probe::Plain, &none), &tree, |_| true);
    let plain = compiler.compile(&tree, Some(&classes));
    let mut problems = Vec::new();
    let mut news = Vec::new();
    let mut unprobed = 0;
    for probe in [Probe::Count, Probe::Log, Probe::Calls] {
        let made = corpus.variant(probe, &none);
        write(&made, &tree, |_| true);
        let said = compiler.compile(&tree, Some(&folder.path().join(format!("{probe:?}"))));
        let new = new_ones(&plain, &said);
        if probe != Probe::Calls {
            news.push(new.len().to_string());
        }
        unprobed = made.probed.iter().filter(|probed| !**probed).count();
        problems.extend(new.into_iter().take(30).map(|said| format!("{name}: {probe:?} {said:?}")));
        problems.extend(lines_differ(&files, &made));
        if probe == Probe::Log {
            println!("{}", reasons(&made));
        }
    }
    let removal = rounds::judge(&corpus, &tree, &mut compiler);
    println!(
        "| {name} | {} | {} | {} | {} | {unprobed} | {} | {} | {} |",
        files.len(),
        corpus.blocks.iter().map(|blocks| blocks.blocks.len()).sum::<usize>(),
        plain.len(),
        news.join(" | "),
        removal.removable,
        removal.tried,
        removal.failed.len(),
    );
    removal
        .failed
        .iter()
        .take(100)
        .for_each(|(name, why)| println!("removal failed: {name} ({why})"));
    if removal.failed.len() * 100 > removal.tried {
        problems.push(format!("{name}: more than 1 % of the removals don't compile"));
    }
    problems
}

/// Reasons why blocks have no probe, with their numbers.
fn reasons(made: &InstrumentedSources) -> String {
    let mut reasons = BTreeMap::<&str, usize>::new();
    for finding in &made.findings {
        let why = finding.message.split_once("not counted: ").map_or("", |(_, why)| why);
        *reasons.entry(why).or_default() += 1;
    }
    format!("not counted: {reasons:?}")
}

/// What is said of `after` and not of `before`, by file, line and code.
fn new_ones<'a>(before: &[Said], after: &'a [Said]) -> Vec<&'a Said> {
    let key = |said: &Said| (said.code.clone(), said.file.clone(), said.line);
    let mut known = BTreeMap::<_, usize>::new();
    for said in before {
        *known.entry(key(said)).or_default() += 1;
    }
    let is_new = |said: &&Said| match known.get_mut(&key(said)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    after.iter().filter(is_new).collect()
}

fn lines_differ(files: &[SourceFile], made: &InstrumentedSources) -> Vec<String> {
    let pairs = files.iter().zip(&made.files);
    let differ =
        pairs.filter(|(a, b)| a.text.matches('\n').count() != b.text.matches('\n').count());
    differ.map(|(file, _)| format!("{} has other lines", file.path)).collect()
}

/// Writes the files that are wanted, and nothing else, into `tree`.
fn write(made: &InstrumentedSources, tree: &Path, wanted: impl Fn(usize) -> bool) {
    let _ = std::fs::remove_dir_all(tree);
    let chosen = made.files.iter().enumerate().filter(|(index, _)| wanted(*index));
    for file in chosen.map(|(_, file)| file).chain(&made.runtime) {
        let path = tree.join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &file.text).unwrap();
    }
}

impl Corpus<'_> {
    fn variant(&self, probe: Probe, removed: &BTreeSet<BlockId>) -> InstrumentedSources {
        let options =
            InstrumentOptions { probe, removed: removed.clone(), ..InstrumentOptions::default() };
        instrument(self.files, &self.blocks, &options)
    }
}
