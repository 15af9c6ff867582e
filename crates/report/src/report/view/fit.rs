//! Views of cross-validation, verdict against the best baseline, estimability, and comparison
//! with the ground truth.

use crate::account::{Interval, UnseenInput};
use crate::format;
use crate::model::{self, BASELINES, BaselineComparison, ComparisonOutcome, CvMean, CvRow, CvSet};
use crate::report::data::ReportData;
use crate::units::Joules;

/// Row of the cross-validation table: one model or baseline on one set.
pub(crate) struct CvView {
    /// Name of the model.
    pub model: String,
    /// Explanation of the model.
    pub explanation: String,
    /// Whether it is the report's model, not a baseline.
    pub is_model: bool,
    /// `training` or `validation`.
    pub set: String,
    /// Correlation r of each round.
    pub r: Vec<String>,
    /// NMAE of each round.
    pub nmae: Vec<String>,
    /// Mean of r.
    pub mean_r: String,
    /// Mean of the NMAE.
    pub mean_nmae: String,
}

/// Numbers of the rounds in order.
pub fn rounds(rows: &[CvRow]) -> Vec<usize> {
    distinct(rows.iter().map(|row| row.round))
}

/// Names of the solver and its baselines in order.
pub fn models(rows: &[CvRow]) -> Vec<&str> {
    distinct(rows.iter().map(|row| row.model.as_str()))
}

/// Rows of cross-validation by model and set.
pub fn cross_validation(data: &ReportData<'_>) -> Vec<CvView> {
    let rounds = rounds(data.cv);
    let mut views = Vec::new();
    for model in models(data.cv) {
        for set in CvSet::ALL {
            let of = |round: &usize| {
                let fits =
                    |row: &&CvRow| row.model == model && row.set == set && row.round == *round;
                data.cv.iter().find(fits)
            };
            let rows: Vec<Option<&CvRow>> = rounds.iter().map(of).collect();
            if let Some(mean) = model::cv_mean(data.cv, model, set) {
                views.push(cv_view(data, model, set, &rows, mean));
            }
        }
    }
    views
}

/// One row of cross-validation.
fn cv_view(
    data: &ReportData<'_>,
    model: &str,
    set: CvSet,
    rows: &[Option<&CvRow>],
    mean: CvMean,
) -> CvView {
    let r = |row: &Option<&CvRow>| format::correlation(row.and_then(|row| row.r));
    let nmae = |row: &Option<&CvRow>| format::percent_or_none(row.map(|row| row.nmae));
    CvView {
        model: format::visible(model),
        explanation: explanation(model),
        is_model: model == data.model.solver,
        set: set.name().into(),
        r: rows.iter().map(r).collect(),
        nmae: rows.iter().map(nmae).collect(),
        mean_r: format::correlation(mean.r),
        mean_nmae: format::percent(mean.nmae),
    }
}

/// Explanation of a model or baseline of `cv.csv`.
fn explanation(model: &str) -> String {
    match BASELINES.contains(&model) {
        true => format!("baseline: {}", baseline_explanation(model)),
        false => "a cost per operation and library function".into(),
    }
}

/// Explanation of a baseline: its predictor.
fn baseline_explanation(baseline: &str) -> &'static str {
    match baseline {
        "flat" => "one cost for all operations",
        "mean" => "the mean of the training cases",
        "duration" => "one power for all durations",
        _ => "a cost per block",
    }
}

/// Mean NMAE of a model on held-out cases.
pub(crate) fn held_out_nmae(rows: &[CvRow], model: &str) -> Option<f64> {
    model::cv_mean(rows, model, CvSet::Validation).map(|mean| mean.nmae)
}

/// Verdict on the model against the best baseline, with a sentence.
pub(crate) struct BaselineVerdict {
    /// Style: `good`, `fair` (hardly better than the best baseline, equal, or worse but better
    /// than flat), `bad` or `unknown`.
    pub tone: &'static str,
    /// The sentence.
    pub sentence: String,
}

/// Ratio of errors below which the smaller one counts as hardly smaller.
const TIMES_SMALLER: f64 = 1.1;

/// The verdict. Cases differ mostly in size, so a small error of case totals proves little; the
/// criterion is the ratio to the best baseline's error.
pub fn verdict(data: &ReportData<'_>) -> BaselineVerdict {
    let Some(found) = model::cv_verdict(data.cv) else {
        let sentence = "There is no baseline to compare with: the model is not judged.";
        return BaselineVerdict { tone: "unknown", sentence: sentence.into() };
    };
    let flat = held_out_nmae(data.cv, "flat").filter(|flat| found.nmae < *flat);
    let is_clear = found.baseline_nmae > TIMES_SMALLER * found.nmae;
    let (tone, rest) = match found.outcome() {
        ComparisonOutcome::Better => (if is_clear { "good" } else { "fair" }, String::new()),
        ComparisonOutcome::AsGood | ComparisonOutcome::Undecided => {
            ("fair", baseline_sentence(found.baseline))
        }
        ComparisonOutcome::Worse => match flat {
            Some(flat) => (
                "fair",
                format!(
                    " It is better than one cost for all operations (flat, {}).{}",
                    format::percent(flat),
                    baseline_sentence(found.baseline)
                ),
            ),
            None => ("bad", " The costs of single operations are not reliable.".to_owned()),
        },
    };
    BaselineVerdict {
        tone,
        sentence: comparison_sentence("held-out cases", "The model", &found) + &rest,
    }
}

fn baseline_sentence(baseline: &str) -> String {
    format!(
        " These cases alone do not show that costs of operations explain more than {}.",
        baseline_explanation(baseline)
    )
}

