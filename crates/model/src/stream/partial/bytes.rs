//! A partial as bytes: `wattline-partial`, format and length of the header as `u32`, the
//! header as JSON, the sums as 64-bit numbers, XXH64 of all that. Numbers are little-endian.

use serde::{Deserialize, Serialize};
use twox_hash::XxHash64;

use super::super::super::double_double::DoubleDouble;
use super::super::cells::{AllCells, CellSums};
use super::super::judging::{FoldAgreement, JudgeTally};
use super::error::SufficientStatsError;
use super::settings::{PARTIAL_FORMAT, PartialSettings, SummedPart};
use super::{JudgedErrors, StatsBody, SufficientStats};

const MAGIC: &[u8; 16] = b"wattline-partial";

/// Headers hold names of features and parts; longer ones are damage.
const HEADER_BYTES_MAX: usize = 1 << 30;

#[derive(Serialize, Deserialize)]
struct StatsHeader {
    settings: PartialSettings,
    parts: Vec<SummedPart>,
    devices: Vec<String>,
    /// Names of models and number of rounds, where cases were judged.
    judged: Option<(Vec<String>, usize)>,
    /// Length of the sums in bytes.
    body_bytes: usize,
}

impl SufficientStats {
    /// Serialises the partial.
    ///
    /// # Errors
    /// None that a partial made here can have.
    pub fn to_bytes(&self) -> Vec<u8> {
        let body = self.body_bytes();
        let judged = match &self.body {
            StatsBody::Sums(_) => None,
            StatsBody::Errors(judged) => Some((judged.models.clone(), judged.rounds)),
        };
        let header = StatsHeader {
            settings: self.settings.clone(),
            parts: self.parts.clone(),
            devices: self.devices.clone(),
            judged,
            body_bytes: body.len(),
        };
        let header = serde_json::to_vec(&header).expect("text and numbers are JSON");
        let mut bytes = MAGIC.to_vec();
        bytes.extend(PARTIAL_FORMAT.to_le_bytes());
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header);
        bytes.extend(body);
        bytes.extend(XxHash64::oneshot(0, &bytes).to_le_bytes());
        bytes
    }

    /// Reads what [`SufficientStats::to_bytes`] gives.
    ///
    /// # Errors
    /// The bytes are of something else, of another version, too few, or were changed.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SufficientStatsError> {
        let damaged = |what| SufficientStatsError::Damaged { what };
        let cut = || damaged("cut short");
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(SufficientStatsError::NoPartial);
        };
        let number = |at: usize| -> Option<u32> {
            Some(u32::from_le_bytes(rest.get(at..at + 4)?.try_into().ok()?))
        };
        let found = number(0).ok_or_else(cut)?;
        if found != PARTIAL_FORMAT {
            return Err(SufficientStatsError::Version { found, supported: PARTIAL_FORMAT });
        }
        let length = number(4).ok_or_else(cut)? as usize;
        if length > HEADER_BYTES_MAX {
            return Err(damaged("damaged"));
        }
        let header = rest.get(8..8 + length).ok_or_else(cut)?;
        let header: StatsHeader = serde_json::from_slice(header).map_err(|_| damaged("damaged"))?;
        let rest = &rest[8 + length..];
        if rest.len() < header.body_bytes.saturating_add(8) {
            return Err(cut());
        }
        let (body, sum) = rest.split_at(header.body_bytes);
        let whole = &bytes[..bytes.len() - sum.len()];
        if sum != XxHash64::oneshot(0, whole).to_le_bytes() {
            return Err(damaged("damaged: its checksum is not that of its bytes"));
        }
        let body = read_body(&header, body).ok_or_else(|| damaged("damaged"))?;
        let StatsHeader { settings, parts, devices, .. } = header;
        let partial = Self { settings, parts, devices, body };
        if !partial.is_plausible() {
            return Err(damaged("damaged: its numbers are not those of rows"));
        }
        Ok(partial)
    }

    /// Serialises the sums.
    pub(super) fn body_bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        match &self.body {
            StatsBody::Sums(cells) => {
                cells.cells.iter().for_each(|cell| put_cell(&mut to, cell));
                let occurrences = &cells.occurrences;
                occurrences.cases.iter().for_each(|n| to.extend(n.to_le_bytes()));
                occurrences.executions.iter().for_each(|n| put(&mut to, *n));
                occurrences.largest_share.iter().for_each(|n| to.extend(n.to_le_bytes()));
                to.extend(u64::from(cells.exact).to_le_bytes());
            }
            StatsBody::Errors(judged) => {
                for cell in &judged.tally.cells {
                    to.extend(cell.cases.to_le_bytes());
                    cell.sums.to_array().into_iter().for_each(|sum| put(&mut to, sum));
                }
                put(&mut to, judged.tally.squares);
            }
        }
        to
    }
}

