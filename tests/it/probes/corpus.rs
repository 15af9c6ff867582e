//! A whole source tree, named by WATTLINE_CORPUS: with each probe it compiles with
//! the same errors and warnings as without, and so does every single removal.
//! `tests/corpus.sh` calls it for several projects.
//!
//! WATTLINE_CORPUS_OPTIONS: more options of javac, separated by spaces.
//! WATTLINE_CORPUS_JAVA_HOME: the JDK. WATTLINE_SINGLES: removals per file at most.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use super::compiler::{Compiler, Said};
use super::java::{has_jdk, java_files};
use wattline::blocks::{BlockId, FileBlocks, Granularity, divide};
use wattline::instrument::{Instrumented, Options, Probe, instrument, removable};
use wattline::java::SourceFile;

struct Corpus<'t> {
    files: &'t [SourceFile],
    blocks: Vec<FileBlocks<'t>>,
    granularity: Granularity,
}

#[test]
fn a_corpus_compiles_with_probes_and_without_blocks() {
    let Some(root) = std::env::var_os("WATTLINE_CORPUS").filter(|_| has_jdk()) else {
        println!("skipped: WATTLINE_CORPUS names no source tree");
        return;
    };
    let mut files = java_files(Path::new(&root));
    // Code for another platform, and what javac compiles only with its module.
    files.retain(|file| !file.path.contains("gwtemul") && !file.path.ends_with("-info.java"));
    let granularity = match std::env::var("WATTLINE_GRANULARITY").as_deref() {
        Ok("expression") => Granularity::Expression,
        _ => Granularity::Statement,
    };
    let blocks: Vec<FileBlocks<'_>> = files.iter().map(|f| divide(f, granularity)).collect();
    let corpus = Corpus { files: &files, blocks, granularity };
    println!("table: {} files, {} blocks", files.len(), corpus.total());
    let folder = tempfile::tempdir().unwrap();
    let (classes, tree) = (folder.path().join("classes"), folder.path().join("tree"));
    let mut compiler = Compiler::start(&options(&classes));
    let none = BTreeSet::new();
    let time = Instant::now();
    write(&corpus.variant(Probe::Plain, &none), &tree, |_| true);
    let plain = compiler.compile(&tree, Some(&classes));
    println!("plain: {}, {:?}", summary(&plain), time.elapsed());
    let mut problems = Vec::new();
    for probe in [Probe::Count, Probe::Log] {
        let made = corpus.variant(probe, &none);
        write(&made, &tree, |_| true);
        let said = compiler.compile(&tree, Some(&folder.path().join(format!("{probe:?}"))));
        let new = new_ones(&plain, &said);
        let unprobed = made.probed.iter().filter(|probed| !**probed).count();
        println!("table: {probe:?}: {}, {} new, {unprobed} unprobed", summary(&said), new.len());
        problems.extend(new.into_iter().map(|said| format!("{probe:?} {said:?}")));
        problems.extend(lines_differ(&files, &made));
        println!("{} {:?}", reasons(&made), time.elapsed());
    }
    std::fs::remove_dir_all(&tree).unwrap();
    let failed = corpus.removals(&plain, &tree, &mut compiler);
    problems.iter().take(60).for_each(|problem| println!("{problem}"));
    assert!(problems.is_empty(), "{} new errors and warnings", problems.len());
    assert!(failed, "more than 1 % of the removals don't compile");
}

/// Reasons why blocks have no probe, with their numbers.
fn reasons(made: &Instrumented) -> String {
    let mut reasons = BTreeMap::<&str, usize>::new();
    for finding in &made.findings {
        let why = finding.message.split_once("not counted: ").map_or("", |(_, why)| why);
        *reasons.entry(why).or_default() += 1;
    }
    format!("{reasons:#?}")
}

fn options(classes: &Path) -> Vec<String> {
    let mut options = vec!["-Xlint:all".to_owned()];
    let more = std::env::var("WATTLINE_CORPUS_OPTIONS").unwrap_or_default();
    options.extend(more.split_whitespace().map(str::to_owned));
    let classes = classes.display().to_string();
    match options.iter().position(|option| option == "-cp") {
        Some(at) => options[at + 1] = format!("{classes}:{}", options[at + 1]),
        None => options.extend(["-cp".to_owned(), classes]),
    }
    options
}

