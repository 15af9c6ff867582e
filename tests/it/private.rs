//! What other users of the machine get of this one's files, and what they can put in the way:
//! caches that are another's are not used, temporary files can't be read, and what killed
//! processes left is removed.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use wattline::toolchain::Jdk;
use wattline::toolchain::monitor_agent::monitor_agent;

use super::host::{AdbServer, OrdinaryUser, answer, copy_folder, has};

/// The number of `nobody`: another user.
const OTHER: u32 = 65_534;

/// Whether the tests can act as two users; says that they can't.
fn can_be_two_users() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        crate::skip::outside("only root can act as two users");
    }
    is_root
}

fn mode_of(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn scan(out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
    command.args(["scan", "scenarios/pinball", "--out"]).arg(out);
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// What everybody can enter and write to, as `/tmp`.
fn shared_folder(path: &Path) -> PathBuf {
    fs::create_dir(path).unwrap();
    set_mode(path, 0o1777);
    path.to_path_buf()
}

#[test]
fn a_cache_that_others_can_write_to_is_refused_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    fs::create_dir_all(cache.join("wattline")).unwrap();
    set_mode(&cache.join("wattline"), 0o777);
    let fetch = |cache: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
        command.args(["package", "--fetch"]).env("XDG_CACHE_HOME", cache);
        answer(command.output().unwrap())
    };
    let (code, said) = fetch(&cache);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("can be written by others (mode 0777)"), "{said}");
    assert!(said.contains("chmod go-w"), "{said}");
    // A scan does without.
    let (code, said) =
        answer(scan(&folder.path().join("out")).env("XDG_CACHE_HOME", &cache).output().unwrap());
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("nothing is kept for later scans"), "{said}");
    assert_eq!(fs::read_dir(cache.join("wattline")).unwrap().count(), 0);
    if can_be_two_users() {
        set_mode(&cache.join("wattline"), 0o755);
        chown(cache.join("wattline"), Some(OTHER), Some(OTHER)).unwrap();
        let (code, said) = fetch(&cache);
        assert_eq!(code, Some(3), "{said}");
        assert!(
            said.contains("belongs to user 65534") && said.contains("XDG_CACHE_HOME"),
            "{said}"
        );
    }
}

#[test]
fn without_a_home_no_cache_is_shared_and_none_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let temporary = shared_folder(&folder.path().join("tmp"));
    // What another user prepared, where caches once were.
    fs::create_dir(temporary.join("wattline")).unwrap();
    set_mode(&temporary.join("wattline"), 0o777);
    let missing = folder.path().join("nonexistent");
    let mut command = scan(&folder.path().join("out"));
    command.env_remove("XDG_CACHE_HOME").env("HOME", &missing).env("TMPDIR", &temporary);
    let (code, said) = answer(command.output().unwrap());
    assert_eq!(code, Some(0), "{said}");
    assert!(!missing.exists(), "a home that is not there is not made");
    assert_eq!(fs::read_dir(temporary.join("wattline")).unwrap().count(), 0, "not used");
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 1, "nothing else remains");
    if can_be_two_users() {
        // Without HOME, the list of users has one that is not there.
        let user = OrdinaryUser::new();
        let words = ["scan", "scenarios/pinball", "--out", "out"];
        let mut command = user.command(&AdbServer::new(), &words);
        command.env_remove("HOME").env("TMPDIR", &temporary);
        let (code, said) = answer(command.output().unwrap());
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(fs::read_dir(temporary.join("wattline")).unwrap().count(), 0, "not used");
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 1, "nothing else remains");
    }
}

