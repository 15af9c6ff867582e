//! Methods drawn at random, full of loops, jumps and exceptions: where blocks follow from
//! others they are counted as where each has a probe. `WATTLINE_SEED` draws others.

use std::fmt::Write as _;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::java::{Build, has_jdk};
use super::{divided, with};
use wattline::blocks::Granularity;
use wattline::instrument::{InstrumentOptions, Probe, instrument};
use wattline::java::SourceFile;

#[test]
fn methods_drawn_by_lot_are_counted_as_with_all_probes() {
    drawn_methods_are_counted(40, &[(false, false), (true, true)]);
}

#[test]
#[ignore = "more methods and all options; scripts/nightly.sh runs it"]
fn many_methods_drawn_by_lot_are_counted_as_with_all_probes() {
    drawn_methods_are_counted(200, &[(false, false), (false, true), (true, false), (true, true)]);
}

/// For each pair: whether the world is closed, and whether loops are not watched.
fn drawn_methods_are_counted(methods: usize, options: &[(bool, bool)]) {
    if !has_jdk() {
        return;
    }
    let seed = std::env::var("WATTLINE_SEED").map_or(1, |seed| seed.parse().unwrap());
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let files = [SourceFile::parse("Drawn.java", program(&mut rng, methods))];
    // Names of locals, which messages would else have by their number in the frame.
    let debug = &["-g"];
    for granularity in [Granularity::Statement, Granularity::Expression] {
        let blocks = divided(&files, granularity);
        let logged = Build::new(&with(&files, &blocks, Probe::Log), debug).expect("it compiles");
        let expected = logged.run("Drawn");
        assert!(expected.ends_with("exit code Some(0)"), "{expected}");
        for &(closed_world, without_watched_loops) in options {
            let options = InstrumentOptions {
                closed_world,
                without_watched_loops,
                ..InstrumentOptions::default()
            };
            let sources = instrument(&files, &blocks, &options);
            let build = Build::new(&sources, debug).expect("it compiles");
            assert!(build.run("Drawn") == expected, "it prints something else");
            let (counted, logged) = (build.counts(), logged.counts());
            for (block, division) in blocks[0].blocks.iter().enumerate() {
                let name = &division.name;
                assert_eq!(
                    counted.get(&block).unwrap_or(&0),
                    logged.get(&block).unwrap_or(&0),
                    "{name}, closed world {closed_world}, without watched loops \
                     {without_watched_loops}:\n{}",
                    method_of(name, &files[0].text)
                );
            }
        }
    }
}

/// The text of the method that the block `name` is in.
fn method_of<'t>(name: &str, text: &'t str) -> &'t str {
    let method = name.split('(').next().unwrap().trim_start_matches("Drawn.");
    let at = text.find(&format!(" {method}(")).unwrap_or(0);
    let end = text[at..].find("\n    static").map_or(text.len(), |end| at + end);
    &text[at..end]
}

/// A program that calls each of its methods with several arguments, half of them on
/// another thread.
fn program(rng: &mut ChaCha8Rng, methods: usize) -> String {
    let mut text = "public class Drawn {
    static final RuntimeException KNOWN = new RuntimeException(\"known\");
    static final Object LOCK = new Object();
    static int fuel, steps;
    static int call(int n) { if (n % 5 == 2) throw KNOWN; return n + 1; }
    private static int small(int n) { return n * 3; }
"
    .to_owned();
    for method in 0..methods {
        writeln!(text, "    static int m{method}(int[] a, int n) {{").unwrap();
        writeln!(text, "        int s = n; int i = n & 7; int t = {method};").unwrap();
        let mut drawn = Drawn { rng, text: &mut text, depth: 0, labels: Vec::new(), names: 0 };
        drawn.run();
        text.push_str("        return s + t;\n    }\n");
    }
    text.push_str(
        "    static void all(int from, int to) {\n        int[] a = {3, -1, 4, 1, 5, 9};\n",
    );
    text.push_str("        for (int n = from; n < to; n++) {\n");
    for method in 0..methods {
        writeln!(
            text,
            "            fuel = 30; steps = 0; try {{ System.out.println(m{method}(n % 4 == 3 ? null : a.clone(), n)); }} \
             catch (RuntimeException e) {{ System.out.println(e); }}"
        )
        .unwrap();
    }
    text.push_str(
        "        }
    }
    public static void main(String[] args) throws Exception {
        all(-2, 6);
        Thread thread = new Thread(() -> all(6, 12));
        thread.start();
        thread.join();
    }
}
",
    );
    text
}

/// Statements that end soon: each round of a loop takes some of the fuel.
struct Drawn<'a> {
    rng: &'a mut ChaCha8Rng,
    text: &'a mut String,
    depth: usize,
    /// Labels in force, and whether they are those of loops.
    labels: Vec<(String, bool)>,
    names: usize,
}

