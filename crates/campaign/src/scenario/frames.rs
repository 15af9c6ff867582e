//! Lengths of sessions in frames, and scenarios with longer sessions.

use std::collections::BTreeMap;

use super::error::ScenarioError;
use super::settings::{InputSequence, Scenario};
use super::{check_written, parse_written};

impl Scenario {
    /// The frames of an input's sessions, if a key `frames` gives them.
    pub fn frames(&self, input: &InputSequence) -> Option<u64> {
        let frames = input.frames.or(self.session.frames)?;
        let is_passed = self.extras(input).get("frames") == Some(&frames.to_string());
        is_passed.then_some(frames)
    }

    /// The scenario with this many frames in sessions of these inputs, in its text, too. The time
    /// limit grows by the largest factor between new and old frames.
    ///
    /// # Errors
    /// A number of frames outside of the valid range.
    pub(crate) fn with_frames(
        &self,
        frames: &BTreeMap<String, u64>,
    ) -> Result<Scenario, ScenarioError> {
        let mut written = parse_written(&self.text, &self.file)?;
        for input in &mut written.input {
            if let Some(wanted) = frames.get(&input.name) {
                input.frames = Some(*wanted);
            }
        }
        let times = self.inputs.iter().filter_map(|input| {
            Some(*frames.get(&input.name)? as f64 / self.frames(input)? as f64)
        });
        written.session.limit_s = Some(self.session.limit_s * times.fold(1.0, f64::max));
        let body = toml::to_string(&written).map_err(|error| ScenarioError::Syntax {
            file: self.file.clone(),
            line: 1,
            message: error.to_string(),
        })?;
        let names: Vec<&str> = frames.keys().map(String::as_str).collect();
        let text = format!(
            "# {} with `frames` of {} as the trial of `wattline pipeline` found them\n{body}",
            self.file.display(),
            names.join(", ")
        );
        check_written(written, &text, &self.file)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::parse_scenario;
    use super::*;

    const TEXT: &str = "name = 'a'\n[application]\npackage = 'a.b'\nmain = 'A'\n[[source]]\n\
        path = 's'\n[session]\nframes = 100\nduration_s = 3.5\n[campaign]\ncases = 7\n\
        [[input]]\nname = 'few'\nsteps = [{ at_s = 1, tap = [3, 4] }]\n\
        [[input]]\nname = 'many'\nframes = 300\n\
        [[input]]\nname = 'own'\nextras = { frames = 5 }\n";

    #[test]
    fn a_scenario_with_other_frames_is_the_same_but_for_them() {
        let before = parse_scenario(TEXT, Path::new("s.toml")).unwrap();
        let frames: Vec<_> = before.inputs.iter().map(|input| before.frames(input)).collect();
        assert_eq!(frames, [Some(100), Some(300), None], "an extra is the harness's own");
        let longer = BTreeMap::from([("few".to_string(), 900)]);
        let after = before.with_frames(&longer).unwrap();
        let read = parse_scenario(&after.text, Path::new("s.toml")).unwrap();
        assert_eq!(read.keys, after.keys);
        let mut keys = before.keys.clone();
        keys.insert("input.few.frames".into(), "900".into());
        keys.insert("session.limit_s".into(), "94.5".into());
        assert_eq!(after.keys, keys);
        assert_eq!(after.inputs[0].steps, before.inputs[0].steps);
        let too_many = BTreeMap::from([("few".to_string(), u64::MAX)]);
        assert!(before.with_frames(&too_many).is_err());
    }
}
