//! Cost of the agent in a JVM: figures of runs with and without it, and their differences.
//!
//! Each repetition has a run of every configuration, so a difference is that of two runs of one
//! repetition: what drifts from one repetition to the next cancels.

use std::collections::{BTreeMap, BTreeSet};

use wattline_model::student_975;
use wattline_units::csv_text::CsvText;
use wattline_units::file_schema::{DeclaredColumn, TableSchema};

/// Name of the configuration without the agent.
pub const WITHOUT_AGENT: &str = "without";

/// A figure of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunFigure {
    /// Seconds from the start of the command to its start line or first response.
    StartTime,
    /// CPU seconds up to there.
    StartCpuTime,
    /// CPU seconds of the whole run.
    CpuTime,
    /// Seconds of a request, or what the program prints of itself.
    RequestTime,
    /// CPU seconds of a request.
    RequestCpuTime,
}

impl RunFigure {
    /// All of them, in the order of the output.
    pub const ALL: [Self; 5] = [
        Self::StartTime,
        Self::StartCpuTime,
        Self::CpuTime,
        Self::RequestTime,
        Self::RequestCpuTime,
    ];

    /// Name for readers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::StartTime => "start, elapsed time",
            Self::StartCpuTime => "start, CPU time",
            Self::CpuTime => "CPU time of the run",
            Self::RequestTime => "time of a request",
            Self::RequestCpuTime => "CPU time of a request",
        }
    }

    /// Column in tables.
    #[must_use]
    pub fn column(self) -> DeclaredColumn {
        match self {
            Self::StartTime => DeclaredColumn::number("start_s", "Elapsed time of the start"),
            Self::StartCpuTime => DeclaredColumn::number("start_cpu_s", "CPU time of the start"),
            Self::CpuTime => DeclaredColumn::number("cpu_s", "CPU time of the run"),
            Self::RequestTime => DeclaredColumn::number("request_s", "Time of a request"),
            Self::RequestCpuTime => {
                DeclaredColumn::number("request_cpu_s", "CPU time of a request")
            }
        }
    }
}

/// One run of the command.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentRun {
    /// Its repetition, from 1.
    pub repetition: usize,
    /// Name of the configuration; [`WITHOUT_AGENT`] without the agent.
    pub configuration: String,
    /// Its figures in seconds; absent where it has none.
    pub figures: BTreeMap<RunFigure, f64>,
}

/// A mean with half of its 95 % interval by Student's t.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunMean {
    /// The mean.
    pub mean: f64,
    /// Half of the interval; absent with fewer than two values.
    pub half_width: Option<f64>,
    /// Number of values.
    pub count: usize,
}

impl RunMean {
    /// Of some values; none of no value.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len();
        if count == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let half_width = (count > 1).then(|| {
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            let variance = squares / (count - 1) as f64;
            student_975((count - 1) as f64) * (variance / count as f64).sqrt()
        });
        Some(Self { mean, half_width, count })
    }
}

/// What runs show of a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverheadVerdict {
    /// The interval of the difference is above 0.
    More,
    /// It is below 0.
    Less,
    /// It contains 0: the runs do not tell the two apart.
    NotToldApart,
    /// Fewer than two repetitions have both runs.
    TooFew,
}

impl OverheadVerdict {
    /// Name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::More => "more",
            Self::Less => "less",
            Self::NotToldApart => "not told apart",
            Self::TooFew => "too few runs",
        }
    }
}

/// A figure with a configuration and without the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureOverhead {
    /// The figure.
    pub figure: RunFigure,
    /// Name of the configuration.
    pub configuration: String,
    /// With the configuration.
    pub with: RunMean,
    /// Without the agent.
    pub without: RunMean,
    /// Mean difference of the two runs of a repetition.
    pub difference: RunMean,
}

impl FigureOverhead {
    /// Whether the runs tell the two apart.
    #[must_use]
    pub fn verdict(&self) -> OverheadVerdict {
        match self.difference.half_width {
            None => OverheadVerdict::TooFew,
            Some(half) if self.difference.mean > half => OverheadVerdict::More,
            Some(half) if self.difference.mean < -half => OverheadVerdict::Less,
            Some(_) => OverheadVerdict::NotToldApart,
        }
    }

    /// A number of seconds in percent of the mean without the agent; none where that is 0.
    #[must_use]
    pub fn percent(&self, seconds: f64) -> Option<f64> {
        Some(seconds / self.without.mean * 100.0).filter(|percent| percent.is_finite())
    }
}

