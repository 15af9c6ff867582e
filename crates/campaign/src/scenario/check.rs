//! Conversion of a scenario as written to a checked one. All checks are here (those of input steps
//! in `input.rs`, of a meter's log in `meter_log.rs`), each with the key that it checks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use wattline_units::shortened::shortened;

use super::application_section::{ApplicationSection, GranularityValue, StartKind};
use super::check_build::{check_encoding, check_javac_options, check_processors};
use super::check_campaign::{check_campaign, check_plan_on};
use super::check_names::{check_java_name, check_name, check_package_name};
use super::error::FailedCheck;
use super::file::{
    BoardSection, FrequencyValue, InputSection, LibrarySection, LimitsSection,
    MicrobenchmarksSection, RoleValue, ScenarioFile, SessionSection, SourceSection,
};
use super::input::check_steps;
use super::keys::keys_of;
use super::meter::MeterChoice;
use super::meter_log::check_log;
use super::pattern::PathPattern;
use super::range::{self, check_number, check_share, check_whole};
use super::settings::HintSettings;
use super::settings::{
    Application, ArtifactSource, BoardSettings, CampaignSettings, FrequencyChoice, InputSequence,
    Library, MavenArtifact, MicrobenchmarkSettings, RunLimits, Scenario, SessionSettings,
    SourceListing, SourceRole, SourceTree,
};
use crate::blocks::Granularity;
use crate::power::{METERS, meter_by_name};

impl TryFrom<ScenarioFile> for Scenario {
    type Error = FailedCheck;

    fn try_from(written: ScenarioFile) -> Result<Self, FailedCheck> {
        let name = required(&written.name, "name")?;
        check_name(&name, "name")?;
        let plan_on = check_plan_on(&written);
        check_command(&written)?;
        Ok(Scenario {
            keys: keys_of(&written),
            application: check_application(written.application)?,
            sources: check_sources(&written.source)?,
            libraries: check_libraries(&written.library)?,
            processors: check_processors(&written.processor)?,
            session: check_session(written.session)?,
            inputs: check_inputs(&written.input)?,
            board: check_board(&written.board)?,
            campaign: CampaignSettings {
                plan_on: plan_on?,
                ..check_campaign(&written.campaign, written.seed, written.input.len())?
            },
            limits: check_limits(&written.limits)?,
            microbenchmarks: check_microbenchmarks(&written.microbenchmarks)?,
            hints: HintSettings {
                verify: check_whole(written.hints.verify, range::SOME_REPEATS, "hints.verify")?
                    as usize,
            },
            offline: written.offline.map(|offline| PathBuf::from(offline.scenario)),
            name,
            description: written.description,
            seed: written.seed,
            file: PathBuf::new(),
            text: String::new(),
        })
    }
}

/// Checks the sources and compiler settings of a file that has no other sections.
pub(crate) fn check_listing(written: ScenarioFile) -> Result<SourceListing, FailedCheck> {
    let ScenarioFile { source, library, processor, application, .. } = written;
    Ok(SourceListing {
        sources: check_sources(&source)?,
        libraries: check_libraries(&library)?,
        processors: check_processors(&processor)?,
        java_release: checked_release(application.java_release)?,
        parameters: application.parameters.unwrap_or_default(),
        preview: application.preview.unwrap_or_default(),
        javac_options: check_javac_options(application.javac_options)?,
    })
}

/// Checks that an application started by a command has an `input_command`.
fn check_command(written: &ScenarioFile) -> Result<(), FailedCheck> {
    let application = &written.application;
    let is_asked = application.start == StartKind::Command && application.apk.is_some();
    if !is_asked || written.session.input_command.is_some() {
        return Ok(());
    }
    let message = "is missing: with `start = \"command\"` it is what starts the application";
    Err(FailedCheck::new("session.input_command", message))
}

fn required(value: &Option<String>, key: &str) -> Result<String, FailedCheck> {
    value.clone().ok_or_else(|| FailedCheck::new(key, "is missing"))
}

