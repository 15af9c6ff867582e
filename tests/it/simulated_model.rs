//! The virtual board's simulated energy model: a real JVM with the agent, against a small clock.
//! Skips, and says so, where there is no JDK or no ASM.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

mod compiled;

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::host::javac;
use tempfile::TempDir;
use wattline::toolchain::asm;
use wattline::virtual_board::simulated_model::{
    AgentOptions, CostTable, FetchAsm, SimulatedModelError, SimulatedModelFamily,
    SimulatedModelOptions, agent_options, open,
};

/// Longer than any of the programs needs on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);

const TINY: &str = include_str!("simulated_model/Tiny.java");
/// Where a run leaves what it counted.
const SESSION: &str = "session";

/// What a program did: its output and exit code, and what the clock was asked.
#[derive(Debug, PartialEq)]
struct Outcome {
    output: String,
    errors: String,
    code: Option<i32>,
    asked: Vec<String>,
    energy_j: f64,
    allocated_bytes: u64,
}

/// Compiles a class into a folder; none if there is no compiler.
fn compiled(dir: &Path, name: &str, source: &str) -> Option<()> {
    let file = dir.join(format!("{name}.java"));
    fs::write(&file, source).unwrap();
    let mut javac = javac();
    javac.args(["-g", "--release", "11", "-nowarn", "-d"]).arg(dir).arg(&file);
    let Ok(output) = javac.output() else {
        crate::skip::because("no javac on the path");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(())
}

/// Compiles a class and runs it with the agent of an additive chip; its session is the folder's
/// [`SESSION`].
fn counted(main: &str, source: &str, patience: usize) -> Option<(TempDir, Outcome)> {
    let dir = tempfile::tempdir().unwrap();
    compiled(dir.path(), main, source)?;
    let session = dir.path().join(SESSION);
    let family = SimulatedModelFamily::Additive;
    let outcome = counted_by(family, dir.path(), main, &session, patience)?;
    Some((dir, outcome))
}

/// Runs a compiled class with the agent of any chip; the ground truth lies in
/// `session/ground-truth`.
fn counted_by(
    family: SimulatedModelFamily,
    dir: &Path,
    main: &str,
    session: &Path,
    patience: usize,
) -> Option<Outcome> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let cache_dir = Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR")));
    let fetch_asm: Option<FetchAsm> = Some(|| asm::tree_jars().ok());
    let options = AgentOptions { cache_dir, fetch_asm, family, ..AgentOptions::default() };
    let jvm = match agent_options(session, port, &options) {
        Err(error @ SimulatedModelError::NoAsm { .. }) => {
            crate::skip::because(error);
            return None;
        }
        options => options.unwrap(),
    };
    let mut java = Command::new("java");
    // Of classes that are not its own a JVM verifies each; to verify its own, too, would cost it
    // the archive that it starts from.
    java.args(jvm).arg("-cp").arg(dir).arg(main);
    let child = java.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    Some(serve(family, &listener, child, session, patience))
}

/// A board's clock: what was used moves it at 1.5 W, sleeps move it. Gone after
/// `patience` questions.
fn serve(
    family: SimulatedModelFamily,
    listener: &TcpListener,
    mut child: Child,
    session: &Path,
    patience: usize,
) -> Outcome {
    let stream = accepted(listener, &mut child);
    let mut answers = stream.try_clone().unwrap();
    let costs = CostTable::raspberry_pi_5();
    let options = SimulatedModelOptions { family, ..SimulatedModelOptions::default() };
    let mut chip = open(session, &costs, &options).unwrap();
    let (mut asked, mut nanos, mut energy_j, mut allocated_bytes) = (Vec::new(), 0, 0.0, 0);
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        let usage = chip.advance();
        energy_j += usage.energy_j;
        allocated_bytes += usage.allocated_bytes;
        nanos += (usage.energy_j / 1.5 * 1e9) as u64;
        nanos += line.strip_prefix("sleep ").map_or(0, |n| n.parse::<u64>().unwrap());
        let last = line == "exit" || asked.len() == patience;
        asked.push(line);
        if last {
            break;
        }
        writeln!(answers, "{nanos}").unwrap();
    }
    answers.shutdown(std::net::Shutdown::Both).unwrap_or_default();
    let output = child.wait_with_output().unwrap();
    chip.write_ground_truth(&session.join("ground-truth")).unwrap();
    Outcome {
        output: String::from_utf8(output.stdout).unwrap(),
        errors: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code(),
        asked,
        energy_j,
        allocated_bytes,
    }
}

