//! Output files of the probes' runtime in a folder, one per process and class loader, merged.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// All executions counted in a folder, as one text of `block,executions` in which a block may occur
/// several times; `None` without counts.
///
/// # Errors
/// A file that can't be read.
pub fn read_counts(folder: &Path) -> io::Result<Option<String>> {
    let texts = read_all(folder, "wattline-counts-", ".csv")?;
    Ok((!texts.is_empty()).then(|| texts.concat()))
}

/// The snapshots in a folder, concatenated file by file; `None` without snapshots.
///
/// # Errors
/// A file that can't be read.
pub(crate) fn read_snapshots(folder: &Path) -> io::Result<Option<String>> {
    let texts = read_all(folder, "wattline-counts-", ".windows")?;
    Ok((!texts.is_empty()).then(|| texts.concat()))
}

/// Whether every process and class loader wrote its final counts.
pub(crate) fn are_counts_whole(folder: &Path) -> io::Result<bool> {
    let counts = files(folder, "wattline-counts-", ".csv")?;
    Ok(!counts.is_empty() && counts.iter().all(|path| path.with_extension("final").exists()))
}

/// The call-tree probe's logs in a folder, merged to one; `None` without logs.
///
/// # Errors
/// A file that can't be read, or is truncated.
pub(crate) fn read_calls(folder: &Path) -> io::Result<Option<String>> {
    let texts = read_all(folder, "wattline-calls-", ".txt")?;
    if texts.is_empty() {
        return Ok(None);
    }
    let (mut threads, mut lost) = (String::new(), 0);
    for text in &texts {
        let parts = text.strip_prefix(CALLS_BEGIN).and_then(|rest| rest.strip_suffix(CALLS_END));
        let parts = parts.and_then(|rest| rest.rsplit_once("lost "));
        let torn = || io::Error::other("a log of calls is not whole");
        let (of_threads, of_lost) = parts.ok_or_else(torn)?;
        lost += of_lost.trim().parse::<u64>().map_err(|_| torn())?;
        threads += of_threads;
    }
    Ok(Some(format!("{CALLS_BEGIN}{threads}lost {lost}{CALLS_END}")))
}

const CALLS_BEGIN: &str = "wattline-calls 2\n";
const CALLS_END: &str = "\nend\n";

fn read_all(folder: &Path, begin: &str, end: &str) -> io::Result<Vec<String>> {
    files(folder, begin, end)?.iter().map(fs::read_to_string).collect()
}

/// Paths of the files in a folder that begin and end with these texts, sorted, so that the same
/// files give the same text.
fn files(folder: &Path, begin: &str, end: &str) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        if name.is_some_and(|name| name.starts_with(begin) && name.ends_with(end)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::parse_executions;

    #[test]
    fn files_of_all_processes_and_loaders_are_added_up() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        assert_eq!(read_counts(folder.path()).unwrap(), None);
        assert!(!are_counts_whole(folder.path()).unwrap());
        write("wattline-counts-1.csv", "block,executions\n0,5\n2,1\n");
        write("wattline-counts-1.final", "");
        assert!(are_counts_whole(folder.path()).unwrap());
        // One that was ended before it wrote anything.
        write("wattline-counts-2.csv", "");
        write("wattline-counts-3.csv", "block,executions\n2,7\n");
        write("wattline-counts-3.csv.part", "block,executions\n2,9\n");
        assert!(!are_counts_whole(folder.path()).unwrap());
        let text = read_counts(folder.path()).unwrap().unwrap();
        assert_eq!(parse_executions(&text, 3).unwrap(), [5, 0, 8]);
    }

    #[test]
    fn logs_of_calls_are_one_after_the_other_and_a_torn_one_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("wattline-calls-1.txt", "wattline-calls 2\nthread a\nnode -1 -1\nlost 1\nend\n");
        write("wattline-calls-2.txt", "wattline-calls 2\nthread b\nnode -1 -1\nlost 2\nend\n");
        let one = "wattline-calls 2\nthread a\nnode -1 -1\nthread b\nnode -1 -1\nlost 3\nend\n";
        assert_eq!(read_calls(folder.path()).unwrap().as_deref(), Some(one));
        write("wattline-calls-3.txt", "wattline-calls 2\nthread b\n");
        assert!(read_calls(folder.path()).is_err());
    }
}
