//! A whole source tree, named by WATTLINE_CORPUS (its class path by
//! WATTLINE_CORPUS_CLASSPATH, more options of javac by WATTLINE_CORPUS_OPTIONS): with probes it compiles as it did without, and so does
//! each of WATTLINE_SINGLES single removals, of WATTLINE_SETS removals of 50 blocks,
//! and the removal of everything that can be removed.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use super::java::{Build, has_jdk, java_files};
use wattline::blocks::{BlockId, FileBlocks, Granularity, divide};
use wattline::instrument::{Instrumented, Options, Probe, instrument, removable};
use wattline::java::SourceFile;

struct Corpus<'t> {
    files: &'t [SourceFile],
    blocks: Vec<FileBlocks<'t>>,
    granularity: Granularity,
    classpath: String,
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
    let time = Instant::now();
    let blocks: Vec<FileBlocks<'_>> = files.iter().map(|f| divide(f, granularity)).collect();
    let total: usize = blocks.iter().map(|b| b.blocks.len()).sum();
    println!("{total} blocks of {} files in {:?}", files.len(), time.elapsed());
    let classpath = std::env::var("WATTLINE_CORPUS_CLASSPATH").unwrap_or_default();
    let corpus = Corpus { files: &files, blocks, granularity, classpath };
    corpus.compile("plain", &corpus.variant(Probe::Plain, &BTreeSet::new()), "").unwrap();
    let log = corpus.variant(Probe::Log, &BTreeSet::new());
    corpus.compile("log", &log, "").unwrap();
    let count = corpus.variant(Probe::Count, &BTreeSet::new());
    let whole = corpus.compile("count", &count, "").unwrap();
    for (file, generated) in files.iter().zip(&count.files) {
        assert_eq!(file.text.lines().count(), generated.text.lines().count(), "{}", file.path);
    }
    let unprobed = count.probed.iter().filter(|probed| !**probed).count();
    println!("{unprobed} blocks without a probe");
    corpus.removals(&count, &whole);
}

impl Corpus<'_> {
    fn variant(&self, probe: Probe, removed: &BTreeSet<BlockId>) -> Instrumented {
        let options = Options { probe, removed: removed.clone(), ..Options::default() };
        instrument(self.files, &self.blocks, &options)
    }

    fn compile(&self, what: &str, out: &Instrumented, more: &str) -> Result<Build, String> {
        let time = Instant::now();
        let classpath = format!("{more}:{}", self.classpath);
        let more = std::env::var("WATTLINE_CORPUS_OPTIONS").unwrap_or_default();
        let mut options = vec!["-nowarn", "-implicit:none", "-cp", &classpath];
        options.extend(more.split_whitespace());
        let build = Build::new(out, &options);
        match &build {
            Ok(_) => println!("{what}: compiles, {:?}", time.elapsed()),
            Err(errors) => println!("{what}: {errors}"),
        }
        build
    }

    fn removals(&self, count: &Instrumented, whole: &Build) {
        let candidates = self.candidates();
        let number =
            |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(0);
        let (singles, sets): (usize, usize) = (number("WATTLINE_SINGLES"), number("WATTLINE_SETS"));
        let mut seed = 88_172_645_463_325_252_u64;
        let mut pick = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            candidates[(seed % candidates.len() as u64) as usize]
        };
        let mut failed = Vec::new();
        for round in 0..=singles + sets {
            let removed: BTreeSet<BlockId> = match round {
                0 => candidates.iter().copied().collect(),
                round if round <= singles => BTreeSet::from([pick()]),
                _ => (0..50).map(|_| pick()).collect(),
            };
            let what = format!("{round}, without {} blocks", removed.len());
            let mut out = self.variant(Probe::Count, &removed);
            out.files.retain(|file| !count.files.contains(file));
            let classes = whole.class_folder();
            let compiled = self.compile(&what, &out, classes.to_str().unwrap());
            if compiled.is_err() || !self.divides_the_same(&removed) {
                failed.push(round);
            }
        }
        assert!(failed.is_empty(), "{failed:?}");
    }

    /// The removable blocks.
    fn candidates(&self) -> Vec<BlockId> {
        let mut candidates = Vec::new();
        let mut reasons = BTreeMap::<&str, usize>::new();
        let mut first = 0;
        for (file, blocks) in self.files.iter().zip(&self.blocks) {
            for (index, result) in removable(file, blocks).into_iter().enumerate() {
                match result {
                    Ok(()) => candidates.push(BlockId((first + index) as u32)),
                    Err(why) => *reasons.entry(why).or_default() += 1,
                }
            }
            first += blocks.blocks.len();
        }
        println!("{} removable, others {reasons:#?}", candidates.len());
        candidates
    }

    /// Whether a power build without `removed` has the same blocks.
    fn divides_the_same(&self, removed: &BTreeSet<BlockId>) -> bool {
        let plain = self.variant(Probe::Plain, removed);
        let mut same = true;
        for ((file, before), original) in plain.files.iter().zip(&self.blocks).zip(self.files) {
            if file.text == original.text {
                continue;
            }
            let variant = SourceFile::parse(&file.path, &file.text);
            let after = divide(&variant, self.granularity);
            let names = |blocks: &FileBlocks<'_>| -> Vec<String> {
                blocks.blocks.iter().map(|b| b.name.clone()).collect()
            };
            if names(before) != names(&after) {
                println!("{} divides differently", file.path);
                same = false;
            }
        }
        same
    }
}