fn accepted(listener: &TcpListener, child: &mut Child) -> TcpStream {
    listener.set_nonblocking(true).unwrap();
    let start = Instant::now();
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).unwrap();
                stream.set_nodelay(true).unwrap();
                stream.set_read_timeout(Some(DEADLINE)).unwrap();
                return stream;
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => panic!("{error}"),
        }
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none() && start.elapsed() < DEADLINE, "no agent: {ended:?}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A column of a ground truth file, by the columns before it.
fn rows(session: &Path, file: &str, keys: usize) -> Vec<(String, f64)> {
    let mut reader = csv::Reader::from_path(session.join("ground-truth").join(file)).unwrap();
    let records = reader.records().map(Result::unwrap);
    records
        .map(|record| {
            let key: Vec<&str> = record.iter().take(keys).collect();
            (key.join(" "), record[keys].parse().unwrap())
        })
        .collect()
}

/// What compilations spent, which is no line's.
fn compilation_j(session: &Path) -> f64 {
    rows(session, "total.csv", 2)[0].1
}

fn assert_close(found: f64, expected: f64, what: &str) {
    assert!(
        (found - expected).abs() <= expected.abs() * 1e-12,
        "{what}: {found} is not {expected}"
    );
}

/// Nanojoules of the published table, device 1.
const DEVICE: f64 = 6.739_114;
const INT: f64 = 0.097_167_75;
const LOAD: f64 = 0.297_245_3;
const CONSTANT: f64 = 0.052_874_43;
const WIDE: f64 = 10.723_27;

#[test]
fn counts_and_energy_are_those_on_paper() {
    let Some((dir, outcome)) = counted("Tiny", TINY, 1000) else { return };
    let session = dir.path().join(SESSION);
    assert_eq!((outcome.code, outcome.errors.as_str()), (Some(0), ""));
    assert_eq!(outcome.asked, ["sleep 5000000", "exit"]);
    let declaration = CONSTANT + 7.106_552 + INT + DEVICE;
    let test = 2.0 * LOAD + 29.180_40 + INT + DEVICE;
    let update = 4.841_576 + INT + DEVICE + 27.534_81 + DEVICE;
    let expected = [
        (3, declaration),
        (4, declaration + 11.0 * test + 10.0 * update),
        (5, 10.0 * (2.0 * LOAD + 29.547_80 + INT + DEVICE)),
        (7, LOAD + 147.486_7 - 75.772_98 + INT),
        (11, CONSTANT + 416.697_1 + INT + DEVICE),
        (12, LOAD + 2.0 * CONSTANT + 75.772_98 + DEVICE + 19.738_51 + INT + DEVICE),
        (13, WIDE + 2450.0),
    ];
    let lines = rows(&session, "lines.csv", 2);
    assert_eq!(lines.len(), expected.len(), "{lines:?}");
    for ((key, found), (line, nanojoules)) in lines.iter().zip(expected) {
        assert_eq!(key, &format!("Tiny.java {line}"));
        assert_close(*found, nanojoules * 1e-9, key);
    }
    let total: f64 = expected.iter().map(|(_, nanojoules)| nanojoules * 1e-9).sum();
    assert_close(outcome.energy_j, total, "what advance returned");
    assert_close(rows(&session, "total.csv", 0)[0].1, total, "total.csv");
    assert_eq!(outcome.allocated_bytes, 24);
    let methods: Vec<String> =
        rows(&session, "methods.csv", 2).into_iter().map(|row| row.0).collect();
    assert_eq!(methods, ["Tiny main(String[])", "Tiny sum(int)"]);
    let patterns = rows(&session, "patterns.csv", 1);
    for (pattern, executions) in [
        ("Addition/int", 10.0),
        ("if less (numerical data types)/int", 11.0),
        ("operand/Load", 11.0 * 2.0 + 10.0 * 2.0 + 2.0),
        ("operand/Constant", 5.0),
    ] {
        assert!(patterns.contains(&(pattern.to_string(), executions)), "{pattern}: {patterns:?}");
    }
}

/// The hard shapes, with a method that inline counters push over 64 KB.
fn tricky(dir: &Path) -> Option<()> {
    let large = "if (x > 0) { x++; } else { x -= 2; }\n".repeat(1600);
    compiled(dir, "Tricky", &include_str!("simulated_model/Tricky.java").replace("LARGE", &large))
}

