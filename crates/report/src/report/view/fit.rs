//! Cross-validation, the verdict against the best baseline, estimability, and the
//! comparison with the ground truth.

use crate::account::{Interval, UnseenInput};
use crate::format;
use crate::model::BASELINES;
use crate::report::data::{ReportData, ReportedCvRow};
use crate::units::Joules;

/// One model or baseline on one set.
pub struct CvView {
    /// Name of the model.
    pub model: String,
    /// What it is.
    pub explanation: String,
    /// Whether it is the model of this report, not a baseline.
    pub is_model: bool,
    /// `training` or `validation`.
    pub set: String,
    /// r of each round.
    pub r: Vec<String>,
    /// NMAE of each round.
    pub nmae: Vec<String>,
    /// Mean of r.
    pub mean_r: String,
    /// Mean of the NMAE.
    pub mean_nmae: String,
}

/// The names of the rounds, in order.
pub fn rounds(rows: &[ReportedCvRow]) -> Vec<String> {
    distinct(rows.iter().map(|row| row.round.as_str()))
}

/// A row per model and set.
pub fn cross_validation(data: &ReportData<'_>) -> Vec<CvView> {
    let rounds = rounds(data.cv);
    let mut views = Vec::new();
    for model in distinct(data.cv.iter().map(|row| row.model.as_str())) {
        for set in ["training", "validation"] {
            let rows: Vec<Option<&ReportedCvRow>> = rounds
                .iter()
                .map(|round| {
                    let fits = |row: &&ReportedCvRow| {
                        row.model == model && row.set == set && row.round == *round
                    };
                    data.cv.iter().find(fits)
                })
                .collect();
            if rows.iter().any(Option::is_some) {
                views.push(view(data, &model, set, &rows));
            }
        }
    }
    views
}

/// One row.
fn view(data: &ReportData<'_>, model: &str, set: &str, rows: &[Option<&ReportedCvRow>]) -> CvView {
    let r = |row: &Option<&ReportedCvRow>| format::correlation(row.and_then(|row| row.r));
    let nmae = |row: &Option<&ReportedCvRow>| format::percent_or_none(row.and_then(|row| row.nmae));
    let mean_r = mean(rows.iter().flatten().map(|row| row.r));
    CvView {
        model: format::visible(model),
        explanation: explanation(model),
        is_model: model == data.model.solver,
        set: set.into(),
        r: rows.iter().map(r).collect(),
        nmae: rows.iter().map(nmae).collect(),
        mean_r: format::correlation(mean_r),
        mean_nmae: format::percent_or_none(mean_nmae(data.cv, model, set)),
    }
}

/// What a model or baseline of `cv.csv` is.
fn explanation(model: &str) -> String {
    match BASELINES.contains(&model) {
        true => format!("baseline: {}", what_it_is(model)),
        false => "a cost per operation and library function".into(),
    }
}

/// What a baseline predicts by.
fn what_it_is(baseline: &str) -> &'static str {
    match baseline {
        "flat" => "one cost for all operations",
        "mean" => "the mean of the training cases",
        "duration" => "one power for all durations",
        _ => "a cost per block",
    }
}

/// Mean NMAE of a model over its rounds; absent when a round has none.
pub fn mean_nmae(rows: &[ReportedCvRow], model: &str, set: &str) -> Option<f64> {
    let own = rows.iter().filter(|row| row.model == model && row.set == set);
    mean(own.map(|row| row.nmae))
}

/// Mean r of a model over its rounds; absent when a round has none.
pub fn mean_r(rows: &[ReportedCvRow], model: &str, set: &str) -> Option<f64> {
    let own = rows.iter().filter(|row| row.model == model && row.set == set);
    mean(own.map(|row| row.r))
}

/// Mean of values that are all there.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Option<Vec<f64>> = values.collect();
    let values = values.filter(|values| !values.is_empty())?;
    Some(values.iter().sum::<f64>() / values.len() as f64)
}

