//! Costs against the truth of the unremoved cases, and against cases not fitted to.

use std::collections::BTreeMap;
use std::fs;

use wattline::account::evaluate::Level;
use wattline::account::{Measured, Scenario, Truth, account, evaluate};
use wattline::blocks::BlockId;
use wattline::dataset::{IdlePolicy, Table};
use wattline::kernels::measure::{ITERATIONS, KernelRun, kernel_prices, table};
use wattline::kernels::prices::{KernelPrices, prices_csv};
use wattline::model::{ContextPrice, CostPriors, Model, metrics::nmae};
use wattline::operations::{Dictionary, Mix};

use crate::Outcome;
use crate::campaign::{Campaign, Part};
use crate::protocol::Campaigns;

/// Errors as shares: median and 90th percentile over the lines and methods that make 95 %
/// of the true energy; mean over cases.
#[derive(Debug, Clone, Copy)]
pub struct Errors {
    pub line: (f64, f64),
    pub method: (f64, f64),
    pub nmae: f64,
}

/// What kernels tell, and the board time that it took.
#[derive(Debug, Clone, Default)]
pub struct KernelPart {
    pub sessions: u32,
    pub priors: CostPriors,
    pub contexts: Vec<ContextPrice>,
    pub board_s: f64,
}

/// The truth and the cases held out, the same for every protocol.
pub struct Judge<'c> {
    dictionary: &'c Dictionary,
    executions: BTreeMap<BlockId, u64>,
    truth: Truth,
    /// What kernels of the first 1, 2, 3, ... sessions tell.
    pub kernels: Vec<KernelPart>,
}

/// All sessions of a campaign.
pub const ALL: Part = Part { power: u32::MAX, idle: u32::MAX, policy: IdlePolicy::Campaign };

impl<'c> Judge<'c> {
    pub fn new(campaigns: &'c Campaigns) -> Outcome<Judge<'c>> {
        let planned = &campaigns.planned;
        let folder = planned.folder.join("truth");
        let text = |name: &str| fs::read_to_string(folder.join(name));
        let truth = Truth::parse(&text("lines.csv")?, &text("methods.csv")?, "")?;
        let executions = planned.base_executions();
        let mix = Mix::new(&planned.dictionary, |block| {
            executions.get(&BlockId(block as u32)).copied().unwrap_or(0)
        });
        let kernels = read_kernels(planned, &mix)?;
        Ok(Judge { dictionary: &planned.dictionary, executions, truth, kernels })
    }

    /// The errors of a model; `held_out` are tables that it was not fitted to.
    pub fn errors(&self, model: &Model, held_out: &[Table]) -> Outcome<Errors> {
        let measured = Measured::default();
        let accounts = account(&Scenario {
            dictionary: self.dictionary,
            executions: &self.executions,
            model,
            measured: &measured,
        });
        let evaluation = evaluate(&accounts, self.dictionary, &self.truth);
        let level = |level| {
            let row = evaluation.level(level).ok_or("the truth has no such level")?;
            Outcome::Ok((row.median_error, row.p90_error))
        };
        let (mut predicted, mut measured) = (Vec::new(), Vec::new());
        for table in held_out {
            for (index, case) in table.cases.iter().enumerate() {
                predicted.push(predict(model, table, index));
                measured.push(case.energy_j);
            }
        }
        let nmae = nmae(&predicted, &measured).ok_or("no case is held out")?;
        Ok(Errors { line: level(Level::Line)?, method: level(Level::Method)?, nmae })
    }
}

fn predict(model: &Model, table: &Table, row: usize) -> f64 {
    let counts = table.features.iter().zip(table.row(row));
    let known = counts.filter_map(|(name, count)| Some((model.index_of(name)?, *count)));
    known.map(|(index, count)| model.costs[index].cost_j * count).sum()
}

/// The kernels' prices after each of their sessions.
fn read_kernels(campaign: &Campaign, mix: &Mix) -> Outcome<Vec<KernelPart>> {
    let counts = read_kernel_counts(campaign)?;
    let windows = fs::read_to_string(campaign.folder.join("kernel-windows.csv"))?;
    let mut sessions: BTreeMap<u32, Vec<KernelRun>> = BTreeMap::new();
    for row in csv::Reader::from_reader(windows.as_bytes()).deserialize() {
        let (name, repeat, iterations, collections, energy_j, duration_s) = row?;
        let run = KernelRun { name, iterations, collections, energy_j, duration_s };
        sessions.entry(repeat).or_default().push(run);
    }
    let (mut parts, mut runs, mut board_s) = (Vec::new(), Vec::new(), 0.0);
    for (repeat, session) in sessions {
        runs.extend(session);
        board_s += session_s(campaign, repeat)?;
        let KernelPrices { prices, priors } = kernel_prices(&table(&runs, &counts), mix)?;
        let contexts = ContextPrice::from_csv(&prices_csv(&prices)?)?;
        parts.push(KernelPart { sessions: repeat, priors, contexts, board_s });
    }
    Ok(parts)
}

/// Counts per iteration of each kernel.
fn read_kernel_counts(campaign: &Campaign) -> Outcome<BTreeMap<String, BTreeMap<String, f64>>> {
    let text = fs::read_to_string(campaign.folder.join("kernel-cases.csv"))?;
    let mut kernels = BTreeMap::new();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers()?.clone();
    for row in reader.records() {
        let row = row?;
        let mut counts = BTreeMap::new();
        for (feature, count) in header.iter().zip(&row).skip(5) {
            let count = count.parse::<f64>()? / ITERATIONS;
            if count > 0.0 && feature != wattline::dataset::GARBAGE_COLLECTION {
                counts.insert(feature.to_string(), count);
            }
        }
        kernels.insert(row[0].to_string(), counts);
    }
    Ok(kernels)
}

/// The length of a kernel session: from its first sample to its last.
fn session_s(campaign: &Campaign, repeat: u32) -> Outcome<f64> {
    let file = campaign.folder.join(format!("kernel-runs/{repeat}/samples.txt.zst"));
    let text = String::from_utf8(zstd::decode_all(fs::File::open(file)?)?)?;
    let times: Vec<f64> =
        text.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return Err("a kernel session has no samples".into());
    };
    Ok(last - first)
}