#[test]
fn hard_shapes_run_as_before_and_count_alike_twice() {
    for family in [SimulatedModelFamily::Additive, SimulatedModelFamily::Compiled(1)] {
        run_as_before_and_count_alike_twice(family);
    }
}

fn run_as_before_and_count_alike_twice(family: SimulatedModelFamily) {
    let dir = tempfile::tempdir().unwrap();
    let Some(()) = tricky(dir.path()) else { return };
    let plain = Command::new("java").arg("-cp").arg(dir.path()).arg("Tricky").output().unwrap();
    let (first, second) = (dir.path().join("1"), dir.path().join("2"));
    let run = |session: &Path| counted_by(family, dir.path(), "Tricky", session, 1000);
    let Some(one) = run(&first) else { return };
    let Some(two) = run(&second) else { return };
    assert_eq!(one.output, String::from_utf8(plain.stdout).unwrap());
    assert_eq!((one.code, one.errors.as_str()), (Some(0), ""));
    assert_eq!(one, two, "the same counts and energy in every run");
    for file in ["total.csv", "lines.csv", "library.csv"] {
        let text =
            |session: &Path| fs::read_to_string(session.join("ground-truth").join(file)).unwrap();
        assert_eq!(text(&first), text(&second), "{file}");
    }
    for (file, keys) in [("lines.csv", 2), ("methods.csv", 2)] {
        let sum: f64 = rows(&first, file, keys).iter().map(|row| row.1).sum();
        let sum = sum + compilation_j(&first);
        assert!((sum / one.energy_j - 1.0).abs() < 1e-12, "{file} adds up to the total");
    }
    assert_amounts(&first);
    let methods = rows(&first, "methods.csv", 2);
    assert!(methods.iter().any(|row| row.0 == "Tricky large(int)"), "{methods:?}");
}

/// The units that were counted at calls, solved on paper from the source.
fn assert_amounts(session: &Path) {
    let mut reader = csv::Reader::from_path(session.join("ground-truth/library.csv")).unwrap();
    let records = reader.records().map(Result::unwrap);
    let found: Vec<_> = records.map(|row| format!("{} {} {}", &row[0], &row[1], &row[3])).collect();
    for (function, calls, units) in [
        ("java.util.Arrays.fill", 2, 100 + 30),
        ("java.lang.System.arraycopy", 1, 60),
        ("java.nio.FloatBuffer.put", 3, 20 + 7),
        ("java.util.ArrayList.add", 4, 0),
        ("java.util.List.addAll", 1, 3),
        ("java.lang.String.substring", 1, 4),
        ("java.lang.Thread.sleep", 2, 0),
    ] {
        let row = format!("{function} {calls} {units}");
        assert!(found.contains(&row), "{row} is not in {found:#?}");
    }
}

#[test]
fn a_daemon_follows_the_clock_and_moves_it_only_when_nobody_else_does() {
    let source = include_str!("simulated_model/Daemon.java");
    let Some((_dir, outcome)) = counted("Daemon", source, 1000) else { return };
    assert_eq!((outcome.code, outcome.output.as_str()), (Some(0), "end\n"));
    assert_eq!(outcome.asked[..10], ["sleep 30000000"; 10], "only the main thread sleeps");
    assert!(outcome.asked.iter().any(|line| line == "sleep 1000000000"), "{:?}", outcome.asked);
}

#[test]
fn daemons_move_the_clock_no_further_than_the_first_wakes_and_never_while_a_thread_computes() {
    let source = include_str!("simulated_model/Daemons.java");
    let Some((_dir, outcome)) = counted("Daemons", source, 1000) else { return };
    assert_eq!((outcome.code, outcome.output.as_str()), (Some(0), "end true\n"));
    let sleeps: Vec<_> = outcome.asked.iter().filter(|it| it.starts_with("sleep ")).collect();
    assert_eq!(sleeps[0], "sleep 30000000");
    assert_eq!(sleeps[1..], ["sleep 40000000"; 5]);
}

#[test]
fn without_its_board_the_application_ends() {
    let Some((_dir, outcome)) = counted("Tiny", TINY, 0) else { return };
    assert_eq!(outcome.code, Some(70));
    assert!(outcome.errors.contains("the virtual board is gone"), "{}", outcome.errors);
}
