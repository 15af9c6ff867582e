//! `wattline board check`: meters, rails and frequencies of boards, and whether they can share a
//! campaign.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::boards::board_fit::unfit_keys;
use crate::boards::{self, BoardChoice};
use crate::cli::answer::{FormatArgument, path_text};
use crate::cli::progress;
use crate::device::{
    Board, BoardState, DeviceError, LOCAL_SERIAL, PrepareOptions, Server, local_shell, prepare,
    read_offer, restore,
};
use crate::failure::Failure;
use crate::format::{counted, visible_name};
use crate::power::meter::{SAMPLED_HERE, SAMPLED_ON_BOARDS};
use crate::power::{METERS, Meter, MeterError, MeterOffer};
use crate::scenario::read_scenario;

/// Results of checks: text is printed at once, figures at the end as one JSON object.
struct CheckReport {
    format: FormatArgument,
    boards: Vec<Value>,
    together: Option<String>,
}

impl CheckReport {
    /// Prints the text of a check.
    fn say(&self, text: impl AsRef<str>) {
        if !self.format.is_json() {
            progress::result(text);
        }
    }

    /// Prints the figures, if there are any and they are asked for.
    fn print_figures(&self) {
        if !self.boards.is_empty() {
            let figures = || json!({"boards": self.boards, "together": self.together});
            self.format.print_figures("board check", figures);
        }
    }
}

/// Checks a scenario, whose file is named first, on boards and reports every key that does not fit.
/// Without a scenario checks the boards themselves.
pub(super) fn check_all(names: &[String], format: FormatArgument) -> Result<(), Failure> {
    let mut report = CheckReport { format, boards: Vec::new(), together: None };
    let done = match names {
        [file, boards @ ..] if is_scenario(file) => {
            check_scenario(Path::new(file), boards, &mut report)
        }
        boards => check_boards(boards, &mut report),
    };
    report.print_figures();
    done
}

/// Whether a name is that of a scenario's file: serials have no such ending.
fn is_scenario(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end == "toml")
}

/// Checks a scenario on boards and reports every key that does not fit.
fn check_scenario(file: &Path, boards: &[String], report: &mut CheckReport) -> Result<(), Failure> {
    let scenario = read_scenario(file)?;
    if boards.is_empty() {
        let message = "name the board too: a serial, `jvm` or `virtual:NAME`";
        return Err(Failure::Usage(message.into()));
    }
    let mut all = 0;
    for name in boards {
        let choice = name.parse::<BoardChoice>().map_err(Failure::Usage)?;
        let unfit = unfit_keys(&scenario, &choice)?;
        report.say(format!("board        {}", visible_name(name)));
        for key in &unfit {
            report.say(format!("  unfit      {}", visible_name(&key.to_string())));
        }
        if unfit.is_empty() {
            report.say("  scenario   fits: no key is known to fail there");
        }
        let keys = unfit.iter().map(|key| json!({"key": key.key, "problem": key.problem}));
        let keys: Vec<Value> = keys.collect();
        report.boards.push(json!({"board": name, "scenario": path_text(file), "unfit_keys": keys}));
        all += unfit.len();
    }
    match all {
        0 => Ok(()),
        all => {
            let keys = counted(all, "key");
            let message = format!("{keys} of it cannot be used on the boards, as told above");
            Err(Failure::input(file, message))
        }
    }
}

/// Checks boards one after the other, and whether they can share a campaign. The first fault is
/// returned at the end, after the results of all of them.
fn check_boards(serials: &[String], report: &mut CheckReport) -> Result<(), Failure> {
    let mut fault = None;
    let mut states = Vec::new();
    for serial in serials {
        match check_board(serial, report) {
            Ok(state) => states.extend(state.map(|state| (serial, state))),
            Err(failure) if serials.len() == 1 => return Err(failure),
            Err(failure) => {
                report.say(format!("board        {serial}\nfault        {failure}"));
                report.boards.push(json!({"board": serial, "fault": failure.to_string()}));
                fault.get_or_insert(failure);
            }
        }
    }
    if let Some(failure) = fault {
        return Err(failure);
    }
    if serials.len() > 1 {
        let text = check_compatibility(&states)?;
        report.say(&text);
        report.together = Some(text);
    }
    Ok(())
}

