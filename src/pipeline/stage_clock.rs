//! Start times, durations and time left of pipeline stages.

use std::cell::RefCell;
use std::time::Instant;

use crate::progress::Progress;
use crate::progress::times::{CampaignTimes, StageTime};

/// Reports the start of each stage, the time since the pipeline's start, and the time left.
pub(crate) struct StageClock<'p> {
    /// Receiver of the messages.
    pub progress: &'p dyn Progress,
    start: Instant,
    now: RefCell<(String, Instant)>,
    times: RefCell<CampaignTimes>,
}

impl<'p> StageClock<'p> {
    pub(crate) fn new(progress: &'p dyn Progress) -> Self {
        let start = Instant::now();
        let now = RefCell::new((String::new(), start));
        StageClock { progress, start, now, times: RefCell::default() }
    }

    /// Begins a stage and prints its name with the time since the start.
    pub(crate) fn begin_stage(&self, name: &str) {
        let (before, began) = self.now.replace((name.to_string(), Instant::now()));
        self.times.borrow_mut().end(&before, began.elapsed().as_secs_f64());
        self.progress.stage(name);
        self.progress.say(&format!("[{:5.1} s] {name}", self.start.elapsed().as_secs_f64()));
    }

    /// Adds expected stages with their times.
    pub(crate) fn expect(&self, times: Vec<(&'static str, StageTime)>) {
        let now = self.now.borrow();
        let mut known = self.times.borrow_mut();
        times.into_iter().for_each(|(stage, time)| known.expect(stage, time, &now.0));
    }

    /// Prints how long `what` (all stages or the rest) will take, if that is known.
    pub(crate) fn print_time_left(&self, what: &str) {
        if let Some(text) = self.times.borrow().text() {
            self.progress.say(&format!("  {what} will take {text}"));
        }
    }
}
