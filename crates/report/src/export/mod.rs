//! Accounts -> what other tools open: flame graphs, profilers, trace viewers, editors'
//! gutters, dashboards. Weights are microjoules. Pure: values in, bytes out; one file per
//! format.
//!
//! A stack is package, class, method, block: where energy is spent, not who called; where
//! calls were recorded, it is the thread and the methods that called each other.
//!
//! To add a format: a file with one function from [`ExportData`] to bytes, and a line in
//! [`FORMATS`].

mod benchmark_json;
mod calls;
mod collapsed;
mod data;
mod frames;
mod jacoco;
mod lcov;
mod microjoules;
mod openmetrics;
#[cfg(feature = "parquet")]
pub mod parquet;
mod perfetto;
mod pprof;
mod sampled;
mod speedscope;

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
pub(crate) mod tools_tests;

pub use calls::collapsed as collapsed_calls;
pub(crate) use collapsed::collapsed;
pub use data::{Depth, ExportData, InputEnergies, SessionTrace};

/// One format.
#[derive(Debug, Clone, Copy)]
pub struct ExportFormat {
    /// Its name on the command line.
    pub name: &'static str,
    /// The file it is written to, unless another is asked for.
    pub file: &'static str,
    /// Makes the bytes.
    pub write: fn(&ExportData<'_>) -> Vec<u8>,
}

/// All formats.
pub const FORMATS: [ExportFormat; 8] = [
    ExportFormat {
        name: "collapsed",
        file: "energy.collapsed",
        write: |data| match data.calls {
            Some(calls) => calls::collapsed(calls).into_bytes(),
            None => collapsed(data.accounts, data.depth).into_bytes(),
        },
    },
    ExportFormat {
        name: "speedscope",
        file: "energy.speedscope.json",
        write: speedscope::speedscope,
    },
    ExportFormat { name: "pprof", file: "energy.pb", write: pprof::pprof },
    ExportFormat { name: "perfetto", file: "energy.perfetto-trace", write: perfetto::perfetto },
    ExportFormat { name: "lcov", file: "energy.lcov", write: lcov::lcov },
    ExportFormat { name: "jacoco", file: "energy.jacoco.xml", write: jacoco::jacoco },
    ExportFormat {
        name: "benchmark-json",
        file: "energy-benchmarkData.json",
        write: benchmark_json::benchmark_json,
    },
    ExportFormat {
        name: "openmetrics",
        file: "energy.openmetrics.txt",
        write: openmetrics::openmetrics,
    },
];
