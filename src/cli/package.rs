//! `wattline package`: builds a variant of a scenario's application as an Android package.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::blocks::BlockId;
use crate::build::package::{BuiltPackage, PackageBuilder, RUNNER_CLASS, runner_package};
use crate::build::{AnalysedApplication, BuiltVariant};
use crate::failure::Failure;
use crate::folder::Output;
use crate::format::{counted, counted_as};
use crate::instrument::{self, Probe};
use crate::load::ScenarioOrigin;
use crate::scenario::{Scenario, StartKind, timed_steps};
use crate::toolchain::{Jdk, android};
use crate::{load, plan};

use super::instrument::{ProbeArgument, removed_blocks};
use super::origin::OriginArguments;
use super::progress;

/// File name of the package.
const PACKAGE_FILE: &str = "application.apk";
/// File name of the package that starts a package of the user's own build.
const RUNNER_FILE: &str = "runner.apk";

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline package scenarios/click-and-move.toml --probe count --out target/package

Writes application.apk, signed for Android releases from `application.min_sdk` on, and prints
what it contains and how to start it.
Fetch the tools that it needs from Maven, all at once:
  wattline package --fetch")]
// A scenario is needed by all but --fetch, of which the arguments that name one know nothing.
#[command(mut_arg("scenario", |scenario| scenario.required_unless_present_any(["build_tool", "fetch"])))]
pub struct Arguments {
    #[command(flatten)]
    origin: OriginArguments,
    /// Fetch what packages need, and make none.
    #[arg(long, conflicts_with_all = ["scenario", "build_tool", "project", "probe", "remove", "out", "force"])]
    fetch: bool,
    /// What is put into each block: log needs files that a package can't give back.
    #[arg(long, value_enum, default_value = "plain")]
    probe: ProbeArgument,
    /// Blocks whose statements are left out: ids of blocks.csv, which --gradle and --maven write
    /// beside the package.
    #[arg(long, value_delimiter = ',')]
    remove: Vec<u32>,
    /// Folder for the results.
    #[arg(long, required_unless_present = "fetch")]
    out: Option<PathBuf>,
    /// Replace existing results.
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.out {
        Some(out) => write_package(arguments, &arguments.origin.origin(), out),
        None => {
            progress::say("looking for what packages need; Maven fetches once what is not there");
            let jars = android::fetch_all_jars()?;
            progress::say(format!("what packages need is there: {}", counted(jars.len(), "jar")));
            Ok(())
        }
    }
}

/// Builds the package, writes it and prints a summary.
fn write_package(
    arguments: &Arguments,
    origin: &ScenarioOrigin,
    out: &Path,
) -> Result<(), Failure> {
    let probe = Probe::from(arguments.probe);
    if probe == Probe::Log {
        let message = "--probe log: its files are no text, which is all that an instrumentation \
                       gives back; use count, window or calls";
        return Err(Failure::Usage(message.to_string()));
    }
    let output = Output::open(out, arguments.force.into(), &progress::TERMINAL)?;
    output.check_free(&[PACKAGE_FILE, RUNNER_FILE])?;
    let jdk = Jdk::find()?;
    let loaded = load::load_named(origin, &output, &progress::TERMINAL)?;
    let removed = removed_blocks(&arguments.remove, &loaded.application)?;
    let mut builder = plan::variant_builder(&loaded, &jdk)?;
    let variant = builder.build(&removed, probe)?;
    let (scenario, application) = (&loaded.scenario, &loaded.application);
    let probes = (probe != Probe::Plain).then(|| instrument::runtime_class(&application.files));
    let mut packages = PackageBuilder::new(&jdk)?;
    let package = match &scenario.application.apk {
        Some(apk) => {
            let runtime = instrument::runtime_class(&application.files);
            output.write(RUNNER_FILE, &packages.build_runner(scenario, &runtime)?)?;
            let of = (&*scenario.resolve(apk), scenario);
            packages.build_from_own(of, &variant.classes, &application.sources.class_path())?
        }
        None => {
            let entries = variant.entries(&application.sources.libraries)?;
            packages.build(scenario, entries, probes.as_deref())?
        }
    };
    output.write(PACKAGE_FILE, &package.bytes)?;
    if let ScenarioOrigin::Project { .. } = origin {
        // `scan` and a scenario file would name the blocks otherwise.
        output.replacing().write_scan(application)?;
    }
    progress::result(match &scenario.application.apk {
        Some(apk) => summary_of_replaced(scenario, apk, &package),
        None => summary(scenario, &package),
    });
    for line in block_lines(application, &variant, builder.probed_blocks(probe), probe) {
        progress::result(line);
    }
    progress::result(start_commands(scenario, &output));
    progress::say(format!("written: {}", output.path(PACKAGE_FILE).display()));
    Ok(())
}

