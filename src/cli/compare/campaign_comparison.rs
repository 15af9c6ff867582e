//! Two measured campaigns.

use std::path::Path;

use crate::compare::budget::Spending;
use crate::compare::{
    self, AllowedIncrease, CompareMode, ComparedSide, Comparison, EnergyChange, GateVerdict,
    MeasuredChange, MethodChanges, SidePrices, compare_measured, compare_methods,
    take_back_other_work,
};
use crate::facts::ScenarioFacts;
use crate::failure::Failure;
use crate::folder::names;
use crate::format;
use crate::format::counted;
use crate::model::Model;
use crate::scenario_accounts::account;
use crate::units::Joules;

use super::campaign::{Campaign, campaign_notes};
use super::work_differences::WorkDifferences;
use super::{Arguments, ModelChoice, budget_rows};

/// Compares two measured campaigns.
pub(super) fn compare_campaigns(arguments: &Arguments, new: &Path) -> Result<Comparison, Failure> {
    let base = Campaign::read(&arguments.base, arguments.between_campaigns)?;
    let new = Campaign::read(new, arguments.between_campaigns)?;
    check_same_scenario(&base, &new)?;
    let limit = AllowedIncrease(arguments.max_increase / 100.0);
    let (mut headline, mut inputs) =
        compare_measured(&new.scenario, &base.measurement, &new.measurement, limit);
    let mut notes = campaign_notes(&base, &new);
    if is_same_folder(&base, &new) {
        notes.push("base and new are one folder: a campaign held against itself".into());
    }
    if base.board() != new.board() && !arguments.across_boards {
        headline.verdict = Some(GateVerdict::NoData);
        headline.remark = format!(
            "different boards or settings: {} against {}; measure both on one, or --across-boards",
            base.board(),
            new.board()
        );
    }
    let other = WorkDifferences::between(&base, &new);
    let measured = headline.change;
    take_back_other_work(&mut headline, &mut inputs, &other.inputs, &other.remedy);
    let is_same_work = other.inputs.is_empty() && has_same_inputs(&base, &new);
    let mut spending = measured_spending(&new);
    let methods = PricedCounts::read(arguments.model, &base, &new).and_then(|prices| {
        let now = prices.accounted()?;
        let changes = || prices.energy_changes(&base, &new, &now, &measured);
        let changes = is_same_work.then(changes).transpose()?;
        spending.extend(now.spending);
        Ok(changes)
    });
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
        recorded: None,
    };
    match methods {
        Ok(Some((changes, said))) => {
            comparison.unchanged = changes.unchanged;
            notes.extend(said);
            (comparison.classes, comparison.methods) = (changes.classes, changes.methods);
            notes.push(model_words(arguments.model).into());
            notes.push(format!("unchanged: {}", counted(comparison.unchanged, "method")));
        }
        Ok(None) => notes.push("methods are not compared: their inputs do other work".into()),
        Err(error) => notes.push(format!("methods are not compared: {error}")),
    }
    comparison.budgets = budget_rows(arguments, &spending)?;
    comparison.notes = notes;
    Ok(comparison)
}

fn is_same_folder(base: &Campaign, new: &Campaign) -> bool {
    let [base, new] = [base, new].map(|side| side.folder.path().canonicalize().ok());
    base.is_some() && base == new
}

/// Refuses campaigns of different scenarios, whose energies show no change.
fn check_same_scenario(base: &Campaign, new: &Campaign) -> Result<(), Failure> {
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

/// Whether both campaigns ran the same inputs, over all of which methods are counted.
fn has_same_inputs(base: &Campaign, new: &Campaign) -> bool {
    base.measurement.inputs.keys().eq(new.measurement.inputs.keys())
}

fn model_words(choice: ModelChoice) -> &'static str {
    match choice {
        ModelChoice::Base => "the base's model prices the methods of both sides; errors are shared",
        ModelChoice::Own => "each side's own model prices its methods; errors are independent",
    }
}

/// Counts of both campaigns, and the models that price them.
struct PricedCounts {
    choice: ModelChoice,
    before: ScenarioFacts,
    now: ScenarioFacts,
    base: Model,
    /// The new campaign's, where it has one.
    new: Option<Model>,
}

impl PricedCounts {
    fn read(choice: ModelChoice, base: &Campaign, new: &Campaign) -> Result<Self, Failure> {
        let (before, base) = base.facts_and_model()?;
        let now = ScenarioFacts::read(&new.folder, None)?;
        let is_needed = choice == ModelChoice::Own || new.folder.has(names::MODEL);
        let new = is_needed.then(|| new.folder.read::<Model>()).transpose()?;
        Ok(Self { choice, before, now, base, new })
    }

