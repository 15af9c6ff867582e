//! `wattline monitor overhead`: what the agent costs a command, by runs with and without it.

pub(super) mod arguments;
mod configuration;
mod output_marks;
mod requests;
mod runner;

use std::process::Command;

use serde_json::json;

use crate::attribution::monitor::agent_overhead::{
    AgentRun, FigureOverhead, OverheadVerdict, RunMean, agent_overhead_csv, agent_runs_csv,
    compare_agent_runs,
};
use crate::cli::monitor::jvm::is_java;
use crate::cli::progress;
use crate::cli::random_order::random_blocks;
use crate::cli::stop::StopRequest;
use crate::failure::Failure;
use crate::folder::{OnExisting, Output};
use crate::format::counted;
use crate::private_files::TemporaryFolder;
use crate::report::table_rows;
use crate::toolchain::Jdk;

use arguments::AgentOverheadArguments;
use configuration::{AgentConfiguration, configurations};
use output_marks::OutputMarks;
use requests::RequestTarget;
use runner::{AgentRunner, RequestPhase};

/// The built-in program.
const PROGRAM: &str = include_str!("overhead/Requests.java");
const PROGRAM_CLASS: &str = "Requests";

/// Lines of the built-in program.
const PROGRAM_START: &str = "started";
const PROGRAM_REQUEST: &str = "request ";

/// Files of the folder.
const RUNS_FILE: &str = "runs.csv";
const OVERHEAD_FILE: &str = "overhead.csv";

pub fn run(arguments: &AgentOverheadArguments) -> Result<(), Failure> {
    let modes = match arguments.mode.as_slice() {
        [] => vec!["sampling".to_owned(), "sampling:10".to_owned()],
        given => given.to_vec(),
    };
    let configurations = configurations(&modes)?;
    let requests = request_phase(arguments)?;
    if arguments.command.first().is_some_and(|program| !is_java(program)) {
        let why = "the agent is an option of `java`: give the `java` command that it runs";
        return Err(Failure::Usage(format!("-- {}: {why}", arguments.command[0])));
    }
    let output = match &arguments.out {
        Some(folder) => {
            let existing = OnExisting::from(arguments.force);
            let output = Output::open(folder, existing, &progress::TERMINAL)?;
            output.check_free(&[RUNS_FILE, OVERHEAD_FILE])?;
            Some(output.replacing())
        }
        None => None,
    };
    let jdk = Jdk::find()?;
    let folder =
        TemporaryFolder::new("overhead").map_err(Failure::io("create", std::env::temp_dir()))?;
    let (command, marks) = match arguments.command.is_empty() {
        true => built_in(&jdk, folder.path(), arguments.requests)?,
        false => {
            let (start, request) = (arguments.start_line.clone(), arguments.request_line.clone());
            (arguments.command.clone(), OutputMarks { start, request })
        }
    };
    let stop = StopRequest::listen();
    let runner = AgentRunner {
        command: &command,
        marks: &marks,
        requests: requests.as_ref(),
        jdk: &jdk,
        stop: &stop,
    };
    let runs = make_runs(arguments, &configurations, &runner, output.as_ref())?;
    let rows = compare_agent_runs(&runs);
    if rows.is_empty() {
        let why = "it was stopped before a repetition had a run with the agent and one without";
        return Err(Failure::NoData(why.into()));
    }
    let csv = agent_overhead_csv(&rows);
    let text = || rows.iter().map(result_line).collect::<Vec<_>>().join("\n");
    let figures = json!({"figures": table_rows(&csv)});
    arguments.format.print("monitor overhead", &figures, text);
    if let Some(output) = output {
        let path = output.write(OVERHEAD_FILE, csv)?;
        progress::say(format!("written: {}", path.display()));
    }
    Ok(())
}

/// The requests to a server, where there is one.
fn request_phase(arguments: &AgentOverheadArguments) -> Result<Option<RequestPhase>, Failure> {
    let phase = |url: &String| {
        let target = RequestTarget::parse(url)?;
        Ok(RequestPhase { target, warm_up_s: arguments.warm_up, measured_s: arguments.seconds })
    };
    arguments.url.as_ref().map(phase).transpose()
}

