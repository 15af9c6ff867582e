//! Messages between the board's commands and the board on the board's socket: a request of words,
//! then frames of output until the exit code.

use std::io::{self, Read, Write};

/// Path of the socket inside the root.
pub(super) const SOCKET: &str = "/dev/socket/board";
/// Environment variable of the board's shells with the path of the socket.
pub(super) const SOCKET_VARIABLE: &str = "WATTLINE_BOARD_SOCKET";

/// Size limits in bytes of a request and of a frame.
const REQUEST_MAX: u32 = 1024 * 1024;
const FRAME_MAX: u32 = 256 * 1024 * 1024;

/// Frame of the board's reply to a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReplyFrame {
    /// Bytes for standard output.
    Output(Vec<u8>),
    /// Bytes for standard error.
    Error(Vec<u8>),
    /// Exit code; the command is over.
    Exit(u8),
    /// Instruction to wait until a stop is requested, and then to send a byte.
    AwaitStop,
}

impl ReplyFrame {
    /// Writes the frame: a byte for its kind, then the data after their length.
    pub(super) fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        let (kind, bytes) = match self {
            Self::Output(bytes) => (1, bytes.as_slice()),
            Self::Error(bytes) => (2, bytes.as_slice()),
            Self::Exit(code) => (3, std::slice::from_ref(code)),
            Self::AwaitStop => (4, [].as_slice()),
        };
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        let mut frame = vec![kind];
        frame.extend_from_slice(&length.to_le_bytes());
        frame.extend_from_slice(bytes);
        out.write_all(&frame)
    }

    /// Reads the next frame.
    pub(super) fn read_from(input: &mut impl Read) -> io::Result<Self> {
        let mut kind = [0];
        input.read_exact(&mut kind)?;
        let bytes = read_block(input, FRAME_MAX)?;
        match (kind[0], bytes.first()) {
            (1, _) => Ok(Self::Output(bytes)),
            (2, _) => Ok(Self::Error(bytes)),
            (3, Some(code)) => Ok(Self::Exit(*code)),
            (4, _) => Ok(Self::AwaitStop),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// Writes a request: the command's name and its arguments.
pub(super) fn write_request(out: &mut impl Write, words: &[Vec<u8>]) -> io::Result<()> {
    let joined = words.join(&0);
    let length = u32::try_from(joined.len()).map_err(io::Error::other)?;
    out.write_all(&[length.to_le_bytes().as_slice(), &joined].concat())
}

/// Command that was called on the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandRequest {
    /// Process number of the command on the host, as the kernel reports it.
    pub pid: u32,
    /// Process number of the calling shell.
    pub parent: u32,
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl CommandRequest {
    /// Reads the request of a command with this process number and parent.
    pub(super) fn read_from(input: &mut impl Read, (pid, parent): (u32, u32)) -> io::Result<Self> {
        let bytes = read_block(input, REQUEST_MAX)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut words = text.split('\0').map(str::to_owned);
        let name = words.next().unwrap_or_default();
        Ok(Self { pid, parent, name, arguments: words.collect() })
    }
}

/// Reads a block after its length of 4 bytes; an error if it is longer than `max`.
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
            ReplyFrame::AwaitStop,
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
