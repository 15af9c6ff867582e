//! `am`: starting and stopping applications.

use std::io;
use std::os::unix::net::UnixStream;

use super::reply::Reply;
use crate::adb::AdbdGeneration;
use crate::apps::{AppEntryPoint, AppProcess, AppStartRequest, IntentExtra, check_activity};
use crate::board_state::BoardState;
use crate::machine::Machine;
use crate::wire::ReplyFrame;

const USAGE: &str = "usage: am start [-S] [-W] -n PACKAGE/CLASS | am instrument [-w] [-r] \
                     [-e KEY VALUE]... PACKAGE/CLASS | am force-stop PACKAGE";

/// `am start [-S] [-W] -n PACKAGE/CLASS [--es KEY VALUE]...`,
/// `am instrument [-w] [-r] [-e KEY VALUE]... PACKAGE/CLASS` and `am force-stop PACKAGE`.
pub(super) fn am(
    machine: &Machine,
    pid: u32,
    words: &[&str],
    connection: &mut UnixStream,
) -> io::Result<Option<Reply>> {
    let intent = |words| {
        parse_intent(words)
            .map_err(|problem| start_failure(&machine.state, String::new(), &problem))
    };
    Ok(Some(match words {
        ["start" | "start-activity", rest @ ..] => match intent(rest) {
            Ok(intent) => start_activity(machine, &intent),
            Err(reply) => reply,
        },
        ["instrument", rest @ ..] => match intent(rest) {
            Ok(intent) => return start_instrumentation(machine, pid, &intent, connection),
            Err(reply) => reply,
        },
        ["force-stop", .., package] => {
            machine.apps.stop(package);
            Reply::default()
        }
        _ => Reply::failure(USAGE),
    }))
}

/// Activity or instrumentation that `am` is to start, with its options.
#[derive(Debug, Default, PartialEq, Eq)]
struct Intent {
    package: String,
    class: String,
    stop_first: bool,
    wait: bool,
    raw: bool,
    extras: Vec<IntentExtra>,
}

/// Parses the arguments of `am start` and `am instrument`.
fn parse_intent(words: &[&str]) -> Result<Intent, String> {
    let mut intent = Intent::default();
    let mut rest = words;
    loop {
        rest = match rest {
            [] => break,
            ["-S", more @ ..] => {
                intent.stop_first = true;
                more
            }
            ["-W" | "-w", more @ ..] => {
                intent.wait = true;
                more
            }
            ["-r", more @ ..] => {
                intent.raw = true;
                more
            }
            ["-n", component, more @ ..] => {
                intent.set_component(component)?;
                more
            }
            [
                option @ ("--es" | "-e" | "--ei" | "--ez" | "--el" | "--ef"),
                key,
                value,
                more @ ..,
            ] => {
                let kind = option.strip_prefix("--e").and_then(|letter| letter.chars().next());
                let (kind, key, value) = (kind.unwrap_or('s'), (*key).into(), (*value).into());
                intent.extras.push(IntentExtra { kind, key, value });
                more
            }
            ["-a" | "-c" | "-d" | "-t" | "-f" | "--user", _, more @ ..] => more,
            [component] if !component.starts_with('-') => {
                intent.set_component(component)?;
                &[]
            }
            [word, ..] => return Err(format!("Unknown option: {word}")),
        };
    }
    if intent.package.is_empty() {
        return Err("no component given (-n PACKAGE/CLASS)".to_owned());
    }
    Ok(intent)
}

