//! A chip with a map of two methods, on paper.

use super::super::cost::attojoules;
use super::*;

/// Two methods: one that adds, touches an array and returns, and one that calls it at slot 1.
const MAP: &str = "pattern\t0\top:Addition/int\npattern\t1\treturn:int\npattern\t2\tcheck\n\
    pattern\t3\ttouch/4:int[]\npattern\t4\top:Static method call\npattern\t5\tbytes\n\
    pattern\t6\tgrow:int[]\npattern\t7\tcall:java.lang.Math.abs(int)\n\
    class\ta.A\tA.java\t-\tplain\n\
    method\tsmall\t(I)I\t-\t8\ncode\t1\t4\nplace\tabc\t3:0*1\t3:1r*1\t3:2c*1\t3:3*1\n\
    copy\t1\t1\tinterpreted\t0\n\
    method\tcaller\t()V\t-\t8\ncode\t2\t9\nplace\tdef\t7:0*2\t7:5*1024\t7:6*1024\t7:7*1\n\
    place\tdef\t8:4*1\ncopy\t2\t2\tinterpreted\t0\n";

/// Counters: 1 small, 2 and 3 its caller; 4 small compiled, 5 and 6 the caller compiled,
/// 7 small in its caller.
const COPIES: &str = "copy\t4\t1\tcompiled\t0\ncopy\t5\t2\tcompiled\t0\ncopy\t7\t1\tinlined\t6\n";

fn chip(seed: u64) -> CompiledModel {
    let mut chip = CompiledModel::new(seed, 1.0, false);
    chip.add_map_lines(MAP).unwrap();
    chip
}

fn energy(chip: &mut CompiledModel, executed: &[(usize, u64)]) -> u128 {
    chip.spend(executed).energy
}

#[test]
fn compilation_is_spent_once_and_is_no_lines() {
    let mut chip = chip(1);
    assert_eq!(energy(&mut chip, &[]), 0);
    chip.add_map_lines(COPIES).unwrap();
    let expected = 17 * u128::from(attojoules(chip.constants.compile_j()));
    assert_eq!(energy(&mut chip, &[]), expected, "4 + 9 + 4 instructions");
    assert_eq!(energy(&mut chip, &[]), 0);
    assert_eq!(chip.compilation.methods, 3);
}

/// Attojoules of patterns in a place with this factor, with a touch of the array.
fn on_paper(
    chip: &mut CompiledModel,
    joules: impl Fn(&ModelConstants, &str) -> Option<f64>,
    factor: f64,
    patterns: &[&str],
) -> u128 {
    let array = chip.caches.region("int[]");
    chip.caches.touch(array, 1000, 4);
    let touch = attojoules(chip.caches.settle()[array]);
    let price = |pattern: &&str| attojoules(joules(&chip.constants, pattern).unwrap() * factor);
    u128::from(touch) + patterns.iter().map(price).map(u128::from).sum::<u128>()
}

#[test]
fn a_state_has_prices_of_its_own() {
    let mut chip = chip(1);
    chip.add_map_lines(COPIES).unwrap();
    energy(&mut chip, &[]);
    let spent = [1, 4, 7].map(|at| energy(&mut chip, &[(at, 1000)]));
    let factor = |at: usize| {
        chip.draw
            .log_normal_factor(chip.constants.place_sigma, &chip.counters[at].context.to_le_bytes())
    };
    let factors = [4, 7].map(factor);
    assert_ne!(factors[0], factors[1], "another place");
    let [add, give, check] = ["op:Addition/int", "return:int", "check"];
    let (interpreted, compiled) = (ModelConstants::interpreted_j, ModelConstants::compiled_j);
    let paper = [
        on_paper(&mut chip, interpreted, 1.0, &[add, give]),
        on_paper(&mut chip, compiled, factors[0], &[add, give, check]),
        on_paper(&mut chip, compiled, factors[1], &[add, check]),
    ];
    assert_eq!(spent, paper.map(|energy| 1000 * energy));
    assert_eq!(chip.spend(&[(5, 2)]).bytes, 2048);
}

