//! Exports of accounts to other tools: flame graphs, profilers, trace viewers, editors' gutters,
//! dashboards. Weights are microjoules. Values in, bytes out; one file for each format.
//!
//! A stack is package, class, method, block: where energy is spent, not who called; with recorded
//! calls, it is the thread and the methods that called each other.
//!
//! A new format needs a file with one function from [`ExportData`] to bytes, and a line in
//! [`FORMATS`].

mod benchmark_json;
mod calls;
mod collapsed;
mod data;
mod energy_stacks;
mod firefox;
mod frames;
mod jacoco;
mod lcov;
mod microjoules;
mod openmetrics;
mod otlp;
#[cfg(feature = "parquet")]
pub mod parquet;
mod perfetto;
mod pprof;
mod sampled_stacks;
mod speedscope;

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
pub(crate) mod tools_tests;

pub use calls::collapsed as collapsed_calls;
pub(crate) use collapsed::collapsed;
pub use data::{ExportData, InputEnergies, SessionTrace, StackDepth};

/// An export format: name, default file and writer.
#[derive(Debug, Clone, Copy)]
pub struct ExportFormat {
    /// Name on the command line.
    pub name: &'static str,
    /// Default name of the output file.
    pub file: &'static str,
    /// Writes the bytes of the file.
    pub write: fn(&ExportData<'_>) -> Vec<u8>,
}

/// All formats.
pub const FORMATS: [ExportFormat; 10] = [
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
    ExportFormat { name: "firefox", file: "energy.firefox.json", write: firefox::firefox },
    ExportFormat { name: "otlp", file: "energy.otlp.pb", write: otlp::otlp },
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