/// The baseline with the smallest mean validation error: its name and that error.
pub fn best_baseline(rows: &[ReportedCvRow]) -> Option<(&'static str, f64)> {
    let known =
        BASELINES.iter().filter_map(|name| Some((*name, mean_nmae(rows, name, "validation")?)));
    known.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Whether the model beats the best baseline, and the sentence that says so.
pub struct BaselineVerdict {
    /// `good`, `fair` (better than flat, but another baseline is better or as good), `bad` or
    /// `unknown`: the style.
    pub tone: &'static str,
    /// The sentence.
    pub sentence: String,
}

/// The verdict. Cases differ mostly in size, so a small error of case totals proves
/// little; what counts is by how much it is smaller than the best baseline's.
pub fn verdict(data: &ReportData<'_>) -> BaselineVerdict {
    let own = mean_nmae(data.cv, &data.model.solver, "validation");
    let (Some(own), Some(best)) = (own, best_baseline(data.cv)) else {
        let sentence = "There is no baseline to compare with: the model is not judged.";
        return BaselineVerdict { tone: "unknown", sentence: sentence.into() };
    };
    let flat = mean_nmae(data.cv, "flat", "validation");
    let beats_flat = flat.filter(|flat| own < *flat);
    match own < best.1 {
        true => beats_all(own, best),
        false => BaselineVerdict {
            tone: if beats_flat.is_some() { "fair" } else { "bad" },
            sentence: loses(own, best, beats_flat),
        },
    }
}

/// An error that is not so many times smaller than another is hardly smaller.
const TIMES_SMALLER: f64 = 1.1;

fn beats_all(own: f64, (name, error): (&str, f64)) -> BaselineVerdict {
    let (what, times) = (what_it_is(name), error / own);
    let (own, error) = (format::percent(own), format::percent(error));
    let (tone, by) = match times < TIMES_SMALLER {
        true => ("fair", "hardly smaller".to_string()),
        false => ("good", format!("{times:.1} times smaller")),
    };
    let sentence = format!(
        "The model beats every baseline: {own} mean validation error against {error} of the best \
         one, {name} ({what}), {by}."
    );
    BaselineVerdict { tone, sentence }
}

/// The model against a better baseline, and against flat where it beats that.
fn loses(own: f64, (name, error): (&str, f64), flat: Option<f64>) -> String {
    let (own, error, what) = (format::percent(own), format::percent(error), what_it_is(name));
    let rest = match flat.map(format::percent) {
        Some(flat) => format!(
            "It beats the flat baseline ({flat}), but these cases alone don't show that its costs \
             say more than {what}."
        ),
        None => "Don't trust the single costs.".into(),
    };
    let against = match own == error {
        true => format!("both have a mean validation error of {own}"),
        false => format!("{own} mean validation error against {error}"),
    };
    format!("The model does not beat the {name} baseline ({what}): {against}. {rest}")
}

/// The distinct texts in the order of their first occurrence.
fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for text in texts {
        if !found.iter().any(|known| known == text) {
            found.push(text.into());
        }
    }
    found
}

/// One row of the estimability table.
pub struct EstimabilityView {
    /// The operation.
    pub operation: String,
    /// Cases that it occurs in.
    pub cases: String,
    /// Executions over all cases.
    pub executions: String,
    /// yes or no.
    pub estimable: &'static str,
    /// The group or none.
    pub group: String,
    /// Variance inflation or none.
    pub vif: String,
}

/// The estimability rows.
pub fn estimability(data: &ReportData<'_>) -> Vec<EstimabilityView> {
    let rows = data.estimability.iter();
    rows.map(|row| EstimabilityView {
        operation: format::visible(&row.operation),
        cases: format::count(row.cases),
        executions: format::count(row.executions.max(0.0) as u64),
        estimable: if row.estimable { "yes" } else { "no" },
        group: row.group.as_deref().map_or(format::NONE.into(), format::visible),
        vif: row.vif.filter(|v| v.is_finite()).map_or(format::NONE.into(), |v| format!("{v:.1}")),
    })
    .collect()
}

/// What the data can tell, in one sentence.
pub fn estimability_sentence(data: &ReportData<'_>) -> String {
    let model = data.model;
    let alone = model.costs.iter().filter(|cost| cost.estimable).count();
    let condition = match model.condition.filter(|condition| condition.is_finite()) {
        Some(condition) => format!("{condition:.2e}"),
        None => format::NONE.into(),
    };
    format!(
        "{} cases determine {} of {} costs by themselves (rank {}, condition number {condition}); \
         the others are held by microbenchmarks and priors. Sums (lines, blocks, methods) can be \
         sure where their parts are not: their intervals take that into account.",
        data.table.cases.len(),
        alone,
        model.costs.len(),
        model.rank
    )
}

/// One level of the comparison with the ground truth.
pub struct EvaluationView {
    /// line, block, method, operation.
    pub level: String,
    /// Entries compared.
    pub entries: usize,
    /// Part of the true energy.
    pub share: String,
    /// Median relative error.
    pub median: String,
    /// 90th percentile.
    pub p90: String,
    /// Coverage of the intervals or none.
    pub coverage: String,
    /// Relative error of the sum.
    pub bias: String,
    /// Entries without a match, and what they hold.
    pub unmatched: String,
}

