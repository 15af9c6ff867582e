//! Folder for files that running processes of one user share.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::cache::cache_folder;
use super::ownership::{PrivacyError, check_folder, make_folder};

/// Returns a folder of this user on this machine, made and checked: `wattline` in
/// `$XDG_RUNTIME_DIR` or `/run/user/UID` where that is the user's, else `run-HOST` in the cache's
/// folder, which several machines may share.
///
/// # Errors
/// [`PrivacyError`]: it is another user's, others can write to it, or it can't be made.
pub fn runtime_folder() -> Result<PathBuf, PrivacyError> {
    let user = rustix::process::geteuid().as_raw();
    let named = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let places = named.into_iter().chain([Path::new("/run/user").join(user.to_string())]);
    let own = places.into_iter().find(|place| place.is_absolute() && check_folder(place).is_ok());
    let folder = match own {
        Some(place) => place.join("wattline"),
        None => cache_folder()?.join(format!("run-{}", host_file_name())),
    };
    make_folder(&folder)?;
    Ok(folder)
}

/// Returns the machine's name, as a part of a file's name.
fn host_file_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}
