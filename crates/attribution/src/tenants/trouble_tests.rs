//! The stream as a whole: what goes wrong in real logs, and anything at all.

use proptest::prelude::*;

use super::stream_tests::{
    MS, cycles, defaults, joules, leave, row, run, runner, switch, unattributed,
};
use super::*;

#[test]
fn late_records_count_in_their_window_or_are_told() {
    let options = StreamOptions { ring: 4, ..defaults() };
    let records = [
        leave(0, 0, 0, 0.0),
        leave(0, 1, 0, 0.0),
        leave(250, 0, 1, 10.0),
        // Of the first window, which is still held.
        leave(90, 1, 2, 5.0),
        leave(550, 0, 1, 10.0),
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
    let lost = TenantRecord::Lost { cpu: Some(0), records: 70 };
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
    // Also before the first record of the CPU.
    let lost = TenantRecord::Lost { cpu: Some(1), records: 1 };
    let records = [switch(0, 0, 0, 1), lost, switch(80, 1, 2, 3), switch(100, 0, 1, 0)];
    let (windows, _) = run(defaults(), &records);
    assert!((unattributed(&windows[0]).cpu_s - 0.08).abs() < 1e-12);
}

#[test]
fn counted_whole_nothing_is_counted_twice_or_lost() {
    let options = StreamOptions { ring: 2, charging: RecordWindow::Whole, ..defaults() };
    let records =
        [switch(0, 0, 0, 1), switch(0, 1, 0, 2), switch(900, 1, 2, 3), switch(950, 0, 1, 0)];
    let (windows, stream) = run(options, &records);
    let cpu_s: f64 = windows.iter().flat_map(WindowView::rows).map(|row| row.cpu_s).sum();
    assert!((cpu_s - 1.85).abs() < 1e-9, "{cpu_s}");
    assert_eq!(stream.troubles().late, 0);
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
            StreamOptions { counting: CounterMode::Running { bits: bits as u32 }, ..defaults() };
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
    let plug =
        |at_ms: u64, is_online| TenantRecord::Hotplug { at_ns: at_ms * MS, cpu: 0, is_online };
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

/// Any sequence of records, good or not.
fn any_record() -> impl Strategy<Value = TenantRecord> {
    let at = prop_oneof![8 => 0..3_000_u64, 1 => 0..10_000_000_u64, 1 => any::<u64>()];
    let tenant = 0..4_u32;
    prop_oneof![
        6 => (at.clone(), 0..3_u32, tenant.clone(), tenant.clone(), proptest::option::of(0..1_000_000_u32)).prop_map(
            |(at, cpu, from, to, counted)| {
                let at_ns = at.saturating_mul(MS);
                let counts = counted.and_then(|counted| cycles(f64::from(counted)));
                let (outgoing, incoming) = (Some(runner(from)), Some(runner(to)));
                TenantRecord::Switch { at_ns, cpu, outgoing, incoming, counts }
            }
        ),
        3 => (at.clone(), 0..1_000_u64).prop_map(|(at, reading)| {
            TenantRecord::Energy { at_ns: at.saturating_mul(MS), meter: MeterId(0), reading }
        }),
        1 => (at.clone(), at.clone(), tenant, 0.0..1e9).prop_map(|(a, b, tenant, cpu_ns)| TenantRecord::Use {
            start_ns: a.min(b).saturating_mul(MS),
            end_ns: a.max(b).saturating_mul(MS),
            tenant: runner(tenant).tenant,
            cpu_ns,
            counts: None,
        }),
        1 => (at, any::<u32>(), any::<bool>()).prop_map(|(at, cpu, is_online)| {
            TenantRecord::Hotplug { at_ns: at.saturating_mul(MS), cpu, is_online }
        }),
        1 => (proptest::option::of(0..3_u32), 0..9_u64).prop_map(|(cpu, records)| TenantRecord::Lost { cpu, records }),
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
            charging: if whole { RecordWindow::Whole } else { RecordWindow::Spread },
            counting: if running { CounterMode::Running { bits: 40 } } else { CounterMode::Cleared },
            idle_weight,
            ..defaults()
        };
        let (windows, stream) = run(options, &records);
        let energy: f64 = windows.iter().filter_map(WindowView::total_j).sum::<f64>() + stream.troubles().late_j;
        let total = stream.total().total_j().unwrap_or(0.0);
        prop_assert!((energy - total).abs() <= 1e-6 * energy.abs().max(1.0));
        for window in &windows {
            let rows = window.rows();
            prop_assert!(rows.iter().all(|row| row.share > -1e-9 && row.share < 1.0 + 1e-9));
            let names = TenantNames::default();
            let _ = rows_csv(window, &names, &TenantTable::default(), 0);
        }
    }

    #[test]
    fn on_time_in_order_no_cpu_time_is_lost_or_made(
        steps in proptest::collection::vec((1..400_u64, 0..3_u32, 0..4_u32), 1..80), ring in 1..9_usize,
    ) {
        let mut at = 0;
        let mut on = [1_u32, 2, 3];
        let mut records: Vec<TenantRecord> = (0..3).map(|cpu| switch(0, cpu, 0, on[cpu as usize])).collect();
        for (step, cpu, next) in steps {
            at += step;
            let from = std::mem::replace(&mut on[cpu as usize], next);
            records.push(switch(at, cpu, from, next));
        }
        let (windows, stream) = run(StreamOptions { ring, ..defaults() }, &records);
        let cpu_s: f64 = windows.iter().flat_map(WindowView::rows).map(|row| row.cpu_s).sum();
        prop_assert!((cpu_s - 3.0 * at as f64 * 1e-3).abs() < 1e-6, "{cpu_s} of {}", 3 * at);
        prop_assert_eq!(stream.troubles().late, 0);
    }
}
