//! Files that ask for more than a machine has: the program says so, with the file and the limit,
//! within little memory and time, and never waits for what does not come.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use parquet::data_type::DoubleType;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::host::{AdbServer, OrdinaryUser, answer, has};

/// Addresses that the program may have: code, threads and their heaps take most of it.
const LITTLE: u64 = 2 << 30;

/// Seconds after which a command hangs.
const PATIENCE: &str = "300";

/// A folder with files, and the program run on them.
struct Files(tempfile::TempDir);

impl Files {
    /// None, and it says so, where a tool is missing.
    fn new() -> Option<Self> {
        has(&["prlimit", "timeout", "mkfifo", "java"]).then(|| Self(tempfile::tempdir().unwrap()))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), bytes).unwrap();
        self.text(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// The program with little memory.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", PATIENCE, "prlimit", &format!("--as={LITTLE}")]);
        command.arg(env!("CARGO_BIN_EXE_wattline")).args(arguments);
        command.current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// Its exit code and what it said; results go to a folder beside the files.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let writes = ["fit", "plan", "activities"].contains(&arguments[0]);
        let out = if writes { &["--out", "out"][..] } else { &[] };
        answer(self.command(&[arguments, out].concat()).output().unwrap())
    }

    /// A command that refuses its input, with words of what it says.
    fn refuses(&self, arguments: &[&str], words: &[&str]) {
        let (code, said) = self.run(arguments);
        assert_eq!(code, Some(3), "{arguments:?}: {said}");
        assert!(said.len() < 10_000, "{arguments:?}: {} bytes of error", said.len());
        for word in words {
            assert!(said.contains(word), "{arguments:?}: no `{word}` in {said}");
        }
    }
}

/// Some rows and very many columns.
fn wide(rows: usize, columns: usize) -> String {
    let mut text = "case,energy_j".to_owned();
    (0..columns).for_each(|column| write!(text, ",f{column}").unwrap());
    for row in 0..rows {
        write!(text, "\nc{row},{}", row + 1).unwrap();
        (0..columns).for_each(|column| write!(text, ",{}", (row * column) % 7).unwrap());
    }
    text + "\n"
}

#[test]
fn tables_of_too_many_columns_are_refused() {
    let Some(files) = Files::new() else { return };
    let ten = files.write("ten.csv", wide(30, 10_000));
    files.refuses(&["fit", &ten], &["ten.csv", "10000 feature columns of a table", "2048"]);
    let most = files.write("most.csv", wide(4, 200_000));
    files.refuses(&["fit", &most], &["most.csv", "columns of a table", "65536"]);
    let commas = files.write("commas.csv", ",".repeat(10_000_000));
    files.refuses(&["fit", &commas], &["commas.csv", "bytes of a row of a table", "8388608"]);
    let rows = files.write("row.csv", format!("energy_j,a\n1,2\n{}", ",".repeat(10_000_000)));
    files.refuses(&["fit", &rows], &["row.csv", "bytes of a row of a table"]);
}

