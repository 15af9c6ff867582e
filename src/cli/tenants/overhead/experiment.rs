//! The experiment: what is tested beside what the machine does, in random order, measured by the
//! meter of this machine (section 5 of the paper).

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::attribution::tenants::{
    BASE_NAME, ExperimentTables, MeasuredRun, experiment_csv, parse_runs,
};
use crate::cli::progress;
use crate::cli::quantity::{number_between, whole_number_between};
use crate::cli::random_order::random_blocks;
use crate::cli::stop::StopRequest;
use crate::failure::Failure;
use crate::folder::Output;
use crate::format::{counted, visible_name};
use crate::power::FigureBasis;
use clap::Args;

use super::OverheadFigures;
use super::load::{CommandLine, NamedCommand};
use super::power::{PowerReader, SpentEnergy};

/// Period between readings of the meter, since counters wrap and some meters only have the present
/// power.
const METER_PERIOD: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
#[command(next_help_heading = "Runs that are made")]
pub struct ExperimentArguments {
    /// What is tested, for the shell: it has to run until it is stopped. May be given more than
    /// once, as the next three.
    #[arg(long, value_name = "NAME=COMMAND", conflicts_with = "with")]
    configuration: Vec<String>,
    /// Test `wattline monitor` with cycles of so many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = number_between(0.05, 1e6, "s"),
          conflicts_with = "with")]
    monitor: Vec<f64>,
    /// Test `wattline tenants cgroups` with windows of so many milliseconds.
    #[arg(long, value_name = "MS", conflicts_with = "with",
          value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    tenants: Vec<u64>,
    /// What the machine does meanwhile, for the shell, again and again until the run is over;
    /// NAME alone is a machine that is left alone. Without this flag it is `idle`.
    #[arg(long, value_name = "NAME[=COMMAND]", conflicts_with = "with")]
    scenario: Vec<String>,
    /// Runs of each configuration, and without one, in each scenario.
    #[arg(long, default_value_t = 40, value_parser = whole_number_between(2, 100_000))]
    repeats: usize,
    /// How long a run is measured.
    #[arg(long, default_value_t = 60.0, value_parser = number_between(0.1, 1e6, "s"))]
    seconds: f64,
    /// How long the commands run before a run is measured.
    #[arg(long, default_value_t = 2.0, value_parser = number_between(0.0, 1e6, "s"))]
    settle: f64,
    /// Of the random order.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The meter, as of `wattline monitor`: `auto` takes the best there is, `model` none.
    #[arg(long, default_value = "auto")]
    meter: String,
    /// Design power of the processor in watts, for the software model.
    #[arg(long, value_name = "WATTS", value_parser = number_between(0.001, 1e6, "W"))]
    tdp: Option<f64>,
}

/// Experiment: scenarios, what is tested, and the number and length of runs.
struct Experiment {
    configurations: Vec<NamedCommand>,
    scenarios: Vec<NamedCommand>,
    repeats: usize,
    seed: u64,
}

/// Run of the experiment's plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PlannedRun {
    repetition: usize,
    /// None without anything that is tested.
    configuration: Option<usize>,
    scenario: usize,
}

impl ExperimentArguments {
    /// Makes all runs; returns the figures and the text after each result.
    pub fn measure(
        &self,
        output: Option<&Output>,
    ) -> Result<(OverheadFigures, &'static str), Failure> {
        let experiment = self.plan_experiment()?;
        if let Some(output) = output {
            output.check_free(&["runs.csv", "with.csv", "base.csv", "overhead.csv"])?;
        }
        let mut notes = Vec::new();
        let mut reader = PowerReader::choose(&self.meter, self.tdp, &mut notes)?;
        notes.iter().for_each(|note| progress::say(format!("note: {}", visible_name(note))));
        progress::say(format!("power: {}", reader.about));
        let output = output.map(Output::replacing);
        let runs = self.make_planned_runs(&experiment, &mut reader, output.as_ref())?;
        let names: Vec<String> =
            experiment.configurations.iter().map(|command| command.name.clone()).collect();
        let tables = ExperimentTables::of(&names, &runs);
        for left_out in &tables.left_out {
            progress::warn_in_line(format!("{left_out}: fewer than two runs, so no figure"));
        }
        if let Some(output) = &output {
            for (name, text) in [("with.csv", &tables.with), ("base.csv", &tables.base)] {
                let path = output.write(name, text)?;
                progress::say(format!("written: {}", path.display()));
            }
        }
        let source = PathBuf::from("the runs");
        let read = |text: &str| parse_runs(text).map_err(|error| Failure::input(&source, error));
        let (with, base) = (read(&tables.with)?, read(&tables.base)?);
        if with.is_empty() {
            let why = "it was stopped before two runs of any configuration were measured";
            return Err(Failure::NoData(why.into()));
        }
        let basis = match reader.basis() {
            FigureBasis::Measured => "",
            FigureBasis::Estimated => " (figures of a model, no measurement)",
            FigureBasis::Simulated => " (simulated figures)",
        };
        Ok((OverheadFigures { with, base, source }, basis))
    }