fn put(to: &mut Vec<u8>, sum: DoubleDouble) {
    to.extend(sum.hi.to_le_bytes());
    to.extend(sum.lo.to_le_bytes());
}

fn put_cell(to: &mut Vec<u8>, cell: &CellSums) {
    to.extend(cell.rows.to_le_bytes());
    to.extend(cell.durations.to_le_bytes());
    let sums = [cell.energy_j, cell.duration_energy, cell.duration_square];
    sums.into_iter().for_each(|sum| put(to, sum));
    cell.products.elements.iter().for_each(|sum| put(to, *sum));
}

/// Reader of consecutive numbers of 64 bits.
struct NumberReader<'b>(std::slice::ChunksExact<'b, u8>);

impl NumberReader<'_> {
    fn whole(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.0.next()?.try_into().ok()?))
    }

    fn number(&mut self) -> Option<f64> {
        self.whole().map(f64::from_bits)
    }

    fn double_double(&mut self) -> Option<DoubleDouble> {
        Some(DoubleDouble { hi: self.number()?, lo: self.number()? })
    }

    fn cell(&mut self, width: usize) -> Option<CellSums> {
        let mut cell = CellSums::none(width);
        cell.rows = self.whole()?;
        cell.durations = self.whole()?;
        cell.energy_j = self.double_double()?;
        cell.duration_energy = self.double_double()?;
        cell.duration_square = self.double_double()?;
        for element in &mut cell.products.elements {
            *element = self.double_double()?;
        }
        Some(cell)
    }

    fn agreement(&mut self) -> Option<FoldAgreement> {
        let cases = self.whole()?;
        let mut sums = [DoubleDouble::default(); 8];
        for sum in &mut sums {
            *sum = self.double_double()?;
        }
        Some(FoldAgreement { cases, sums: sums.into() })
    }
}

/// Returns the bytes of a cell with `width` columns.
fn cell_bytes(width: usize) -> Option<usize> {
    width.checked_mul(width + 1)?.checked_mul(8)?.checked_add(64)
}

/// Reads the sums; `None` if the bytes are not as many as the header states.
fn read_body(header: &StatsHeader, body: &[u8]) -> Option<StatsBody> {
    let mut numbers = NumberReader(body.chunks_exact(8));
    match &header.judged {
        None => {
            let l = header.settings.features.len();
            let (folds, inner) = (&header.settings.folds, &header.settings.inner_folds);
            let count = folds.folds.checked_mul(inner.folds)?;
            let bytes = count.checked_mul(cell_bytes(l + 1)?)?.checked_add(32 * l + 8)?;
            if bytes != body.len() {
                return None;
            }
            let cells: Option<Vec<CellSums>> = (0..count).map(|_| numbers.cell(l + 1)).collect();
            let mut found = AllCells { cells: cells?, ..AllCells::none(0, l) };
            let occurrences = &mut found.occurrences;
            for n in &mut occurrences.cases {
                *n = numbers.whole()?;
            }
            for n in &mut occurrences.executions {
                *n = numbers.double_double()?;
            }
            for n in &mut occurrences.largest_share {
                *n = numbers.number()?;
            }
            found.exact = numbers.whole()? == 1;
            Some(StatsBody::Sums(found))
        }
        Some((models, rounds)) => {
            let count = rounds.checked_mul(*rounds)?.checked_mul(models.len())?;
            if count.checked_mul(17 * 8)?.checked_add(16)? != body.len() {
                return None;
            }
            let cells: Option<Vec<FoldAgreement>> =
                (0..count).map(|_| numbers.agreement()).collect();
            let tally = JudgeTally { cells: cells?, squares: numbers.double_double()? };
            Some(StatsBody::Errors(JudgedErrors { models: models.clone(), rounds: *rounds, tally }))
        }
    }
}
