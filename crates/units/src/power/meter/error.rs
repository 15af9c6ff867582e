//! Why a meter gives no figure.

use thiserror::Error;

use super::super::trace::PowerTraceError;

/// Why a meter gives no figure. There is no figure of 0 J for one that can't measure.
#[derive(Debug, Error, Clone, PartialEq)]
pub enum MeterError {
    /// The device does not have it, or not for us.
    #[error("{meter}: not offered: {why}")]
    NotOffered {
        /// The meter.
        meter: &'static str,
        /// What is missing, and what to do.
        why: String,
    },
    /// A reading that can't be understood.
    #[error("{meter}: reading {reading}: {problem}")]
    Reading {
        /// The meter.
        meter: &'static str,
        /// Number of the reading, from 1.
        reading: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// Readings that are fine one by one and give no power.
    #[error("{meter}: {problem}")]
    NoPower {
        /// The meter.
        meter: &'static str,
        /// Why.
        problem: String,
    },
    /// Not the text that a sampler writes.
    #[error(transparent)]
    Trace(#[from] PowerTraceError),
}