    fn plan_experiment(&self) -> Result<Experiment, Failure> {
        let given = self.configuration.iter().map(|text| match text.split_once('=') {
            Some((name, command)) if !command.trim().is_empty() => Ok(NamedCommand {
                name: name.into(),
                line: Some(CommandLine::Once(command.into())),
            }),
            _ => Err(Failure::Usage(format!("--configuration {text}: give NAME=COMMAND"))),
        });
        let own = |name: String, words: &[&str]| NamedCommand {
            name,
            line: Some(CommandLine::Own(words.iter().map(|word| (*word).to_owned()).collect())),
        };
        let monitor = self.monitor.iter().map(|seconds| {
            let interval = seconds.to_string();
            let words = ["monitor", "--headless", "--meter", &self.meter, "--interval", &interval];
            own(format!("monitor {seconds} s"), &words)
        });
        let tenants = self.tenants.iter().map(|ms| {
            let words = ["tenants", "cgroups", "--for", "0", "--window-ms", &ms.to_string()];
            own(format!("tenants {ms} ms"), &words)
        });
        let mut configurations = given.collect::<Result<Vec<_>, _>>()?;
        configurations.extend(monitor.chain(tenants));
        let mut scenarios: Vec<NamedCommand> =
            self.scenario.iter().map(|s| parse_scenario(s)).collect();
        if scenarios.is_empty() {
            scenarios.push(NamedCommand { name: "idle".into(), line: None });
        }
        check_names_differ("--configuration", &configurations)?;
        check_names_differ("--scenario", &scenarios)?;
        if configurations.iter().any(|command| command.name == BASE_NAME) {
            let why = "runs without a configuration are called so; give another name";
            return Err(Failure::Usage(format!("--configuration {BASE_NAME}: {why}")));
        }
        let (repeats, seed) = (self.repeats, self.seed);
        Ok(Experiment { configurations, scenarios, repeats, seed })
    }

    /// Makes all runs in their order, or those before a request to stop.
    fn make_planned_runs(
        &self,
        experiment: &Experiment,
        reader: &mut PowerReader,
        output: Option<&Output>,
    ) -> Result<Vec<MeasuredRun>, Failure> {
        let stop = StopRequest::listen();
        let order = experiment.order();
        let minutes = order.len() as f64 * (self.seconds + self.settle) / 60.0;
        progress::say(format!("{} of about {minutes:.1} min", counted(order.len(), "run")));
        let mut runs = Vec::new();
        for (number, planned) in (1..).zip(&order) {
            let Some(run) = self.make_run(experiment, *planned, reader, &stop)? else { break };
            progress::say(format!(
                "run {number} of {}: {}, {}: {:.4} W",
                order.len(),
                run.configuration.as_deref().unwrap_or(BASE_NAME),
                run.scenario,
                run.sockets.iter().map(|(_, joules)| joules).sum::<f64>() / run.seconds
            ));
            runs.push(run);
            if let Some(output) = output {
                // Anew after each run: what was measured stays, however this ends.
                let csv = experiment_csv(&runs, reader.name(), reader.basis().name());
                output.write("runs.csv", csv)?;
            }
        }
        Ok(runs)
    }

