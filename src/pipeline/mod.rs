//! All stages of a measurement, one after the other. Each stage passes its result to the next one
//! and writes it for people and later commands; a resumed campaign reads only its plan and its
//! calls from files, and takes everything else from the raw logs of its runs.

mod options;
mod stage_clock;

use std::collections::BTreeSet;

use crate::account::AccountEvaluation;
use crate::account::calls::CallTree;
use crate::boards::{self, OpenBoard};
use crate::build::VariantBuilder;
use crate::campaign_report::repository::source_location;
use crate::campaign_report::{self, ReportInput, WrittenReport};
use crate::dataset::{self, CampaignData};
use crate::facts::ScenarioFacts;
use crate::failure::Failure;
use crate::fit::{self, CampaignModel, DataOrigin, KnownCosts};
use crate::folder::{
    CampaignFolder, MeasuredCampaign, OnExisting, Output, PlannedCampaign, names,
    unanalysed_languages,
};
use crate::hint::{FoundHints, Hint};
use crate::java::SourceFile;
use crate::load::LoadedScenario;
use crate::measure::{self, ResumeOptions};
use crate::microbenchmarks::pairs::MeasuredPair;
use crate::microbenchmarks::{self, MeasuredMicrobenchmarks};
use crate::model::{FoldOptions, Model};
use crate::operations::{OperationMix, counts_by_kind};
use crate::progress::Progress;
use crate::run::RunRecord;
use crate::scenario_accounts::{self, ScenarioAccounts};
use crate::toolchain::Jdk;
use crate::trial::{Trial, TrialNumber, session_lengths, static_mix};
use crate::verification::Verification;
use crate::{
    found_hints, ground_truth, load, plan, recorded_calls, scan, trial, truth_folder, unseen_inputs,
};

pub use options::PipelineOptions;
use stage_clock::StageClock;

/// Results of all stages.
#[derive(Debug)]
pub struct PipelineResult {
    /// Folder of the campaign and its results.
    pub folder: CampaignFolder,
    /// Costs of operations.
    pub model: Model,
    /// Energy by operation, block, line, method and class.
    pub accounted: ScenarioAccounts,
    /// Errors against the ground truth, where the board has one.
    pub evaluation: Option<AccountEvaluation>,
    /// Hints, and the withheld ones that save nothing on this board.
    pub found: FoundHints,
    /// HTML page with its summary.
    pub report: WrittenReport,
}

/// Plans, measures, fits and accounts, and writes the result of each stage.
pub fn pipeline(
    options: &PipelineOptions,
    progress: &dyn Progress,
) -> Result<PipelineResult, Failure> {
    let output = open_output(options, progress)?;
    progress.campaign(output.folder());
    let clock = StageClock::new(progress);
    let jdk = Jdk::find()?;
    boards::check_compatible(&options.boards)?;
    if !options.is_resumed() {
        options.boards.iter().try_for_each(boards::check_reachable)?;
    }
    clock.begin_stage("scan");
    let mut loaded = load::load_named(&options.scenario, &output, progress)?;
    let in_own_file = |failure| options.scenario.in_own_file(failure, &output);
    boards::check_android(&options.boards, &loaded.scenario).map_err(in_own_file)?;
    progress.say(&format!("  {}", scan::summary(&loaded.application)));
    plan::check_folds(&loaded.scenario, loaded.scenario.campaign.cases).map_err(in_own_file)?;
    let mut count = TrialNumber::First;
    if options.is_resumed() && output.campaign().has(names::SESSION_LENGTHS) {
        loaded.scenario = session_lengths::resumed_scenario(&loaded.scenario, &output, progress)?;
        count = TrialNumber::Second;
    }
    let result = run_stages(options, &output, &jdk, &clock, loaded, count).map_err(in_own_file)?;
    truth_folder::discard_sessions(&output.campaign())?;
    clock.begin_stage("done");
    Ok(result)
}

