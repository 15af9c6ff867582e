//! One campaign at a time on a board: a second one is refused and told who has it, and the first
//! goes on undisturbed; what a killed one leaves is taken over.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command};

use rustix::process::{Pid, Signal, kill_process};
use wattline::virtual_board::{AdbdGeneration, BoardOptions, RunningBoard, start};

use super::bench::{Bench, assert_same_data_set, copy_plan, copy_plan_of_one_case};
use super::faults::bench::Bench as FaultBench;
use super::host::{answer, board_options};

const SCENARIO: &str = "tests/scenarios/faults.toml";
const OWNER: &str = "/data/local/tmp/wattline/lock/owner";

fn board(name: &str) -> RunningBoard {
    start(&BoardOptions { name: name.into(), ..board_options() }).unwrap()
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// A command whose runtime folder is another: as if it were another user's, who sees none of the
/// files that this user's processes lock.
fn as_another(bench: &Bench, words: &[&str]) -> Command {
    let runtime = bench.out("runtime");
    fs::create_dir_all(&runtime).unwrap();
    fs::set_permissions(&runtime, fs::Permissions::from_mode(0o700)).unwrap();
    let mut command = bench.command(words);
    command.env("XDG_RUNTIME_DIR", runtime);
    command
}

fn run<'w>(serial: &'w str, out: &'w Path) -> Vec<&'w str> {
    vec!["run", SCENARIO, "--resume", "--board", serial, "--out", out.to_str().unwrap()]
}

/// The data set of a campaign, made by a command.
fn dataset(bench: &Bench, out: &Path) {
    bench.good(&["dataset", "--force", out.to_str().unwrap()]);
}

#[test]
fn a_second_campaign_on_a_board_is_refused_and_the_first_is_as_if_it_were_alone() {
    let Some(bench) = Bench::new() else { return };
    let [first, second] = ["first", "second"].map(|name| bench.out(name));
    let Some(faults) = FaultBench::new(AdbdGeneration::Modern) else { return };
    let alone = faults.undisturbed();
    copy_plan(alone, &first);
    copy_plan(alone, &second);

    let shared = faults.board();
    let serial = shared.serial();
    let mut started = bench.start(&run(&serial, &first));
    Bench::until_session(&mut started, &shared, 2);
    // It stands still while others try.
    signal(&started.0, Signal::STOP);
    let owner = shared.read_file(OWNER).unwrap();
    let pid = format!("process {}", started.0.id());
    assert!(owner.contains(&format!(" pid={} ", started.0.id())), "{owner}");
    let words = run(&serial, &second);
    let of_this_user = bench.wattline(&words);
    let of_another = answer(as_another(&bench, &words).output().unwrap());
    let check = answer(as_another(&bench, &["board", "check", &serial]).output().unwrap());
    for (code, said) in [&of_this_user, &of_another, &check] {
        assert_eq!(*code, Some(4), "{said}");
        for part in ["is in use", pid.as_str(), first.to_str().unwrap(), " since 2"] {
            assert!(said.contains(part), "no {part:?} in {said}");
        }
    }
    assert!(of_another.1.contains("shell rm -r /data/local/tmp/wattline/lock"), "{of_another:?}");
    assert!(!of_this_user.1.contains("rm -r"), "nobody holds it longer than the process lives");
    assert!(!second.join("journal.jsonl").exists(), "nothing was measured");
    assert_eq!(shared.read_file(OWNER), Some(owner), "the lock is as it was");
    signal(&started.0, Signal::CONT);
    let said = fs::read_to_string(&started.1).unwrap();
    assert!(started.0.wait().unwrap().success(), "{said}");
    dataset(&bench, &first);
    assert_same_data_set(alone, &first, &said);
    assert_eq!(shared.read_file(OWNER), None, "it is given back");
    let check = answer(as_another(&bench, &["board", "check", &serial]).output().unwrap());
    assert_eq!(check.0, Some(0), "{}", check.1);
}

#[test]
fn what_a_killed_campaign_left_is_taken_over_at_once() {
    let Some(bench) = Bench::new() else { return };
    let Some(faults) = FaultBench::new(AdbdGeneration::Modern) else { return };
    let (board, out) = (board("one"), bench.out("out"));
    copy_plan_of_one_case(faults.undisturbed(), &out);
    let serial = board.serial();
    let mut started = bench.start(&run(&serial, &out));
    Bench::until_session(&mut started, &board, 2);
    let pid = started.0.id();
    started.0.kill().unwrap();
    started.0.wait().unwrap();
    let owner = board.read_file(OWNER).unwrap();
    assert!(
        owner.contains(&format!(" pid={pid} ")),
        "a killed process gives nothing back: {owner}"
    );
    bench.good(&run(&serial, &out));
    assert_eq!(board.read_file(OWNER), None);
}

#[test]
#[ignore = "by day one board is locked; scripts/nightly.sh runs it"]
fn a_campaign_on_several_boards_locks_each_and_leaves_none_locked() {
    let Some(bench) = Bench::new() else { return };
    let Some(faults) = FaultBench::new(AdbdGeneration::Modern) else { return };
    let (left, right) = (board("left"), board("right"));
    let (one, both) = (bench.out("one"), bench.out("both"));
    copy_plan_of_one_case(faults.undisturbed(), &one);
    copy_plan_of_one_case(faults.undisturbed(), &both);
    let serial = right.serial();
    let mut started = bench.start(&run(&serial, &one));
    Bench::until_session(&mut started, &right, 1);
    signal(&started.0, Signal::STOP);
    let two = format!("{},{serial}", left.serial());
    let (code, said) = answer(as_another(&bench, &run(&two, &both)).output().unwrap());
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains(&format!("board {serial} is in use")), "{said}");
    assert_eq!(left.read_file(OWNER), None, "the one that it had is free again");
    signal(&started.0, Signal::CONT);
    assert!(started.0.wait().unwrap().success());
    bench.good(&run(&two, &both));
    assert_eq!([&left, &right].map(|board| board.read_file(OWNER)), [None, None]);
}
