//! Tests of the differences between two readings.

use wattline_units::limits::InputLimit;

use super::super::parse_reading;
use super::*;

fn advance(state: &mut JvmState, text: &str) -> Option<JvmCycle> {
    state.advance(&parse_reading(&format!("{text}end\n")).unwrap()).unwrap()
}

#[test]
fn a_running_frame_is_cut_at_the_cycle_and_never_counted_twice() {
    let mut state = JvmState::default();
    let start = "cycle 0 0 0\nproblem early\n\
                 method 0\ta.A\tx\t()V\t\t0\t0\nthread 5 0 t\nm 5 0 100 1 0 0 0 0\n";
    assert_eq!(advance(&mut state, start), None);
    let first = advance(&mut state, "cycle 1000000000 9 0\nthread 5 9 t\nrunning 5 0 70\n");
    let first = first.unwrap();
    assert_eq!(first.threads[0].methods[0].time_ns, 70.0);
    assert_eq!(first.problems, ["early"], "what the first reading says is not lost");
    assert!(first.duration_s == 1.0 && (first.cpu_s - 9e-9).abs() < 1e-15);
    // it has booked 90 meanwhile, of which 70 are counted, and runs again since 5
    let text = "cycle 2000000000 19 0\nthread 5 19 t\nm 5 0 190 2 0 0 0 0\nrunning 5 0 5\n";
    let second = advance(&mut state, text).unwrap();
    let method = second.threads[0].methods[0];
    assert_eq!((method.time_ns, method.calls), (25.0, 1));
}

#[test]
fn calls_of_windows_are_scaled_to_all_of_the_time() {
    let mut state = JvmState::default();
    advance(&mut state, "cycle 0 0 0\nthread 5 0 t\nm 5 0 100 7 0 0 0 0\n");
    // a tenth of the second was timed
    let text = "cycle 1000000000 9 100000000\nthread 5 9 t\nm 5 0 300 8 5 0 0 0\n";
    let cycle = advance(&mut state, text).unwrap();
    let method = cycle.threads[0].methods[0];
    assert_eq!((method.calls, method.estimated, cycle.timed_part), (51, 50, 0.1));
    // a clock that tells nothing scales nothing
    let text = "cycle 2000000000 19 100000000\nthread 5 19 t\nm 5 0 300 9 6 0 0 0\n";
    let method = advance(&mut state, text).unwrap().threads[0].methods[0];
    assert_eq!((method.calls, method.estimated), (2, 1));
}

/// What two threads did that have ended is one row, whose CPU time the agent may
/// not know.
#[test]
fn ended_threads_are_one() {
    let text = "cycle 1000 500 0\nm 5 0 100 1 0 0 0 0\nm 6 0 50 1 0 0 0 0\n";
    let mut state = JvmState::default();
    advance(&mut state, "cycle 0 0 0\nthread 5 0 t\n");
    let cycle = advance(&mut state, text).unwrap();
    let thread = &cycle.threads[0];
    assert_eq!((thread.id, thread.cpu_s, thread.methods.len()), (ENDED, None, 1));
    assert_eq!((thread.methods[0].time_ns, thread.methods[0].calls), (150.0, 2));
    let mut state = JvmState::from_start(0);
    let cycle = advance(&mut state, &format!("{text}thread 0 300 (ended)\n")).unwrap();
    assert_eq!((cycle.threads[0].cpu_s, cycle.cpu_s), (Some(300.0 * 1e-9), 500.0 * 1e-9));
}

