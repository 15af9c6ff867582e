//! What tests of whole campaigns share: an adb server and a folder of their own, the program
//! run against them, and folders of campaigns held against each other.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use wattline::campaign::RunPhase;
use wattline::run::{MeasuredSession, RunRecord, read_journal};
use wattline::virtual_board::{Fault, FaultAction, FaultTime, RunningBoard};

use super::host::{AdbServer, CAMPAIGN_TOOLS, answer, copy_folder, has};

/// What a data set consists of.
const TABLES: [&str; 3] = ["dataset.csv", "energies.csv", "contexts.csv"];

/// A pipeline of `tests/scenarios/tiny.toml` on a virtual board, which is made once for all
/// tests that read its results; those that change them take a copy.
pub struct TinyPipeline {
    pub out: PathBuf,
    /// What was printed.
    pub summary: String,
    /// That, and what was told meanwhile.
    pub said: String,
}

impl TinyPipeline {
    /// It stays in the folder for temporary files of the build until the next is made.
    pub fn shared() -> &'static TinyPipeline {
        static MADE: OnceLock<TinyPipeline> = OnceLock::new();
        MADE.get_or_init(|| {
            let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pipeline-tiny");
            fs::remove_dir_all(&out).ok();
            // Outside of any repository: hints name paths from its root.
            let outside = TempDir::new().unwrap();
            for folder in ["scenarios", "tests/scenarios"] {
                let project = Path::new(env!("CARGO_MANIFEST_DIR"));
                copy_folder(&project.join(folder), &outside.path().join(folder));
            }
            let words = ["pipeline", "tests/scenarios/tiny.toml", "--out", out.to_str().unwrap()];
            let adb = AdbServer::new();
            let output = adb.command(&words).current_dir(outside.path()).output().unwrap();
            let summary = String::from_utf8_lossy(&output.stdout).into_owned();
            let (code, said) = answer(output);
            assert_eq!(code, Some(0), "{said}");
            TinyPipeline { out, summary, said }
        })
    }

    /// A copy of its results.
    pub fn copy_to(&self, folder: &Path) {
        copy_folder(&self.out, folder);
    }
}

/// An adb server of the test's own, and a folder; gone with it.
pub struct Bench {
    server: AdbServer,
    pub folder: TempDir,
}

impl Bench {
    /// For campaigns on boards; none, and it says so, where a tool is missing.
    pub fn new() -> Option<Bench> {
        Bench::with(&CAMPAIGN_TOOLS)
    }

    /// None, and it says so, where one of the tools is missing.
    pub fn with(tools: &[&str]) -> Option<Bench> {
        has(tools).then(|| Bench { server: AdbServer::new(), folder: TempDir::new().unwrap() })
    }

