//! `wattline patterns`: measures the bytecode patterns of the probabilistic profiler on a board.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;

use crate::boards::OpenBoard;
use crate::build::VariantBuilder;
use crate::csv_text::CsvText;
use crate::failure::Failure;
use crate::folder::names::MICROBENCHMARK_RUNS;
use crate::format::counted;
use crate::microbenchmarks::patterns::{
    ListedProgram, MeasuredState, PatternMicrobenchmark, PatternStatus, ProgramEnergy,
    ValidationProgram, energies_csv, pattern_energies, pattern_microbenchmarks, program_energies,
    statuses, statuses_csv, validation_programs,
};
use crate::microbenchmarks::{
    BuiltPrograms, JAVA_RELEASE, SessionStore, analyse, baselines, count_programs, measure_built,
    open_boards,
};
use crate::pattern_counts::ExecutedPatterns;
use crate::scenario::read_scenario;
use crate::toolchain::Jdk;
use crate::toolchain::code_listing::ListedMethod;

use super::answer::{FormatArgument, path_text};
use super::boards::BoardArguments;
use super::microbenchmarks::open_output;
use super::outcome::CommandOutcome;
use super::progress;

mod count;

/// File name of the table of measurements.
const MEASURED_FILE: &str = "measured-patterns.csv";

/// All files of results.
const RESULT_FILES: [&str; 4] = [MEASURED_FILE, STATUS_FILE, PROGRAMS_FILE, PROGRAMS_OUTSIDE_FILE];

/// File name of the table of programs with their patterns and measured energy.
const PROGRAMS_FILE: &str = "programs.csv";

/// File name of the programs' instructions outside of patterns.
const PROGRAMS_OUTSIDE_FILE: &str = "programs-outside-patterns.csv";

/// File name of the table of patterns with what became of them.
const STATUS_FILE: &str = "pattern-status.csv";

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline patterns scenarios/orbit.toml --board virtual --out target/patterns

Each of the 174 patterns is a Java statement in a loop; the loop without it is subtracted. A
pattern whose instructions javac or D8 replaced is named and not measured. Writes
measured-patterns.csv (a row per pattern, board and session, joules of one execution), for
`fit --factors`, and pattern-status.csv. Repeat the command to continue after an interruption.")]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Arguments {
    #[command(subcommand)]
    below: Option<PatternsSubcommand>,
    /// The scenario: meter, rails, frequency, seed, and the sessions' [microbenchmarks].
    #[arg(required = true)]
    scenario: Option<PathBuf>,
    #[command(flatten)]
    boards: BoardArguments,
    /// Only patterns of this category, by its first letters (Addition, If, Arrays...); can be
    /// repeated.
    #[arg(long, value_name = "CATEGORY")]
    only: Vec<String>,
    /// Also measure programs (matrix multiplication, Fibonacci numbers) in the same sessions, and
    /// count their patterns: programs.csv, for `predict`.
    #[arg(long)]
    programs: bool,
    /// Folder for the results.
    #[arg(long, required = true)]
    out: Option<PathBuf>,
    /// Replace existing results.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: FormatArgument,
}

#[derive(Debug, Clone, Subcommand)]
enum PatternsSubcommand {
    /// Run a program and count the patterns that it executes, for `predict`.
    Count(count::Arguments),
}

/// Measures patterns, or counts those of a program, whose exit code is the outcome then.
pub fn run(arguments: &Arguments) -> Result<CommandOutcome, Failure> {
    if let Some(PatternsSubcommand::Count(arguments)) = &arguments.below {
        return count::run(arguments);
    }
    let missing = || Failure::Usage("a scenario and --out FOLDER are needed".to_owned());
    let scenario = arguments.scenario.as_ref().ok_or_else(missing)?;
    let out = arguments.out.as_ref().ok_or_else(missing)?;
    measure(arguments, scenario, out).map(|()| CommandOutcome::Done)
}

