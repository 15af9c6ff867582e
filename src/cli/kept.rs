//! What is kept of the campaign that this program makes when it stops before its end.

use std::path::Path;
use std::sync::OnceLock;

use crate::folder::CampaignFolder;

/// The campaign that this program makes.
static CAMPAIGN: OnceLock<CampaignFolder> = OnceLock::new();

/// From now on this program makes the campaign in a folder.
pub fn begin(folder: &Path) {
    // There is one campaign in a program's life.
    let _ = CAMPAIGN.set(CampaignFolder::new(folder));
}

/// What is kept of the campaign that this program makes, and how to go on; none if it makes
/// none, or has not planned it yet.
pub fn sentence() -> Option<String> {
    Some(format!("{}: --resume goes on", CAMPAIGN.get()?.kept()?))
}
