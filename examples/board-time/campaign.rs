//! A campaign's folder, and data sets of parts of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use wattline::blocks::BlockId;
use wattline::campaign::{
    Phase, PlannedCase, Remains, count_operations, parse_executions, read_plan,
};
use wattline::dataset::{AssembleOptions, CaseMixes, IdlePolicy, LibraryTop, Table, assemble};
use wattline::model::ContextPrice;
use wattline::operations::{Dictionary, Mix};
use wattline::run::{RunRecord, read_counts, read_journal};

use crate::Outcome;

/// One campaign, read once.
pub struct Campaign {
    pub folder: PathBuf,
    pub dictionary: Dictionary,
    pub cases: Vec<PlannedCase>,
    records: Vec<RunRecord>,
    /// Executions per block, by case.
    executions: BTreeMap<String, Vec<u64>>,
    counts: BTreeMap<String, BTreeMap<String, u128>>,
    mixes: CaseMixes,
}

/// Which sessions of a campaign are used.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// Power runs of each case.
    pub power: u32,
    /// Idle runs of each case.
    pub idle: u32,
    /// Whether a case's idle power is its own runs' or that of all used.
    pub policy: IdlePolicy,
}

impl Campaign {
    pub fn read(folder: &Path) -> Outcome<Campaign> {
        let text = |name: &str| {
            let file = folder.join(name);
            fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))
        };
        let dictionary = Dictionary::from_csv(&text("blocks.csv")?, &text("lines.csv")?)?;
        let cases = read_plan(&text("plan.csv")?)?;
        let remains = Remains::from_csv(&text("remains.csv")?)?;
        let records = read_journal(folder)?;
        let mut executions = BTreeMap::new();
        for (case, text) in read_counts(folder, &records)? {
            executions.insert(case, parse_executions(&text, dictionary.blocks.len())?);
        }
        let (mut mixes, mut counts) = (CaseMixes::default(), BTreeMap::new());
        for case in &cases {
            let runs: &Vec<u64> = executions.get(&case.name).ok_or("a case was never traced")?;
            let variant = remains.dictionary(&dictionary, &case.variant, &case.removed);
            let mix = Mix::new(&variant, |block| runs.get(block).copied().unwrap_or(0));
            mixes.0.insert(case.name.clone(), mix);
            counts.insert(case.name.clone(), count_operations(&variant, runs));
        }
        let folder = folder.to_path_buf();
        Ok(Campaign { folder, dictionary, cases, records, executions, counts, mixes })
    }

    /// Executions per block of the unremoved cases together.
    pub fn base_executions(&self) -> BTreeMap<BlockId, u64> {
        let mut sum = BTreeMap::new();
        for case in self.cases.iter().filter(|case| case.removed.is_empty()) {
            for (block, count) in self.executions[&case.name].iter().enumerate() {
                if *count > 0 {
                    *sum.entry(BlockId(block as u32)).or_insert(0) += count;
                }
            }
        }
        sum
    }

    /// The data set of some cases and their first runs; counts weighed by what contexts
    /// cost.
    pub fn table(
        &self,
        cases: &[PlannedCase],
        part: Part,
        prices: &[ContextPrice],
    ) -> Outcome<Table> {
        let records: Vec<RunRecord> = self.used(cases, part).cloned().collect();
        let options = AssembleOptions {
            library: LibraryTop::default(),
            idle: part.policy,
            duration_mismatch: 0.25,
        };
        let mut table = assemble(cases, &records, &self.counts, &options)?.table();
        let relative = ContextPrice::index(prices);
        self.mixes.weigh(&mut table, |operation, context| {
            relative.get(&(operation, context)).copied().unwrap_or(1.0)
        });
        Ok(table)
    }

    /// Seconds of board time that the sessions of a part took, bad ones included.
    pub fn board_s(&self, cases: &[PlannedCase], part: Part) -> f64 {
        let spans = self.used(cases, part).filter_map(|record| record.conditions.uptime_s);
        spans.map(|[start, end]| end - start).sum()
    }

    fn used<'c>(
        &'c self,
        cases: &'c [PlannedCase],
        part: Part,
    ) -> impl Iterator<Item = &'c RunRecord> {
        let most = move |phase| match phase {
            Phase::Traced => 1,
            Phase::Power => part.power,
            Phase::Idle => part.idle,
        };
        self.records.iter().filter(move |record| {
            cases.iter().any(|case| case.name == record.run.case)
                && record.run.repeat <= most(record.run.phase)
        })
    }
}
