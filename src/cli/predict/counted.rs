//! Prediction of runs that were only counted, with `wattline trace`, by a campaign's accounts.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::account::{InputSpread, PredictedEnergy};
use crate::blocks::BlockId;
use crate::cli::progress;
use crate::facts::ScenarioFacts;
use crate::folder::CampaignFolder;
use crate::model::{EnergyPrognosis, Model};
use crate::operations::{BlockEntry, Dictionary};
use crate::{csv_text, unseen_inputs};

use super::{Arguments, CasePrediction, Failure, Predictions, read_text};

/// Share of energy in new blocks from which it is reported.
const REPORTED_SHARE: f64 = 0.001;

/// File of counts in a folder of `wattline trace`.
const COUNTS: &str = "counts.csv";

/// Predicts the run that a folder of `trace` counted.
pub(super) fn predictions(arguments: &Arguments) -> Result<Predictions, Failure> {
    if !arguments.compare.is_empty() {
        return Err(Failure::Usage(
            "--compare: a folder of `wattline trace` is one case; cases of a data set or programs \
             of effects can be compared"
                .to_owned(),
        ));
    }
    let campaign = CampaignFolder::new(&arguments.model);
    let (mut facts, model) = (ScenarioFacts::read(&campaign, None)?, campaign.read::<Model>()?);
    facts.check(&model)?;
    let traced = TracedRun::read(&arguments.dataset)?;
    let executions = traced.executions_by_dictionary(&mut facts.dictionary);
    let predicted = facts.predict_energy(&model, &executions);
    print_new_block_share(&predicted);
    let spread = unseen_inputs::read_unseen_inputs(&campaign)?.and_then(|unseen| unseen.spread());
    print_input_spread(spread.as_ref(), &campaign);
    let name = std::path::absolute(&arguments.dataset).unwrap_or_default();
    let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let prognosis = predicted.prognosis(spread.as_ref());
    let case = CasePrediction {
        device: facts.device.clone(),
        missing_reason: missing_reason(&prognosis, spread.is_some()).map(str::to_owned),
        prognosis,
        unknown: unknown_share(&model, &facts.dictionary, &executions),
        ..CasePrediction::new(name, predicted.energy.0)
    };
    Ok(Predictions { cases: vec![case], comparisons: Vec::new() })
}

/// Reason why a distribution is absent.
fn missing_reason(prognosis: &EnergyPrognosis, knows_spread: bool) -> Option<&'static str> {
    match (&prognosis.expected, knows_spread) {
        (None, _) => Some("the accounts have no error of an energy of these counts"),
        (Some(_), false) => Some(
            "the error for unseen inputs is unknown without unseen.csv, so a new measurement has \
             no distribution",
        ),
        _ => None,
    }
}

/// Prints the share of the energy in blocks without samples, which count-based costs alone
/// estimate.
fn print_new_block_share(predicted: &PredictedEnergy) {
    let part = predicted.of_new_blocks.0 / predicted.energy.0;
    if part >= REPORTED_SHARE {
        progress::say(format!(
            "{:.1} % of the energy is in blocks that the campaign did not run, or ran too rarely \
             for samples; it is a count-based estimate. Blocks are also new or changed where \
             `trace` ran with another --granularity or --classpath than the scenario's",
            100.0 * part
        ));
    }
}

/// Prints what the interval contains: the uncertainty of the accounts, and the spread between
/// inputs where it is known.
fn print_input_spread(spread: Option<&InputSpread>, campaign: &CampaignFolder) {
    progress::say(match spread {
        Some(spread) if spread.half_width() > 0.0 => format!(
            "the interval contains the uncertainty of the accounts and the spread between inputs, \
             {:.1} % (95 %, unseen.csv)",
            100.0 * spread.half_width()
        ),
        Some(_) => "the interval contains the uncertainty of the accounts; the spread between \
                    inputs is zero (unseen.csv)"
            .into(),
        None => format!(
            "the interval contains the uncertainty of the accounts only: {} has no unseen.csv; {} \
             writes it if there are two inputs or more",
            campaign.path().display(),
            unseen_inputs::evaluate_command_for(campaign)
        ),
    });
}

