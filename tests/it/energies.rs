//! `--partial` of `tenants`, `activities` and `account`: rows that are those of the tables, add
//! up to what was measured, and are written whole or not at all.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use wattline::attribution::activities::simulated::{blink_files, bounce_files};

fn wattline(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
    command.current_dir(folder).args(arguments.split_whitespace());
    command.stdin(Stdio::null()).output().unwrap()
}

fn good(folder: &Path, arguments: &str) -> Output {
    let output = wattline(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", text(&output.stderr));
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A row: its fields by name; what is not known is not there.
type Row = BTreeMap<String, String>;

fn shown(field: &Field) -> Option<String> {
    match field {
        Field::Null => None,
        Field::Str(text) => Some(text.clone()),
        // A decimal without places ends in its point.
        other => Some(other.to_string().trim_end_matches('.').to_owned()),
    }
}

fn rows(path: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::try_from(path).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(Result::unwrap);
    let fields = |row: parquet::record::Row| {
        let fields = row.get_column_iter();
        fields.filter_map(|(name, field)| Some((name.clone(), shown(field)?))).collect()
    };
    rows.map(fields).collect()
}

fn table(path: &Path) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// Attojoules of a decimal number of joules.
fn attojoules(joules: &str) -> i128 {
    let (sign, digits) = joules.strip_prefix('-').map_or((1, joules), |digits| (-1, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    sign * format!("{whole}{fraction:0<18}").parse::<i128>().unwrap()
}

/// Sums of energies by key, in whole attojoules.
fn sums(rows: &[Row], key: &str) -> BTreeMap<String, i128> {
    let mut sums = BTreeMap::new();
    for row in rows {
        let energy = row.get("energy_j").map_or(0, |energy| attojoules(energy));
        *sums.entry(row.get(key).cloned().unwrap_or_default()).or_default() += energy;
    }
    sums
}

fn joules(attojoules: i128) -> f64 {
    attojoules as f64 * 1e-18
}

/// A log of perf: so many switches among three threads.
fn switches(seed: u64) -> String {
    let (mut log, mut us) = (String::new(), 100_000_000);
    for n in 0..200 + seed {
        let who = |n: u64| {
            [("rustc", 7), ("java", 8), ("swapper/0", 0)][(n * n * (seed + 3) % 3) as usize]
        };
        let ((prev, prev_pid), (next, next_pid)) = (who(n), who(n + 1));
        us += 1 + (n * 7919 + seed * 104_729) % 30_011;
        let (s, us) = (us / 1_000_000, us % 1_000_000);
        writeln!(
            log,
            "{prev:>16} {prev_pid:>5} [000] {s}.{us:06}: sched:sched_switch: prev_comm={prev} \
             prev_pid={prev_pid} prev_prio=120 prev_state=S ==> next_comm={next} \
             next_pid={next_pid} next_prio=120"
        )
        .unwrap();
    }
    log
}

#[test]
fn tenants_of_any_division_add_up_to_the_tables() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, mut all) = (folder.path(), Vec::new());
    let mut by_tables: BTreeMap<String, f64> = BTreeMap::new();
    for seed in 0..5 {
        fs::write(folder.join(format!("{seed}.txt")), switches(seed)).unwrap();
        let of_one = format!("tenants perf {seed}.txt --watts 15:5");
        good(folder, &format!("{of_one} --out {seed} --partial {seed}.parquet"));
        let (found, csv) = (
            rows(&folder.join(format!("{seed}.parquet"))),
            table(&folder.join(format!("{seed}/tenants.csv"))),
        );
        assert_eq!(found.len(), csv.len());
        for (row, expected) in found.iter().zip(&csv) {
            assert_eq!(
                (&row["tenant"], &row["switches"]),
                (&expected["tenant"], &expected["switches"])
            );
            for name in ["energy_j", "cpu_s"] {
                let [found, expected] =
                    [&row[name], &expected[name]].map(|v| v.parse::<f64>().unwrap());
                assert!(
                    (found - expected).abs() <= 1e-9 * expected.abs() + 1e-13,
                    "{found} {expected}"
                );
            }
            *by_tables.entry(expected["tenant"].clone()).or_default() +=
                expected["energy_j"].parse::<f64>().unwrap();
        }
        all.push(found);
    }
    // All at once, backwards, and of parts.
    let whole = sums(&all.concat(), "tenant");
    let backwards: Vec<Row> = all.iter().rev().flatten().rev().cloned().collect();
    assert_eq!(sums(&backwards, "tenant"), whole);
    let mut of_parts = sums(&all[..2].concat(), "tenant");
    for (tenant, energy) in sums(&all[2..].concat(), "tenant") {
        *of_parts.entry(tenant).or_default() += energy;
    }
    assert_eq!(of_parts, whole);
    for (tenant, energy) in whole {
        assert!((joules(energy) - by_tables[&tenant]).abs() < 1e-7, "{tenant}");
    }
}

#[test]
fn activities_add_up_to_the_meter() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, bytes) in blink_files().into_iter().chain(bounce_files()) {
        fs::write(folder.join(name), bytes).unwrap();
    }
    for (name, logs) in [("blink", "blink.quanto"), ("bounce", "node1.quanto node4.quanto")] {
        good(folder, &format!("activities {logs} --out {name} --partial {name}.parquet"));
        let (found, csv) = (
            rows(&folder.join(format!("{name}.parquet"))),
            table(&folder.join(name).join("energy.csv")),
        );
        let totals = csv.iter().filter(|row| row["component"] == "(total)");
        for total in totals {
            let of_node: Vec<Row> =
                found.iter().filter(|row| row["node"] == total["node"]).cloned().collect();
            let sum: i128 = sums(&of_node, "component").values().sum();
            let measured: f64 = total["energy_j"].parse().unwrap();
            assert!((joules(sum) - measured).abs() <= 1e-15 * measured, "{sum} {measured}");
        }
        let rows_of_keys = csv.iter().filter(|row| row["component"] != "(total)");
        let by_component = sums(&found, "component");
        assert_eq!(found.len(), rows_of_keys.count());
        assert!(
            by_component.contains_key("(constant)") && by_component.contains_key("(unexplained)")
        );
        let intervals = found.iter().filter(|row| row.contains_key("energy_lo_j"));
        assert!(intervals.count() > 3, "intervals of activities");
    }
    good(folder, "activities blink.quanto --partial only.parquet");
    let bytes = |name: &str| fs::read(folder.join(name)).unwrap();
    assert_eq!(bytes("only.parquet"), bytes("blink.parquet"), "the same bytes");
}

