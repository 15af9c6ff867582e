//! Our own text format: `time_s,component,event,value`, one line per change or reading.
//! Events: `state NAME`, `set`, `bind`, `add`, `remove LABEL`, `clear`, `lost`, and for the
//! meter `energy JOULES` (accumulated), with the component left empty.

use super::super::label::Labels;
use super::super::log::{
    Component, ComponentEvent, LoggedReading, NodeLog, seconds_to_nanoseconds,
};
use super::super::remark::{Remark, RemarkKind, summarise_remarks};

/// First four columns of the header line.
pub const LEADING_COLUMNS: [&str; 4] = ["time_s", "component", "event", "value"];

/// Reads a log in this format; lines that cannot be used are skipped, with a remark.
#[must_use]
pub fn read_csv(text: &str, node: &str, labels: &mut Labels) -> NodeLog {
    let mut log = NodeLog::new(node);
    let mut lines = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let mut latest_ns = i64::MIN;
    for record in lines.records() {
        let line = |record: &csv::StringRecord| record.position().map_or(0, csv::Position::line);
        let (at, problem) = match record {
            Ok(record) => {
                (line(&record), read_row(&mut log, &record, labels, &mut latest_ns).err())
            }
            Err(error) => {
                (error.position().map_or(0, csv::Position::line), Some(error.to_string()))
            }
        };
        if let Some(problem) = problem {
            let message = format!("line {at}: {problem}; it is left out");
            log.remarks.push(Remark::new(RemarkKind::Unreadable, message));
        }
    }
    log.sort();
    mark_meter_resets(&mut log);
    log.components.iter_mut().for_each(Component::choose_baseline);
    log.remarks = summarise_remarks(log.remarks);
    log
}

fn read_row(
    log: &mut NodeLog,
    record: &csv::StringRecord,
    labels: &mut Labels,
    latest_ns: &mut i64,
) -> Result<(), String> {
    let field = |at: usize| record.get(at).unwrap_or("").trim();
    let time: f64 = field(0).parse().map_err(|_| format!("no time in {:?}", field(0)))?;
    if !(time.is_finite() && time.abs() < 9e9) {
        return Err(format!("the time {time} s can't be"));
    }
    let at_ns = seconds_to_nanoseconds(time);
    if at_ns < *latest_ns {
        let message = format!(
            "line {}: its time {time} s is before the line above; the log is put in order",
            record.position().map_or(0, csv::Position::line)
        );
        log.remarks.push(Remark::at(RemarkKind::ClockStep, at_ns, message));
    }
    *latest_ns = at_ns.max(*latest_ns);
    let (name, event, value) = (field(1), field(2), field(3));
    if event == "energy" {
        let energy_j: f64 = value.parse().map_err(|_| format!("no energy in {value:?}"))?;
        if !energy_j.is_finite() {
            return Err(format!("the energy {energy_j} J can't be"));
        }
        log.readings.push(LoggedReading { at_ns, energy_j, after_gap: false });
        return Ok(());
    }
    if name.is_empty() {
        return Err("no component".into());
    }
    let node = log.node.clone();
    let mut label = || {
        if value.is_empty() {
            Err("no activity".to_owned())
        } else {
            Ok(labels.parse(&node, value))
        }
    };
    let event = match event {
        "state" if value.is_empty() => return Err("no state".into()),
        "state" => {
            let component = log.component_number(name);
            log.set_state(at_ns, component, value);
            return Ok(());
        }
        "set" => ComponentEvent::Set(label()?),
        "bind" => ComponentEvent::Bind(label()?),
        "add" => ComponentEvent::Add(label()?),
        "remove" => ComponentEvent::Remove(label()?),
        "clear" => ComponentEvent::Clear,
        "lost" => ComponentEvent::Lost,
        other => return Err(format!("there is no event {other:?}")),
    };
    let component = log.component_number(name);
    log.add_change(at_ns, component, event);
    Ok(())
}

/// Marks a gap before each reading that is lower than the one before: the meter was reset, and the
/// energy between them is unknown.
pub(super) fn mark_meter_resets(log: &mut NodeLog) {
    for at in 1..log.readings.len() {
        let (before, now) = (log.readings[at - 1], log.readings[at]);
        if now.energy_j < before.energy_j {
            log.readings[at].after_gap = true;
            let message = format!(
                "the meter went back by {:.6} J; what was spent between the two readings is left \
                 out",
                before.energy_j - now.energy_j
            );
            log.remarks.push(Remark::at(RemarkKind::MeterStep, now.at_ns, message));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_event_is_read_and_bad_lines_are_said() {
        let text = "time_s,component,event,value\n\
                    0,LED,state,off\n0,,energy,0\n1,LED,set,4:Red\n1,LED,state,on\n\
                    2,LED,bind,Blue\n2,LED,add,Green\n2,LED,remove,Green\n2,LED,clear,\n\
                    3,LED,lost,\n2.5,,energy,0.5\nx,LED,state,on\n3,LED,jump,on\n3,,state,on\n\
                    inf,LED,state,on\n4,,energy,0.25\n";
        let mut labels = Labels::default();
        let log = read_csv(text, "1", &mut labels);
        assert_eq!((log.changes.len(), log.readings.len()), (8, 3));
        assert!(log.readings[2].after_gap);
        let messages: Vec<&str> = log.remarks.iter().map(|r| r.message.as_str()).collect();
        assert!(messages[0].starts_with("line 11: its time 2.5 s is before"), "{messages:?}");
        assert!(messages[1].starts_with("line 12: no time in \"x\""), "{messages:?}");
        assert!(messages[2].contains("no event \"jump\""), "{messages:?}");
        assert_eq!(messages.len(), 6);
    }

    proptest! {
        #[test]
        fn any_text_makes_a_log_in_order(
            lines in proptest::collection::vec("[0-9.,a-e-]{0,12}|1,L,(set|bind|add|remove),x", 0..30),
        ) {
            let text = format!("{}\n{}", LEADING_COLUMNS.join(","), lines.join("\n"));
            let log = read_csv(&text, "1", &mut Labels::default());
            prop_assert!(log.changes.is_sorted_by(|a, b| a.at_ns <= b.at_ns));
        }
    }
}
