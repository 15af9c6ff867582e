//! Shells in every way of confining them that works here, and what was tried to leave the jail.

use super::super::root::BoardRoot;
use super::*;
use std::fs;
use std::os::unix::fs::MetadataExt;

/// The program of the commands, which cargo builds with all tests of the crate; it says so where
/// only some were built.
fn program() -> Option<PathBuf> {
    let test = std::env::current_exe().unwrap();
    let built = test.ancestors().nth(2).unwrap().join("examples/board_command");
    if !built.is_file() {
        crate::skip::because("examples/board_command is not built (cargo build --examples)");
        return None;
    }
    Some(built)
}

/// Each way that works here, with a root of its own.
fn jails() -> Vec<(BoardRoot, Jail)> {
    let Some(program) = program() else { return Vec::new() };
    let user = BoardUser::find();
    let ways = Confinement::ALL.into_iter().filter(|way| way.is_allowed(user));
    let found = ways.filter_map(|way| {
        let root = BoardRoot::build(&program, Default::default(), 14, user).unwrap();
        fs::write(root.path().join("proc/uptime"), "100.00 100.00\n").unwrap();
        user.take_ownership_of_all(root.path()).unwrap();
        match Jail::start(way, root.path(), user) {
            Ok(jail) => Some((root, jail)),
            Err(error) => {
                crate::skip::because(format!("{}: {error}", way.name()));
                None
            }
        }
    });
    found.collect()
}

/// Those that confine.
fn closed() -> Vec<(BoardRoot, Jail)> {
    jails().into_iter().filter(|(_, jail)| jail.confinement != Confinement::Prefix).collect()
}

#[test]
fn shells_are_confined_in_every_way_that_works() {
    for (_root, jail) in jails() {
        let script = "read -r up _ <${WATTLINE_ROOT:-}/proc/uptime; echo $up; \
                      read -r up _ </proc/uptime; echo $up; ls ${WATTLINE_ROOT:-}/system/bin/sh; \
                      (sleep 0.01; true) & wait $!; echo $?";
        let text = jail.output_of(script).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(&lines[..2], ["100.00", "100.00"], "{:?}: {text}", jail.confinement);
        assert!(text.contains("/system/bin/sh"), "{:?}: {text}", jail.confinement);
    }
}

#[test]
fn the_end_of_a_shell_is_told_with_its_code() {
    for (_root, jail) in jails() {
        for (script, code) in [("exit 3", 3), ("kill -9 $$", 137), ("true", 0)] {
            let ends = || {
                let (read, write) = io::pipe().unwrap();
                [read.into(), write.try_clone().unwrap().into(), write.into()]
            };
            assert_eq!(jail.spawn(script, ends()).unwrap().wait(), code, "{script}");
        }
    }
}

/// A superuser's shell is nobody on the host, and has no capability inside either.
#[test]
fn shells_have_no_privileges() {
    for (root, jail) in closed() {
        let started = fs::metadata(root.path()).unwrap().uid();
        let (read, write) = io::pipe().unwrap();
        let (input, stdin) = io::pipe().unwrap();
        let ends = [input.into(), write.try_clone().unwrap().into(), write.into()];
        let shell = jail.spawn("read -r word", ends).unwrap();
        let status = fs::read_to_string(format!("/proc/{}/status", shell.pid)).unwrap();
        let value = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.trim().to_owned()
        };
        for set in ["CapInh:", "CapPrm:", "CapEff:", "CapAmb:"] {
            assert_eq!(value(set), "0000000000000000", "{set} {:?}", jail.confinement);
        }
        assert_eq!(value("NoNewPrivs:"), "1");
        let uid: u32 = value("Uid:").split_whitespace().next().unwrap().parse().unwrap();
        assert_eq!(uid, started, "the owner of the root");
        assert!(uid != 0, "not the superuser");
        drop((stdin, read));
        shell.wait();
    }
}

/// What was tried to leave the jail, each with what it prints where it does.
#[test]
fn nothing_leaves_the_jail() {
    for (root, jail) in closed() {
        let host = tempfile::tempdir().unwrap();
        let secret = host.path().join("secret");
        fs::write(&secret, "escaped").unwrap();
        let secret = secret.display();
        let outside = root.path().display();
        let escapes = [
            ("the host's files", format!("cat {secret}")),
            ("dots", format!("cat /../../../../../../..{secret}")),
            ("the first process's root", format!("cat /proc/1/root{secret}")),
            ("a second chroot", format!("cd /; mkdir -p /tmp/x; toybox chroot /tmp/x true && echo escaped; cat ../..{secret}")),
            ("a mount", "toybox mount -t tmpfs none /mnt && echo escaped; mount -t proc none /proc && echo escaped".to_owned()),
            ("a device node", "mknod /tmp/disk b 254 0 && echo escaped; mknod /tmp/kmsg c 1 11 && echo escaped".to_owned()),
            ("a name space", "toybox unshare -U true && echo escaped; toybox unshare -r true && echo escaped".to_owned()),
            ("the root on the host", format!("cat {outside}/proc/uptime && echo escaped")),
            ("a signal", format!("kill -0 {} && echo escaped", std::process::id())),
        ];
        for (what, script) in escapes {
            let text = jail.output_of(&format!("{script} 2>/dev/null")).unwrap();
            assert!(!text.contains("escaped"), "{what}, {:?}: {text}", jail.confinement);
        }
        // Nothing is open beside its input and outputs: a copy of another one would work.
        let open = jail
            .output_of("for n in 3 4 5 6 7 8 9; do eval \"(: <&$n)\" 2>/dev/null && echo $n; done");
        assert_eq!(open.unwrap(), "", "{:?}", jail.confinement);
    }
}

/// Writing to a program of the board is writing to a copy.
#[test]
fn no_file_of_the_host_is_linked() {
    let Some(program) = program() else { return };
    let root = BoardRoot::build(&program, Default::default(), 14, BoardUser::find()).unwrap();
    let host: Vec<u64> = [program, "/bin/mksh".into(), "/bin/toybox".into()]
        .iter()
        .filter_map(|file| fs::metadata(file).ok().map(|data| data.ino()))
        .collect();
    let mut folders = vec![root.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let data = entry.metadata().unwrap();
            if data.is_dir() {
                folders.push(entry.path());
            } else if data.is_file() {
                assert!(!host.contains(&data.ino()), "{}", entry.path().display());
            }
        }
    }
    assert_eq!(fs::metadata(root.path()).unwrap().mode() & 0o777, 0o700);
}