    /// A path in the folder.
    pub fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program, which finds boards by this server.
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.server.command(arguments)
    }

    /// Starts the program; what it says goes to a file.
    pub fn start(&self, arguments: &[&str]) -> (Child, PathBuf) {
        let log = tempfile::NamedTempFile::new_in(self.folder.path()).unwrap();
        let (file, log) = log.keep().unwrap();
        let mut command = self.command(arguments);
        command.stdin(Stdio::null()).stdout(file.try_clone().unwrap()).stderr(file);
        (command.spawn().unwrap(), log)
    }

    /// Waits until a started campaign is in this session of a board.
    pub fn until_session(started: &mut (Child, PathBuf), board: &RunningBoard, number: usize) {
        let (child, log) = started;
        let began = Instant::now();
        while board.sessions().len() < number {
            assert!(began.elapsed() < Duration::from_secs(300), "it does not come that far");
            assert_eq!(child.try_wait().unwrap(), None, "{}", fs::read_to_string(log).unwrap());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Runs the program to its end: the exit code, and what it said.
    pub fn wattline(&self, arguments: &[&str]) -> (Option<i32>, String) {
        answer(self.command(arguments).output().unwrap())
    }

    /// As [`Bench::wattline`], where nothing may go wrong.
    pub fn good(&self, arguments: &[&str]) -> String {
        let (code, said) = self.wattline(arguments);
        assert_eq!(code, Some(0), "{arguments:?}\n{said}");
        said
    }

    /// A scenario of the tests with parts of its text replaced, as a file of the folder.
    pub fn scenario(&self, of: &str, name: &str, changes: &[(&str, &str)]) -> String {
        let sources = format!("{}/scenarios", env!("CARGO_MANIFEST_DIR"));
        let mut text = fs::read_to_string(of).unwrap().replace("../../scenarios", &sources);
        for (part, other) in changes {
            assert!(text.contains(part), "{of} has no {part:?}");
            text = text.replace(part, other);
        }
        let path = self.out(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    }
}

/// The rows of a table, by column.
pub fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_path(path).unwrap().deserialize().map(|row| row.unwrap()).collect()
}

/// Each power run's energy above that of idling as long, and what its session spent by the
/// board's truth, code and collections, in joules.
pub fn measured_and_spent(
    campaign: &Path,
    truth: &Path,
    collection_j: f64,
) -> Vec<(String, f64, f64)> {
    let records = read_journal(campaign).unwrap();
    let of = |phase: RunPhase| -> Vec<(&RunRecord, &MeasuredSession)> {
        let good = records.iter().filter(|record| record.is_good() && record.run.phase == phase);
        good.map(|record| (record, record.measured.as_ref().unwrap())).collect()
    };
    let idle = of(RunPhase::Idle);
    let idle_w = idle.iter().map(|(_, run)| run.mean_power_w()).sum::<f64>() / idle.len() as f64;
    let compared = of(RunPhase::Power).into_iter().map(|(record, run)| {
        let total = rows(&truth.join(record.run.id()).join("total.csv"));
        let code_j: f64 = total[0]["energy_j"].parse().unwrap();
        let spent_j = code_j + run.collections as f64 * collection_j;
        (record.run.id(), run.energy_j - idle_w * run.duration_s, spent_j)
    });
    compared.collect()
}

/// A fault in the middle of a session of the board, and none in the next.
pub fn fault_in_session(board: &RunningBoard, number: u64, fault: Fault) {
    board.schedule(FaultTime::Session { number, after_s: 8.0 }, FaultAction::Cause(fault));
    board.schedule(FaultTime::Session { number: number + 1, after_s: 0.0 }, FaultAction::Lift);
}

/// Why the one bad run of a campaign is bad; it was made again.
pub fn only_bad_run(campaign: &Path) -> String {
    let [reasons] = bad_runs(campaign);
    reasons
}

/// Why the bad runs of a campaign are bad, of which there are so many; all were made again.
pub fn bad_runs<const N: usize>(campaign: &Path) -> [String; N] {
    let records = read_journal(campaign).unwrap();
    let bad: Vec<&RunRecord> = records.iter().filter(|record| !record.is_good()).collect();
    for run in bad.iter().map(|record| &record.run) {
        assert!(records.iter().any(|record| record.is_good() && record.run == *run), "{run:?}");
    }
    let reasons: Vec<String> = bad.iter().map(|record| record.reasons()).collect();
    reasons.try_into().unwrap_or_else(|found| panic!("not {N} bad runs: {found:?}"))
}

/// Copies the plan of a campaign, and nothing of what it measured.
pub fn copy_plan(campaign: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(campaign).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let is_result = name == "journal.jsonl" || TABLES.contains(&name.as_str());
        if entry.path().is_file() && !is_result {
            fs::copy(entry.path(), to.join(name)).unwrap();
        }
    }
}

/// The same of its first case alone, one of the whole application.
pub fn copy_plan_of_one_case(campaign: &Path, to: &Path) {
    copy_plan(campaign, to);
    let plan = fs::read_to_string(to.join("plan.csv")).unwrap();
    let lines: Vec<&str> = plan.split_inclusive('\n').collect();
    assert!(lines.len() > 1 && lines[1].starts_with("base-"), "{plan}");
    fs::write(to.join("plan.csv"), lines[..2].concat()).unwrap();
}

/// Two campaigns have the same data set, to the byte.
pub fn assert_same_data_set(expected: &Path, found: &Path, said: &str) {
    for name in TABLES {
        let [a, b] = [expected, found].map(|folder| fs::read_to_string(folder.join(name)).unwrap());
        assert!(a == b, "{name} differs\n{said}\n{a}\n{b}");
    }
}
