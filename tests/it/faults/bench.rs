//! The undisturbed campaign, which all tests share, and campaigns to be held against it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use wattline::campaign::RunPhase;
use wattline::run::{RunRecord, RunVerdict, read_journal, read_logs};
use wattline::virtual_board::{AdbdGeneration, BoardOptions, RunningBoard, start};

use crate::bench::{assert_same_data_set, copy_plan};
use crate::host::{CAMPAIGN_TOOLS, board_options, free_port, has, kill_server};

const SCENARIO: &str = "tests/scenarios/faults.toml";

/// Longer than any campaign of this scenario takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(400);

/// What `prepare.sh` changes on a board.
const SETTINGS: [&str; 6] = [
    "/sys/bus/i2c/drivers/INA231/4-0040/enable",
    "/sys/bus/i2c/drivers/INA231/4-0041/enable",
    "/sys/bus/i2c/drivers/INA231/4-0044/enable",
    "/sys/bus/i2c/drivers/INA231/4-0045/enable",
    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_setspeed",
];

/// An undisturbed campaign, which is made once for all tests, and an adb server and a folder
/// of the test's own.
pub struct Bench {
    pub folder: TempDir,
    server: u16,
    mode: AdbdGeneration,
    whole: &'static Undisturbed,
}

/// A campaign to which nothing happened.
struct Undisturbed {
    folder: PathBuf,
    records: Vec<RunRecord>,
    requests: u64,
}

static MODERN: OnceLock<Undisturbed> = OnceLock::new();
static LEGACY: OnceLock<Undisturbed> = OnceLock::new();

impl Undisturbed {
    /// It stays in the folder for temporary files of the build until the next is made.
    fn new(mode: AdbdGeneration) -> Undisturbed {
        let (board, server) = (board(mode), free_port());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("undisturbed-{mode:?}"));
        fs::remove_dir_all(&folder).ok();
        let (ended, said) = run(&command(server, &board.serial(), &folder));
        kill_server(server);
        assert!(ended, "{said}");
        dataset(&folder);
        let records = read_journal(&folder).unwrap();
        assert!(records.iter().all(RunRecord::is_good), "{said}");
        Undisturbed { folder, records, requests: board.requests() }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        kill_server(self.server);
    }
}

/// The program; `WATTLINE_PROGRAM` names another build of it.
fn program() -> String {
    std::env::var("WATTLINE_PROGRAM").unwrap_or(env!("CARGO_BIN_EXE_wattline").into())
}

impl Bench {
    /// None, and it says so, where a tool is missing.
    pub fn new(mode: AdbdGeneration) -> Option<Bench> {
        let once = match mode {
            AdbdGeneration::Modern => &MODERN,
            AdbdGeneration::Legacy => &LEGACY,
        };
        has(&CAMPAIGN_TOOLS).then(|| Bench {
            folder: TempDir::new().unwrap(),
            server: free_port(),
            mode,
            whole: once.get_or_init(|| Undisturbed::new(mode)),
        })
    }

    pub fn undisturbed(&self) -> &Path {
        &self.whole.folder
    }

    pub fn server(&self) -> u16 {
        self.server
    }

    /// A board as it was before its first campaign.
    pub fn board(&self) -> RunningBoard {
        board(self.mode)
    }

    /// The undisturbed runs.
    pub fn records(&self) -> &[RunRecord] {
        &self.whole.records
    }

    /// Runs of the plan.
    pub fn runs(&self) -> u64 {
        self.whole.records.len() as u64
    }

    /// Streams that the undisturbed campaign opened.
    pub fn requests(&self) -> u64 {
        self.whole.requests
    }

    /// Numbers of the undisturbed sessions with an application, from 1.
    pub fn app_sessions(&self) -> Vec<u64> {
        let numbered = self.whole.records.iter().zip(1..);
        let apps = numbered.filter(|(record, _)| record.run.phase != RunPhase::Idle);
        apps.map(|(_, number)| number).collect()
    }

    /// A new folder with the plan and nothing else of the campaign.
    pub fn planned(&self) -> TempDir {
        let folder = TempDir::new_in(self.folder.path()).unwrap();
        copy_plan(self.undisturbed(), folder.path());
        folder
    }

    /// The command of a campaign, resumed where there is something to resume.
    pub fn command(&self, serial: &str, out: &Path) -> Vec<String> {
        command(self.server, serial, out)
    }

    /// What must hold after every campaign.
    pub fn check(&self, trial: &Trial, outcome: &Outcome) {
        self.check_folder(trial.out(), outcome);
        let board = &trial.board;
        for (path, before) in SETTINGS.iter().zip(&trial.settings) {
            assert_eq!(board.read_file(path).as_ref(), Some(before), "{path} is as it was");
        }
        let again = outcome.bad + outcome.again + outcome.interruptions;
        assert!(
            outcome.sessions <= self.whole.records.len() + again,
            "measured twice: {:?}\n{}",
            board.sessions(),
            outcome.said
        );
    }

