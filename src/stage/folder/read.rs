//! Reading a campaign's folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::account::UnseenInputs;
use crate::account::calls::{CallTree, read_calls};
use crate::build::sources;
use crate::campaign::{PlannedCase, ResidualCounts, parse_executions, read_plan};
use crate::csv_text;
use crate::java::SourceFile;
use crate::microbenchmarks::pairs::MeasuredPair;
use crate::model::{CvRow, DeviceFactor, Model, OperationEstimability, cv_rows, estimability_rows};
use crate::operations::Dictionary;
use crate::run::{self, RawLogs, RunRecord, read_journal};
use crate::scenario::{Scenario, read_scenario};
use crate::stage::facts::{FactsError, device_of, unanalysed};
use crate::stage::fit::CampaignData;
use crate::stage::verify::{self, VerifiedHint};
use crate::stage::{Failure, MeasuredCampaign, ScenarioFacts};

use super::{CampaignFolder, DatasetFacts, names, read_text};

/// Reads `model.json`.
pub fn read_model(path: &Path) -> Result<Model, Failure> {
    Model::from_json(&read_text(path)?).map_err(|error| Failure::input(path, error))
}

impl CampaignFolder {
    /// The copy of the scenario. Its paths are not those of the original.
    pub fn scenario(&self) -> Result<Scenario, Failure> {
        Ok(read_scenario(&self.file(names::SCENARIO))?)
    }

    /// Where the analysed sources are.
    pub fn sources_folder(&self) -> PathBuf {
        self.file(names::SOURCES)
    }

    /// The texts of the analysed files, by path.
    pub fn sources(&self) -> Result<BTreeMap<String, String>, Failure> {
        let place = self.sources_folder();
        if !place.is_dir() {
            return Ok(BTreeMap::new());
        }
        let loaded = sources::load_paths(&[place], &[])?;
        Ok(loaded.files.into_iter().map(|file| (file.path, file.text)).collect())
    }

    /// The analysed files, parsed.
    pub fn parsed_sources(&self) -> Result<Vec<SourceFile>, Failure> {
        let texts = self.sources()?;
        Ok(texts.into_iter().map(|(path, text)| SourceFile::parse(path, text)).collect())
    }

    /// The dictionary that `scan` or `plan` wrote.
    pub fn dictionary(&self) -> Result<Dictionary, Failure> {
        self.must_have(names::BLOCKS)?;
        let (blocks, lines) = (self.file(names::BLOCKS), self.file(names::LINES));
        Dictionary::from_csv(&read_text(&blocks)?, &read_text(&lines)?)
            .map_err(|error| Failure::input(&self.path, error))
    }

    /// How many findings there are of each sort.
    pub fn findings(&self) -> Result<BTreeMap<String, usize>, Failure> {
        let path = self.file(names::FINDINGS);
        let mut counts = BTreeMap::new();
        let text = read_text(&path)?;
        let mut reader = csv_text::reader(&text);
        for row in reader.deserialize::<BTreeMap<String, String>>() {
            let row = row.map_err(|error| Failure::input(&path, error))?;
            *counts.entry(row.get("kind").cloned().unwrap_or_default()).or_insert(0) += 1;
        }
        Ok(counts)
    }

    /// The plan's cases.
    pub fn cases(&self) -> Result<Vec<PlannedCase>, Failure> {
        self.must_have(names::PLAN)?;
        self.parsed(names::PLAN, read_plan)
    }

    /// What the variants' removed blocks still hold.
    pub fn remains(&self) -> Result<ResidualCounts, Failure> {
        self.parsed(names::REMAINS, ResidualCounts::from_csv)
    }

    /// All runs, by the journal.
    pub fn records(&self) -> Result<Vec<RunRecord>, Failure> {
        Ok(read_journal(&self.path)?)
    }

    /// A run's raw logs.
    pub fn logs(&self, record: &RunRecord) -> Result<RawLogs, Failure> {
        Ok(run::read_logs(&self.path, record)?)
    }

    /// Executions per block of every case with a good traced run, by case.
    pub fn executions(
        &self,
        records: &[RunRecord],
        blocks: usize,
    ) -> Result<BTreeMap<String, Vec<u64>>, Failure> {
        let parsed = run::read_counts(&self.path, records)?.into_iter().map(|(case, text)| {
            let executions = parse_executions(&text, blocks).map_err(|error| {
                Failure::input(&self.path, format!("traced run of {case}: {error}"))
            })?;
            Ok((case, executions))
        });
        parsed.collect()
    }

    /// What the campaign planned and measured.
    pub fn campaign(&self) -> Result<MeasuredCampaign, Failure> {
        let dictionary = self.dictionary()?;
        let (cases, records) = (self.cases()?, self.records()?);
        let executions = self.executions(&records, dictionary.blocks.len())?;
        // A folder of an earlier version may have no scenario that this one reads.
        let unanalysed = self.scenario().map(|scenario| unanalysed(&scenario)).unwrap_or_default();
        Ok(MeasuredCampaign { dictionary, cases, records, executions, unanalysed })
    }

    /// What the campaign says of its scenario, on one of the boards; without a name on the
    /// first of them.
    pub fn facts(&self, device: Option<&str>) -> Result<ScenarioFacts, Failure> {
        self.facts_of(self.campaign()?, device)
    }

