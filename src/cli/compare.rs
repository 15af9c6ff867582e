//! `wattline compare`: two campaigns, or a campaign and a patch -> changes and a verdict.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::build::{Survey, sources};
use crate::campaign::{Phase, PlannedCase};
use crate::compare::{
    self, Budgets, Change, Comparison, InputRuns, Limit, Measurement, Mode, Prices, Repeat, Row,
    Side, Subject, Verdict, carry, compare_measured, compare_methods, compare_patch,
};
use crate::model::Model;
use crate::operations::Dictionary;
use crate::run::{RunRecord, read_journal};

use super::account::read_model;
use super::folder::{self, DatasetFacts};
use super::output::{Existing, Output, read_text};
use super::progress;
use super::run::read_cases;
use super::scan::ClassPathArguments;
use super::scenario_facts::ScenarioFacts;
use super::{Failure, folder::read_sources_folder};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline compare target/base target/new --max-increase 2
  wattline compare target/base target/new --budgets energy-budgets.toml --out target/compare
  wattline compare target/base --source src/main/java   # before anything is measured

Exit codes: 0 no increase over the limit that the 95 % interval agrees with, 1 there is one,
5 no data: something was not measured, or only once. docs/compare.md says what is compared,
what is assumed, and how often the gate is wrong.")]
pub struct Arguments {
    /// Folder of the campaign to compare with, as `pipeline` wrote it.
    base: PathBuf,
    /// Folder of the new campaign.
    #[arg(required_unless_present = "source", conflicts_with = "source")]
    new: Option<PathBuf>,
    /// Changed sources instead of a campaign: predicts from the base's counts and model.
    #[arg(long, num_args = 1..)]
    source: Vec<PathBuf>,
    #[command(flatten)]
    classes: ClassPathArguments,
    /// Increase that is allowed, in percent of the base's energy above idle.
    #[arg(long, value_name = "PCT", default_value_t = 100.0 * Limit::default().0)]
    max_increase: f64,
    /// Standard deviation that repeating a whole campaign adds, in percent.
    #[arg(long, value_name = "PCT", default_value_t = 0.0)]
    between_campaigns: f64,
    /// Whose model prices the methods.
    #[arg(long, value_enum, default_value = "base")]
    model: ModelChoice,
    /// Budgets in joules, by scenario, input, class and method.
    #[arg(long, value_name = "FILE")]
    budgets: Option<PathBuf>,
    /// Compare although the boards or their settings differ.
    #[arg(long)]
    across_boards: bool,
    /// What is printed.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// How many classes and methods are printed.
    #[arg(long, default_value_t = 20)]
    limit: usize,
    /// Folder for compare.md, compare.json and compare.xml (JUnit).
    #[arg(long)]
    out: Option<PathBuf>,
    /// Replace existing results.
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModelChoice {
    /// The base's prices both sides, so that its errors are shared.
    Base,
    /// Each side's own.
    Own,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// For a terminal.
    Text,
    /// For a pull request.
    Markdown,
    /// For programs.
    Json,
    /// For build servers.
    Junit,
}

/// Files below `--out`.
const FILES: [&str; 3] = ["compare.md", "compare.json", "compare.xml"];

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    check(arguments)?;
    let output = match &arguments.out {
        Some(out) => {
            let output = Output::open(out, Existing::from(arguments.force))?;
            output.check_free(&FILES)?;
            Some(output)
        }
        None => None,
    };
    let comparison = match &arguments.new {
        Some(new) => campaigns(arguments, new)?,
        None => patch(arguments)?,
    };
    if let Some(output) = output {
        output.write(FILES[0], compare::markdown::markdown(&comparison, arguments.limit))?;
        output.write(FILES[1], compare::json::json(&comparison))?;
        output.write(FILES[2], compare::junit::junit(&comparison))?;
        for file in FILES {
            progress::say(format!("written: {}", output.path(file).display()));
        }
    }
    let text = match arguments.format {
        Format::Text => compare::text::text(&comparison, arguments.limit),
        Format::Markdown => compare::markdown::markdown(&comparison, arguments.limit),
        Format::Json => compare::json::json(&comparison),
        Format::Junit => compare::junit::junit(&comparison),
    };
    progress::result(text.trim_end());
    let sentence = compare::text::sentence(&comparison);
    match comparison.verdict() {
        Verdict::Pass => Ok(()),
        Verdict::Increase => Err(Failure::Gate(sentence)),
        Verdict::NoData => Err(Failure::NoData(sentence)),
    }
}

