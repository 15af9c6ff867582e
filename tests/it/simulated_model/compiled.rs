//! The compiled chip: what it does on paper, and a campaign on it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use wattline::campaign::RunPhase;
use wattline::run::{MeasuredSession, RunRecord, read_journal};
use wattline::virtual_board::simulated_model::SimulatedModelFamily;

use super::super::bench::{Bench, rows as table};
use super::{compilation_j, compiled, counted_by, rows};

// Two calls of 5000 turns, and in each turn a load of either field.
#[test]
fn what_a_volatile_field_guards_stays_in_its_loop() {
    let dir = tempfile::tempdir().unwrap();
    let Some(()) = compiled(dir.path(), "Fresh", include_str!("Fresh.java")) else { return };
    let (session, chip) = (dir.path().join("session"), SimulatedModelFamily::Compiled(1));
    let Some(outcome) = counted_by(chip, dir.path(), "Fresh", &session, 1000) else { return };
    assert_eq!((outcome.code, outcome.output.as_str()), (Some(0), "5000 5000\n"));
    let patterns: BTreeMap<String, f64> = rows(&session, "patterns.csv", 1).into_iter().collect();
    assert!(patterns["compilation"] >= 1.0, "{patterns:?}");
    assert_eq!(patterns["Object get static field/int"], 20_000.0);
}

/// A figure that the agent's runtime was told.
fn figure(session: &Path, key: &str) -> f64 {
    let text = fs::read_to_string(session.join("agent.properties")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("{key}=")));
    line.unwrap().parse().unwrap()
}

// `calls` is called once and turns 20 000 times, and `next` is called in each turn. Both are
// compiled once they have run `hot` times: `calls` at the start of turn hot - 1 (its call
// counts, too), `next` in its call of that number. That call and the one after it are real
// ones, since only what is compiled already is inlined; all later ones are not: it has 14
// instructions, which no chip finds too many.
//
// `loads` turns 5000 times when it is called first: it is compiled at the start of turn
// hot - 1, and its loads of `scale` and of the length were executed in hot - 2 turns before
// that. Called again, it loads both once.
#[test]
fn a_compiler_does_what_it_does_on_paper() {
    let dir = tempfile::tempdir().unwrap();
    let Some(()) = compiled(dir.path(), "Warm", include_str!("Warm.java")) else { return };
    for seed in [1, 2, 3] {
        let session = dir.path().join(format!("session-{seed}"));
        let family = SimulatedModelFamily::Compiled(seed);
        let Some(outcome) = counted_by(family, dir.path(), "Warm", &session, 1000) else { return };
        assert_eq!((outcome.code, outcome.errors.as_str()), (Some(0), ""));
        assert_eq!(outcome.output, "200010000 0 0\n");
        let patterns: BTreeMap<String, f64> =
            rows(&session, "patterns.csv", 1).into_iter().collect();
        let hot = figure(&session, "hot");
        assert!(hot < 4900.0, "the loops are longer: {hot}");
        for (pattern, executions) in [
            ("Static method call", hot + 1.0 + 3.0),
            ("Object get static field/int", hot - 2.0 + 1.0),
            ("Array length/int", hot - 2.0 + 1.0),
            ("Array load/int", 10_000.0),
            // `calls`, `next`, `next` in it, `loads`
            ("compilation", 4.0),
        ] {
            assert_eq!(patterns.get(pattern), Some(&executions), "{pattern}, hot is {hot}");
        }
        assert!(!patterns.contains_key("index check"), "its index counts: {patterns:?}");
        let lines: f64 = rows(&session, "lines.csv", 2).iter().map(|row| row.1).sum();
        let compiled_j = compilation_j(&session);
        assert!(compiled_j > 0.0);
        let sum = lines + compiled_j;
        assert!((sum / outcome.energy_j - 1.0).abs() < 1e-12, "{sum} {}", outcome.energy_j);
        // The body of `next` spends on its own line, wherever it is compiled into.
        let line = |number: u32| {
            let key = format!("Warm.java {number}");
            rows(&session, "lines.csv", 2).iter().find(|row| row.0 == key).map(|row| row.1)
        };
        assert!(line(6).unwrap() > 20_000.0 * 4e-9 * 0.1, "{:?}", line(6));
    }
}

