//! A campaign's folder: which file is which, reading them back and writing them.

mod artifact;
mod artifacts;
mod kept;
mod measured_campaign;
pub mod names;
mod output;
mod planned_campaign;
mod read;
mod unfinished;
mod write;

use std::path::{Path, PathBuf};

pub use crate::run::OnExisting;
pub use artifact::Artifact;
pub use measured_campaign::{MeasuredCampaign, unanalysed};
pub use output::{Output, Unfinished};
pub use output::{read_text, replace_file};
pub use planned_campaign::PlannedCampaign;
pub use read::read_model;
pub use unfinished::remove_unfinished;

/// The folder that a campaign's stages leave their results in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignFolder {
    path: PathBuf,
}

impl CampaignFolder {
    /// The folder at a path, which need not be there yet.
    pub fn new(path: impl Into<PathBuf>) -> CampaignFolder {
        CampaignFolder { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file or folder in it, by its name of `names`.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether it has a file or folder of this name.
    pub fn has(&self, name: &str) -> bool {
        self.file(name).exists()
    }
}