/// All runs in their order, or those before it was asked to stop.
fn make_runs(
    arguments: &AgentOverheadArguments,
    configurations: &[AgentConfiguration],
    runner: &AgentRunner<'_>,
    output: Option<&Output>,
) -> Result<Vec<AgentRun>, Failure> {
    let order = random_blocks(configurations.len(), arguments.repeats, arguments.seed);
    progress::say(counted(order.len(), "run"));
    let mut runs = Vec::new();
    for (number, (repetition, index)) in (1..).zip(&order) {
        let configuration = &configurations[*index];
        let Some(figures) = runner.run(configuration)? else { break };
        let name = &configuration.name;
        let texts = figures.iter().map(|(figure, s)| format!("{} {}", figure.name(), time(*s)));
        let texts: Vec<String> = texts.collect();
        progress::say(format!("run {number} of {}: {name}: {}", order.len(), texts.join("; ")));
        let (repetition, configuration) = (*repetition, name.clone());
        runs.push(AgentRun { repetition, configuration, figures });
        if let Some(output) = output {
            // Anew after each run: what was measured stays, however this ends.
            output.write(RUNS_FILE, agent_runs_csv(&runs))?;
        }
    }
    Ok(runs)
}

/// Compiles the built-in program; its command and what its output says.
fn built_in(
    jdk: &Jdk,
    folder: &std::path::Path,
    requests: usize,
) -> Result<(Vec<String>, OutputMarks), Failure> {
    let source = folder.join(format!("{PROGRAM_CLASS}.java"));
    std::fs::write(&source, PROGRAM).map_err(Failure::io("write", &source))?;
    let compiled = Command::new(&jdk.javac).arg("-g").arg("-d").arg(folder).arg(&source).output();
    let compiled = compiled.map_err(Failure::io("start", &jdk.javac))?;
    if !compiled.status.success() {
        let said = String::from_utf8_lossy(&compiled.stderr).into_owned();
        return Err(Failure::input(&source, said));
    }
    let words = [jdk.java.as_path(), "-cp".as_ref(), folder, PROGRAM_CLASS.as_ref()];
    let command = words.iter().map(|word| word.display().to_string());
    let marks =
        OutputMarks { start: Some(PROGRAM_START.into()), request: Some(PROGRAM_REQUEST.into()) };
    Ok((command.chain([requests.to_string()]).collect(), marks))
}

fn result_line(row: &FigureOverhead) -> String {
    let difference = &row.difference;
    let half = difference.half_width;
    let share =
        row.percent(difference.mean).map(|percent| match half.and_then(|h| row.percent(h)) {
            Some(half) => format!(" ({percent:+.1} % +- {half:.1} %)"),
            None => format!(" ({percent:+.1} %)"),
        });
    let verdict = match row.verdict() {
        OverheadVerdict::NotToldApart => "; not told apart: the interval contains 0",
        OverheadVerdict::TooFew => "; too few runs for an interval",
        OverheadVerdict::More | OverheadVerdict::Less => "",
    };
    let sign = if difference.mean < 0.0 { "-" } else { "+" };
    format!(
        "{}, {}: {} against {} without the agent, difference {sign}{}{}{verdict}",
        row.figure.name(),
        row.configuration,
        mean(&row.with),
        mean(&row.without),
        mean(&RunMean { mean: difference.mean.abs(), ..*difference }),
        share.unwrap_or_default()
    )
}

fn mean(mean: &RunMean) -> String {
    match mean.half_width {
        Some(half) => format!("{} +- {}", time(mean.mean), time(half)),
        None => time(mean.mean),
    }
}

/// A time in its unit: s, ms or us.
fn time(seconds: f64) -> String {
    match seconds.abs() {
        s if s >= 1.0 => format!("{seconds:.3} s"),
        s if s >= 1e-3 => format!("{:.2} ms", seconds * 1e3),
        _ => format!("{:.2} us", seconds * 1e6),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::attribution::monitor::agent_overhead::{RunFigure, WITHOUT_AGENT};

    #[test]
    fn a_result_has_both_means_the_difference_and_what_is_not_told_apart() {
        let run = |repetition, configuration: &str, cpu_s| AgentRun {
            repetition,
            configuration: configuration.into(),
            figures: BTreeMap::from([(RunFigure::CpuTime, cpu_s)]),
        };
        let line = |values: [(f64, f64); 2]| {
            let both = (1..).zip(values).flat_map(|(repetition, (with, without))| {
                [run(repetition, "sampling", with), run(repetition, WITHOUT_AGENT, without)]
            });
            result_line(&compare_agent_runs(&both.collect::<Vec<_>>())[0])
        };
        let same = line([(2.2, 2.0), (2.2, 2.0)]);
        assert!(same.starts_with("CPU time of the run, sampling: 2.200 s +- 0.00 us against"));
        assert!(same.ends_with("difference +200.00 ms +- 0.00 us (+10.0 % +- 0.0 %)"), "{same}");
        let unclear = line([(2.0, 1.0), (1.0, 2.0)]);
        assert!(unclear.ends_with("not told apart: the interval contains 0"), "{unclear}");
    }

    #[test]
    fn times_have_a_unit() {
        assert_eq!((time(1.5), time(0.0125)), ("1.500 s".into(), "12.50 ms".into()));
        assert_eq!(time(2.5e-6), "2.50 us");
    }
}