fn check_application(written: ApplicationSection) -> Result<Application, FailedCheck> {
    let package = required(&written.package, "application.package")?;
    check_package_name(&package)?;
    let (start, main) = check_start(&written, &package)?;
    let java_release = checked_release(written.java_release)?;
    let granularity = match written.granularity {
        GranularityValue::Statement => Granularity::Statement,
        GranularityValue::Expression => Granularity::Expression,
    };
    let (assertions, watch_loops) = (written.assertions, written.watch_loops);
    let (min_sdk, target_sdk) = check_android(&written.min_sdk, &written.target_sdk)?;
    Ok(Application {
        package,
        main,
        apk: written.apk.map(PathBuf::from),
        java_release,
        parameters: written.parameters.unwrap_or_default(),
        preview: written.preview.unwrap_or_default(),
        javac_options: check_javac_options(written.javac_options)?,
        granularity,
        assertions,
        watch_loops,
        start,
        min_sdk,
        target_sdk,
        can_be_sampled: true,
    })
}

fn checked_release(release: Option<u32>) -> Result<Option<u32>, FailedCheck> {
    let valid = range::JAVA_RELEASES;
    match release {
        Some(release) if !valid.contains(&release) => {
            let problem = format!("must be from {} to {}", valid.start(), valid.end());
            Err(FailedCheck::new("application.java_release", problem))
        }
        release => Ok(release),
    }
}

/// The kind of start and the class, with the key that belongs to it. A package of the user's own
/// build is started by its activity, by default the launcher's.
fn check_start(
    written: &ApplicationSection,
    package: &str,
) -> Result<(StartKind, Option<String>), FailedCheck> {
    const MAIN: &str = "application.main";
    const ACTIVITY: &str = "application.activity";
    let start = match (&written.apk, written.start) {
        (Some(_), start) => start_of_own_package(written, start)?,
        (None, StartKind::Command) => {
            let message = "is \"command\", by which a package of your own build is started: name \
                           that as `apk`";
            return Err(FailedCheck::new("application.start", message));
        }
        (None, start) => start,
    };
    let (key, named) = match (start, &written.main, &written.activity) {
        (StartKind::Activity, Some(_), _) => {
            let message = "goes without `start = \"activity\"`, which starts `activity`";
            return Err(FailedCheck::new(MAIN, message));
        }
        (StartKind::Activity, None, activity) => (ACTIVITY, activity),
        (_, _, Some(_)) => {
            return Err(FailedCheck::new(ACTIVITY, "goes with `start = \"activity\"` only"));
        }
        (_, main, None) => (MAIN, main),
    };
    let Some(named) = named else {
        return match written.apk {
            Some(_) => Ok((start, None)),
            None => Err(FailedCheck::new(key, "is needed: the class to start")),
        };
    };
    let class = match named.starts_with('.') && key == ACTIVITY {
        true => format!("{package}{named}"),
        false => named.clone(),
    };
    check_java_name(&class, key)?;
    Ok((start, Some(class)))
}

/// The kind of start of a package of the user's own build without a `main` of the scenario: by
/// default an instrumentation that starts the activity.
fn start_of_own_package(
    written: &ApplicationSection,
    start: StartKind,
) -> Result<StartKind, FailedCheck> {
    if written.main.is_some() {
        let message = "goes without `apk`: a class with `main` is started in a package that wattline \
                       makes of the sources, not in the one of your own build; leave one of the two \
                       out";
        return Err(FailedCheck::new("application.main", message));
    }
    for (level, key) in
        [(written.min_sdk, "application.min_sdk"), (written.target_sdk, "application.target_sdk")]
    {
        if level.is_some() {
            return Err(FailedCheck::new(key, "goes without `apk`: that package says it itself"));
        }
    }
    match start {
        StartKind::Main => {
            let message = "is \"main\", which starts a jar: a package of your own build (`apk`) is \
                           started by its activity; leave `start` out";
            Err(FailedCheck::new("application.start", message))
        }
        StartKind::Instrument | StartKind::Activity => Ok(StartKind::Activity),
        StartKind::Command => Ok(StartKind::Command),
    }
}