/// Compares each configuration with the runs without the agent, figure by figure. A figure that
/// no repetition has on both sides is left out.
#[must_use]
pub fn compare_agent_runs(runs: &[AgentRun]) -> Vec<FigureOverhead> {
    let mut configurations: Vec<&str> = Vec::new();
    for run in runs.iter().filter(|run| run.configuration != WITHOUT_AGENT) {
        if !configurations.contains(&run.configuration.as_str()) {
            configurations.push(&run.configuration);
        }
    }
    configurations.sort_unstable();
    let all = RunFigure::ALL.into_iter();
    let pairs = all.flat_map(|figure| configurations.iter().map(move |name| (figure, *name)));
    pairs.filter_map(|(figure, name)| compare_figure(runs, figure, name)).collect()
}

fn compare_figure(
    runs: &[AgentRun],
    figure: RunFigure,
    configuration: &str,
) -> Option<FigureOverhead> {
    let values = |name: &str| -> BTreeMap<usize, f64> {
        let own = runs.iter().filter(|run| run.configuration == name);
        own.filter_map(|run| Some((run.repetition, *run.figures.get(&figure)?))).collect()
    };
    let (with, without) = (values(configuration), values(WITHOUT_AGENT));
    let both: BTreeSet<usize> =
        with.keys().filter(|key| without.contains_key(key)).copied().collect();
    let of =
        |side: &BTreeMap<usize, f64>| -> Vec<f64> { both.iter().map(|key| side[key]).collect() };
    let (with, without) = (of(&with), of(&without));
    let differences: Vec<f64> = with.iter().zip(&without).map(|(a, b)| a - b).collect();
    Some(FigureOverhead {
        figure,
        configuration: configuration.to_owned(),
        with: RunMean::of(&with)?,
        without: RunMean::of(&without)?,
        difference: RunMean::of(&differences)?,
    })
}

/// Key of `runs.csv`.
const AGENT_RUN_KEY: [DeclaredColumn; 3] = [
    DeclaredColumn::integer("run", "Number of the run"),
    DeclaredColumn::integer("repetition", "Repetition, from 1"),
    DeclaredColumn::text("configuration", "Configuration of the agent"),
];

/// Columns of `runs.csv`.
fn agent_run_columns() -> Vec<DeclaredColumn> {
    AGENT_RUN_KEY.into_iter().chain(RunFigure::ALL.map(RunFigure::column)).collect()
}

/// Returns the columns of the tables that `monitor overhead` writes.
#[must_use]
pub fn agent_overhead_table_schemas() -> Vec<TableSchema> {
    const OVERHEAD: &str = "`monitor overhead`";
    vec![
        TableSchema::declared("runs.csv", OVERHEAD, "Figures of each run", &agent_run_columns()),
        TableSchema::declared(
            "overhead.csv",
            OVERHEAD,
            "Overhead of the agent by figure",
            &AGENT_OVERHEAD_COLUMNS,
        ),
    ]
}

/// All runs in the order in which they were made.
#[must_use]
pub fn agent_runs_csv(runs: &[AgentRun]) -> String {
    let mut table = CsvText::new(agent_run_columns());
    for (number, run) in (1_u64..).zip(runs) {
        let names = [number.to_string(), run.repetition.to_string(), run.configuration.clone()];
        let figures = RunFigure::ALL.map(|figure| optional(run.figures.get(&figure).copied()));
        table.row(names.into_iter().chain(figures));
    }
    table.text()
}

/// Columns of `overhead.csv`.
const AGENT_OVERHEAD_COLUMNS: [DeclaredColumn; 12] = [
    DeclaredColumn::text("figure", "Figure of a run that is compared"),
    DeclaredColumn::text("configuration", "Configuration of the agent"),
    DeclaredColumn::integer("repetitions", "Pairs of runs"),
    DeclaredColumn::number("mean_s", "Mean with the agent"),
    DeclaredColumn::number("mean_half_width_s", "Half of its 95 % interval"),
    DeclaredColumn::number("without_mean_s", "Mean without the agent"),
    DeclaredColumn::number("without_mean_half_width_s", "Half of its 95 % interval"),
    DeclaredColumn::number("difference_s", "Difference of the means"),
    DeclaredColumn::number("difference_half_width_s", "Half of its 95 % interval"),
    DeclaredColumn::number(
        "difference_percent",
        "Difference as a part of the mean without the agent",
    ),
    DeclaredColumn::number("difference_half_width_percent", "Half of its 95 % interval"),
    DeclaredColumn::text("verdict", "Whether the difference is clear of zero"),
];

