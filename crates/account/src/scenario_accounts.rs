//! A model and a campaign's counts -> accounts and ledger.

use crate::account::calls::{CallAccounts, call_tables};
use crate::account::{Accounts, ExpectedError, MethodGroup, MethodGroups, table};
use crate::facts::ScenarioFacts;
use crate::failure::Failure;
use crate::folder::Output;
use crate::folder::names::{self, ACCOUNTS_DEVICE};
use crate::format::counted;
use crate::model::{DeviceFactor, Model};

/// The accounts of a scenario.
#[derive(Debug, Clone)]
pub struct ScenarioAccounts {
    /// The board that they are of, where the campaign has several.
    pub device: Option<String>,
    /// The other boards' factors by it.
    pub devices: Vec<DeviceFactor>,
    /// Operations, blocks, lines, methods, classes, packages, ledger.
    pub accounts: Accounts,
    /// The same by calls, where these were recorded.
    pub calls: Option<CallAccounts>,
}

/// Accounts for a scenario by a model.
///
/// # Errors
/// The model is of other boards.
pub fn account(facts: &ScenarioFacts, model: &Model) -> Result<ScenarioAccounts, Failure> {
    facts.check(model)?;
    let accounts = facts.accounts(model);
    let calls = facts.call_accounts(model, &accounts);
    let own = facts.device.as_deref().and_then(|device| model.on_device(device));
    let devices = own.map(|model| model.devices).unwrap_or_default();
    Ok(ScenarioAccounts { device: facts.device.clone(), devices, accounts, calls })
}

impl ScenarioAccounts {
    /// Writes accounts and ledger.
    pub fn write(&self, output: &Output) -> Result<(), Failure> {
        if let Some(text) = self.device_toml()? {
            output.write(names::ACCOUNTS_DEVICE, text)?;
        }
        let ScenarioAccounts { accounts, calls, .. } = self;
        let calls = calls.as_ref().map(|calls| call_tables(calls, accounts)).unwrap_or_default();
        for file in table::tables(accounts).into_iter().chain(calls) {
            output.write(&format!("{}/{}", names::ACCOUNTS, file.name), &file.text)?;
        }
        output.write(names::LEDGER, table::ledger_csv(accounts))?;
        Ok(())
    }

    /// What is to be said of them, line by line.
    pub fn remarks(&self) -> Vec<String> {
        let device = self.device.iter();
        let device = device.map(|device| format!("  energies are those of board {device}"));
        let areas = self.accounts.areas.iter().map(|areas| format!("  {}", sampled(areas)));
        let lines = self.accounts.expected_line_error().map(|error| format!("  {}", lines(error)));
        device.chain(areas).chain(lines).collect()
    }

    /// `device.toml`: the board and the others' factors by it; none where there is one board.
    pub(crate) fn device_toml(&self) -> Result<Option<String>, Failure> {
        #[derive(serde::Serialize)]
        struct ReportSummary<'a> {
            device: &'a str,
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            devices: &'a [DeviceFactor],
        }
        let Some(device) = &self.device else { return Ok(None) };
        let text = toml::to_string(&ReportSummary { device, devices: &self.devices });
        text.map(Some).map_err(|error| Failure::input(ACCOUNTS_DEVICE, error))
    }
}

/// What lines' own intervals promise.
fn lines(error: ExpectedError) -> String {
    let (median, p90) = (100.0 * error.median, 100.0 * error.p90);
    format!(
        "expected error of lines by their intervals: {median:.1} % (median), {p90:.1} % (90th \
         percentile)"
    )
}

/// What samples made of the methods, in a line.
fn sampled(areas: &MethodGroups) -> String {
    let samples: u64 = areas.areas.iter().map(|area| area.samples).sum();
    let weight = |area: &MethodGroup| area.weight * area.energy.joules().0;
    let energy: f64 = areas.areas.iter().map(|area| area.energy.joules().0).sum();
    format!(
        "methods: {} combined with count-based estimates; block effect (SD) {:.0} %; \
         {:.0} % of the estimate comes from samples",
        counted(samples, "sample"),
        100.0 * areas.block_effect_sd,
        100.0 * areas.areas.iter().map(weight).sum::<f64>() / energy
    ) + &further(areas)
}

/// What samples say of lines, and how far they differ from run to run.
fn further(areas: &MethodGroups) -> String {
    let lines = areas
        .line_block_effect_sd
        .map(|factor| format!("; line effect (SD) {:.0} % within a method", 100.0 * factor));
    let parts = areas.line_run_spread.map(|spread| {
        format!("; shares of lines in a method vary by {:.0} % between runs", 100.0 * spread)
    });
    let most = areas.areas.iter().filter_map(|area| area.run_spread).fold(0.0, f64::max);
    let runs = match areas.run_spread {
        Some(spread) => format!(
            "; samples of a method vary by {:.0} % between runs, at most by {:.0} %",
            100.0 * spread,
            100.0 * most
        ),
        None => "; variation between runs not known (needs two sampled runs of a case)".to_owned(),
    };
    let sessions = areas
        .session_spread
        .map(|spread| format!("; energies of sessions of a case vary by {:.0} %", 100.0 * spread));
    lines.into_iter().chain([runs]).chain(parts).chain(sessions).collect()
}
