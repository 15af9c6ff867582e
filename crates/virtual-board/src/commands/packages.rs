//! `pm` and `cmd package`: installing applications.

use super::{Machine, Reply};
use crate::adb::Mode;
use crate::package::{self, InstallError};

/// `cmd package ...`, which hosts use to install on modern boards.
pub(super) fn cmd(machine: &Machine, words: &[&str]) -> Reply {
    match words {
        ["package", rest @ ..] => pm(machine, rest),
        [service, ..] => Reply {
            error: format!("cmd: Can't find service: {service}\n"),
            code: 20,
            ..Reply::default()
        },
        [] => Reply::failure("usage: cmd SERVICE ARGS..."),
    }
}

/// `pm install|uninstall|clear|list packages|path`.
pub(super) fn pm(machine: &Machine, words: &[&str]) -> Reply {
    match words {
        ["install", rest @ ..] => install(machine, rest),
        ["uninstall", .., name] => uninstall(machine, name),
        ["clear", .., name] => clear(machine, name),
        ["list", "packages", ..] => {
            let names = package::installed(machine.root()).into_iter();
            Reply::output(names.map(|name| format!("package:{name}\n")).collect::<String>())
        }
        ["path", name] => match package::find(machine.root(), name) {
            Some(_) => Reply::output(format!("package:/data/app/{name}.apk\n")),
            None => Reply { code: 1, ..Reply::default() },
        },
        _ => Reply::failure("usage: pm install|uninstall|clear|list packages|path"),
    }
}

/// `install [-r] [-t] [...] FILE`, or `install -S FILE` when the file came on
/// standard input.
fn install(machine: &Machine, words: &[&str]) -> Reply {
    let Some(name) = words.iter().rfind(|word| !word.starts_with('-') && word.contains('/')) else {
        return Reply::failure("Error: no package specified");
    };
    let file = machine.host_path(name);
    let installed = package::install(machine.root(), &file);
    if words.contains(&"-S") {
        // The copy of standard input has served.
        std::fs::remove_file(&file).ok();
    }
    let head = match machine.mode {
        Mode::Legacy => format!("\tpkg: {name}\n"),
        Mode::Modern => String::new(),
    };
    match installed {
        Ok(package) => {
            machine.apps.stop(machine, &package);
            Reply::output(head + "Success\n")
        }
        Err(error) => failed(machine.mode, head, &error),
    }
}

/// An old board says what failed and still ends with 0.
fn failed(mode: Mode, head: String, error: &InstallError) -> Reply {
    let code = if mode == Mode::Legacy { 0 } else { 1 };
    Reply { output: format!("{head}Failure [{error}]\n"), code, ..Reply::default() }
}

fn uninstall(machine: &Machine, name: &str) -> Reply {
    machine.apps.stop(machine, name);
    match package::remove(machine.root(), name) {
        Ok(()) => Reply::output("Success\n"),
        Err(error) => failed(machine.mode, String::new(), &error),
    }
}

fn clear(machine: &Machine, name: &str) -> Reply {
    machine.apps.stop(machine, name);
    match package::clear(machine.root(), name) {
        Ok(()) => Reply::output("Success\n"),
        Err(error) => failed(machine.mode, String::new(), &error),
    }
}