/// The oldest and the target Android release. Defaults: for the target the one that Google Play
/// requires, for the oldest the one that the device scripts and the probes need.
fn check_android(min: &Option<u32>, target: &Option<u32>) -> Result<(u32, u32), FailedCheck> {
    const TARGET: u32 = 34;
    let (oldest, newest) = range::API_LEVELS.into_inner();
    let min = min.unwrap_or(oldest);
    let target = target.unwrap_or(TARGET.max(min));
    if !(oldest..=newest).contains(&min) {
        let problem = format!("must be an API level from {oldest} (Android 4.0) to {newest}");
        return Err(FailedCheck::new("application.min_sdk", problem));
    }
    if !(min..=newest).contains(&target) {
        let problem = format!("must be an API level from {min}, that of min_sdk, to {newest}");
        return Err(FailedCheck::new("application.target_sdk", problem));
    }
    Ok((min, target))
}

fn check_sources(written: &[SourceSection]) -> Result<Vec<SourceTree>, FailedCheck> {
    let sources: Vec<SourceTree> = written
        .iter()
        .enumerate()
        .map(|(index, source)| check_source(source, &format!("source[{index}]")))
        .collect::<Result<_, _>>()?;
    if !sources.iter().any(|source| source.role == SourceRole::Analysed && source.analyse) {
        return Err(FailedCheck::new(
            "source",
            "needs at least one tree with `role = \"analysed\"`",
        ));
    }
    Ok(sources)
}

fn check_source(written: &SourceSection, key: &str) -> Result<SourceTree, FailedCheck> {
    let patterns = |texts: &[String], name: &str| -> Result<Vec<PathPattern>, FailedCheck> {
        let wrong = |problem| FailedCheck::new(format!("{key}.{name}"), problem);
        texts.iter().map(|text| PathPattern::parse(text).map_err(wrong)).collect()
    };
    Ok(SourceTree {
        origin: check_origin(&written.path, &written.maven, &written.sha256, key)?,
        include: patterns(&written.include, "include")?,
        exclude: patterns(&written.exclude, "exclude")?,
        role: match written.role {
            RoleValue::Analysed => SourceRole::Analysed,
            RoleValue::Harness => SourceRole::Harness,
        },
        analyse: written.analyse.unwrap_or(true),
        encoding: check_encoding(&written.encoding, key)?,
    })
}

fn check_libraries(written: &[LibrarySection]) -> Result<Vec<Library>, FailedCheck> {
    let check = |(index, library): (usize, &LibrarySection)| {
        let LibrarySection { path, maven, sha256, role, language } = library;
        let origin = check_origin(path, maven, sha256, &format!("library[{index}]"))?;
        Ok(Library { origin, role: role.unwrap_or_default(), language: *language })
    };
    written.iter().enumerate().map(check).collect()
}

pub(super) fn check_origin(
    path: &Option<String>,
    maven: &Option<String>,
    sha256: &Option<String>,
    key: &str,
) -> Result<ArtifactSource, FailedCheck> {
    match (path, maven, sha256) {
        (Some(path), None, None) => Ok(ArtifactSource::Path(PathBuf::from(path))),
        (None, Some(maven), sha256) => {
            Ok(ArtifactSource::Maven(check_artifact(maven, sha256, key)?))
        }
        _ => Err(FailedCheck::new(key, "needs either `path`, or `maven` and `sha256`")),
    }
}

fn check_artifact(
    maven: &str,
    sha256: &Option<String>,
    key: &str,
) -> Result<MavenArtifact, FailedCheck> {
    let sha256 = sha256.as_ref().map(|hash| hash.to_ascii_lowercase());
    let is_hash = |hash: &String| hash.len() == 64 && hash.chars().all(|c| c.is_ascii_hexdigit());
    if sha256.as_ref().is_some_and(|hash| !is_hash(hash)) {
        let message = "is no SHA-256: 64 hexadecimal digits";
        return Err(FailedCheck::new(format!("{key}.sha256"), message));
    }
    let parts: Vec<&str> = maven.split(':').collect();
    let plain = |part: &&str| {
        part.chars().all(|c| c.is_ascii_alphanumeric() || "._-+".contains(c))
            && !part.is_empty()
            && !part.contains("..")
    };
    if !(3..=4).contains(&parts.len()) || !parts.iter().all(plain) {
        let maven = shortened(maven);
        let message = format!("is \"{maven}\"; write `group:artifact:version[:classifier]`");
        return Err(FailedCheck::new(format!("{key}.maven"), message));
    }
    Ok(MavenArtifact {
        group: parts[0].into(),
        artifact: parts[1].into(),
        version: parts[2].into(),
        classifier: parts.get(3).map(|part| part.to_string()),
        sha256,
    })
}

