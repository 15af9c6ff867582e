//! Two measured campaigns.

use std::path::Path;

use crate::compare::{
    self, AllowedIncrease, CompareMode, Comparison, GateVerdict, Side, SidePrices,
    compare_measured, compare_methods,
};
use crate::stage::Failure;
use crate::stage::ScenarioFacts;

use super::campaign::{Campaign, campaign_notes};
use super::{Arguments, ModelChoice, budget_rows};

/// Two measured campaigns.
pub(super) fn campaigns(arguments: &Arguments, new: &Path) -> Result<Comparison, Failure> {
    let base = Campaign::read(&arguments.base, arguments.between_campaigns)?;
    let new = Campaign::read(new, arguments.between_campaigns)?;
    same_scenario(&base, &new)?;
    let limit = AllowedIncrease(arguments.max_increase / 100.0);
    let (mut headline, inputs) =
        compare_measured(&new.scenario, &base.measurement, &new.measurement, limit);
    let mut notes = campaign_notes(&base, &new);
    if base.board() != new.board() && !arguments.across_boards {
        headline.verdict = Some(GateVerdict::NoData);
        headline.remark = format!(
            "different boards or settings: {} against {}; measure both on one, or --across-boards",
            base.board(),
            new.board()
        );
    }
    let mut spending = measured_spending(&new);
    let methods = method_changes(arguments, &base, &new, &mut spending);
    let mut comparison = Comparison {
        mode: CompareMode::Measured,
        limit,
        headline,
        inputs,
        classes: Vec::new(),
        methods: Vec::new(),
        unchanged: 0,
        budgets: Vec::new(),
        duration_s: new.measurement.duration_s(),
        notes: Vec::new(),
    };
    match methods {
        Ok(changes) => {
            comparison.unchanged = changes.unchanged;
            (comparison.classes, comparison.methods) = (changes.classes, changes.methods);
            notes.push(whose_model(arguments.model).into());
            notes.push(format!("{} methods have not changed", comparison.unchanged));
        }
        Err(error) => notes.push(format!("methods are not compared: {error}")),
    }
    comparison.budgets = budget_rows(arguments, &spending)?;
    comparison.notes = notes;
    Ok(comparison)
}

/// Energies of different scenarios say nothing of a change.
fn same_scenario(base: &Campaign, new: &Campaign) -> Result<(), Failure> {
    if base.scenario == new.scenario {
        return Ok(());
    }
    let of =
        |side: &Campaign| format!("{} holds `{}`", side.folder.path().display(), side.scenario);
    let message = format!(
        "different scenarios: {}, {}; give two campaigns of one scenario",
        of(base),
        of(new)
    );
    Err(Failure::Usage(message))
}

fn whose_model(choice: ModelChoice) -> &'static str {
    match choice {
        ModelChoice::Base => "the base's model prices the methods of both sides; errors are shared",
        ModelChoice::Own => "each side's own model prices its methods; errors are independent",
    }
}

fn method_changes(
    arguments: &Arguments,
    base: &Campaign,
    new: &Campaign,
    spending: &mut compare::budget::Spending,
) -> Result<compare::MethodChanges, Failure> {
    let (before, base_model) = base.facts_and_model()?;
    let (now, own_model) = match arguments.model {
        ModelChoice::Base => (new.folder.facts(None)?, None),
        ModelChoice::Own => {
            let (facts, model) = new.facts_and_model()?;
            (facts, Some(model))
        }
    };
    let side = |facts: &ScenarioFacts| (facts.executions.clone(), facts.dictionary.clone());
    let ((before_runs, before), (now_runs, now)) = (side(&before), side(&now));
    let before = Side { dictionary: &before, executions: &before_runs };
    let now = Side { dictionary: &now, executions: &now_runs };
    let prices = match &own_model {
        None => SidePrices::Shared(&base_model),
        Some(new) => SidePrices::Own { base: &base_model, new },
    };
    let pricing = own_model.as_ref().unwrap_or(&base_model);
    spending.extend(compare::methods::spending(now, pricing));
    Ok(compare_methods(before, now, prices))
}

/// What the new campaign's scenario and inputs spend.
fn measured_spending(new: &Campaign) -> compare::budget::Spending {
    let inputs = &new.measurement.inputs;
    let figure = |sum: Option<compare::Uncertain>| {
        sum.map(|sum| (crate::units::Joules(sum.value), sum.interval()))
    };
    let of_input = |name: &String| (("input", name.clone()), figure(new.measurement.input(name)));
    let mut spending: compare::budget::Spending = inputs.keys().map(of_input).collect();
    let all = new.measurement.sum(inputs.keys().map(String::as_str));
    spending.insert(("scenario", new.scenario.clone()), figure(all));
    spending
}