/// The comparison with the ground truth; empty where there is none.
pub fn evaluation(data: &ReportData<'_>) -> Vec<EvaluationView> {
    let levels = data.evaluation.map_or(&[][..], |evaluation| &evaluation.levels);
    levels
        .iter()
        .map(|row| EvaluationView {
            level: row.level.to_string(),
            entries: row.entries,
            share: format::percent(row.share),
            median: format::percent(row.median_error),
            p90: format::percent(row.p90_error),
            coverage: format::percent_or_none(row.coverage),
            bias: format::percent(row.bias),
            unmatched: format!(
                "{} ({} of the energy)",
                row.unmatched,
                format::percent(row.unmatched_share)
            ),
        })
        .collect()
}

/// An input sequence by the accounts of the others.
pub struct UnseenView {
    /// Its name.
    pub input: String,
    /// What it spent.
    pub measured: String,
    /// What the accounts of the others say.
    pub predicted: String,
    /// The 95 % interval.
    pub interval: String,
    /// Relative error of the prediction.
    pub error: String,
    /// That of one cost for all operations.
    pub flat: String,
    /// That of one power for all durations.
    pub duration: String,
}

/// Inputs by the accounts of the others; empty where there is only one.
pub fn unseen(data: &ReportData<'_>) -> Vec<UnseenView> {
    let view = |(input, interval): (&UnseenInput, Option<Interval>)| {
        let off = |found: Joules| format::percent(found.0 / input.measured.0 - 1.0);
        UnseenView {
            input: format::visible(&input.input),
            measured: format::energy(input.measured),
            predicted: format::energy(input.predicted.energy),
            interval: format::interval(interval),
            error: off(input.predicted.energy),
            flat: off(input.flat),
            duration: off(input.duration),
        }
    };
    let unseen = data.unseen.iter();
    unseen.flat_map(|unseen| unseen.0.iter().zip(unseen.intervals())).map(view).collect()
}

/// How well accounts tell what inputs spend that they have not seen.
pub fn unseen_sentence(data: &ReportData<'_>) -> Option<String> {
    let unseen = data.unseen?;
    let (holds, known) = unseen.covered();
    let [own, flat, duration] =
        [unseen.nmae(), unseen.flat_nmae(), unseen.duration_nmae()].map(format::percent);
    Some(format!(
        "Inputs that the accounts have not seen (each of {} left out in turn): NMAE {own}, and \
         {holds} of {known} intervals hold; one cost for all operations {flat}, one power for all \
         durations {duration}.",
        unseen.0.len()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    /// The verdict where the duration has this mean validation error; the model has 1.3 %,
    /// flat 3.3 %.
    fn with_duration(nmae: f64) -> BaselineVerdict {
        let mut sample = sample::report();
        for row in sample.cv.iter_mut().filter(|row| row.model == "duration") {
            row.nmae = Some(nmae);
        }
        verdict(&sample.data())
    }

    #[test]
    fn the_best_baseline_is_named() {
        let good = with_duration(0.6);
        assert_eq!(good.tone, "good");
        assert!(good.sentence.contains("of the best one, blocks"), "{}", good.sentence);
        let sample = sample::report();
        let own = mean_nmae(&sample.cv, &sample.data().model.solver, "validation").unwrap();
        let close = with_duration(1.05 * own);
        assert_eq!(close.tone, "fair");
        assert!(close.sentence.ends_with("hardly smaller."), "{}", close.sentence);
        let same = with_duration(own).sentence;
        assert!(same.contains("all durations): both have a mean validation error of"), "{same}");
        let fair = with_duration(0.0052);
        assert_eq!(fair.tone, "fair");
        assert!(
            fair.sentence.starts_with(
                "The model does not beat the duration baseline (one power for all durations): "
            ) && fair.sentence.contains("against 0.52 %. It beats the flat baseline ("),
            "{}",
            fair.sentence
        );
    }

    #[test]
    fn a_model_worse_than_flat_is_not_trusted() {
        let mut sample = sample::report();
        for row in sample.cv.iter_mut().filter(|row| row.model == "shrink") {
            row.nmae = Some(0.5);
        }
        let verdict = verdict(&sample.data());
        assert_eq!(verdict.tone, "bad");
        assert!(verdict.sentence.ends_with("Don't trust the single costs."));
        sample.cv.clear();
        assert_eq!(super::verdict(&sample.data()).tone, "unknown");
    }
}
