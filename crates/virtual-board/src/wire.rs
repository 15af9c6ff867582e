//! What the board's commands and the board say to each other on the board's socket:
//! a request of words, then frames of output until the exit code.

use std::io::{self, Read, Write};

/// The socket inside the root.
pub(super) const SOCKET: &str = "/dev/socket/board";
/// The environment variable that names it on the board.
pub(super) const SOCKET_VARIABLE: &str = "WATTLINE_BOARD_SOCKET";

/// More than any command line of the board.
const REQUEST_MAX: u32 = 1024 * 1024;
const FRAME_MAX: u32 = 256 * 1024 * 1024;

/// A part of the board's answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReplyFrame {
    /// For standard output.
    Output(Vec<u8>),
    /// For standard error.
    Error(Vec<u8>),
    /// The command is over.
    Exit(u8),
    /// The command is to wait until it is asked to stop, and then to say so by a byte.
    Await,
}

impl ReplyFrame {
    pub(super) fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        let (kind, bytes) = match self {
            Self::Output(bytes) => (1, bytes.as_slice()),
            Self::Error(bytes) => (2, bytes.as_slice()),
            Self::Exit(code) => (3, std::slice::from_ref(code)),
            Self::Await => (4, [].as_slice()),
        };
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        let mut frame = vec![kind];
        frame.extend_from_slice(&length.to_le_bytes());
        frame.extend_from_slice(bytes);
        out.write_all(&frame)
    }

    pub(super) fn read_from(input: &mut impl Read) -> io::Result<Self> {
        let mut kind = [0];
        input.read_exact(&mut kind)?;
        let bytes = read_block(input, FRAME_MAX)?;
        match (kind[0], bytes.first()) {
            (1, _) => Ok(Self::Output(bytes)),
            (2, _) => Ok(Self::Error(bytes)),
            (3, Some(code)) => Ok(Self::Exit(*code)),
            (4, _) => Ok(Self::Await),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// Writes a command's words: its name, its arguments.
pub(super) fn write_request(out: &mut impl Write, words: &[Vec<u8>]) -> io::Result<()> {
    let joined = words.join(&0);
    let length = u32::try_from(joined.len()).map_err(io::Error::other)?;
    out.write_all(&[length.to_le_bytes().as_slice(), &joined].concat())
}

/// A command that was called on the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandRequest {
    /// The command's own process number on the host, as the kernel tells it.
    pub pid: u32,
    /// The process number of the shell that called it.
    pub parent: u32,
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl CommandRequest {
    /// Reads what a command of this process number says.
    pub(super) fn read_from(input: &mut impl Read, (pid, parent): (u32, u32)) -> io::Result<Self> {
        let bytes = read_block(input, REQUEST_MAX)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut words = text.split('\0').map(str::to_owned);
        let name = words.next().unwrap_or_default();
        Ok(Self { pid, parent, name, arguments: words.collect() })
    }
}

fn read_block(input: &mut impl Read, max: u32) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > max {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = vec![0; length as usize];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_frames_survive_the_socket() {
        let words = ["log", "-t", "", "a b"].map(|word| word.as_bytes().to_vec());
        let mut bytes = Vec::new();
        write_request(&mut bytes, &words).unwrap();
        let request = CommandRequest::read_from(&mut bytes.as_slice(), (12, 7)).unwrap();
        let arguments = vec!["-t".to_owned(), String::new(), "a b".to_owned()];
        assert_eq!(request, CommandRequest { pid: 12, parent: 7, name: "log".into(), arguments });
        for frame in [
            ReplyFrame::Output(b"x".to_vec()),
            ReplyFrame::Error(vec![]),
            ReplyFrame::Exit(3),
            ReplyFrame::Await,
        ] {
            let mut bytes = Vec::new();
            frame.write_to(&mut bytes).unwrap();
            assert_eq!(ReplyFrame::read_from(&mut bytes.as_slice()).unwrap(), frame);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_a_request_or_an_error(
            bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..100),
        ) {
            CommandRequest::read_from(&mut bytes.as_slice(), (1, 1)).ok();
            ReplyFrame::read_from(&mut bytes.as_slice()).ok();
        }
    }

    #[test]
    fn noise_is_an_error() {
        assert!(CommandRequest::read_from(&mut [255u8; 9].as_slice(), (1, 1)).is_err());
        assert!(ReplyFrame::read_from(&mut [9u8, 0, 0, 0, 0].as_slice()).is_err());
    }
}
