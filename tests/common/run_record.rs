//! The record of a good run, for tests of what is made of runs.

use crate::campaign::{PlannedRun, RunPhase};
use crate::run::{BoardIdentity, MeasuredSession, RunRecord, RunVerdict};

pub(crate) fn record(
    case: &str,
    phase: RunPhase,
    repeat: u32,
    energy_j: f64,
    duration_s: f64,
) -> RunRecord {
    let run = PlannedRun { case: case.into(), phase, repeat };
    RunRecord {
        folder: run.id(),
        run,
        attempt: 0,
        verdict: RunVerdict::Good,
        board: BoardIdentity { serial: "B1".into(), ..BoardIdentity::default() },
        conditions: Default::default(),
        measured: Some(MeasuredSession {
            energy_j,
            energy_trapezoid_j: energy_j * 1.5,
            duration_s,
            collections: u64::from(repeat),
            clock_residual_s: Some(0.01 * f64::from(repeat)),
            lag_s: 0.2,
            update_period_us: Some(250_000),
            ..MeasuredSession::default()
        }),
        tool_version: "1".into(),
        seed: 1,
    }
}