impl Drawn<'_> {
    fn line(&mut self, text: &str) {
        writeln!(self.text, "        {text}").unwrap();
    }

    fn pick<'x>(&mut self, of: &[&'x str]) -> &'x str {
        of[self.rng.random_range(0..of.len())]
    }

    fn run(&mut self) {
        self.depth += 1;
        for _ in 0..self.rng.random_range(1..=3) {
            self.statement();
        }
        self.depth -= 1;
    }

    fn condition(&mut self) -> String {
        self.pick(&[
            "(i & 1) == 0",
            "a[i] > s",
            "s % 3 == 1",
            "i < a.length",
            "fuel % 7 < 3",
            "t > 5 && a[t & 7] != 1",
            "s < 0 || 9 / i > 2",
            "call(s) > t",
            "t < n",
        ])
        .to_owned()
    }

    fn statement(&mut self) {
        let deep = self.depth > 3;
        match self.rng.random_range(0..if deep { 7 } else { 16 }) {
            0 => self.line("s += a[i];"),
            1 => self.line("i++;"),
            2 => self.line("t = t * 5 % 11;"),
            3 => {
                let text = self.pick(&[
                    "s = a[s & 7] / t;",
                    "s += call(t);",
                    "a[i] = s % 10;",
                    "s -= small(t);",
                ]);
                self.line(text);
            }
            4 | 5 => self.jump(),
            6 => self.line("i = 0;"),
            7 | 8 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.run();
                if self.rng.random() {
                    self.line("} else {");
                    self.run();
                }
                self.line("}");
            }
            9 => self.line("for (int x : a) { if (x > t) continue; s += x; }"),
            10 => self.guarded(),
            11 => self.switch(),
            12 => {
                let label = self.label(false);
                self.line(&format!("{label}: {{"));
                self.run();
                self.line("}");
                self.labels.pop();
            }
            _ => self.a_loop(),
        }
    }

    fn label(&mut self, is_loop: bool) -> String {
        self.names += 1;
        let label = format!("l{}", self.names);
        self.labels.push((label.clone(), is_loop));
        label
    }

    fn jump(&mut self) {
        let condition = self.condition();
        let chosen = match self.labels.is_empty() {
            true => None,
            false => Some(self.labels[self.rng.random_range(0..self.labels.len())].clone()),
        };
        let jump = match (self.rng.random_range(0..6), chosen) {
            (0, _) => "return s;".to_owned(),
            (1, _) => "throw KNOWN;".to_owned(),
            (2 | 3, Some((label, true))) => format!("continue {label};"),
            (_, Some((label, _))) => format!("break {label};"),
            (_, None) => "return t;".to_owned(),
        };
        self.line(&format!("if ({condition}) {jump}"));
    }

    fn a_loop(&mut self) {
        let label = self.label(true);
        let condition = self.condition();
        match self.rng.random_range(0..5) {
            0 => {
                self.names += 1;
                let k = format!("k{}", self.names);
                let to = self.pick(&["3", "a.length", "2"]);
                // Without fuel only where few loops are around and inside.
                let burn = self.pick(&["", "fuel-- > 0 && "]);
                let burn = if self.depth < 3 { "fuel-- > 0 && " } else { burn };
                self.line(&format!("{label}: for (int {k} = 0; {burn}{k} < {to}; {k}++) {{"));
                self.rounds();
                self.line("}");
            }
            1 => {
                self.line(&format!("{label}: while (fuel-- > 0 && {condition}) {{"));
                self.rounds();
                self.line("}");
            }
            2 => {
                self.line(&format!("{label}: do {{"));
                self.rounds();
                self.line(&format!("}} while (fuel-- > 0 && {condition});"));
            }
            3 => {
                self.line(&format!("{label}: while (true) {{ if (fuel-- <= 0) break {label};"));
                self.rounds();
                self.line("}");
            }
            _ => {
                self.line(&format!(
                    "{label}: for (i = 0, t += a[i & 3];; i++, s += i) {{ if (fuel-- <= 0) break;"
                ));
                self.rounds();
                self.line("}");
            }
        }
        self.labels.pop();
    }

    /// The body of a loop, which ends however the rest was drawn.
    fn rounds(&mut self) {
        self.line("if (steps++ > 500) throw KNOWN;");
        self.run();
    }

    fn guarded(&mut self) {
        match self.rng.random_range(0..4) {
            0 => {
                self.line("synchronized (LOCK) {");
                self.run();
                self.line("}");
            }
            kind => {
                self.line("try {");
                self.run();
                if kind != 1 {
                    self.names += 1;
                    let types = "ArithmeticException | ArrayIndexOutOfBoundsException";
                    self.line(&format!("}} catch ({types} e{}) {{", self.names));
                    self.run();
                }
                if kind != 2 {
                    self.line("} finally {");
                    // A jump out of `finally` would be warned of.
                    self.line("t++; if (s > 3) i = 1;");
                }
                self.line("}");
            }
        }
    }

    fn switch(&mut self) {
        self.line("switch (s & 3) {");
        self.line("case 0: case 1:");
        self.run();
        let end = self.pick(&["break;", ""]);
        self.line(end);
        self.line("case 2:");
        self.run();
        self.line("break;");
        if self.rng.random() {
            self.line("default:");
            self.run();
        }
        self.line("}");
    }
}