#[test]
fn places_of_a_compiled_chip_differ_as_no_sum_over_bytecodes_does() {
    let dir = tempfile::tempdir().unwrap();
    let Some(()) = compiled(dir.path(), "Pieces", &pieces(&BTreeSet::new())) else { return };
    let mut spent = Vec::new();
    for family in [
        SimulatedModelFamily::Additive,
        SimulatedModelFamily::Compiled(1),
        SimulatedModelFamily::Compiled(2),
    ] {
        let session = dir.path().join(family.to_string().replace(':', "-"));
        let run = counted_by(family, dir.path(), "Pieces", &session, 1000);
        if run.is_none() {
            return;
        }
        let lines: BTreeMap<String, f64> = rows(&session, "lines.csv", 2).into_iter().collect();
        spent.push(lines);
    }
    // Ratios of the same lines on two chips, as logarithms.
    let spread = |one: &BTreeMap<String, f64>, other: &BTreeMap<String, f64>| {
        let ratios: Vec<f64> =
            one.iter().filter_map(|(line, j)| Some((other.get(line)? / j).ln())).collect();
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        (ratios.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / ratios.len() as f64).sqrt()
    };
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        let spread = spread(&spent[one], &spent[other]);
        assert!(spread > 0.25, "{one} and {other}: {spread}");
    }
}

/// A class of methods with a piece of code each on lines of their own; those of `removed`
/// are left out, as a variant leaves out blocks.
fn pieces(removed: &BTreeSet<usize>) -> String {
    let mut text = String::from("public class Pieces {\n  static int[] a = new int[64];\n");
    for method in 0..4 {
        text += &format!("  static int m{method}(int x, float f) {{\n");
        for piece in 4 * method..4 * method + 4 {
            let code = match piece % 4 {
                0 => format!("for (int i = 0; i < x; i++) {{ a[i & 63] += {piece} * x; }}"),
                1 => format!("if (x > {piece}) {{ f = f * 1.5f + x; x -= {piece} & 3; }}"),
                2 => format!("while (x > {piece}) {{ x -= a[x & 63] + {piece}; }}"),
                _ => format!("{{ int y{piece} = x << 2; x ^= y{piece} + (int) f; }}"),
            };
            text += if removed.contains(&piece) { "" } else { &code };
            text += "\n";
        }
        text += "  return x;\n  }\n";
    }
    text + "  public static void main(String[] s) { int r = 0; for (int t = 0; t < 6000; t++) \
            { r += m0(9, 1f) + m1(9, 2f) + m2(9, 3f) + m3(9, 4f); } System.out.println(r); }\n}\n"
}

/// The hashes of the places on each line, from the agent's map.
fn places(session: &Path) -> BTreeMap<u32, BTreeSet<String>> {
    let mut lines: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    for line in fs::read_to_string(session.join("map.txt")).unwrap().lines() {
        let mut fields = line.split('\t');
        if fields.next() == Some("place") {
            let hash = fields.next().unwrap().to_string();
            for item in fields {
                let number = item.split(':').next().unwrap().parse().unwrap();
                lines.entry(number).or_default().insert(hash.clone());
            }
        }
    }
    lines
}

