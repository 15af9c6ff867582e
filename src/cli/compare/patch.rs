//! A campaign and a patch that nobody has measured.

use std::path::PathBuf;

use crate::build::{SourceAnalysis, sources};
use crate::compare::{
    self, AllowedIncrease, ChangeRow, CompareMode, ComparedSide, Comparison, EnergyChange,
    MethodChanges, PatchedProgram, Subject, carry_counts, compare_patch,
};
use crate::failure::Failure;
use crate::folder::CampaignFolder;
use crate::format::counted;
use crate::operations::{CallResolution, Dictionary};

use super::campaign::{Campaign, campaign_notes};
use super::{Arguments, budget_rows};

/// Compares a campaign with a patch that is not measured yet.
pub(super) fn compare_with_patch(arguments: &Arguments) -> Result<Comparison, Failure> {
    let base = Campaign::read(&arguments.base, arguments.between_campaigns)?;
    let (facts, model) = base.facts_and_model()?;
    let PatchedProgram { dictionary: before, calls } = count_patched_program(&[], arguments)?;
    if !is_same_division(&before, &facts.dictionary) {
        let message = "its sources/ no longer divide into its blocks.csv; run the pipeline again";
        return Err(Failure::input(&arguments.base, message));
    }
    let resolved = count_differing_blocks(&before, &facts.dictionary);
    let after = count_patched_program(&arguments.source, arguments)?;
    let side = ComparedSide { dictionary: &before, executions: &facts.executions };
    let carried = carry_counts(side, &calls, after);
    let changes = compare_patch(side, &carried, &model);
    let limit = AllowedIncrease(arguments.max_increase / 100.0);
    let headline = predicted_headline(&base, &changes, limit, carried.unknown.len());
    let mut notes = patch_notes(&carried, &changes, resolved);
    notes.splice(0..0, campaign_notes(&base, &base));
    let new = ComparedSide { dictionary: &carried.dictionary, executions: &carried.likely };
    let mut spending = compare::methods::modelled_spending(new, &model);
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
        mode: CompareMode::Predicted,
        limit,
        headline,
        inputs: Vec::new(),
        classes: changes.classes,
        methods: changes.methods,
        unchanged: changes.unchanged,
        budgets: budget_rows(arguments, &spending)?,
        duration_s: 0.0,
        notes,
        recorded: None,
    })
}

/// Returns blocks and operations of the base's sources, with the `changed` files in place of
/// theirs.
fn count_patched_program(
    changed: &[PathBuf],
    arguments: &Arguments,
) -> Result<PatchedProgram, Failure> {
    let own = CampaignFolder::new(&arguments.base).sources_folder();
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
    let granularity = CampaignFolder::new(&arguments.base).scenario()?.application.granularity;
    let SourceAnalysis { dictionary, calls, .. } =
        SourceAnalysis::of(loaded, granularity, CallResolution::Followed)?;
    Ok(PatchedProgram { dictionary, calls })
}

fn is_same_division(a: &Dictionary, b: &Dictionary) -> bool {
    let same = |(a, b): (&crate::operations::BlockEntry, &crate::operations::BlockEntry)| {
        (&a.name, &a.file, a.start_line) == (&b.name, &b.file, b.start_line)
    };
    a.blocks.len() == b.blocks.len() && a.blocks.iter().zip(&b.blocks).all(same)
}

/// Returns the number of blocks whose operations differ from those in the campaign.
fn count_differing_blocks(a: &Dictionary, b: &Dictionary) -> usize {
    a.blocks.iter().zip(&b.blocks).filter(|(a, b)| a.operations != b.operations).count()
}

/// Returns the change of the whole scenario: its measured energy, and the patch's predicted change.
/// The share is relative to the measured energy, whose own error is small against the prediction's.
fn predicted_headline(
    base: &Campaign,
    changes: &MethodChanges,
    limit: AllowedIncrease,
    lost: usize,
) -> ChangeRow {
    let inputs = base.measurement.inputs.keys().map(String::as_str);
    let before = base.measurement.sum(inputs).map(|sum| crate::units::Joules(sum.value));
    let total = &changes.total;
    let difference = total.difference();
    let interval = total.interval.filter(|_| before.is_some());
    let positive = before.filter(|before| before.0 > 0.0);
    let change = EnergyChange {
        base: before,
        new: before.zip(difference).map(|(before, more)| before + more),
        interval,
        share_interval: interval
            .zip(positive)
            .map(|(interval, before)| compare::interval_in_shares(interval, before)),
    };
    let remark = match (lost, change.interval) {
        (1.., _) => {
            format!("{} can't be predicted; the list says why", counted(lost, "method"))
        }
        (_, None) if !changes.unpriced.is_empty() => changes.unpriced.to_string(),
        (_, None) => "the model has no interval for the change".to_string(),
        _ => String::new(),
    };
    let verdict = Some(compare::judge_change(&change, limit));
    ChangeRow { subject: Subject::Scenario(base.scenario.clone()), change, verdict, remark }
}

fn patch_notes(
    carried: &compare::CarriedCounts,
    changes: &compare::MethodChanges,
    resolved: usize,
) -> Vec<String> {
    let mut notes = vec![
        "a prediction: the changed text x the base's executions x the base's model".to_string(),
        format!("unchanged: {} that ran", counted(changes.unchanged, "method")),
    ];
    if carried.followed > 0 {
        notes.push(format!(
            "methods called more or less often: {}; a call is taken to do what their calls do on \
             average, and what libraries call back to stay as it was",
            carried.followed
        ));
    }
    if resolved > 0 {
        notes.push(format!(
            "otherwise than in the campaign, on both sides alike: {}; give its --classpath",
            counted(resolved, "block")
        ));
    }
    notes
}
