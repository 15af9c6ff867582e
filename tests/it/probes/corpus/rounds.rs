//! Single removals by the thousand: one block of every method at once, as methods don't
//! see each other's statements. The compiler's errors tell which removals failed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Compiler, Corpus, Said, write};
use wattline::blocks::{BlockId, FileBlocks, Granularity, UnitKind, divide};
use wattline::instrument::{Probe, removable};
use wattline::java::SourceFile;

/// What came of the removals.
pub struct Removal {
    /// Blocks that are said to be removable.
    pub removable: usize,
    /// Blocks that were removed.
    pub tried: usize,
    /// Those whose removal doesn't compile, or changes other blocks, with the reason.
    pub failed: BTreeMap<String, String>,
}

/// A removable block, and where the errors of its removal would be.
struct Candidate {
    id: BlockId,
    name: String,
    file: usize,
    /// Lines of its unit, from 1.
    lines: (i64, i64),
}

/// Judges the first removable blocks of every method, or as many as WATTLINE_ROUNDS says.
pub fn judge(corpus: &Corpus<'_>, tree: &Path, compiler: &mut Compiler) -> Removal {
    let wanted = std::env::var("WATTLINE_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let (rounds, reasons) = rounds(corpus);
    println!("{}: not removable: {reasons:?}", corpus.name);
    let removable = rounds.iter().map(Vec::len).sum();
    let (mut tried, mut failed) = (0, BTreeMap::new());
    for round in rounds.iter().take(wanted) {
        tried += round.len();
        let removed = round.iter().map(|candidate| candidate.id).collect();
        let changed: BTreeSet<usize> = round.iter().map(|candidate| candidate.file).collect();
        let made = corpus.variant(Probe::Plain, &removed);
        write(&made, tree, |index| changed.contains(&index));
        let mut said = compiler.compile(tree, None);
        said.retain(|said| said.kind == "ERROR");
        if !said.is_empty() {
            // Some files compile only together with all others, whatever is removed.
            write(&corpus.variant(Probe::Plain, &BTreeSet::new()), tree, |i| changed.contains(&i));
            let old = compiler.compile(tree, None);
            said.retain(|said| {
                !old.iter().any(|old| old.file == said.file && old.line == said.line)
            });
        }
        failed.extend(said.iter().flat_map(|error| ascribe(corpus, round, error)));
        for index in changed {
            let (blocks, file) = (&corpus.blocks[index], &corpus.files[index]);
            if !divides_the_same(blocks, file, &made.files[index].text) {
                failed.insert(file.path.clone(), "it divides differently".to_owned());
            }
        }
    }
    Removal { removable, tried, failed }
}

type Reasons = BTreeMap<&'static str, usize>;

/// Round n has the n-th removable block of every method; those of a file's initialisers
/// and constructors, which share fields, take turns. And why others aren't removable.
fn rounds(corpus: &Corpus<'_>) -> (Vec<Vec<Candidate>>, Reasons) {
    let mut rounds: Vec<Vec<Candidate>> = Vec::new();
    let mut reasons = Reasons::new();
    let mut first = 0;
    for (number, (file, blocks)) in corpus.files.iter().zip(&corpus.blocks).enumerate() {
        let mut turns = BTreeMap::<u32, usize>::new();
        for (index, result) in removable(file, blocks).into_iter().enumerate() {
            if let Err(why) = result {
                *reasons.entry(why).or_default() += 1;
                continue;
            }
            let block = &blocks.blocks[index];
            let unit = blocks.unit_of(block);
            let node = file.node(unit.node);
            let alone = matches!(unit.kind, UnitKind::Method | UnitKind::Lambda);
            let turn = turns.entry(if alone { block.unit.0 } else { u32::MAX }).or_default();
            if rounds.len() == *turn {
                rounds.push(Vec::new());
            }
            rounds[*turn].push(Candidate {
                id: BlockId((first + index) as u32),
                name: format!("{}:{} {}", file.path, block.start_line, block.name),
                file: number,
                lines: (i64::from(node.line()), i64::from(file.last_line(node))),
            });
            *turn += 1;
        }
        first += blocks.blocks.len();
    }
    (rounds, reasons)
}

/// The removals that an error may be due to: that of the innermost unit around its line,
/// else all of its file.
fn ascribe(corpus: &Corpus<'_>, round: &[Candidate], error: &Said) -> Vec<(String, String)> {
    let of_file: Vec<&Candidate> =
        round.iter().filter(|c| corpus.files[c.file].path == error.file).collect();
    let around = of_file.iter().filter(|c| (c.lines.0..=c.lines.1).contains(&error.line));
    let name = |c: &Candidate| (c.name.clone(), format!("line {}: {}", error.line, error.message));
    match around.min_by_key(|c| c.lines.1 - c.lines.0) {
        Some(candidate) => vec![name(candidate)],
        None if of_file.is_empty() => vec![(error.file.clone(), format!("{error:?}"))],
        None => of_file.into_iter().map(name).collect(),
    }
}

/// Whether a variant of `file` has the same blocks.
fn divides_the_same(blocks: &FileBlocks, file: &SourceFile, text: &str) -> bool {
    let variant = SourceFile::parse(&file.path, text);
    let granularity = match std::env::var("WATTLINE_GRANULARITY").as_deref() {
        Ok("expression") => Granularity::Expression,
        _ => Granularity::Statement,
    };
    let variant = divide(&variant, granularity);
    variant.blocks.len() == blocks.blocks.len()
        && variant.blocks.iter().zip(&blocks.blocks).all(|(a, b)| a.name == b.name)
}
