//! Records a second on one core: the stream alone, and with each parser before it.

use std::hint::black_box;
use std::io::Cursor;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wattline::attribution::perfetto::TraceReader;
use wattline::attribution::tenants::{
    AndroidMeters, AndroidRecords, Counts, DEFAULT_RAPL_UNIT_J, MeterId, PerfReader, RunningTenant,
    StreamOptions, TenantId, TenantNames, TenantRecord, ThreadGrouping, TraceFacts, TraceGrouping,
    WindowStream, XenReader, rapl_counter,
};

const RECORDS: u64 = 1_000_000;
const CPUS: u64 = 8;
/// A switch every 10 us on one of the CPUs: 10 s of log, the whole ring.
const STEP_NS: u64 = 10_000;

fn stream() -> WindowStream {
    let mut stream = WindowStream::new(StreamOptions::default());
    stream.add_meter("pkg", rapl_counter(DEFAULT_RAPL_UNIT_J));
    stream
}

/// Feeds a stream and gives its total, so that nothing is left out.
fn feed(records: impl Iterator<Item = TenantRecord>) -> f64 {
    let mut stream = stream();
    for record in records {
        stream.take(record);
        while stream.next_closed().is_some() {}
    }
    stream.finish();
    let energy = stream.total().total_j();
    energy.unwrap_or(stream.total().windows as f64)
}

/// Switches of 20 tenants with counters, and a reading of the meter at every tenth.
fn records() -> Vec<TenantRecord> {
    let mut names = TenantNames::default();
    let tenants: Vec<TenantId> = (0..20).map(|n| names.id(&format!("domain {n}"))).collect();
    let runner = |n: u64| {
        let thread = (n * 7 % 20) as i64;
        Some(RunningTenant { tenant: tenants[thread as usize], thread })
    };
    let one = |n: u64| {
        let at_ns = n * STEP_NS;
        if n.is_multiple_of(10) {
            return TenantRecord::Energy { at_ns, meter: MeterId(0), reading: n * 30 };
        }
        let counts = Some(Counts { cycles: Some(25_000.0), others: [1000.0; 6] });
        // Who leaves a CPU is who came eight switches before.
        let (outgoing, incoming) = (runner(n), runner(n + CPUS));
        TenantRecord::Switch { at_ns, cpu: (n % CPUS) as u32, outgoing, incoming, counts }
    };
    (0..RECORDS).map(one).collect()
}

fn perf_text() -> String {
    let line = |n: u64| {
        let (prev, next) = (n * 7 % 20 + 1000, (n + CPUS) * 7 % 20 + 1000);
        let (cpu, at) = (n % CPUS, n * STEP_NS);
        let (s, us) = (at / 1_000_000_000, at % 1_000_000_000 / 1000);
        format!(
            "         worker{prev}  {prev} [{cpu:03}] {s}.{us:06}:       sched:sched_switch: \
             prev_comm=worker{prev} prev_pid={prev} prev_prio=120 prev_state=S ==> \
             next_comm=worker{next} next_pid={next} next_prio=120\n"
        )
    };
    (0..RECORDS).map(line).collect()
}

fn xen_text() -> String {
    let row = |n: u64| {
        format!("{},{},{},0,21270,{},25100\n", n * STEP_NS, n % CPUS, n * 7 % 20, 20_000 + n % 5000)
    };
    let header = "TSC,CPU,DOM,vCPU,INSTR_RETIRED.ANY,CPU_CLK_UNHALTED.CORE,CPU_CLK_UNHALTED\n";
    header.to_owned() + &(1..RECORDS).map(row).collect::<String>()
}

fn varint(mut value: u64, into: &mut Vec<u8>) {
    while value >= 0x80 {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

fn bytes(tag: u64, content: &[u8], into: &mut Vec<u8>) {
    varint(tag << 3 | 2, into);
    varint(content.len() as u64, into);
    into.extend_from_slice(content);
}

/// Compact switches in bundles of 1000, a CPU each.
fn perfetto_trace() -> Vec<u8> {
    let mut trace = Vec::new();
    for bundle in 0..RECORDS / 1000 {
        let (mut times, mut tids, mut comms) = (Vec::new(), Vec::new(), Vec::new());
        for n in 0..1000 {
            let begin = (bundle / CPUS * 1000) * STEP_NS * CPUS;
            varint(if n == 0 { begin } else { STEP_NS * CPUS }, &mut times);
            varint(1000 + n * 7 % 20, &mut tids);
            varint(0, &mut comms);
        }
        let (mut compact, mut packet, mut events) = (Vec::new(), Vec::new(), Vec::new());
        bytes(1, &times, &mut compact);
        bytes(3, &tids, &mut compact);
        bytes(5, b"worker", &mut compact);
        bytes(6, &comms, &mut compact);
        varint(1 << 3, &mut events);
        varint(bundle % CPUS, &mut events);
        bytes(4, &compact, &mut events);
        bytes(1, &events, &mut packet);
        bytes(1, &packet, &mut trace);
    }
    trace
}

fn tenants(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tenants");
    group.throughput(Throughput::Elements(RECORDS)).sample_size(10);
    let all = records();
    group.bench_function("stream", |bench| {
        bench.iter(|| black_box(feed(black_box(&all).iter().copied())));
    });
    let text = perf_text();
    group.bench_function("perf script", |bench| {
        bench.iter(|| {
            let (mut perf, mut names) =
                (PerfReader::new(ThreadGrouping::Name), TenantNames::default());
            let mut stream = stream();
            let mut waiting = Vec::new();
            for line in black_box(&text).lines() {
                perf.line(line, &mut names, stream.troubles_mut(), |r| waiting.push(r));
                waiting.drain(..).for_each(|record| stream.take(record));
                while stream.next_closed().is_some() {}
            }
            stream.finish();
            black_box(stream.total().windows)
        });
    });
    let text = xen_text();
    group.bench_function("xen csv", |bench| {
        bench.iter(|| {
            let mut xen = XenReader::new(1_000_000_000, &["pkg"]).expect("a plane that there is");
            let mut names = TenantNames::default();
            let first = text.lines().next().unwrap_or_default();
            let mut file = xen.open(first).expect("a header");
            let mut stream = stream();
            for line in black_box(&text).lines() {
                xen.read_row(&mut file, line, &mut names, |record| stream.take(record));
                while stream.next_closed().is_some() {}
            }
            stream.finish();
            black_box(stream.total().windows)
        });
    });
    let trace = perfetto_trace();
    group.bench_function("perfetto, compact", |bench| {
        bench.iter(|| {
            let reader = TraceReader::new(Cursor::new(trace.clone())).expect("memory is readable");
            let mut names = TenantNames::default();
            let facts = TraceFacts::default();
            let mut android =
                AndroidRecords::new(facts, TraceGrouping::Thread, AndroidMeters::default());
            let events = reader.map(|event| event.expect("memory is readable"));
            black_box(feed(events.filter_map(|event| android.record(&event, &mut names))))
        });
    });
    group.finish();
}

criterion_group!(benches, tenants);
criterion_main!(benches);
