//! Binder, Android's calls between processes: an activity goes with a call into the thread
//! that serves it, as Quanto's goes with a message to another node. A transaction is known
//! by its number where it is sent and where it is received; the activity is the thread's
//! until it replies, or, after a call that has no reply, until it receives the next one.

use std::collections::BTreeMap;

use super::label::Label;
use super::sections::{Sections, Thread};

/// Transaction that was sent and not received yet: a call or a reply.
#[derive(Debug, Clone, Copy)]
enum PendingTransaction {
    /// A call for this activity.
    Call(Label),
    Reply,
}

/// Binder transactions that were sent and not received yet, by their ids.
#[derive(Debug, Clone, Default)]
pub(super) struct BinderTransactions {
    sent: BTreeMap<i32, PendingTransaction>,
    /// For each call whose reply a thread waits for: how many calls it served when it made
    /// it. A thread that waits can be called back.
    waiting: BTreeMap<Thread, Vec<usize>>,
    /// Transactions that were received and whose sending is not in the trace.
    pub unknown: u64,
}

impl BinderTransactions {
    /// Adds a call of a thread into another process, for an activity.
    pub fn call(&mut self, id: i32, thread: Thread, label: Label, served: usize, is_one_way: bool) {
        self.sent.insert(id, PendingTransaction::Call(label));
        if !is_one_way {
            let waiting = self.waiting.entry(thread).or_default();
            // It can't call while it waits: that reply is lost.
            waiting.retain(|before| *before < served);
            waiting.push(served);
        }
    }

    /// Adds a reply of a thread and ends the call that it served.
    pub fn reply(&mut self, id: i32, thread: Thread, sections: &mut Sections) {
        self.sent.insert(id, PendingTransaction::Reply);
        sections.end_call(thread);
    }

    /// Takes the receipt of a transaction: a call makes the thread work for the caller's activity,
    /// a reply for its own again.
    pub fn receive(&mut self, at_ns: i64, id: i32, thread: Thread, sections: &mut Sections) {
        let sent = self.sent.remove(&id);
        if let Some(PendingTransaction::Reply) = sent {
            self.waiting.get_mut(&thread).and_then(Vec::pop);
            return;
        }
        // What it served before is over, unless it waits there and is called back.
        let waits = self.waiting.get(&thread).and_then(|waiting| waiting.last().copied());
        while sections.served_calls(thread) > waits.unwrap_or(0) {
            sections.end_call(thread);
        }
        match sent {
            Some(PendingTransaction::Call(label)) => sections.take_over_call(at_ns, thread, label),
            _ => self.unknown += 1,
        }
    }
}
