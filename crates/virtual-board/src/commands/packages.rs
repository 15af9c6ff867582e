//! `pm` and `cmd package`: installing applications.

use super::reply::Reply;
use crate::adb::AdbdGeneration;
use crate::android::{DeclaredInstrumentation, InstallError, InstallFlags};
use crate::machine::Machine;
use crate::package::{self, files};

/// API level from which `-g` grants the permissions of a package.
const HAS_GRANT_OPTION: u32 = 23;

/// API level from which `cmd package compile` compiles packages.
const HAS_COMPILE: u32 = 24;

/// Compiler filters that `cmd package compile` accepts.
const COMPILER_FILTERS: [&str; 4] = ["verify", "speed-profile", "speed", "everything"];

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

/// `pm install|uninstall|clear|list packages|list instrumentation|path`.
pub(super) fn pm(machine: &Machine, words: &[&str]) -> Reply {
    match words {
        ["install", rest @ ..] => install(machine, rest),
        ["compile", rest @ ..] if machine.state.file.sdk >= HAS_COMPILE => compile(machine, rest),
        ["uninstall", .., name] => uninstall(machine, name),
        ["clear", .., name] => clear(machine, name),
        ["list", "packages", ..] => {
            let names = files::installed_names(&machine.state.folder).into_iter();
            Reply::output(names.map(|name| format!("package:{name}\n")).collect::<String>())
        }
        ["list", "instrumentation", rest @ ..] => instrumentations(machine, rest.last().copied()),
        ["path", name] => match files::find_package(&machine.state.folder, name) {
            Some(_) => Reply::output(format!("package:/data/app/{name}.apk\n")),
            None => Reply { code: 1, ..Reply::default() },
        },
        _ => Reply::failure("usage: pm install|uninstall|clear|list|path"),
    }
}

/// Lists the instrumentations of all packages, or of those whose target package is `target`.
fn instrumentations(machine: &Machine, target: Option<&str>) -> Reply {
    let packages = files::installed_names(&machine.state.folder).into_iter();
    let lines = packages.filter_map(|name| machine.android.find(&name)).flat_map(|package| {
        let (name, own) = (package.facts.package, package.facts.instrumentations);
        let wanted = own.into_iter().filter(|(_, of)| target.is_none_or(|it| it == of.target));
        let line = |(class, of): (String, DeclaredInstrumentation)| {
            format!("instrumentation:{name}/{class} (target={})\n", of.target)
        };
        wanted.map(line).collect::<Vec<String>>()
    });
    Reply::output(lines.collect::<String>())
}

/// `install [-r] [-t] [...] FILE`, or `install -S FILE` where the file is a copy of standard input.
fn install(machine: &Machine, words: &[&str]) -> Reply {
    let Some(name) = words.iter().rfind(|word| !word.starts_with('-') && word.contains('/')) else {
        return Reply::failure("Error: no package specified");
    };
    if words.contains(&"-g") && machine.state.file.sdk < HAS_GRANT_OPTION {
        return Reply::failure("Error: Unknown option: -g");
    }
    let installed = package::install(machine, name, parse_flags(words));
    if words.contains(&"-S") {
        // The copy of standard input has served.
        machine.state.folder.remove_file(name).ok();
    }
    let head = match machine.state.mode {
        AdbdGeneration::Legacy => format!("\tpkg: {name}\n"),
        AdbdGeneration::Modern => String::new(),
    };
    match installed {
        Ok(_) => Reply::output(head + "Success\n"),
        Err(error) => package_failure(machine.state.mode, head, &error),
    }
}

