//! Methods that read the files of a campaign's folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::build::sources;
use crate::campaign::{PlannedCase, parse_executions, read_plan};
use crate::csv_text;
use crate::failure::Failure;
use crate::java::SourceFile;
use crate::model::{CvRow, DeviceFactor, OperationEstimability, cv_rows, estimability_rows};
use crate::operations::Dictionary;
use crate::run::{self, RawLogs, RunRecord, read_journal};
use crate::scenario::{Scenario, read_scenario};

use super::{CampaignFolder, MeasuredCampaign, names, read_text, unanalysed_languages};

impl CampaignFolder {
    /// Reads the copy of the scenario. Its paths are not those of the original.
    pub fn scenario(&self) -> Result<Scenario, Failure> {
        Ok(read_scenario(&self.file(names::SCENARIO))?)
    }

    /// Path of the folder with the analysed sources.
    pub fn sources_folder(&self) -> PathBuf {
        self.file(names::SOURCES)
    }

    /// Reads the texts of the analysed files, by path.
    pub fn sources(&self) -> Result<BTreeMap<String, String>, Failure> {
        let place = self.sources_folder();
        if !place.is_dir() {
            return Ok(BTreeMap::new());
        }
        let loaded = sources::load_paths(&[place], &[])?;
        Ok(loaded.files.into_iter().map(|file| (file.path, file.text)).collect())
    }

    /// Reads and parses the analysed files.
    pub fn parsed_sources(&self) -> Result<Vec<SourceFile>, Failure> {
        let texts = self.sources()?;
        Ok(texts.into_iter().map(|(path, text)| SourceFile::parse(path, text)).collect())
    }

    /// Reads the dictionary of blocks that `scan` or `plan` wrote.
    pub fn dictionary(&self) -> Result<Dictionary, Failure> {
        self.require_file(names::BLOCKS)?;
        let (blocks, lines) = (self.file(names::BLOCKS), self.file(names::LINES));
        Dictionary::from_csv(&read_text(&blocks)?, &read_text(&lines)?)
            .map_err(|error| Failure::input(&self.path, error))
    }

    /// Number of findings of each kind.
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

    /// Reads the plan's cases.
    pub fn cases(&self) -> Result<Vec<PlannedCase>, Failure> {
        self.require_file(names::PLAN)?;
        self.parsed(names::PLAN, read_plan)
    }

    /// Reads the records of all valid runs from the journal.
    pub fn records(&self) -> Result<Vec<RunRecord>, Failure> {
        Ok(read_journal(&self.path)?)
    }

    /// Reads a run's raw logs.
    pub fn logs(&self, record: &RunRecord) -> Result<RawLogs, Failure> {
        Ok(run::read_logs(&self.path, record)?)
    }

    /// Reads the executions per block of every case with a good traced run, by case.
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

    /// Reads the plan and the measurements of the campaign.
    pub fn measured_campaign(&self) -> Result<MeasuredCampaign, Failure> {
        let dictionary = self.dictionary()?;
        let (cases, records) = (self.cases()?, self.records()?);
        let executions = self.executions(&records, dictionary.blocks.len())?;
        // A folder of an earlier version may have no scenario that this one reads.
        let scenario = self.scenario().ok();
        let unanalysed = scenario.as_ref().map(unanalysed_languages).unwrap_or_default();
        let idle = scenario.map(|scenario| scenario.campaign.idle).unwrap_or_default();
        Ok(MeasuredCampaign { dictionary, cases, records, executions, unanalysed, idle })
    }

    /// Reads the rounds of the cross-validation.
    pub fn cross_validation(&self) -> Result<Vec<CvRow>, Failure> {
        self.parsed(names::CROSS_VALIDATION, cv_rows)
    }

    /// Reads which operations' costs the cases determine.
    pub fn estimability(&self) -> Result<Vec<OperationEstimability>, Failure> {
        self.parsed(names::ESTIMABILITY, estimability_rows)
    }

    /// Number of measured microbenchmarks.
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

    /// The board whose costs the microbenchmarks gave, if there were several boards.
    pub(crate) fn microbenchmarks_reference(&self) -> Result<Option<String>, Failure> {
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

    /// Fails if a file is missing that every campaign has.
    fn require_file(&self, name: &str) -> Result<(), Failure> {
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
