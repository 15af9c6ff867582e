//! Methods that write what a campaign begins with: the analysed application, its scenario, the
//! assignment of cases to boards. The results of stages are written by their own types.

use crate::build::AnalysedApplication;
use crate::campaign::Assignment;
use crate::failure::Failure;
use crate::operations::findings_csv;
use crate::scenario::Scenario;

use super::{CampaignFolder, Output, names};

impl Output {
    /// The folder as a campaign's folder, for reading.
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

    /// Writes a copy of the scenario, so that later stages need the folder alone.
    pub fn write_scenario(&self, scenario: &Scenario) -> Result<(), Failure> {
        self.write(names::SCENARIO, &scenario.text).map(drop)
    }

    /// Writes the assignment of cases to boards.
    pub(crate) fn write_assignment(&self, assignment: &Assignment) -> Result<(), Failure> {
        self.write(names::ASSIGNMENT, assignment.to_csv()).map(drop)
    }
}
