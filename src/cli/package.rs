//! `wattline package`: a variant of a scenario's application as an Android package.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::blocks::BlockId;
use crate::build::package::{Package, PackageBuilder, RUNNER};
use crate::build::{Application, Variant};
use crate::instrument::{self, Probe};
use crate::scenario::{Scenario, StartKind, timed_steps};
use crate::stage::{load, plan};
use crate::toolchain::{Jdk, android};

use super::instrument::{ProbeArgument, checked_blocks};
use super::progress;
use crate::stage::Failure;
use crate::stage::Output;

const FILE: &str = "application.apk";

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline package scenarios/click-and-move.toml --probe count --out target/package

Writes application.apk, signed for all releases of Android from `application.min_sdk` on,
and says what is in it and how to start it. An instrumentation calls the application's main
method, or starts its activity; what probes count comes back in its status. Steps of inputs
(taps) are fed to it by the extra wattline.input.
Packages of one user have one key, in the user's cache. What makes packages, and what a virtual
board reads them with, is fetched by Maven when it is first needed, or all at once:

  wattline package --fetch")]
pub struct Arguments {
    /// The scenario file.
    #[arg(required_unless_present = "fetch")]
    scenario: Option<PathBuf>,
    /// Fetch what packages need, and make none.
    #[arg(long, conflicts_with_all = ["scenario", "probe", "remove", "out", "force"])]
    fetch: bool,
    /// What is put into each block: log needs files that a package can't give back.
    #[arg(long, value_enum, default_value = "plain")]
    probe: ProbeArgument,
    /// Blocks whose statements are left out: ids of blocks.csv.
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
    match (&arguments.scenario, &arguments.out) {
        (Some(scenario), Some(out)) => package(arguments, scenario, out),
        _ => {
            let jars = android::fetch_all()?;
            progress::say(format!("what packages need is there: {} jars", jars.len()));
            Ok(())
        }
    }
}

fn package(arguments: &Arguments, scenario: &Path, out: &Path) -> Result<(), Failure> {
    let probe = Probe::from(arguments.probe);
    if probe == Probe::Log {
        let message = "--probe log: its files are no text, which is all that an instrumentation \
                       gives back; use count, window or calls";
        return Err(Failure::Usage(message.to_string()));
    }
    let output = Output::open(out, arguments.force.into())?;
    output.check_free(&[FILE])?;
    let jdk = Jdk::find()?;
    let loaded = load::load(scenario)?;
    let removed = checked_blocks(&arguments.remove, &loaded.application)?;
    let mut builder = plan::builder(&loaded, &jdk)?;
    let variant = builder.build(&removed, probe)?;
    let (scenario, application) = (&loaded.scenario, &loaded.application);
    let probes = (probe != Probe::Plain).then(|| instrument::runtime_class(&application.files));
    let entries = variant.entries(&application.sources.libraries)?;
    let package = PackageBuilder::new(&jdk)?.package(scenario, entries, probes.as_deref())?;
    output.write(FILE, &package.bytes)?;
    progress::result(summary(scenario, &package));
    for line in blocks(application, &variant, builder.probed(probe), probe) {
        progress::result(line);
    }
    progress::result(how_to_start(scenario, &output));
    progress::say(format!("written: {}", output.path(FILE).display()));
    Ok(())
}

fn summary(scenario: &Scenario, package: &Package) -> String {
    let application = &scenario.application;
    let dex = package.dex.iter().map(|(name, size)| format!("{name} {}", kilobytes(*size)));
    format!(
        "{FILE}: {}, {}, for Android from API level {}, made for {}\n  {} classes in {}; {} other \
         files; signed (v1, v2, v3)",
        application.package,
        kilobytes(package.bytes.len()),
        application.min_sdk,
        application.target_sdk,
        package.classes,
        dex.collect::<Vec<_>>().join(", "),
        package.resources,
    )
}

/// What became of probes and of blocks to be removed.
fn blocks(
    application: &Application,
    variant: &Variant,
    probed: &[bool],
    probe: Probe,
) -> Vec<String> {
    let all = application.dictionary.blocks.len();
    let counted = probed.iter().filter(|probed| **probed).count();
    let mut lines = Vec::new();
    if probe != Probe::Plain {
        lines.push(format!("  {counted} of {all} blocks are counted"));
    }
    if !variant.removed.is_empty() {
        lines.push(format!("  without the statements of blocks {}", listed(&variant.removed)));
    }
    let kept = variant.kept.iter();
    lines.extend(kept.map(|(id, why)| format!("  block {} had to stay: {why}", id.0)));
    lines
}

fn listed(blocks: &BTreeSet<BlockId>) -> String {
    blocks.iter().map(|id| id.0.to_string()).collect::<Vec<_>>().join(", ")
}

fn how_to_start(scenario: &Scenario, output: &Output) -> String {
    let input = scenario.inputs.first();
    let mut extras = input.map(|input| scenario.extras(input)).unwrap_or_default();
    // What `main` reads on its standard input depends on its begin mark, too.
    let of_activity = input.filter(|_| scenario.application.start == StartKind::Activity);
    if let Some(input) = of_activity.filter(|input| !input.steps.is_empty()) {
        extras.insert("wattline.input".into(), timed_steps(&input.steps));
    }
    let extras = extras.iter().map(|(key, value)| format!("-e {key} '{value}' "));
    format!(
        "  adb install -r -t {}\n  adb shell am instrument -w -r {}{}/{RUNNER}",
        output.path(FILE).display(),
        extras.collect::<String>(),
        scenario.application.package,
    )
}

fn kilobytes(bytes: usize) -> String {
    format!("{} kB", bytes.div_ceil(1000))
}
