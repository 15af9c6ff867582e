//! `wattline trace`: runs a program with probes on the local JVM and counts its blocks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use serde_json::json;

use crate::build::counts_files::read_counts;
use crate::build::module_path::module_and_class;
use crate::build::{AnalysedApplication, JavacSettings, Sources, VariantBuilder, sources};
use crate::campaign::parse_executions;
use crate::csv_text::CsvText;
use crate::failure::Failure;
use crate::file_schema::{DeclaredColumn, TableSchema};
use crate::folder::Output;
use crate::format::counted_as;
use crate::instrument::Probe;
use crate::operations::Dictionary;
use crate::private_files::TemporaryFolder;
use crate::toolchain::class_path::join_paths;
use crate::toolchain::jvm::exit_code;
use crate::toolchain::locale::user_locale;
use crate::toolchain::{Jdk, jar};

use super::answer::{FormatArgument, path_text};
use super::instrument::ProbeArgument;
use super::outcome::CommandOutcome;
use super::progress;
use super::scan::GranularityArgument;
use super::source_arguments::{BuildArguments, LoadedSources, ProcessorArguments, SourceArguments};

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline trace src/main/java --main com.example.Main --out target/trace -- --input data.txt

The program's input, output and exit code are its own; with --format json its output is on
standard error. Writes counts.csv (executions of every block, of all class loaders and processes
of the program; empty for a block that has no probe) and what `scan` writes.")]
pub struct Arguments {
    #[command(flatten)]
    sources: SourceArguments,
    /// The class to run, or MODULE/CLASS; of a project the one that its build names, if it is
    /// not given.
    #[arg(long, required_unless_present = "build_tool")]
    main: Option<String>,
    #[command(flatten)]
    processors: ProcessorArguments,
    #[command(flatten)]
    build: BuildArguments,
    /// What an expression's parts are: `expression` as in scenarios, for `predict`.
    #[arg(long, value_enum, default_value = "statement")]
    granularity: GranularityArgument,
    /// What is put into each block.
    #[arg(long, value_enum, default_value = "count")]
    probe: ProbeArgument,
    /// Fewer probes in loops that call nothing. The JVM may then drop message and trace of
    /// an exception of its own sooner, where it is thrown again and again.
    #[arg(long)]
    watch_loops: bool,
    /// javac --release; that of the project, else the JDK's own if it is not given.
    #[arg(long, value_parser = clap::value_parser!(u32).range(7..=30))]
    release: Option<u32>,
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

/// Runs the command; its outcome has the program's own exit code, if that is not 0.
pub fn run(arguments: &Arguments) -> Result<CommandOutcome, Failure> {
    let output = Output::open(&arguments.out, arguments.force.into(), &progress::TERMINAL)?;
    output.check_free(&["counts.csv"])?;
    let jdk = Jdk::find()?;
    let mut loaded = arguments.sources.load(&output)?;
    loaded.check_same_program()?;
    let main = arguments.main.clone().map_or_else(|| loaded.main_class(), Ok)?;
    sources::add_resources(&mut loaded.sources, arguments.sources.paths())?;
    let release = arguments.release.or(loaded.release());
    arguments.build.apply(&mut loaded, &arguments.processors, &jdk, release)?;
    let LoadedSources { sources, project } = loaded;
    let mut application = AnalysedApplication::analyse(sources, arguments.granularity.into())?;
    let probe = Probe::from(arguments.probe);
    let builder = VariantBuilder::new(&application, &jdk, release)?;
    let builder = match project.is_some_and(|project| project.parameters) {
        true => builder.with_parameters(),
        false => builder,
    };
    // Its user reads the program's own messages.
    let mut builder = match arguments.watch_loops {
        true => builder,
        false => builder.without_watched_loops(),
    };
    let variant = builder.build(&BTreeSet::new(), probe)?;
    let (probed, findings) =
        (builder.probed_blocks(probe).to_vec(), builder.findings(probe).to_vec());
    drop(builder);
    application.findings.extend(findings);
    let folder =
        TemporaryFolder::new("trace").map_err(Failure::io("create", std::env::temp_dir()))?;
    jar::write_folder(folder.path(), &variant.classes)?;
    let code = run_program(arguments, &main, &jdk, &application.sources, folder.path())?;
    output.write_scan(&application)?;
    let folder_text = path_text(output.folder());
    let mut figures = json!({"exit_code": code, "blocks": probed.len(), "folder": folder_text});
    if probe != Probe::Plain {
        let counts = folder.path();
        let text = read_counts(counts).map_err(Failure::io("read", counts))?;
        let text = text.ok_or_else(|| Failure::input(&main, NO_COUNTS))?;
        let executions = parse_executions(&text, application.dictionary.blocks.len())
            .map_err(|error| Failure::input(counts, error))?;
        output.write("counts.csv", counts_csv(&application.dictionary, &executions, &probed))?;
        let missing = probed.iter().filter(|probed| !**probed).count();
        figures["blocks_without_probe"] = json!(missing);
        figures["executed_blocks"] = json!(executions.iter().filter(|count| **count > 0).count());
        figures["executions"] = json!(executions.iter().copied().fold(0, u64::saturating_add));
        if missing > 0 {
            let all = counted_as(probed.len(), "block is", "blocks are");
            progress::say(format!("{missing} of {all} not counted; see findings.csv"));
        }
    }
    arguments.format.print_figures("trace", || figures);
    progress::say(format!("written: {}", output.folder().display()));
    Ok(CommandOutcome::of_program(u8::try_from(code).unwrap_or(1)))
}

/// Reason why a program that ran has no counts.
const NO_COUNTS: &str = "the program left no counts: they are written when it ends by itself, by \
                         System.exit or by SIGTERM, and are lost with Runtime.halt or SIGKILL";

/// Runs the compiled program and returns its exit code.
fn run_program(
    arguments: &Arguments,
    main: &str,
    jdk: &Jdk,
    sources: &Sources,
    classes: &Path,
) -> Result<i32, Failure> {
    let status = Command::new(&jdk.java)
        .args(sources.javac.jvm_options())
        .args(launch_options(main, sources, classes)?)
        .args(&arguments.program)
        .env("WATTLINE_OUT", classes)
        .envs(user_locale())
        .stdin(Stdio::inherit())
        .stdout(arguments.format.output_of_program()?)
        .status()
        .map_err(Failure::io("start", &jdk.java))?;
    Ok(exit_code(status))
}

/// JVM options that start the program: as a module where its sources are one.
fn launch_options(main: &str, sources: &Sources, classes: &Path) -> Result<Vec<String>, Failure> {
    let (named, class) = module_and_class(main);
    let own = [classes.to_path_buf()];
    let JavacSettings { module, module_path, .. } = &sources.javac;
    let Some(module) = module else {
        let classpath = [&own, sources.libraries.as_slice()].concat();
        return match named {
            None => Ok(vec!["-cp".to_owned(), join_paths(&classpath), class.to_owned()]),
            Some(name) => {
                let why = format!("--main {main}: the sources declare no module {name}");
                Err(Failure::Usage(why))
            }
        };
    };
    if let Some(name) = named.filter(|name| *name != module.name) {
        let why = format!("--main {main}: the sources are module {}, not {name}", module.name);
        return Err(Failure::Usage(why));
    }
    let mut options = vec!["-p".to_owned(), join_paths(&[&own, module_path.as_slice()].concat())];
    let beside = sources.javac.beside_modules(sources.libraries.clone());
    if !beside.is_empty() {
        options.extend(["-cp".to_owned(), join_paths(&beside)]);
    }
    options.extend(["-m".to_owned(), format!("{}/{class}", module.name)]);
    Ok(options)
}

/// Columns of `counts.csv`.
const COUNT_COLUMNS: [DeclaredColumn; 3] = [
    DeclaredColumn::integer("block", "Number of the basic block"),
    DeclaredColumn::text("name", "Name of the block"),
    DeclaredColumn::integer("executions", "Executions of the block; empty where it has no probe"),
];

/// The columns of the table of counts.
pub fn trace_table_schema() -> TableSchema {
    TableSchema::declared("counts.csv", "`trace`", "Executions of each block", &COUNT_COLUMNS)
}

/// Text of `counts.csv`: `block,name,executions`, without a number where a block has no probe.
fn counts_csv(dictionary: &Dictionary, executions: &[u64], probed: &[bool]) -> String {
    let mut table = CsvText::new(COUNT_COLUMNS);
    for ((block, count), probed) in dictionary.blocks.iter().zip(executions).zip(probed) {
        let count = if *probed { count.to_string() } else { String::new() };
        table.row([&block.id.0.to_string(), &block.name, &count]);
    }
    table.text()
}
