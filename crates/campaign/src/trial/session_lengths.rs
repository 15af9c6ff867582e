//! Longer sessions than in the scenario, for inputs that a trial finds too short:
//! `session-lengths.csv` of the campaign's folder has the new frames of each lengthened input and
//! those of the scenario, so that the campaign is resumed with these lengths.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::csv_text::{self, CsvText};
use crate::failure::Failure;
use crate::folder::Output;
use crate::folder::names::SESSION_LENGTHS;
use crate::progress::Progress;
use crate::scenario::Scenario;
use wattline_units::file_schema::DeclaredColumn;

/// The length in frames to which sessions of an input are lengthened.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SessionLength {
    /// Name of the input sequence.
    pub input: String,
    /// Frames in the scenario's file.
    pub was: u64,
    /// Frames that the sessions need.
    pub frames: u64,
}

/// The scenario with sessions of these lengths; an input whose frames differ from `was` is left
/// unchanged.
pub fn lengthened_scenario(
    scenario: &Scenario,
    lengths: &[SessionLength],
) -> Result<Scenario, Failure> {
    let of = |input: &str| lengths.iter().find(|length| length.input == input);
    let longer = scenario.inputs.iter().filter_map(|input| {
        let length = of(&input.name).filter(|length| scenario.frames(input) == Some(length.was))?;
        Some((input.name.clone(), length.frames))
    });
    let longer: BTreeMap<String, u64> = longer.collect();
    match longer.is_empty() {
        true => Ok(scenario.clone()),
        false => Ok(scenario.with_frames(&longer)?),
    }
}

/// Text for the user: `input few: 900 frames instead of 100; ...`.
pub fn frames_text(lengths: &[SessionLength]) -> String {
    let one = |length: &SessionLength| {
        format!("input {}: {} instead of {}", length.input, length.frames, length.was)
    };
    lengths.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// Columns of `session-lengths.csv`.
pub(crate) const SESSION_LENGTH_COLUMNS: [DeclaredColumn; 3] = [
    DeclaredColumn::text("input", "Input sequence"),
    DeclaredColumn::integer("was", "Frames of the scenario"),
    DeclaredColumn::integer("frames", "Frames of the longer sessions"),
];

/// Writes `session-lengths.csv`, for when the campaign is resumed.
pub fn write_lengths(lengths: &[SessionLength], output: &Output) -> Result<(), Failure> {
    let mut table = CsvText::new(SESSION_LENGTH_COLUMNS);
    for SessionLength { input, was, frames } in lengths {
        table.row([input.clone(), was.to_string(), frames.to_string()]);
    }
    output.replacing().write(SESSION_LENGTHS, table.text()).map(drop)
}

/// The scenario of a resumed campaign, with the lengths that its trial found.
pub fn resumed_scenario(
    scenario: &Scenario,
    output: &Output,
    progress: &dyn Progress,
) -> Result<Scenario, Failure> {
    let file = output.path(SESSION_LENGTHS);
    let text = crate::folder::read_text(&file)?;
    let lengths = parse(&text).map_err(|error| Failure::input(&file, error))?;
    progress.say(&format!("  {SESSION_LENGTHS}: {}", frames_text(&lengths)));
    lengthened_scenario(scenario, &lengths)
}

fn parse(text: &str) -> Result<Vec<SessionLength>, csv::Error> {
    csv_text::reader(text).deserialize().collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::folder::OnExisting;
    use crate::progress::Silent;
    use crate::scenario::parse_scenario;

    fn scenario(frames: u64) -> Scenario {
        let text = format!(
            "name = 'a'\n[application]\npackage = 'a.b'\nmain = 'A'\n[[source]]\npath = 's'\n\
             [session]\nframes = {frames}\n[[input]]\nname = 'few'\n"
        );
        parse_scenario(&text, Path::new("s.toml")).unwrap()
    }

    #[test]
    fn a_campaign_is_resumed_with_the_lengths_that_its_trial_found() {
        let folder = tempfile::tempdir().unwrap();
        let output = Output::open(folder.path(), OnExisting::Resume, &Silent).unwrap();
        let frames = |scenario: &Scenario| scenario.frames(&scenario.inputs[0]);
        let lengths = [SessionLength { input: "few".into(), was: 100, frames: 900 }];
        write_lengths(&lengths, &output).unwrap();
        assert_eq!(frames(&resumed_scenario(&scenario(100), &output, &Silent).unwrap()), Some(900));
        assert_eq!(
            frames(&resumed_scenario(&scenario(50), &output, &Silent).unwrap()),
            Some(50),
            "it was changed"
        );
        output.replacing().write(SESSION_LENGTHS, "input,was\nfew,x\n").unwrap();
        let error = resumed_scenario(&scenario(100), &output, &Silent).unwrap_err().to_string();
        assert!(error.contains(SESSION_LENGTHS), "{error}");
    }
}