    /// Returns classes and methods of the new campaign by its accounts, as its report shows them.
    fn accounted(&self) -> Result<AccountedSide, Failure> {
        AccountedSide::of(&self.now, self.new.as_ref().unwrap_or(&self.base))
    }

    /// Returns the changes, compared with the measured one, with the operations that have the new
    /// campaign's costs, and the agreement of the changes with the measurement.
    fn energy_changes(
        &self,
        base: &Campaign,
        new: &Campaign,
        accounted: &AccountedSide,
        measured: &EnergyChange,
    ) -> Result<(MethodChanges, Vec<String>), Failure> {
        let [before, now] = [&self.before, &self.now].map(|facts| ComparedSide {
            dictionary: &facts.dictionary,
            executions: &facts.executions,
        });
        let (shared, taken) = match &self.new {
            Some(new) => self.base.with_missing_costs_from(new),
            None => (self.base.clone(), Vec::new()),
        };
        let prices = match (self.choice, &self.new) {
            (ModelChoice::Own, Some(new)) => SidePrices::Own { base: &self.base, new },
            _ => SidePrices::Shared(&shared),
        };
        let is_taken = matches!(prices, SidePrices::Shared(_)) && !taken.is_empty();
        let mut changes = compare_methods(before, now, prices)
            .without_impossible_figures(highest_energy(base), highest_energy(new));
        if accounted.is_sampled {
            let before = AccountedSide::of(&self.before, &self.base)?;
            if before.is_sampled {
                changes = changes.with_accounts(&before.spending, &accounted.spending);
            }
        }
        let mut said = Vec::from_iter(is_taken.then(|| costs_of_new(&taken)));
        if base.board() == new.board() && !changes.methods.is_empty() {
            let (reconciled, told) = match self.explicable_change(measured, new) {
                Some(measured) => changes.reconcile_with(measured, [before, now], prices),
                None => (changes, Some(UNRECONCILED.to_owned())),
            };
            changes = reconciled;
            said.extend(told);
        }
        Ok((changes, said))
    }

    /// Returns the measured change, with the energy that the models leave unexplained in a run.
    fn explicable_change(&self, measured: &EnergyChange, new: &Campaign) -> Option<MeasuredChange> {
        let of_base = self.base.residual_sd_j;
        let of_new = self.new.as_ref().and_then(|new| new.residual_sd_j);
        let residuals = [of_base.or(of_new), of_new.or(of_base)];
        MeasuredChange::of(measured, residuals, new.measurement.inputs.len())
    }
}

const UNRECONCILED: &str = "changes of methods are not held against the measured one: cases are too \
                            few to tell what operations leave unexplained, or it has no interval";

/// Energies of a campaign's classes and methods by its accounts.
struct AccountedSide {
    spending: Spending,
    /// Whether samples had a part in that.
    is_sampled: bool,
}

impl AccountedSide {
    fn of(facts: &ScenarioFacts, model: &Model) -> Result<Self, Failure> {
        let accounts = account(facts, model)?.accounts;
        let spending = compare::methods::accounted_spending(&facts.dictionary, &accounts);
        Ok(Self { spending, is_sampled: accounts.method_groups.is_some() })
    }
}

/// Returns the upper limit of a campaign's energy above idle, from its runs.
fn highest_energy(campaign: &Campaign) -> Option<Joules> {
    let inputs = campaign.measurement.inputs.keys().map(String::as_str);
    let sum = campaign.measurement.sum(inputs)?;
    Some(sum.interval().map_or(Joules(sum.value), |interval| interval.hi))
}

/// Largest number of operations that a note names.
const MOST_NAMED_OPERATIONS: usize = 5;

fn costs_of_new(operations: &[String]) -> String {
    format!(
        "the base never ran {}: the new campaign's model prices them, with an error of its own",
        format::listed(operations, MOST_NAMED_OPERATIONS)
    )
}

/// What the new campaign's scenario and inputs spend.
fn measured_spending(new: &Campaign) -> Spending {
    let inputs = &new.measurement.inputs;
    let figure =
        |sum: Option<compare::UncertainEnergy>| sum.map(|sum| (Joules(sum.value), sum.interval()));
    let of_input = |name: &String| (("input", name.clone()), figure(new.measurement.input(name)));
    let mut spending: Spending = inputs.keys().map(of_input).collect();
    let all = new.measurement.sum(inputs.keys().map(String::as_str));
    spending.insert(("scenario", new.scenario.clone()), figure(all));
    spending
}
