//! When stages of a pipeline begin, and how long they take.

use std::cell::RefCell;
use std::time::Instant;

use crate::progress::Progress;
use crate::progress::times::{CampaignTimes, StageTime};

/// Says which stage begins, how long all took, and how long what is left will take.
pub(crate) struct StageClock<'p> {
    /// What hears of it.
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

    /// A stage begins.
    pub(crate) fn stage(&self, name: &str) {
        let (before, began) = self.now.replace((name.to_string(), Instant::now()));
        self.times.borrow_mut().end(&before, began.elapsed().as_secs_f64());
        self.progress.stage(name);
        self.progress.say(&format!("[{:5.1} s] {name}", self.start.elapsed().as_secs_f64()));
    }

    /// Expects stages that are to come.
    pub(crate) fn expect(&self, times: Vec<(&'static str, StageTime)>) {
        let now = self.now.borrow();
        let mut known = self.times.borrow_mut();
        times.into_iter().for_each(|(stage, time)| known.expect(stage, time, &now.0));
    }

    /// Says how long what is left will take, as far as that is known.
    pub(crate) fn tell(&self, what: &str) {
        if let Some(text) = self.times.borrow().text() {
            self.progress.say(&format!("  {what} will take {text}"));
        }
    }
}
