//! Finds where the analysed sources lie in the repository that the user stands in.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::account::Accounts;
use crate::folder::names;
use crate::progress::Progress;
use crate::report::{Repository, file_uri};

/// Where the sources lie: below `prefix`, or where git finds the files in the work tree
/// around the current folder; nowhere outside of one.
pub fn repository<'a>(
    prefix: Option<&str>,
    files: impl IntoIterator<Item = &'a str>,
) -> Repository {
    match prefix {
        Some(prefix) => Repository::with_prefix(prefix),
        None => of_work_tree(files).unwrap_or_default(),
    }
}

/// The same for the files of accounts.
pub fn repository_of(prefix: Option<&str>, accounts: &Accounts) -> Repository {
    let files: BTreeSet<&str> = accounts.blocks.iter().map(|block| block.file.as_str()).collect();
    repository(prefix, files.into_iter().filter(|file| !file.is_empty()))
}

/// Says so where paths are not from a repository's root, which tools that annotate code
/// want.
pub fn tell_unknown(repository: &Repository, progress: &dyn Progress) {
    if !repository.is_known() {
        progress.say(
            "paths are from the source root, as no git work tree around here holds the sources; \
             --source-prefix PATH makes them paths of the repository",
        );
    }
}

fn of_work_tree<'a>(files: impl IntoIterator<Item = &'a str>) -> Option<Repository> {
    let root = git(Path::new("."), &["rev-parse", "--show-toplevel"])?;
    let root = Path::new(root.trim_end_matches(['\n', '\r']));
    let listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.java"];
    let tracked = git(root, &listed)?;
    let paths = tracked.split('\0').filter(|path| !path.is_empty());
    let mut tracked: Vec<&str> = paths.filter(|path| !is_copy(root, path)).collect();
    tracked.sort_unstable();
    tracked.dedup();
    Some(Repository::of_work_tree(file_uri(&root.to_string_lossy()), &tracked, files))
}

/// Whether a file is the copy of a source that a campaign's folder holds.
fn is_copy(root: &Path, path: &str) -> bool {
    let folders = Path::new(path).ancestors().skip(1);
    let mut copies = folders.filter(|folder| folder.ends_with(names::SOURCES));
    copies.any(|copy| copy.parent().is_some_and(|c| root.join(c).join(names::BLOCKS).is_file()))
}

/// What git says; nothing if it isn't there, or not content with the folder.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().ok()?;
    let is_good = output.status.success();
    is_good.then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
