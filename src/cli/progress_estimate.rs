//! Progress of a command and its time left, as lines for logs without a bar. Has no clock: times
//! are durations since any fixed moment.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::progress::duration_text;

/// Silence after which a line is printed: with the second in which it is noticed, no log is silent
/// for half a minute.
const SILENCE: Duration = Duration::from_secs(28);

/// Stage, task and expected parts of a command, from which its time left is estimated.
#[derive(Debug, Default)]
pub struct ProgressEstimate {
    /// Stage of a pipeline and its start.
    stage: Option<(String, Duration)>,
    task: Option<EstimatedTask>,
    /// Names of parts to come, with the largest number of seconds that each takes.
    ahead: BTreeMap<&'static str, f64>,
    /// Time of the last line; `None` when a line was printed since the last check.
    last_line_at: Option<Duration>,
}

/// Task of equal parts, one after the other.
#[derive(Debug)]
struct EstimatedTask {
    what: &'static str,
    total: u64,
    done: u64,
    /// Number of the done parts that were made now, not found in an earlier run.
    made: u64,
    /// Time when making parts began.
    began: Duration,
}

impl EstimatedTask {
    fn left(&self) -> u64 {
        self.total.saturating_sub(self.done)
    }

    /// Mean seconds that one part takes.
    fn seconds_per_part(&self, now: Duration) -> Option<f64> {
        let took = now.saturating_sub(self.began).as_secs_f64();
        (self.made > 0).then(|| took / self.made as f64)
    }
}

impl ProgressEstimate {
    /// Begins a stage.
    pub fn begin_stage(&mut self, name: &str, now: Duration) {
        self.stage = Some((name.to_string(), now));
        self.note_line();
    }

    /// Adds a part to come that takes at most some seconds.
    pub fn expect_part(&mut self, part: &'static str, seconds: f64) {
        self.ahead.insert(part, seconds);
    }

    /// Begins a task of `total` parts, which may be an expected one.
    pub fn begin_task(&mut self, what: &'static str, total: u64, now: Duration) {
        self.ahead.remove(what);
        self.task = Some(EstimatedTask { what, total, done: 0, made: 0, began: now });
    }

    /// Counts more parts as made.
    pub fn add_made(&mut self, parts: u64) {
        self.set_done_now(self.done() + parts);
    }

    /// Sets the number of done parts after some were made; a part that is begun again lowers it.
    pub fn set_done_now(&mut self, done: u64) {
        let Some(task) = &mut self.task else { return };
        task.made = (task.made + done).saturating_sub(task.done);
        task.done = done;
    }

    /// Sets the number of done parts after some were found from an earlier run.
    pub fn set_done_before(&mut self, done: u64, now: Duration) {
        if let Some(task) = &mut self.task {
            task.done = task.done.max(done);
            if task.made == 0 {
                task.began = now;
            }
        }
    }

    /// Sets the number of parts of the task.
    pub fn set_length(&mut self, total: u64) {
        if let Some(task) = &mut self.task {
            task.total = total;
        }
    }

    /// Ends the task.
    pub fn end_task(&mut self, _now: Duration) {
        self.task = None;
    }

    /// Number of parts that are done.
    pub fn done(&self) -> u64 {
        self.task.as_ref().map_or(0, |task| task.done)
    }

    /// Notes that a line was printed.
    pub fn note_line(&mut self) {
        self.last_line_at = None;
    }

    /// Time left of the task and the expected parts, as text; empty without any basis for an
    /// estimate.
    pub fn time_left(&self, now: Duration) -> String {
        let Some(task) = &self.task else { return String::new() };
        let Some(each_s) = task.seconds_per_part(now) else { return String::new() };
        let own = each_s * task.left() as f64;
        if self.ahead.is_empty() {
            return format!("about {}", duration_text(own));
        }
        let parts: Vec<&str> = self.ahead.keys().copied().collect();
        let all = duration_text(own + self.ahead.values().sum::<f64>());
        format!("about {}, with {} up to {all}", duration_text(own), parts.join(", "))
    }

    /// Line to print now, if none was printed for long. `has_bar`: a bar shows tasks already.
    pub fn overdue_line(&mut self, now: Duration, has_bar: bool) -> Option<String> {
        let said = *self.last_line_at.get_or_insert(now);
        if now.saturating_sub(said) < SILENCE {
            return None;
        }
        let line = match (&self.task, &self.stage) {
            (Some(_), _) if has_bar => return None,
            (Some(task), _) => {
                let left = self.time_left(now);
                let left = if left.is_empty() { left } else { format!(", {left}") };
                let EstimatedTask { what, total, done, .. } = task;
                format!("  {what}: {done} of {total} done, {} left{left}", task.left())
            }
            (None, Some((stage, began))) => {
                format!(
                    "  {stage}: since {}",
                    duration_text(now.saturating_sub(*began).as_secs_f64())
                )
            }
            (None, None) => return None,
        };
        self.last_line_at = Some(now);
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
    fn lines(pace: &mut ProgressEstimate, from: u64, to: u64) -> Vec<(u64, String)> {
        (from..to).filter_map(|s| Some((s, pace.overdue_line(at(s), false)?))).collect()
    }

    #[test]
    fn a_silence_is_broken_every_half_minute() {
        let mut pace = ProgressEstimate::default();
        assert_eq!(lines(&mut pace, 0, 100), [], "nothing is going on");
        pace.begin_stage("fit", at(100));
        let said = lines(&mut pace, 100, 165);
        let expected = [(128, "  fit: since 28 s"), (156, "  fit: since 56 s")];
        assert_eq!(said, expected.map(|(s, line)| (s, line.to_string())));
        pace.note_line();
        assert_eq!(lines(&mut pace, 165, 193), [], "what was said breaks it, too");
    }

    #[test]
    fn a_line_says_what_is_done_and_left_and_when_all_is() {
        let mut pace = ProgressEstimate::default();
        pace.begin_task("measuring", 100, at(0));
        pace.expect_part("microbenchmarks", 300.0);
        let said = lines(&mut pace, 0, 40);
        assert_eq!(said[0].1, "  measuring: 0 of 100 done, 100 left");
        pace.set_done_before(20, at(40));
        pace.set_done_now(40);
        pace.note_line();
        let said = lines(&mut pace, 140, 171);
        assert_eq!(said.len(), 1);
        assert_eq!(pace.time_left(at(140)), "about 5 min, with microbenchmarks up to 10 min");
        assert!(said[0].1.starts_with("  measuring: 40 of 100 done, 60 left, about"), "{said:?}");
        pace.end_task(at(171));
        pace.begin_task("microbenchmarks", 60, at(171));
        pace.add_made(30);
        assert_eq!(pace.time_left(at(201)), "about 30 s");
    }

    #[test]
    fn a_bar_says_it_by_itself() {
        let mut pace = ProgressEstimate::default();
        pace.begin_task("measuring", 2, at(0));
        assert!((0..100).all(|s| pace.overdue_line(at(s), true).is_none()));
        pace.end_task(at(100));
        pace.begin_stage("fit", at(100));
        assert!((100..140).any(|s| pace.overdue_line(at(s), true).is_some()));
    }
}
