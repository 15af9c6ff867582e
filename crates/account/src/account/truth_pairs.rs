//! Pairs of each true figure with the account's, level by level.

use std::collections::{BTreeMap, BTreeSet};

use crate::account::accounts::Accounts;
use crate::account::entry::LineKey;
use crate::account::matching::{self, FigureWithTruth, MatchedFigure};
use crate::account::truth::GroundTruth;
use crate::blocks::BlockId;
use crate::operations::{BlockEntry, Dictionary};
use crate::units::Joules;

/// True energy of lines under the dictionary's file names: the equal path, or the only one that
/// ends with the other.
pub(super) fn true_lines(dictionary: &Dictionary, truth: &GroundTruth) -> BTreeMap<LineKey, f64> {
    let files: BTreeSet<&str> = dictionary.blocks.iter().map(|b| b.file.as_str()).collect();
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let mut lines = BTreeMap::new();
    for (key, energy) in &truth.lines {
        let file = *names.entry(&key.file).or_insert_with(|| file_name(&files, &key.file));
        *lines.entry(LineKey { file: file.to_string(), line: key.line }).or_default() += energy;
    }
    lines
}

/// The dictionary's name of a file of the ground truth.
fn file_name<'a>(files: &BTreeSet<&'a str>, file: &'a str) -> &'a str {
    if files.contains(file) {
        return file;
    }
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|p| p.ends_with('/'));
    let mut similar = files.iter().filter(|own| ends(own, file) || ends(file, own));
    match (similar.next(), similar.next()) {
        (Some(only), None) => only,
        _ => file,
    }
}

/// Lines with their true energy.
pub(super) fn line_pairs(
    accounts: &Accounts,
    truth: &BTreeMap<LineKey, f64>,
) -> Vec<FigureWithTruth> {
    let own: BTreeMap<&LineKey, _> = accounts.lines.iter().map(|e| (&e.key, e)).collect();
    truth
        .iter()
        .map(|(key, &energy)| FigureWithTruth {
            label: format!("{}:{}", key.file, key.line),
            truth: Joules(energy),
            estimate: own.get(key).map(|entry| entry.joules()),
            interval: own.get(key).and_then(|entry| entry.interval),
            truth_spread: None,
            spread: None,
        })
        .collect()
}

/// Blocks with their true energy, the sum over their lines. Only blocks none of whose lines (from
/// first to last, and those of its operations) has another block's operations: for shared lines
/// only the sum is known.
pub(super) fn block_pairs(
    accounts: &Accounts,
    dictionary: &Dictionary,
    truth: &BTreeMap<LineKey, f64>,
) -> Vec<FigureWithTruth> {
    let mut owners: BTreeMap<(&str, u32), BTreeSet<BlockId>> = BTreeMap::new();
    for block in &dictionary.blocks {
        for operation in &block.operations {
            owners.entry((&block.file, operation.line)).or_default().insert(block.id);
        }
    }
    let own: BTreeMap<BlockId, _> = accounts.blocks.iter().map(|b| (b.entry.key, b)).collect();
    let alone = |block: &BlockEntry, line: u32| {
        owners
            .get(&(block.file.as_str(), line))
            .is_none_or(|ids| ids.iter().all(|&id| id == block.id))
    };
    let mut pairs = Vec::new();
    for block in dictionary.blocks.iter().filter(|block| !block.operations.is_empty()) {
        let lines = lines_of(block);
        if lines.iter().all(|&line| alone(block, line)) {
            let energy = |line: u32| truth.get(&LineKey { file: block.file.clone(), line });
            let account = own.get(&block.id);
            pairs.push(FigureWithTruth {
                label: block.name.clone(),
                truth: Joules(lines.iter().filter_map(|&line| energy(line)).sum()),
                estimate: account.map(|account| account.entry.joules()),
                interval: account.and_then(|account| account.entry.interval),
                truth_spread: None,
                spread: None,
            });
        }
    }
    pairs
}

/// The lines from a block's first to its last, and those of its operations.
fn lines_of(block: &BlockEntry) -> BTreeSet<u32> {
    let own = block.operations.iter().map(|operation| operation.line);
    (block.start_line..=block.end_line).chain(own).collect()
}

/// Methods with their true energy.
pub(super) fn method_pairs(accounts: &Accounts, truth: &GroundTruth) -> Vec<FigureWithTruth> {
    let own = accounts.methods.iter().map(|entry| {
        let item = MatchedFigure {
            label: format!("{}.{}", entry.key.class, entry.key.method),
            energy: entry.joules(),
            interval: entry.interval,
            spread: None,
        };
        (matching::signature(&entry.key.class, &entry.key.method), item)
    });
    let true_methods = truth.methods.iter().map(|(class, method, energy)| {
        let label = format!("{class}.{method}");
        let item = MatchedFigure { label, energy: Joules(*energy), interval: None, spread: None };
        (matching::signature(class, method), item)
    });
    matching::match_names(own.collect(), true_methods.collect())
}

/// Operations with their true energy.
pub(super) fn operation_pairs(accounts: &Accounts, truth: &GroundTruth) -> Vec<FigureWithTruth> {
    let own: BTreeMap<&str, _> =
        accounts.operations.iter().map(|o| (o.entry.key.name(), o)).collect();
    truth
        .operations
        .iter()
        .map(|(name, energy)| FigureWithTruth {
            label: name.clone(),
            truth: Joules(*energy),
            estimate: own.get(name.as_str()).map(|account| account.entry.joules()),
            interval: own.get(name.as_str()).and_then(|account| account.entry.interval),
            truth_spread: None,
            spread: None,
        })
        .collect()
}
