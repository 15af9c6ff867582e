//! The stream as a whole: what the paper asks of it.

use super::*;
use wattline_units::power::MeterCounter;

pub(super) const MS: u64 = 1_000_000;

/// A tenant for tests; 0 is idle.
pub(super) fn runner(tenant: u32) -> RunningTenant {
    let id = if tenant == 0 { TenantId::IDLE } else { TenantId(tenant + 4) };
    RunningTenant { tenant: id, thread: i64::from(tenant) }
}

pub(super) fn cycles(cycles: f64) -> Option<Counts> {
    Some(Counts { cycles: Some(cycles), ..Counts::default() })
}

/// A switch as Xen records it: only who leaves.
pub(super) fn leave(at_ms: u64, cpu: u32, tenant: u32, counted: f64) -> TenantRecord {
    let counts = cycles(counted);
    TenantRecord::Switch {
        at_ns: at_ms * MS,
        cpu,
        outgoing: Some(runner(tenant)),
        incoming: None,
        counts,
    }
}

/// A switch as Linux records it.
pub(super) fn switch(at_ms: u64, cpu: u32, from: u32, to: u32) -> TenantRecord {
    let (outgoing, incoming) = (Some(runner(from)), Some(runner(to)));
    TenantRecord::Switch { at_ns: at_ms * MS, cpu, outgoing, incoming, counts: None }
}

pub(super) fn joules(at_ms: u64, reading: u64) -> TenantRecord {
    TenantRecord::Energy { at_ns: at_ms * MS, meter: MeterId(0), reading }
}

/// A stream with a meter of joules, fed and finished; its windows and itself.
pub(super) fn run(
    options: StreamOptions,
    records: &[TenantRecord],
) -> (Vec<WindowView>, WindowStream) {
    let mut stream = WindowStream::new(options);
    stream.add_meter("test", MeterCounter { joules_per_count: 1.0, modulus: None });
    let mut windows = Vec::new();
    for record in records {
        stream.take(*record);
        windows.extend(std::iter::from_fn(|| stream.next_closed()));
    }
    stream.finish();
    windows.extend(std::iter::from_fn(|| stream.next_closed()));
    assert!(stream.total().is_conserved() && windows.iter().all(WindowView::is_conserved));
    (windows, stream)
}

pub(super) fn defaults() -> StreamOptions {
    StreamOptions::default()
}

pub(super) fn row(view: &WindowView, tenant: u32) -> TenantUse {
    let rows = view.rows();
    *rows.iter().find(|row| row.tenant == Some(runner(tenant).tenant)).unwrap()
}

/// What was metered before the log, or after it.
fn outside_j(view: &WindowView, tenant: TenantId) -> f64 {
    let rows = view.rows();
    rows.iter().find(|row| row.tenant == Some(tenant)).and_then(|row| row.energy_j).unwrap()
}

