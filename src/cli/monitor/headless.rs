//! The monitor without a terminal: a recording, OpenMetrics, or CSV rows on standard
//! output.

use std::io::ErrorKind::BrokenPipe;

use serde_json::json;

use crate::failure::Failure;
use crate::recording::{HeaderRow, jvm_rows, process_rows, to_csv};

use super::super::answer::path_text;
use super::super::outcome::CommandOutcome;
use super::super::stop::StopRequest;
use super::super::{progress, standard_output};
use super::arguments::Arguments;
use super::frame::{JvmInterval, MonitorInterval};
use super::record::Recorder;
use super::session::MonitorSession;
use super::view::Tallies;

/// Monitors without a screen, to the end of the duration, of the command, or to Ctrl-C.
pub fn run(arguments: &Arguments, session: &mut MonitorSession) -> Result<CommandOutcome, Failure> {
    // So that the recording gets its accounts.
    let stop = StopRequest::listen();
    let mut recorder = Recorder::wanted(arguments, &session.about)?;
    let mut tallies = Tallies::default();
    let mut head = HeaderRow::With;
    let mut said = session.about.notes.len();
    let mut schedule = arguments.schedule();
    loop {
        stop.sleep(schedule.next(), || session.is_over() || session.is_asked());
        let over = stop.is_asked() || session.is_over();
        let is_asked = session.is_asked();
        if let Some(frame) = session.next()? {
            // They are shown at the end of a recording alone.
            if recorder.is_some() || arguments.format.is_json() {
                tallies.add(&frame, session.names());
            }
            match show(arguments, session, &frame, &mut recorder, &mut head) {
                // The reader (`| head`) has what it wanted.
                Err(Failure::Io { source, .. }) if source.kind() == BrokenPipe => break,
                shown => shown?,
            }
        }
        session.obey();
        for note in session.about.notes.iter().skip(said) {
            progress::warn_in_line(note);
        }
        said = session.about.notes.len();
        if over || schedule.is_over() {
            break;
        }
        if !is_asked {
            schedule.advance();
        }
    }
    if session.about.cycles == 0 {
        let outcome = session.outcome();
        if outcome != CommandOutcome::Done {
            return Ok(outcome);
        }
        let why = session.about.notes.last().map_or(String::new(), |note| format!(": {note}"));
        let why = format!("not one cycle was measured{why}");
        return Err(match session.about.is_model() {
            true => Failure::NoData(why),
            false => Failure::Board(why),
        });
    }
    print_summary(arguments, session, &tallies, recorder)?;
    // Ctrl-C ends the command, too, and is no fault of it.
    Ok(if stop.is_asked() { CommandOutcome::Done } else { session.outcome() })
}

/// Ends the recording, if there is one, and prints the summary of a recording or of an answer for
/// programs.
fn print_summary(
    arguments: &Arguments,
    session: &MonitorSession,
    tallies: &Tallies,
    recorder: Option<Recorder>,
) -> Result<(), Failure> {
    let folder = recorder.map(Recorder::finish).transpose()?;
    let (seconds, is_model) = (session.about.duration_s, session.about.is_model());
    if arguments.format.is_json() || folder.is_some() {
        let mut figures = tallies.figures(seconds, session.calls());
        figures["basis"] = json!(session.about.basis().name());
        figures["meter"] = json!(session.about.meter());
        figures["cycles"] = json!(session.about.cycles);
        figures["notes"] = json!(session.about.notes);
        figures["folder"] = json!(folder.as_deref().map(path_text));
        let text = || tallies.summary(seconds, is_model, session.calls());
        arguments.format.print("monitor", &figures, text);
    }
    if let Some(folder) = folder {
        progress::say(format!("written: {}", folder.display()));
    }
    Ok(())
}

fn show(
    arguments: &Arguments,
    session: &mut MonitorSession,
    frame: &MonitorInterval,
    recorder: &mut Option<Recorder>,
    head: &mut HeaderRow,
) -> Result<(), Failure> {
    session.publish(frame)?;
    if let Some(recorder) = recorder {
        recorder.add(session, frame)?;
        progress::say(line(frame));
    } else if has_rows(arguments) {
        let rows = rows(session, frame, std::mem::replace(head, HeaderRow::Without));
        standard_output::write(rows.as_bytes())?;
    }
    Ok(())
}

/// Whether rows are written to standard output, which no other output has.
fn has_rows(arguments: &Arguments) -> bool {
    let is_elsewhere = arguments.openmetrics.is_some() || arguments.prometheus.is_some();
    !is_elsewhere && !arguments.format.is_json()
}

/// Rows of methods where a JVM is measured, else of processes.
fn rows(session: &MonitorSession, frame: &MonitorInterval, head: HeaderRow) -> String {
    match session.jvm.as_ref().zip(frame.jvm.as_ref()) {
        Some((jvm, of_jvm)) => to_csv(&jvm_rows(frame.number, of_jvm.seen(jvm)).1, head),
        None => to_csv(&process_rows(frame.number, &frame.cycle), head),
    }
}

/// A cycle in a line.
fn line(frame: &MonitorInterval) -> String {
    let d = frame.cycle.duration_s();
    let mut parts = vec![format!("cycle {}: {d:.2} s", frame.number)];
    for component in &frame.cycle.components {
        let rest = component.unattributed_j / d;
        let watts = component.energy.joules / d;
        let basis = component.basis.name();
        parts.push(format!(
            "{} {watts:.2} W ({basis}), {rest:.2} W unattributed",
            component.part.name()
        ));
    }
    if let Some(JvmInterval { cycle, power }) = &frame.jvm {
        parts.push(format!("JVM {:.2} W", power.cpu_j / cycle.duration_s));
    }
    parts.join("; ")
}