/// Runs all stages from the trial on; again with longer sessions, where the trial finds them too
/// short.
fn run_stages(
    options: &PipelineOptions,
    output: &Output,
    jdk: &Jdk,
    clock: &StageClock<'_>,
    loaded: LoadedScenario,
    count: TrialNumber,
) -> Result<PipelineResult, Failure> {
    let mut builder = plan::variant_builder(&loaded, jdk)?;
    let progress = clock.progress;
    let work = PipelineContext { options, output, jdk, loaded: &loaded, clock, progress };
    let trial = work.run_trial(&mut builder)?;
    let longer = trial
        .as_ref()
        .and_then(|trial| options.longer_sessions.lengths(trial, count, &loaded, progress));
    if let Some(lengths) = longer {
        drop(builder);
        session_lengths::write_lengths(&lengths, output)?;
        let scenario = session_lengths::lengthened_scenario(&loaded.scenario, &lengths)?;
        let loaded = LoadedScenario { scenario, ..loaded };
        return run_stages(options, output, jdk, clock, loaded, TrialNumber::Second);
    }
    trial.iter().try_for_each(|trial| trial.check_durations(&loaded.scenario, progress))?;
    let (measured, boards) = work.measure(trial.as_ref(), &mut builder)?;
    work.derive_results(&measured, &boards)
}

/// Opens the folder; refuses one with results, resumes it, or removes its results.
fn open_output(options: &PipelineOptions, progress: &dyn Progress) -> Result<Output, Failure> {
    let output = Output::open(&options.folder, options.existing, progress)?;
    if options.existing == OnExisting::Refuse {
        output.campaign().refuse_another(true)?;
        output.check_free(&[names::PLAN, names::JOURNAL, names::REPORT])?;
    }
    if options.existing == OnExisting::Replace {
        output.discard(&[names::DRY_RUNS, names::JOURNAL, names::RUNS])?;
        output.discard(&[names::MICROBENCHMARK_RUNS, names::CALLS, names::SESSION_LENGTHS])?;
        let of_hints = [
            names::PAIR_RUNS,
            names::PAIRS,
            names::VERIFY_RUNS,
            names::VERIFIED,
            names::JOINT_SAVING,
        ];
        output.discard(&of_hints)?;
        truth_folder::discard(&output)?;
    }
    Ok(output)
}

/// Measured campaign: runs, data set and microbenchmarks.
struct CampaignMeasurements {
    facts: ScenarioFacts,
    data: CampaignData,
    microbenchmarks: Option<MeasuredMicrobenchmarks>,
}

/// Options and objects that all stages share.
struct PipelineContext<'w> {
    options: &'w PipelineOptions,
    output: &'w Output,
    jdk: &'w Jdk,
    loaded: &'w LoadedScenario,
    clock: &'w StageClock<'w>,
    progress: &'w dyn Progress,
}

