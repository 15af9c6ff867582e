//! A small export for the tests of the formats: Program 1 of the paper, two sessions of two
//! rails, one input with four runs.

use std::collections::BTreeMap;

use super::data::{ExportData, InputEnergies, SessionTrace};
use crate::account::{Accounts, account};
use crate::power::{FigureBasis, PowerTrace, Window};
use crate::report::Repository;
use crate::sample_accounts as accounts;

/// An export that owns its parts.
pub(crate) struct OwnedExportData {
    pub accounts: Accounts,
    pub inputs: BTreeMap<String, InputEnergies>,
    pub sessions: Vec<SessionTrace>,
    pub repository: Repository,
}

impl OwnedExportData {
    pub fn data(&self) -> ExportData<'_> {
        ExportData {
            scenario: "blit",
            package: "org.example",
            board: "ODROID-XU",
            basis: FigureBasis::Simulated,
            meter: "INA231",
            frequency_hz: Some(1_100_000_000),
            accounts: &self.accounts,
            inputs: &self.inputs,
            sessions: &self.sessions,
            calls: None,
            repository: &self.repository,
            depth: super::StackDepth::Block,
        }
    }
}

pub(crate) fn sample() -> OwnedExportData {
    let trace = PowerTrace {
        rails: vec!["arm".into(), "mem".into()],
        uptime_s: vec![100.0, 101.0, 102.0],
        power_w: [1.0, 0.1, 2.0, 0.2, 3.0, 0.3].map(Some).into(),
        ..PowerTrace::default()
    };
    let session = |name: &str| SessionTrace {
        name: name.into(),
        trace: Some(trace.clone()),
        window: Window { start_s: 100.2, end_s: 101.9 },
        energy_j: 4.0,
    };
    let north = InputEnergies {
        total_uj: vec![3e6, 1e6, 2e6, 4e6],
        above_idle_uj: Some(vec![2e6, 0.5e6, 1e6, 3e6]),
        duration_s: vec![1.0; 4],
    };
    OwnedExportData {
        accounts: account(&accounts::program_1().scenario()),
        repository: Repository::default(),
        inputs: BTreeMap::from([("north".into(), north)]),
        sessions: vec![session("base-north power 1"), session("base-north power 2")],
    }
}