    /// Makes one run; `None` after a request to stop.
    fn make_run(
        &self,
        experiment: &Experiment,
        planned: PlannedRun,
        reader: &mut PowerReader,
        stop: &StopRequest,
    ) -> Result<Option<MeasuredRun>, Failure> {
        let scenario = &experiment.scenarios[planned.scenario];
        let tested = planned.configuration.map(|index| &experiment.configurations[index]);
        let mut loads: Vec<_> = scenario.start("--scenario")?.into_iter().collect();
        if let Some(tested) = tested {
            loads.extend(tested.start("--configuration")?);
        }
        let mut wait = |until: Instant| -> Result<bool, Failure> {
            let is_over = stop.sleep(until, || loads.iter_mut().any(|load| load.has_ended()));
            loads.iter_mut().try_for_each(|load| load.check())?;
            Ok(is_over)
        };
        if wait(Instant::now() + Duration::from_secs_f64(self.settle))? {
            return Ok(None);
        }
        reader.read()?;
        let end = Instant::now() + Duration::from_secs_f64(self.seconds);
        let mut spent = SpentEnergy::default();
        while Instant::now() < end {
            if wait(end.min(Instant::now() + METER_PERIOD))? {
                return Ok(None);
            }
            spent.add(reader.read()?);
        }
        Ok(Some(MeasuredRun {
            repetition: planned.repetition,
            configuration: tested.map(|tested| tested.name.clone()),
            scenario: scenario.name.clone(),
            seconds: spent.seconds,
            sockets: spent.sockets,
        }))
    }
}

fn parse_scenario(text: &str) -> NamedCommand {
    match text.split_once('=') {
        Some((name, command)) if !command.trim().is_empty() => {
            NamedCommand { name: name.into(), line: Some(CommandLine::Again(command.into())) }
        }
        _ => NamedCommand { name: text.trim_end_matches('=').into(), line: None },
    }
}

fn check_names_differ(flag: &str, commands: &[NamedCommand]) -> Result<(), Failure> {
    let mut names = BTreeSet::new();
    match commands.iter().find(|command| !names.insert(&command.name)) {
        None => Ok(()),
        Some(twice) => Err(Failure::Usage(format!("{flag}: {} is there twice", twice.name))),
    }
}

impl Experiment {
    /// Each repetition has every run once.
    fn order(&self) -> Vec<PlannedRun> {
        let scenarios = self.scenarios.len();
        let count = (self.configurations.len() + 1) * scenarios;
        let planned = |(repetition, number): (usize, usize)| PlannedRun {
            repetition,
            configuration: (number / scenarios).checked_sub(1),
            scenario: number % scenarios,
        };
        random_blocks(count, self.repeats, self.seed).into_iter().map(planned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> NamedCommand {
        NamedCommand { name: name.into(), line: None }
    }

    #[test]
    fn every_repetition_has_every_run_once_in_an_order_of_its_own() {
        let experiment = |seed| Experiment {
            configurations: vec![named("a"), named("b")],
            scenarios: vec![named("idle"), named("busy")],
            repeats: 8,
            seed,
        };
        let order = experiment(1).order();
        assert_eq!(order, experiment(1).order(), "a seed gives one order");
        assert_ne!(order, experiment(2).order());
        let blocks: Vec<&[PlannedRun]> = order.chunks(6).collect();
        let mut sorted: Vec<Vec<_>> = blocks.iter().map(|block| block.to_vec()).collect();
        sorted.iter_mut().for_each(|block| block.sort());
        for (block, repetition) in sorted.iter().zip(1..) {
            assert!(block.iter().all(|run| run.repetition == repetition), "{block:?}");
            assert!(block.windows(2).all(|pair| pair[0] < pair[1]), "each once: {block:?}");
        }
        let of = |block: &[PlannedRun]| -> Vec<_> {
            block.iter().map(|run| (run.configuration, run.scenario)).collect()
        };
        assert!(blocks[1..].iter().any(|block| of(block) != of(blocks[0])));
    }

    #[test]
    fn a_scenario_may_have_a_command() {
        assert_eq!(parse_scenario("idle"), named("idle"));
        let busy = parse_scenario("busy=a b=c");
        assert_eq!(
            (busy.name.as_str(), busy.line),
            ("busy", Some(CommandLine::Again("a b=c".into())))
        );
        assert!(check_names_differ("--scenario", &[named("x"), named("x")]).is_err());
    }
}
