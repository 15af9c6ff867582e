//! Check of whether a scenario fits a board: finds all keys that would make a campaign fail there
//! at once, before anything is built.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use crate::build::OwnPackage;
use crate::device::{
    Board, BoardFacts, FrequencySetting, LOCAL_SERIAL, LocalJvm, PrepareOptions, choose_meter,
    prepare, read_facts, restore,
};
use crate::failure::Failure;
use crate::run::LEAST_REFRESHES;
use crate::scenario::{
    Application, ExternalMeterLog, FrequencyChoice, MeterChoice, PlanOn, Scenario,
};
use crate::toolchain::Jdk;

use super::application_core::application_core;
use super::{BoardChoice, VirtualSettings};

pub use super::unfit_key::UnfitKey;
use super::unfit_key::{is_jar, needs_android, refused_levels};

/// Time limit for an answer of the board.
const ANSWER: Duration = Duration::from_secs(20);

/// Finds the keys of a scenario that do not fit a board.
///
/// # Errors
/// The board cannot be asked.
pub fn unfit_keys(scenario: &Scenario, choice: &BoardChoice) -> Result<Vec<UnfitKey>, Failure> {
    match choice {
        BoardChoice::Jvm => on_jvm(scenario),
        BoardChoice::Serial(_) | BoardChoice::Virtual(_) => on_adb(scenario, choice),
    }
}

/// Finds the keys that do not fit this machine's JVM, which has no Android and sets no frequency.
fn on_jvm(scenario: &Scenario) -> Result<Vec<UnfitKey>, Failure> {
    let mut unfit: Vec<UnfitKey> = needs_android(scenario).into_iter().collect();
    let settings = &scenario.board;
    let fits = LocalJvm::open(&Jdk::find()?, settings.meter);
    let problem = match &fits {
        Err(error) => Some(("board.meter", error.to_string())),
        // Rails of another board are none of a meter that was not named.
        Ok(_) if settings.meter == MeterChoice::Auto => None,
        Ok(jvm) => {
            let rails = jvm.meter.rails(LOCAL_SERIAL, &settings.rails);
            rails.err().map(|error| ("board.rails", error.to_string()))
        }
    };
    unfit.extend(problem.map(|(key, problem)| UnfitKey { key, problem }));
    Ok(unfit)
}

fn on_adb(scenario: &Scenario, choice: &BoardChoice) -> Result<Vec<UnfitKey>, Failure> {
    let (mut board, _running) =
        super::connect_board(choice, scenario, &VirtualSettings::default())?;
    // What it prepares and puts back would be another campaign's.
    board.lock(&std::env::current_dir().unwrap_or_default())?;
    let facts = read_facts(&board)?;
    let mut unfit = Vec::new();
    of_meter(scenario, &board, &mut unfit);
    let restored = restore(&board);
    let answer = board.shell(PROCESSOR, ANSWER)?.all_output();
    of_processor(scenario, &ProcessorFacts::read(&answer), &mut unfit);
    of_application(scenario, &facts, &mut unfit);
    board.unlock();
    restored?;
    Ok(unfit)
}

