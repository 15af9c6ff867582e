//! What the board and the first process of its jail say to each other: on a socket that keeps
//! messages apart, in the order in which they are sent.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

/// Longer than any script that can be an argument of a program.
const MESSAGE_MAX: usize = 132 * 1024;

/// Ends of pipes that go with a request.
const ENDS: usize = 3;

/// What the board asks for.
#[derive(Debug)]
pub(super) enum JailRequest {
    /// A shell for a script, with its input and outputs.
    Run { script: String, ends: [OwnedFd; ENDS] },
    /// The last shell is known: its end may be told.
    Known,
}

/// What the first process answers.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum JailReply {
    /// It is confined and serves.
    Ready,
    /// It is not, or a shell can't be started, and why.
    Failed(String),
    /// A shell runs, by this number in the jail.
    Started(u32),
    /// A process has ended with an exit code, or 128 and the signal that ended it.
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

    /// The next answer; none when the other end is gone.
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
    pub(super) fn run(socket: impl AsFd, script: &str, ends: &[OwnedFd; ENDS]) -> io::Result<()> {
        if script.len() >= MESSAGE_MAX {
            return Err(io::ErrorKind::ArgumentListTooLong.into());
        }
        send(socket, &[b"R", script.as_bytes()].concat(), &ends.each_ref().map(AsFd::as_fd))
    }

    pub(super) fn known(socket: impl AsFd) -> io::Result<()> {
        send(socket, b"K", &[])
    }

    /// The next request; none when the board is gone.
    pub(super) fn receive(socket: impl AsFd) -> io::Result<Option<Self>> {
        let (bytes, ends) = receive(socket)?;
        match (bytes.split_first(), <[OwnedFd; ENDS]>::try_from(ends)) {
            (None, _) => Ok(None),
            (Some((b'R', script)), Ok(ends)) => {
                let script = String::from_utf8_lossy(script).into_owned();
                Ok(Some(Self::Run { script, ends }))
            }
            (Some((b'K', [])), _) => Ok(Some(Self::Known)),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

fn send(socket: impl AsFd, bytes: &[u8], ends: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(ENDS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !ends.is_empty() && !control.push(SendAncillaryMessage::ScmRights(ends)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

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
        JailRequest::run(&board, "echo", &ends).unwrap();
        drop(ends);
        JailRequest::known(&board).unwrap();
        let Some(JailRequest::Run { script, ends }) = JailRequest::receive(&init).unwrap() else {
            panic!("a request to run")
        };
        assert_eq!(script, "echo");
        std::fs::File::from(ends.into_iter().next().unwrap()).write_all(b"x").unwrap();
        let mut text = String::new();
        read.read_to_string(&mut text).unwrap();
        assert_eq!(text, "x");
        assert!(matches!(JailRequest::receive(&init).unwrap(), Some(JailRequest::Known)));
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
