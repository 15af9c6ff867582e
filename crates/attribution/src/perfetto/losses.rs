//! What a trace does not have: counted, never guessed.

use std::collections::BTreeMap;

use wattline_units::format::counted_as;

use super::unread::{RecordContent, UnreadCounts};
use super::wire::{FtraceStats, TraceStats};

/// Losses of a trace while it was recorded or read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Losses {
    /// PacketReader that say that packets before them are missing.
    pub dropped_packets: u64,
    /// Bundles of kernel events that say that the kernel's buffer ran over before them.
    pub lossy_bundles: u64,
    /// Kernel events that were overwritten or dropped, by the kernel's own count, which is
    /// in the trace's last statistics; 0 where it has none.
    pub kernel_events: u64,
    /// Chunks that the tracing service's buffer overwrote or discarded, and packets that
    /// writers could not place, by its own count.
    pub service_buffers: u64,
    /// PacketReader that don't decode.
    pub unreadable_packets: u64,
    /// Events whose clock nothing ties to the trace's.
    pub timeless_events: u64,
    /// How the file ends, if not after a whole packet.
    pub truncation: Option<String>,
    /// Kinds of records that are not read and could hold an answer.
    pub unread: UnreadCounts,
    /// PacketReader of other machines than the one that is read, by the machine's number.
    pub other_machines: BTreeMap<u32, u64>,
    pub(super) kernel_start: BTreeMap<u64, u64>,
}

impl Losses {
    /// Returns a sentence for each kind of record that is not read and may contain what is wanted,
    /// and for other machines.
    #[must_use]
    pub fn unread_findings(&self, wanted: &[RecordContent]) -> Vec<String> {
        let machine = |(machine, packets): (&u32, &u64)| {
            let packets = counted_as(packets, "packet is", "packets are");
            format!("{packets} of machine {machine}, which is not the one that is read")
        };
        let mut found = self.unread.findings(wanted);
        found.extend(self.other_machines.iter().map(machine));
        found
    }

    /// Returns a sentence for each kind of loss; none for a complete trace.
    #[must_use]
    pub fn findings(&self) -> Vec<String> {
        let losses = [
            (self.dropped_packets, ["gap", "gaps"], "where the recorder dropped packets"),
            (self.lossy_bundles, ["gap", "gaps"], "where the kernel's event buffer ran over"),
            (
                self.kernel_events,
                ["kernel event", "kernel events"],
                "overwritten, by the kernel's count",
            ),
            (
                self.service_buffers,
                ["chunk or packet", "chunks or packets"],
                "lost in the recorder's buffers",
            ),
            (self.unreadable_packets, ["packet", "packets"], "that could not be decoded"),
            (
                self.timeless_events,
                ["event", "events"],
                "with a clock that nothing ties to the trace's",
            ),
        ];
        let losses = losses.into_iter().filter(|(count, ..)| *count > 0);
        let losses = losses
            .map(|(count, [one, many], what)| format!("{} {what}", counted_as(count, one, many)));
        losses.chain(self.truncation.clone()).collect()
    }

    pub(super) fn add_kernel_losses(&mut self, stats: &FtraceStats) {
        let counts = stats
            .cpu_stats
            .iter()
            .map(|cpu| (cpu.cpu, cpu.overrun.saturating_add(cpu.dropped_events)));
        // The counters run from boot; what counts is their growth during the trace.
        if stats.phase == 1 {
            self.kernel_start = counts.collect();
            return;
        }
        let start = &self.kernel_start;
        let growth =
            |(cpu, count): (u64, u64)| count.saturating_sub(start.get(&cpu).copied().unwrap_or(0));
        self.kernel_events = counts.map(growth).fold(0, u64::saturating_add);
    }

    pub(super) fn add_service_losses(&mut self, stats: &TraceStats) {
        let of = |b: &super::wire::BufferStats| {
            [b.chunks_overwritten, b.chunks_discarded, b.trace_writer_packet_loss]
        };
        let counts = stats.buffer_stats.iter().flat_map(of);
        self.service_buffers = counts.fold(0, u64::saturating_add);
    }
}
