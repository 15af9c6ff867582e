//! Writing what a campaign begins with: the application, its scenario, which
//! board has which case. What stages make is written by its own type.

use crate::build::AnalysedApplication;
use crate::campaign::Assignment;
use crate::failure::Failure;
use crate::operations::findings_csv;
use crate::scenario::Scenario;

use super::{CampaignFolder, Output, names};

impl Output {
    /// The folder as a campaign's.
    pub fn campaign(&self) -> CampaignFolder {
        CampaignFolder::new(self.folder())
    }

    /// Writes the dictionary and the findings of an application.
    pub fn write_scan(&self, application: &AnalysedApplication) -> Result<(), Failure> {
        let dictionary = &application.dictionary;
        self.write(names::BLOCKS, dictionary.blocks_csv())?;
        self.write(names::OPERATIONS, dictionary.operations_csv())?;
        self.write(names::LINES, dictionary.operation_lines_csv())?;
        self.write(names::FINDINGS, findings_csv(&application.findings))?;
        Ok(())
    }

    /// Keeps the scenario's text, so that later stages need the folder alone.
    pub fn write_scenario(&self, scenario: &Scenario) -> Result<(), Failure> {
        self.write(names::SCENARIO, &scenario.text).map(drop)
    }

    /// Writes which board has which case.
    pub(crate) fn write_assignment(&self, assignment: &Assignment) -> Result<(), Failure> {
        self.write(names::ASSIGNMENT, assignment.to_csv()).map(drop)
    }
}