/// `compile [-f] -m FILTER PACKAGE`: sets the compiler filter of a package from its next start on.
fn compile(machine: &Machine, words: &[&str]) -> Reply {
    let (filter, name) = match words {
        ["-m", filter, name] | ["-f", "-m", filter, name] | ["-m", filter, "-f", name] => {
            (*filter, *name)
        }
        _ => return Reply::failure("usage: cmd package compile [-f] -m FILTER PACKAGE"),
    };
    match COMPILER_FILTERS.into_iter().find(|known| *known == filter) {
        None => Reply::failure(format!("Error: Invalid compile filter '{filter}'.")),
        Some(filter) if machine.android.set_compiler_filter(name, filter) => {
            Reply::output("Success\n")
        }
        Some(_) => Reply::failure(format!("Failure: package {name} not found")),
    }
}

/// `dumpsys package dexopt`: the compiler filter of each package.
pub(super) fn dexopt(machine: &Machine) -> Reply {
    let row = |(name, filter): (String, &str)| {
        format!(
            "  [{name}]\n    path: /data/app/{name}.apk\n      arm64: [status={filter}] \
             [reason=cmdline] [primary-abi]\n"
        )
    };
    let rows: String = machine.android.compiler_filters().into_iter().map(row).collect();
    Reply::output(format!("Dexopt state:\n{rows}"))
}

/// Parses the flags of `install`.
fn parse_flags(words: &[&str]) -> InstallFlags {
    let has = |word| words.contains(&word);
    InstallFlags {
        replace: has("-r"),
        test: has("-t"),
        downgrade: has("-d"),
        low_target: has("--bypass-low-target-sdk-block"),
    }
}

/// Reply of a failed installation or removal; an old board still ends with exit code 0.
fn package_failure(mode: AdbdGeneration, head: String, error: &InstallError) -> Reply {
    let code = if mode == AdbdGeneration::Legacy { 0 } else { 1 };
    Reply { output: format!("{head}Failure [{error}]\n"), code, ..Reply::default() }
}

/// `run-as PACKAGE COMMAND...`: success if the shell may act as the package; the shim then runs the
/// command.
pub(super) fn run_as(machine: &Machine, words: &[&str]) -> Reply {
    let [name, _command, ..] = words else {
        return Reply::failure("run-as: usage: run-as <package-name> <command> [<args>]");
    };
    match machine.android.find(name) {
        None => Reply::failure(format!("run-as: Package '{name}' is unknown")),
        Some(package) if !package.facts.debuggable => {
            Reply::failure(format!("run-as: Package '{name}' is not debuggable"))
        }
        Some(_) => Reply::default(),
    }
}

/// `dumpsys package NAME`: facts of the manifest and the signature.
pub(super) fn dump(machine: &Machine, name: &str) -> Reply {
    let Some(package) = machine.android.find(name) else {
        return Reply::output(format!("Unable to find package: {name}\n"));
    };
    let facts = package.facts;
    let mut flags = vec!["HAS_CODE"];
    flags.extend(facts.debuggable.then_some("DEBUGGABLE"));
    flags.extend(facts.test_only.then_some("TEST_ONLY"));
    let signer = facts.signers.first().map_or("none", String::as_str);
    Reply::output(format!(
        "Packages:\n  Package [{name}]:\n    codePath=/data/app/{name}.apk\n    \
         dataDir=/data/data/{name}\n    versionCode={} minSdk={} targetSdk={}\n    \
         apkSigningVersion={}\n    signatures=[{signer}]\n    flags=[ {} ]\n",
        facts.version_code,
        facts.min_sdk,
        facts.target_sdk,
        facts.scheme,
        flags.join(" ")
    ))
}

/// `uninstall NAME`.
fn uninstall(machine: &Machine, name: &str) -> Reply {
    machine.apps.stop(name);
    match package::remove(machine, name) {
        Ok(()) => Reply::output("Success\n"),
        Err(error) => package_failure(machine.state.mode, String::new(), &error),
    }
}

/// `clear NAME`: removes the data of a package.
fn clear(machine: &Machine, name: &str) -> Reply {
    machine.apps.stop(name);
    match package::clear(machine, name) {
        Ok(()) => Reply::output("Success\n"),
        Err(error) => package_failure(machine.state.mode, String::new(), &error),
    }
}
