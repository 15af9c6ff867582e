//! The trait of results that are written and read back, each in one file of a campaign's folder.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

use super::{CampaignFolder, Output, read_text};

/// A result in one file of a campaign's folder. The process that made the result passes on the
/// value; commands that begin from the folder read the file.
pub trait Artifact: Sized {
    /// Name of the file, of [`names`](super::names).
    const NAME: &'static str;
    /// Error of parsing the file's text.
    type ParseError: ToString;

    /// The file's text.
    ///
    /// # Errors
    /// The result can't be represented in the file's format.
    fn render(&self) -> Result<String, Failure>;

    /// Reads the file's text.
    ///
    /// # Errors
    /// The text is not a valid file; the error shows where.
    fn parse(text: &str) -> Result<Self, Self::ParseError>;
}

/// Reads an artifact from a file of any name.
///
/// # Errors
/// The file cannot be read, or its text is no such artifact.
pub fn read_artifact<A: Artifact>(path: &Path) -> Result<A, Failure> {
    A::parse(&read_text(path)?).map_err(|error| Failure::input(path, error))
}

impl CampaignFolder {
    /// Reads a result.
    ///
    /// # Errors
    /// The file does not exist, or is invalid.
    pub fn read<A: Artifact>(&self) -> Result<A, Failure> {
        read_artifact(&self.file(A::NAME))
    }

    /// Reads a result that not every campaign has; none if its file does not exist.
    ///
    /// # Errors
    /// The file is invalid.
    pub fn read_if_there<A: Artifact>(&self) -> Result<Option<A>, Failure> {
        self.file(A::NAME).is_file().then(|| self.read()).transpose()
    }
}

impl Output {
    /// Writes a result to its file and returns the path.
    ///
    /// # Errors
    /// The file exists already, or can't be written.
    pub fn write_artifact<A: Artifact>(&self, artifact: &A) -> Result<PathBuf, Failure> {
        self.write(A::NAME, artifact.render()?)
    }
}
