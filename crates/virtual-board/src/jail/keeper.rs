//! The board's side of a jail: asks its first process for shells and hears of their ends.

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

/// Who waits for the end of which shell, by its number in the jail; none once the jail is gone.
type Waiters = Arc<Mutex<Option<BTreeMap<u32, Sender<u8>>>>>;

/// The first process of a jail, as the board has it.
pub(super) struct Keeper {
    socket: Arc<OwnedFd>,
    /// The first process, by its number on the host.
    pub(super) init: u32,
    waiters: Waiters,
    /// Answers to requests; held by the one who asks.
    answers: Mutex<Receiver<JailReply>>,
    process: Mutex<Child>,
}

/// A shell in a jail.
pub(crate) struct Confined {
    /// Its process number on the host.
    pub pid: u32,
    ended: Receiver<u8>,
}

impl Confined {
    /// Waits for its end; its exit code, or 128 and the signal that ended it, or 255 where the
    /// jail is gone.
    pub(crate) fn wait(&self) -> u8 {
        self.ended.recv().unwrap_or(255)
    }
}

impl Keeper {
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
                proc_state::children(process.id()).first().copied().ok_or_else(invisible)
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
        let answers = Mutex::new(listen(&socket, &waiters)?);
        Ok(Self { socket, init, waiters, answers, process: Mutex::new(process) })
    }

    /// Starts a shell for a script, with its input and outputs.
    pub(super) fn spawn(&self, script: &str, ends: [OwnedFd; 3]) -> io::Result<Confined> {
        let gone = || io::Error::other("the board's jail is gone");
        let answers = lock(&self.answers);
        JailRequest::run(&*self.socket, script, &ends)?;
        match answers.recv().map_err(|_| gone())? {
            JailReply::Started(inner) => {
                let (sender, ended) = channel();
                lock(&self.waiters).as_mut().ok_or_else(gone)?.insert(inner, sender);
                let pid = self.host_number(inner);
                JailRequest::known(&*self.socket)?;
                Ok(Confined { pid: pid.ok_or_else(invisible)?, ended })
            }
            JailReply::Failed(reason) => Err(io::Error::other(reason)),
            JailReply::Ready | JailReply::Ended(..) => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// The number on the host of a child of the first process.
    fn host_number(&self, inner: u32) -> Option<u32> {
        let children = proc_state::children(self.init);
        children.into_iter().find(|pid| proc_state::innermost_number(*pid) == Some(inner))
    }

    /// Ends the first process, and with it, in a name space, all others.
    pub(super) fn close(&self) {
        // It is gone already, or reads the end of its socket.
        shutdown(&*self.socket, Shutdown::Both).ok();
        lock(&self.process).wait().ok();
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.close();
    }
}

fn invisible() -> io::Error {
    io::Error::other("/proc does not show the processes of the jail")
}

/// Hears all answers on a thread: those to requests go to who asked, ends to who waits.
fn listen(socket: &Arc<OwnedFd>, waiters: &Waiters) -> io::Result<Receiver<JailReply>> {
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
