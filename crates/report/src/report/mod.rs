//! All results -> bytes that people and tools open: one HTML page without network, a
//! terminal summary, SARIF for editors and code review. Pure: values in, text out; one file per
//! format.
//!
//! To add a format: a file with one function from values to a `String`.

mod activities;
pub(crate) mod data;
pub(crate) mod html;
pub(crate) mod repository;
pub(crate) mod residuals;
pub(crate) mod sarif;
pub(crate) mod scatter;
pub(crate) mod text;
pub(crate) mod view;

pub use activities::{activities_page, activities_part};
pub use data::{CampaignFacts, ReportData, ReportSection, ReportedBoard};
pub use html::html;
pub use repository::Repository;
pub use sarif::{file_uri, sarif};
pub use text::{applied_text, hints_text, summary_text};

#[cfg(test)]
mod browser_tests;
#[cfg(test)]
pub(crate) mod sample;
