//! Files and folders that nobody but the user may read, write or put in place: temporary
//! folders, the cache of fetched and built files, and the check of what was built before it is
//! run.

mod built;
mod cache;
mod ownership;
mod runtime;
mod sweep;
mod temporary;

pub use built::{BuiltFolderError, built_folder};
pub use cache::{cache_folder, cache_path, lasting_cache_folder, remove_temporary_cache};
pub use ownership::{NotPrivate, check_folder, create_file, make_folder, write_file};
pub use runtime::runtime_folder;
pub use sweep::{sweep_leftovers, unfinished_folder};
pub use temporary::{ProcessFolder, TemporaryFolder, private_builder};
