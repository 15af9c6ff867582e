//! `wattline patterns count`: runs a program on the local JVM and counts the bytecode patterns that
//! it executes.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Args;
use serde_json::{Value, json};

use crate::cli::answer::{FormatArgument, path_text};
use crate::cli::outcome::CommandOutcome;
use crate::cli::progress;
use crate::csv_text::CsvText;
use crate::failure::Failure;
use crate::folder::{OnExisting, Output};
use crate::format::counted;
use crate::pattern_counts::ExecutedPatterns;
use crate::private_files::TemporaryFolder;
use crate::report::table_rows;
use crate::toolchain::Jdk;
use crate::toolchain::bytecode_counter::{
    BytecodeCounter, BytecodeCounts, CountedMethod, read_bytecode_counts,
};
use crate::toolchain::class_path::join_paths;
use crate::toolchain::jvm::exit_code;
use crate::toolchain::locale::user_locale;

/// File name of the counts.
const COUNTS_FILE: &str = "pattern-counts.csv";

/// File name of the instructions outside of all patterns.
const OUTSIDE_FILE: &str = "outside-patterns.csv";

#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Example:
  wattline patterns count app.jar --main com.example.Main --out target/counts -- --input data.txt
  wattline predict target/patterns/effects.csv target/counts/pattern-counts.csv --over device

Runs the program on this JVM and counts each executed instruction, in all threads; classes of the
JDK are not counted. Writes pattern-counts.csv (executions of each pattern) and
outside-patterns.csv (instructions that belong to no pattern, each with the reason).")]
pub struct Arguments {
    /// Jars and folders with the program's classes.
    #[arg(required = true, value_name = "CLASSES")]
    class_path: Vec<PathBuf>,
    /// The class to run.
    #[arg(long, value_name = "CLASS")]
    main: String,
    /// Count the instructions of this method only (com.example.Main.run, or a class or package for
    /// all of its methods); can be repeated.
    #[arg(long, value_name = "METHOD")]
    method: Vec<String>,
    /// Name of the case in the table.
    #[arg(long, default_value = "program")]
    case: String,
    /// The level of the factor `device`: a board's serial as in effects.csv. Without it the table
    /// has no column `device`; predict with `--over device`.
    #[arg(long, value_parser = parse_device)]
    device: Option<String>,
    /// Folder for the results.
    #[arg(long)]
    out: PathBuf,
    /// Replace existing results.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: FormatArgument,
    /// Arguments of the program.
    #[arg(last = true)]
    program: Vec<String>,
}

/// The name of a device, which is not blank: `predict` takes an empty cell for a factor that does
/// not apply.
fn parse_device(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("the name is empty; without --device, predict with `--over device`".to_owned()),
        name => Ok(name.to_owned()),
    }
}

/// Runs the command; its outcome has the program's own exit code, if that is not 0.
pub fn run(arguments: &Arguments) -> Result<CommandOutcome, Failure> {
    let existing = OnExisting::from(arguments.force);
    let output = Output::open(&arguments.out, existing, &progress::TERMINAL)?;
    output.check_free(&[COUNTS_FILE, OUTSIDE_FILE])?;
    for path in &arguments.class_path {
        std::fs::metadata(path).map_err(Failure::io("read", path))?;
    }
    let jdk = Jdk::find()?;
    let folder =
        TemporaryFolder::new("counts").map_err(Failure::io("create", std::env::temp_dir()))?;
    let file = folder.path().join("counts.txt");
    let counter = BytecodeCounter::get(&jdk)?;
    let status = Command::new(&jdk.java)
        .args(counter.options(&file))
        .arg("-cp")
        .arg(join_paths(&arguments.class_path))
        .arg(&arguments.main)
        .args(&arguments.program)
        .envs(user_locale())
        .stdin(Stdio::inherit())
        .stdout(arguments.format.output_of_program()?)
        .status()
        .map_err(Failure::io("start", &jdk.java))?;
    let counts = read_bytecode_counts(&file)?;
    let patterns = count(arguments, &counts)?;
    let device = arguments.device.as_deref();
    let mut table = ExecutedPatterns::table(device.is_some());
    patterns.add_rows(&mut table, &arguments.case, device, None);
    let table = table.text();
    let mut figures = figures(&patterns, &counts, &table);
    output.write(COUNTS_FILE, table)?;
    let mut outside = CsvText::new(ExecutedPatterns::OUTSIDE_COLUMNS);
    patterns.add_outside_rows(&mut outside, &arguments.case);
    for (name, reason) in &counts.uncounted {
        outside.row([arguments.case.as_str(), name, reason, ""]);
    }
    output.write(OUTSIDE_FILE, outside.text())?;
    let code = u8::try_from(exit_code(status)).unwrap_or(1);
    figures["exit_code"] = json!(code);
    figures["folder"] = json!(path_text(output.folder()));
    arguments.format.print("patterns count", &figures, || summary(&patterns, &counts));
    progress::say(format!("written: {}", output.folder().display()));
    Ok(CommandOutcome::of_program(code))
}