fn check_session(written: SessionSection) -> Result<SessionSettings, FailedCheck> {
    let duration_s = check_number(written.duration_s, range::SESSION_S, "session.duration_s")?;
    let limit_s = match written.limit_s {
        Some(limit_s) => check_number(limit_s, range::SESSION_S, "session.limit_s")?,
        None => 3.0 * duration_s,
    };
    if limit_s < duration_s {
        let message = format!("is {limit_s}, shorter than the session ({duration_s} s)");
        return Err(FailedCheck::new("session.limit_s", message));
    }
    let frames = written.frames;
    frames.map(|frames| check_whole(frames, range::FRAMES, "session.frames")).transpose()?;
    if written.input_command.as_ref().is_some_and(|command| command.trim().is_empty()) {
        let message = "is empty; give a command of this machine's shell, or leave the key out";
        return Err(FailedCheck::new("session.input_command", message));
    }
    for (mark, key) in [
        (&written.begin_marker, "session.begin_marker"),
        (&written.end_marker, "session.end_marker"),
    ] {
        if mark.trim().is_empty() {
            return Err(FailedCheck::new(key, "is empty; it must be a line that the log holds"));
        }
    }
    Ok(SessionSettings {
        duration_s,
        frames,
        extras: check_extras(&written.extras, "session.extras")?,
        dry_extras: check_extras(&written.dry_extras, "session.dry_extras")?,
        input_command: written.input_command,
        limit_s,
        sample_rate_hz: check_number(
            written.sample_rate_hz,
            range::RATE_HZ,
            "session.sample_rate_hz",
        )?,
        rest_s: check_number(written.rest_s, range::REST_S, "session.rest_s")?,
        begin_marker: written.begin_marker,
        end_marker: written.end_marker,
    })
}

fn check_extras(
    written: &BTreeMap<String, toml::Value>,
    key: &str,
) -> Result<BTreeMap<String, String>, FailedCheck> {
    let mut extras = BTreeMap::new();
    for (name, value) in written {
        let here = format!("{key}.{name}");
        check_name(name, &here)?;
        let text = match value {
            toml::Value::String(text) => text.clone(),
            toml::Value::Integer(_) | toml::Value::Float(_) | toml::Value::Boolean(_) => {
                value.to_string()
            }
            _ => return Err(FailedCheck::new(here, "must be a string, a number, true or false")),
        };
        extras.insert(name.clone(), text);
    }
    Ok(extras)
}

fn check_inputs(written: &[InputSection]) -> Result<Vec<InputSequence>, FailedCheck> {
    if written.is_empty() {
        let message = "is missing; give at least one input sequence (its steps may be empty)";
        return Err(FailedCheck::new("input", message));
    }
    let mut names = BTreeSet::new();
    let mut inputs = Vec::new();
    for (index, input) in written.iter().enumerate() {
        let key = format!("input[{index}]");
        check_name(&input.name, &format!("{key}.name"))?;
        if !names.insert(&input.name) {
            return Err(FailedCheck::new(format!("{key}.name"), "is used by two input sequences"));
        }
        let frames = input.frames;
        frames.map(|n| check_whole(n, range::FRAMES, &format!("{key}.frames"))).transpose()?;
        inputs.push(InputSequence {
            name: input.name.clone(),
            extras: check_extras(&input.extras, &format!("{key}.extras"))?,
            frames,
            steps: check_steps(&input.steps, &format!("{key}.steps"))?,
        });
    }
    Ok(inputs)
}

