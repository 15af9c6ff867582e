//! Inputs: lines of real recorders, and damage.

use std::io::Cursor;

use proptest::prelude::*;

use super::*;
use crate::monitor::formulas::parse_soc;
use crate::perfetto::TraceReader;
use crate::perfetto::encode::{TraceEncoder, cpu_frequency, thread_switch};

/// Recorded with `perf sched record` and `perf record --switch-events`, perf 6.1.
const PERF: &str = "\
            perf 21080 [000] 46874.749084: sched:sched_stat_runtime: comm=perf pid=21080 runtime=30626 [ns]
            perf 21080 [000] 46874.749095:       sched:sched_switch: prev_comm=perf prev_pid=21080 prev_prio=120 prev_state=D ==> next_comm=migration/0 next_pid=18 next_prio=0
     migration/0    18 [000] 46874.749123:       sched:sched_switch: prev_comm=migration/0 prev_pid=18 prev_prio=0 prev_state=S ==> next_comm=gzip next_pid=21082 next_prio=120
           mandb 21036 [001] 46874.749683:       sched:sched_switch: prev_comm=mandb prev_pid=21036 prev_prio=120 prev_state=D ==> next_comm=lto cgu.15 next_pid=21084 next_prio=130
           :1881  1881 [001] 47957.004437: PERF_RECORD_LOST lost 70
";

fn perf(by: ThreadGrouping, text: &str) -> (Vec<TenantRecord>, TenantNames, PerfReader, Troubles) {
    let (mut perf, mut names, mut troubles) =
        (PerfReader::new(by), TenantNames::default(), Troubles::default());
    let mut records = Vec::new();
    for line in text.lines() {
        perf.line(line, &mut names, &mut troubles, |record| records.push(record));
    }
    perf.finish(|record| records.push(record));
    (records, names, perf, troubles)
}

fn leaving(records: &[TenantRecord], names: &TenantNames) -> Vec<String> {
    let name = |record: &TenantRecord| match record {
        TenantRecord::Switch { outgoing: Some(runner), .. } => {
            Some(names.name(runner.tenant).to_owned())
        }
        _ => None,
    };
    records.iter().filter_map(name).collect()
}

#[test]
fn lines_of_perf_sched() {
    let (records, names, _, troubles) = perf(ThreadGrouping::Name, PERF);
    assert_eq!(leaving(&records, &names), ["perf", "migration", "mandb"]);
    assert_eq!(records[3], TenantRecord::Lost { cpu: Some(1), records: 70 });
    assert_eq!(troubles.unreadable, 0);
    let TenantRecord::Switch { at_ns, cpu, incoming, .. } = records[2] else { panic!() };
    assert_eq!((at_ns, cpu, incoming.unwrap().thread), (46_874_749_683_000, 1, 21_084));
}

#[test]
fn counters_sampled_at_the_switch_belong_to_who_leaves() {
    let text = "\
     migration/0    18 [000] 47849.467067: sched:sched_switch: prev_comm=migration/0 prev_pid=18 prev_prio=0 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
     migration/0    18 [000] 47849.467067:      43105         task-clock:  ffffffff821f8b58 __schedule+0x618 ([kernel.kallsyms])
     migration/0    18 [000] 47849.467067:      99000 cycles:  ffffffff821f8b58 __schedule+0x618 ([kernel.kallsyms])
         swapper     0 [000] 47849.467246: sched:sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=VM Periodic Tas next_pid=28777 next_prio=120
";
    let (records, _, perf, _) = perf(ThreadGrouping::Name, text);
    assert_eq!((perf.has_cycles(), perf.counters()), (true, &["task-clock".to_owned()][..]));
    let TenantRecord::Switch { counts: Some(counts), .. } = records[0] else { panic!() };
    assert_eq!((counts.cycles, counts.others[0]), (Some(99_000.0), 43_105.0));
    let TenantRecord::Switch { outgoing, counts, .. } = records[1] else { panic!() };
    assert_eq!((outgoing.unwrap().tenant, counts), (TenantId::IDLE, None));
}