/// The comparison of all figures: means, differences and halves of their 95 % intervals in
/// seconds.
#[must_use]
pub fn agent_overhead_csv(rows: &[FigureOverhead]) -> String {
    let mut table = CsvText::new(AGENT_OVERHEAD_COLUMNS);
    for row in rows {
        let half = row.difference.half_width;
        table.row([
            row.figure.column().name.to_owned(),
            row.configuration.clone(),
            row.difference.count.to_string(),
            row.with.mean.to_string(),
            optional(row.with.half_width),
            row.without.mean.to_string(),
            optional(row.without.half_width),
            row.difference.mean.to_string(),
            optional(half),
            optional(row.percent(row.difference.mean)),
            optional(half.and_then(|half| row.percent(half))),
            row.verdict().name().to_owned(),
        ]);
    }
    table.text()
}

fn optional(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn run(repetition: usize, configuration: &str, cpu_s: f64) -> AgentRun {
        let figures = BTreeMap::from([(RunFigure::CpuTime, cpu_s)]);
        AgentRun { repetition, configuration: configuration.into(), figures }
    }

    /// Differences of 1, 2 and 3 s have a mean of 2 +- 4.3027 / sqrt(3) s; a drift of 100 s
    /// between repetitions changes nothing.
    #[test]
    fn differences_are_those_of_one_repetition() {
        let mut runs = Vec::new();
        for (repetition, (base, more)) in (1..).zip([(1.0, 1.0), (101.0, 2.0), (201.0, 3.0)]) {
            runs.push(run(repetition, "sampling", base + more));
            runs.push(run(repetition, WITHOUT_AGENT, base));
        }
        runs.push(run(4, WITHOUT_AGENT, 1e6));
        let rows = compare_agent_runs(&runs);
        assert_eq!(rows.len(), 1, "{rows:?}");
        let row = &rows[0];
        assert_eq!((row.difference.mean, row.difference.count), (2.0, 3));
        let half = row.difference.half_width.unwrap();
        assert!((half - 4.302_652_7 / 3.0_f64.sqrt()).abs() < 1e-4, "{half}");
        assert_eq!(row.verdict(), OverheadVerdict::NotToldApart);
        assert_eq!(row.without.mean, 101.0, "without the repetition that has no other side");
        assert_eq!(row.percent(2.02), Some(2.0));
    }

    #[test]
    fn runs_are_told_apart_or_not() {
        let verdict = |pairs: &[(f64, f64)]| {
            let both = (1..).zip(pairs).flat_map(|(repetition, (with, without))| {
                [run(repetition, "a", *with), run(repetition, WITHOUT_AGENT, *without)]
            });
            compare_agent_runs(&both.collect::<Vec<_>>())[0].verdict()
        };
        assert_eq!(verdict(&[(2.0, 1.0), (2.1, 1.0), (2.2, 1.1)]), OverheadVerdict::More);
        assert_eq!(verdict(&[(1.0, 2.0), (1.0, 2.1), (1.1, 2.2)]), OverheadVerdict::Less);
        assert_eq!(verdict(&[(2.0, 1.0), (1.0, 2.0)]), OverheadVerdict::NotToldApart);
        assert_eq!(verdict(&[(2.0, 1.0)]), OverheadVerdict::TooFew);
        assert!(compare_agent_runs(&[run(1, "a", 1.0)]).is_empty(), "nothing to compare with");
    }

    #[test]
    fn tables_have_every_run_and_every_comparison() {
        let runs = [run(1, "a", 2.0), run(1, WITHOUT_AGENT, 1.0)];
        let text = agent_runs_csv(&runs);
        assert!(text.starts_with("run,repetition,configuration,start_s,"), "{text}");
        assert!(text.contains("1,1,a,,,2,,\n2,1,without,,,1,,\n"), "{text}");
        let text = agent_overhead_csv(&compare_agent_runs(&runs));
        assert!(text.contains("cpu_s,a,1,2,,1,,1,,100,,too few runs\n"), "{text}");
    }

    proptest! {
        #[test]
        fn the_mean_lies_between_the_values(values in proptest::collection::vec(0.0..1e3_f64, 1..20)) {
            let found = RunMean::of(&values).unwrap();
            let (least, most) = values.iter().fold((f64::MAX, 0.0_f64), |(a, b), v| (a.min(*v), b.max(*v)));
            prop_assert!(found.mean >= least - 1e-9 && found.mean <= most + 1e-9);
            prop_assert!(found.half_width.is_none_or(|half| half >= 0.0));
        }
    }
}
