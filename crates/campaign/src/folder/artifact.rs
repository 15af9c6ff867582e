//! Results that are written and read back, each in one file of a campaign's folder.

use std::path::PathBuf;

use crate::failure::Failure;

use super::{CampaignFolder, Output, read_text};

/// What one file of a campaign's folder holds. The process that made it hands on the value; the
/// file is read by commands that begin from the folder.
pub trait Artifact: Sized {
    /// The file, by its name of [`names`](super::names).
    const NAME: &'static str;
    /// Why a text can't be read.
    type ParseError: ToString;

    /// The file's text.
    ///
    /// # Errors
    /// It can't be told in the file's format.
    fn render(&self) -> Result<String, Failure>;

    /// Reads the file's text.
    ///
    /// # Errors
    /// Says where the text is no such file.
    fn parse(text: &str) -> Result<Self, Self::ParseError>;
}

impl CampaignFolder {
    /// Reads a result.
    ///
    /// # Errors
    /// Its file is not there, or not what it should be.
    pub fn read<A: Artifact>(&self) -> Result<A, Failure> {
        let path = self.file(A::NAME);
        A::parse(&read_text(&path)?).map_err(|error| Failure::input(path, error))
    }

    /// Reads a result that not every campaign has; none where its file is not there.
    ///
    /// # Errors
    /// Its file is not what it should be.
    pub fn read_if_there<A: Artifact>(&self) -> Result<Option<A>, Failure> {
        self.file(A::NAME).is_file().then(|| self.read()).transpose()
    }
}

impl Output {
    /// Writes a result to its file, whose path is returned.
    ///
    /// # Errors
    /// It is there already, or can't be written.
    pub fn write_artifact<A: Artifact>(&self, artifact: &A) -> Result<PathBuf, Failure> {
        self.write(A::NAME, artifact.render()?)
    }
}
