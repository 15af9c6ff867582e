//! The board's side of a jail: requests shells from its first process and receives their ends.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};

use rustix::net::{AddressFamily, Shutdown, SocketFlags, SocketType, shutdown, socketpair};

use super::Confinement;
use super::protocol::{JailReply, JailRequest};
use crate::proc_state;

/// Channels that wait for the ends of shells, by their numbers in the jail; `None` once the jail is
/// gone.
type Waiters = Arc<Mutex<Option<BTreeMap<u32, Sender<u8>>>>>;

/// Connection to the first process of a jail.
pub(super) struct JailConnection {
    socket: Arc<OwnedFd>,
    /// Process number of the first process on the host.
    pub(super) init: u32,
    waiters: Waiters,
    /// Answers to requests; locked while a request waits for its answer.
    answers: Mutex<Receiver<JailReply>>,
    process: Mutex<Child>,
}

/// Running shell in a jail.
pub(crate) struct ConfinedShell {
    /// Process number of the shell on the host.
    pub pid: u32,
    ended: Receiver<u8>,
}

impl ConfinedShell {
    /// Waits for the shell's end; returns its exit code, or 128 and the signal that ended it, or
    /// 255 where the jail is gone.
    pub(crate) fn wait(&self) -> u8 {
        self.ended.recv().unwrap_or(255)
    }
}

impl JailConnection {
    /// Starts the first process by a command, which gets the socket as its standard input, and
    /// waits until it is confined.
    pub(super) fn start(command: &mut Command, confinement: Confinement) -> io::Result<Self> {
        let (socket, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        command.stdin(Stdio::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = command.process_group(0).spawn()?;
        // Otherwise this process has the other end open, too.
        command.stdin(Stdio::null());
        let first = JailReply::receive(&socket);
        let init = match (first, confinement) {
            // `unshare` waits for the first process, its only child.
            (Ok(Some(JailReply::Ready)), Confinement::NameSpaces) => {
                proc_state::child_processes(process.id())
                    .first()
                    .copied()
                    .ok_or_else(hidden_processes)
            }
            (Ok(Some(JailReply::Ready)), _) => Ok(process.id()),
            (Ok(Some(JailReply::Failed(reason))), _) => Err(io::Error::other(reason)),
            (Ok(_), _) => Err(io::Error::other("not to be had on this machine")),
            (Err(error), _) => Err(error),
        };
        let init = init.inspect_err(|_| {
            process.kill().ok();
            process.wait().ok();
        })?;
        let (socket, waiters) = (Arc::new(socket), Arc::new(Mutex::new(Some(BTreeMap::new()))));
        let answers = Mutex::new(receive_messages(&socket, &waiters)?);
        Ok(Self { socket, init, waiters, answers, process: Mutex::new(process) })
    }

    /// Starts a shell for a script, with pipe ends for its input and outputs.
    pub(super) fn spawn(&self, script: &str, ends: [OwnedFd; 3]) -> io::Result<ConfinedShell> {
        let gone = || io::Error::other("the board's jail is gone");
        let answers = lock(&self.answers);
        JailRequest::send_run(&*self.socket, script, &ends)?;
        match answers.recv().map_err(|_| gone())? {
            JailReply::Started(inner) => {
                let (sender, ended) = channel();
                lock(&self.waiters).as_mut().ok_or_else(gone)?.insert(inner, sender);
                let pid = self.host_pid(inner);
                JailRequest::send_shell_found(&*self.socket)?;
                Ok(ConfinedShell { pid: pid.ok_or_else(hidden_processes)?, ended })
            }
            JailReply::Failed(reason) => Err(io::Error::other(reason)),
            JailReply::Ready | JailReply::Ended(..) => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// Process number on the host of a child of the first process, by its number in the jail.
    fn host_pid(&self, inner: u32) -> Option<u32> {
        let children = proc_state::child_processes(self.init);
        children.into_iter().find(|pid| proc_state::innermost_number(*pid) == Some(inner))
    }

    /// Ends the first process, and with it, in a name space, all others.
    pub(super) fn close(&self) {
        // It is gone already, or reads the end of its socket.
        shutdown(&*self.socket, Shutdown::Both).ok();
        lock(&self.process).wait().ok();
    }
}

impl Drop for JailConnection {
    fn drop(&mut self) {
        self.close();
    }
}

/// Error of a `/proc` that hides the jail's processes.
fn hidden_processes() -> io::Error {
    io::Error::other("/proc does not show the processes of the jail")
}

/// Receives all messages of the first process on a thread: answers go to the returned channel, ends
/// to their waiters.
fn receive_messages(socket: &Arc<OwnedFd>, waiters: &Waiters) -> io::Result<Receiver<JailReply>> {
    let (sender, answers) = channel();
    let (socket, waiters) = (socket.clone(), waiters.clone());
    std::thread::Builder::new().name("jail".into()).spawn(move || {
        while let Ok(Some(answer)) = JailReply::receive(&*socket) {
            match answer {
                JailReply::Ended(pid, code) => {
                    // Processes without parents end, too: nobody waits for those.
                    let waiter = lock(&waiters).as_mut().and_then(|all| all.remove(&pid));
                    waiter.map(|waiter| waiter.send(code).ok());
                }
                other => drop(sender.send(other)),
            }
        }
        lock(&waiters).take();
    })?;
    Ok(answers)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
