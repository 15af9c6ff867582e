//! Reports of all results: one HTML page without network, a terminal summary, SARIF for editors
//! and code review. Values in, text out; one file for each format.
//!
//! A new format needs a file with one function from values to a `String`.

mod activities;
pub(crate) mod compare_page;
pub(crate) mod data;
pub(crate) mod figures;
pub(crate) mod html;
pub(crate) mod repository;
pub(crate) mod residuals;
pub(crate) mod sarif;
pub(crate) mod scatter;
mod table_rows;
pub(crate) mod text;
pub(crate) mod view;

pub use activities::{activities_page, activities_section};
pub use compare_page::compare_page;
pub use data::{CampaignFacts, ReportData, ReportSection, ReportedBoard};
pub use figures::{account_figures, applied_figures, hint_list_figures, validation_figures};
pub use html::report_page;
pub use repository::Repository;
pub use sarif::{file_uri, sarif};
pub use table_rows::table_rows;
pub use text::{applied_text, hints_text, summary_text};

#[cfg(test)]
mod browser_tests;
#[cfg(test)]
pub(crate) mod sample;