#[test]
fn switch_events_threads_processes_and_old_forms() {
    let wide = "\
           rustc 15948/15950 [001] 47848.106561: PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid: 28747/6534
           clock 28747/6534  [001] 47848.106562: PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid: 15948/15950
           rustc 15948/15948 [001] 47848.106687: PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid:     0/0
";
    let (records, names, ..) = perf(ThreadGrouping::Process, wide);
    assert_eq!(leaving(&records, &names), ["rustc/15948", "rustc/15948"]);
    let (records, names, ..) = perf(ThreadGrouping::Thread, wide);
    assert_eq!(leaving(&records, &names), ["rustc/15950", "rustc/15948"]);
    let old = "bash  1234 [002] d..2. 12.5: sched:sched_switch: bash:1234 [120] S ==> swapper/2:0 [120]\n";
    let (records, names, ..) = perf(ThreadGrouping::Name, old);
    assert_eq!(leaving(&records, &names), ["bash"]);
    let TenantRecord::Switch { at_ns, incoming, .. } = records[0] else { panic!() };
    assert_eq!((at_ns, incoming.unwrap().tenant), (12_500_000_000, TenantId::IDLE));
    // A name that looks like the rest of the line.
    let odd = "a [1] b 7 [000] 1.000001: sched:sched_switch: prev_comm=a [1] b prev_pid=7 prev_prio=1 prev_state=R ==> next_comm=x prev_pid=1 next_pid=8 next_prio=1\n";
    let (records, names, ..) = perf(ThreadGrouping::Name, odd);
    assert_eq!(leaving(&records, &names), ["a [1] b"]);
}

/// A thread: its name and number.
type Named<'a> = (&'a str, i64);

/// The same three switches as every program of the field prints them.
#[test]
fn one_log_in_the_words_of_several_programs() {
    let (idle, red, blue) = (("swapper/0", 0), ("red [x] 1", 100), ("Web Content", 200));
    let turns = [(idle, red, "100.000000"), (red, blue, "104.000000"), (blue, idle, "110.000000")];
    let text = |line: &dyn Fn(Named<'_>, Named<'_>, &str) -> String| -> String {
        turns.iter().map(|(prev, next, at)| line(*prev, *next, at) + "\n").collect()
    };
    let full = |prev: (&str, i64), next: (&str, i64)| {
        format!(
            "prev_comm={} prev_pid={} prev_prio=120 prev_state=R+ ==> next_comm={} next_pid={} \
             next_prio=120",
            prev.0, prev.1, next.0, next.1
        )
    };
    let short = |prev: (&str, i64), next: (&str, i64)| {
        format!("{}:{} [120] S ==> {}:{} [120]", prev.0, prev.1, next.0, next.1)
    };
    let event = "sched:sched_switch";
    let forms: Vec<(&str, String)> = vec![
        (
            "perf script",
            text(&|p, n, at| format!("{:>16} {:>5} [000] {at}: {event}: {}", p.0, p.1, full(p, n))),
        ),
        (
            "pid/tid",
            text(&|p, n, at| format!("{:>16} 7/{} [000] {at}: {event}: {}", p.0, p.1, full(p, n))),
        ),
        (
            "no CPU",
            text(&|p, n, at| format!("{:>16} {:>5} {at}: {event}: {}", p.0, p.1, full(p, n))),
        ),
        (
            "no CPU, short",
            text(&|p, n, at| format!("{:>16} {:>5} {at}: {event}: {}", p.0, p.1, short(p, n))),
        ),
        ("no comm", text(&|p, n, at| format!("{:>5} [000] {at}: {event}: {}", p.1, full(p, n)))),
        ("CPU and time alone", text(&|p, n, at| format!("[000] {at}: {event}: {}", full(p, n)))),
        (
            "no event",
            text(&|p, n, at| format!("{:>16} {:>5} [000] {at}: {}", p.0, p.1, full(p, n))),
        ),
        (
            "period",
            text(&|p, n, at| format!("{} {} [000] {at}:   1 {event}: {}", p.0, p.1, full(p, n))),
        ),
        (
            "ftrace",
            text(&|p, n, at| {
                format!("{:>16}-{:<5} [000] d..2. {at}: sched_switch: {}", p.0, p.1, full(p, n))
            }),
        ),
        (
            "ftrace, groups",
            text(&|p, n, at| {
                format!("{}-{} (  100) [000] d..2. {at}: sched_switch: {}", p.0, p.1, full(p, n))
            }),
        ),
        (
            "old ftrace",
            text(&|p, n, at| {
                format!("<...>-{} (-----) [000]  {at}: sched_switch: {}", p.1, full(p, n))
            }),
        ),
        (
            "trace-cmd",
            text(&|p, n, at| {
                format!("{}-{}   [000] d..2. {at}: sched_switch:         {}", p.0, p.1, short(p, n))
            }),
        ),
        (
            "symbols",
            text(&|p, n, at| {
                format!(
                    "{} {} [000] {at}: {event}: {} ffffffff821f8b58 __schedule+0x618 ([kernel.kallsyms])",
                    p.0,
                    p.1,
                    full(p, n)
                )
            }),
        ),
        (
            "nanoseconds",
            text(&|p, n, at| format!("{} {} [000] {at}000: {event}: {}", p.0, p.1, full(p, n))),
        ),
    ];
    for (form, log) in forms {
        let (records, names, read, troubles) = perf(ThreadGrouping::Name, &log);
        assert_eq!(troubles.unreadable, 0, "{form}: {:?}", read.first_unreadable());
        assert_eq!(leaving(&records, &names), ["idle", red.0, blue.0], "{form}");
        let times: Vec<_> = records.iter().map(|record| record.at_ns().unwrap()).collect();
        assert_eq!(times, [100_000_000_000, 104_000_000_000, 110_000_000_000], "{form}");
        let is_one_cpu =
            |record: &TenantRecord| matches!(record, TenantRecord::Switch { cpu: 0, .. });
        assert!(records.iter().all(is_one_cpu), "{form}");
    }
}

