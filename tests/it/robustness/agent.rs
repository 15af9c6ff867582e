//! Fuzz target: a JVM that is hostile to the monitor which reads its agent. Whatever it sends,
//! a reading is refused or becomes figures, and nothing panics or grows beyond its limits.

use bolero::TypeGenerator;
use wattline::assumptions::ASSUMED;
use wattline::attribution::monitor::jvm::{
    JvmCycle, JvmState, Lighten, Way, jvm_power, parse_greeting, parse_reading,
};

use super::fuzz::{Edit, duration};

/// A reading with every kind of line.
const READING: &str = include_str!("../../fuzz/agent-reading.txt");
const GREETING: &str = "wattline-monitor 3 pid=7 mode=instrumentation java=17.0.1 now=5\n";

/// A number that is likely to name something, or any.
#[derive(Debug, TypeGenerator)]
enum Number {
    Small(u8),
    Any(i64),
}

impl Number {
    fn text(&self) -> String {
        match self {
            Number::Small(small) => (small % 8).to_string(),
            Number::Any(any) => any.to_string(),
        }
    }
}

const KINDS: [&str; 9] =
    ["method", "node", "thread", "s", "m", "outside", "running", "problem", "cycle"];

/// A line of its own form, or nearly.
#[derive(Debug, TypeGenerator)]
struct Line {
    kind: u8,
    numbers: [Number; 8],
    is_longer: bool,
}

impl Line {
    fn text(&self) -> String {
        let kind = KINDS[usize::from(self.kind) % KINDS.len()];
        let length = match kind {
            "method" => {
                let number = self.numbers[0].text();
                return format!("method {number}\ta.A\tx\t(I)V\tA.java\t1\t2\n");
            }
            "node" | "outside" | "running" | "cycle" => 3,
            "s" => 4,
            "thread" | "problem" => 2,
            _ => 8,
        };
        let words =
            self.numbers.iter().map(Number::text).take(length + usize::from(self.is_longer));
        format!("{kind} {}\n", words.collect::<Vec<_>>().join(" "))
    }
}

#[derive(Debug, TypeGenerator)]
struct Answer {
    now: [Number; 3],
    #[generator(bolero::produce::<Vec<Line>>().with().len(0usize..30))]
    lines: Vec<Line>,
    #[generator(bolero::produce::<Vec<Edit>>().with().len(0usize..4))]
    edits: Vec<Edit>,
    is_seed: bool,
}

impl Answer {
    fn text(&self) -> String {
        let mut text = if self.is_seed {
            READING.to_owned()
        } else {
            let head: Vec<String> = self.now.iter().map(Number::text).collect();
            let lines: String = self.lines.iter().map(Line::text).collect();
            format!("cycle {}\n{lines}end\n", head.join(" "))
        };
        let mut bytes = std::mem::take(&mut text).into_bytes();
        let seeds = [READING.as_bytes().to_vec(), GREETING.as_bytes().to_vec()];
        self.edits.iter().for_each(|edit| edit.apply(&mut bytes, &seeds));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Shares energies as the monitor does.
fn share(cycle: &JvmCycle, state: &JvmState, lighten: &mut Lighten) {
    assert!(cycle.duration_s > 0.0 && cycle.cpu_s >= 0.0 && cycle.bytes() >= 0.0);
    lighten.after(cycle);
    if let Ok(power) = jvm_power(cycle, 12.0, Some(3.0)) {
        assert!(power.threads.iter().all(|thread| thread.cpu_j.is_finite()));
        assert!(!power.is_conserved() || power.rest_j.is_finite());
        for method in power.threads.iter().flat_map(|thread| &thread.methods) {
            assert!(!state.method(method.method).name.is_empty() || method.cpu_j.is_finite());
        }
    }
}

#[test]
fn a_hostile_jvm_is_read_whatever_it_sends() {
    let target = bolero::check!().with_type::<(bool, Vec<Answer>)>().with_test_time(duration());
    target.for_each(|(is_from_start, answers)| {
        let mut state = if *is_from_start { JvmState::from_start(5) } else { JvmState::default() };
        let mut lighten = Lighten::new(0.05, ASSUMED);
        for answer in answers {
            let text = answer.text();
            if let Ok(greeting) = parse_greeting(&text) {
                assert!(matches!(greeting.way, Way::Sampling | Way::Instrumentation));
            }
            let Ok(reading) = parse_reading(&text) else { continue };
            let Ok(cycle) = state.advance(&reading) else { return };
            cycle.iter().for_each(|cycle| share(cycle, &state, &mut lighten));
            let nodes = state.nodes().iter().enumerate();
            assert!(nodes.into_iter().all(|(at, node)| node.parent.is_none_or(|up| up < at)));
        }
    });
}

/// The seeds are what they are to be mutations of.
#[test]
fn the_seeds_are_honest() {
    assert!(parse_greeting(GREETING).is_ok());
    let reading = parse_reading(READING).unwrap();
    let cycle = JvmState::from_start(5).advance(&reading).unwrap().unwrap();
    assert!(jvm_power(&cycle, 12.0, Some(3.0)).unwrap().is_conserved());
}