fn summary(said: &[Said]) -> String {
    let errors = said.iter().filter(|said| said.kind == "ERROR").count();
    format!("{errors} errors, {} warnings", said.len() - errors)
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

fn lines_differ(files: &[SourceFile], made: &Instrumented) -> Vec<String> {
    let pairs = files.iter().zip(&made.files);
    let differ =
        pairs.filter(|(a, b)| a.text.matches('\n').count() != b.text.matches('\n').count());
    differ.map(|(file, _)| format!("{} has other lines", file.path)).collect()
}

fn write(made: &Instrumented, tree: &Path, wanted: impl Fn(usize) -> bool) {
    let chosen = made.files.iter().enumerate().filter(|(index, _)| wanted(*index));
    for file in chosen.map(|(_, file)| file).chain(&made.runtime) {
        let path = tree.join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &file.text).unwrap();
    }
}

impl Corpus<'_> {
    fn total(&self) -> usize {
        self.blocks.iter().map(|blocks| blocks.blocks.len()).sum()
    }

    fn variant(&self, probe: Probe, removed: &BTreeSet<BlockId>) -> Instrumented {
        let options = Options { probe, removed: removed.clone(), ..Options::default() };
        instrument(self.files, &self.blocks, &options)
    }

    /// Rounds with one removal in each file, attributed against the classes of the
    /// whole: an error belongs to the removal in its file. Whether 99 % compile.
    fn removals(&self, plain: &[Said], tree: &Path, compiler: &mut Compiler) -> bool {
        let mut queues = self.candidates();
        let most = std::env::var("WATTLINE_SINGLES").ok().and_then(|n| n.parse().ok());
        queues.iter_mut().for_each(|queue| sample(queue, most.unwrap_or(0)));
        let old: BTreeSet<_> = plain.iter().map(|said| (&said.file, said.line)).collect();
        let (mut tried, mut failed) = (0, Vec::new());
        for round in 0..queues.iter().map(Vec::len).max().unwrap_or(0) {
            let ids: Vec<_> = queues.iter().map(|queue| queue.get(round).copied()).collect();
            let made = self.variant(Probe::Plain, &ids.iter().flatten().copied().collect());
            let _ = std::fs::remove_dir_all(tree);
            write(&made, tree, |index| ids[index].is_some());
            let said = compiler.compile(tree, None);
            tried += ids.iter().flatten().count();
            for ((file, id), variant) in self.files.iter().zip(&ids).zip(&made.files) {
                let Some(id) = id else { continue };
                let error = said.iter().find(|said| {
                    said.kind == "ERROR"
                        && said.file == file.path
                        && !old.contains(&(&said.file, said.line))
                });
                if let Some(error) = error {
                    failed.push(format!("{} {error:?}", self.name(*id)));
                } else if !self.divides_the_same(file, &variant.text) {
                    failed.push(format!("{} divides differently", self.name(*id)));
                }
            }
        }
        failed.iter().take(100).for_each(|failed| println!("removal failed: {failed}"));
        println!("table: {} of {tried} single removals fail", failed.len());
        failed.len() * 100 <= tried
    }

    fn name(&self, id: BlockId) -> &str {
        let mut blocks = self.blocks.iter().flat_map(|file| &file.blocks);
        blocks.nth(id.0 as usize).map_or("", |block| &block.name)
    }

    /// The removable blocks of each file.
    fn candidates(&self) -> Vec<Vec<BlockId>> {
        let mut candidates = Vec::new();
        let mut reasons = BTreeMap::<&str, usize>::new();
        let mut first = 0;
        for (file, blocks) in self.files.iter().zip(&self.blocks) {
            let mut here = Vec::new();
            for (index, result) in removable(file, blocks).into_iter().enumerate() {
                match result {
                    Ok(()) => here.push(BlockId((first + index) as u32)),
                    Err(why) => *reasons.entry(why).or_default() += 1,
                }
            }
            candidates.push(here);
            first += blocks.blocks.len();
        }
        let number: usize = candidates.iter().map(Vec::len).sum();
        println!("table: {number} removable, others {reasons:#?}");
        candidates
    }

    /// Whether a variant of `file` has the same blocks.
    fn divides_the_same(&self, file: &SourceFile, text: &str) -> bool {
        let variant = SourceFile::parse(&file.path, text);
        let names = |blocks: &FileBlocks<'_>| -> Vec<String> {
            blocks.blocks.iter().map(|b| b.name.clone()).collect()
        };
        let index = self.files.iter().position(|other| other.path == file.path).unwrap();
        names(&self.blocks[index]) == names(&divide(&variant, self.granularity))
    }
}

/// At most `most` of `queue`, spread evenly.
fn sample(queue: &mut Vec<BlockId>, most: usize) {
    let length = queue.len();
    if length > most {
        *queue = (0..most).map(|i| queue[i * length / most]).collect();
    }
}
