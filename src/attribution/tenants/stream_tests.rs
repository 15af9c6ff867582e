//! The stream as a whole: what the paper asks of it, and what goes wrong in real logs.

use proptest::prelude::*;

use super::*;
use crate::power::Counter;

const MS: u64 = 1_000_000;

/// A tenant for tests; 0 is idle.
fn runner(tenant: u32) -> Runner {
    let id = if tenant == 0 { TenantId::IDLE } else { TenantId(tenant + 2) };
    Runner { tenant: id, thread: i64::from(tenant) }
}

fn cycles(cycles: f64) -> Option<Counts> {
    Some(Counts { cycles: Some(cycles), ..Counts::default() })
}

/// A switch as Xen records it: only who leaves.
fn leave(at_ms: u64, cpu: u32, tenant: u32, counted: f64) -> Record {
    let counts = cycles(counted);
    Record::Switch {
        at_ns: at_ms * MS,
        cpu,
        outgoing: Some(runner(tenant)),
        incoming: None,
        counts,
    }
}

/// A switch as Linux records it.
fn switch(at_ms: u64, cpu: u32, from: u32, to: u32) -> Record {
    let (outgoing, incoming) = (Some(runner(from)), Some(runner(to)));
    Record::Switch { at_ns: at_ms * MS, cpu, outgoing, incoming, counts: None }
}

fn joules(at_ms: u64, reading: u64) -> Record {
    Record::Energy { at_ns: at_ms * MS, meter: MeterId(0), reading }
}

/// A stream with a meter of joules, fed and finished; its windows and itself.
fn run(options: StreamOptions, records: &[Record]) -> (Vec<View>, Stream) {
    let mut stream = Stream::new(options);
    stream.meter("test", Counter { joules_per_count: 1.0, modulus: None });
    let mut windows = Vec::new();
    for record in records {
        stream.take(*record);
        windows.extend(std::iter::from_fn(|| stream.next_closed()));
    }
    stream.finish();
    windows.extend(std::iter::from_fn(|| stream.next_closed()));
    assert!(stream.total().is_conserved() && windows.iter().all(View::is_conserved));
    (windows, stream)
}

fn defaults() -> StreamOptions {
    StreamOptions::default()
}

fn row(view: &View, tenant: u32) -> Row {
    let rows = view.rows();
    *rows.iter().find(|row| row.tenant == Some(runner(tenant).tenant)).unwrap()
}

fn unattributed(view: &View) -> Row {
    *view.rows().last().unwrap()
}

#[test]
fn power_follows_unhalted_cycles() {
    let records = [
        leave(0, 0, 1, 5.0),
        joules(0, 100),
        leave(30, 0, 1, 300.0),
        leave(60, 0, 2, 100.0),
        leave(99, 0, 0, 0.0),
        joules(99, 108),
    ];
    let (windows, stream) = run(defaults(), &records);
    assert_eq!(windows.len(), 1);
    let (one, two) = (row(&windows[0], 1), row(&windows[0], 2));
    assert_eq!((one.energy_j, two.energy_j), (Some(6.0), Some(2.0)));
    assert_eq!((one.cycles, one.share, windows[0].basis()), (Some(300.0), 0.75, "cycles".into()));
    assert_eq!(row(&windows[0], 0).energy_j, Some(0.0), "idle is a tenant without cycles");
    assert_eq!(stream.troubles().opening, 1, "the first count reaches back before the log");
}

#[test]
fn which_cpu_ran_what_makes_no_difference() {
    let on = |cpus: [u32; 4]| {
        let mut records = vec![joules(0, 0)];
        records.extend([0, 1, 2].map(|cpu| leave(0, cpu, 0, 0.0)));
        let turns = [(10, 1, 10.0), (40, 2, 20.0), (150, 1, 30.0), (260, 3, 40.0)];
        for ((at, tenant, counted), cpu) in turns.into_iter().zip(cpus) {
            // Each runs for 10 ms, idle before.
            records.push(leave(at, cpu, 0, 0.0));
            records.push(leave(at + 10, cpu, tenant, counted));
        }
        records.push(joules(300, 30));
        let (windows, _) = run(defaults(), &records);
        let mut energies = Vec::new();
        for window in windows {
            let of = |t: u32| {
                window
                    .rows()
                    .iter()
                    .find(|r| r.tenant == Some(runner(t).tenant))
                    .map(|r| r.energy_j)
            };
            energies.push([1, 2, 3].map(of));
        }
        energies
    };
    let expected = on([0, 0, 0, 0]);
    for cpus in [[0, 1, 2, 0], [2, 1, 0, 1], [1, 1, 2, 2]] {
        assert_eq!(on(cpus), expected, "{cpus:?}");
    }
}

