//! The joint saving of a campaign's rewrites as a table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::account::Interval;
use crate::csv_text;
use crate::failure::Failure;
use crate::folder::{Artifact, names};
use crate::hint::{EnergyAmount, JointSaving, MeasuredSaving};
use crate::model::csv_of;
use crate::units::Joules;

/// Row of `joint-saving.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct JointSavingRow {
    /// Kind of row: `together`, `sum`, `difference`, `applied`, `overlapping`.
    row: String,
    /// Pattern and code location of a rewrite; empty for a saving.
    rewrite: String,
    /// Saving in joules; empty for a rewrite.
    saving_j: Option<f64>,
    /// Lower end of its 95 % interval.
    saving_lo_j: Option<f64>,
    /// Upper end of its 95 % interval.
    saving_hi_j: Option<f64>,
    /// Share of the energy above idle of the original in these sessions.
    share: Option<f64>,
    /// Pairs of sessions that the saving is the mean of.
    pairs: Option<usize>,
}

/// Joint saving of a campaign's rewrites, if several were measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JointSavingTable(pub Option<JointSaving>);

const TOGETHER: &str = "together";
const SUM: &str = "sum";
const DIFFERENCE: &str = "difference";
const APPLIED: &str = "applied";
const OVERLAPPING: &str = "overlapping";

impl JointSavingRow {
    fn of_saving(row: &str, MeasuredSaving { saving: amount, pairs }: &MeasuredSaving) -> Self {
        Self {
            row: row.to_owned(),
            rewrite: String::new(),
            saving_j: Some(amount.energy.0),
            saving_lo_j: amount.interval.map(|interval| interval.lo.0),
            saving_hi_j: amount.interval.map(|interval| interval.hi.0),
            share: amount.share,
            pairs: Some(*pairs),
        }
    }

    fn of_rewrite(row: &str, rewrite: &str) -> Self {
        let (saving_j, saving_lo_j, saving_hi_j, share, pairs) = (None, None, None, None, None);
        let (row, rewrite) = (row.to_owned(), rewrite.to_owned());
        Self { row, rewrite, saving_j, saving_lo_j, saving_hi_j, share, pairs }
    }

    fn saving(&self) -> Option<MeasuredSaving> {
        let ends = self.saving_lo_j.zip(self.saving_hi_j);
        let interval = ends.map(|(lo, hi)| Interval { lo: Joules(lo), hi: Joules(hi) });
        let energy = Joules(self.saving_j?);
        let saving = EnergyAmount { energy, interval, share: self.share };
        Some(MeasuredSaving { saving, pairs: self.pairs? })
    }
}

/// Stored as `joint-saving.csv`; empty where fewer than two rewrites were measured together.
impl Artifact for JointSavingTable {
    const NAME: &'static str = names::JOINT_SAVING;
    type ParseError = csv::Error;

    fn render(&self) -> Result<String, Failure> {
        let Some(joint) = &self.0 else { return Ok(String::new()) };
        let savings = [
            (TOGETHER, Some(&joint.together)),
            (SUM, joint.sum.as_ref()),
            (DIFFERENCE, joint.difference.as_ref()),
        ];
        let savings = savings
            .into_iter()
            .filter_map(|(row, saving)| Some(JointSavingRow::of_saving(row, saving?)));
        let applied = joint.applied.iter().map(|name| JointSavingRow::of_rewrite(APPLIED, name));
        let left_out = joint.overlapping.iter();
        let left_out = left_out.map(|name| JointSavingRow::of_rewrite(OVERLAPPING, name));
        Ok(csv_of(savings.chain(applied).chain(left_out))?)
    }

    fn parse(text: &str) -> Result<Self, csv::Error> {
        let rows: Vec<JointSavingRow> =
            csv_text::reader(text).deserialize().collect::<Result<_, _>>()?;
        let saving = |kind: &str| rows.iter().find(|row| row.row == kind)?.saving();
        let rewrites = |kind: &str| {
            let own = rows.iter().filter(|row| row.row == kind);
            own.map(|row| row.rewrite.clone()).collect::<Vec<_>>()
        };
        Ok(Self(saving(TOGETHER).map(|together| JointSaving {
            applied: rewrites(APPLIED),
            overlapping: rewrites(OVERLAPPING),
            together,
            sum: saving(SUM),
            difference: saving(DIFFERENCE),
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joint_saving_reads_back() {
        let amount = |energy_j: f64| EnergyAmount {
            energy: Joules(energy_j),
            interval: Some(Interval { lo: Joules(energy_j - 0.5), hi: Joules(energy_j + 0.5) }),
            share: Some(energy_j / 10.0),
        };
        let joint = JointSaving {
            applied: vec!["string-buffer A, B.java:7".into(), "bulk-copy A.java:9".into()],
            overlapping: vec!["field-in-loop A.java:9".into()],
            together: MeasuredSaving { saving: amount(2.0), pairs: 6 },
            // In one of the rounds of both together a copy with one of them was bad.
            sum: Some(MeasuredSaving { saving: amount(2.5), pairs: 5 }),
            difference: Some(MeasuredSaving {
                saving: EnergyAmount { interval: None, ..amount(-0.5) },
                pairs: 5,
            }),
        };
        for table in [
            JointSavingTable(Some(joint.clone())),
            JointSavingTable(Some(JointSaving { sum: None, difference: None, ..joint })),
            JointSavingTable(None),
        ] {
            assert_eq!(JointSavingTable::parse(&table.render().unwrap()).unwrap(), table);
        }
        assert!(JointSavingTable::parse("row,rewrite,saving_j\ntogether,,much\n").is_err());
    }
}