/// Checks that boards can share a campaign: each under a name of its own, with the same rails.
/// Returns the report's line.
fn check_compatibility(states: &[(&String, BoardState)]) -> Result<String, Failure> {
    let name =
        |(serial, state): &(&String, BoardState)| boards::recorded_serial(&state.facts, serial);
    let names: Vec<String> = states.iter().map(name).collect();
    if let Some((one, other)) = boards::first_duplicate(&names) {
        return Err(Failure::Board(format!(
            "{} and {} both call themselves {:?} and could not be told apart; start virtual boards \
             with --name",
            states[other].0, states[one].0, names[one]
        )));
    }
    let rails: BTreeSet<&Vec<String>> = states.iter().map(|(_, state)| &state.rails).collect();
    let models: BTreeSet<&Option<String>> =
        states.iter().map(|(_, state)| &state.facts.model).collect();
    let mut text = format!("together     {} can share a campaign", names.join(", "));
    if rails.len() > 1 {
        text += "\n  note       they have other power rails; `board.rails` must be on each";
    }
    if models.len() > 1 {
        text += "\n  note       they are of several models: a factor per board may not tell their \
                 difference";
    }
    Ok(text)
}

/// Checks the meters of a board or of this machine, prints them, and returns the prepared board.
/// One without any real meter is at fault: energy that cannot be measured is not 0 J.
fn check_board(serial: &str, report: &mut CheckReport) -> Result<Option<BoardState>, Failure> {
    let (answers, used, prepared) = read_board(serial)?;
    report.say(prepared_text(serial, prepared.as_ref()));
    report.say(meters_text(&answers, used).trim_end());
    report.boards.push(board_figures(serial, &answers, used, prepared.as_ref()));
    let real =
        |(meter, offer): &(&dyn Meter, _)| meter.name() != "software" && Result::is_ok(offer);
    if !answers.iter().any(real) {
        let estimate = used.map_or(String::new(), |name| {
            format!("; sessions run all the same, with power estimated by `{name}`")
        });
        return Err(Failure::Board(format!(
            "{serial} has no power meter that can be read: its energy is unknown, not 0 J{estimate}"
        )));
    }
    match prepared {
        Some(Err(error)) => Err(error.into()),
        Some(Ok(state)) => Ok(Some(state)),
        None => Ok(None),
    }
}

