//! All results -> bytes that people and tools open: one HTML page without network, a
//! terminal summary, SARIF for editors and code review. Pure: values in, text out; one file per format.
//!
//! To add a format: a file with one function from values to a `String`.

pub mod data;
pub mod format;
pub mod html;
pub mod repository;
pub mod residuals;
pub mod sarif;
pub mod scatter;
pub mod text;
pub mod view;

pub use data::{
    Board, CampaignFacts, CvRow, EstimabilityRow, Part, ReportData, cv_rows, estimability_rows,
};
pub use html::html;
pub use repository::Repository;
pub use sarif::{file_uri, sarif};
pub use text::{applied_text, hints_text, summary_text};

#[cfg(test)]
mod browser_tests;
#[cfg(test)]
pub(crate) mod sample;