#[test]
fn lines_and_compilation_add_up_to_what_was_spent() {
    let mut chip = chip(2);
    let mut spent = energy(&mut chip, &[(1, 400), (2, 3), (3, 399)]);
    chip.add_map_lines(COPIES).unwrap();
    for executions in [7, 100_000] {
        let executed: Vec<(usize, u64)> = (1..8).map(|at| (at, executions)).collect();
        spent += energy(&mut chip, &executed);
    }
    let dir = tempfile::tempdir().unwrap();
    chip.ground_truth().write(dir.path(), 0).unwrap();
    let column = |file: &str, name: &str| -> f64 {
        let mut reader = csv::Reader::from_path(dir.path().join(file)).unwrap();
        let at = reader.headers().unwrap().iter().position(|header| header == name).unwrap();
        reader.records().map(|row| row.unwrap()[at].parse::<f64>().unwrap()).sum()
    };
    let total = column("total.csv", "energy_j");
    assert_eq!(total, super::super::cost::joules(spent));
    let compilation = column("total.csv", "compilation_j");
    for file in ["lines.csv", "methods.csv", "patterns.csv"] {
        let own = if file == "patterns.csv" { 0.0 } else { compilation };
        let sum = column(file, "energy_j") + own;
        assert!((sum / total - 1.0).abs() < 1e-12, "{file}: {sum} of {total}");
    }
}

#[test]
fn a_broken_map_is_told() {
    let mut chip = chip(1);
    assert!(chip.add_map_lines("pattern\t8\top:Sum/int\nplace\t1\t3:8*1\n").is_ok());
    assert!(
        chip.add_map_lines("copy\t9\t2\tcompiled\t0\n").unwrap_err().to_string().contains("Sum")
    );
    let mut chip = self::chip(1);
    chip.add_map_lines("pattern\t8\ttouch/x:A\nplace\t1\t3:8*1\n").unwrap();
    assert!(chip.add_map_lines("copy\t9\t2\tcompiled\t0\n").is_err());
}

#[test]
fn shares_are_all_that_was_spent() {
    let mut chip = chip(1);
    chip.add_map_lines(COPIES).unwrap();
    let executed = [(1, 5), (2, 3), (4, 100), (5, 7), (7, 50)];
    for has_compiled in [true, false] {
        let spent = super::super::cost::joules(energy(&mut chip, &executed));
        let shares = chip.shares(&executed);
        let sum: f64 = shares.iter().map(|share| share.energy_j).sum();
        assert!((sum / spent - 1.0).abs() < 1e-12, "{sum} of {spent}");
        let is_compiler = |share: &ReadingShare| share.code == ExecutedCode::Compiler;
        assert_eq!(shares.iter().any(is_compiler), has_compiled, "told once");
    }
}

#[test]
fn frames_are_those_of_symbols() {
    let mut chip = chip(1);
    chip.add_map_lines(COPIES).unwrap();
    let frames = |code| chip.frames(code).into_iter().map(|it| (it.symbol, it.origin));
    let own = |counter| frames(ExecutedCode::Own { counter }).collect::<Vec<_>>();
    assert_eq!(own(1), [("a.A.small".to_owned(), CodeOrigin::Dex)]);
    assert_eq!(own(4), [("int a.A.small(int)".to_owned(), CodeOrigin::Jit)]);
    let caller = ("void a.A.caller()".to_owned(), CodeOrigin::Jit);
    assert_eq!(own(7), std::slice::from_ref(&caller), "compiled into its caller");
    let library = frames(ExecutedCode::Library { counter: 5, pattern: 7 }).collect::<Vec<_>>();
    assert_eq!(library, [("java.lang.Math.abs".to_owned(), CodeOrigin::Library), caller]);
    assert_eq!(frames(ExecutedCode::Compiler).count(), 0);
    let address = |counter| chip.frames(ExecutedCode::Own { counter })[0].address;
    assert!([5, 6, 7].map(|at| address(at) >> 26).iter().all(|range| *range == 2), "its method's");
    assert!(address(5) != address(6) && address(6) != address(7));
}

#[test]
fn what_is_compiled_ahead_costs_no_compilation() {
    let mut chip = CompiledModel::new(1, 1.0, true);
    chip.add_map_lines(MAP).unwrap();
    chip.add_map_lines(COPIES).unwrap();
    assert_eq!((energy(&mut chip, &[]), chip.compilation.methods), (0, 0));
    let frames = chip.frames(super::share::ExecutedCode::Own { counter: 4 });
    assert_eq!(frames[0].origin, CodeOrigin::Ahead);
}
