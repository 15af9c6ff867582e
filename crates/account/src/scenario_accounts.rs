//! Accounts and ledger of a scenario, from a model and a campaign's counts.

use crate::account::calls::{CallAccounts, call_tables};
use crate::account::{Accounts, ExpectedLineError, MethodGroup, MethodGroups, table};
use crate::facts::ScenarioFacts;
use crate::failure::Failure;
use crate::folder::Output;
use crate::folder::names::{self, ACCOUNTS_DEVICE};
use crate::format::counted;
use crate::model::{DeviceFactor, Model};

/// Accounts of a scenario on one board, with accounts by call path.
#[derive(Debug, Clone)]
pub struct ScenarioAccounts {
    /// The accounts' board, where the campaign has several.
    pub device: Option<String>,
    /// Energy factors of the other boards relative to this board.
    pub devices: Vec<DeviceFactor>,
    /// Operations, blocks, lines, methods, classes, packages, ledger.
    pub accounts: Accounts,
    /// Accounts by call path, where calls were recorded.
    pub calls: Option<CallAccounts>,
}

/// Computes the accounts of a scenario with a model.
///
/// # Errors The model was fitted to other boards.
pub fn account(facts: &ScenarioFacts, model: &Model) -> Result<ScenarioAccounts, Failure> {
    facts.check(model)?;
    let accounts = facts.accounts(model);
    let calls = facts.call_accounts(model, &accounts);
    let own = facts.device.as_deref().and_then(|device| model.on_device(device));
    let devices = own.map(|model| model.devices).unwrap_or_default();
    Ok(ScenarioAccounts { device: facts.device.clone(), devices, accounts, calls })
}

impl ScenarioAccounts {
    /// Writes the tables of accounts and ledger.
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

    /// Remarks for the terminal, one per line.
    pub fn remarks(&self) -> Vec<String> {
        let device = self.device.iter();
        let device = device.map(|device| format!("  energies are those of board {device}"));
        let method_groups = self
            .accounts
            .method_groups
            .iter()
            .map(|method_groups| format!("  {}", sampling_text(method_groups)));
        let lines = self
            .accounts
            .expected_line_error()
            .map(|error| format!("  {}", expected_error_text(error)));
        device.chain(method_groups).chain(lines).collect()
    }

    /// The text of `device.toml`: the board, and the other boards' factors; `None` where there is
    /// one board.
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

/// Sentence on the expected error of lines.
fn expected_error_text(error: ExpectedLineError) -> String {
    let (median, p90) = (100.0 * error.median, 100.0 * error.p90);
    format!(
        "expected error of lines by their intervals: {median:.1} % (median), {p90:.1} % (90th \
         percentile)"
    )
}

/// Sentence on the sampling of methods.
fn sampling_text(method_groups: &MethodGroups) -> String {
    let samples: u64 = method_groups.groups.iter().map(|area| area.samples).sum();
    let weight = |area: &MethodGroup| area.weight * area.energy.joules().0;
    let energy: f64 = method_groups.groups.iter().map(|area| area.energy.joules().0).sum();
    format!(
        "methods: {} combined with count-based estimates; block effect (SD) {:.0} %; \
         {:.0} % of the estimate comes from samples",
        counted(samples, "sample"),
        100.0 * method_groups.block_effect_sd,
        100.0 * method_groups.groups.iter().map(weight).sum::<f64>() / energy
    ) + &line_sampling_text(method_groups)
}

/// Sentence on the sampling of lines, and the spread between runs.
fn line_sampling_text(method_groups: &MethodGroups) -> String {
    let lines = method_groups
        .line_block_effect_sd
        .map(|factor| format!("; line effect (SD) {:.0} % within a method", 100.0 * factor));
    let parts = method_groups.line_run_spread.map(|spread| {
        format!("; shares of lines in a method vary by {:.0} % between runs", 100.0 * spread)
    });
    let most = method_groups.groups.iter().filter_map(|area| area.run_spread).fold(0.0, f64::max);
    let runs = match method_groups.run_spread {
        Some(spread) => format!(
            "; samples of a method vary by {:.0} % between runs, at most by {:.0} %",
            100.0 * spread,
            100.0 * most
        ),
        None => "; variation between runs not known (needs two sampled runs of a case)".to_owned(),
    };
    let sessions = method_groups
        .session_spread
        .map(|spread| format!("; energies of sessions of a case vary by {:.0} %", 100.0 * spread));
    lines.into_iter().chain([runs]).chain(parts).chain(sessions).collect()
}
