//! What a program that is stopped would leave: temporary files and folders, and programs
//! that it started.

use std::fs;
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::folder::remove_unfinished;
use crate::private_files::{ProcessFolder, sweep_leftovers};
use crate::virtual_board::{self, children_by_parents};

/// Removes what killed processes of this user left, and makes the folder of all temporary files
/// and folders to come, removed when dropped. None where there is no place for one: whoever needs
/// it then says so.
pub fn temporary_folder() -> Option<ProcessFolder> {
    sweep_leftovers();
    let folder = ProcessFolder::get().ok()?;
    tempfile::env::override_temp_dir(folder.path()).ok()?;
    Some(folder)
}

/// Ends what this program has started and removes its files. No file can be begun
/// afterwards.
pub fn remove_all(temporary: Option<&Path>) {
    virtual_board::end_all();
    end_children();
    remove_unfinished();
    temporary.into_iter().for_each(remove_folder);
    // Other threads are still at work: they may have started or made something meanwhile.
    for _ in 0..LOOKS {
        thread::sleep(LOOK);
        if descendants().is_empty() && !temporary.is_some_and(Path::exists) {
            return;
        }
        end_children();
        temporary.into_iter().for_each(remove_folder);
    }
}

/// How often, and how long after each other, is looked whether something is gone.
const LOOKS: usize = 40;
const LOOK: Duration = Duration::from_millis(50);

/// Asks all processes below this one to end, and ends those that have not after a while.
fn end_children() {
    for signal in [Signal::TERM, Signal::KILL] {
        for pid in descendants() {
            // It may have ended by itself.
            let _ = kill_process(pid, signal);
        }
        for _ in 0..LOOKS {
            if descendants().is_empty() {
                return;
            }
            thread::sleep(LOOK);
        }
    }
}

/// The living processes below this one.
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

/// Another thread may still write to it, so it takes several tries.
fn remove_folder(folder: &Path) {
    for _ in 0..LOOKS {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => thread::sleep(LOOK),
            _ => return,
        }
    }
}
