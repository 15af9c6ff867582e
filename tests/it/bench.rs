//! What tests of whole campaigns share: an adb server and a folder of their own, the program
//! run against them, and folders of campaigns held against each other.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::host::{AdbServer, CAMPAIGN_TOOLS, answer, has};

/// What a data set consists of.
const TABLES: [&str; 3] = ["dataset.csv", "energies.csv", "contexts.csv"];

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

/// Two campaigns have the same data set, to the byte.
pub fn assert_same_data_set(expected: &Path, found: &Path, said: &str) {
    for name in TABLES {
        let [a, b] = [expected, found].map(|folder| fs::read_to_string(folder.join(name)).unwrap());
        assert!(a == b, "{name} differs\n{said}\n{a}\n{b}");
    }
}