#[test]
fn what_is_there_is_kept_and_nothing_is_half_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("log.txt"), switches(1)).unwrap();
    fs::write(folder.join("broken.txt"), "nothing\n").unwrap();
    fs::write(folder.join("kept.parquet"), "mine").unwrap();
    let names = || {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let before = names();
    for command in ["tenants perf log.txt", "activities log.txt", "account model.json runs"] {
        let output = wattline(folder, &format!("{command} --partial kept.parquet"));
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert!(text(&output.stderr).contains("kept.parquet is there already"), "{command}");
    }
    assert_eq!(fs::read(folder.join("kept.parquet")).unwrap(), b"mine");
    let broken = wattline(folder, "tenants perf broken.txt --partial new.parquet");
    assert_eq!(broken.status.code(), Some(3));
    assert!(text(&broken.stderr).contains("broken.txt"), "{}", text(&broken.stderr));
    assert!(!wattline(folder, "tenants perf none.txt --partial new.parquet").status.success());
    assert!(!wattline(folder, "activities broken.txt --partial new.parquet").status.success());
    assert_eq!(names(), before);
    good(folder, "tenants perf log.txt --force --partial kept.parquet");
    assert_eq!(rows(&folder.join("kept.parquet"))[0]["recording"], "log.txt");
}

#[test]
fn standard_output_has_the_rows_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("log.txt"), switches(1)).unwrap();
    let piped = good(folder, "tenants perf log.txt --watts 9 --partial -").stdout;
    good(folder, "tenants perf log.txt --watts 9 --partial file.parquet");
    assert_eq!(piped, fs::read(folder.join("file.parquet")).unwrap());
    let both = wattline(folder, "tenants perf log.txt --follow --partial -");
    assert_eq!((both.status.code(), both.stdout.len()), (Some(2), 0));
    for (name, bytes) in blink_files() {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let piped = good(folder, "activities blink.quanto --partial -").stdout;
    assert!(piped.starts_with(b"PAR1") && piped.ends_with(b"PAR1"));
}
