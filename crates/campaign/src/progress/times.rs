//! How long the stages of a campaign will take, as known so far: told before it begins, and
//! again as stages end.

use super::in_words;

/// What is known of the time that a stage will take, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StageTime {
    /// About so long.
    About(f64),
    /// Not longer than that; how long depends on what earlier stages find.
    AtMost(f64),
    /// Nothing, before it runs.
    Unknown,
}

/// Stages that are to come, in their order.
#[derive(Debug, Default)]
pub struct CampaignTimes(Vec<(&'static str, StageTime)>);

/// The stages whose time is told, in their order.
const ORDER: [&str; 6] = ["plan", "run", "calls", "microbenchmarks", "pairs", "verify"];

/// Stages that do the same kind of work as an earlier one: they take as much more or less than
/// expected as that did.
const ALIKE: [(&str, &str); 2] = [("run", "verify"), ("microbenchmarks", "pairs")];

fn place(stage: &str) -> Option<usize> {
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
    /// Expects a stage, or expects it to take another time, unless it is over by the present one.
    pub fn expect(&mut self, stage: &'static str, time: StageTime, now: &str) {
        if place(now).is_some_and(|now| place(stage).is_some_and(|of| of < now)) {
            return;
        }
        self.0.retain(|(known, _)| *known != stage);
        self.0.push((stage, time));
        self.0.sort_by_key(|(stage, _)| place(stage));
    }

    /// `about 12 min`; none where nothing is known.
    pub fn whole(&self) -> Option<String> {
        let (about, at_most) = self.sums_s();
        let (least, most) = (in_words(about), in_words(about + at_most));
        let up_to = if least == most { String::new() } else { format!(" to {most}") };
        (about + at_most > 0.0).then(|| format!("about {least}{up_to}"))
    }

    /// A stage is over and took so long.
    pub fn end(&mut self, stage: &str, took_s: f64) {
        let Some(at) = self.0.iter().position(|(known, _)| *known == stage) else { return };
        let (_, expected) = self.0.remove(at);
        let StageTime::About(expected_s) = expected else { return };
        let like = ALIKE.iter().find(|(of, _)| *of == stage).map(|(_, later)| later);
        let later = self.0.iter_mut().find(|(name, _)| Some(name) == like);
        if let Some((_, time)) = later.filter(|_| expected_s > 0.0) {
            *time = time.times(took_s / expected_s);
        }
    }

    /// `about 12 min: run 3 min, microbenchmarks 9 min`; none where nothing is known.
    pub fn text(&self) -> Option<String> {
        let known = |(name, time): &(&'static str, StageTime)| match time {
            StageTime::About(s) => Some(format!("{name} {}", in_words(*s))),
            StageTime::AtMost(s) => Some(format!("{name} up to {}", in_words(*s))),
            StageTime::Unknown => None,
        };
        let parts: Vec<String> = self.0.iter().filter_map(known).collect();
        let mut text = format!("{}: {}", self.whole()?, parts.join(", "));
        let unknown = self.0.iter().filter(|(_, time)| *time == StageTime::Unknown);
        let unknown: Vec<&str> = unknown.map(|(name, _)| *name).collect();
        if !unknown.is_empty() {
            text += &format!("; how long {} will take is known once it runs", unknown.join(", "));
        }
        Some(text)
    }

    /// Seconds that are expected, and those that may be more.
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

    fn times(self, factor: f64) -> Self {
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