#[test]
fn a_record_on_a_boundary_is_in_one_window() {
    for charging in [Charging::Spread, Charging::Whole] {
        let options = StreamOptions { charging, ..defaults() };
        let records = [leave(0, 0, 1, 0.0), leave(100, 0, 1, 50.0), leave(150, 0, 2, 7.0)];
        let (windows, _) = run(options, &records);
        let counted = windows.iter().flat_map(View::rows).filter_map(|row| row.cycles);
        let total: f64 = counted.sum();
        let (first, second) = (windows[0].rows(), windows[1].rows());
        assert!((total - 57.0).abs() < 1e-9);
        let of = |rows: &[Row], t: u32| {
            rows.iter()
                .find(|r| r.tenant == Some(runner(t).tenant))
                .map_or(0.0, |r| r.cycles.unwrap_or(0.0))
        };
        match charging {
            // All of its time lies before the boundary.
            Charging::Spread => assert_eq!((of(&first, 1), of(&second, 1)), (50.0, 0.0)),
            // A window holds its begin and not its end.
            Charging::Whole => assert_eq!((of(&first, 1), of(&second, 1)), (0.0, 50.0)),
        }
        assert_eq!(of(&second, 2), 7.0);
    }
}

#[test]
fn energy_of_windows_adds_up_to_the_counters_difference() {
    let mut records = vec![joules(0, 1_000)];
    for step in 1..50 {
        records.push(leave(step * 7, 0, (step % 3) as u32, step as f64));
        records.push(joules(step * 7, 1_000 + step * step));
    }
    for charging in [Charging::Spread, Charging::Whole] {
        let options = StreamOptions { charging, ring: 2, ..defaults() };
        let (windows, stream) = run(options, &records);
        let sum: f64 = windows.iter().filter_map(View::total_j).sum();
        assert!((sum - 49.0 * 49.0).abs() < 1e-9, "{sum}");
        assert!((stream.total().total_j().unwrap() - sum).abs() < 1e-9);
    }
}

#[test]
fn zero_cycles_and_no_records_are_unattributed() {
    let records =
        [joules(0, 0), leave(10, 0, 1, 0.0), leave(90, 0, 1, 0.0), joules(90, 9), joules(150, 15)];
    let (windows, _) = run(defaults(), &records);
    for window in &windows {
        assert_eq!(unattributed(window).energy_j, window.total_j());
        assert_eq!(window.basis(), "none");
    }
    assert_eq!(windows[0].total_j(), Some(10.0));
}

#[test]
fn without_counters_cpu_time_is_shared_by_and_it_says_so() {
    let records = [
        switch(0, 0, 0, 1),
        switch(0, 1, 0, 2),
        joules(0, 0),
        switch(60, 0, 1, 0),
        switch(80, 1, 2, 0),
        switch(100, 0, 0, 1),
        joules(100, 14),
    ];
    let (windows, stream) = run(defaults(), &records);
    assert_eq!(windows[0].basis(), "cpu-time");
    assert!((row(&windows[0], 1).energy_j.unwrap() - 6.0).abs() < 1e-9);
    assert!((row(&windows[0], 2).energy_j.unwrap() - 8.0).abs() < 1e-9);
    let cpu_s: f64 = windows[0].rows().iter().map(|row| row.cpu_s).sum();
    assert!((cpu_s - 0.2).abs() < 1e-12, "two CPUs, 100 ms: the open interval counts too");
    assert!(stream.troubles().findings().is_empty(), "{:?}", stream.troubles().findings());
    // Idle time with a weight of its own.
    let options = StreamOptions { idle_weight: 1.0, ..defaults() };
    let (windows, _) = run(options, &records);
    assert!((row(&windows[0], 0).energy_j.unwrap() - 14.0 * 60.0 / 200.0).abs() < 1e-9);
}

