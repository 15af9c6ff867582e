//! Errors of power meters.

use thiserror::Error;

use super::super::trace::PowerTraceError;

/// Reasons why a meter gives no power. A meter that can't measure never counts as one of 0 J.
#[derive(Debug, Error, Clone, PartialEq)]
pub enum MeterError {
    /// A meter that the device lacks or denies access to.
    #[error("{meter}: not offered: {why}")]
    NotOffered {
        /// The meter.
        meter: &'static str,
        /// Missing file or right, and the remedy.
        why: String,
    },
    /// A reading that can't be parsed.
    #[error("{meter}: reading {reading}: {problem}")]
    Reading {
        /// The meter.
        meter: &'static str,
        /// Number of the reading, from 1.
        reading: usize,
        /// Fault of the reading, in words.
        problem: String,
    },
    /// Readings that are fine one by one and give no power.
    #[error("{meter}: {problem}")]
    NoPower {
        /// The meter.
        meter: &'static str,
        /// Reason, in words.
        problem: String,
    },
    /// A text other than a sampler writes.
    #[error(transparent)]
    Trace(#[from] PowerTraceError),
}
