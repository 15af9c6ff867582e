//! Writing what the stages make: which of a campaign folder's files take it.

use crate::account::calls::{CallTree, call_tables, calls_csv};
use crate::account::{AccountEvaluation, UnseenInputs, table};
use crate::campaign::plan_to_csv;
use crate::dataset::{dataset_to_csv, dataset_to_toml, energies_to_csv};
use crate::hint::Hint;
use crate::microbenchmarks::measure::table_csv;
use crate::microbenchmarks::pairs::MeasuredPair;
use crate::microbenchmarks::prices::prices_csv;
use crate::model::{cv_csv, devices_csv, estimability_csv};
use crate::report::{self, Repository};
use crate::toolchain::artifact::hash_of_bytes;

use super::account::Accounted;
use super::dataset::MadeDataset;
use super::fit::{CampaignModel, DataOrigin};
use super::folder::names;
use super::microbenchmarks::MeasuredMicrobenchmarks;
use super::plan::MadePlan;
use super::verify::{self, VerifiedHint};
use super::{Failure, Loaded, Output};

impl Output {
    /// Writes the plan, with what its blocks are from.
    pub fn write_plan(&self, loaded: &Loaded, made: &MadePlan) -> Result<(), Failure> {
        let application = &loaded.application;
        self.write_scan(application)?;
        for file in &application.files {
            self.write(&format!("{}/{}", names::SOURCES, file.path), &file.text)?;
        }
        self.write_scenario(&loaded.scenario)?;
        self.write(names::REMAINS, made.remains.to_csv())?;
        self.write(names::PLAN, plan_to_csv(&made.plan))?;
        self.write(names::DROPPED, made.dropped_csv(&application.dictionary))?;
        Ok(())
    }

    /// Writes who calls whom.
    pub fn write_calls(&self, calls: &CallTree) -> Result<(), Failure> {
        self.write(names::CALLS, calls_csv(calls)).map(drop)
    }

    /// Writes the data set; the SHA-256 of what models are fitted to, which tells it from others.
    pub fn write_dataset(&self, made: &MadeDataset) -> Result<String, Failure> {
        self.write(names::ENERGIES, energies_to_csv(&made.plain))?;
        let text = dataset_to_csv(&made.dataset);
        let sha256 = hash_of_bytes(text.as_bytes());
        self.write(names::DATASET, text)?;
        let contexts = made.mixes.to_csv();
        let contexts = contexts.map_err(|error| Failure::input(names::CONTEXTS, error))?;
        self.write(names::CONTEXTS, contexts)?;
        self.write(names::DATASET_FACTS, dataset_to_toml(&made.dataset, &made.provenance))?;
        Ok(sha256)
    }

    /// Writes what microbenchmarks told.
    pub fn write_microbenchmarks(&self, measured: &MeasuredMicrobenchmarks) -> Result<(), Failure> {
        self.write(names::MICROBENCHMARK_WINDOWS, measured.windows_csv())?;
        self.write(names::MICROBENCHMARK_CASES, table_csv(&measured.table))?;
        let prices = &measured.prices;
        if !prices.devices.is_empty() {
            self.write(names::MICROBENCHMARKS_DEVICES, devices_csv(&prices.devices)?)?;
        }
        self.write(names::MICROBENCHMARKS, prices_csv(&prices.prices)?)?;
        if let Some(text) = prices.priors.covariance_csv() {
            self.write(names::MICROBENCHMARKS_COVARIANCE, text)?;
        }
        Ok(())
    }

    /// Writes a fit, with where its data came from.
    pub fn write_fit(&self, fitted: &CampaignModel, origin: DataOrigin<'_>) -> Result<(), Failure> {
        self.write(names::MODEL, fitted.model_of(origin).to_json()?)?;
        self.write(names::CV, cv_csv(&fitted.validation)?)?;
        self.write(names::ESTIMABILITY, estimability_csv(&fitted.estimability)?)?;
        Ok(())
    }

    /// Writes accounts and ledger.
    pub fn write_accounts(&self, accounted: &Accounted) -> Result<(), Failure> {
        if let Some(text) = accounted.device_toml()? {
            self.write(names::ACCOUNTS_DEVICE, text)?;
        }
        let Accounted { accounts, calls, .. } = accounted;
        let calls = calls.as_ref().map(|calls| call_tables(calls, accounts)).unwrap_or_default();
        for file in table::tables(accounts).into_iter().chain(calls) {
            self.write(&format!("{}/{}", names::ACCOUNTS, file.name), &file.text)?;
        }
        self.write(names::LEDGER, table::ledger_csv(accounts))?;
        Ok(())
    }

    /// Writes what rewrites saved on the board, by pairs of microbenchmarks.
    pub(crate) fn write_pairs(&self, pairs: &[MeasuredPair]) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(pairs);
        let text = text.map_err(|error| Failure::input(names::PAIRS, error))?;
        self.write(names::PAIRS, text + "\n").map(drop)
    }

    /// Writes what hints saved that were applied and measured.
    pub(crate) fn write_verified(&self, verified: &[VerifiedHint]) -> Result<(), Failure> {
        self.write(names::VERIFIED, verify::to_csv(verified)?).map(drop)
    }

    /// Writes how far accounts are from the ground truth.
    pub fn write_evaluation(&self, evaluation: &AccountEvaluation) -> Result<(), Failure> {
        self.write(names::EVALUATION, evaluation.csv()).map(drop)
    }

    /// Writes how far predictions of inputs are off that accounts have not seen.
    pub fn write_unseen(&self, unseen: &UnseenInputs) -> Result<(), Failure> {
        self.write(names::UNSEEN, unseen.csv()).map(drop)
    }

    /// Writes hints for tools; paths are those of the repository.
    pub(crate) fn write_hints(
        &self,
        hints: &[Hint],
        repository: &Repository,
    ) -> Result<(), Failure> {
        self.write(names::HINTS, report::sarif(hints, repository)).map(drop)
    }

    /// Writes the page.
    pub fn write_report(&self, html: &str) -> Result<(), Failure> {
        self.write(names::REPORT, html).map(drop)
    }
}
