//! Locates the analysed sources in the repository around the current folder.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::account::Accounts;
use crate::folder::names;
use crate::progress::Progress;
use crate::report::{Repository, file_uri};

/// Location of the sources: below `prefix`, or where git lists the files in the work tree around
/// the current folder; unknown outside of one.
pub fn source_location<'a>(
    prefix: Option<&str>,
    files: impl IntoIterator<Item = &'a str>,
) -> Repository {
    match prefix {
        Some(prefix) => Repository::with_prefix(prefix),
        None => of_work_tree(files).unwrap_or_default(),
    }
}

/// Location of the sources of accounts in the repository.
pub fn repository_of(prefix: Option<&str>, accounts: &Accounts) -> Repository {
    let files: BTreeSet<&str> = accounts.blocks.iter().map(|block| block.file.as_str()).collect();
    source_location(prefix, files.into_iter().filter(|file| !file.is_empty()))
}

/// Notes on `progress` that paths are not relative to a repository's root, as tools that annotate
/// code expect.
pub fn warn_if_unknown(repository: &Repository, progress: &dyn Progress) {
    if !repository.is_known() {
        progress.say(
            "paths are from the source root, as no git work tree around here holds the sources; \
             --source-prefix PATH makes them paths of the repository",
        );
    }
}

fn of_work_tree<'a>(files: impl IntoIterator<Item = &'a str>) -> Option<Repository> {
    let root = git_output(Path::new("."), &["rev-parse", "--show-toplevel"])?;
    let root = Path::new(root.trim_end_matches(['\n', '\r']));
    let listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.java"];
    let tracked = git_output(root, &listed)?;
    let paths = tracked.split('\0').filter(|path| !path.is_empty());
    let mut tracked: Vec<&str> = paths.filter(|path| !is_copy(root, path)).collect();
    tracked.sort_unstable();
    tracked.dedup();
    Some(Repository::of_work_tree(file_uri(&root.to_string_lossy()), &tracked, files))
}

/// Whether a file is the copy of a source in a campaign's folder.
fn is_copy(root: &Path, path: &str) -> bool {
    let folders = Path::new(path).ancestors().skip(1);
    let mut copies = folders.filter(|folder| folder.ends_with(names::SOURCES));
    copies.any(|copy| copy.parent().is_some_and(|c| root.join(c).join(names::BLOCKS).is_file()))
}

/// Output of a git command; `None` where git is missing or refuses the folder.
fn git_output(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().ok()?;
    let is_good = output.status.success();
    is_good.then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