#[test]
fn stacks_headers_and_losses_of_ftrace_and_trace_cmd() {
    let text = "# tracer: nop\n#\n# entries-in-buffer/entries-written: 2/12   #P:2\ncpus=2\nCPU 1 is empty\n\
        red 100 [000] 1.000000: sched:sched_switch: prev_comm=red prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=blue next_pid=200 next_prio=120\n\
        \tffffffff821f8b58 __schedule+0x618 ([kernel.kallsyms])\n\
        \t    7f0c12345678 main+0x8 (/usr/bin/red)\n\
        \x20 main.c:12\n\n\
        <idle>-0 [001] d..2. 1.500000: <stack trace>\n => __schedule\n => schedule_idle\n\
        CPU:1 [LOST 70 EVENTS]\nCPU:0 [3 EVENTS DROPPED]\n\
        red-100 [000] .... 1.600000: tracing_mark_write: B|100|draw\n\
        red-100 [000] .... 1.700000: schedule <-worker_thread\n";
    let (records, _, read, troubles) = perf(ThreadGrouping::Name, text);
    assert_eq!(troubles.unreadable, 0, "{:?}", read.first_unreadable());
    let lost: Vec<_> = records
        .iter()
        .filter_map(|record| match record {
            TenantRecord::Lost { cpu, records } => Some((*cpu, *records)),
            _ => None,
        })
        .collect();
    assert_eq!(lost, [(None, 10), (Some(1), 70), (Some(0), 3)]);
    let (.., read, troubles) =
        perf(ThreadGrouping::Name, "red 100 [000] 1.5: x: y\nwhat is this\n");
    assert_eq!((read.events(), troubles.unreadable), (1, 1));
    assert_eq!(read.first_unreadable(), Some((2, "what is this")));
}

#[test]
fn counters_of_lines_without_a_cpu_belong_to_who_leaves() {
    let text = "\
     red 100 1.000000: sched:sched_switch: prev_comm=red prev_pid=100 prev_prio=0 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
     red 100 1.000000:      99000 cycles:  ffffffff821f8b58 __schedule+0x618
";
    let (records, _, perf, _) = perf(ThreadGrouping::Name, text);
    assert_eq!((perf.inferred_cpu_switches(), perf.has_cycles()), (1, true));
    let TenantRecord::Switch { counts: Some(counts), .. } = records[0] else { panic!() };
    assert_eq!(counts.cycles, Some(99_000.0));
}

/// Records of Xen files, read in turns by their time stamps.
fn xen(planes: &[&str], files: &[&str]) -> (Vec<TenantRecord>, TenantNames, XenReader, usize) {
    let mut xen = XenReader::new(1_000_000_000, planes).unwrap();
    let (mut names, mut records, mut bad) = (TenantNames::default(), Vec::new(), 0);
    let opened: Vec<XenFile> =
        files.iter().map(|text| xen.open(text.lines().next().unwrap()).unwrap()).collect();
    for (mut file, text) in opened.into_iter().zip(files) {
        for line in text.lines() {
            bad += usize::from(
                !xen.read_row(&mut file, line, &mut names, |record| records.push(record)),
            );
        }
    }
    records.sort_by_key(|record| record.at_ns());
    (records, names, xen, bad)
}

