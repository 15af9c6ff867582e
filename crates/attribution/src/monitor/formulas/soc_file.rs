//! Power per frequency of the clusters of a system on a chip, as freqbench measures it
//! (github.com/kdrag0n/freqbench): the power above idle of one busy core. CSV and JSON.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Watts of one busy core, by the cluster's first core and its frequency in kHz.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SocTable {
    /// By first core, then frequency.
    pub clusters: BTreeMap<u32, BTreeMap<u64, f64>>,
}

/// Error of reading a chip's table of power.
#[derive(Debug, thiserror::Error)]
pub enum SocError {
    /// Not the CSV of freqbench.
    #[error("power table, line {line}: {problem}")]
    Csv {
        /// Line, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// Not its JSON.
    #[error("power table: {0}")]
    Json(#[from] serde_json::Error),
    /// No usable entry.
    #[error(
        "power table: no core with a frequency and a power; a table has the columns \
             `CPU,Frequency (kHz),Power (mW)`, or is freqbench's results.json"
    )]
    Empty,
}

/// What a CPU draws at one of its frequencies.
#[derive(Deserialize)]
struct CpuStep {
    #[serde(rename = "CPU")]
    cpu: u32,
    #[serde(rename = "Frequency (kHz)")]
    khz: u64,
    #[serde(rename = "Power (mW)")]
    milliwatts: f64,
}

#[derive(Deserialize)]
struct SocResults {
    cpus: BTreeMap<u32, Cluster>,
}

#[derive(Deserialize)]
struct Cluster {
    freqs: BTreeMap<u64, FrequencyRow>,
}

#[derive(Deserialize)]
struct FrequencyRow {
    active: Active,
}

#[derive(Deserialize)]
struct Active {
    power_mean: f64,
}

/// Parses a table; JSON begins with a brace.
pub fn parse_soc(text: &str) -> Result<SocTable, SocError> {
    let rows = if text.trim_start().starts_with('{') { from_json(text)? } else { from_csv(text)? };
    let mut table = SocTable::default();
    for (cpu, khz, milliwatts) in rows {
        if milliwatts.is_finite() && milliwatts > 0.0 {
            table.clusters.entry(cpu).or_default().insert(khz, milliwatts / 1e3);
        }
    }
    if table.clusters.is_empty() { Err(SocError::Empty) } else { Ok(table) }
}

fn from_csv(text: &str) -> Result<Vec<(u32, u64, f64)>, SocError> {
    let mut rows = Vec::new();
    for row in csv::Reader::from_reader(text.as_bytes()).deserialize::<CpuStep>() {
        let row = row.map_err(|error| SocError::Csv {
            line: error.position().map_or(1, |position| position.line()),
            problem: error.to_string(),
        })?;
        rows.push((row.cpu, row.khz, row.milliwatts));
    }
    Ok(rows)
}

fn from_json(text: &str) -> Result<Vec<(u32, u64, f64)>, SocError> {
    let results: SocResults = serde_json::from_str(text)?;
    let clusters = results.cpus.into_iter().flat_map(|(cpu, cluster)| {
        cluster.freqs.into_iter().map(move |(khz, at)| (cpu, khz, at.active.power_mean))
    });
    Ok(clusters.collect())
}

impl SocTable {
    /// Returns the watts of a busy core of a cluster at a frequency in kHz: those of the table, or
    /// interpolated between its neighbours; `None` outside of the table's frequencies.
    pub fn watts(&self, cluster: u32, khz: u64) -> Option<f64> {
        let table = self.clusters.get(&cluster)?;
        let (low, low_w) = table.range(..=khz).next_back()?;
        let (high, high_w) = table.range(khz..).next()?;
        if low == high {
            return Some(*low_w);
        }
        let part = (khz - low) as f64 / (high - low) as f64;
        Some(low_w + part * (high_w - low_w))
    }

    /// Returns the watts of a busy core whose cluster is known by the numbers of cores alone: a
    /// cluster's cores are those from its measured one up to the next cluster's, and those before
    /// the first measured one are of its cluster.
    pub(crate) fn watts_of_core(&self, core: u32, khz: u64) -> Option<f64> {
        let below = self.clusters.range(..=core).next_back();
        let (cluster, _) = below.or_else(|| self.clusters.first_key_value())?;
        self.watts(*cluster, khz)
    }

    /// Returns the cluster of a clock: the one whose measured core is among the clock's cores.
    /// freqbench leaves core 0 to the system and measures another of its cluster.
    pub(crate) fn cluster_of(&self, cores: &[u32]) -> Option<u32> {
        self.clusters.keys().copied().find(|measured| cores.contains(measured))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    const CSV: &str = "CPU,Frequency (kHz),CoreMarks (iter/s),Power (mW)\n\
                       1,300000,1110.2,56.0\n1,500000,1.0,96.0\n4,400000,1.0,100.0\n";

    #[test]
    fn a_table_and_what_is_between_its_rows() {
        let table = parse_soc(CSV).unwrap();
        assert_eq!(table.watts(1, 300_000), Some(0.056));
        assert!((table.watts(1, 400_000).unwrap() - 0.076).abs() < 1e-12);
        assert_eq!((table.watts(1, 600_000), table.watts(2, 300_000)), (None, None));
        assert_eq!(table.cluster_of(&[0, 1, 2, 3]), Some(1));
        assert_eq!(table.cluster_of(&[6, 7]), None);
        let of_core = |core| table.watts_of_core(core, 400_000).unwrap();
        assert_eq!((of_core(0), of_core(3)), (of_core(1), of_core(1)));
        assert_eq!((of_core(4), of_core(7)), (0.1, 0.1));
        assert_eq!(SocTable::default().watts_of_core(0, 1), None);
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_line() {
        let error = parse_soc("CPU,Frequency (kHz),Power (mW)\n1,x,3\n").unwrap_err();
        assert!(error.to_string().contains("line 2"), "{error}");
        for text in ["", "{\"cpus\":{}}", "{", "a,b\n1,2\n"] {
            assert!(parse_soc(text).is_err(), "{text}");
        }
    }

    /// All six chips, in both formats: the same figures.
    #[test]
    fn real_tables_read_alike_in_both_formats() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/soc-power");
        if !folder.is_dir() {
            return crate::skip::outside(format!("{} is not there", folder.display()));
        }
        for chip in ["exynos5250", "exynos7880", "exynos9611", "gs101", "gs201", "msm8996"] {
            let read = |format: &str| {
                let path = folder.join(format!("{chip}.{format}"));
                parse_soc(&std::fs::read_to_string(path).unwrap()).unwrap()
            };
            let (csv, json) = (read("csv"), read("json"));
            assert_eq!(
                csv.clusters.keys().collect::<Vec<_>>(),
                json.clusters.keys().collect::<Vec<_>>()
            );
            for (cluster, rows) in &csv.clusters {
                assert!(rows.len() > 5, "{chip}");
                for (khz, watts) in rows {
                    let other = json.watts(*cluster, *khz).unwrap();
                    assert!((watts / other - 1.0).abs() < 1e-9, "{chip} {cluster} {khz}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[ -~\n]{0,200}") {
            let _ = parse_soc(&text);
            let _ = parse_soc(&format!("{{{text}"));
            let _ = parse_soc(&format!("CPU,Frequency (kHz),Power (mW)\n{text}"));
        }
    }
}