/// Sentence on a comparison: both errors, and the difference with its standard error.
fn comparison_sentence(of: &str, who: &str, found: &BaselineComparison) -> String {
    let BaselineComparison { nmae, baseline, baseline_nmae, difference_se, .. } = found;
    format!(
        "{who} predicts {of} {} the best baseline, {baseline} ({}): mean error {} against {}, \
         difference {} with standard error {}.",
        found.outcome().phrase(),
        baseline_explanation(baseline),
        format::percent(*nmae),
        format::percent(*baseline_nmae),
        format::percent((nmae - baseline_nmae).abs()),
        format::percent_or_none(*difference_se)
    )
}

/// Distinct items in the order of their first occurrence.
fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// Row of the estimability table: one operation.
pub(crate) struct EstimabilityView {
    /// Name of the operation.
    pub operation: String,
    /// Number of cases that contain it.
    pub cases: String,
    /// Executions over all cases.
    pub executions: String,
    /// `yes` or `no`.
    pub estimable: &'static str,
    /// Group of inseparable operations, or `none`.
    pub group: String,
    /// Variance inflation factor, or `none`.
    pub vif: String,
}

/// Rows of the estimability table.
pub fn estimability(data: &ReportData<'_>) -> Vec<EstimabilityView> {
    let rows = data.estimability.iter();
    rows.map(|row| EstimabilityView {
        operation: format::visible(&row.operation),
        cases: format::count(row.cases as u64),
        executions: format::count(row.executions.max(0.0) as u64),
        estimable: if row.estimable { "yes" } else { "no" },
        group: row.group.map_or(format::NONE.into(), |group| group.to_string()),
        vif: row.vif.filter(|v| v.is_finite()).map_or(format::NONE.into(), |v| format!("{v:.1}")),
    })
    .collect()
}

/// Sentence on the number of estimable operations.
pub(crate) fn estimability_sentence(data: &ReportData<'_>) -> String {
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

/// Row of the comparison with the ground truth: one level.
pub(crate) struct EvaluationView {
    /// `line`, `block`, `method` or `operation`.
    pub level: String,
    /// Number of compared entries.
    pub entries: usize,
    /// Share of the true energy in these.
    pub share: String,
    /// Median relative error.
    pub median: String,
    /// 90th percentile of the relative error.
    pub p90: String,
    /// Coverage of the intervals, or `none`.
    pub coverage: String,
    /// Relative error of the sum.
    pub bias: String,
    /// Number of entries without a match, and their share.
    pub unmatched: String,
}

/// Rows of the comparison with the ground truth; empty where there is none.
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

/// Row of an input predicted from the others.
pub(crate) struct UnseenView {
    /// Name of the input.
    pub input: String,
    /// Measured energy.
    pub measured: String,
    /// Prediction by the accounts of the others.
    pub predicted: String,
    /// The 95 % interval.
    pub interval: String,
    /// Relative error of the prediction.
    pub error: String,
    /// Relative error of one cost for all operations.
    pub flat: String,
    /// Relative error of one power for all durations.
    pub duration: String,
}

/// Rows of inputs predicted from the others; empty where there is only one.
pub fn unseen(data: &ReportData<'_>) -> Vec<UnseenView> {
    let view = |(input, interval): (&UnseenInput, Option<Interval>)| {
        let off = |found: Joules| format::percent(input.relative_error(found));
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

/// Sentence on the errors of these predictions beside the best baseline's.
pub(crate) fn unseen_sentence(data: &ReportData<'_>) -> Option<String> {
    let unseen = data.unseen?;
    let (holds, known) = unseen.covered();
    let compared = unseen.compare_with_baselines().map(|found| {
        comparison_sentence(
            "unseen inputs (each left out in turn)",
            "The account of the others",
            &found,
        )
    });
    let warning = unseen.warning().map(|warning| format!(" {warning}"));
    Some(format!(
        "{} {holds} of {} the measured energy.{}",
        compared.unwrap_or_default(),
        format::counted_as(known, "interval contains", "intervals contain"),
        warning.unwrap_or_default()
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
            row.nmae = nmae;
        }
        verdict(&sample.data())
    }

    #[test]
    fn the_best_baseline_is_named() {
        let good = with_duration(0.6);
        assert_eq!(good.tone, "good");
        assert!(
            good.sentence.starts_with(
                "The model predicts held-out cases better than the best baseline, blocks (a cost \
                 per block): mean error "
            ),
            "{}",
            good.sentence
        );
        let own = model::cv_verdict(&sample::report().cv).unwrap().nmae;
        let same = with_duration(own);
        assert_eq!(same.tone, "fair");
        assert!(
            same.sentence.contains("as well as the best baseline, duration")
                && same.sentence.ends_with("explain more than one power for all durations."),
            "{}",
            same.sentence
        );
        let worse = with_duration(0.0052);
        assert_eq!(worse.tone, "fair");
        assert!(
            worse.sentence.contains("worse than the best baseline, duration (one power for all")
                && worse.sentence.contains("It is better than one cost for all operations"),
            "{}",
            worse.sentence
        );
    }

    #[test]
    fn a_model_worse_than_flat_is_not_trusted() {
        let mut sample = sample::report();
        for row in sample.cv.iter_mut().filter(|row| row.model == "shrink") {
            row.nmae = 0.5;
        }
        let verdict = verdict(&sample.data());
        assert_eq!(verdict.tone, "bad");
        assert!(verdict.sentence.ends_with("costs of single operations are not reliable."));
        sample.cv.clear();
        assert_eq!(super::verdict(&sample.data()).tone, "unknown");
    }
}