/// Meters of a board, the used one, and the prepared board; this machine is not prepared.
type ReadBoard = (Vec<MeterAnswer>, Option<&'static str>, Option<PreparedBoard>);

/// A prepared board, or why it cannot be prepared.
type PreparedBoard = Result<BoardState, DeviceError>;

/// Reads the meters of a board or of this machine, and prepares the board.
fn read_board(serial: &str) -> Result<ReadBoard, Failure> {
    Ok(match serial {
        LOCAL_SERIAL => {
            let answers = read_offers(local_shell)?;
            let used = best_meter(&SAMPLED_HERE, &answers);
            (answers, used, None)
        }
        serial if matches!(serial.parse(), Ok(BoardChoice::Virtual(_))) => {
            return Err(Failure::Usage(format!(
                "{serial} is a virtual board, which starts with a command that measures on it: name a \
                 scenario before it (`board check SCENARIO {serial}`), or start one by `wattline board \
                 virtual` and name its serial"
            )));
        }
        serial => {
            let mut board = boards::open_serial(Server::from_environment(), serial)?;
            // What it prepares and puts back would be another campaign's.
            board.lock(&std::env::current_dir().unwrap_or_default())?;
            let shell = |question: &str| {
                let answer = board.shell(question, Duration::from_secs(20))?;
                Ok(answer.all_output())
            };
            let answers = read_offers(shell)?;
            let used = best_meter(&SAMPLED_ON_BOARDS, &answers);
            let state = used.map(|meter| prepare(&board, &prepare_options(meter)));
            restore(&board)?;
            (answers, used, state)
        }
    })
}

/// Text about a prepared board.
fn prepared_text(serial: &str, prepared: Option<&PreparedBoard>) -> String {
    match prepared {
        Some(Ok(state)) => description(serial, state).trim_end().to_owned(),
        Some(Err(error)) => format!("board        {serial}\nprepared     no: {error}"),
        None if serial == LOCAL_SERIAL => format!("board        {serial} (this machine)"),
        None => format!("board        {serial}\nprepared     no: no meter"),
    }
}

/// Figures of a board: what it is, its meters, and why it cannot be prepared.
fn board_figures(
    serial: &str,
    answers: &[MeterAnswer],
    used: Option<&str>,
    prepared: Option<&PreparedBoard>,
) -> Value {
    let meter = |(meter, offer): &MeterAnswer| match offer {
        Ok(offer) => json!({
            "meter": meter.name(),
            "measures": meter.measures(),
            "is_used": used == Some(meter.name()),
            "rails": offer.rails,
            "added_up_rails": offer.default_rails,
            "remarks": offer.remarks,
        }),
        Err(error) => json!({"meter": meter.name(), "missing": error.to_string()}),
    };
    json!({
        "board": serial,
        "is_this_machine": serial == LOCAL_SERIAL,
        "meters": answers.iter().map(meter).collect::<Vec<Value>>(),
        "fault": prepared.and_then(|of| of.as_ref().err()).map(ToString::to_string),
        "prepared": prepared.and_then(|of| of.as_ref().ok()).map(state_figures),
    })
}

/// Figures of a prepared board.
fn state_figures(state: &BoardState) -> Value {
    json!({
        "kind": if state.facts.is_virtual() { "virtual" } else { "real" },
        "simulated_model": state.facts.simulated_model,
        "model": state.facts.model,
        "android": state.facts.android_release,
        "power_rails": state.rails,
        "silent_rails": state.silent_rails,
        "refresh_s": state.update_period.map(|period| period.as_secs_f64()),
        "frequency_khz": state.fixed_khz.or(state.frequency_khz),
        "is_frequency_fixed": state.fixed_khz.is_some(),
        "temperature_celsius": state.temperature_c,
        "sampler": state.facts.sampler.map(|sampler| sampler.to_string()),
        "missing_tools": state.missing_tools,
    })
}

/// Meter with the offer of a board for it.
type MeterAnswer = (&'static dyn Meter, Result<MeterOffer, MeterError>);

/// Offers of all meters, read by a board's shell.
fn read_offers(
    shell: impl Fn(&str) -> Result<String, DeviceError>,
) -> Result<Vec<MeterAnswer>, Failure> {
    let ask = |meter: &'static dyn Meter| Ok((meter, read_offer(meter, &shell)?));
    METERS.into_iter().map(ask).collect()
}

/// Name of the best of some meters that is offered: the one that `board.meter = "auto"` takes.
fn best_meter(meters: &[&'static dyn Meter], answers: &[MeterAnswer]) -> Option<&'static str> {
    let offered =
        |name: &&str| answers.iter().any(|(meter, offer)| meter.name() == *name && offer.is_ok());
    meters.iter().map(|meter| meter.name()).find(offered)
}

/// Options for preparing a board with a meter.
fn prepare_options(meter: &'static str) -> PrepareOptions {
    PrepareOptions { meter, ..PrepareOptions::default() }
}

/// Table of the meters with their offers, which marks the used one.
fn meters_text(answers: &[MeterAnswer], used: Option<&str>) -> String {
    let mut text = String::new();
    for (meter, offer) in answers {
        let name = meter.name();
        match offer {
            Ok(offer) => {
                text += &format!("meter        {name}: {}\n", meter.measures());
                if used == Some(name) {
                    text += "  sessions   use this one, unless `board.meter` names another\n";
                }
                text += &format!("  rails      {}\n", visible_name(&offer.rails.join(", ")));
                if offer.default_rails != offer.rails {
                    text += &format!(
                        "  added up   {}\n",
                        visible_name(&offer.default_rails.join(", "))
                    );
                }
                for remark in &offer.remarks {
                    text += &format!("  note       {}\n", visible_name(remark));
                }
            }
            Err(error) => {
                text += &format!("missing      {}\n", visible_name(&error.to_string()));
            }
        }
    }
    text
}

/// Frequencies of the big cores, and whether a campaign can fix one.
fn frequency(state: &BoardState) -> String {
    match (state.fixed_khz, state.frequency_khz) {
        (Some(khz), _) => format!("{khz} kHz, fixed"),
        (None, Some(khz)) => format!("{khz} kHz, which is left to the board"),
        (None, None) => "unknown".into(),
    }
}

/// Description of a prepared board: model, rails, frequencies.
fn description(serial: &str, state: &BoardState) -> String {
    let serial = visible_name(serial);
    let or_unknown = |text: Option<String>| text.map_or("unknown".into(), |it| visible_name(&it));
    let kind = match (&state.facts.simulated_model, state.facts.is_virtual()) {
        (Some(simulated_model), true) => {
            format!(
                "virtual: computed energy, simulated energy model {}",
                visible_name(simulated_model)
            )
        }
        (None, true) => "virtual: computed energy".to_string(),
        (_, false) => "real".to_string(),
    };
    let period = state.update_period.map(|period| format!("{:.0} ms", period.as_secs_f64() * 1e3));
    let silent = match state.silent_rails.as_slice() {
        [] => "none".to_string(),
        rails => visible_name(&rails.join(", ")),
    };
    format!(
        "board        {serial} ({kind})\nmodel        {}\nandroid      {}\npower rails  {}\n\
         silent rails {silent}\nrefresh      {}\nfrequency    {}\ntemperature  {}\nsampler      {}\nmissing      {}\n",
        or_unknown(state.facts.model.clone()),
        or_unknown(state.facts.android_release.clone()),
        visible_name(&state.rails.join(", ")),
        or_unknown(period),
        frequency(state),
        or_unknown(state.temperature_c.map(|celsius| format!("{celsius:.1} degrees C"))),
        state.facts.sampler.map_or("none".to_string(), |sampler| sampler.to_string()),
        if state.missing_tools.is_empty() {
            "nothing".into()
        } else {
            state.missing_tools.join(", ")
        },
    )
}