fn check_board(written: &BoardSection) -> Result<BoardSettings, FailedCheck> {
    let mut seen = BTreeSet::new();
    for rail in &written.rails {
        if rail.trim().is_empty() || !seen.insert(rail) {
            let message = match rail.trim() {
                "" => "has a rail without a name".to_string(),
                rail => format!("has \"{}\" twice", shortened(rail)),
            };
            return Err(FailedCheck::new("board.rails", message));
        }
    }
    if written.big_core == Some(written.sampler_core) {
        return Err(FailedCheck::new("board.sampler_core", "must not be the application's core"));
    }
    let meter = check_meter(&written.meter)?;
    let core = |core: u32, key| check_whole(core, range::CORES, key);
    Ok(BoardSettings {
        meter,
        log: check_log(&written.log, meter)?,
        rails: written.rails.clone(),
        frequency_khz: check_frequency(&written.frequency_khz)?,
        big_core: written.big_core.map(|big| core(big, "board.big_core")).transpose()?,
        sampler_core: core(written.sampler_core, "board.sampler_core")?,
    })
}

fn check_meter(written: &str) -> Result<MeterChoice, FailedCheck> {
    match meter_by_name(written) {
        _ if written == "auto" => Ok(MeterChoice::Auto),
        Some(meter) => Ok(MeterChoice::Named(meter.name())),
        None => {
            let names = METERS.into_iter().map(|meter| format!("\"{}\"", meter.name()));
            let names: Vec<String> = names.collect();
            let message =
                format!("is \"{}\"; use \"auto\", {}", shortened(written), names.join(", "));
            Err(FailedCheck::new("board.meter", message))
        }
    }
}

fn check_frequency(written: &FrequencyValue) -> Result<FrequencyChoice, FailedCheck> {
    const KEY: &str = "board.frequency_khz";
    let wanted = "give a whole number of kHz from 1 to 100000000, \"auto\" or \"leave\"";
    let khz = match written {
        FrequencyValue::Khz(khz) => u64::try_from(*khz).ok(),
        FrequencyValue::Word(word) if word == "leave" => return Ok(FrequencyChoice::Leave),
        FrequencyValue::Word(word) if word == "auto" => return Ok(FrequencyChoice::Auto),
        FrequencyValue::Word(word) => {
            return Err(FailedCheck::new(KEY, format!("is \"{}\"; {wanted}", shortened(word))));
        }
        FrequencyValue::Other(text) => {
            return Err(FailedCheck::new(KEY, format!("is {text}; {wanted}")));
        }
    };
    match khz.filter(|khz| range::FREQUENCY_KHZ.contains(khz)) {
        Some(khz) => Ok(FrequencyChoice::Khz(khz)),
        None => Err(FailedCheck::new(KEY, format!("is {}; {wanted}", written.text()))),
    }
}

fn check_limits(written: &LimitsSection) -> Result<RunLimits, FailedCheck> {
    let (gap, mismatch) = ("limits.max_gap_s", "limits.duration_mismatch");
    Ok(RunLimits {
        max_gap_s: check_number(written.max_gap_s, range::GAP_S, gap)?,
        min_sample_share: check_share(written.min_sample_share, "limits.min_sample_share")?,
        temperature_c: check_number(
            written.temperature_c,
            range::TEMPERATURE_C,
            "limits.temperature_c",
        )?,
        duration_mismatch: check_number(written.duration_mismatch, range::ERROR_SHARE, mismatch)?,
    })
}

fn check_microbenchmarks(
    written: &MicrobenchmarksSection,
) -> Result<MicrobenchmarkSettings, FailedCheck> {
    let window = |window_s: f64, key| check_number(window_s, range::WINDOW_S, key);
    Ok(MicrobenchmarkSettings {
        enabled: written.enabled,
        repeats: check_whole(written.repeats, range::REPEATS, "microbenchmarks.repeats")?,
        count: check_whole(written.count, range::SOME_REPEATS, "microbenchmarks.count")? as usize,
        window_s: written.window_s.map(|s| window(s, "microbenchmarks.window_s")).transpose()?,
        gap_s: written.gap_s.map(|s| window(s, "microbenchmarks.gap_s")).transpose()?,
    })
}