#[test]
fn files_of_xen_one_per_event() {
    let rapl = "TSC,CPU,DOM,vCPU,PKG,PP0,PP1,DRAM\n1000,0,0,0,65536,1,2,3\n0,0,0,0,9,9,9,9\n2000,1,32767,1,131072,1,2,3\n";
    let ctr = "TSC,CPU,DOM,vCPU,INSTR_RETIRED.ANY,CPU_CLK_UNHALTED.CORE,CPU_CLK_UNHALTED\n1001,0,0,0,7,300,310\n2001,1,32767,1,1,5,6\n";
    let pmc = "TSC,CPU,DOM,vCPU,LLC_REF,LLC_MISS,BRANCH_INSTR_RETIRED,BRANCH_MISS_RETIRED\n1002,0,0,0,40,4,20,2\n";
    let (records, names, read, bad) = xen(&["pkg"], &[rapl, ctr, pmc]);
    assert_eq!((bad, read.has_cycles()), (1, true), "a time stamp of 0 is no record");
    assert_eq!(read.counters()[..3], ["INSTR_RETIRED.ANY", "CPU_CLK_UNHALTED", "LLC_REF"]);
    assert_eq!(
        records[0],
        TenantRecord::Energy { at_ns: 1000, meter: MeterId(0), reading: 65_536 }
    );
    let TenantRecord::Switch { outgoing: Some(outgoing), counts: Some(counts), .. } = records[1]
    else {
        panic!()
    };
    assert_eq!((names.name(outgoing.tenant), counts.cycles), ("domain 0", Some(300.0)));
    assert!(
        matches!(records[2], TenantRecord::Use { counts: Some(c), .. } if c.others[2] == 40.0 && c.cycles.is_none())
    );
    let TenantRecord::Switch { outgoing: Some(idle), .. } = records[4] else { panic!() };
    assert_eq!(idle.tenant, TenantId::IDLE);
    // RAPL alone: switches without counters.
    let (records, _, read, _) = xen(&["pkg", "dram"], &[rapl]);
    assert_eq!((records.len(), read.has_cycles()), (6, false));
    assert!(
        records.iter().any(|record| matches!(record, TenantRecord::Switch { counts: None, .. }))
    );
}

#[test]
fn rows_may_carry_their_event() {
    let mixed = "0x0100f001,1000,0,1,0,10,0,0,0\n0x0100f002  1000,0,1,0,7,300,310\n0x0100f003,1000,0,1,0,1,2,3,4\n0x0100f009,1\n";
    let (records, _, _, bad) = xen(&["pkg"], &[mixed]);
    assert_eq!((records.len(), bad), (3, 1));
    let error = XenReader::new(1, &["pkg"]).unwrap().open("time,cpu").unwrap_err();
    assert!(error.to_string().contains("line 1 is \"time,cpu\""));
    assert!(XenReader::new(1, &["gpu"]).is_err());
}

/// An Android trace through both passes; its whole view.
fn android(
    trace: &TraceEncoder,
    grouping: TraceGrouping,
    choice: &RailChoice,
) -> (WindowView, TenantNames, WindowStream) {
    let (view, names, stream, _) = android_by(trace, grouping, choice, None);
    (view, names, stream)
}

/// The same by a model, where there is a table; also the seconds that it doesn't know.
fn android_by(
    trace: &TraceEncoder,
    grouping: TraceGrouping,
    choice: &RailChoice,
    soc: Option<&str>,
) -> (WindowView, TenantNames, WindowStream, f64) {
    let events = || TraceReader::new(Cursor::new(trace.0.clone())).unwrap().map(Result::unwrap);
    let mut facts = TraceFacts::default();
    events().for_each(|event| facts.take(&event));
    let cycles = if facts.has_frequencies() {
        SharingBasis::CyclesByFrequency
    } else {
        SharingBasis::CpuTime
    };
    let mut stream = WindowStream::new(StreamOptions { cycles, ..StreamOptions::default() });
    let (rails, ..) = facts.choose_rails(choice);
    let meters = match rails.as_slice() {
        [] => AndroidMeters::of_batteries(facts.batteries(), &mut stream),
        rails => AndroidMeters::of_rails(rails, &mut stream),
    };
    let mut names = TenantNames::default();
    let mut android = AndroidRecords::new(facts, grouping, meters);
    if let Some(table) = soc {
        stream.set_energy(android.use_power_table(parse_soc(table).unwrap()));
    }
    let mut reorder = ReorderBuffer::new(1000);
    let mut records = Vec::new();
    for event in events().filter(AndroidRecords::is_wanted) {
        records.extend(reorder.push(event.at_ns.unwrap_or(0), event));
    }
    records.extend(std::iter::from_fn(|| reorder.pop()));
    for record in records.iter().filter_map(|event| android.record(event, &mut names)) {
        stream.take(record);
    }
    let end_ns = stream.newest_ns();
    android.last(end_ns).into_iter().for_each(|record| stream.take(record));
    stream.finish();
    (stream.total().clone(), names, stream, android.beyond_table_s())
}

