//! A campaign's folder: the names of its files, reading and writing them.

mod artifact;
mod artifacts;
mod campaign_progress;
mod measured_campaign;
pub mod names;
mod output;
mod planned_campaign;
mod read;
mod unfinished;
mod write;

use std::path::{Path, PathBuf};

pub use crate::run::OnExisting;
pub use artifact::{Artifact, read_artifact};
pub use measured_campaign::{MeasuredCampaign, unanalysed_languages};
pub use output::{Output, UnfinishedFile};
pub use output::{read_text, replace_file};
pub use planned_campaign::PlannedCampaign;
pub use unfinished::remove_unfinished;

/// The folder with the results of a campaign's stages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignFolder {
    path: PathBuf,
}

impl CampaignFolder {
    /// The folder at a path, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> CampaignFolder {
        CampaignFolder { path: path.into() }
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Path of a file or folder in this one, by its name of `names`.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether the folder has a file or folder of this name.
    pub fn has(&self, name: &str) -> bool {
        self.file(name).exists()
    }
}
