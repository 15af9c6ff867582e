//! Where fetched artifacts and built helpers are kept between runs.

use std::env;
use std::path::PathBuf;

/// `$XDG_CACHE_HOME/wattline`, else `~/.cache/wattline`, else a folder in the
/// system's temporary directory.
pub fn folder() -> PathBuf {
    let base = env::var_os("XDG_CACHE_HOME")
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
        .or_else(|| env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))
        .unwrap_or_else(env::temp_dir);
    base.join("wattline")
}
