//! `wattline patterns`: measures the bytecode patterns of the probabilistic profiler on a board.

use std::path::PathBuf;

use clap::Args;

use crate::boards::OpenBoard;
use crate::build::VariantBuilder;
use crate::failure::Failure;
use crate::folder::names::MICROBENCHMARK_RUNS;
use crate::format::counted;
use crate::microbenchmarks::patterns::{
    PatternMicrobenchmark, energies_csv, pattern_energies, pattern_microbenchmarks,
};
use crate::microbenchmarks::{
    JAVA_RELEASE, SessionStore, analyse, baselines, measure_all, open_boards,
};
use crate::scenario::read_scenario;
use crate::toolchain::Jdk;

use super::boards::BoardArguments;
use super::microbenchmarks::open_output;
use super::progress;

/// File name of the table of measurements.
const MEASURED_FILE: &str = "measured-patterns.csv";

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline patterns scenarios/orbit.toml --board virtual --out target/patterns
  wattline fit target/patterns/measured-patterns.csv --solver bayes \\
      --factors operation,size,type,device --out target/patterns

Each of the 174 patterns is a Java statement, 16 times in a loop; the loop without it, of
the same session, is subtracted. Sessions run all in random order, each after a forced
collection, as long as [microbenchmarks] in the scenario says. Several boards (--serial A
--serial B) take turns. A session that has ended is not made again when the command is
repeated after an interruption (microbenchmark-runs/ holds them), except with --force.
Writes measured-patterns.csv: a row per pattern, board and session, with the energy of
one execution in joules.")]
pub struct Arguments {
    /// The scenario: meter, rails, frequency, seed, and the sessions' [microbenchmarks].
    scenario: PathBuf,
    #[command(flatten)]
    boards: BoardArguments,
    /// Only patterns of this category, by its first letters (Addition, If, Arrays...); can be
    /// repeated.
    #[arg(long, value_name = "CATEGORY")]
    only: Vec<String>,
    /// Folder for the results.
    #[arg(long)]
    out: PathBuf,
    /// Replace existing results.
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let chosen = arguments.boards.choices()?;
    let wanted = wanted_patterns(&arguments.only)?;
    let output = open_output(&arguments.out, arguments.force, &[MEASURED_FILE])?;
    let scenario = read_scenario(&arguments.scenario)?;
    let jdk = Jdk::find()?;
    let boards = open_boards(&chosen, &scenario, &output, &progress::TERMINAL)?;
    refuse_local(&boards)?;
    let of_patterns = wanted.iter().map(|pattern| pattern.microbenchmark.clone());
    let all: Vec<_> = of_patterns.chain(baselines()).collect();
    let application = analyse(&all)?;
    let mut builder = VariantBuilder::new(&application, &jdk, Some(JAVA_RELEASE))?;
    let place = SessionStore { output: &output, runs: MICROBENCHMARK_RUNS };
    let sessions = measure_all(&all, &scenario, &mut builder, &boards, place, &progress::TERMINAL)?;
    let energies = pattern_energies(&wanted, &sessions);
    let path = output.write(MEASURED_FILE, energies_csv(&energies)?)?;
    progress::result(format!(
        "{} x {} on {}: {}",
        counted(wanted.len(), "pattern"),
        counted(sessions.len(), "session"),
        boards.iter().map(OpenBoard::recorded_serial).collect::<Vec<_>>().join(", "),
        counted(energies.len(), "measurement")
    ));
    progress::say(format!("written: {}", path.display()));
    Ok(())
}

/// Refuses this machine as a board: its compilers remove most of a statement's sixteen copies.
fn refuse_local(boards: &[OpenBoard]) -> Result<(), Failure> {
    match boards.iter().any(OpenBoard::is_local) {
        true => Err(Failure::Usage(
            "patterns are single statements, of which the compilers of the local JVM leave \
             next to nothing; measure them on a board that runs them as they are"
                .into(),
        )),
        false => Ok(()),
    }
}

/// Microbenchmarks of the patterns in the categories of `--only`; of all without any.
fn wanted_patterns(only: &[String]) -> Result<Vec<PatternMicrobenchmark>, Failure> {
    let all = pattern_microbenchmarks();
    let begins =
        |category: &str, with: &String| category.to_lowercase().starts_with(&with.to_lowercase());
    let is_unknown = |with: &&String| !all.iter().any(|p| begins(p.pattern.category, with));
    if let Some(unknown) = only.iter().find(is_unknown) {
        let mut known: Vec<&str> = all.iter().map(|pattern| pattern.pattern.category).collect();
        known.dedup();
        let known = known.join(", ");
        return Err(Failure::Usage(format!("no pattern is of {unknown:?}; there are {known}")));
    }
    let is_wanted = |pattern: &PatternMicrobenchmark| {
        only.is_empty() || only.iter().any(|with| begins(pattern.pattern.category, with))
    };
    Ok(all.into_iter().filter(is_wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_choose_patterns() {
        assert_eq!(wanted_patterns(&[]).unwrap().len(), 174);
        assert_eq!(wanted_patterns(&["conv".into(), "Increase".into()]).unwrap().len(), 16);
        let error = wanted_patterns(&["Floats".into()]).unwrap_err().to_string();
        assert!(error.contains("Floats") && error.contains("Conversions"), "{error}");
    }
}
