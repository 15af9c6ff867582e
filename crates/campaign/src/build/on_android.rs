//! The runner that starts an application on Android, which is an instrumentation, and its settings.

use std::fs;
use std::path::Path;

use crate::scenario::{Scenario, StartKind};
use crate::toolchain::compiler::CompileRequest;
use crate::toolchain::{Compiler, Jdk, ToolchainError, jar};

use super::BuildError;
use super::variant::Classes;

/// Sources of the runner, which starts the application, gives it its input, and returns its counts
/// and samples.
const RUNNER_SOURCES: [(&str, &str); 8] = [
    ("Gestures.java", include_str!("java/Gestures.java")),
    ("MarkStatus.java", include_str!("java/MarkStatus.java")),
    ("MethodSampler.java", include_str!("java/MethodSampler.java")),
    ("Probes.java", include_str!("java/Probes.java")),
    ("Runner.java", include_str!("java/Runner.java")),
    ("Screening.java", include_str!("java/Screening.java")),
    ("TimedInput.java", include_str!("java/TimedInput.java")),
    ("WatchedOutput.java", include_str!("java/WatchedOutput.java")),
];
/// Class name of the instrumentation that devices start.
pub const RUNNER_CLASS: &str = "org.wattline.runner.Runner";

/// Meta-data of the instrumentation, name and value; `probes` is the class that the application
/// calls, if any.
pub fn runner_facts(scenario: &Scenario, probes: Option<&str>) -> Vec<(&'static str, String)> {
    let (main, session) = (scenario.application.main.clone(), &scenario.session);
    let started = main.into_iter();
    let mut facts: Vec<(&str, String)> = match scenario.application.start {
        StartKind::Activity | StartKind::Command => started
            .map(|activity| ("wattline.activity", activity))
            .chain([
                ("wattline.begin", session.begin_marker.clone()),
                ("wattline.end", session.end_marker.clone()),
                ("wattline.millis", format!("{:.0}", session.duration_s * 1000.0)),
            ])
            .collect(),
        StartKind::Instrument | StartKind::Main => {
            started.map(|main| ("wattline.main", main)).collect()
        }
    };
    facts.extend(probes.map(|class| ("wattline.probes", class.to_owned())));
    facts
}

/// Meta-data of the runner for a package of the application's own build, with any number of
/// activities. The runner is built once for all variants: it detects probes at run time.
pub(super) fn own_package_metadata(
    scenario: &Scenario,
    probes: &str,
) -> Vec<(&'static str, String)> {
    let mut facts = runner_facts(scenario, Some(probes));
    facts.push(("wattline.own", "yes".to_owned()));
    facts
}

/// Refuses a scenario whose activity is none of the application's classes.
pub(super) fn check_activity(scenario: &Scenario, classes: &Classes) -> Result<(), BuildError> {
    let application = &scenario.application;
    let is_there =
        |class: &str| classes.contains_key(&format!("{}.class", class.replace('.', "/")));
    let main = application.main.as_deref().unwrap_or_default();
    if application.start != StartKind::Activity || is_there(main) {
        return Ok(());
    }
    let simple = main.rsplit('.').next().unwrap_or_default();
    let end = format!("/{simple}.class");
    let other = classes.keys().find(|name| name.ends_with(&end));
    let remedy = other.map_or(String::new(), |name| {
        format!("; did you mean {}?", name.trim_end_matches(".class").replace('/', "."))
    });
    Err(BuildError::NoActivity { class: main.to_owned(), remedy })
}

/// Compiles the runner, with additional sources, against the classes of a platform.
pub(super) fn compile_runner(
    jdk: &Jdk,
    platform: &Path,
    more: &[(&str, &str)],
    release: u32,
    folder: &Path,
) -> Result<Classes, BuildError> {
    fs::create_dir(folder).map_err(BuildError::io(folder))?;
    let mut sources = Vec::new();
    for (name, text) in RUNNER_SOURCES.iter().chain(more) {
        let source = folder.join(name);
        fs::write(&source, text).map_err(BuildError::io(&source))?;
        sources.push(source);
    }
    let output = folder.join("classes");
    let request = CompileRequest {
        sources,
        classpath: vec![platform.to_path_buf()],
        release: Some(release),
        output: output.clone(),
        ..CompileRequest::default()
    };
    Compiler::start(jdk)?.compile(&request)?.map_err(|errors| {
        let message = errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>();
        let message = format!("{}: {}", platform.display(), message.join("; "));
        ToolchainError::Refused { program: "javac", message }
    })?;
    Ok(jar::read_folder(&output)?)
}

#[cfg(test)]
#[path = "on_android_api_tests.rs"]
mod api_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse_scenario;

    fn scenario(application: &str) -> Scenario {
        let text = format!(
            "name = \"a\"\n[application]\npackage = \"org.a\"\n{application}\n[[source]]\n\
             path = \"src\"\n[session]\nduration_s = 2.5\n[[input]]\nname = \"one\"\n"
        );
        parse_scenario(&text, Path::new("a.toml")).unwrap()
    }

    #[test]
    fn the_runner_knows_what_to_start_and_for_how_long() {
        let of = |application| runner_facts(&scenario(application), Some("rt.W"));
        let main = of("main = \"org.a.Main\"");
        assert_eq!(main[0], ("wattline.main", "org.a.Main".into()));
        assert_eq!(main[1..], [("wattline.probes", "rt.W".into())]);
        let activity = of("start = \"activity\"\nactivity = \".Screen\"");
        assert_eq!(activity[0], ("wattline.activity", "org.a.Screen".into()));
        assert!(activity.contains(&("wattline.millis", "2500".into())), "{activity:?}");
        assert!(activity.contains(&("wattline.begin", "wattline: begin".into())), "{activity:?}");
    }

    #[test]
    fn an_activity_has_to_be_there() {
        let scenario = scenario("start = \"activity\"\nactivity = \".Screen\"");
        let classes = |name: &str| Classes::from([(name.to_owned(), Vec::new())]);
        assert!(check_activity(&scenario, &classes("org/a/Screen.class")).is_ok());
        let said = |name| check_activity(&scenario, &classes(name)).unwrap_err().to_string();
        assert_eq!(
            said("org/a/ui/Screen.class"),
            "`application.activity`: the application has no class org.a.Screen; did you mean \
             org.a.ui.Screen?"
        );
        assert!(said("org/a/Other.class").ends_with("no class org.a.Screen"));
    }
}
