//! Cleanup of temporary files and child processes when the program stops.

use std::fs;
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::folder::remove_unfinished;
use crate::private_files::{ProcessFolder, sweep_leftovers};
use crate::virtual_board::{self, children_by_parents};

/// Removes leftovers of this user's killed processes, and makes the folder of all temporary files
/// and folders to come, removed when dropped. `None` where no such folder can be made, which shows
/// when a temporary file is needed.
pub fn temporary_folder() -> Option<ProcessFolder> {
    sweep_leftovers();
    let folder = ProcessFolder::get().ok()?;
    tempfile::env::override_temp_dir(folder.path()).ok()?;
    Some(folder)
}

/// Ends all child processes and removes temporary files. No output file can be begun afterwards.
pub fn clean_up(temporary: Option<&Path>) {
    virtual_board::clean_up_all_boards();
    end_children();
    remove_unfinished();
    temporary.into_iter().for_each(remove_folder);
    // Other threads are still at work: they may have started or made something meanwhile.
    for _ in 0..CHECKS {
        thread::sleep(CHECK_PAUSE);
        if descendants().is_empty() && !temporary.is_some_and(Path::exists) {
            return;
        }
        end_children();
        temporary.into_iter().for_each(remove_folder);
    }
}

/// Number of checks, and the pause between them, whether something is gone.
const CHECKS: usize = 40;
const CHECK_PAUSE: Duration = Duration::from_millis(50);

/// Asks all descendant processes to end, and kills those that have not ended after a while.
fn end_children() {
    for signal in [Signal::TERM, Signal::KILL] {
        for pid in descendants() {
            // It may have ended by itself.
            let _ = kill_process(pid, signal);
        }
        for _ in 0..CHECKS {
            if descendants().is_empty() {
                return;
            }
            thread::sleep(CHECK_PAUSE);
        }
    }
}

/// Process numbers of the living descendants of this process.
fn descendants() -> Vec<Pid> {
    let mut open = vec![std::process::id()];
    let mut found = Vec::new();
    while let Some(parent) = open.pop() {
        let children = children_by_parents(parent);
        found.extend(children.iter().filter_map(|pid| Pid::from_raw(i32::try_from(*pid).ok()?)));
        open.extend(children);
    }
    found
}

/// Removes a folder in several tries, since another thread may still write to it.
fn remove_folder(folder: &Path) {
    for _ in 0..CHECKS {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => thread::sleep(CHECK_PAUSE),
            _ => return,
        }
    }
}