#[test]
fn samples_are_summed_by_method_and_kept_by_path() {
    let mut state = JvmState::from_start(0);
    let text = "cycle 1000 500 0\nnode 0 -1 0\nnode 1 0 1\nnode 2 -1 1\nthread 5 90 t\n\
                s 5 1 40 4\ns 5 2 20 2\ns 5 -1 30 3\ns 9 1 0 1\nm 5 1 7 3 0 0 0 0\n";
    let cycle = advance(&mut state, text).unwrap();
    let thread = &cycle.threads[1];
    let method = &thread.methods[0];
    assert_eq!((method.method, method.sampled_ns, method.samples), (1, 60.0, 6));
    assert_eq!((method.calls, thread.weight()(method), thread.whole()), (3, 60.0, 90.0));
    assert_eq!(thread.stacks, [(1, 40.0), (2, 20.0)]);
    assert_eq!((cycle.threads[0].id, cycle.threads[0].methods[0].samples), (ENDED, 1));
    let text = "cycle 2000 600 0\nthread 5 120 t\ns 5 1 60 5\n";
    let cycle = advance(&mut state, text).unwrap();
    assert_eq!(cycle.threads[0].methods[0].sampled_ns, 20.0);
    assert_eq!(state.nodes()[1], JvmCallNode { parent: Some(0), method: 1 });
}

#[test]
fn a_clock_that_goes_back_gives_no_cycle() {
    let mut state = JvmState::default();
    advance(&mut state, "cycle 1000 0 0\n");
    assert_eq!(advance(&mut state, "cycle 900 0 0\n"), None);
    assert!(advance(&mut state, "cycle 1900 5 0\n").is_some());
}

/// A second in which each method had samples: the time is that of its lines, not of its
/// pairs.
#[test]
fn many_methods_in_one_thread_are_put_together_at_once() {
    let mut text = String::from("cycle 0 0 0\nthread 5 0 t\n");
    for number in 0..60_000 {
        text += &format!("method {number}\ta.A\tx\t()V\t\t0\t0\nnode {number} -1 {number}\n");
        text += &format!("s 5 {number} 1 1\n");
    }
    let cycle = advance(&mut JvmState::from_start(-9), &text).unwrap();
    assert_eq!(cycle.threads[0].stacks.len(), 60_000);
    assert_eq!(cycle.threads[0].whole(), 60_000.0);
}

#[test]
fn a_jvm_that_never_stops_to_grow_is_refused() {
    type Fill<'f> = &'f dyn Fn(&mut JvmReading, usize);
    let refused = |fill: Fill<'_>| {
        let mut state = JvmState::default();
        (0..30).find_map(|cycle| {
            let mut reading = JvmReading { now_ns: cycle, ..JvmReading::default() };
            reading.threads.insert(5, ("t".into(), 0));
            let first = 50_000 * usize::try_from(cycle).unwrap();
            (first..first + 50_000).for_each(|number| fill(&mut reading, number));
            state.advance(&reading).err()
        })
    };
    let node = |parent| JvmCallNode { parent, method: 0 };
    let named = |name: &str| JvmMethod { name: name.into(), ..JvmMethod::default() };
    let (short, long) = (named("x"), named(&"x".repeat(1 << 12)));
    let grown: [(InputLimit, Fill<'_>); 5] = [
        (AGENT_METHODS, &|reading, n| reading.methods.push((n, short.clone()))),
        (AGENT_NAME_BYTES, &|reading, n| reading.methods.push((n, long.clone()))),
        (AGENT_NODES, &|reading, n| reading.nodes.push((n, node(None)))),
        (AGENT_DEPTH, &|reading, n| reading.nodes.push((n, node(n.checked_sub(1))))),
        (AGENT_FIGURES, &|reading, n| {
            reading.sampled.insert((5, Some(n)), SampledFigures::default());
        }),
    ];
    for (limit, fill) in grown {
        assert_eq!(refused(fill).map(|exceeded| exceeded.limit), Some(limit));
    }
}

#[test]
fn no_path_goes_in_a_circle() {
    let mut state = JvmState::default();
    advance(&mut state, "cycle 0 0 0\nnode 0 0 1\nnode 1 2 1\nnode 2 1 1\n");
    let parents: Vec<_> = state.nodes().iter().map(|node| node.parent).collect();
    assert_eq!(parents, [None, None, Some(1)]);
}
