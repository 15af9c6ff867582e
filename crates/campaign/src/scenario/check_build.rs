//! Checks of the keys that say how the user's own build compiles.

use wattline_units::shortened::shortened;

use super::check::check_origin;
use super::checked::ArtifactSource;
use super::error::FailedCheck;
use super::file::ProcessorFile;
use super::javac_option;
use crate::java::encoding::SourceEncoding;

pub(super) fn check_encoding(
    written: &Option<String>,
    key: &str,
) -> Result<Option<SourceEncoding>, FailedCheck> {
    let encoding = written.as_deref().map(SourceEncoding::named).transpose();
    encoding.map_err(|problem| {
        FailedCheck::new(format!("{key}.encoding"), format!("is wrong: {problem}"))
    })
}

/// What has no meaning of its own here: what is compiled, where to, and against what is said by
/// other keys.
pub(super) fn check_javac_options(written: Vec<String>) -> Result<Vec<String>, FailedCheck> {
    match javac_option::first_refused(&written) {
        None => Ok(written),
        Some(option) => {
            let message = format!(
                "has \"{}\", which other keys say or which would make another program; only \
                 {} are taken",
                shortened(option),
                javac_option::TAKEN.join(", ")
            );
            Err(FailedCheck::new("application.javac_options", message))
        }
    }
}

pub(super) fn check_processors(
    written: &[ProcessorFile],
) -> Result<Vec<ArtifactSource>, FailedCheck> {
    let check = |(index, processor): (usize, &ProcessorFile)| {
        let ProcessorFile { path, maven, sha256 } = processor;
        check_origin(path, maven, sha256, &format!("processor[{index}]"))
    };
    written.iter().enumerate().map(check).collect()
}