#[test]
fn who_runs_through_windows_pays_in_each() {
    let records = [switch(50, 0, 0, 1), switch(350, 0, 1, 0), switch(399, 0, 0, 1)];
    let (windows, _) = run(defaults(), &records);
    let cpu_ms: Vec<f64> = windows.iter().map(|window| row(window, 1).cpu_s * 1e3).collect();
    let expected = [50.0, 100.0, 100.0, 50.0];
    assert!(cpu_ms.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{cpu_ms:?}");
}

#[test]
fn who_runs_longer_than_the_ring_pays_in_every_window_once() {
    let options = StreamOptions { ring: 3, ..defaults() };
    // CPU 1 switches all the time and moves the ring on; CPU 0 does not for 2 s.
    let mut records = vec![switch(0, 0, 0, 1), switch(0, 1, 0, 2)];
    for at in 1..200 {
        let (from, to) = if at % 2 == 1 { (2, 3) } else { (3, 2) };
        records.push(switch(at * 10, 1, from, to));
    }
    records.push(switch(1_995, 0, 1, 0));
    let (windows, stream) = run(options, &records);
    let one: Vec<f64> = windows.iter().map(|window| row(window, 1).cpu_s * 1e3).collect();
    assert!(one.iter().take(19).all(|ms| (ms - 100.0).abs() < 1e-6), "{one:?}");
    assert!(
        (stream.total().rows().iter().map(|row| row.cpu_s).sum::<f64>() - 2.0 * 1.995).abs() < 1e-9
    );
    assert_eq!(stream.troubles().late, 0, "{:?}", stream.troubles());
}

#[test]
fn late_records_count_in_their_window_or_are_told() {
    let options = StreamOptions { ring: 4, ..defaults() };
    let records = [
        leave(0, 0, 0, 0.0),
        leave(0, 1, 0, 0.0),
        leave(250, 0, 1, 10.0),
        // Of the first window, which is still held.
        leave(90, 1, 2, 5.0),
        leave(450, 0, 1, 10.0),
        // The first window has left by now: 10 of 60 ms.
        leave(150, 1, 2, 60.0),
        // Wholly too late.
        leave(20, 2, 3, 1.0),
    ];
    let (windows, stream) = run(options, &records);
    assert!((row(&windows[0], 2).cycles.unwrap() - 5.0).abs() < 1e-9);
    let troubles = stream.troubles();
    assert_eq!(troubles.late, 2, "{troubles:?}");
    assert!((troubles.late_cycles - 11.0).abs() < 1e-9);
    assert!(troubles.findings().concat().contains("--ring"));
}

#[test]
fn late_energy_is_unattributed_and_adds_up() {
    let options = StreamOptions { ring: 2, ..defaults() };
    let records = [joules(0, 0), switch(0, 0, 0, 1), switch(350, 0, 1, 0), joules(400, 40)];
    let (_, stream) = run(options, &records);
    let troubles = stream.troubles();
    assert!(troubles.late_j > 0.0);
    assert_eq!(stream.total().total_j().map(f64::round), Some(40.0));
    assert!(unattributed(stream.total()).energy_j.unwrap() >= troubles.late_j - 1e-9);
}

#[test]
fn lost_records_leave_time_unattributed() {
    // Thread 1 came, thread 3 leaves: what happened in between is not known.
    let records = [
        joules(0, 0),
        switch(0, 0, 0, 1),
        switch(50, 0, 3, 2),
        switch(100, 0, 2, 1),
        joules(100, 10),
    ];
    let (windows, stream) = run(defaults(), &records);
    assert!((unattributed(&windows[0]).energy_j.unwrap() - 5.0).abs() < 1e-9);
    assert_eq!((stream.troubles().mismatched, stream.troubles().unknown_ns), (1, 5e7));
    // The recorder says itself that it lost some.
    let lost = Record::Lost { cpu: Some(0), records: 70 };
    let records = [
        joules(0, 0),
        switch(0, 0, 0, 1),
        lost,
        switch(50, 0, 1, 2),
        switch(100, 0, 2, 1),
        joules(100, 10),
    ];
    let (windows, stream) = run(defaults(), &records);
    assert!((unattributed(&windows[0]).energy_j.unwrap() - 5.0).abs() < 1e-9);
    assert_eq!(stream.troubles().lost, 70);
}

#[test]
fn disordered_switches_keep_their_counts() {
    let records =
        [leave(0, 0, 0, 0.0), leave(50, 0, 1, 10.0), leave(40, 0, 2, 5.0), leave(60, 0, 1, 1.0)];
    let (windows, stream) = run(defaults(), &records);
    assert_eq!(row(&windows[0], 2).cycles, Some(5.0));
    assert_eq!(row(&windows[0], 1).cycles, Some(11.0));
    assert_eq!(stream.troubles().disordered, 1);
}

#[test]
fn running_counters_wrap_at_40_and_48_bits() {
    for bits in [40, 48] {
        let top = f64::from(bits).exp2();
        let options =
            StreamOptions { counting: Counting::Running { bits: bits as u32 }, ..defaults() };
        let records =
            [leave(0, 0, 0, top - 100.0), leave(30, 0, 1, top - 40.0), leave(60, 0, 2, 20.0)];
        let (windows, stream) = run(options, &records);
        assert_eq!(
            (row(&windows[0], 1).cycles, row(&windows[0], 2).cycles),
            (Some(60.0), Some(60.0))
        );
        assert_eq!(stream.troubles().counter_wraps, 1);
    }
}

#[test]
fn a_cpu_off_line_is_charged_to_nobody() {
    let plug = |at_ms: u64, is_online| Record::Hotplug { at_ns: at_ms * MS, cpu: 0, is_online };
    let records = [
        switch(0, 0, 0, 1),
        plug(20, false),
        plug(80, true),
        switch(90, 0, 0, 2),
        switch(95, 0, 2, 0),
    ];
    let (windows, stream) = run(defaults(), &records);
    let cpu_ms = |t| (row(&windows[0], t).cpu_s * 1e3).round();
    assert_eq!((cpu_ms(1), cpu_ms(0), cpu_ms(2)), (20.0, 10.0, 5.0));
    assert_eq!((stream.troubles().hotplugs, stream.troubles().mismatched), (2, 0));
}

#[test]
fn steps_of_the_clock_start_anew() {
    // Back for good.
    let mut records = vec![switch(100_000, 0, 0, 1), switch(100_050, 0, 1, 0)];
    for at in 0..200 {
        let (from, to) = if at % 2 == 0 { (0, 1) } else { (1, 0) };
        records.push(switch(at, 0, from, to));
    }
    let (_, stream) = run(defaults(), &records);
    assert_eq!(stream.troubles().clock_steps, 1, "{:?}", stream.troubles());
    assert!(stream.total().rows().iter().map(|row| row.cpu_s).sum::<f64>() > 0.1);
    // Forward by years.
    let records = [
        switch(0, 0, 0, 1),
        switch(50, 0, 1, 0),
        switch(1 << 43, 0, 0, 1),
        switch((1 << 43) + 10, 0, 1, 0),
    ];
    let (windows, stream) = run(defaults(), &records);
    assert_eq!((windows.len(), stream.troubles().clock_steps), (2, 1));
}

#[test]
fn a_stated_model_needs_no_meter() {
    let energy = Energy::Stated { idle_w: 2.0, busy_w: 12.0 };
    let records = [switch(0, 0, 0, 1), switch(50, 0, 1, 0), switch(100, 0, 0, 1)];
    let (windows, _) = run(StreamOptions { energy, ..defaults() }, &records);
    assert!((windows[0].total_j().unwrap() - 0.7).abs() < 1e-12);
    let (windows, _) = run(StreamOptions { energy: Energy::None, ..defaults() }, &records);
    assert_eq!((windows[0].total_j(), row(&windows[0], 1).share), (None, 1.0));
}

#[test]
fn views_of_the_ring_know_who_still_runs() {
    let mut stream = Stream::new(defaults());
    for record in [switch(0, 0, 0, 1), switch(150, 1, 0, 2), switch(1_010, 1, 2, 0)] {
        stream.take(record);
    }
    let second = stream.recent(10);
    assert_eq!((second.windows, second.start_ns, second.end_ns), (10, 0, 1_000 * MS));
    assert!((row(&second, 1).cpu_s - 1.0).abs() < 1e-9, "it has not been switched since 0");
    assert_eq!(stream.recent(1).windows, 1);
}

#[test]
fn memory_is_bounded_by_the_ring() {
    let mut stream = Stream::new(StreamOptions { ring: 5, ..defaults() });
    for at in 0..20_000 {
        stream.take(switch(at * 10, (at % 4) as u32, 0, 0));
        let held = std::iter::from_fn(|| stream.next_closed()).count();
        assert!(held <= 2, "{held} windows leave at once");
    }
    assert_eq!(stream.recent(1_000).windows, 4, "five are held, and one is not over");
}

/// Any sequence of records, good or not.
fn any_record() -> impl Strategy<Value = Record> {
    let at = prop_oneof![8 => 0..3_000_u64, 1 => 0..10_000_000_u64, 1 => any::<u64>()];
    let tenant = 0..4_u32;
    prop_oneof![
        6 => (at.clone(), 0..3_u32, tenant.clone(), tenant.clone(), proptest::option::of(0..1_000_000_u32)).prop_map(
            |(at, cpu, from, to, counted)| {
                let at_ns = at.saturating_mul(MS);
                let counts = counted.and_then(|counted| cycles(f64::from(counted)));
                let (outgoing, incoming) = (Some(runner(from)), Some(runner(to)));
                Record::Switch { at_ns, cpu, outgoing, incoming, counts }
            }
        ),
        3 => (at.clone(), 0..1_000_u64).prop_map(|(at, reading)| {
            Record::Energy { at_ns: at.saturating_mul(MS), meter: MeterId(0), reading }
        }),
        1 => (at.clone(), at.clone(), tenant, 0.0..1e9).prop_map(|(a, b, tenant, cpu_ns)| Record::Use {
            start_ns: a.min(b).saturating_mul(MS),
            end_ns: a.max(b).saturating_mul(MS),
            tenant: runner(tenant).tenant,
            cpu_ns,
            counts: None,
        }),
        1 => (at, any::<u32>(), any::<bool>()).prop_map(|(at, cpu, is_online)| {
            Record::Hotplug { at_ns: at.saturating_mul(MS), cpu, is_online }
        }),
        1 => (proptest::option::of(0..3_u32), 0..9_u64).prop_map(|(cpu, records)| Record::Lost { cpu, records }),
    ]
}

proptest! {
    #[test]
    fn whatever_comes_is_conserved(
        records in proptest::collection::vec(any_record(), 0..120),
        ring in 1..20_usize, whole in any::<bool>(), running in any::<bool>(), idle_weight in 0.0..2.0,
    ) {
        let options = StreamOptions {
            ring,
            charging: if whole { Charging::Whole } else { Charging::Spread },
            counting: if running { Counting::Running { bits: 40 } } else { Counting::Cleared },
            idle_weight,
            ..defaults()
        };
        let (windows, stream) = run(options, &records);
        let energy: f64 = windows.iter().filter_map(View::total_j).sum::<f64>() + stream.troubles().late_j;
        let total = stream.total().total_j().unwrap_or(0.0);
        prop_assert!((energy - total).abs() <= 1e-6 * energy.abs().max(1.0));
        for window in &windows {
            let rows = window.rows();
            prop_assert!(rows.iter().all(|row| row.share > -1e-9 && row.share < 1.0 + 1e-9));
            let names = Names::default();
            let _ = rows_csv(window, &names, &Table::default(), 0);
        }
    }

    #[test]
    fn on_time_in_order_no_cpu_time_is_lost_or_made(
        steps in proptest::collection::vec((1..400_u64, 0..3_u32, 0..4_u32), 1..80), ring in 1..9_usize,
    ) {
        let mut at = 0;
        let mut on = [1_u32, 2, 3];
        let mut records: Vec<Record> = (0..3).map(|cpu| switch(0, cpu, 0, on[cpu as usize])).collect();
        for (step, cpu, next) in steps {
            at += step;
            let from = std::mem::replace(&mut on[cpu as usize], next);
            records.push(switch(at, cpu, from, next));
        }
        let (windows, stream) = run(StreamOptions { ring, ..defaults() }, &records);
        let cpu_s: f64 = windows.iter().flat_map(View::rows).map(|row| row.cpu_s).sum();
        prop_assert!((cpu_s - 3.0 * at as f64 * 1e-3).abs() < 1e-6, "{cpu_s} of {}", 3 * at);
        prop_assert_eq!(stream.troubles().late, 0);
    }
}