    /// The same of what was read already.
    pub fn facts_of(
        &self,
        campaign: MeasuredCampaign,
        device: Option<&str>,
    ) -> Result<ScenarioFacts, Failure> {
        let boards = device_of(&campaign.records, device)?;
        let own = campaign.records.iter().filter(|record| boards.is_own(record));
        let own: Vec<RunRecord> = own.cloned().collect();
        let stacks = run::read_stacks(&self.path, &own)?;
        let facts = ScenarioFacts::of(campaign, boards, &stacks).map_err(|error| {
            let place = match &error {
                FactsError::NoTracedRun { .. } => self.file(names::JOURNAL),
                FactsError::NoEnergy { .. } => names::JOURNAL.into(),
                FactsError::Samples { .. } => names::RUNS.into(),
            };
            Failure::input(place, error)
        })?;
        Ok(ScenarioFacts { calls: self.calls()?, ..facts })
    }

    /// Who calls whom; none where it was not recorded.
    pub fn calls(&self) -> Result<Option<CallTree>, Failure> {
        match self.file(names::CALLS).is_file() {
            true => self.parsed(names::CALLS, read_calls).map(Some),
            false => Ok(None),
        }
    }

    /// What rewrites saved on the board, by pairs of microbenchmarks; nothing where none ran.
    pub(crate) fn pairs(&self) -> Result<Vec<MeasuredPair>, Failure> {
        match self.file(names::PAIRS).is_file() {
            true => self.parsed(names::PAIRS, |text| serde_json::from_str(text)),
            false => Ok(Vec::new()),
        }
    }

    /// What hints saved that were applied and measured; nothing where none were.
    pub(crate) fn verified(&self) -> Result<Vec<VerifiedHint>, Failure> {
        match self.file(names::VERIFIED).is_file() {
            true => self.parsed(names::VERIFIED, verify::from_csv),
            false => Ok(Vec::new()),
        }
    }

    /// The data set, with what is said of it.
    pub fn dataset(&self) -> Result<CampaignData, Failure> {
        CampaignData::read(&self.file(names::DATASET))
    }

    /// What is said of the data set.
    pub fn dataset_facts(&self) -> Result<DatasetFacts, Failure> {
        DatasetFacts::beside(&self.file(names::DATASET))
    }

    /// The costs.
    pub fn model(&self) -> Result<Model, Failure> {
        read_model(&self.file(names::MODEL))
    }

    /// The rounds of cross-validation.
    pub fn cross_validation(&self) -> Result<Vec<CvRow>, Failure> {
        self.parsed(names::CV, cv_rows)
    }

    /// What the cases can tell.
    pub fn estimability(&self) -> Result<Vec<OperationEstimability>, Failure> {
        self.parsed(names::ESTIMABILITY, estimability_rows)
    }

    /// Each input by the accounts of the others; none of a campaign that does not tell.
    pub fn unseen(&self) -> Result<Option<UnseenInputs>, Failure> {
        let path = self.file(names::UNSEEN);
        if !path.is_file() {
            return Ok(None);
        }
        let damaged = |error: csv::Error| {
            let remedy = format!("{} makes it anew", self.command_for_unseen());
            Failure::input(&path, format!("{error}; {remedy}"))
        };
        UnseenInputs::from_csv(&read_text(&path)?).map(Some).map_err(damaged)
    }

    /// The command that writes what [`unseen`](Self::unseen) reads.
    pub fn command_for_unseen(&self) -> String {
        let folder = self.path.display();
        format!("`wattline evaluate {folder} --unseen --out {folder} --force`")
    }

    /// How many microbenchmarks were measured.
    pub fn microbenchmarks(&self) -> Result<usize, Failure> {
        let microbenchmarks = self.file(names::MICROBENCHMARK_WINDOWS);
        if !microbenchmarks.is_file() {
            return Ok(0);
        }
        let text = read_text(&microbenchmarks)?;
        let mut names = BTreeSet::new();
        for row in csv_text::reader(&text).records() {
            let row = row.map_err(|error| Failure::input(&microbenchmarks, error))?;
            names.extend(row.get(0).map(str::to_owned));
        }
        Ok(names.len())
    }

    /// The board whose costs the microbenchmarks gave, where there were several.
    pub fn microbenchmarks_reference(&self) -> Result<Option<String>, Failure> {
        let path = self.file(names::MICROBENCHMARKS_DEVICES);
        if !path.is_file() {
            return Ok(None);
        }
        let text = read_text(&path)?;
        let mut reader = csv_text::reader(&text);
        let first = reader.deserialize::<DeviceFactor>().next().transpose();
        let first = first.map_err(|error| Failure::input(path, error))?;
        Ok(first.map(|factor| factor.device))
    }

    /// Fails where a file is missing that every campaign has.
    fn must_have(&self, name: &str) -> Result<(), Failure> {
        if self.file(name).is_file() {
            return Ok(());
        }
        let message = format!(
            "holds no {name}, so it is no campaign's folder; `wattline pipeline SCENARIO --out \
             FOLDER` makes one"
        );
        Err(Failure::input(&self.path, message))
    }

    fn parsed<T, E: ToString>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, Failure> {
        let path = self.file(name);
        parse(&read_text(&path)?).map_err(|error| Failure::input(path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_no_campaigns_is_told_so() {
        let folder = tempfile::tempdir().unwrap();
        let other = CampaignFolder::new(folder.path());
        let said = |error: Failure| error.to_string();
        assert!(said(other.cases().unwrap_err()).contains("holds no plan.csv, so it is no camp"));
        let said = said(other.dictionary().unwrap_err());
        assert!(said.contains("holds no blocks.csv, so it is no campaign's folder"), "{said}");
    }
}