fn check(arguments: &Arguments) -> Result<(), Failure> {
    for (flag, value) in [
        ("--max-increase", arguments.max_increase),
        ("--between-campaigns", arguments.between_campaigns),
    ] {
        if !(value.is_finite() && value >= 0.0) {
            let message = format!("{flag} {value}: give a percentage of 0 or more");
            return Err(Failure::Usage(message));
        }
    }
    Ok(())
}

/// What both modes read of a campaign's folder.
struct Campaign {
    folder: PathBuf,
    about: DatasetFacts,
    scenario: String,
    records: Vec<RunRecord>,
    measurement: Measurement,
}

impl Campaign {
    fn read(folder: &Path, between_campaigns: f64) -> Result<Campaign, Failure> {
        let cases = read_cases(&folder.join("plan.csv"))?;
        let records = read_journal(folder)?;
        let scenario = folder::read_scenario_copy(folder).map(|scenario| scenario.name);
        let about = DatasetFacts::beside(&folder.join("dataset.csv"))?;
        let name = about.scenario.clone().or(scenario.ok());
        let mut measurement = measurement(&cases, &records);
        measurement.between_campaigns = between_campaigns / 100.0;
        Ok(Campaign {
            folder: folder.to_path_buf(),
            scenario: name.unwrap_or_else(|| "scenario".into()),
            about,
            records,
            measurement,
        })
    }

    fn facts_and_model(&self) -> Result<(ScenarioFacts, Model), Failure> {
        let model = read_model(&self.folder.join("model.json"))?;
        Ok((ScenarioFacts::read(&self.folder)?, model))
    }

    /// Board and settings, in words.
    fn board(&self) -> String {
        let board = self.records.first().map(|record| record.board.clone()).unwrap_or_default();
        let name = if board.model.is_empty() { board.serial } else { board.model };
        let sort = if board.is_virtual { " (virtual)" } else { "" };
        let frequency = self.about.frequency_khz.map(|khz| format!(", {khz} kHz"));
        let rails = self.about.rails.join("+");
        format!("{name}{sort}{}, rails {rails}", frequency.unwrap_or_default())
    }
}

/// The good runs of the unremoved cases; idle power from all good idle runs.
fn measurement(cases: &[PlannedCase], records: &[RunRecord]) -> Measurement {
    let mut inputs: BTreeMap<String, InputRuns> = BTreeMap::new();
    for case in cases.iter().filter(|case| case.removed.is_empty()) {
        let good = records.iter().filter(|run| run.is_good_run_of(&case.name, Phase::Power));
        let repeats = good
            .filter_map(|run| run.measured.as_ref())
            .map(|run| Repeat { energy_j: run.energy_j, duration_s: run.duration_s });
        inputs.entry(case.input.clone()).or_default().repeats.extend(repeats);
    }
    let idle = records.iter().filter(|run| run.is_good() && run.run.phase == Phase::Idle);
    let idle = idle.filter_map(|run| run.measured.as_ref()).map(|run| run.mean_power_w());
    Measurement { inputs, idle_powers_w: idle.collect(), between_campaigns: 0.0 }
}