#[test]
fn a_table_that_is_small_on_disk_alone_is_read_in_blocks() {
    let Some(files) = Files::new() else { return };
    let schema = "message table { REQUIRED DOUBLE energy_j; REQUIRED DOUBLE a; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let path = files.path("runs.parquet");
    let file = fs::File::create(&path).unwrap();
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(file, schema, properties).unwrap();
    // Each value many times, in runs: held whole, these rows would be a gigabyte.
    const GROUPS: usize = 4;
    let energies: Vec<f64> = (0..1 << 20).map(|i| 1.0 + f64::from(i / 1000)).collect();
    for _ in 0..GROUPS {
        let mut group = writer.next_row_group().unwrap();
        while let Some(mut column) = group.next_column().unwrap() {
            column.typed::<DoubleType>().write_batch(&energies, None, None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
    assert!(path.metadata().unwrap().len() < 1 << 20);
    let (code, said) = files.run(&["fit", &files.text("runs.parquet")]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("read in blocks"), "{said}");
}

#[test]
fn what_an_error_quotes_is_short() {
    let Some(files) = Files::new() else { return };
    let long = "x".repeat(400_000);
    let cell = files.write("cell.csv", format!("energy_j,a\n1,{long}\n"));
    files.refuses(&["fit", &cell], &["cell.csv", "\"xxxx", "x…\" is not a finite number"]);
    let name = files.write("name.csv", format!("energy_j,{long},{long}\n1,2,3\n"));
    files.refuses(&["fit", &name], &["name.csv", "is there twice"]);
    let factors = files.write("factors.csv", format!("operation,energy_j\nAdd,{long}\n"));
    let arguments = ["fit", &factors, "--factors", "operation", "--solver", "bayes"];
    files.refuses(&arguments, &["factors.csv", "is not a finite number of joules"]);
    let prior = files.write("prior.csv", format!("operation,cost_j,se_j\nAdd,{long},1\n"));
    let table = files.write("table.csv", wide(8, 2));
    files.refuses(&["fit", &table, "--prior", &prior], &["is not a finite number of joules"]);
    let key = files.write("key.toml", format!("name = 'a'\n{long} = 3\n"));
    files.refuses(&["plan", &key], &["key.toml:2", "unknown key `xxxx"]);
    let value = files.write("value.toml", format!("name = '{long} '\n"));
    files.refuses(&["plan", &value], &["value.toml:1", "`name` is \"xxx"]);
    let typed = files.write("typed.toml", format!("seed = '{long}'\n"));
    files.refuses(&["plan", &typed], &["typed.toml:1", "expected a whole number"]);
    let meter = files.write("meter.csv", format!("time_s,{long}\n1,2\n"));
    let log = files.write("perf.txt", "");
    files.refuses(&["tenants", "perf", &log, "--energy", &meter], &["meter.csv"]);
    let states = files.write("states.csv", format!("time_s,component,event,{long}\n"));
    files.refuses(&["activities", &states], &["states.csv"]);
}

#[test]
fn files_of_many_levels_are_errors() {
    let Some(files) = Files::new() else { return };
    let table = files.write("table.csv", wide(8, 2));
    let levels = 1 << 20;
    let list = "[".repeat(levels);
    let model = files.write("model.json", format!("{{\"format\": 1, \"costs\": {list}"));
    files.refuses(&["fit", &table, "--prior", &model], &["model.json"]);
    for (name, text) in [
        ("lists.toml", format!("seed = {list}")),
        ("tables.toml", format!("seed = {}", "{a=".repeat(levels))),
        ("keys.toml", format!("seed{} = 1", ".a".repeat(levels))),
        ("headers.toml", format!("[seed{}]", ".a".repeat(levels))),
        ("extras.toml", format!("[session]\nextras{} = 1", ".a".repeat(levels))),
    ] {
        let file = files.write(name, text);
        files.refuses(&["plan", &file], &[name]);
    }
}

/// A log whose switches are ten minutes apart, which is not yet a jump of the clock.
#[test]
fn gaps_of_a_log_are_not_filled_without_end() {
    let Some(files) = Files::new() else { return };
    let mut log = String::new();
    for n in 0..500 {
        let (at_s, prev, next) = (n * 600, 10 + n % 2, 11 - n % 2);
        writeln!(
            log,
            "  a {prev} [000] {at_s}.000000: sched:sched_switch: prev_comm=a prev_pid={prev} \
             prev_prio=120 prev_state=S ==> next_comm=b next_pid={next} next_prio=120"
        )
        .unwrap();
    }
    let log = files.write("gaps.txt", log);
    let out = files.text("out");
    let (code, said) = files.run(&["tenants", "perf", &log, "--watts", "5:1", "--out", &out]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("steps of the clock, or gaps"), "{said}");
    let windows = fs::metadata(Path::new(&out).join("windows.csv")).unwrap().len();
    assert!(windows < 32 << 20, "{windows} bytes of windows");
    let line = "x".repeat(20_000_000);
    let long = files.write("line.txt", &line);
    files.refuses(&["tenants", "perf", &long], &["line.txt", "bytes of a line", "16777216"]);
    let brackets = files.write("brackets.txt", "[".repeat(16_000_000));
    files.refuses(&["tenants", "perf", &brackets], &["brackets.txt"]);
}

#[test]
fn pipes_and_devices_are_no_files() {
    let Some(files) = Files::new() else { return };
    let fifo = files.text("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let table = files.write("table.csv", wide(8, 2));
    for (input, what) in [(fifo.as_str(), "a FIFO"), ("/dev/zero", "a device")] {
        files.refuses(&["fit", input], &[input, "is no regular file"]);
        for arguments in [
            &["fit", &table, "--prior", input][..],
            &["fit", "--merge", input],
            &["tenants", "perf", input],
            &["tenants", "perfetto", input],
            &["tenants", "xen", input, "--tsc-hz", "1e9"],
            &["tenants", "dumpsys", input],
            &["activities", input],
            &["predict", input, &table],
            &["plan", input],
        ] {
            let (code, said) = files.run(arguments);
            assert!(matches!(code, Some(2 | 3)), "{arguments:?}: {code:?} {said}");
            assert!(said.contains(what), "{arguments:?}: {said}");
        }
    }
}

/// What comes by a pipe that was asked for is read.
#[test]
fn a_pipe_that_is_named_is_read() {
    let Some(files) = Files::new() else { return };
    let log = "a 1 [000] 1.000000: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=120 \
               prev_state=S ==> next_comm=b next_pid=2 next_prio=120\n\
               b 2 [000] 2.000000: sched:sched_switch: prev_comm=b prev_pid=2 prev_prio=120 \
               prev_state=S ==> next_comm=a next_pid=1 next_prio=120\n";
    let log = files.write("log.txt", log);
    let program = env!("CARGO_BIN_EXE_wattline");
    for input in ["-", "/dev/stdin", "/dev/fd/0"] {
        let script = format!("cat '{log}' | '{program}' tenants perf {input} --watts 5:1");
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        let (code, said) = answer(output);
        assert_eq!(code, Some(0), "{input}: {said}");
    }
}

#[test]
fn scenarios_that_stand_in_for_themselves_end() {
    let Some(files) = Files::new() else { return };
    let scenario = |other: &str| {
        format!(
            "name = 'a'\n[application]\npackage = 'a.b'\nmain = 'A'\n[[source]]\nmaven = \
             'a:b:1:sources'\nsha256 = '{}'\n[[input]]\nname = 'n'\n[offline]\nscenario = \
             '{other}'\n",
            "ab".repeat(32)
        )
    };
    let own = files.write("own.toml", scenario("own.toml"));
    files.write("one.toml", scenario("two.toml"));
    let two = files.write("two.toml", scenario("./one.toml"));
    for n in 0..40 {
        files.write(&format!("chain{n}.toml"), scenario(&format!("chain{}.toml", n + 1)));
    }
    let first = files.text("chain0.toml");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let java = std::env::split_paths(&path).map(|folder| folder.join("java"));
    let java = java.filter(|file| file.is_file()).map(|file| file.canonicalize().unwrap()).next();
    let java = java.unwrap();
    for (file, word) in [(own, "leads back"), (two, "leads back"), (first, "limit of 16")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
        command.args(["plan", &file, "--out", "out"]).current_dir(files.0.path());
        // A JDK, but no Maven, and nothing that was fetched before.
        command.env("XDG_CACHE_HOME", files.path("cache")).env("PATH", files.0.path());
        command.env("JAVA_HOME", java.ancestors().nth(2).unwrap());
        let (code, said) = answer(command.output().unwrap());
        assert_eq!(code, Some(3), "{said}");
        assert!(said.contains(word), "{said}");
        assert!(said.len() < 20_000, "{} bytes of error", said.len());
    }
}

#[test]
fn without_threads_it_says_so() {
    if !has(&["prlimit"]) {
        return;
    }
    let (user, adb) = (OrdinaryUser::new(), AdbServer::new());
    let sources = user.path("A.java");
    fs::write(&sources, "class A { }").unwrap();
    let out = user.path("out");
    let arguments = ["scan", sources.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let (code, said) = answer(user.limited(&adb, "--nproc=0", &arguments).output().unwrap());
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("cannot start the threads") && said.contains("ulimit -u"), "{said}");
    assert!(!said.contains("panicked"), "{said}");
}
