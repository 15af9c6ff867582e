//! How far a command is, and how long it will take, as lines for those who see no bar. Knows
//! no clock: times are since any fixed moment.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::progress::in_words;

/// A silence that is broken: with the second in which it is noticed, no log is silent for
/// half a minute.
const SILENCE: Duration = Duration::from_secs(28);

/// How far a command is.
#[derive(Debug, Default)]
pub struct Pace {
    /// The stage of a pipeline.
    stage: Option<(String, Duration)>,
    task: Option<PacedTask>,
    /// Parts to come, with the seconds that they take at most.
    ahead: BTreeMap<&'static str, f64>,
    /// When a line was last said; none when that was since the last look.
    said: Option<Duration>,
}

/// Parts of the same kind, one after the other.
#[derive(Debug)]
struct PacedTask {
    what: &'static str,
    total: u64,
    done: u64,
    /// Of those done, how many were made, not found.
    made: u64,
    /// When making them began.
    began: Duration,
}

impl PacedTask {
    fn left(&self) -> u64 {
        self.total.saturating_sub(self.done)
    }

    /// Seconds that one part takes.
    fn each_s(&self, now: Duration) -> Option<f64> {
        let took = now.saturating_sub(self.began).as_secs_f64();
        (self.made > 0).then(|| took / self.made as f64)
    }
}

impl Pace {
    /// A stage begins.
    pub fn stage(&mut self, name: &str, now: Duration) {
        self.stage = Some((name.to_string(), now));
        self.heard();
    }

    /// A part to come takes at most so long.
    pub fn expect(&mut self, part: &'static str, seconds: f64) {
        self.ahead.insert(part, seconds);
    }

    /// A task begins, which may be one that was expected.
    pub fn begin(&mut self, what: &'static str, total: u64, now: Duration) {
        self.ahead.remove(what);
        self.task = Some(PacedTask { what, total, done: 0, made: 0, began: now });
    }

    /// So many more parts were made.
    pub fn made(&mut self, parts: u64) {
        self.made_up_to(self.done() + parts);
    }

    /// Parts were made; so many are done. One that was begun again takes some back.
    pub fn made_up_to(&mut self, done: u64) {
        let Some(task) = &mut self.task else { return };
        task.made = (task.made + done).saturating_sub(task.done);
        task.done = done;
    }

    /// Parts were there already; so many are done.
    pub fn found_up_to(&mut self, done: u64, now: Duration) {
        if let Some(task) = &mut self.task {
            task.done = task.done.max(done);
            if task.made == 0 {
                task.began = now;
            }
        }
    }

    /// There are so many parts.
    pub fn set_length(&mut self, total: u64) {
        if let Some(task) = &mut self.task {
            task.total = total;
        }
    }

    /// The task is over.
    pub fn end(&mut self, _now: Duration) {
        self.task = None;
    }

    /// How many parts are done.
    pub fn done(&self) -> u64 {
        self.task.as_ref().map_or(0, |task| task.done)
    }

    /// Something was said.
    pub fn heard(&mut self) {
        self.said = None;
    }

    /// How long the task and what follows will take, in words; empty where nothing tells.
    pub fn time_left(&self, now: Duration) -> String {
        let Some(task) = &self.task else { return String::new() };
        let Some(each_s) = task.each_s(now) else { return String::new() };
        let own = each_s * task.left() as f64;
        if self.ahead.is_empty() {
            return format!("about {}", in_words(own));
        }
        let parts: Vec<&str> = self.ahead.keys().copied().collect();
        let all = in_words(own + self.ahead.values().sum::<f64>());
        format!("about {}, with {} up to {all}", in_words(own), parts.join(", "))
    }

    /// What is to be said now, if nothing was for long. `has_bar`: a bar shows tasks.
    pub fn line(&mut self, now: Duration, has_bar: bool) -> Option<String> {
        let said = *self.said.get_or_insert(now);
        if now.saturating_sub(said) < SILENCE {
            return None;
        }
        let line = match (&self.task, &self.stage) {
            (Some(_), _) if has_bar => return None,
            (Some(task), _) => {
                let left = self.time_left(now);
                let left = if left.is_empty() { left } else { format!(", {left}") };
                let PacedTask { what, total, done, .. } = task;
                format!("  {what}: {done} of {total} done, {} left{left}", task.left())
            }
            (None, Some((stage, began))) => {
                format!("  {stage}: since {}", in_words(now.saturating_sub(*began).as_secs_f64()))
            }
            (None, None) => return None,
        };
        self.said = Some(now);
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// All lines of a clock that ticks every second.
    fn lines(pace: &mut Pace, from: u64, to: u64) -> Vec<(u64, String)> {
        (from..to).filter_map(|s| Some((s, pace.line(at(s), false)?))).collect()
    }

    #[test]
    fn a_silence_is_broken_every_half_minute() {
        let mut pace = Pace::default();
        assert_eq!(lines(&mut pace, 0, 100), [], "nothing is going on");
        pace.stage("fit", at(100));
        let said = lines(&mut pace, 100, 165);
        let expected = [(128, "  fit: since 28 s"), (156, "  fit: since 56 s")];
        assert_eq!(said, expected.map(|(s, line)| (s, line.to_string())));
        pace.heard();
        assert_eq!(lines(&mut pace, 165, 193), [], "what was said breaks it, too");
    }

    #[test]
    fn a_line_says_what_is_done_and_left_and_when_all_is() {
        let mut pace = Pace::default();
        pace.begin("measuring", 100, at(0));
        pace.expect("microbenchmarks", 300.0);
        let said = lines(&mut pace, 0, 40);
        assert_eq!(said[0].1, "  measuring: 0 of 100 done, 100 left");
        pace.found_up_to(20, at(40));
        pace.made_up_to(40);
        pace.heard();
        let said = lines(&mut pace, 140, 171);
        assert_eq!(said.len(), 1);
        assert_eq!(pace.time_left(at(140)), "about 5 min, with microbenchmarks up to 10 min");
        assert!(said[0].1.starts_with("  measuring: 40 of 100 done, 60 left, about"), "{said:?}");
        pace.end(at(171));
        pace.begin("microbenchmarks", 60, at(171));
        pace.made(30);
        assert_eq!(pace.time_left(at(201)), "about 30 s");
    }

    #[test]
    fn a_bar_says_it_by_itself() {
        let mut pace = Pace::default();
        pace.begin("measuring", 2, at(0));
        assert!((0..100).all(|s| pace.line(at(s), true).is_none()));
        pace.end(at(100));
        pace.stage("fit", at(100));
        assert!((100..140).any(|s| pace.line(at(s), true).is_some()));
    }
}