/// Two CPUs, two applications, a slow and a fast core, two rails.
fn phone() -> TraceEncoder {
    const MS: u64 = 1_000_000;
    let mut trace = TraceEncoder::default();
    trace.processes(&[(100, "com.example.game", 10_100), (200, "com.example.mail", 10_200)]);
    trace.threads(&[(101, 100, "RenderThread")]);
    trace.rails(&["S2M_VDD_CPUCL2", "VSYS_PWR_DISPLAY"]).energies(1, &[0, 0]);
    // CPU 1's bundle first: reading it must not make CPU 0's late.
    let one = vec![
        cpu_frequency(0, 1, 500_000),
        thread_switch(MS, (0, "swapper"), (200, "mail")),
        thread_switch(90 * MS, (200, "mail"), (0, "swapper")),
    ];
    let zero = vec![
        cpu_frequency(0, 0, 2_000_000),
        thread_switch(MS, (0, "swapper"), (101, "RenderThread")),
        cpu_frequency(41 * MS, 0, 1_000_000),
        thread_switch(81 * MS, (101, "RenderThread"), (0, "swapper")),
        thread_switch(99 * MS, (0, "swapper"), (100, "main")),
    ];
    trace.bundle(1, one).bundle(0, zero).energies(99, &[164_500, 77]);
    trace
}

#[test]
fn applications_share_the_cpu_rail_by_cycles() {
    let (view, names, stream) = android(&phone(), TraceGrouping::User, &RailChoice::Cpu);
    let rows = view.rows();
    let found: Vec<(&str, f64, f64)> = rows
        .iter()
        .filter_map(|row| Some((names.name(row.tenant?), row.cycles?, row.energy_j?)))
        .collect();
    // 40 ms at 2 GHz and 40 ms at 1 GHz; 89 ms at 0.5 GHz.
    let (game, mail) = (120e6, 44.5e6);
    assert_eq!((found[0].0, found[1].0), ("com.example.game (10100)", "com.example.mail (10200)"));
    assert!((found[0].1 - game).abs() < 1.0 && (found[1].1 - mail).abs() < 1.0, "{found:?}");
    assert!((found[0].2 - 0.12).abs() < 1e-9 && (found[1].2 - 0.0445).abs() < 1e-9, "{found:?}");
    assert_eq!((found[2].0, found[2].1), ("idle", 0.0));
    assert_eq!(view.basis(), "cycles-by-frequency");
    assert_eq!(stream.meter_names().collect::<Vec<_>>(), ["S2M_VDD_CPUCL2"]);
    let display = RailChoice::Named(vec!["display".into()]);
    assert_eq!(android(&phone(), TraceGrouping::User, &display).0.total_j(), Some(77e-6));
    let (view, names, _) = android(&phone(), TraceGrouping::Process, &RailChoice::Cpu);
    assert_eq!(names.name(view.rows()[0].tenant.unwrap()), "com.example.game/100");
}

/// A slow core's cycle costs less than a fast one's, so energies are no longer as cycles.
#[test]
fn a_table_of_the_chip_stands_for_a_meter() {
    let table = "CPU,Frequency (kHz),Power (mW)\n0,1000000,300\n0,2000000,900\n1,500000,100\n";
    let (view, _, stream, beyond_s) =
        android_by(&phone(), TraceGrouping::User, &RailChoice::Cpu, Some(table));
    let rows = view.rows();
    // 40 ms at 900 mW and 40 ms at 300 mW; 89 ms at 100 mW
    assert!((rows[0].energy_j.unwrap() - 0.048).abs() < 1e-9, "{rows:?}");
    assert!((rows[1].energy_j.unwrap() - 0.0089).abs() < 1e-9, "{rows:?}");
    assert!((view.total_j().unwrap() - 0.0569).abs() < 1e-9);
    assert!(rows[0].cycles.is_some_and(|cycles| (cycles - 120e6).abs() < 1.0));
    assert_eq!((view.basis().as_str(), beyond_s), ("modelled-energy", 0.0));
    assert_eq!(
        stream.options().energy,
        EnergySource::Modelled { counter: 0, joules_per_count: 1e-9 }
    );
    // CPU 1 at 500 MHz is below all that a table of one cluster has
    let table = "CPU,Frequency (kHz),Power (mW)\n0,1000000,300\n0,2000000,900\n";
    let (view, _, _, beyond_s) =
        android_by(&phone(), TraceGrouping::User, &RailChoice::Cpu, Some(table));
    assert!((view.total_j().unwrap() - 0.048).abs() < 1e-9);
    assert!((beyond_s - 0.089).abs() < 1e-9, "{beyond_s} s are not invented");
}