impl Intent {
    /// Sets package and class from `PACKAGE/CLASS`, where the class may be `.CLASS`.
    fn set_component(&mut self, component: &str) -> Result<(), String> {
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

/// Starts an activity, or passes it to the package's running process.
fn start_activity(machine: &Machine, intent: &Intent) -> Reply {
    let Intent { package, class, stop_first, wait, extras, .. } = intent;
    let mut said = String::new();
    if *stop_first {
        said.push_str(&format!("Stopping: {package}\n"));
        machine.apps.stop(package);
    }
    said.push_str(&format!("Starting: Intent {{ cmp={package}/{class} }}\n"));
    let installed = machine.android.find(package).filter(|_| machine.apps.is_running(package));
    if let Some(installed) = installed {
        if let Err(error) = check_activity(&installed.facts, class) {
            return start_failure(&machine.state, said, &error.to_string());
        }
        machine.apps.send_input_to(package, &start_input_line(class, extras));
        return Reply::output(said);
    }
    if machine.apps.is_running(package) {
        said.push_str(
            "Warning: Activity not started, its current task has been brought to the front\n",
        );
        return Reply::output(said);
    }
    let entry = AppEntryPoint::Activity(class);
    match machine.start_app(&AppStartRequest { package, entry, extras }) {
        Ok(app) => {
            if *wait {
                app.wait_until_ready();
                said.push_str(&format!("Status: ok\nActivity: {package}/{class}\nComplete\n"));
            }
            Reply::output(said)
        }
        Err(error) => start_failure(&machine.state, said, &error.to_string()),
    }
}

/// Input line that starts an activity in a running process: the activity, and each extra with its
/// type; blanks and line ends are written as `%XX`.
fn start_input_line(class: &str, extras: &[IntentExtra]) -> String {
    let escaped = |text: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-$".contains(&byte);
        text.bytes().fold(String::new(), |text, byte| match plain(byte) {
            true => text + &char::from(byte).to_string(),
            false => text + &format!("%{byte:02x}"),
        })
    };
    let words = extras.iter().map(|IntentExtra { kind, key, value }| {
        format!(" {kind} {} ={}", escaped(key), escaped(value))
    });
    format!("start {}{}", escaped(class), words.collect::<String>())
}

/// Starts an instrumentation, after ending its target package's processes; with `-w` waits until it
/// ends.
fn start_instrumentation(
    machine: &Machine,
    pid: u32,
    intent: &Intent,
    connection: &mut UnixStream,
) -> io::Result<Option<Reply>> {
    let Intent { package, class, extras, .. } = intent;
    let owner = machine.android.find(package);
    let of = owner.as_ref().and_then(|owner| owner.facts.instrumentations.get(class));
    let target = of.map_or(package, |of| &of.target);
    machine.apps.stop(target);
    let entry = AppEntryPoint::Instrumentation { package, class };
    let process = match machine.start_app(&AppStartRequest { package: target, entry, extras }) {
        Ok(process) => process,
        Err(error) => return Ok(Some(instrumentation_failure(intent, &error.to_string()))),
    };
    if !intent.wait {
        return Ok(Some(Reply::default()));
    }
    process.add_watcher(pid);
    print_reports(&process, intent.raw, connection)?;
    Ok(Some(Reply::default()))
}

/// Prints the reports of an instrumentation until its process ends.
fn print_reports(process: &AppProcess, raw: bool, connection: &mut UnixStream) -> io::Result<()> {
    let mut told = 0;
    loop {
        let (said, ended) = process.wait_for_reports(told);
        told += said.len();
        for report in said {
            ReplyFrame::Output(report.instrument_output(raw).into_bytes()).write_to(connection)?;
        }
        if ended {
            return Ok(());
        }
    }
}

/// Reply of a failed start of an instrumentation.
fn instrumentation_failure(intent: &Intent, problem: &str) -> Reply {
    let component = format!("{}/{}", intent.package, intent.class);
    let status = "INSTRUMENTATION_STATUS";
    let output = if intent.wait {
        format!(
            "{status}: Error={problem}\n{status}: id=ActivityManagerService\n{status}_CODE: -1\n"
        )
    } else {
        String::new()
    };
    let error = format!("android.util.AndroidException: INSTRUMENTATION_FAILED: {component}\n");
    Reply { output, error, code: 1 }
}

/// Reply of a failed start of an activity; an old board still ends with exit code 0.
fn start_failure(board: &BoardState, said: String, problem: &str) -> Reply {
    let code = if board.mode == AdbdGeneration::Legacy { 0 } else { 1 };
    Reply { output: said, error: format!("Error: {problem}\n"), code }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extra(kind: char, key: &str, value: &str) -> IntentExtra {
        IntentExtra { kind, key: key.into(), value: value.into() }
    }

    #[test]
    fn a_line_for_a_process_has_no_blank_that_is_not_between_words() {
        let extras = [extra('s', "a b", "1\n2"), extra('i', "n", "")];
        assert_eq!(
            start_input_line("org.x.Main", &extras),
            "start org.x.Main s a%20b =1%0a2 i n ="
        );
    }

    #[test]
    fn intents_are_read() {
        let words = ["-S", "-W", "-n", "org.x/.Main", "--es", "frames", "60", "--ei", "count", "7"];
        let expected = Intent {
            package: "org.x".into(),
            class: "org.x.Main".into(),
            stop_first: true,
            wait: true,
            raw: false,
            extras: vec![extra('s', "frames", "60"), extra('i', "count", "7")],
        };
        assert_eq!(parse_intent(&words), Ok(expected));
        let run = parse_intent(&["-w", "-r", "-e", "a", "b c", "org.x/org.y.Runner"]).unwrap();
        assert_eq!((run.class.as_str(), run.raw, run.wait), ("org.y.Runner", true, true));
        assert_eq!(run.extras, [extra('s', "a", "b c")]);
        assert!(parse_intent(&["-W"]).is_err());
        assert!(parse_intent(&["-n", "nothing"]).is_err());
        assert!(parse_intent(&["--es", "key"]).is_err());
    }
}