/// Summary of a package of the user's own build with replaced code.
fn summary_of_replaced(scenario: &Scenario, apk: &Path, package: &BuiltPackage) -> String {
    format!(
        "{PACKAGE_FILE}: {}, {}\n  that of {} with {} of this variant in {}; {} as before; signed (v1, v2, \
         v3)",
        scenario.application.package,
        kilobytes(package.bytes.len()),
        apk.file_name().unwrap_or_default().to_string_lossy(),
        counted(package.classes, "class"),
        dex_sizes(package),
        counted(package.resources, "other file"),
    )
}

/// DEX files of a package with their sizes.
fn dex_sizes(package: &BuiltPackage) -> String {
    let dex = package.dex.iter().map(|(name, size)| format!("{name} {}", kilobytes(*size)));
    dex.collect::<Vec<_>>().join(", ")
}

/// Summary of a package built from sources.
fn summary(scenario: &Scenario, package: &BuiltPackage) -> String {
    let application = &scenario.application;
    format!(
        "{PACKAGE_FILE}: {}, {}, for Android from API level {}, made for {}\n  {} in {}; {}; signed (v1, \
         v2, v3)",
        application.package,
        kilobytes(package.bytes.len()),
        application.min_sdk,
        application.target_sdk,
        counted(package.classes, "class"),
        dex_sizes(package),
        counted(package.resources, "other file"),
    )
}

/// Lines about the counted blocks, the removed ones and those that had to stay.
fn block_lines(
    application: &AnalysedApplication,
    variant: &BuiltVariant,
    probed: &[bool],
    probe: Probe,
) -> Vec<String> {
    let all = application.dictionary.blocks.len();
    let probes = probed.iter().filter(|probed| **probed).count();
    let mut lines = Vec::new();
    if probe != Probe::Plain {
        let all = counted_as(all, "block is", "blocks are");
        lines.push(format!("  {probes} of {all} counted"));
    }
    if !variant.removed.is_empty() {
        lines.push(format!(
            "  without the statements of blocks {}",
            block_ids_text(&variant.removed)
        ));
    }
    let kept = variant.kept.iter();
    lines.extend(kept.map(|(id, why)| format!("  block {} had to stay: {why}", id.0)));
    lines
}

/// Block ids as text.
fn block_ids_text(blocks: &BTreeSet<BlockId>) -> String {
    blocks.iter().map(|id| id.0.to_string()).collect::<Vec<_>>().join(", ")
}

/// Commands that install and start the package.
fn start_commands(scenario: &Scenario, output: &Output) -> String {
    let application = &scenario.application;
    let (files, instrumented) = match application.apk {
        Some(_) => (&[RUNNER_FILE, PACKAGE_FILE][..], runner_package(&application.package)),
        None => (&[PACKAGE_FILE][..], application.package.clone()),
    };
    let install =
        files.iter().map(|file| format!("  adb install -r -t {}\n", output.path(file).display()));
    let input = scenario.inputs.first();
    let mut extras = input.map(|input| scenario.extras(input)).unwrap_or_default();
    // What `main` reads on its standard input depends on its begin marker, too.
    let of_activity = input.filter(|_| scenario.application.start == StartKind::Activity);
    if let Some(input) = of_activity.filter(|input| !input.steps.is_empty()) {
        extras.insert("wattline.input".into(), timed_steps(&input.steps));
    }
    let extras = extras.iter().map(|(key, value)| format!("-e {key} '{value}' "));
    format!(
        "{}  adb shell am instrument -w -r {}{instrumented}/{RUNNER_CLASS}",
        install.collect::<String>(),
        extras.collect::<String>(),
    )
}

/// Size in kB as text.
fn kilobytes(bytes: usize) -> String {
    format!("{} kB", bytes.div_ceil(1000))
}
