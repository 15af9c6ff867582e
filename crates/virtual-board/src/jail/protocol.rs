//! Messages between the board and the first process of its jail, on a socket that keeps messages
//! apart and in order.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

/// Size limit of a message in bytes, larger than any script that can be an argument of a program.
const MESSAGE_MAX: usize = 132 * 1024;

/// Number of pipe ends in a request.
const ENDS: usize = 3;

/// Request of the board to the first process.
#[derive(Debug)]
pub(super) enum JailRequest {
    /// Start of a shell for a script, with pipe ends for its input and outputs.
    Run { script: String, ends: [OwnedFd; ENDS] },
    /// Notice that the board has found the last shell's process, whose end may be reported from now
    /// on.
    ShellFound,
}

/// Message of the first process to the board.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum JailReply {
    /// The process is confined and serves requests.
    Ready,
    /// The process cannot be confined, or a shell cannot be started, with the reason.
    Failed(String),
    /// A shell has started, with its number in the jail.
    Started(u32),
    /// A process (number in the jail) has ended with an exit code, or 128 and the signal that ended
    /// it.
    Ended(u32, u8),
}

impl JailReply {
    pub(super) fn send(&self, socket: impl AsFd) -> io::Result<()> {
        let text = match self {
            Self::Ready => "ready".to_owned(),
            Self::Failed(reason) => format!("failed {reason}"),
            Self::Started(pid) => format!("started {pid}"),
            Self::Ended(pid, code) => format!("ended {pid} {code}"),
        };
        send(socket, text.as_bytes(), &[])
    }

    /// Receives the next message; `None` when the first process is gone.
    pub(super) fn receive(socket: impl AsFd) -> io::Result<Option<Self>> {
        let (bytes, _) = receive(socket)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&bytes);
        Self::parse(&text).map(Some).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    fn parse(text: &str) -> Option<Self> {
        match text.split_once(' ').unwrap_or((text, "")) {
            ("ready", "") => Some(Self::Ready),
            ("failed", reason) => Some(Self::Failed(reason.to_owned())),
            ("started", pid) => Some(Self::Started(pid.parse().ok()?)),
            ("ended", rest) => {
                let (pid, code) = rest.split_once(' ')?;
                Some(Self::Ended(pid.parse().ok()?, code.parse().ok()?))
            }
            _ => None,
        }
    }
}

impl JailRequest {
    /// Sends the request for a shell.
    pub(super) fn send_run(
        socket: impl AsFd,
        script: &str,
        ends: &[OwnedFd; ENDS],
    ) -> io::Result<()> {
        if script.len() >= MESSAGE_MAX {
            return Err(io::ErrorKind::ArgumentListTooLong.into());
        }
        send(socket, &[b"R", script.as_bytes()].concat(), &ends.each_ref().map(AsFd::as_fd))
    }

    /// Sends the notice that the last shell's process was found.
    pub(super) fn send_shell_found(socket: impl AsFd) -> io::Result<()> {
        send(socket, b"K", &[])
    }

    /// Receives the next request; `None` when the board is gone.
    pub(super) fn receive(socket: impl AsFd) -> io::Result<Option<Self>> {
        let (bytes, ends) = receive(socket)?;
        match (bytes.split_first(), <[OwnedFd; ENDS]>::try_from(ends)) {
            (None, _) => Ok(None),
            (Some((b'R', script)), Ok(ends)) => {
                let script = String::from_utf8_lossy(script).into_owned();
                Ok(Some(Self::Run { script, ends }))
            }
            (Some((b'K', [])), _) => Ok(Some(Self::ShellFound)),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// Sends a message with pipe ends.
fn send(socket: impl AsFd, bytes: &[u8], ends: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(ENDS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !ends.is_empty() && !control.push(SendAncillaryMessage::ScmRights(ends)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives a message with its pipe ends; empty when the peer is gone.
fn receive(socket: impl AsFd) -> io::Result<(Vec<u8>, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(ENDS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut bytes = vec![0; MESSAGE_MAX];
    let flags = RecvFlags::CMSG_CLOEXEC;
    let received = rustix::io::retry_on_intr(|| {
        recvmsg(&socket, &mut [IoSliceMut::new(&mut bytes)], &mut control, flags)
    })?;
    bytes.truncate(received.bytes);
    let messages = control.drain();
    let ends = messages.flat_map(|message| match message {
        RecvAncillaryMessage::ScmRights(ends) => ends.collect(),
        _ => Vec::new(),
    });
    Ok((bytes, ends.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    use std::io::{Read, Write};

    #[test]
    fn messages_and_ends_of_pipes_arrive() {
        let (board, init) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
                .unwrap();
        let (mut read, write) = io::pipe().unwrap();
        let ends =
            [write.try_clone().unwrap().into(), write.try_clone().unwrap().into(), write.into()];
        JailRequest::send_run(&board, "echo", &ends).unwrap();
        drop(ends);
        JailRequest::send_shell_found(&board).unwrap();
        let Some(JailRequest::Run { script, ends }) = JailRequest::receive(&init).unwrap() else {
            panic!("a request to run")
        };
        assert_eq!(script, "echo");
        std::fs::File::from(ends.into_iter().next().unwrap()).write_all(b"x").unwrap();
        let mut text = String::new();
        read.read_to_string(&mut text).unwrap();
        assert_eq!(text, "x");
        assert!(matches!(JailRequest::receive(&init).unwrap(), Some(JailRequest::ShellFound)));
        for answer in [
            JailReply::Ready,
            JailReply::Failed("no such thing".into()),
            JailReply::Started(7),
            JailReply::Ended(7, 137),
        ] {
            answer.send(&init).unwrap();
            assert_eq!(JailReply::receive(&board).unwrap(), Some(answer));
        }
        drop(init);
        assert_eq!(JailReply::receive(&board).unwrap(), None);
    }
}
