//! `am`: starting and stopping applications.

use std::sync::Arc;

use super::{Machine, Reply};
use crate::adb::Mode;
use crate::apps::{self, Start};

/// `am start [-S] [-W] -n PACKAGE/CLASS [--es KEY VALUE]...` and
/// `am force-stop PACKAGE`.
pub(super) fn am(machine: &Arc<Machine>, words: &[&str]) -> Reply {
    match words {
        ["start" | "start-activity", rest @ ..] => match parse(rest) {
            Ok(intent) => start(machine, &intent),
            Err(problem) => failed(machine, String::new(), &problem),
        },
        ["force-stop", .., package] => {
            machine.apps.stop(machine, package);
            Reply::default()
        }
        _ => Reply::failure("usage: am start [-S] [-W] -n PACKAGE/CLASS | am force-stop PACKAGE"),
    }
}

/// What is to be started.
#[derive(Debug, Default, PartialEq, Eq)]
struct Intent {
    package: String,
    class: String,
    stop_first: bool,
    wait: bool,
    extras: Vec<String>,
}

fn parse(words: &[&str]) -> Result<Intent, String> {
    let mut intent = Intent::default();
    let mut rest = words;
    loop {
        rest = match rest {
            [] => break,
            ["-S", more @ ..] => {
                intent.stop_first = true;
                more
            }
            ["-W", more @ ..] => {
                intent.wait = true;
                more
            }
            ["-n", component, more @ ..] => {
                intent.name(component)?;
                more
            }
            ["--es" | "-e" | "--ei" | "--ez" | "--el" | "--ef", key, value, more @ ..] => {
                intent.extras.push(format!("{key}={value}"));
                more
            }
            ["-a" | "-c" | "-d" | "-t" | "-f" | "--user", _, more @ ..] => more,
            [word, ..] => return Err(format!("Unknown option: {word}")),
        };
    }
    if intent.package.is_empty() {
        return Err("no component given (-n PACKAGE/CLASS)".to_owned());
    }
    Ok(intent)
}

impl Intent {
    fn name(&mut self, component: &str) -> Result<(), String> {
        let (package, class) =
            component.split_once('/').ok_or(format!("Bad component name: {component}"))?;
        self.package = package.to_owned();
        self.class = match class.strip_prefix('.') {
            Some(short) => format!("{package}.{short}"),
            None => class.to_owned(),
        };
        Ok(())
    }
}

fn start(machine: &Arc<Machine>, intent: &Intent) -> Reply {
    let Intent { package, class, stop_first, wait, extras } = intent;
    let mut said = String::new();
    if *stop_first {
        said.push_str(&format!("Stopping: {package}\n"));
        machine.apps.stop(machine, package);
    }
    said.push_str(&format!("Starting: Intent {{ cmp={package}/{class} }}\n"));
    if machine.apps.is_running(package) {
        said.push_str(
            "Warning: Activity not started, its current task has been brought to the front\n",
        );
        return Reply::output(said);
    }
    match apps::start(machine, &Start { package, class, extras }) {
        Ok(app) => {
            if *wait {
                app.wait_until_ready();
                said.push_str(&format!("Status: ok\nActivity: {package}/{class}\nComplete\n"));
            }
            Reply::output(said)
        }
        Err(error) => failed(machine, said, &error.to_string()),
    }
}

/// An old board says what failed and still ends with 0.
fn failed(machine: &Machine, said: String, problem: &str) -> Reply {
    let code = if machine.mode == Mode::Legacy { 0 } else { 1 };
    Reply { output: said, error: format!("Error: {problem}\n"), code }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intents_are_read() {
        let words =
            ["-S", "-W", "-n", "org.x/.Main", "--es", "frames", "60", "--es", "name", "a b"];
        let expected = Intent {
            package: "org.x".into(),
            class: "org.x.Main".into(),
            stop_first: true,
            wait: true,
            extras: vec!["frames=60".into(), "name=a b".into()],
        };
        assert_eq!(parse(&words), Ok(expected));
        assert!(parse(&["-W"]).is_err());
        assert!(parse(&["-n", "nothing"]).is_err());
        assert!(parse(&["--es", "key"]).is_err());
    }
}
