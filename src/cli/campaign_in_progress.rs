//! Campaign in progress, and what of it is kept when the program stops early.

use std::path::Path;
use std::sync::OnceLock;

use crate::folder::CampaignFolder;

/// Folder of the campaign in progress.
static CAMPAIGN: OnceLock<CampaignFolder> = OnceLock::new();

/// Registers the folder of the campaign in progress.
pub fn register(folder: &Path) {
    // There is one campaign in a program's life.
    let _ = CAMPAIGN.set(CampaignFolder::new(folder));
}

/// Progress of the campaign that is kept, and how to resume it, as a sentence; `None` without a
/// campaign or a plan.
pub fn kept_progress() -> Option<String> {
    Some(format!("{}: --resume continues", CAMPAIGN.get()?.progress()?))
}