pub(super) fn unattributed(view: &WindowView) -> TenantUse {
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
    for charging in [RecordWindow::Spread, RecordWindow::Whole] {
        let options = StreamOptions { charging, ..defaults() };
        let records = [leave(0, 0, 1, 0.0), leave(100, 0, 1, 50.0), leave(150, 0, 2, 7.0)];
        let (windows, _) = run(options, &records);
        let counted = windows.iter().flat_map(WindowView::rows).filter_map(|row| row.cycles);
        let total: f64 = counted.sum();
        let (first, second) = (windows[0].rows(), windows[1].rows());
        assert!((total - 57.0).abs() < 1e-9);
        let of = |rows: &[TenantUse], t: u32| {
            rows.iter()
                .find(|r| r.tenant == Some(runner(t).tenant))
                .map_or(0.0, |r| r.cycles.unwrap_or(0.0))
        };
        match charging {
            // All of its time lies before the boundary.
            RecordWindow::Spread => assert_eq!((of(&first, 1), of(&second, 1)), (50.0, 0.0)),
            // A window holds its begin and not its end.
            RecordWindow::Whole => assert_eq!((of(&first, 1), of(&second, 1)), (0.0, 50.0)),
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
    for charging in [RecordWindow::Spread, RecordWindow::Whole] {
        let options = StreamOptions { charging, ring: 2, ..defaults() };
        let (windows, stream) = run(options, &records);
        let sum: f64 = windows.iter().filter_map(WindowView::total_j).sum();
        assert!((sum - 49.0 * 49.0).abs() < 1e-9, "{sum}");
        assert!((stream.total().total_j().unwrap() - sum).abs() < 1e-9);
    }
}

proptest::proptest! {
    /// Whatever the log covers of a meter, with gaps of any length: the parts are its difference.
    #[test]
    fn the_whole_is_the_meters_difference(
        steps in proptest::collection::vec((0..3_u8, 1..2_000_000_u64, 0..50_u64), 1..120),
        ring in 1..20_usize,
    ) {
        let (mut at_ms, mut reading, mut records) = (0, 5_u64, Vec::new());
        for (kind, step, used) in steps {
            // Seldom a step of up to half an hour, which is a jump of the log's clock.
            at_ms += if step % 13 == 0 { step } else { step % 300 + 1 };
            if kind == 0 {
                reading += used;
                records.push(joules(at_ms, reading));
            } else {
                records.push(switch(at_ms, u32::from(kind), (used % 4) as u32, (step % 4) as u32));
            }
        }
        let mut readings = records.iter().filter_map(|record| match record {
            TenantRecord::Energy { reading, .. } => Some(*reading),
            _ => None,
        });
        let first = readings.next();
        let expected = readings.next_back().zip(first).map(|(last, first)| (last - first) as f64);
        let has_log = records.iter().any(|record| matches!(record, TenantRecord::Switch { .. }));
        let (_, stream) = run(StreamOptions { ring, ..defaults() }, &records);
        let rows = stream.total().rows();
        let told: f64 = rows.iter().filter_map(|row| row.energy_j).sum();
        if let Some(expected) = expected.filter(|_| has_log) {
            let total = stream.total().total_j().unwrap();
            proptest::prop_assert!((total - expected).abs() < 1e-6, "{total} J of {expected} J");
            proptest::prop_assert!((told - expected).abs() < 1e-6, "{told} J of {expected} J");
        }
    }
}

#[test]
fn zero_cycles_and_no_records_are_unattributed() {
    let records = [joules(0, 0), leave(0, 0, 1, 0.0), leave(150, 0, 1, 0.0), joules(150, 15)];
    let (windows, _) = run(defaults(), &records);
    for window in &windows {
        assert_eq!(unattributed(window).energy_j, window.total_j());
        assert_eq!(window.basis(), "none");
    }
    assert_eq!(windows[0].total_j(), Some(10.0));
}

#[test]
fn what_is_metered_outside_of_the_log_is_nobodys() {
    // Thread 2 was last, at 5 s; the meter goes on to 10 s, and beyond the ring.
    let mut records = vec![joules(0, 0), switch(1_000, 0, 0, 1), switch(4_000, 0, 1, 2)];
    records.push(switch(5_000, 0, 2, 2));
    records.extend((1..=20).map(|half| joules(half * 500, half)));
    for ring in [5, 100] {
        let (windows, stream) = run(StreamOptions { ring, ..defaults() }, &records);
        let total = stream.total();
        let cpu_s: f64 = total.rows().iter().map(|row| row.cpu_s).sum();
        assert!((cpu_s - 4.0).abs() < 1e-9, "the CPU's time is that of the log: {cpu_s}");
        assert!((row(total, 2).cpu_s - 1.0).abs() < 1e-9);
        assert_eq!((total.start_ns, total.end_ns), (1_000 * MS, 5_000 * MS));
        let outside = total.outside_log().unwrap();
        // A second before the first switch and five after the last, 2 W each.
        assert!((outside_j(total, TenantId::BEFORE_LOG) - 2.0).abs() < 1e-9);
        assert!((outside_j(total, TenantId::AFTER_LOG) - 10.0).abs() < 1e-9);
        assert!((outside.energy_j - 12.0).abs() < 1e-9, "{outside:?}");
        assert!((outside.seconds - 6.0).abs() < 1e-9, "{outside:?}");
        assert!((total.total_j().unwrap() - 20.0).abs() < 1e-9);
        let sum: f64 = windows.iter().filter_map(WindowView::total_j).sum::<f64>();
        assert!((sum + stream.troubles().late_j - 20.0).abs() < 1e-9, "{sum}");
        // Power is that of the time which both cover.
        assert!((total.total_power_w().unwrap() - 2.0).abs() < 1e-9);
    }
    let (_, stream) = run(defaults(), &records);
    assert!((row(stream.total(), 2).energy_j.unwrap() - 2.0).abs() < 1e-9);
    assert!(unattributed(stream.total()).energy_j.unwrap().abs() < 1e-9, "rows of their own");
    // The switch at 5 s ends the last window, and makes none for itself.
    assert_eq!((stream.total().windows, stream.total().basis()), (40, "cpu-time".into()));
}

#[test]
fn a_meter_around_a_short_log_is_not_the_first_threads() {
    let records =
        [joules(0, 0), switch(50_000, 0, 7, 1), switch(50_001, 0, 1, 7), joules(100_000, 650)];
    let (_, stream) = run(defaults(), &records);
    let total = stream.total();
    assert!((row(total, 1).energy_j.unwrap() - 0.0065).abs() < 1e-9);
    // 6.5 W for 50 s before the log, and for 49.999 s after it.
    assert!((outside_j(total, TenantId::BEFORE_LOG) - 325.0).abs() < 1e-9);
    assert!((outside_j(total, TenantId::AFTER_LOG) - 324.9935).abs() < 1e-9);
    assert!(unattributed(total).energy_j.unwrap().abs() < 1e-9);
    assert!(stream.troubles().findings().is_empty(), "{:?}", stream.troubles());
}

#[test]
fn energy_of_no_record_is_no_tenants() {
    // The meter stops before the switches begin.
    let records = [joules(0, 0), joules(100, 3), switch(200, 0, 0, 1), switch(300, 0, 1, 0)];
    let (_, stream) = run(defaults(), &records);
    assert_eq!(row(stream.total(), 1).energy_j, None, "not 0 J");
    assert_eq!(outside_j(stream.total(), TenantId::BEFORE_LOG), 3.0);
    assert_eq!(unattributed(stream.total()).energy_j, Some(0.0));
    assert_eq!(stream.total().power_w(&row(stream.total(), 1)), None);
}

#[test]
fn power_is_over_the_time_that_was_metered() {
    // 64 W for the first four of twelve seconds.
    let mut records = vec![joules(0, 0), switch(0, 0, 0, 1)];
    records.extend((1..=40).map(|n| joules(n * 100, n * 64)).map(|record| match record {
        TenantRecord::Energy { at_ns, meter, reading } => {
            TenantRecord::Energy { at_ns, meter, reading: reading / 10 }
        }
        other => other,
    }));
    records.push(switch(12_000, 0, 1, 0));
    let (windows, stream) = run(StreamOptions { ring: 1_000, ..defaults() }, &records);
    let total = stream.total();
    assert!((total.metered_s.unwrap() - 4.0).abs() < 1e-9);
    assert!((total.power_w(&row(total, 1)).unwrap() - 64.0).abs() < 1e-9);
    assert_eq!(row(&windows[100], 1).energy_j, None, "not 0 J where nothing was metered");
}

#[test]
fn counts_that_no_cpu_can_do_are_left_out() {
    let mut records = vec![leave(0, 0, 1, 1e15)];
    records.extend((1..10).map(|n| leave(n * 10, 0, 1, 1e15 + n as f64 * 2e7)));
    let (_, stream) = run(defaults(), &records);
    assert_eq!((stream.troubles().counts, stream.troubles().impossible_counts), (9, 9));
    assert_eq!(row(stream.total(), 1).cycles, None, "shared by CPU time");
    // Told that they run on, they are 2 GHz.
    let counting = CounterMode::Running { bits: 60 };
    let (_, stream) = run(StreamOptions { counting, ..defaults() }, &records);
    assert_eq!(stream.troubles().impossible_counts, 0);
    assert!((row(stream.total(), 1).cycles.unwrap() - 1.8e8).abs() < 1.0);
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
fn a_stated_model_needs_no_meter() {
    let energy = EnergySource::Stated { idle_w: 2.0, busy_w: 12.0 };
    let records = [switch(0, 0, 0, 1), switch(50, 0, 1, 0), switch(100, 0, 0, 1)];
    let (windows, _) = run(StreamOptions { energy, ..defaults() }, &records);
    assert!((windows[0].total_j().unwrap() - 0.7).abs() < 1e-12);
    let (windows, _) = run(StreamOptions { energy: EnergySource::None, ..defaults() }, &records);
    assert_eq!((windows[0].total_j(), row(&windows[0], 1).share), (None, 1.0));
}

#[test]
fn views_of_the_ring_know_who_still_runs() {
    let mut stream = WindowStream::new(defaults());
    for record in [switch(0, 0, 0, 1), switch(150, 1, 0, 2), switch(1_010, 1, 2, 0)] {
        stream.take(record);
    }
    let second = stream.recent_windows(10);
    assert_eq!((second.windows, second.start_ns, second.end_ns), (10, 0, 1_000 * MS));
    assert!((row(&second, 1).cpu_s - 1.0).abs() < 1e-9, "it has not been switched since 0");
    assert_eq!(stream.recent_windows(1).windows, 1);
}

#[test]
fn memory_is_bounded_by_the_ring() {
    let mut stream = WindowStream::new(StreamOptions { ring: 5, ..defaults() });
    for at in 0..20_000 {
        stream.take(switch(at * 10, (at % 4) as u32, 0, 0));
        let held = std::iter::from_fn(|| stream.next_closed()).count();
        assert!(held <= 2, "{held} windows leave at once");
    }
    assert_eq!(stream.recent_windows(1_000).windows, 5, "besides the one that is under way");
}

/// Each gap is short enough for no jump of the clock, and its windows would be thousands.
#[test]
fn windows_grow_with_the_log_and_not_with_its_gaps() {
    let gap_ms = 600_000;
    let records: Vec<TenantRecord> = (0..400).map(|n| switch(n * gap_ms, 0, 1, 1)).collect();
    let (windows, stream) = run(defaults(), &records);
    assert!(windows.len() < 150_000, "{} windows of 2.4 million", windows.len());
    assert!(windows.len() > 50_000, "{} windows", windows.len());
    let troubles = stream.troubles();
    assert!(troubles.clock_steps > 0 && troubles.skipped_windows > 2_000_000, "{troubles:?}");
    assert_eq!(troubles.records, 400);
    // Three hours of one switch a second are none of these.
    let records: Vec<TenantRecord> = (0..10_800).map(|n| switch(n * 1000, 0, 1, 1)).collect();
    let (windows, stream) = run(defaults(), &records);
    assert_eq!((windows.len(), stream.troubles().clock_steps), (107_990, 0));
}
