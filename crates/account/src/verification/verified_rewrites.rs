//! All measured savings of a campaign's rewrites.

use crate::failure::Failure;
use crate::folder::{CampaignFolder, Output};
use crate::hint::FoundHints;

use super::joint_table::JointSavingTable;
use super::table::{VerifiedHints, attach_measured};

/// Measured savings of rewrites, one by one and together.
#[derive(Debug, Default)]
pub struct VerifiedRewrites {
    /// Measured savings of the single rewrites.
    pub hints: VerifiedHints,
    /// Saving of all together, if there are several that do not overlap.
    pub joint: JointSavingTable,
}

impl VerifiedRewrites {
    /// Reads the savings of a campaign; none where nothing was verified.
    ///
    /// # Errors
    /// One of the files is invalid.
    pub fn read(folder: &CampaignFolder) -> Result<Self, Failure> {
        let (hints, joint) = (folder.read_if_there()?, folder.read_if_there()?);
        Ok(Self { hints: hints.unwrap_or_default(), joint: joint.unwrap_or_default() })
    }

    /// Writes the savings into the folder of their campaign.
    ///
    /// # Errors
    /// The files can't be written.
    pub fn write(&self, output: &Output) -> Result<(), Failure> {
        output.write_artifact(&self.hints)?;
        output.write_artifact(&self.joint).map(drop)
    }

    /// Assigns the savings to the hints and withheld places that they belong to.
    pub fn attach_to(self, found: &mut FoundHints) {
        attach_measured(found, &self.hints.0);
        found.joint = self.joint.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::OnExisting;
    use crate::hint::{EnergyAmount, JointSaving, MeasuredSaving, found_in};
    use crate::private_files::TemporaryFolder;
    use crate::progress::Silent;
    use crate::units::Joules;

    const SOURCE: &str = "class A {
        String f(int n) { StringBuffer b = new StringBuffer(); b.append(n); return b.toString(); }
    }";

    #[test]
    fn savings_are_read_back_and_attached() {
        let folder = TemporaryFolder::new("savings").unwrap();
        let output = Output::open(folder.path(), OnExisting::Refuse, &Silent).unwrap();
        let none = VerifiedRewrites::read(&output.campaign()).unwrap();
        assert!(none.hints.0.is_empty() && none.joint.0.is_none());
        let saving = EnergyAmount { energy: Joules(0.5), interval: None, share: Some(0.1) };
        let measured = MeasuredSaving { saving, pairs: 3 };
        let (hints, _) = found_in("string-buffer", SOURCE);
        let joint = JointSaving {
            applied: vec!["string-buffer A.java:2".into()],
            overlapping: Vec::new(),
            together: measured,
            sum: None,
            difference: None,
        };
        let verified = VerifiedRewrites {
            hints: VerifiedHints(vec![super::super::VerifiedHint::of(&hints[0], &measured)]),
            joint: JointSavingTable(Some(joint)),
        };
        verified.write(&output).unwrap();
        let mut found = FoundHints::default();
        found.hints.extend(hints);
        VerifiedRewrites::read(&output.campaign()).unwrap().attach_to(&mut found);
        assert_eq!(
            found.hints.iter().chain(&found.others).next().unwrap().measured,
            Some(measured)
        );
        assert_eq!(found.joint.unwrap().together, measured);
    }
}