impl PipelineContext<'_> {
    /// Measures the application on the boards: plan, runs, data set, calls, microbenchmarks. The
    /// boards stay open.
    fn measure(
        &self,
        trial: Option<&Trial>,
        builder: &mut VariantBuilder<'_>,
    ) -> Result<(CampaignMeasurements, Vec<OpenBoard<'_>>), Failure> {
        let scenario = &self.loaded.scenario;
        if let Some(trial) = trial {
            self.clock.expect(trial.all_times(self.loaded, &trial::expected_cases(scenario)));
            self.clock.print_time_left("all");
        }
        let planned = self.plan_cases(builder)?;
        if let Some(trial) = trial {
            self.clock.expect(trial.times(scenario, &planned.cases));
        }
        let (records, boards) = self.make_runs(&planned, builder)?;
        let (data, mut facts) = self.build_dataset(planned, records)?;
        if facts.calls.is_none() || !self.options.is_resumed() {
            facts.calls = self.record_calls(&facts, builder);
        }
        let mix = facts.operation_mix();
        self.clock.begin_stage("microbenchmarks");
        if let Some(trial) = trial {
            self.clock.expect(trial.microbenchmarks(scenario, &mix));
            self.clock.print_time_left("what is left");
        }
        let microbenchmarks = match scenario.microbenchmarks.enabled {
            true => Some(self.measure_microbenchmarks(&mix, &boards)?),
            false => None,
        };
        Ok((CampaignMeasurements { facts, data, microbenchmarks }, boards))
    }

    /// Runs a session of each input, unless the campaign has begun.
    fn run_trial(&self, builder: &mut VariantBuilder<'_>) -> Result<Option<Trial>, Failure> {
        if self.output.campaign().has(names::JOURNAL) {
            return Ok(None);
        }
        self.clock.begin_stage("trial");
        trial::run_trial(self.loaded, builder, &self.options.boards, self.output, self.progress)
            .map(Some)
    }

    /// Plans the cases of the campaign, or reads the plan of a resumed one.
    fn plan_cases(&self, builder: &mut VariantBuilder<'_>) -> Result<PlannedCampaign, Failure> {
        self.clock.begin_stage("plan");
        let folder = self.output.campaign();
        let planned = match self.options.is_resumed() && folder.has(names::PLAN) {
            true => folder.planned_campaign()?,
            false => {
                let PipelineOptions { boards, patience, .. } = self.options;
                let (output, patience) = (self.output, *patience);
                let dry_runs = plan::DryRunSettings { output, file: None, boards, patience };
                let made = plan::plan(self.loaded, self.jdk, builder, &dry_runs, self.progress)?;
                made.write(self.loaded, self.output)?;
                self.progress.say(&indented(&made.summary()));
                PlannedCampaign { cases: made.plan.cases, residual_counts: made.residual_counts }
            }
        };
        plan::check_folds(&self.loaded.scenario, planned.cases.len())?;
        Ok(planned)
    }

    /// Makes the runs and returns their records; the boards stay open.
    fn make_runs(
        &self,
        planned: &PlannedCampaign,
        builder: &mut VariantBuilder<'_>,
    ) -> Result<(Vec<RunRecord>, Vec<OpenBoard<'_>>), Failure> {
        self.clock.begin_stage("run");
        self.clock.print_time_left("what is left");
        let PipelineContext { options, output, loaded, progress, .. } = *self;
        let PipelineOptions { boards, patience, when_lost, existing, .. } = options;
        let boards = measure::open_boards(boards, *patience, &loaded.scenario, output, progress)?;
        self.expect_microbenchmarks(&boards);
        let resume = ResumeOptions { existing: *existing, when_lost: *when_lost };
        let runs = measure::measure(loaded, planned, builder, &boards, output, resume, progress)?;
        self.progress.say(&indented(&measure::summary_text(&runs)));
        truth_folder::collect(&planned.cases, &runs.records, output)?;
        Ok((runs.records, boards))
    }

    /// Adds microbenchmarks of all operations in the sources to the expected time; not on virtual
    /// boards, where computing takes longer than waiting sessions.
    fn expect_microbenchmarks(&self, boards: &[OpenBoard<'_>]) {
        let LoadedScenario { scenario, application, .. } = self.loaded;
        let is_virtual = boards.iter().any(|board| board.facts.is_virtual());
        let are_expected = scenario.microbenchmarks.enabled && !is_virtual;
        if let Some(board) = boards.first().filter(|_| are_expected) {
            let mix = static_mix(&application.dictionary);
            let microbenchmarks_s = microbenchmarks::expected_s(scenario, &mix, board.into());
            self.progress.expect(microbenchmarks::BAR_NAME, microbenchmarks_s);
        }
    }

    /// Builds the data set, and collects the facts of the runs.
    fn build_dataset(
        &self,
        PlannedCampaign { cases, residual_counts }: PlannedCampaign,
        records: Vec<RunRecord>,
    ) -> Result<(CampaignData, ScenarioFacts), Failure> {
        self.clock.begin_stage("dataset");
        let (folder, LoadedScenario { scenario, application, .. }) =
            (self.output.campaign(), self.loaded);
        let dictionary = application.dictionary.clone();
        let executions = folder.executions(&records, dictionary.blocks.len())?;
        let unanalysed = unanalysed_languages(scenario);
        let idle = scenario.campaign.idle;
        let campaign =
            MeasuredCampaign { dictionary, cases, records, executions, unanalysed, idle };
        let made = dataset::assemble_dataset(scenario, &campaign, &residual_counts, &folder)?;
        let sha256 = made.write(self.output)?;
        self.progress.say(&indented(&made.summary()));
        made.missing_bases(&campaign.cases).iter().for_each(|line| self.progress.warn(line));
        let data = made.data(sha256);
        // Microbenchmarks alone make no fit.
        let folds = data.folds(scenario.seed)?.folds;
        let usual = FoldOptions::default().folds;
        if folds < usual {
            self.progress.warn(&format!("{folds} cases are left, and are validated one by one"));
        }
        Ok((data, ScenarioFacts::read_of(&folder, campaign, None)?))
    }

    /// Records the tree of calls; `None` where that is impossible or fails, since accounts then
    /// only lack callees.
    fn record_calls(
        &self,
        facts: &ScenarioFacts,
        builder: &mut VariantBuilder<'_>,
    ) -> Option<CallTree> {
        self.clock.begin_stage("calls");
        if let Some(why) = recorded_calls::why_not_recordable(&self.loaded.scenario) {
            self.progress.say(&indented(why));
            return None;
        }
        let tree = recorded_calls::record_calls(
            &self.loaded.scenario,
            &facts.dictionary,
            self.jdk,
            builder,
            self.progress,
        );
        let written = tree.and_then(|tree| self.output.write_artifact(&tree).map(|_| tree));
        match written {
            Ok(tree) => {
                self.progress.say(&indented(&recorded_calls::summary(
                    &tree,
                    facts,
                    &self.loaded.scenario,
                )));
                Some(tree)
            }
            Err(failure) => {
                self.progress.warn(&format!("the calls were not recorded: {failure}"));
                None
            }
        }
    }

    /// Measures the microbenchmarks for a mix of operations.
    fn measure_microbenchmarks(
        &self,
        mix: &OperationMix,
        boards: &[OpenBoard<'_>],
    ) -> Result<MeasuredMicrobenchmarks, Failure> {
        let scenario = &self.loaded.scenario;
        let measured = microbenchmarks::run_microbenchmarks(
            mix,
            scenario,
            self.jdk,
            boards,
            self.output,
            self.progress,
        )?;
        measured.write(self.output)?;
        self.progress.say(&indented(&measured.summary()));
        Ok(measured)
    }

    /// Turns measurements into results: fit, accounts, evaluation, hints and report.
    fn derive_results(
        &self,
        measured: &CampaignMeasurements,
        boards: &[OpenBoard<'_>],
    ) -> Result<PipelineResult, Failure> {
        let CampaignMeasurements { facts, data, microbenchmarks } = measured;
        let (output, folder) = (self.output, self.output.campaign());
        self.clock.begin_stage("fit");
        let known = match microbenchmarks {
            Some(measured) => Some(KnownCosts::of(measured)),
            None => KnownCosts::read(&folder)?,
        };
        let (fitted, model) = self.fit_model(data, known.as_ref())?;
        self.clock.begin_stage("account");
        let accounted = scenario_accounts::account(facts, &model)?;
        accounted.remarks().iter().for_each(|remark| self.progress.say(remark));
        accounted.write(output)?;
        let unseen = unseen_inputs::unseen_if_any(facts, data, known.as_ref(), self.progress);
        unseen
            .iter()
            .try_for_each(|unseen| output.write(names::UNSEEN_INPUTS, unseen.csv()).map(drop))?;
        let evaluation = ground_truth::evaluate_campaign(&folder, facts, &accounted.accounts)?;
        if let Some(evaluation) = &evaluation {
            output.write(names::EVALUATION, evaluation.csv())?;
        }
        let found = self.find_and_verify_hints(facts, &model, &accounted, boards)?;
        let application = &self.loaded.application;
        let input = ReportInput {
            facts,
            model: &model,
            accounted: &accounted,
            evaluation: evaluation.as_ref(),
            unseen: unseen.as_ref(),
            data,
            cross_validation: &fitted.validation.rows,
            estimability: &fitted.estimability,
            hints: &found,
            findings: &counts_by_kind(&application.findings),
            sources: &campaign_report::source_texts(&application.files),
            microbenchmarks: match microbenchmarks {
                Some(measured) => measured.executed_count(),
                None => folder.microbenchmarks()?,
            },
        };
        let report = campaign_report::write_report(&input, &folder, self.progress);
        output.write(names::REPORT, &report.html)?;
        Ok(PipelineResult { folder, model, accounted, evaluation, found, report })
    }

    /// Finds hints, measures the first automatic fixes where the scenario asks for it, and writes
    /// the hints.
    fn find_and_verify_hints(
        &self,
        facts: &ScenarioFacts,
        model: &Model,
        accounted: &ScenarioAccounts,
        boards: &[OpenBoard<'_>],
    ) -> Result<FoundHints, Failure> {
        let (sources, accounts) = (&self.loaded.application.files, &accounted.accounts);
        let find =
            |pairs: &[MeasuredPair]| found_hints::hints(sources, facts, model, accounts, pairs);
        let patterns = found_hints::matched_patterns(sources, facts, model, accounts);
        let mut found = self.find_hints(&patterns, find, boards)?;
        self.verify_fixes(&mut found, sources, boards)?;
        write_hints(&found.hints, self.output)?;
        Ok(found)
    }

    /// Finds hints by the costs, and where microbenchmarks run, by before/after microbenchmarks on
    /// the boards.
    fn find_hints(
        &self,
        patterns: &BTreeSet<&str>,
        find: impl Fn(&[MeasuredPair]) -> FoundHints,
        boards: &[OpenBoard<'_>],
    ) -> Result<FoundHints, Failure> {
        let (output, scenario) = (self.output, &self.loaded.scenario);
        if !scenario.microbenchmarks.enabled || patterns.is_empty() {
            return Ok(find(&[]));
        }
        self.clock.begin_stage("pairs");
        let pairs = microbenchmarks::measure_pairs(
            patterns,
            scenario,
            self.jdk,
            boards,
            output,
            self.progress,
        )?;
        output.write_artifact(&pairs)?;
        let found = find(&pairs);
        found.withheld().iter().for_each(|withheld| self.progress.say(&format!("  {withheld}")));
        Ok(found)
    }

    /// Applies and measures the first automatic fixes, where the scenario asks for it.
    fn verify_fixes(
        &self,
        found: &mut FoundHints,
        sources: &[SourceFile],
        boards: &[OpenBoard<'_>],
    ) -> Result<(), Failure> {
        let Some(board) = boards.first().filter(|_| self.loaded.scenario.hints.verify > 0) else {
            return Ok(());
        };
        self.clock.begin_stage("verify");
        let PipelineContext { output, jdk, loaded, .. } = *self;
        let verification = Verification { loaded, found, sources, jdk, board, output };
        let verified = verification.measure()?;
        verified.write(output)?;
        verified.attach_to(found);
        Ok(())
    }

    /// Fits the campaign's model and writes it; returns the validated fit and the model.
    fn fit_model(
        &self,
        data: &CampaignData,
        known: Option<&KnownCosts>,
    ) -> Result<(CampaignModel, Model), Failure> {
        let seed = self.loaded.scenario.seed;
        let fit = fit::fit_campaign(data, known, seed)?;
        fit.remarks().iter().for_each(|remark| self.progress.say(remark));
        let origin = DataOrigin { sha256: &data.sha256, facts: &data.facts, seed };
        fit.fitted.write(origin, self.output)?;
        self.output.write(names::SOLVERS, &fit.solvers)?;
        let model = fit.fitted.model_of(origin);
        Ok((fit.fitted, model))
    }
}

/// Writes the hints as SARIF.
fn write_hints(hints: &[Hint], output: &Output) -> Result<(), Failure> {
    let repository = source_location(None, hints.iter().map(|hint| hint.file.as_str()));
    output.write(names::HINTS, crate::report::sarif(hints, &repository)).map(drop)
}

/// Text with all lines indented.
fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<String>>().join("\n")
}
