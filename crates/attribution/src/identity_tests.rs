//! What two recordings tell of one thing counts once, in whatever order it comes
//! (docs/internals/identity.md).

use std::io::Cursor;

use proptest::prelude::*;

use crate::activities::{Labels, read_batterystats};
use crate::perfetto::encode::{
    BatteryCounters, EnergyData, PowerRails, RailDescriptor, TraceEncoder, TracePacket,
    thread_switch,
};
use crate::perfetto::{TraceEvent, TraceReader};
use crate::tenants::{
    AndroidMeters, AndroidRecords, RailChoice, ReorderBuffer, StreamOptions, TenantNames,
    TraceFacts, TraceGrouping, WindowStream,
};

const MS: u64 = 1_000_000;

/// A session of a data source: its rails by name with the power of each, in milliwatts.
fn session(uuid: u64, rails: &[(String, u64)], first_ms: u64) -> Vec<TracePacket> {
    let descriptor = |(index, (name, _)): (usize, &(String, u64))| RailDescriptor {
        index: index as u32,
        rail_name: name.clone().into_bytes(),
        subsys_name: Vec::new(),
    };
    let packet = |at_ms: u64, power_rails| TracePacket {
        timestamp: Some(at_ms * MS),
        power_rails: Some(power_rails),
        ..TracePacket::default()
    };
    let rail_descriptor = rails.iter().enumerate().map(descriptor).collect();
    let session_uuid = Some(uuid);
    let names = PowerRails { rail_descriptor, session_uuid, ..PowerRails::default() };
    let reading = |at_ms: u64| {
        let sample = |(index, (_, mw)): (usize, &(String, u64))| EnergyData {
            index: index as u32,
            timestamp_ms: at_ms,
            energy: mw * at_ms,
        };
        let energy_data = rails.iter().enumerate().map(sample).collect();
        packet(at_ms, PowerRails { energy_data, session_uuid, ..PowerRails::default() })
    };
    let times = [first_ms, first_ms + 50, first_ms + 150];
    std::iter::once(packet(0, names)).chain(times.map(reading)).collect()
}

/// The metered energy of packets and of switches between 100 ms and 1 s, in whole microjoules.
fn energy_uj(packets: &[TracePacket]) -> u64 {
    let mut trace = TraceEncoder::default();
    trace.clocks(&[(6, 1_000)]);
    for packet in packets {
        trace.packet(packet.clone());
    }
    let turns = [
        thread_switch(MS, (0, "idle"), (7, "app")),
        thread_switch(1000 * MS, (7, "app"), (0, "idle")),
    ];
    trace.bundle(0, turns.to_vec());
    let events = || {
        let reader = TraceReader::new(Cursor::new(trace.0.clone())).unwrap();
        reader.map(|event| event.unwrap()).collect::<Vec<TraceEvent>>()
    };
    let mut facts = TraceFacts::default();
    events().iter().for_each(|event| facts.take(event));
    let mut stream = WindowStream::new(StreamOptions::default());
    let (rails, ..) = facts.choose_rails(&RailChoice::Named(vec![String::new()]));
    let meters = match rails.as_slice() {
        [] => AndroidMeters::of_batteries(facts.batteries(), &mut stream),
        rails => AndroidMeters::of_rails(rails, &mut stream),
    };
    let (mut names, mut reorder) = (TenantNames::default(), ReorderBuffer::new(1000));
    let mut android = AndroidRecords::new(facts, TraceGrouping::Process, meters);
    let mut ordered = Vec::new();
    for event in events().into_iter().filter(AndroidRecords::is_wanted) {
        ordered.extend(reorder.push(event.at_ns.unwrap_or(0), event));
    }
    ordered.extend(std::iter::from_fn(|| reorder.pop()));
    for record in ordered.iter().filter_map(|event| android.record(event, &mut names)) {
        stream.take(record);
    }
    stream.finish();
    (stream.total().total_j().unwrap_or(0.0) * 1e6).round() as u64
}

