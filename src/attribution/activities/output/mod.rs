//! Analyses -> what people and tools read: tables, a summary, a picture, a Perfetto trace.
//! Pure: values in, bytes out.

mod lanes;
mod picture;
mod svg;
mod tables;
mod text;
mod trace;

pub use picture::{PictureOptions, html, part};
pub use tables::{activities_csv, energy_csv, findings_csv, powers_csv, timeline_csv};
pub use text::summary;
pub use trace::perfetto_trace;

use super::account::Payer;
use super::label::Labels;

/// What stands for a payer in tables and pictures.
fn payer_name(payer: Payer, labels: &Labels) -> String {
    match payer {
        Payer::Activity(label) => labels.text(label),
        Payer::Nobody => "(none)".into(),
        Payer::NotToldApart => "(not told apart)".into(),
        Payer::Logging => "(logging)".into(),
        Payer::Constant => "(constant)".into(),
    }
}

/// The row of what the powers don't explain.
const UNEXPLAINED: &str = "(unexplained)";
/// The row of the sum.
const TOTAL: &str = "(total)";