/// Two measured campaigns.
fn campaigns(arguments: &Arguments, new: &Path) -> Result<Comparison, Failure> {
    let base = Campaign::read(&arguments.base, arguments.between_campaigns)?;
    let new = Campaign::read(new, arguments.between_campaigns)?;
    let limit = Limit(arguments.max_increase / 100.0);
    let (mut headline, inputs) =
        compare_measured(&new.scenario, &base.measurement, &new.measurement, limit);
    let mut notes = campaign_notes(&base, &new);
    if base.board() != new.board() && !arguments.across_boards {
        headline.verdict = Some(Verdict::NoData);
        headline.remark = format!(
            "different boards or settings: {} against {}; measure both on one, or --across-boards",
            base.board(),
            new.board()
        );
    }
    let mut spending = measured_spending(&new);
    let methods = method_changes(arguments, &base, &new, &mut spending);
    let mut comparison = Comparison {
        mode: Mode::Measured,
        limit,
        headline,
        inputs,
        classes: Vec::new(),
        methods: Vec::new(),
        unchanged: 0,
        budgets: Vec::new(),
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

fn whose_model(choice: ModelChoice) -> &'static str {
    match choice {
        ModelChoice::Base => "the base's model prices the methods of both sides; errors are shared",
        ModelChoice::Own => "each side's own model prices its methods; errors are independent",
    }
}

fn campaign_notes(base: &Campaign, new: &Campaign) -> Vec<String> {
    let mut notes = Vec::new();
    if [base, new].iter().any(|side| side.records.iter().any(|run| run.board.is_virtual)) {
        notes.push("measured on the VIRTUAL board".into());
    }
    if base.scenario != new.scenario {
        notes.push(format!("different scenarios: {} and {}", base.scenario, new.scenario));
    }
    let repeats = |side: &Campaign| {
        side.measurement.inputs.values().map(|runs| runs.repeats.len()).min().unwrap_or(0)
    };
    let fewest = repeats(base).min(repeats(new));
    if (2..5).contains(&fewest) {
        notes.push(format!("only {fewest} power runs of an input: few for an interval"));
    }
    notes
}

fn method_changes(
    arguments: &Arguments,
    base: &Campaign,
    new: &Campaign,
    spending: &mut compare::budget::Spending,
) -> Result<compare::MethodChanges, Failure> {
    let (before, base_model) = base.facts_and_model()?;
    let (now, own_model) = match arguments.model {
        ModelChoice::Base => (ScenarioFacts::read(&new.folder)?, None),
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
        None => Prices::Shared(&base_model),
        Some(new) => Prices::Own { base: &base_model, new },
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

fn budget_rows(
    arguments: &Arguments,
    spending: &compare::budget::Spending,
) -> Result<Vec<compare::BudgetRow>, Failure> {
    let Some(path) = &arguments.budgets else { return Ok(Vec::new()) };
    let input = |error| Failure::input(path, error);
    Budgets::parse(&read_text(path)?).map_err(input)?.check(spending).map_err(input)
}

/// A patch before it is measured.
fn patch(arguments: &Arguments) -> Result<Comparison, Failure> {
    let base = Campaign::read(&arguments.base, arguments.between_campaigns)?;
    let (facts, model) = base.facts_and_model()?;
    let before = survey(&[], arguments)?;
    if !is_same_division(&before, &facts.dictionary) {
        let message = "its sources/ no longer divide into its blocks.csv; run the pipeline again";
        return Err(Failure::input(&arguments.base, message));
    }
    let resolved = differing(&before, &facts.dictionary);
    let after = survey(&arguments.source, arguments)?;
    let side = Side { dictionary: &before, executions: &facts.executions };
    let carried = carry(side, after);
    let changes = compare_patch(side, &carried, &model);
    let limit = Limit(arguments.max_increase / 100.0);
    let headline = predicted_headline(&base, &changes.total, limit, carried.unknown.len());
    let mut notes = patch_notes(&carried, &changes, resolved);
    notes.splice(0..0, campaign_notes(&base, &base));
    let new = Side { dictionary: &carried.dictionary, executions: &carried.likely };
    let mut spending = compare::methods::spending(new, &model);
    for key in carried.unknown.keys() {
        let name = Subject::Method(key.clone()).name();
        spending.insert(("method", name), None);
        spending.insert(("class", key.class.clone()), None);
    }
    let whole = headline.change.new.zip(headline.change.interval).map(|(new, interval)| {
        let before = headline.change.base.unwrap_or_default();
        let shifted =
            crate::account::Interval { lo: before + interval.lo, hi: before + interval.hi };
        (new, Some(shifted))
    });
    spending.insert(("scenario", base.scenario.clone()), whole);
    spending.extend(base.measurement.inputs.keys().map(|name| (("input", name.clone()), None)));
    Ok(Comparison {
        mode: Mode::Predicted,
        limit,
        headline,
        inputs: Vec::new(),
        classes: changes.classes,
        methods: changes.methods,
        unchanged: changes.unchanged,
        budgets: budget_rows(arguments, &spending)?,
        notes,
    })
}

/// Blocks and operations of the base's sources, with `changed` files in their place.
fn survey(changed: &[PathBuf], arguments: &Arguments) -> Result<Dictionary, Failure> {
    let own = read_sources_folder(&arguments.base);
    if !own.is_dir() {
        let message = "it has no sources/; run the pipeline again";
        return Err(Failure::input(&arguments.base, message));
    }
    if !changed.is_empty() {
        let paths = |places: &[PathBuf]| -> Result<Vec<String>, Failure> {
            let loaded = sources::load_paths(places, &[])?;
            Ok(loaded.files.into_iter().map(|file| file.path).collect())
        };
        let (before, after) = (paths(std::slice::from_ref(&own))?, paths(changed)?);
        if !after.iter().any(|path| before.contains(path)) {
            let message = format!(
                "--source: none of its files is one of {}; give source roots, as {} lies below them",
                own.display(),
                before.first().map_or("the package", |path| path)
            );
            return Err(Failure::Usage(message));
        }
    }
    let places: Vec<PathBuf> = changed.iter().cloned().chain([own]).collect();
    let loaded = sources::load_paths(&places, &arguments.classes.paths())?;
    let granularity = folder::read_scenario_copy(&arguments.base)?.application.granularity;
    Ok(Survey::of(loaded, granularity)?.dictionary)
}

fn is_same_division(a: &Dictionary, b: &Dictionary) -> bool {
    let same = |(a, b): (&crate::operations::BlockEntry, &crate::operations::BlockEntry)| {
        (&a.name, &a.file, a.start_line) == (&b.name, &b.file, b.start_line)
    };
    a.blocks.len() == b.blocks.len() && a.blocks.iter().zip(&b.blocks).all(same)
}

/// Blocks whose operations read otherwise than in the campaign.
fn differing(a: &Dictionary, b: &Dictionary) -> usize {
    a.blocks.iter().zip(&b.blocks).filter(|(a, b)| a.operations != b.operations).count()
}

/// The scenario with the patch: measured before, the model's change on top. The share is
/// of the measured energy, whose own error is small against the prediction's.
fn predicted_headline(base: &Campaign, total: &Change, limit: Limit, lost: usize) -> Row {
    let inputs = base.measurement.inputs.keys().map(String::as_str);
    let before = base.measurement.sum(inputs).map(|sum| crate::units::Joules(sum.value));
    let difference = total.difference();
    let interval = total.interval.filter(|_| before.is_some());
    let positive = before.filter(|before| before.0 > 0.0);
    let change = Change {
        base: before,
        new: before.zip(difference).map(|(before, more)| before + more),
        interval,
        share_interval: interval.zip(positive).map(|(i, before)| (i.lo / before, i.hi / before)),
    };
    let remark = match (lost, change.interval) {
        (1.., _) => format!("{lost} methods can't be predicted; the list says why"),
        (_, None) => "the model has no interval for the change".to_string(),
        _ => String::new(),
    };
    let verdict = Some(compare::judge(&change, limit));
    Row { subject: Subject::Scenario(base.scenario.clone()), change, verdict, remark }
}

fn patch_notes(
    carried: &compare::Carried,
    changes: &compare::MethodChanges,
    resolved: usize,
) -> Vec<String> {
    let mut notes = vec![
        "a prediction: the changed text x the base's executions x the base's model".to_string(),
        format!("{} methods that ran have not changed", changes.unchanged),
    ];
    if carried.further_calls != 0 {
        notes.push(format!(
            "the patch makes {:+} calls in changed code; executions of what they call are the base's",
            carried.further_calls
        ));
    }
    if resolved > 0 {
        notes.push(format!(
            "{resolved} blocks read otherwise than in the campaign, on both sides alike; give its \
             --classpath"
        ));
    }
    notes
}