/// Share of the executions of operations without a cost in the model.
fn unknown_share(
    model: &Model,
    dictionary: &Dictionary,
    executions: &BTreeMap<BlockId, u64>,
) -> f64 {
    let index = model.index();
    let (mut unknown, mut all) = (0.0, 0.0);
    for block in &dictionary.blocks {
        let runs = executions.get(&block.id).map_or(0.0, |runs| *runs as f64);
        for operation in &block.operations {
            let count = runs * f64::from(operation.count);
            all += count;
            if index.of(operation.operation.name()).is_none() {
                unknown += count;
            }
        }
    }
    if all > 0.0 { unknown / all } else { 0.0 }
}

/// Executions of a traced program by its own blocks.
struct TracedRun {
    dictionary: Dictionary,
    executions: BTreeMap<BlockId, u64>,
}

#[derive(Deserialize)]
struct BlockCountRow {
    block: u32,
    /// Number of executions; `None` for a block without a probe.
    executions: Option<u64>,
}

impl TracedRun {
    /// Reads the counts and the dictionary of a folder of `trace`.
    fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(COUNTS);
        if !path.is_file() {
            return Err(Failure::input(
                folder,
                "holds no counts.csv; `wattline trace SOURCES --main CLASS --out FOLDER` counts a \
                 run of the program",
            ));
        }
        let text = read_text(&path)?;
        let mut executions = BTreeMap::new();
        for row in csv_text::reader(&text).deserialize::<BlockCountRow>() {
            let row = row.map_err(|error| Failure::input(&path, error))?;
            if let Some(runs) = row.executions.filter(|runs| *runs > 0) {
                executions.insert(BlockId(row.block), runs);
            }
        }
        Ok(Self { dictionary: CampaignFolder::new(folder).dictionary()?, executions })
    }

    /// Executions by the blocks of a campaign's dictionary. A block is the campaign's if that has
    /// one of the same name and operations; any other is added to the dictionary.
    fn executions_by_dictionary(&self, known: &mut Dictionary) -> BTreeMap<BlockId, u64> {
        let mut by_name: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
        for (place, block) in known.blocks.iter().enumerate() {
            by_name.entry(block_name(block)).or_default().push(place);
        }
        let mut next = known.blocks.iter().map(|block| block.id.0 + 1).max().unwrap_or(0);
        let mut executions = BTreeMap::new();
        for block in &self.dictionary.blocks {
            let Some(runs) = self.executions.get(&block.id) else { continue };
            let mut named = by_name.get(&block_name(block)).into_iter().flatten();
            let same = named.find(|place| has_same_operations(&known.blocks[**place], block));
            let id = same.map_or(BlockId(next), |place| known.blocks[*place].id);
            if same.is_none() {
                known.blocks.push(BlockEntry { id, ..block.clone() });
                next += 1;
            }
            *executions.entry(id).or_insert(0) += runs;
        }
        executions
    }
}

/// Class and name of a block.
fn block_name(block: &BlockEntry) -> (String, String) {
    (block.class.clone(), block.name.clone())
}

/// Whether two blocks have the same operations in the same order, on whatever lines.
fn has_same_operations(one: &BlockEntry, other: &BlockEntry) -> bool {
    let of = |block: &BlockEntry| -> Vec<_> {
        let operations = block.operations.iter();
        operations.map(|o| (o.operation.clone(), o.context.clone(), o.count)).collect()
    };
    of(one) == of(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_accounts::block;

    #[test]
    fn blocks_are_the_campaigns_by_name_and_operations() {
        let of = |id, method: &str, line, count| {
            block(id, ("d.A", method), ("", "entry"), (line, line), &[("Increment", line, count)])
        };
        let mut known = Dictionary { blocks: vec![of(0, "a()", 1, 2), of(1, "b()", 4, 3)] };
        // `b` stands further down, `a` does more, `c` is new and `d` did not run.
        let blocks =
            vec![of(0, "a()", 1, 5), of(1, "b()", 9, 3), of(2, "c()", 12, 1), of(3, "d()", 20, 1)];
        let executions = [(BlockId(0), 7), (BlockId(1), 8), (BlockId(2), 9)].into();
        let traced = TracedRun { dictionary: Dictionary { blocks }, executions };
        let found = traced.executions_by_dictionary(&mut known);
        assert_eq!(found, [(BlockId(1), 8), (BlockId(2), 7), (BlockId(3), 9)].into());
        assert_eq!(known.blocks.len(), 4);
        assert_eq!(known.blocks[2].operations[0].count, 5);
    }
}