#[test]
fn a_built_agent_that_was_changed_is_not_run() {
    if !has(&["javac"]) {
        return;
    }
    let agent = match Jdk::find().and_then(|jdk| monitor_agent(&jdk)) {
        Ok(agent) => agent,
        Err(error) => return crate::skip::because(format!("no agent: {error}")),
    };
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let (code, said) =
        answer(scan(&folder.path().join("out")).env("XDG_CACHE_HOME", &cache).output().unwrap());
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(mode_of(&cache.join("wattline")), 0o700);
    // The agent as the cache of this machine has it, and what it is built with.
    let built = cache.join("wattline").join(agent.agent.parent().unwrap().file_name().unwrap());
    copy_folder(agent.agent.parent().unwrap(), &built);
    let artifacts = cache.join("wattline/artifacts");
    fs::create_dir(&artifacts).unwrap();
    set_mode(&artifacts, 0o700);
    for jar in agent.service.iter().filter(|jar| jar.parent() != agent.agent.parent()) {
        fs::copy(jar, artifacts.join(jar.file_name().unwrap())).unwrap();
    }
    let write = |name: &str| {
        let jar = folder.path().join(name);
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
        command.args(["monitor", "--agent-jar"]).arg(&jar).env("XDG_CACHE_HOME", &cache);
        let (code, said) = answer(command.output().unwrap());
        assert_eq!(code, Some(0), "{said}");
        fs::read(jar).unwrap()
    };
    let inode = || fs::metadata(built.join("service.jar")).unwrap().ino();
    let copied = inode();
    let first = write("first.jar");
    assert_eq!(inode(), copied, "what was built is not built again");
    fs::copy(built.join("attach.jar"), built.join("service.jar")).unwrap();
    assert!(write("second.jar") == first, "it was built again");
    assert_ne!(inode(), copied);
}

/// Everything below a folder.
fn all_below(folder: &Path) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(folder).min_depth(1).into_iter().flatten();
    entries.map(|entry| entry.into_path()).collect()
}

/// A program that compiles a source and waits for its application, which reads its input.
fn tracing(folder: &Path, temporary: &Path) -> Child {
    let source = folder.join("Secret.java");
    let text = "class Secret { public static void main(String[] a) throws Exception { \
                System.out.println(\"waits\"); System.in.read(); } }";
    fs::write(&source, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
    command.arg("trace").arg(&source).args(["--main", "Secret", "--out"]);
    command.arg(folder.join("out")).env("TMPDIR", temporary).current_dir(folder);
    // What it starts ends with the pipe.
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().unwrap()
}

#[test]
fn temporary_files_are_the_users_alone_and_go_at_the_next_start() {
    if !has(&["javac"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let temporary = shared_folder(&folder.path().join("tmp"));
    let others = folder.path().join("others");
    fs::create_dir(&others).unwrap();
    fs::write(others.join("kept"), "kept").unwrap();
    symlink(&others, temporary.join("wattline-tmp-1-aaaaaa")).unwrap();
    let mut child = tracing(folder.path(), &temporary);
    let mine = |path: &PathBuf| fs::read_link(path).is_err();
    let has_class = || {
        all_below(&temporary)
            .iter()
            .any(|path| path.ends_with("Secret.class") || path.ends_with("Secret.java"))
    };
    while !has_class() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended");
        std::thread::sleep(Duration::from_millis(10));
    }
    let found: Vec<PathBuf> =
        fs::read_dir(&temporary).unwrap().flatten().map(|e| e.path()).collect();
    let made: Vec<&PathBuf> = found.iter().filter(|path| mine(path)).collect();
    let [made] = made[..] else { panic!("{found:?}") };
    assert_eq!(mode_of(made), 0o700);
    if can_be_two_users() {
        set_mode(folder.path(), 0o755);
        let mut look = Command::new("find");
        look.arg(&temporary).uid(OTHER).gid(OTHER).current_dir("/");
        let (_, said) = answer(look.output().unwrap());
        assert!(said.contains("wattline-tmp-1-aaaaaa"), "it looks there: {said}");
        assert!(!said.contains("Secret") && said.contains("Permission denied"), "{said}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(made.exists(), "nobody tidied up after a killed process");
    let next = scan(&folder.path().join("scanned")).env("TMPDIR", &temporary).output().unwrap();
    assert_eq!(answer(next).0, Some(0));
    assert!(!made.exists(), "the next one does: {:?}", all_below(made));
    assert!(others.join("kept").exists(), "links are not followed");
}

#[test]
fn results_are_not_more_readable_than_new_files_are() {
    let folder = tempfile::tempdir().unwrap();
    for (mask, mode) in [("077", 0o600), ("022", 0o644), ("002", 0o644)] {
        let out = folder.path().join(mask);
        let script = format!("umask {mask}; exec \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_wattline"), "scan"]);
        command.args(["scenarios/pinball", "--no-cache", "--out"]).arg(&out);
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        let (code, said) = answer(command.output().unwrap());
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(mode_of(&out.join("operations.csv")), mode, "umask {mask}");
    }
}
