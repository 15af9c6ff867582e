//! The scenario file (TOML): the measured application, its build, start and input, the board, the
//! repetitions and the limits. As written (`ScenarioFile`) and as checked ([`Scenario`]).

mod application_section;
pub(crate) mod campaign_section;
mod check;
mod check_build;
mod check_campaign;
mod check_names;
pub(crate) mod error;
pub(crate) mod file;
mod frames;
pub(crate) mod input;
pub mod javac_option;
mod key_lines;
pub(crate) mod keys;
mod language;
mod meter;
mod meter_log;
pub(crate) mod pattern;
mod range;
pub mod schema;
pub(crate) mod settings;

use std::path::Path;

use wattline_units::limits::SCENARIO_BYTES;

use crate::input_file;

pub use application_section::StartKind;
pub use campaign_section::{CampaignProtocol, CaseChoice, IdlePolicy, PlanOn};
pub(crate) use check::check_listing;
pub use error::nearest_of;
pub use error::{FailedCheck, ScenarioError};
pub use file::LibraryRole;
pub(crate) use file::{
    InputSection, LibrarySection, ProcessorSection, RoleValue, ScenarioFile, SourceSection,
};
pub(crate) use input::steps_in_order;
pub use input::{InputAction, InputStep, timed_steps};
pub use keys::{ScenarioKeys, split_key};
pub use language::UnanalysedLanguage;
pub use meter::{ExternalMeterLog, MeterChoice};
pub use pattern::PathPattern;
pub use settings::{
    Application, ArtifactSource, BoardSettings, CampaignSettings, FrequencyChoice, InputSequence,
    Library, MavenArtifact, MicrobenchmarkSettings, RunLimits, Scenario, SessionSettings,
    SourceListing, SourceRole, SourceTree,
};

/// Reads and checks a scenario file.
pub fn read_scenario(file: &Path) -> Result<Scenario, ScenarioError> {
    let text = input_file::read_text_up_to(SCENARIO_BYTES, file)
        .map_err(|source| ScenarioError::Read { file: file.into(), source })?;
    parse_scenario(&text, file)
}

/// `FILE:LINE` of a key (`source[0].sha256`), or of the table that should hold it.
pub(crate) fn place_of_key(file: &Path, key: &str) -> String {
    let text = input_file::read_text_up_to(SCENARIO_BYTES, file).unwrap_or_default();
    format!("{}:{}", file.display(), key_lines::line_of_key(&text, key))
}

/// Checks the text of a scenario file; `file` is its path, for messages and for the paths in it,
/// and is not read.
pub fn parse_scenario(text: &str, file: &Path) -> Result<Scenario, ScenarioError> {
    check_written(parse_written(text, file)?, text, file)
}

/// Parses the text of a scenario file; checks only for unknown keys.
pub(crate) fn parse_written(text: &str, file: &Path) -> Result<ScenarioFile, ScenarioError> {
    toml::from_str(text).map_err(|error| error::from_toml(&error, file, text))
}

