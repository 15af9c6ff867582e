//! Expected durations of the stages of a campaign, shown before it begins and again as stages end.

use super::duration_text;

/// Expected duration of a stage, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StageTime {
    /// Estimate of the duration.
    About(f64),
    /// Upper bound; the duration depends on the results of earlier stages.
    AtMost(f64),
    /// Unknown before the stage runs.
    Unknown,
}

/// Expected durations of the remaining stages, in their order.
#[derive(Debug, Default)]
pub struct CampaignTimes(Vec<(&'static str, StageTime)>);

/// Stages with an expected duration, in their order.
const ORDER: [&str; 6] = ["plan", "run", "calls", "microbenchmarks", "pairs", "verify"];

/// Pairs of stages with the same kind of work: the later one's estimate is scaled by the ratio of
/// actual to expected duration of the earlier one.
const SIMILAR_STAGES: [(&str, &str); 2] = [("run", "verify"), ("microbenchmarks", "pairs")];

fn stage_index(stage: &str) -> Option<usize> {
    ORDER.iter().position(|of| *of == stage)
}

impl FromIterator<(&'static str, StageTime)> for CampaignTimes {
    fn from_iter<I: IntoIterator<Item = (&'static str, StageTime)>>(stages: I) -> Self {
        let mut times = CampaignTimes::default();
        stages.into_iter().for_each(|(stage, time)| times.expect(stage, time, ""));
        times
    }
}

impl CampaignTimes {
    /// Sets the expected duration of a stage, unless the stage is over at the stage `now`.
    pub fn expect(&mut self, stage: &'static str, time: StageTime, now: &str) {
        if stage_index(now).is_some_and(|now| stage_index(stage).is_some_and(|of| of < now)) {
            return;
        }
        self.0.retain(|(known, _)| *known != stage);
        self.0.push((stage, time));
        self.0.sort_by_key(|(stage, _)| stage_index(stage));
    }

    /// The total, `about 12 min`; `None` where nothing is known.
    pub fn total_text(&self) -> Option<String> {
        let (about, at_most) = self.sums_s();
        let (least, most) = (duration_text(about), duration_text(about + at_most));
        let up_to = if least == most { String::new() } else { format!(" to {most}") };
        (about + at_most > 0.0).then(|| format!("about {least}{up_to}"))
    }

    /// Records that a stage ended after `took_s` seconds, and rescales the similar later stage.
    pub fn end(&mut self, stage: &str, took_s: f64) {
        let Some(at) = self.0.iter().position(|(known, _)| *known == stage) else { return };
        let (_, expected) = self.0.remove(at);
        let StageTime::About(expected_s) = expected else { return };
        let like = SIMILAR_STAGES.iter().find(|(of, _)| *of == stage).map(|(_, later)| later);
        let later = self.0.iter_mut().find(|(name, _)| Some(name) == like);
        if let Some((_, time)) = later.filter(|_| expected_s > 0.0) {
            *time = time.scaled(took_s / expected_s);
        }
    }

    /// The total with its parts, `about 12 min: run 3 min, microbenchmarks 9 min`; `None` where
    /// nothing is known.
    pub fn text(&self) -> Option<String> {
        let known = |(name, time): &(&'static str, StageTime)| match time {
            StageTime::About(s) => Some(format!("{name} {}", duration_text(*s))),
            StageTime::AtMost(s) => Some(format!("{name} up to {}", duration_text(*s))),
            StageTime::Unknown => None,
        };
        let parts: Vec<String> = self.0.iter().filter_map(known).collect();
        let mut text = format!("{}: {}", self.total_text()?, parts.join(", "));
        let unknown = self.0.iter().filter(|(_, time)| *time == StageTime::Unknown);
        let unknown: Vec<&str> = unknown.map(|(name, _)| *name).collect();
        if !unknown.is_empty() {
            text += &format!("; how long {} will take is known once it runs", unknown.join(", "));
        }
        Some(text)
    }

    /// Sums of the estimates and of the upper bounds, in seconds.
    fn sums_s(&self) -> (f64, f64) {
        self.0.iter().fold((0.0, 0.0), |(about, at_most), (_, time)| match time {
            StageTime::About(s) => (about + s, at_most),
            StageTime::AtMost(s) => (about, at_most + s),
            StageTime::Unknown => (about, at_most),
        })
    }
}

impl StageTime {
    /// The same time as an upper bound instead of an estimate.
    pub fn at_most(self) -> Self {
        match self {
            StageTime::About(s) => StageTime::AtMost(s),
            known => known,
        }
    }

    fn scaled(self, factor: f64) -> Self {
        match self {
            StageTime::About(s) => StageTime::About(s * factor),
            StageTime::AtMost(s) => StageTime::AtMost(s * factor),
            StageTime::Unknown => StageTime::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_is_told_stage_by_stage_and_corrected_by_what_stages_took() {
        let mut times = CampaignTimes::default();
        assert_eq!(times.text(), None);
        times.expect("plan", StageTime::Unknown, "trial");
        assert_eq!(times.text(), None, "nothing is known of it");
        times.expect("run", StageTime::About(100.0), "trial");
        times.expect("microbenchmarks", StageTime::About(600.0), "trial");
        times.expect("pairs", StageTime::AtMost(300.0), "trial");
        times.expect("verify", StageTime::About(60.0), "trial");
        let expected = "about 13 min to 18 min: run 2 min, microbenchmarks 10 min, pairs up to \
                        5 min, verify 60 s; how long plan will take is known once it runs";
        assert_eq!(times.text().as_deref(), Some(expected));
        times.end("plan", 40.0);
        // Runs take twice as long as expected: so do those of rewrites.
        times.end("run", 200.0);
        times.end("calls", 10.0);
        // There are more of them, now that it is known what ran.
        times.expect("microbenchmarks", StageTime::About(900.0), "trial");
        let expected = "about 17 min to 22 min: microbenchmarks 15 min, pairs up to 5 min, \
                        verify 2 min";
        assert_eq!(times.text().as_deref(), Some(expected));
        times.expect("run", StageTime::About(100.0), "microbenchmarks");
        assert_eq!(times.text().as_deref(), Some(expected), "it is over");
        times.end("microbenchmarks", 450.0);
        let expected = "about 2 min to 4 min: pairs up to 2 min, verify 2 min";
        assert_eq!(times.text().as_deref(), Some(expected));
    }
}
