//! Hints for sources that were never run, from executions assumed by the nesting of loops and
//! equal costs: for trying the patterns on real code. No energy follows from them; shares only
//! rank code locations.

use std::collections::{BTreeMap, BTreeSet};

use crate::account::{AccountInput, Accounts, MeasuredEnergies, account};
use crate::blocks::BlockId;
use crate::hint::board_ratios::BoardRatios;
use crate::hint::context::{HintContext, HintInput};
use crate::hint::hint::Hint;
use crate::hint::listing::HintOptions;
use crate::hint::search::hints;
use crate::hint::site;
use crate::java::SourceFile;
use crate::model::{LIBRARY_OTHER, Model};
use crate::operations::{Dictionary, Operation};

/// Assumed entries of every unit.
const ENTRIES: u64 = 1000;
/// Assumed iterations of every loop per entry.
const ITERATIONS: u64 = 20;
/// Assumed cost of every operation in joules; its value is arbitrary.
const OPERATION_J: f64 = 1e-9;
/// Assumed cost of a library call in joules: as much as some operations.
const LIBRARY_J: f64 = 5e-9;

/// Hints for sources that were never run, most promising first, priced by `model`; without a
/// model, all operations cost the same.
pub fn assumed_hints(
    dictionary: &Dictionary,
    sources: &[SourceFile],
    model: Option<&Model>,
) -> Vec<Hint> {
    let alike = assumed_model(dictionary);
    let model = model.unwrap_or(&alike);
    let nothing = BTreeMap::new();
    let accounts = |executions: &BTreeMap<BlockId, u64>, measured: &MeasuredEnergies| -> Accounts {
        account(&AccountInput {
            dictionary,
            executions,
            model,
            measured,
            samples: &[],
            calls: None,
        })
    };
    let empty = accounts(&nothing, &MeasuredEnergies::default());
    let input = HintInput {
        dictionary,
        executions: &nothing,
        model,
        accounts: &empty,
        calls: None,
        sources,
    };
    let executions = assumed_executions(input);
    let explained = accounts(&executions, &MeasuredEnergies::default()).explained_energy().joules();
    let measured = MeasuredEnergies { total: explained, ..MeasuredEnergies::default() };
    let accounts = accounts(&executions, &measured);
    let input = HintInput { executions: &executions, accounts: &accounts, ..input };
    let options = HintOptions { least_bound: 0.0, least_saving: 0.0, may_save_nothing: true };
    hints(input, BoardRatios::default(), &options).hints
}

/// Executions per block if every unit were entered 1000 times and every loop iterated 20 times
/// per entry. The input's own executions are ignored.
pub(crate) fn assumed_executions(input: HintInput<'_>) -> BTreeMap<BlockId, u64> {
    let once: BTreeMap<BlockId, u64> =
        input.dictionary.blocks.iter().map(|block| (block.id, ENTRIES)).collect();
    let context = HintContext::new(HintInput { executions: &once, ..input });
    let mut assumed = once.clone();
    for site in site::loop_sites(&context) {
        let test = site.test.map(|block| block.id);
        for block in site.repeated_blocks() {
            let times = if Some(block.id) == test { ITERATIONS + 1 } else { ITERATIONS };
            if let Some(runs) = assumed.get_mut(&block.id) {
                *runs = runs.saturating_mul(times);
            }
        }
    }
    assumed
}

/// A model with one cost for all operations of the sources, and one for all library functions.
fn assumed_model(dictionary: &Dictionary) -> Model {
    let blocks = dictionary.blocks.iter().flat_map(|block| &block.operations);
    let own: BTreeSet<Operation> = blocks.filter_map(|o| o.operation.operation()).collect();
    let own = own.into_iter().map(|operation| (operation.name(), OPERATION_J));
    let prices = own.chain([(LIBRARY_OTHER, LIBRARY_J)]);
    Model::of_prices("none", prices)
}
