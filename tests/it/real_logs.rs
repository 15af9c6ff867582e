//! Logs of a real board (an ODROID-XU3's INA231 sensors and performance counters, cBench
//! programs, from github.com/kranik/ARMPM_BUILDMODEL) through this program's readers. Where
//! they are not at hand the tests skip, and say so.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use wattline::power::{
    CorrelationOptions, Series, Window, align_by_correlation, align_markers, integrate, parse_trace,
};

/// The folder of the logs: `WATTLINE_XU3_LOGS`, or beside the project's folder.
fn logs() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/odroid-xu3/cbench");
    let folder = std::env::var_os("WATTLINE_XU3_LOGS").map_or(beside, PathBuf::from);
    if !folder.join("concatenated.data").exists() {
        crate::skip::outside("no logs of an ODROID-XU3; WATTLINE_XU3_LOGS names their folder");
        return None;
    }
    Some(folder)
}

/// Nanoseconds since 1970 as seconds since the log's own day: a float holds both.
fn seconds(nanos: &str) -> f64 {
    let nanos: u64 = nanos.parse().unwrap();
    (nanos - 1_481_000_000_000_000_000) as f64 * 1e-9
}

/// The sensors' log in the form in which this program's sampler writes: arm is the A15.
fn sensors(folder: &Path, khz: &str) -> Series {
    let text = fs::read_to_string(folder.join(khz).join("sensors.data")).unwrap();
    let mut samples = "# wattline-samples 1 rails=arm,mem unit=W\n".to_string();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split_whitespace().collect();
        samples += &format!("{:.9} {} {}\n", seconds(cells[0]), cells[10], cells[18]);
    }
    let trace = parse_trace(&samples).unwrap();
    assert_eq!(trace.flaws, [], "a real log has none");
    trace.series(&["arm".into()]).unwrap()
}

/// The programs' windows.
fn windows(folder: &Path, khz: &str) -> Vec<(String, Window)> {
    let text = fs::read_to_string(folder.join(khz).join("benchmarks.data")).unwrap();
    let rows = text.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    let window = |row: &[&str]| Window { start_s: seconds(row[1]), end_s: seconds(row[2]) };
    rows.map(|row| (row[0].to_string(), window(&row))).collect()
}

/// Mean power by program and run of the authors' joined table at a frequency.
fn joined(folder: &Path, mhz: &str) -> BTreeMap<(String, String), f64> {
    let text = fs::read_to_string(folder.join("concatenated.data")).unwrap();
    let mut sums: BTreeMap<(String, String), (f64, f64)> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        if cells[3] == mhz {
            let sum = sums.entry((cells[1].into(), cells[2].into())).or_default();
            sum.0 += cells[7].parse::<f64>().unwrap();
            sum.1 += 1.0;
        }
    }
    sums.into_iter().map(|(key, (sum, count))| (key, sum / count)).collect()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The table was joined from other runs of the same programs than the logs are of, so that a
/// window's energy can differ by as much as two runs do: held against it are the sum over
/// all programs and the median program, and the difference of the table's own two runs is
/// printed beside it.
#[test]
fn window_energies_are_those_of_the_joined_table() {
    let Some(folder) = logs() else { return };
    for (khz, mhz) in [("1000000", "1000"), ("1500000", "1500"), ("2000000", "2000")] {
        let (series, table) = (sensors(&folder, khz), joined(&folder, mhz));
        let (mut apart, mut between) = (Vec::new(), Vec::new());
        let (mut own_j, mut table_j) = (0.0, 0.0);
        for (program, window) in windows(&folder, khz) {
            // The first program began before the first sample.
            let start_s = window.start_s.max(series.time_s[0]);
            let window = Window { start_s, ..window };
            let energy = integrate(&series, window).unwrap();
            let of = |run: &str| table[&(program.clone(), run.to_string())];
            let expected_j = 0.5 * (of("1") + of("2")) * window.duration().0;
            own_j += energy.trapezoid.0;
            table_j += expected_j;
            apart.push((energy.trapezoid.0 / expected_j - 1.0).abs());
            between.push((of("1") / of("2") - 1.0).abs());
        }
        let within = apart.iter().filter(|apart| **apart < 0.01).count();
        println!(
            "{mhz} MHz: sum {:+.2} %, median window {:.2} %, {within} of {} within 1 %; the \
             table's two runs: median {:.2} %, largest {:.2} %",
            100.0 * (own_j / table_j - 1.0),
            100.0 * median(&mut apart),
            apart.len(),
            100.0 * median(&mut between),
            100.0 * between[between.len() - 1]
        );
        assert!((own_j / table_j - 1.0).abs() < 0.01, "{mhz} MHz: {own_j} J, {table_j} J");
        assert!(median(&mut apart) < 0.01, "{mhz} MHz: {apart:?}");
    }
}

/// Accesses to the data cache per second, from the counters' log: it has its own time, which
/// begins at 0.
fn accesses(folder: &Path, khz: &str) -> (f64, Series) {
    let text = fs::read_to_string(folder.join(khz).join("events_raw.data")).unwrap();
    let start = text.lines().find_map(|line| line.strip_prefix("Start:")).unwrap();
    let mut series = Series::default();
    for line in text.lines() {
        let cells: Vec<&str> = line.split_whitespace().collect();
        if cells.len() == 3 && cells[2] == "r004" {
            let time_s: f64 = cells[0].parse().unwrap();
            let before = series.time_s.last().copied().unwrap_or(0.0);
            series.power_w.push(cells[1].parse::<f64>().unwrap() / (time_s - before));
            series.time_s.push(time_s);
        }
    }
    (seconds(start.trim()), series)
}

/// Counters and power of one run, each with a clock of its own, are brought together by what
/// they show. The true lag is known from the start time in the counters' log; the meter
/// shows power about half a second late (its average, and two samples a second).
#[test]
fn counters_and_power_are_aligned_by_what_they_show() {
    let Some(folder) = logs() else { return };
    for khz in ["1000000", "1500000", "2000000"] {
        let power = sensors(&folder, khz);
        let (start_s, counters) = accesses(&folder, khz);
        // Clocks that are within a minute of each other.
        let begin_s = power.time_s[0] - 37.0;
        let own = Series {
            time_s: power.time_s.iter().map(|time_s| time_s - begin_s).collect(),
            power_w: power.power_w.clone(),
        };
        let options = CorrelationOptions { step_s: 0.1, max_lag_s: 60.0 };
        let lag = align_by_correlation(&own, &counters, options).unwrap();
        let late_s = lag.lag_s - (start_s - begin_s);
        println!(
            "{khz} kHz: lag {:.3} s, {late_s:+.3} s from the true one, residual {:.3} s, \
             correlation {:.3}",
            lag.lag_s,
            lag.residual_s,
            lag.correlation.unwrap()
        );
        assert!((-0.2..0.8).contains(&late_s), "{late_s} s");
        assert!(lag.residual_s < 1.0, "{lag:?}");
        let marks = align_markers(&[(start_s - begin_s, 0.0)]).unwrap();
        assert!((marks.lag_s - lag.lag_s).abs() < 0.8);
    }
}