    /// The folder holds the data set of the undisturbed campaign, each run of the plan is
    /// good once, and bad runs are kept with a reason.
    pub fn check_folder(&self, out: &Path, outcome: &Outcome) {
        dataset(out);
        assert_same_data_set(self.undisturbed(), out, &outcome.said);
        let records = read_journal(out).unwrap();
        let mut good = BTreeMap::new();
        for record in &records {
            if let RunVerdict::Bad { reasons } = &record.verdict {
                assert!(!reasons.is_empty());
            } else {
                *good.entry(record.run.id()).or_insert(0) += 1;
            }
            read_logs(out, record).unwrap();
        }
        let expected: BTreeMap<String, i32> =
            self.whole.records.iter().map(|record| (record.run.id(), 1)).collect();
        assert_eq!(good, expected);
        if outcome.bad > 0 {
            assert!(outcome.said.contains("bad ones"), "{}", outcome.said);
        }
    }
}

/// A board as it was before its first campaign.
fn board(mode: AdbdGeneration) -> RunningBoard {
    start(&BoardOptions {
        mode,
        patience: Duration::from_secs(20),
        executable: Some(program().into()),
        ..board_options()
    })
    .unwrap()
}

/// The command of a campaign by an adb server.
fn command(server: u16, serial: &str, out: &Path) -> Vec<String> {
    let words = ["run", SCENARIO, "--board", serial, "--resume", "--out"];
    let port = format!("ANDROID_ADB_SERVER_PORT={server}");
    let mut command = vec!["env".to_string(), port, program()];
    command.extend(words.map(String::from));
    command.push(out.to_str().unwrap().to_string());
    command
}

/// Makes the data set of a folder.
fn dataset(out: &Path) {
    let program = program();
    let words = [program.as_str(), "dataset", "--force", out.to_str().unwrap()];
    let (ended, said) = run(&words.map(String::from));
    assert!(ended, "{said}");
}

/// A campaign to which something happens.
pub struct Trial {
    pub board: RunningBoard,
    pub server: u16,
    folder: TempDir,
    command: Vec<String>,
    settings: Vec<String>,
    /// Process number of the program that runs it.
    host: Mutex<Option<u32>>,
}

/// What happened to it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// How often the program ended before the campaign did.
    pub interruptions: usize,
    /// Runs that are kept as bad.
    pub bad: usize,
    /// Sessions that were begun again after a loss.
    pub again: usize,
    /// Sessions that were started on the board.
    pub sessions: usize,
    /// What the program said, of all its calls.
    pub said: String,
}

impl Trial {
    pub fn new(bench: &Bench) -> Trial {
        let (board, folder) = (bench.board(), bench.planned());
        let command = bench.command(&board.serial(), folder.path());
        let settings = SETTINGS.iter().map(|path| board.read_file(path).unwrap()).collect();
        Trial { board, server: bench.server(), folder, command, settings, host: Mutex::new(None) }
    }

    pub fn out(&self) -> &Path {
        self.folder.path()
    }

    /// Kills the program, wherever it is, and waits until it is gone.
    pub fn kill_host(&self) {
        use rustix::process::{Pid, Signal, kill_process};
        let pid = *self.host.lock().unwrap();
        if let Some(pid) = pid.and_then(|pid| Pid::from_raw(pid as i32)) {
            kill_process(pid, Signal::KILL).ok();
        }
    }

    /// Runs the campaign, and goes on with it until it is done.
    pub fn run(&self) -> Outcome {
        let mut outcome = Outcome::default();
        for _ in 0..12 {
            let (child, log) = spawn(&self.command);
            *self.host.lock().unwrap() = Some(child.id());
            let ended = wait(child);
            *self.host.lock().unwrap() = None;
            outcome.said += &fs::read_to_string(log.path()).unwrap();
            if ended {
                return self.counted(outcome);
            }
            outcome.interruptions += 1;
            // What made it stop is over: a person has seen to it.
            self.board.lift_faults();
        }
        panic!("it does not end: {}\n{:?}", outcome.said, self.board.problems());
    }

    fn counted(&self, outcome: Outcome) -> Outcome {
        let sessions = self.board.sessions().len();
        Outcome { sessions, ..counted(self.out(), outcome) }
    }
}

/// The outcome with what the journal of a folder says.
pub fn counted(out: &Path, outcome: Outcome) -> Outcome {
    let records = read_journal(out).unwrap();
    let bad = records.iter().filter(|record| !record.is_good()).count();
    let warnings = records.iter().flat_map(|record| &record.conditions.warnings);
    let again = warnings.filter(|text| text.starts_with("begun again")).count();
    Outcome { bad, again, ..outcome }
}

/// Runs a command to its end: whether it was a good one, and what was said.
pub fn run(command: &[String]) -> (bool, String) {
    let (child, log) = spawn(command);
    let ended = wait(child);
    (ended, fs::read_to_string(log.path()).unwrap())
}

/// Starts a command, whose outputs go to a file: a pipe would be kept open by the adb server.
fn spawn(command: &[String]) -> (Child, tempfile::NamedTempFile) {
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut program = Command::new(&command[0]);
    program.args(&command[1..]).current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null());
    program.stdout(log.reopen().unwrap()).stderr(log.reopen().unwrap());
    let append = fs::OpenOptions::new().append(true).open(log.path()).unwrap();
    program.stdout(append.try_clone().unwrap()).stderr(append);
    (program.spawn().unwrap(), log)
}

fn wait(mut child: Child) -> bool {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.success();
        }
        if began.elapsed() > PATIENCE {
            child.kill().ok();
            child.wait().ok();
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