#[test]
fn who_runs_to_the_last_switch_pays_until_then_and_for_no_rail_after_it() {
    const MS: u64 = 1_000_000;
    let mut trace = TraceEncoder::default();
    trace.rails(&["CPU"]).energies(0, &[0]);
    let run = vec![
        cpu_frequency(0, 0, 1_000_000),
        thread_switch(MS, (0, "swapper"), (7, "app")),
        thread_switch(2 * MS, (7, "app"), (0, "swapper")),
        thread_switch(3 * MS, (0, "swapper"), (7, "app")),
    ];
    trace.bundle(0, run).energies(90, &[90_000]);
    let (view, names, _) = android(&trace, TraceGrouping::Thread, &RailChoice::Cpu);
    let rows = view.rows();
    assert_eq!((names.name(rows[0].tenant.unwrap()), rows[0].cycles), ("app", Some(1e6)));
    // 1 W from the first switch to the last; of 1 ms before it and 87 ms after the last nothing
    // is known but their energy. All of it adds up to the rail's 90 mJ.
    assert!((rows[0].energy_j.unwrap() - 0.002).abs() < 1e-9, "{rows:?}");
    let of = |tenant| rows.iter().find(|row| row.tenant == tenant).unwrap().energy_j.unwrap();
    assert!((of(Some(TenantId::BEFORE_LOG)) - 0.001).abs() < 1e-9, "{rows:?}");
    assert!((of(Some(TenantId::AFTER_LOG)) - 0.087).abs() < 1e-9, "{rows:?}");
    assert!(of(None).abs() < 1e-9, "{rows:?}");
    let sum: f64 = rows.iter().filter_map(|row| row.energy_j).sum();
    assert!((sum - 0.09).abs() < 1e-9, "{rows:?}");
}

#[test]
fn a_battery_is_a_meter_for_want_of_rails() {
    use crate::perfetto::encode::battery;
    const MS: u64 = 1_000_000;
    let mut trace = TraceEncoder::default();
    trace.compact(0, &[(0, 7, "app"), (50 * MS, 0, "swapper"), (100 * MS, 7, "app")]);
    for at in [0, 100 * MS] {
        trace.battery(at, battery(-500_000, 4_000_000));
    }
    let (view, names, _) = android(&trace, TraceGrouping::User, &RailChoice::Cpu);
    assert!((view.total_j().unwrap() - 0.2).abs() < 1e-6, "2 W for 100 ms: {:?}", view.total_j());
    assert_eq!(names.name(view.rows()[0].tenant.unwrap()), "app (no user known)");
    assert_eq!(view.basis(), "cpu-time");
}

proptest! {
    #[test]
    fn any_line_is_read(text in "[ -~]{0,120}", cut in 0..400_usize, at in 0..400_usize, byte in 32..127_u8) {
        perf(ThreadGrouping::Process, &text);
        let mut bytes = PERF.as_bytes().to_vec();
        let at = at % bytes.len();
        bytes[at] = byte;
        bytes.truncate(bytes.len() - cut);
        perf(ThreadGrouping::Name, &String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_row_is_read(rows in proptest::collection::vec("(0x0100f00[0-9],)?[0-9,x -]{0,60}", 0..6)) {
        let mut xen = XenReader::new(1, &["pkg"]).unwrap();
        let mut names = TenantNames::default();
        let mut file = xen.open("TSC,CPU,DOM,vCPU,PKG,PP0,PP1,DRAM").unwrap();
        for row in &rows {
            xen.read_row(&mut file, row, &mut names, |_| {});
            let _ = xen.open(row);
        }
    }
}
