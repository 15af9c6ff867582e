//! The first process of a board's jail: it confines itself, gives up all privileges, and then
//! starts shells at the board's request. It ends when the board's end of its socket is closed; in a
//! name space of processes all others end with it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::mount::{MountPropagationFlags, UnmountFlags, mount_bind, mount_change, unmount};
use rustix::process::{WaitOptions, chdir, pivot_root, wait};
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};
use signal_hook::consts::SIGCHLD;

use super::protocol::{JailReply, JailRequest};
use super::{Confinement, ROOT_VARIABLE};
use crate::root::DEVICES;

/// Kernel setting for the number of nested user name spaces, set to 0 in a jail. In one of its own
/// a process would have all capabilities over what it makes there.
const USER_NAMESPACES_MAX: &str = "/proc/sys/user/max_user_namespaces";

/// Shell program, working folder and mark of the shells that the first process starts.
struct StartedShells {
    program: PathBuf,
    folder: PathBuf,
    /// The board's root on the host, in the environment of all the board's processes.
    mark: OsString,
}

/// Runs as the first process of a jail. Its standard input is the socket; its arguments are the way
/// in which it is confined, and the root.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let Ok(socket) = io::stdin().as_fd().try_clone_to_owned() else { return ExitCode::FAILURE };
    let served = confine(arguments).and_then(|shells| serve(&socket, &shells));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The board may be gone.
            JailReply::Failed(error.to_string()).send(&socket).ok();
            ExitCode::FAILURE
        }
    }
}

/// Confines this process in the way that the arguments name.
fn confine(arguments: &[OsString]) -> io::Result<StartedShells> {
    let [_, kind, mark] = arguments else { return Err(io::ErrorKind::InvalidInput.into()) };
    let kind = kind.to_str().and_then(Confinement::from_name).ok_or(io::ErrorKind::InvalidInput)?;
    let folder = match kind {
        Confinement::Prefix => PathBuf::from(mark),
        _ => PathBuf::from("/"),
    };
    if kind == Confinement::NameSpaces {
        enter_root(Path::new(mark))?;
    }
    give_up_privileges(kind)?;
    std::env::set_current_dir(&folder)?;
    Ok(StartedShells { program: folder.join("system/bin/sh"), folder, mark: mark.clone() })
}

/// Makes a folder the root of this process's name space of mounts; nothing else is left in it.
fn enter_root(root: &Path) -> io::Result<()> {
    let step = |what: &'static str| move |error: rustix::io::Errno| step_error(what, error);
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).map_err(step("mounts of its own"))?;
    mount_bind(root, root).map_err(step("its root as a mount"))?;
    for (device, _) in DEVICES {
        let place = root.join("dev").join(device);
        mount_bind(Path::new("/dev").join(device), place).map_err(step("its devices"))?;
    }
    // Where `/proc/sys` is closed, as in some containers, name spaces can be nested.
    fs::write(USER_NAMESPACES_MAX, "0\n").ok();
    chdir(root).map_err(step("its root"))?;
    // The old root lies on the new one until it is unmounted.
    pivot_root(".", ".").map_err(step("pivot_root"))?;
    unmount(".", UnmountFlags::DETACH).map_err(step("the old root"))?;
    rustix::system::sethostname(b"localhost").map_err(step("its name"))
}

/// Error of a named step.
fn step_error(what: &str, error: rustix::io::Errno) -> io::Error {
    io::Error::other(format!("{what}: {error}"))
}

/// Removes all capabilities of this process and its children, for good.
fn give_up_privileges(kind: Confinement) -> io::Result<()> {
    set_no_new_privs(true)?;
    if kind == Confinement::Prefix {
        return Ok(());
    }
    if kind == Confinement::NameSpaces {
        let each = (0..u64::BITS).map(|bit| CapabilitySet::from_bits_retain(1 << bit));
        // The first that the kernel does not know is behind the last.
        each.take_while(|one| remove_capability_from_bounding_set(*one).is_ok()).for_each(drop);
    }
    clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    Ok(())
}

/// Starts requested shells and reports ends of processes until the board is gone.
fn serve(socket: &OwnedFd, shells: &StartedShells) -> io::Result<()> {
    let (ended, ends) = io::pipe()?;
    signal_hook::low_level::pipe::register(SIGCHLD, ends)?;
    JailReply::Ready.send(socket)?;
    loop {
        let mut open = [PollFd::new(socket, PollFlags::IN), PollFd::new(&ended, PollFlags::IN)];
        match poll(&mut open, None) {
            Err(rustix::io::Errno::INTR) => continue,
            other => other?,
        };
        let [asked, has_ended] = open.map(|one| !one.revents().is_empty());
        if has_ended {
            rustix::io::read(&ended, &mut [0u8; 64])?;
            report_ends(socket)?;
        }
        if asked {
            match JailRequest::receive(socket)? {
                None => return Ok(()),
                Some(JailRequest::Run { script, ends }) => {
                    start_shell(socket, shells, &script, ends)?
                }
                Some(JailRequest::ShellFound) => {}
            }
        }
    }
}

/// Reports every process that has ended, also those whose parents were gone.
fn report_ends(socket: &OwnedFd) -> io::Result<()> {
    while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
        let signal = status.terminating_signal().map(|signal| 128 + signal);
        let code = status.exit_status().or(signal);
        let code = code.and_then(|code| u8::try_from(code).ok()).unwrap_or(255);
        JailReply::Ended(pid.as_raw_nonzero().get().unsigned_abs(), code).send(socket)?;
    }
    Ok(())
}

/// Starts a shell in a process group of its own. It is not waited for until the board has found its
/// process, so that the host can see it even if it has ended.
fn start_shell(
    socket: &OwnedFd,
    shells: &StartedShells,
    script: &str,
    ends: [OwnedFd; 3],
) -> io::Result<()> {
    let [stdin, stdout, stderr] = ends.map(Stdio::from);
    let started = Command::new(&shells.program)
        .args(["-c", script])
        .current_dir(&shells.folder)
        .env(ROOT_VARIABLE, &shells.mark)
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr)
        .process_group(0)
        .spawn();
    match started {
        Ok(child) => {
            JailReply::Started(child.id()).send(socket)?;
            JailRequest::receive(socket).map(drop)
        }
        Err(error) => JailReply::Failed(error.to_string()).send(socket),
    }
}