/// Measures the wanted patterns on boards.
fn measure(arguments: &Arguments, scenario: &Path, out: &Path) -> Result<(), Failure> {
    let chosen = arguments.boards.choices()?;
    let wanted = wanted_patterns(&arguments.only)?;
    let output = open_output(out, arguments.force, &RESULT_FILES)?;
    let scenario = read_scenario(scenario)?;
    let jdk = Jdk::find()?;
    let boards = open_boards(&chosen, &scenario, &output, &progress::TERMINAL)?;
    refuse_local(&boards)?;
    note_compilers(&boards);
    let of_patterns = wanted.iter().map(|pattern| pattern.microbenchmark.clone());
    let programs = if arguments.programs { validation_programs() } else { Vec::new() };
    let of_programs = programs.iter().map(|program| program.microbenchmark.clone());
    let all: Vec<_> = of_patterns.chain(baselines()).chain(of_programs).collect();
    let application = analyse(&all)?;
    let mut builder = VariantBuilder::new(&application, &jdk, Some(JAVA_RELEASE))?;
    let built = BuiltPrograms::build(&scenario, &mut builder, &boards)?;
    let refused = refused_patterns(&wanted, &built.list_code(&jdk)?);
    let run: Vec<_> = all.into_iter().filter(|of| !refused.contains_key(&of.name)).collect();
    let place = SessionStore { output: &output, runs: MICROBENCHMARK_RUNS };
    let sessions = measure_built(&run, &scenario, &built, &boards, place, &progress::TERMINAL)?;
    let energies = pattern_energies(&wanted, &sessions);
    let statuses = statuses(&wanted, &refused, &energies);
    let path = output.write(MEASURED_FILE, energies_csv(&energies)?)?;
    output.write(STATUS_FILE, statuses_csv(&statuses)?)?;
    if arguments.programs {
        let counts = count_programs(&programs, &built, &jdk)?;
        let [cases, outside] =
            program_tables(&programs, &counts, &program_energies(&programs, &sessions));
        output.write(PROGRAMS_FILE, cases)?;
        output.write(PROGRAMS_OUTSIDE_FILE, outside)?;
    }
    let serials: Vec<_> = boards.iter().map(OpenBoard::recorded_serial).collect();
    let figures = json!({
        "patterns": wanted.len() - refused.len(),
        "sessions": sessions.len(),
        "boards": serials,
        "measurements": energies,
        "statuses": statuses,
        "file": path_text(&path),
    });
    arguments.format.print("patterns", &figures, || {
        format!(
            "{} x {} on {}: {}{}",
            counted(wanted.len() - refused.len(), "pattern"),
            counted(sessions.len(), "session"),
            serials.join(", "),
            counted(energies.len(), "measurement"),
            unmeasured_text(&statuses)
        )
    });
    progress::say(format!("written: {}", path.display()));
    Ok(())
}

/// Reasons, by the name of the microbenchmark, for which patterns can't be measured: compilers left
/// other instructions than theirs.
fn refused_patterns(
    wanted: &[PatternMicrobenchmark],
    code: &[ListedMethod],
) -> BTreeMap<String, String> {
    let program = ListedProgram::of(code);
    let reason = |pattern: &PatternMicrobenchmark| {
        let reason = program.check(pattern).err()?;
        Some((pattern.microbenchmark.name.clone(), reason))
    };
    wanted.iter().filter_map(reason).collect()
}

/// The cases of programs for `predict`, and their instructions outside of patterns.
fn program_tables(
    programs: &[ValidationProgram],
    counts: &[ExecutedPatterns],
    energies: &[ProgramEnergy],
) -> [String; 2] {
    let mut cases = ExecutedPatterns::table(true);
    let mut outside = CsvText::new(ExecutedPatterns::OUTSIDE_COLUMNS);
    let devices: BTreeSet<&str> = energies.iter().map(|of| of.device.as_str()).collect();
    for (at, (program, counts)) in programs.iter().zip(counts).enumerate() {
        counts.add_outside_rows(&mut outside, &program.title);
        for energy in energies.iter().filter(|energy| energy.program == at) {
            // Rows of one case are added up.
            let case = match devices.len() {
                1 => program.title.clone(),
                _ => format!("{}, on {}", program.title, energy.device),
            };
            counts.add_rows(&mut cases, &case, Some(&energy.device), Some(energy.energy_j));
        }
    }
    [cases.text(), outside.text()]
}

/// Lines that name the patterns without energies, and those whose energies are noise; empty if
/// there is none.
fn unmeasured_text(statuses: &[PatternStatus]) -> String {
    let mut text = String::new();
    for status in statuses {
        if let MeasuredState::NotMeasured(reason) = &status.status {
            text += &format!("\nnot measured: {}: {reason}", status.name());
        }
    }
    for status in statuses {
        if let MeasuredState::NotAboveNoise(devices) = &status.status {
            text += &format!(
                "\nnot above noise: {}: {} may have left out its instructions; don't fit its rows",
                status.name(),
                devices.join(", ")
            );
        }
    }
    text
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

/// Notes the boards whose compilers may leave out instructions, where no check sees it.
fn note_compilers(boards: &[OpenBoard]) {
    for board in boards.iter().filter(|board| board.compiles()) {
        progress::say(format!(
            "note: {} compiles code: what is left of a statement can't be checked there, and a \
             pattern may spend less than its instructions would",
            board.recorded_serial()
        ));
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