/// Checks meter and rails: whether the meter is available, and sessions are long enough for its
/// refreshes.
fn of_meter(scenario: &Scenario, board: &dyn Board, unfit: &mut Vec<UnfitKey>) {
    let settings = &scenario.board;
    if let Some(log) = &settings.log {
        let file = scenario.resolve(Path::new(&log.file));
        let is_named = log.file.contains(ExternalMeterLog::BOARD);
        if !is_named && !file.exists() {
            let problem = format!("{} is not there: the meter's program writes it", file.display());
            unfit.push(UnfitKey { key: "board.log.file", problem });
        }
        return;
    }
    let chosen = match choose_meter(board, settings.meter) {
        Ok(chosen) => chosen,
        Err(error) => {
            unfit.push(UnfitKey { key: "board.meter", problem: error.to_string() });
            return;
        }
    };
    let missing: Vec<&str> = settings
        .rails
        .iter()
        .map(String::as_str)
        .filter(|rail| !chosen.offer.rails.iter().any(|offered| offered == rail))
        .collect();
    if !missing.is_empty() {
        let problem = format!(
            "has {}, which {} does not measure; it has {}",
            missing.join(", "),
            chosen.meter.name(),
            chosen.offer.rails.join(", ")
        );
        unfit.push(UnfitKey { key: "board.rails", problem });
    }
    let frequency = FrequencySetting::Leave;
    let options =
        PrepareOptions { meter: chosen.meter.name(), frequency, ..PrepareOptions::default() };
    let refresh_s = match prepare(board, &options) {
        Err(error) => {
            unfit.push(UnfitKey { key: "board.meter", problem: error.to_string() });
            return;
        }
        Ok(state) => state.update_period.map(|period| period.as_secs_f64()),
    };
    let refresh_s = refresh_s.or(chosen.meter.usual_refresh_s());
    let (lasts_s, least_s) = (scenario.session.duration_s, refresh_s.map(|s| LEAST_REFRESHES * s));
    if let Some(least_s) = least_s.filter(|least_s| lasts_s < *least_s) {
        let problem = format!("is {lasts_s} s; {} needs {least_s:.1} s", chosen.meter.name());
        unfit.push(UnfitKey { key: "session.duration_s", problem });
    }
}

/// Checks frequency and cores.
fn of_processor(scenario: &Scenario, processor: &ProcessorFacts, unfit: &mut Vec<UnfitKey>) {
    let settings = &scenario.board;
    if let FrequencyChoice::Khz(khz) = settings.frequency_khz {
        let problem = match processor.offered.contains(&khz) {
            _ if !processor.is_writable => Some(
                "the frequency cannot be set there, as without root; use \"auto\" or \"leave\""
                    .into(),
            ),
            false if !processor.offered.is_empty() => {
                let offered: Vec<String> = processor.offered.iter().map(u64::to_string).collect();
                Some(format!("is {khz}; the board offers {}", offered.join(", ")))
            }
            _ => None,
        };
        unfit.extend(problem.map(|problem| UnfitKey { key: "board.frequency_khz", problem }));
    }
    let cores = [
        ("board.big_core", settings.big_core),
        ("board.sampler_core", Some(settings.sampler_core)),
    ];
    for (key, core) in cores {
        if let Some(core) = core
            && !processor.cores.is_empty()
            && !processor.cores.contains(&core)
        {
            let last = processor.cores.last().copied().unwrap_or_default();
            unfit.push(UnfitKey { key, problem: format!("is {core}; the last core is {last}") });
        }
    }
    unfit.extend(application_core(settings, processor.last_big).err());
}

/// Checks API levels, sampling, and whether dry runs can be made on the board.
fn of_application(scenario: &Scenario, facts: &BoardFacts, unfit: &mut Vec<UnfitKey>) {
    match packaged(scenario, facts) {
        Ok(application) => unfit.extend(refused_levels(&application, facts)),
        Err(no_package) => unfit.push(no_package),
    }
    let is_jar = is_jar(&scenario.application, facts);
    if scenario.campaign.plan_on == PlanOn::Board && is_jar {
        let problem = "is \"board\", which gives switches to a package alone: leave \
                       `application.start` out, or plan on \"host\"";
        unfit.push(UnfitKey { key: "campaign.plan_on", problem: problem.into() });
    }
    let sampler = facts.sampler.filter(|sampler| !is_jar || !sampler.is_of_packages());
    if scenario.campaign.sampled_repeats > Some(0) && sampler.is_none() {
        let problem = "the board has no sampler that is known; leave it out, or set 0";
        unfit.push(UnfitKey { key: "campaign.sampled_repeats", problem: problem.into() });
    }
}

/// The application with the settings of its package, if it is the package of its own build; fails
/// if that package cannot run on the board.
fn packaged(scenario: &Scenario, facts: &BoardFacts) -> Result<Application, UnfitKey> {
    let unfit = |problem| UnfitKey { key: "application.apk", problem };
    let application = scenario.application.clone();
    let package = OwnPackage::of(scenario);
    let Some(package) = package.map_err(|error| unfit(format!("cannot be measured: {error}")))?
    else {
        return Ok(application);
    };
    match package.native_library().filter(|_| facts.is_virtual()) {
        Some(library) => Err(unfit(format!(
            "has code for processors ({library}), and a virtual board runs none: take a device"
        ))),
        None => Ok(package.complete(application)),
    }
}

