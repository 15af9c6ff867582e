//! Binder, Android's calls between processes: an activity goes with a call into the thread
//! that serves it, as Quanto's goes with a message to another node. A transaction is known
//! by its number where it is sent and where it is received; the activity is the thread's
//! until it replies, or, after a call that has no reply, until it receives the next one.

use std::collections::BTreeMap;

use super::label::Label;
use super::sections::{Sections, Thread};

/// What was sent and not received yet.
#[derive(Debug, Clone, Copy)]
enum Sent {
    /// A call for this activity.
    Call(Label),
    Reply,
}

/// The transactions under way.
#[derive(Debug, Clone, Default)]
pub(super) struct Binder {
    sent: BTreeMap<i32, Sent>,
    /// For each call whose reply a thread waits for: how many calls it served when it made
    /// it. A thread that waits can be called back.
    waiting: BTreeMap<Thread, Vec<usize>>,
    /// Transactions that were received and whose sending is not in the trace.
    pub unknown: u64,
}

impl Binder {
    /// A thread calls into another process, for an activity.
    pub fn call(&mut self, id: i32, thread: Thread, label: Label, served: usize, is_one_way: bool) {
        self.sent.insert(id, Sent::Call(label));
        if !is_one_way {
            let waiting = self.waiting.entry(thread).or_default();
            // It can't call while it waits: that reply is lost.
            waiting.retain(|before| *before < served);
            waiting.push(served);
        }
    }

    /// A thread replies: the call that it served is over.
    pub fn reply(&mut self, id: i32, thread: Thread, sections: &mut Sections) {
        self.sent.insert(id, Sent::Reply);
        sections.put_down(thread);
    }

    /// A thread receives a transaction: it works for the caller's activity from now on, or
    /// goes on with its own work after a reply.
    pub fn received(&mut self, at_ns: i64, id: i32, thread: Thread, sections: &mut Sections) {
        let sent = self.sent.remove(&id);
        if let Some(Sent::Reply) = sent {
            self.waiting.get_mut(&thread).and_then(Vec::pop);
            return;
        }
        // What it served before is over, unless it waits there and is called back.
        let waits = self.waiting.get(&thread).and_then(|waiting| waiting.last().copied());
        while sections.carried(thread) > waits.unwrap_or(0) {
            sections.put_down(thread);
        }
        match sent {
            Some(Sent::Call(label)) => sections.carry(at_ns, thread, label),
            _ => self.unknown += 1,
        }
    }
}
