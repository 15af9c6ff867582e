//! Cache folder, where fetched artifacts and built helpers are kept between runs.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::ownership::{PrivacyError, make_folder};
use super::temporary_folder::TemporaryFolder;

const NAME: &str = "wattline";

/// Returns the cache folder, made and checked: `$XDG_CACHE_HOME/wattline`, else `.cache/wattline`
/// in the user's home, else a temporary folder of this process.
///
/// # Errors
/// [`PrivacyError`]: it is another user's, others can write to it, or it can't be made.
pub fn cache_folder() -> Result<PathBuf, PrivacyError> {
    let folder = cache_path()?;
    make_folder(&folder)?;
    Ok(folder)
}

/// Returns the path of the cache folder, which may not be there yet and was not checked.
///
/// # Errors
/// [`PrivacyError`]: the user has no home, and no temporary folder can be made.
pub fn cache_path() -> Result<PathBuf, PrivacyError> {
    lasting_cache_path().map_or_else(temporary_cache, Ok)
}

/// Returns the cache folder, made and checked, for what is not worth making for one process; `None`
/// where the cache would be a temporary folder.
///
/// # Errors
/// As [`cache_folder`].
pub fn lasting_cache_folder() -> Result<Option<PathBuf>, PrivacyError> {
    let folder = lasting_cache_path();
    folder.map(|folder| make_folder(&folder).map(|()| folder)).transpose()
}

fn lasting_cache_path() -> Option<PathBuf> {
    let places = UserFolders {
        cache: env::var_os("XDG_CACHE_HOME"),
        home: env::var_os("HOME"),
        passwd: fs::read_to_string("/etc/passwd").unwrap_or_default(),
        user: rustix::process::geteuid().as_raw(),
    };
    places.cache_base().map(|base| base.join(NAME))
}

/// Environment and list of users, which give a user's folders.
struct UserFolders {
    cache: Option<OsString>,
    home: Option<OsString>,
    /// The text of `/etc/passwd`.
    passwd: String,
    user: u32,
}

impl UserFolders {
    /// Returns the folder of all caches; `None` where the user has no home that is there.
    fn cache_base(&self) -> Option<PathBuf> {
        let set = |value: &Option<OsString>| value.clone().filter(|value| !value.is_empty());
        if let Some(cache) = set(&self.cache) {
            return Some(PathBuf::from(cache));
        }
        let home = set(&self.home).map(PathBuf::from).or_else(|| self.listed_home())?;
        // A home that is not there is nobody's to make: `/nonexistent` says that there is none.
        home.is_dir().then(|| home.join(".cache"))
    }

    /// Returns the home that the list of users gives.
    fn listed_home(&self) -> Option<PathBuf> {
        let fields = self.passwd.lines().map(|line| line.split(':').collect::<Vec<_>>());
        let own = fields.into_iter().find(|fields| {
            fields.get(2).and_then(|number| number.parse().ok()) == Some(self.user)
        })?;
        own.get(5).filter(|home| !home.is_empty()).map(|home| Path::new(home).to_path_buf())
    }
}

/// The cache of this process alone.
static TEMPORARY: Mutex<Option<TemporaryFolder>> = Mutex::new(None);

fn temporary_cache() -> Result<PathBuf, PrivacyError> {
    let mut kept = TEMPORARY.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(folder) = kept.as_ref() {
        return Ok(folder.path().to_path_buf());
    }
    let made = TemporaryFolder::new("cache");
    let made = made.map_err(PrivacyError::io("create", &env::temp_dir()))?;
    Ok(kept.insert(made).path().to_path_buf())
}

/// Removes the cache of this process alone, which nothing else does: before a program ends.
pub fn remove_temporary_cache() {
    TEMPORARY.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(cache: Option<&str>, home: Option<&Path>, passwd: &str) -> UserFolders {
        let home = home.map(|home| home.as_os_str().to_owned());
        UserFolders { cache: cache.map(Into::into), home, passwd: passwd.into(), user: 1000 }
    }

    #[test]
    fn a_cache_is_in_the_named_folder_else_in_a_home_that_is_there() {
        let home = tempfile::tempdir().unwrap();
        let own = Some(home.path().join(".cache"));
        let named = places(Some("/c"), Some(home.path()), "");
        assert_eq!(named.cache_base(), Some(PathBuf::from("/c")));
        assert_eq!(places(None, Some(home.path()), "").cache_base(), own);
        assert_eq!(places(Some(""), Some(home.path()), "").cache_base(), own);
        let passwd = format!(
            "root:x:0:0::/root:/bin/sh\nme:x:1000:1000:Me:{}:/bin/sh\n",
            home.path().display()
        );
        assert_eq!(places(None, None, &passwd).cache_base(), own);
        assert_eq!(places(None, Some(Path::new("")), &passwd).cache_base(), own);
    }

    #[test]
    fn without_a_home_there_is_no_shared_cache() {
        for (home, passwd) in [
            (Some(Path::new("/nonexistent")), "me:x:1000:1000::/tmp:/bin/sh\n"),
            (None, "me:x:1000:1000::/nonexistent:/bin/sh\n"),
            (None, "me:x:1000\nbroken\nroot:x:0:0::/root:/bin/sh\n"),
            (None, ""),
        ] {
            assert_eq!(places(None, home, passwd).cache_base(), None, "{home:?} {passwd:?}");
        }
        let [one, other] = [0, 1].map(|_| temporary_cache().unwrap());
        assert_eq!(one, other, "one for the whole process");
        super::super::check_folder(&one).unwrap();
        remove_temporary_cache();
        assert!(!one.exists());
    }
}