/// Facts about a board's processor: cores and frequencies.
#[derive(Debug, Default, PartialEq, Eq)]
struct ProcessorFacts {
    cores: BTreeSet<u32>,
    /// The last of the cores with the highest frequency.
    last_big: Option<u32>,
    /// Frequencies of the big cores in kHz.
    offered: BTreeSet<u64>,
    /// Whether the shell may set them.
    is_writable: bool,
}

/// Command that prints lines `core N MOST writable FREQUENCIES`, with 0 and `-` for unknown values.
const PROCESSOR: &str = "for c in /sys/devices/system/cpu/cpu[0-9]*; do \
    most=0; offered=; w=-; f=$c/cpufreq; \
    [ -r $f/cpuinfo_max_freq ] && read -r most <$f/cpuinfo_max_freq; \
    [ -r $f/scaling_available_frequencies ] && read -r offered <$f/scaling_available_frequencies; \
    [ -w $f/scaling_setspeed ] && w=w; \
    echo core ${c##*/cpu} $most $w $offered; done";

impl ProcessorFacts {
    fn read(answer: &str) -> ProcessorFacts {
        let mut found = ProcessorFacts::default();
        let mut highest = 0;
        for line in answer.lines() {
            let mut words = line.split_whitespace();
            let (Some("core"), Some(Ok(core))) = (words.next(), words.next().map(str::parse))
            else {
                continue;
            };
            found.cores.insert(core);
            let most: u64 = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
            let is_writable = words.next() == Some("w");
            if most == 0 || most < highest {
                continue;
            }
            let last = if most > highest { core } else { core.max(found.last_big.unwrap_or(0)) };
            highest = most;
            found.last_big = Some(last);
            found.is_writable = is_writable;
            found.offered = words.filter_map(|word| word.parse().ok()).collect();
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse_scenario;

    const BIG_LITTLE: &str = "core 0 1400000 w 800000 1400000\ncore 1 1400000 w 800000 1400000\n\
        core 4 2000000 w 800000 1100000 2000000\ncore 5 2000000 w 800000 1100000 2000000\n";

    fn unfit(board: &str, answer: &str) -> Vec<(&'static str, String)> {
        let text = format!(
            "name = 'a'\n[application]\npackage = 'a.b'\nmain = 'A'\n[[source]]\npath = 's'\n\
             [[input]]\nname = 'one'\n[board]\n{board}\n"
        );
        let scenario = parse_scenario(&text, Path::new("s.toml")).unwrap();
        let mut unfit = Vec::new();
        of_processor(&scenario, &ProcessorFacts::read(answer), &mut unfit);
        unfit.into_iter().map(|unfit| (unfit.key, unfit.problem)).collect()
    }

    #[test]
    fn all_keys_of_a_processor_are_found_at_once() {
        assert_eq!(unfit("", BIG_LITTLE), []);
        assert_eq!(unfit("frequency_khz = 1100000\nbig_core = 5", BIG_LITTLE), []);
        let found = unfit("frequency_khz = 1106000\nbig_core = 7\nsampler_core = 9", BIG_LITTLE);
        let keys: Vec<&str> = found.iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, ["board.frequency_khz", "board.big_core", "board.sampler_core"]);
        assert!(found[0].1.contains("offers 800000, 1100000, 2000000"), "{}", found[0].1);
        assert!(found[1].1.contains("last core is 5"), "{}", found[1].1);
        let found = unfit("frequency_khz = 1100000", &BIG_LITTLE.replace(" w ", " - "));
        assert!(found[0].1.contains("without root"), "{}", found[0].1);
        assert_eq!(unfit("sampler_core = 5", BIG_LITTLE)[0].0, "board.sampler_core");
    }

    /// A board that says nothing is not said to lack anything but the right to set a frequency.
    #[test]
    fn what_is_not_known_is_not_unfit() {
        assert_eq!(unfit("big_core = 7", "sh: no such file\n"), []);
        let processor = ProcessorFacts::read("core 0 0 - \ncore 1 0 - \n");
        assert_eq!((processor.cores.len(), processor.last_big), (2, None));
    }
}