/// Checks a parsed scenario; errors refer to `text` and `file`.
pub(crate) fn check_written(
    written: ScenarioFile,
    text: &str,
    file: &Path,
) -> Result<Scenario, ScenarioError> {
    let scenario = Scenario::try_from(written).map_err(|problem| problem.at(file, text))?;
    Ok(Scenario { file: file.into(), text: text.to_owned(), ..scenario })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: &str = "main = \"small.Main\"\n";
    const SMALL: &str = r#"
name = "small"
[application]
package = "org.example.small"
main = "small.Main"
[[source]]
path = "src"
include = ["small/**"]
[[input]]
name = "none"
"#;

    fn parse(text: &str) -> Result<Scenario, ScenarioError> {
        parse_scenario(text, Path::new("scenarios/small.toml"))
    }

    fn message(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn defaults_are_the_papers_protocol() {
        let scenario = parse(SMALL).unwrap();
        assert_eq!(scenario.campaign.repeats, 10);
        assert_eq!(scenario.campaign.idle_repeats, 10);
        assert_eq!(scenario.campaign.idle, IdlePolicy::Paired);
        assert_eq!(scenario.session.duration_s, 100.0);
        assert_eq!(scenario.session.sample_rate_hz, 30.0);
        assert_eq!(scenario.board.frequency_khz, FrequencyChoice::Auto);
        assert_eq!((scenario.board.meter, scenario.board.rails.len()), (MeterChoice::Auto, 0));
        assert!(scenario.sources[0].takes("small/Main.java"));
        assert!(!scenario.sources[0].takes("other/Main.java"));
        assert_eq!(scenario.resolve(Path::new("src")), Path::new("scenarios/src"));
    }

    #[test]
    fn the_idle_runs_of_a_case_are_its_own_or_those_of_the_campaign() {
        let with =
            |keys: &str| SMALL.replace("[[input]]", &format!("[campaign]\n{keys}\n[[input]]"));
        let idle = |keys: &str| parse(&with(keys)).unwrap().campaign.idle;
        assert_eq!(idle("idle = \"campaign\""), IdlePolicy::Campaign);
        assert_eq!(idle("idle = \"paired\""), IdlePolicy::Paired);
        let said = message(&with("idle = \"paired\"\nprotocol = \"windows\""));
        assert!(said.contains(":10: `campaign.idle` is \"paired\""), "{said}");
        assert!(message(&with("idle = \"all\"")).contains(":10:"));
    }

    #[test]
    fn a_key_that_was_renamed_names_its_line_and_its_name_now() {
        for (section, key, now) in [
            ("", "kernels", "microbenchmarks"),
            ("session", "begin_mark", "begin_marker"),
            ("session", "end_mark", "end_marker"),
        ] {
            let written = match section {
                "" => format!("[{key}]\nrepeats = 3"),
                section => format!("[{section}]\n{key} = \"go\""),
            };
            let text = SMALL.replace("[[input]]", &format!("{written}\n[[input]]"));
            let line = if section.is_empty() { 9 } else { 10 };
            let expected = format!(
                "scenarios/small.toml:{line}: unknown key `{key}`; its name is `{now}` now"
            );
            assert_eq!(message(&text), expected);
        }
        let text = SMALL.replace("path = ", "role = \"driver\"\npath = ");
        assert!(message(&text).contains("`harness`"), "{}", message(&text));
    }

    #[test]
    fn an_unknown_key_names_its_line_and_the_nearest_known_key() {
        let text = SMALL.replace("[[input]]", "[session]\nsample_rate_khz = 3\n[[input]]");
        let expected = "scenarios/small.toml:10: unknown key `sample_rate_khz`; did you mean `sample_rate_hz`?";
        assert_eq!(message(&text), expected);
        let deep = SMALL.replace("name = \"none\"", "name = \"a\"\nsteps = [{ tip = [1, 2] }]");
        assert!(
            message(&deep).contains(":11: unknown key `tip`; did you mean `tap`?"),
            "{}",
            message(&deep)
        );
    }

    #[test]
    fn a_value_in_the_place_of_a_table_is_told_without_names_of_types() {
        let told = message("name = 'a'\napplication = 3\n");
        assert!(told.ends_with("integer `3`, expected a table of keys and values"), "{told}");
    }

    #[test]
    fn a_bad_value_names_key_and_line() {
        let text = SMALL.replace("[[input]]", "[campaign]\nrepeats = 0\n[[input]]");
        assert_eq!(
            message(&text),
            "scenarios/small.toml:10: `campaign.repeats` is 0; it must be from 1 to 10000"
        );
        let text = SMALL.replace("path = \"src\"", "maven = \"a:b\"\nsha256 = \"12\"");
        assert_eq!(
            message(&text),
            "scenarios/small.toml:8: `source[0].sha256` is no SHA-256: 64 hexadecimal digits"
        );
        let text = SMALL.replace("path = \"src\"", "");
        assert!(
            message(&text).contains("`source[0]` needs either `path`, or `maven` and `sha256`")
        );
        let text = SMALL.replace("path = \"src\"", "path = \"src\"\nsha256 = \"12\"");
        assert!(message(&text).contains("`source[0]` needs either"), "{}", message(&text));
        let text = SMALL.replace("main = \"small.Main\"", "main = 3");
        assert!(
            message(&text).starts_with("scenarios/small.toml:5: invalid type"),
            "{}",
            message(&text)
        );
    }

    #[test]
    fn a_campaign_says_how_it_is_measured_and_when_it_may_stop() {
        let with =
            |keys: &str| SMALL.replace("[[input]]", &format!("[campaign]\n{keys}\n[[input]]"));
        let campaign = parse(SMALL).unwrap().campaign;
        assert_eq!((campaign.protocol, campaign.stop_lines), (CampaignProtocol::Paired, None));
        let campaign = parse(&with("stop = { lines = 0.05 }")).unwrap().campaign;
        assert_eq!(campaign.stop_lines, Some(0.05));
        let windows = "protocol = \"windows\"\nwindow_s = 2";
        let campaign = parse(&with(windows)).unwrap().campaign;
        assert_eq!((campaign.protocol, campaign.window_s), (CampaignProtocol::Windows, 2.0));
        assert_eq!(campaign.idle, IdlePolicy::Campaign, "most cases have no idle runs");
        let problem = message(&with("stop = { lines = 0 }"));
        assert!(
            problem.contains("`campaign.stop.lines` is 0; it must be from 0.000001 to 1000"),
            "{problem}"
        );
        let problem = message(&with(&format!("{windows}\nstop = {{ lines = 0.1 }}")));
        assert!(problem.contains("`campaign.stop` goes with `protocol = \"paired\"`"), "{problem}");
        let problem = message(&with("stop = { methods = 0.1 }"));
        assert!(problem.contains("unknown key `methods`"), "{problem}");
    }

    #[test]
    fn input_may_come_by_a_command() {
        let with =
            |line: &str| SMALL.replace("[[input]]", &format!("[session]\n{line}\n[[input]]"));
        let session = parse(&with("input_command = \"maestro test flow.yaml\"")).unwrap().session;
        assert_eq!(session.input_command.as_deref(), Some("maestro test flow.yaml"));
        assert_eq!(parse(SMALL).unwrap().session.input_command, None);
        assert_eq!(parse(SMALL).unwrap().campaign.plan_on, PlanOn::Host);
        let command = "input_command = \"a\"\n[campaign]\n";
        assert_eq!(parse(&with(command)).unwrap().campaign.plan_on, PlanOn::Board);
        let problem = message(&with(&format!("{command}plan_on = \"host\"")));
        assert!(problem.contains(":12: `campaign.plan_on` is \"host\", and"), "{problem}");
        let problem = message(&with("input_command = \" \""));
        assert!(
            problem.contains(":10: `session.input_command` is empty; give a command"),
            "{problem}"
        );
    }

    /// Every key that says how it is started is used or refused.
    #[test]
    fn a_package_of_the_own_build_is_started_by_what_it_has() {
        let apk = |lines: &str| format!("apk = 'a.apk'\n{lines}\n");
        let with = |lines: &str| SMALL.replace(MAIN, &apk(lines));
        let scenario = parse(&with("")).unwrap();
        let application = &scenario.application;
        assert_eq!(application.apk.as_deref(), Some(Path::new("a.apk")));
        assert_eq!((application.start, application.main.as_deref()), (StartKind::Activity, None));
        assert_eq!(scenario.campaign.plan_on, PlanOn::Board);
        for start in ["", "start = 'activity'\n", "start = 'instrument'\n"] {
            let named = parse(&with(&format!("{start}activity = '.ui.Main'"))).unwrap();
            let main = named.application.main;
            assert_eq!(main.as_deref(), Some("org.example.small.ui.Main"), "{start}");
        }
        let command = with("start = 'command'") + "[session]\ninput_command = 'adb shell x'\n";
        assert_eq!(parse(&command).unwrap().application.start, StartKind::Command);
        for (lines, expected) in [
            ("main = 'a.B'", "`application.main` goes without `apk`"),
            ("start = 'main'", "`application.start` is \"main\", which starts a jar"),
            ("start = 'command'", "`session.input_command` is missing"),
            ("min_sdk = 21", "`application.min_sdk` goes without `apk`"),
            ("target_sdk = 34", "`application.target_sdk` goes without `apk`"),
        ] {
            let text = with(lines);
            assert!(message(&text).contains(expected), "{lines}: {}", message(&text));
        }
        let host = with("") + "[campaign]\nplan_on = 'host'\n";
        assert!(message(&host).contains("is \"host\", and the package of your own build"));
        let alone = SMALL.replace("main =", "start = 'command'\nmain =");
        assert!(message(&alone).contains("`application.start` is \"command\", by which"));
    }

    #[test]
    fn a_board_has_any_meter_and_a_frequency_or_none() {
        let board = |lines: &str| parse(&format!("{SMALL}[board]\n{lines}\n"));
        let settings = board("meter = \"odpm\"\nrails = [\"S2M_VDD_CPUCL2\"]").unwrap().board;
        assert_eq!(settings.meter, MeterChoice::Named("odpm"));
        assert_eq!(settings.rails, ["S2M_VDD_CPUCL2"]);
        let left = board("frequency_khz = \"leave\"").unwrap().board;
        assert_eq!(left.frequency_khz, FrequencyChoice::Leave);
        let fixed = board("frequency_khz = 1106000\nbig_core = 7").unwrap().board;
        assert_eq!(
            (fixed.frequency_khz, fixed.big_core),
            (FrequencyChoice::Khz(1_106_000), Some(7))
        );
        for (lines, expected) in [
            ("meter = \"odpn\"", "is \"odpn\"; use \"auto\", \"ina231\", \"odpm\""),
            (
                "frequency_khz = 0",
                "is 0; give a whole number of kHz from 1 to 100000000, \"auto\" or \"leave\"",
            ),
            ("frequency_khz = -1", "is -1; give a whole number of kHz"),
            ("frequency_khz = 1.5", "is 1.5; give a whole number of kHz"),
            ("frequency_khz = [1]", "is an array; give a whole number of kHz"),
            ("frequency_khz = \"max\"", "is \"max\"; give a whole number of kHz"),
            ("rails = [\"a\", \"a\"]", "has \"a\" twice"),
        ] {
            let message = board(lines).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn an_external_meter_has_a_log() {
        let board = |lines: &str| parse(&format!("{SMALL}[board]\n{lines}\n"));
        let log = "meter = \"external\"\n[board.log]\nfile = \"{board}.csv\"\nclock_offset_s = 2";
        let settings = board(log).unwrap().board;
        assert_eq!(settings.meter, MeterChoice::Named("external"));
        let found = settings.log.unwrap();
        assert_eq!((found.file.as_str(), found.clock_offset_s), ("{board}.csv", 2.0));
        let named = "time = { column = \"When\", unit = \"ms\" }\npower = { column = \"P\", unit = \"mW\" }";
        let columns = board(&format!("{log}\n{named}")).unwrap().board.log.unwrap().columns;
        assert_eq!(columns.power.unwrap().unit, "mW");
        for (lines, expected) in [
            (
                "meter = \"external\"".to_string(),
                "`board.meter` is \"external\", which needs `[board.log]`",
            ),
            (
                "[board.log]\nfile = \"a\"".to_string(),
                "`board.log` goes with `meter = \"external\"`",
            ),
            (log.replace("{board}.csv", ""), "`board.log.file` is empty"),
            (format!("{log}\n{}", named.replace("mW", "hp")), "`board.log.power` has no unit `hp`"),
            (format!("{log}\n{}", named.lines().next().unwrap()), "`board.log.power` is missing"),
            (format!("{log}\nvolts = 0"), "`board.log.volts` is 0"),
            (format!("{log}\nvolts = 5\n{named}"), "`board.log.volts` goes with a current alone"),
            (log.replace("file", "path"), "unknown key `path`"),
            (format!("{log}\ndecimal = \";\""), "`board.log.decimal` is \";\"; it is"),
            (format!("{log}\ntime_zone = \"Mars\""), "`board.log.time_zone` is \"Mars\" is no"),
        ] {
            let message = board(&lines).unwrap_err().to_string();
            assert!(message.contains(expected), "{lines}: {message}");
        }
    }

    #[test]
    fn a_build_has_its_own_encoding_options_and_processors() {
        let text = SMALL.replace("include = [", "encoding = \"SJIS\"\ninclude = [");
        let text = text.replace(
            "[[source]]",
            "preview = true\njavac_options = [\"-Aa=b\", \"--add-exports\", \
             \"java.base/sun.x=ALL-UNNAMED\"]\n[[processor]]\npath = \"p.jar\"\n[[source]]",
        );
        let scenario = parse(&text).unwrap();
        assert_eq!(scenario.sources[0].encoding.unwrap().name, "Shift_JIS");
        assert!(scenario.application.preview);
        assert_eq!(scenario.application.javac_options.len(), 3);
        assert_eq!(scenario.processors, [ArtifactSource::Path("p.jar".into())]);
        let problem = message(&text.replace("SJIS", "Klingon"));
        assert!(
            problem.contains("`source[0].encoding` is wrong: there is no encoding"),
            "{problem}"
        );
        let problem = message(&text.replace("-Aa=b", "-d"));
        assert!(problem.contains("`application.javac_options` has \"-d\""), "{problem}");
        let problem = message(&text.replace("path = \"p.jar\"\n", ""));
        assert!(problem.contains("`processor[0]` needs either"), "{problem}");
    }

    #[test]
    fn an_artifact_knows_its_file() {
        let hash = "ab".repeat(32);
        let text = SMALL.replace(
            "path = \"src\"",
            &format!("maven = \"org.jbox2d:jbox2d-library:2.2.1.1:sources\"\nsha256 = \"{hash}\""),
        );
        let scenario = parse(&text).unwrap();
        let ArtifactSource::Maven(artifact) = &scenario.sources[0].origin else {
            panic!("not maven")
        };
        assert_eq!(artifact.file_name(), "jbox2d-library-2.2.1.1-sources.jar");
    }

    #[test]
    fn the_inputs_extras_win_over_the_sessions() {
        let text = SMALL.replace(
            "[[input]]\nname = \"none\"",
            "[session]\nframes = 100\nextras = { speed = 2, mode = \"a\" }\n\
             [[input]]\nname = \"none\"\nframes = 50\nextras = { mode = \"b\" }",
        );
        let scenario = parse(&text).unwrap();
        let extras = scenario.extras(&scenario.inputs[0]);
        let pairs: Vec<_> = extras.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(pairs, ["frames=50", "mode=b", "speed=2"]);
    }

    #[test]
    fn every_scenario_of_the_repository_is_valid() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        let Ok(entries) = std::fs::read_dir(&folder) else { return };
        for entry in entries {
            let file = entry.unwrap().path();
            if file.extension().is_some_and(|extension| extension == "toml") {
                read_scenario(&file).unwrap();
            }
        }
    }
}
