//! Files and folders that nobody but the user may read, write or put in place: temporary
//! folders, the cache of fetched and built files, and the check of what was built before it is
//! run.

mod built_folder;
mod cache;
mod ownership;
mod runtime_folder;
mod sweep;
mod temporary_folder;

pub use built_folder::{BuiltFolderError, built_folder};
pub use cache::{cache_folder, cache_path, lasting_cache_folder, remove_temporary_cache};
pub use ownership::{PrivacyError, check_folder, create_file, make_folder, write_file};
pub use runtime_folder::runtime_folder;
pub use sweep::{sweep_leftovers, unfinished_folder};
pub use temporary_folder::{ProcessFolder, TemporaryFolder, private_folder_builder};
