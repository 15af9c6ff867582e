//! Tests of the lock of a board, on a board whose shell is this machine's.

use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

use super::holder::LockHolder;
use super::*;
use crate::device::ShellOutput;

/// A board whose folder of scripts is a temporary one.
struct Folder {
    root: tempfile::TempDir,
    /// Commands that it was given.
    commands: Mutex<Vec<String>>,
}

impl Folder {
    fn new() -> Folder {
        Folder { root: tempfile::tempdir().unwrap(), commands: Mutex::default() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("wattline").join(name)
    }

    fn owner(&self) -> Option<LockHolder> {
        LockHolder::parse(fs::read_to_string(self.path("lock/owner")).ok()?.trim())
    }

    /// As if another process had taken the lock.
    fn held_by(&self, line: &str) {
        fs::create_dir_all(self.path("lock")).unwrap();
        fs::write(self.path("lock/owner"), format!("{line}\n")).unwrap();
    }
}

impl Board for Folder {
    fn serial(&self) -> &str {
        "folder"
    }

    fn shell(&self, command: &str, _: Duration) -> Result<ShellOutput, DeviceError> {
        let here = self.root.path().to_str().unwrap();
        self.commands.lock().unwrap().push(command.to_owned());
        let command = command.replace("/data/local/tmp", here);
        let output = Command::new("sh").args(["-c", &command]).output().unwrap();
        Ok(ShellOutput {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            exit_code: output.status.code().unwrap(),
        })
    }

    fn push(&self, _: &[u8], _: &str, _: u32) -> Result<(), DeviceError> {
        unreachable!()
    }

    fn pull(&self, _: &str) -> Result<Vec<u8>, DeviceError> {
        unreachable!()
    }

