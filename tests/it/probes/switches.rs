//! Switches against removal: a switch that is off does what leaving its statement out
//! does, to the last execution of every block.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use wattline::blocks::{BlockId, FileBlocks, Granularity};
use wattline::instrument::{
    InstrumentOptions, Probe, Removals, StatementPosition, instrument, removable,
};
use wattline::java::SourceFile;
use wattline::toolchain::Jdk;
use wattline::toolchain::jvm::{self, JvmEnd, JvmRun};

use super::java::{Build, has_jdk};
use super::{divided, main_class, targets};

/// One of so many removable blocks is removed at a time.
const SHARES: usize = 4;

/// What these do depends on the code's length: one reads its own class file, one
/// recurses until the stack is full.
const BY_LENGTH: [&str; 2] = ["Loaders.java", "Exits.java"];

/// How a run ended, what it printed, and its counts.
type Seen = (JvmEnd, String, HashMap<usize, u64>);

fn run(jdk: &Jdk, build: &Build, file: &SourceFile, off: &[usize]) -> Seen {
    let directory = tempfile::tempdir().unwrap();
    build.forget_counts();
    let plan = JvmRun {
        options: vec![
            format!("-Dwattline.out={}", build.folder().display()),
            "-Dwattline.limit=50000000".to_owned(),
            format!("-Dwattline.off={}", digits(off)),
        ],
        classpath: vec![build.class_folder()],
        main: main_class(file).to_owned(),
        arguments: Vec::new(),
        directory: directory.path().to_path_buf(),
        input: String::new(),
        limit: Duration::from_secs(60),
    };
    let outcome = jvm::run_program(jdk, &plan).unwrap();
    (outcome.end, outcome.stdout, build.counts())
}

/// Switches as the build with them reads them: four to a hexadecimal digit.
fn digits(off: &[usize]) -> String {
    let of = |bits: Vec<&usize>| bits.iter().fold(0, |digit, number| digit | 1 << (**number % 4));
    let count = off.iter().max().map_or(0, |last| last / 4 + 1);
    let digit = |at: usize| of(off.iter().filter(|number| **number / 4 == at).collect());
    (0..count).map(|at| format!("{:x}", digit(at))).collect()
}

fn removable_blocks(files: &[SourceFile], blocks: &[FileBlocks]) -> Vec<BlockId> {
    let all = files.iter().zip(blocks).flat_map(|(file, blocks)| removable(file, blocks));
    let ids = all.enumerate().filter(|(_, removable)| removable.is_ok());
    ids.map(|(id, _)| BlockId(u32::try_from(id).unwrap())).collect()
}

#[test]
fn a_switch_that_is_off_does_what_leaving_the_statement_out_does() {
    switches_and_removals_agree(&[0]);
}

#[test]
#[ignore = "the other blocks; scripts/nightly.sh runs it"]
fn all_switches_do_what_leaving_the_statements_out_does() {
    switches_and_removals_agree(&[1, 2, 3]);
}

/// Leaves one share after the other of all removable blocks out, and last nothing.
fn switches_and_removals_agree(shares: &[usize]) {
    if !has_jdk() {
        return;
    }
    let jdk = Jdk::find().unwrap();
    let files = targets();
    let blocks = divided(&files, Granularity::Statement);
    let removable = removable_blocks(&files, &blocks);
    let removals = Removals::new(&files, &blocks);
    let probe = Probe::Count;
    let switched = removable.iter().copied().collect();
    let made = instrument(
        &files,
        &blocks,
        &InstrumentOptions { probe, switched, ..InstrumentOptions::default() },
    );
    let numbers: BTreeMap<StatementPosition, usize> =
        made.switches.iter().enumerate().map(|(number, at)| (*at, number)).collect();
    let shared = Build::new(&made, &[]).expect("the targets compile with switches");
    let mut changed = 0;
    let judged = || files.iter().filter(|file| !BY_LENGTH.contains(&file.path.as_str()));
    let whole: Vec<Seen> = judged().map(|file| run(&jdk, &shared, file, &[])).collect();
    let of_share = |share: &usize| removable.iter().skip(*share).step_by(SHARES).copied();
    let rounds = shares.iter().map(|share| of_share(share).collect()).chain([BTreeSet::new()]);
    for (round, share) in rounds.enumerate() {
        let share: BTreeSet<BlockId> = share;
        let with_switch = |id: &BlockId| {
            let statements = removals.statements(&blocks, &BTreeSet::from([*id]));
            statements.iter().all(|at| numbers.contains_key(at))
        };
        let removed: BTreeSet<BlockId> = share.into_iter().filter(with_switch).collect();
        let statements = removals.statements(&blocks, &removed);
        let off: Vec<usize> = statements.iter().filter_map(|at| numbers.get(at).copied()).collect();
        assert_eq!(off.len(), statements.len(), "all statements have a switch");
        let own = instrument(
            &files,
            &blocks,
            &InstrumentOptions { probe, removed, ..InstrumentOptions::default() },
        );
        let own = Build::new(&own, &[]).expect("variants compile");
        for (file, whole) in judged().zip(&whole) {
            let expected = run(&jdk, &own, file, &[]);
            let seen = match off.is_empty() {
                true => whole.clone(),
                false => run(&jdk, &shared, file, &off),
            };
            if expected.0 == JvmEnd::Exited(99) {
                // Ended for its work, at whatever count it was.
                assert_eq!(seen.0, expected.0, "{} in round {round}", file.path);
            } else {
                assert_eq!(seen, expected, "{} in round {round}", file.path);
            }
            changed += usize::from(expected != *whole);
        }
    }
    assert!(changed > 2 * shares.len(), "only {changed} runs differ from the whole program");
}
