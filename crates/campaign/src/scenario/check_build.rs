//! Checks of the keys that describe how the user's own build compiles.

use wattline_units::shortened::shortened;

use super::check::check_origin;
use super::error::FailedCheck;
use super::file::ProcessorSection;
use super::javac_option;
use super::settings::ArtifactSource;
use crate::java::encoding::SourceEncoding;

pub(super) fn check_encoding(
    written: &Option<String>,
    key: &str,
) -> Result<Option<SourceEncoding>, FailedCheck> {
    let encoding = written.as_deref().map(SourceEncoding::from_name).transpose();
    encoding.map_err(|problem| {
        FailedCheck::new(format!("{key}.encoding"), format!("is wrong: {problem}"))
    })
}

/// Accepts javac options that no other key covers: sources, output folder and class path have keys
/// of their own.
pub(super) fn check_javac_options(written: Vec<String>) -> Result<Vec<String>, FailedCheck> {
    match javac_option::first_refused(&written) {
        None => Ok(written),
        Some(option) => {
            let message = format!(
                "has \"{}\", which other keys say or which would make another program; only \
                 {} are taken",
                shortened(option),
                javac_option::TAKEN_OPTIONS.join(", ")
            );
            Err(FailedCheck::new("application.javac_options", message))
        }
    }
}

pub(super) fn check_processors(
    written: &[ProcessorSection],
) -> Result<Vec<ArtifactSource>, FailedCheck> {
    let check = |(index, processor): (usize, &ProcessorSection)| {
        let ProcessorSection { path, maven, sha256 } = processor;
        check_origin(path, maven, sha256, &format!("processor[{index}]"))
    };
    written.iter().enumerate().map(check).collect()
}