    fn install(&self, _: &Path, _: &str) -> Result<(), DeviceError> {
        unreachable!()
    }
}

fn own() -> LockHolder {
    LockHolder::of_this_process(Path::new("/results/it's one\\n\n"), "2026-01-02T03:04:05Z".into())
}

/// The lock on the board alone.
fn take(board: &Folder) -> Result<BoardLock, DeviceError> {
    let lock = BoardLock { own: own(), _on_host: None };
    lock.renew(board).map(|()| lock)
}

/// The line of a process on another machine.
fn elsewhere() -> LockHolder {
    LockHolder { machine: "other".into(), host: "lab".into(), pid: 77, ..own() }
}

fn refusal(end: Result<BoardLock, DeviceError>) -> String {
    match end {
        Err(error @ DeviceError::Held { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

fn uptime() -> u64 {
    let text = fs::read_to_string("/proc/uptime").unwrap();
    text.split('.').next().unwrap().parse().unwrap()
}

#[test]
fn a_lock_is_taken_once_and_given_back() {
    let board = Folder::new();
    let lock = take(&board).unwrap();
    assert_eq!(board.owner(), Some(own()));
    assert!(board.path("heartbeat").exists(), "others see that it is alive");
    lock.renew(&board).unwrap();
    let check = format!("{}echo runs=yes", lock.check());
    assert_eq!(board.shell(&check, LIMIT).unwrap().stdout, "runs=yes\n");
    lock.release(&board).unwrap();
    assert!(!board.path("lock").exists());
    let answer = board.shell(&check, LIMIT).unwrap();
    assert_eq!((answer.stdout.as_str(), answer.exit_code), ("lock_lost=yes\n", 3));
    lock.renew(&board).unwrap();
    assert_eq!(board.owner(), Some(own()), "a lock that was removed is made again");
}

#[test]
fn the_lock_of_a_living_process_is_refused_with_who_it_is() {
    let board = Folder::new();
    let mut child = sleeping();
    let holder = holder_of(&child);
    board.held_by(&holder.to_line());
    let text = refusal(take(&board));
    for part in [
        "folder is in use",
        &child.id().to_string(),
        &holder.host,
        "/results/other",
        "2026-01-02T03:04:05Z",
        "shell rm -r /data/local/tmp/wattline/lock",
    ] {
        assert!(text.contains(part), "{text} lacks {part}");
    }
    child.kill().unwrap();
    while !fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap().contains(") Z ") {
        std::thread::sleep(LOOK);
    }
    let lock = take(&board).unwrap();
    assert_eq!(board.owner(), Some(own()), "taken over at once, also before it was waited for");
    child.wait().unwrap();
    lock.release(&board).unwrap();
    assert!(!board.path("lock").exists(), "nothing is left of either");
}

fn sleeping() -> Child {
    Command::new("sleep").arg("60").spawn().unwrap()
}

fn holder_of(child: &Child) -> LockHolder {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let started = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap();
    let started = started.parse().unwrap();
    LockHolder { pid: child.id(), started, folder: "/results/other".into(), ..own() }
}

#[test]
fn a_number_that_is_another_process_now_holds_nothing() {
    let board = Folder::new();
    let mut child = sleeping();
    let holder = holder_of(&child);
    board.held_by(&LockHolder { started: holder.started + 1, ..holder }.to_line());
    take(&board).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_lock_of_another_machine_holds_until_its_board_is_silent() {
    let board = Folder::new();
    let up = uptime();
    let (fresh, old) = (up.saturating_sub(5).to_string(), up.saturating_sub(901));
    board.held_by(&elsewhere().to_line());
    refusal(take(&board));
    fs::write(board.path("heartbeat"), fresh).unwrap();
    refusal(take(&board));
    // Of a board that was restarted, since.
    fs::write(board.path("heartbeat"), (up + 1000).to_string()).unwrap();
    let session = ["-c", "read -r line; :", "session.sh"];
    let mut child = Command::new("sh").args(session).stdin(Stdio::piped()).spawn().unwrap();
    fs::create_dir_all(board.path("session")).unwrap();
    fs::write(board.path("session/pid"), child.id().to_string()).unwrap();
    refusal(take(&board));
    child.kill().unwrap();
    child.wait().unwrap();
    take(&board).unwrap().release(&board).unwrap();
    if up > 901 {
        board.held_by(&elsewhere().to_line());
        fs::write(board.path("heartbeat"), old.to_string()).unwrap();
        take(&board).unwrap();
    }
}

#[test]
fn a_lock_that_does_not_say_whose_it_is_is_taken_over() {
    for line in ["", "id=0 pid=1 started=2", "\u{1b}[2J"] {
        let board = Folder::new();
        board.held_by(line);
        take(&board).unwrap();
        assert_eq!(board.owner(), Some(own()), "{line:?}");
    }
    let board = Folder::new();
    fs::create_dir_all(board.path("lock")).unwrap();
    take(&board).unwrap();
    assert_eq!(board.owner(), Some(own()), "made by one that was stopped before it wrote");
}

#[test]
fn a_process_whose_lock_was_taken_over_notices() {
    let board = Folder::new();
    let lock = take(&board).unwrap();
    board.held_by(&LockHolder { since: "later".into(), ..elsewhere() }.to_line());
    let answer = board.shell(&lock.check(), LIMIT).unwrap();
    assert_eq!(answer.stdout, "lock_lost=yes\n");
    assert!(matches!(lock.renew(&board), Err(DeviceError::Held { .. })));
    lock.release(&board).unwrap();
    assert!(board.path("lock/owner").exists(), "what is another's stays");
}

#[test]
fn a_board_that_can_not_be_written_says_so() {
    let board = Folder::new();
    fs::write(board.root.path().join("wattline"), "no folder").unwrap();
    let error = take(&board).unwrap_err().to_string();
    assert!(error.contains("cannot be written") && error.contains("full"), "{error}");
}

#[test]
fn commands_fit_an_old_shell() {
    let board = Folder::new();
    let long = LockHolder::of_this_process(&PathBuf::from("/x".repeat(4000)), "now".into());
    let lock = BoardLock { own: long.clone(), _on_host: None };
    board.held_by("id=1");
    lock.renew(&board).unwrap();
    lock.release(&board).unwrap();
    let commands = board.commands.lock().unwrap();
    let longest = commands.iter().map(String::len).max().unwrap();
    assert!(longest < super::super::shell::LEGACY_LENGTH_MAX - 200, "{longest}");
    assert_eq!(LockHolder::parse(&long.to_line()), Some(long));
}

#[test]
fn one_process_on_a_machine_has_a_serial() {
    let folder = tempfile::tempdir().unwrap();
    let take = |serial: &str| HostLock::take_in(folder.path(), serial, &own());
    let lock = take("127.0.0.1:5555").unwrap().unwrap();
    let mode = fs::metadata(&lock.path).unwrap().mode() & 0o777;
    assert_eq!(mode, 0o600);
    match take("127.0.0.1:5555") {
        Err(DeviceError::Held { holder, on_board: false, .. }) => assert_eq!(*holder, own()),
        other => panic!("{other:?}"),
    }
    let other = take("127.0.0.1-5555").unwrap();
    assert!(other.is_some(), "another board, whatever its file may be called");
    drop(lock);
    take("127.0.0.1:5555").unwrap().unwrap();
    drop(other);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left");
}