#[test]
fn a_place_stays_what_it_is_when_others_are_removed() {
    let whole = tempfile::tempdir().unwrap();
    let Some(()) = compiled(whole.path(), "Pieces", &pieces(&BTreeSet::new())) else { return };
    let run = |dir: &Path| {
        let session = dir.join("session");
        counted_by(SimulatedModelFamily::Compiled(1), dir, "Pieces", &session, 1000)?;
        Some(places(&session))
    };
    let Some(all) = run(whole.path()) else { return };
    let mut generator = 7_u64;
    for _ in 0..4 {
        let mut removed = BTreeSet::new();
        while removed.len() < 5 {
            generator = generator.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            removed.insert((generator >> 33) as usize % 16);
        }
        let variant = tempfile::tempdir().unwrap();
        compiled(variant.path(), "Pieces", &pieces(&removed)).unwrap();
        let left = run(variant.path()).unwrap();
        for piece in (0..16).filter(|piece| !removed.contains(piece)) {
            // Two lines of the class, then two more of each method; a piece's block at its
            // start may be one with what stood before it.
            let line = (2 + (piece / 4) * 7 + 2 + piece % 4) as u32;
            let kept = |lines: &BTreeMap<u32, BTreeSet<String>>| lines[&line].clone();
            let same = kept(&all).intersection(&kept(&left)).count();
            let bodies = if piece % 4 == 3 { 0 } else { 1 };
            assert!(same >= bodies, "without {removed:?}, piece {piece} on line {line} moved");
        }
    }
}

/// What a ground truth file's rows come to.
fn sum(session: &Path, file: &str, column: &str) -> f64 {
    table(&session.join(file)).iter().map(|row| row[column].parse::<f64>().unwrap()).sum()
}

#[test]
fn a_campaign_on_a_compiled_chip_measures_what_it_spent_and_says_which_chip() {
    let Some(bench) = Bench::new() else { return };
    let out = bench.out("out");
    let changes = [("cases = 4", "cases = 2"), ("dry_runs = 8", "dry_runs = 2")];
    let scenario = bench.scenario("tests/scenarios/tiny.toml", "s.toml", &changes);
    let folder = out.to_str().unwrap();
    let run = ["run", scenario.as_str(), "--out", folder];
    bench.good(&[&run[..], &["--simulated-model", "compiled:1"]].concat());
    let records = read_journal(&out).unwrap();
    assert!(records.iter().all(|run| run.board.simulated_model.as_deref() == Some("compiled:1")));
    let measured = |phase: RunPhase| {
        let of = move |run: &&RunRecord| run.is_good() && run.run.phase == phase;
        records.iter().filter(of).map(|run| (run, run.measured.as_ref().unwrap()))
    };
    let idle: Vec<f64> = measured(RunPhase::Idle).map(|(_, run)| run.mean_power_w()).collect();
    let idle_w = idle.iter().sum::<f64>() / idle.len() as f64;
    let above = |run: &MeasuredSession| run.energy_j - idle_w * run.duration_s;
    let (mut found, mut spent) = (0.0, 0.0);
    for (record, run) in measured(RunPhase::Power) {
        let session = out.join("board-ground-truth").join(record.run.id());
        let total = sum(&session, "total.csv", "energy_j");
        let compilation = sum(&session, "total.csv", "compilation_j");
        let lines = sum(&session, "lines.csv", "energy_j");
        assert!(
            (lines + compilation - total).abs() < 1e-9 * total,
            "{lines} {compilation} {total}"
        );
        assert!(compilation > 0.0, "some of it was compiled");
        found += above(run);
        spent += total + run.collections as f64 * 0.012;
    }
    println!("compiled:1: {found:.4} J above idle, {spent:.4} J spent");
    // The chip leaks more when warm, and writes its log.
    assert!((-0.01..0.03).contains(&(found / spent - 1.0)), "{found} J of {spent} J");

    let (code, said) = bench.wattline(&[&run[..], &["--resume"]].concat());
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("simulated energy model compiled:1") && said.contains("has additive"),
        "{said}"
    );
    let (code, said) = bench.wattline(&[&run[..], &["--simulated-model", "copper"]].concat());
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("compiled:SEED"), "{said}");
}