/// The patterns of the wanted methods.
fn count(arguments: &Arguments, counts: &BytecodeCounts) -> Result<ExecutedPatterns, Failure> {
    for name in &arguments.method {
        if !counts.methods.iter().any(|method| method.is_within(name)) {
            if let Some((uncounted, reason)) = counts.uncounted_within(name) {
                let text = format!("--method {name}: {uncounted} was not counted: {reason}");
                return Err(Failure::Usage(text));
            }
            let classes: BTreeSet<&str> =
                counts.methods.iter().map(|method| method.class.as_str()).collect();
            let some: Vec<&str> = classes.into_iter().take(10).collect();
            let text = format!(
                "--method {name}: the program has loaded no class with it; it has loaded {}",
                some.join(", ")
            );
            return Err(Failure::Usage(text));
        }
    }
    let is_wanted = |method: &CountedMethod| {
        arguments.method.is_empty() || arguments.method.iter().any(|name| method.is_within(name))
    };
    let patterns = ExecutedPatterns::of(&counts.methods, is_wanted);
    match patterns.instructions {
        0 => Err(Failure::Usage(format!(
            "the program has executed no counted instruction of these methods{}; --method names \
             others, --main another class",
            uncounted_text(arguments, counts)
        ))),
        _ => Ok(patterns),
    }
}

/// The first of the wanted code that was not counted, with the reason; empty if all was.
fn uncounted_text(arguments: &Arguments, counts: &BytecodeCounts) -> String {
    let any = || counts.uncounted.first().map(|(name, reason)| (name.as_str(), reason.as_str()));
    let uncounted = match arguments.method.as_slice() {
        [] => any(),
        names => names.iter().find_map(|name| counts.uncounted_within(name)),
    };
    uncounted.map_or(String::new(), |(name, reason)| format!(" ({name} was not counted: {reason})"))
}

/// Figures of counted patterns: the rows of the table, and the executions outside of patterns.
fn figures(patterns: &ExecutedPatterns, counts: &BytecodeCounts, table: &str) -> Value {
    let outside = patterns.outside.iter().map(|(of, executions)| {
        json!({"instruction": of.instruction, "reason": of.reason, "executions": executions})
    });
    let uncounted =
        counts.uncounted.iter().map(|(name, reason)| json!({"name": name, "reason": reason}));
    json!({
        "instructions": patterns.instructions,
        "instructions_outside_patterns": patterns.outside_instructions(),
        "patterns": table_rows(table),
        "outside": outside.collect::<Vec<Value>>(),
        "uncounted": uncounted.collect::<Vec<Value>>(),
    })
}

/// How many instructions are parts of patterns, and which executions are not.
fn summary(patterns: &ExecutedPatterns, counts: &BytecodeCounts) -> String {
    let outside = patterns.outside_instructions();
    let all = patterns.instructions;
    let share = |executions: u64| 100.0 * executions as f64 / all as f64;
    let mut lines = vec![format!(
        "{} in {}: {:.2} % of {}",
        counted(patterns.patterns.values().sum::<u64>(), "execution"),
        counted(patterns.patterns.len(), "pattern"),
        share(all - outside),
        counted(all, "executed instruction"),
    )];
    let mut rows: Vec<_> = patterns.outside.iter().collect();
    rows.sort_by_key(|(_, executions)| std::cmp::Reverse(**executions));
    for (of, executions) in rows.iter().take(OUTSIDE_SHOWN) {
        let share = share(**executions);
        lines.push(format!("  outside: {share:.2} % {}: {}", of.instruction, of.reason));
    }
    if rows.len() > OUTSIDE_SHOWN {
        lines.push(format!("  {} more in {OUTSIDE_FILE}", rows.len() - OUTSIDE_SHOWN));
    }
    for (name, reason) in &counts.uncounted {
        lines.push(format!("  not counted: {name}: {reason}"));
    }
    lines.join("\n")
}

/// Most instructions outside of patterns that the terminal shows.
const OUTSIDE_SHOWN: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolchain::code_listing::ListedInstruction;

    /// The error of `--method` with this name, of a run that has counted `a.B.run` so often.
    fn error_of(names: &[&str], executions: u64) -> String {
        let arguments = Arguments {
            class_path: Vec::new(),
            main: "a.B".to_owned(),
            method: names.iter().map(|name| (*name).to_owned()).collect(),
            case: String::new(),
            device: None,
            out: PathBuf::new(),
            force: false,
            format: FormatArgument::default(),
            program: Vec::new(),
        };
        let add = ListedInstruction { name: "iadd".into(), operand: String::new(), target: None };
        let counts = BytecodeCounts {
            methods: vec![CountedMethod {
                class: "a.B".to_owned(),
                name: "run".to_owned(),
                descriptor: "()V".to_owned(),
                instructions: vec![(add, executions)],
            }],
            uncounted: vec![("a.B.big()".to_owned(), "it is too large".to_owned())],
        };
        count(&arguments, &counts).unwrap_err().to_string()
    }

    #[test]
    fn a_device_has_a_name() {
        assert_eq!(parse_device(" Device 1 "), Ok("Device 1".to_owned()));
        assert!([parse_device(""), parse_device(" ")].iter().all(Result::is_err));
    }

    #[test]
    fn code_that_was_not_counted_is_named_with_the_reason() {
        let named = error_of(&["a.B.big"], 7);
        assert_eq!(named, "--method a.B.big: a.B.big() was not counted: it is too large");
        let unknown = error_of(&["a.B.small"], 7);
        assert!(unknown.contains("it has loaded a.B"), "{unknown}");
        for names in [&["a.B"][..], &[]] {
            let none = error_of(names, 0);
            assert!(none.contains("(a.B.big() was not counted: it is too large);"), "{none}");
        }
        assert!(!error_of(&["a.B.run"], 0).contains("not counted"));
    }
}