/// Two sequences mixed, each in its own order.
fn mixed(one: Vec<TracePacket>, two: Vec<TracePacket>, turns: &[bool]) -> Vec<TracePacket> {
    let (mut one, mut two) = (one.into_iter(), two.into_iter());
    let mut all = Vec::new();
    for turn in turns {
        all.extend(if *turn { one.next() } else { two.next() });
    }
    all.extend(one.chain(two));
    all
}

fn battery(name: &str, at_ms: u64, charge_uah: i64) -> TracePacket {
    let battery = Some(BatteryCounters {
        name: name.into(),
        charge_counter_uah: Some(charge_uah),
        voltage_uv: Some(4_000_000),
        ..BatteryCounters::default()
    });
    TracePacket { timestamp: Some(at_ms * MS), battery, ..TracePacket::default() }
}

proptest! {
    #[test]
    fn rails_of_two_sessions_add_up_and_one_rail_counts_once(
        mw in prop::collection::vec(1_u64..5_000, 1..4),
        turns in prop::collection::vec(any::<bool>(), 0..10),
        later in 0_u64..200,
    ) {
        let named = |prefix: &str| -> Vec<(String, u64)> {
            mw.iter().enumerate().map(|(n, mw)| (format!("{prefix}{n}"), *mw)).collect()
        };
        let alone = energy_uj(&session(1, &named("A"), 100));
        // Another data source counts its indices from 0 as well.
        let other = mixed(session(1, &named("A"), 100), session(2, &named("B"), 100), &turns);
        prop_assert_eq!(energy_uj(&other), 2 * alone);
        // The same rails, recorded twice: at the same time, or a second time.
        let again = mixed(session(1, &named("A"), 100), session(2, &named("A"), 100), &turns);
        prop_assert_eq!(energy_uj(&again), alone);
        let twice = mixed(session(1, &named("A"), 100), session(2, &named("A"), 250 + later), &[]);
        let whole: u64 = mw.iter().map(|mw| mw * (300 + later)).sum();
        prop_assert!(energy_uj(&twice).abs_diff(whole) <= 1, "{} {whole}", energy_uj(&twice));
    }

    #[test]
    fn batteries_add_up_in_any_order(turns in prop::collection::vec(any::<bool>(), 0..6)) {
        let one = || vec![battery("a", 100, 900), battery("a", 300, 880), battery("a", 400, 870)];
        let two = || vec![battery("b", 100, 400), battery("b", 300, 380), battery("b", 400, 370)];
        let alone = energy_uj(&one());
        prop_assert_eq!(alone, 432_000);
        prop_assert_eq!(energy_uj(&mixed(one(), two(), &turns)), 2 * alone);
    }

    #[test]
    fn a_history_that_is_told_twice_counts_once(
        steps in prop::collection::vec(1_u32..50, 2..6), first in any::<bool>(),
    ) {
        let (mut text, mut checkin) = ("Battery History (1%):\n".to_owned(), String::new());
        text += "  0 (2) 100 volt=4000 charge=4000\n";
        checkin += "9,h,0,Bv=4000,Bcc=4000\n";
        let mut charge = 4000;
        for (hour, step) in steps.iter().enumerate() {
            charge -= step;
            text += &format!("  +{}h0m0s000ms (2) 99 charge={charge}\n", hour + 1);
            checkin += &format!("9,h,3600000,Bcc={charge}\n");
        }
        let energy = |text: &str| {
            let log = read_batterystats(text, "x", &mut Labels::default());
            (log.readings.last().unwrap().energy_j * 1e3).round() as u64
        };
        let both = if first { format!("{text}\nx\n{checkin}") } else { format!("{checkin}x\n{text}") };
        prop_assert_eq!(energy(&both), energy(&text));
        prop_assert_eq!(energy(&text), energy(&checkin));
    }
}
