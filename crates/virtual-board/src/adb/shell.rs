//! Shell services: run a command in the board's root, with its input from the host, its output to
//! the host, and its exit code where the protocol has a place for it.

use std::io::{self, PipeWriter, Read, Write};
use std::sync::Mutex;

use super::stream::ServiceStream;
use crate::shells::{Shell, Shells};

/// Format in which a shell's output is sent to the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShellProtocol {
    /// Packets for standard output, standard error and exit code (`shell_v2`).
    Packets,
    /// Unframed bytes, both outputs in one.
    Raw,
    /// As `Raw`, with `\r
    /// ` line ends.
    Terminal,
}

/// Packet ids of shell protocol 2.
const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const EXIT: u8 = 3;
const CLOSE_STDIN: u8 = 4;

/// Runs a command and copies its input and outputs, until it has ended and no process holds its
/// outputs any more, as adbd does: a background process that keeps them keeps the stream.
pub(super) fn serve(
    command: &str,
    protocol: ShellProtocol,
    stream: &ServiceStream,
    shells: &Shells,
) -> io::Result<()> {
    let (stdout, stdout_end) = io::pipe()?;
    let (stderr, stderr_end) = match protocol {
        ShellProtocol::Packets => io::pipe().map(|(reader, writer)| (Some(reader), writer))?,
        _ => (None, stdout_end.try_clone()?),
    };
    let outputs = [stdout_end.into(), stderr_end.into()];
    let (shell, stdin) = match shells.spawn(command, outputs) {
        Ok(started) => started,
        Err(error) => return stream.write_all(format!("{error}\n").as_bytes()),
    };
    let encoder = ShellEncoder { protocol, stream, order: Mutex::new(()) };
    std::thread::scope(|scope| {
        scope.spawn(|| copy_input(stdin, protocol, stream));
        scope.spawn(|| hang_up_with_host(stream, &shell));
        let waited = scope.spawn(|| shell.wait());
        if let Some(stderr) = stderr {
            let encoder = &encoder;
            let errors = scope.spawn(move || encoder.copy_output(STDERR, stderr));
            encoder.copy_output(STDOUT, stdout);
            errors.join().ok();
        } else {
            encoder.copy_output(STDOUT, stdout);
        }
        let sent = encoder.send_exit_code(waited.join().unwrap_or(255));
        // Ends the feeding thread, which waits for the host.
        stream.close();
        sent
    })
}

/// Hangs the command up when the host closes the stream, as a terminal does. A modern adbd only
/// closes the pipes; but here a command that computes on would keep the board's clock standing.
fn hang_up_with_host(stream: &ServiceStream, shell: &Shell) {
    stream.wait_closed();
    if stream.is_hung_up() {
        shell.hang_up();
    }
}

/// Copies the host's input to the command's standard input.
fn copy_input(stdin: PipeWriter, protocol: ShellProtocol, stream: &ServiceStream) {
    let mut stdin = Some(stdin);
    let mut decoder = ShellDecoder::default();
    while let Some(data) = stream.receive() {
        let chunks = match protocol {
            ShellProtocol::Packets => decoder.decode(&data),
            _ => vec![(STDIN, data)],
        };
        for (id, bytes) in chunks {
            match id {
                // The command may have closed its input: the rest is dropped.
                STDIN if stdin.as_mut().is_some_and(|pipe| pipe.write_all(&bytes).is_err()) => {
                    stdin = None;
                }
                CLOSE_STDIN => stdin = None,
                _ => {}
            }
        }
    }
}

/// Splits the host's bytes into packets of shell protocol 2: id, length (4 bytes, little endian),
/// data.
#[derive(Default)]
struct ShellDecoder {
    pending: Vec<u8>,
}

impl ShellDecoder {
    /// Whole packets (id, data) after some more bytes; an incomplete rest is kept for the next
    /// call.
    fn decode(&mut self, data: &[u8]) -> Vec<(u8, Vec<u8>)> {
        self.pending.extend_from_slice(data);
        let mut packets = Vec::new();
        while let Some((head, body)) = self.pending.split_first_chunk::<5>() {
            let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
            let Some(bytes) = body.get(..length) else { break };
            packets.push((head[0], bytes.to_vec()));
            self.pending.drain(..5 + length);
        }
        packets
    }
}

/// Sends a shell's outputs and exit code in the format of its protocol.
struct ShellEncoder<'a> {
    protocol: ShellProtocol,
    stream: &'a ServiceStream,
    /// Locked while a packet is written, so that packets do not interleave.
    order: Mutex<()>,
}

impl ShellEncoder<'_> {
    /// Copies a pipe to the host until the pipe ends or the host is gone.
    fn copy_output(&self, id: u8, mut pipe: impl Read) {
        let mut buffer = vec![0; 32 * 1024];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            if self.send(id, &buffer[..count]).is_err() {
                return;
            }
        }
    }

    /// Sends bytes of the output `id` in the format of the protocol.
    fn send(&self, id: u8, bytes: &[u8]) -> io::Result<()> {
        let _order = self.order.lock();
        match self.protocol {
            ShellProtocol::Packets => self.stream.write_all(&encode_packet(id, bytes)?),
            ShellProtocol::Raw => self.stream.write_all(bytes),
            ShellProtocol::Terminal => self.stream.write_all(&with_terminal_line_ends(bytes)),
        }
    }

    /// Sends the exit code, where the protocol has a packet for it.
    fn send_exit_code(&self, code: u8) -> io::Result<()> {
        match self.protocol {
            ShellProtocol::Packets => self.send(EXIT, &[code]),
            _ => Ok(()),
        }
    }
}

/// Packet of shell protocol 2: id, length, data.
fn encode_packet(id: u8, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    let mut packet = Vec::with_capacity(5 + bytes.len());
    packet.push(id);
    packet.extend_from_slice(&length.to_le_bytes());
    packet.extend_from_slice(bytes);
    Ok(packet)
}

/// Bytes with `\r
/// ` line ends, as a terminal's output processing writes them.
fn with_terminal_line_ends(bytes: &[u8]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(bytes.len() + bytes.len() / 16);
    for byte in bytes {
        if *byte == b'\n' {
            lines.push(b'\r');
        }
        lines.push(*byte);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_cut_wherever_the_host_splits_them() {
        let bytes =
            [encode_packet(STDIN, b"abc").unwrap(), encode_packet(CLOSE_STDIN, b"").unwrap()]
                .concat();
        for split in 0..bytes.len() {
            let mut decoder = ShellDecoder::default();
            let mut packets = decoder.decode(&bytes[..split]);
            packets.extend(decoder.decode(&bytes[split..]));
            assert_eq!(packets, [(STDIN, b"abc".to_vec()), (CLOSE_STDIN, vec![])]);
        }
    }

    #[test]
    fn a_terminal_ends_lines_with_carriage_returns() {
        assert_eq!(with_terminal_line_ends(b"a\nb\n"), b"a\r\nb\r\n");
    }
}
