//! The packets of the ADB protocol: a header of six little-endian words and a
//! payload. Reference: AOSP `packages/modules/adb/protocol.txt`.

use std::io::{self, Read, Write};

/// Command of a packet: the first word of its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum PacketCommand {
    /// Connects: version, largest payload, banner.
    Connect = u32::from_le_bytes(*b"CNXN"),
    /// A challenge, or its answer: a signature, or a public key.
    Auth = u32::from_le_bytes(*b"AUTH"),
    /// Opens a stream to a service.
    Open = u32::from_le_bytes(*b"OPEN"),
    /// The stream is ready for the next write.
    Okay = u32::from_le_bytes(*b"OKAY"),
    /// Data of a stream.
    Write = u32::from_le_bytes(*b"WRTE"),
    /// The stream is closed.
    Close = u32::from_le_bytes(*b"CLSE"),
}

impl PacketCommand {
    /// Command of a header's first word; `None` for an unknown one.
    fn from_word(word: u32) -> Option<Self> {
        [Self::Connect, Self::Auth, Self::Open, Self::Okay, Self::Write, Self::Close]
            .into_iter()
            .find(|command| *command as u32 == word)
    }
}

/// ADB packet: command, two arguments and payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AdbPacket {
    pub command: PacketCommand,
    /// The sender's stream number, or the version in CONNECT.
    pub arg0: u32,
    /// The receiver's stream number, or the largest payload in CONNECT.
    pub arg1: u32,
    pub payload: Vec<u8>,
}

/// Largest payload of any peer in bytes: AOSP's own limit.
pub(super) const PAYLOAD_MAX: usize = 1024 * 1024;

/// Sum of all payload bytes, which peers of version 0x01000000 verify.
fn checksum(payload: &[u8]) -> u32 {
    payload.iter().fold(0u32, |sum, byte| sum.wrapping_add(u32::from(*byte)))
}

impl AdbPacket {
    /// Writes header and payload with a real checksum, whatever the version.
    pub(super) fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        let command = self.command as u32;
        let length = u32::try_from(self.payload.len()).map_err(io::Error::other)?;
        let words =
            [command, self.arg0, self.arg1, length, checksum(&self.payload), command ^ u32::MAX];
        let mut bytes = Vec::with_capacity(24 + self.payload.len());
        words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        bytes.extend_from_slice(&self.payload);
        out.write_all(&bytes)
    }

    /// Reads the next packet with a known command and skips others (STLS). Fails on a payload of
    /// more than `payload_max` bytes.
    pub(super) fn read_from(input: &mut impl Read, payload_max: usize) -> io::Result<Self> {
        loop {
            let mut header = [0u8; 24];
            input.read_exact(&mut header)?;
            let mut words = header.chunks_exact(4).map(le_word);
            let [word, arg0, arg1, length, _checksum, magic] =
                std::array::from_fn(|_| words.next().unwrap_or_default());
            let length = length as usize;
            if magic != word ^ u32::MAX || length > payload_max {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "not an ADB packet"));
            }
            let mut payload = vec![0; length];
            input.read_exact(&mut payload)?;
            if let Some(command) = PacketCommand::from_word(word) {
                return Ok(Self { command, arg0, arg1, payload });
            }
        }
    }
}

/// First four bytes as a little-endian number.
fn le_word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_survives_the_wire() {
        let packet = AdbPacket {
            command: PacketCommand::Write,
            arg0: 7,
            arg1: 9,
            payload: b"\xff\x01ab".to_vec(),
        };
        let mut wire = Vec::new();
        packet.write_to(&mut wire).unwrap();
        assert_eq!(&wire[..4], b"WRTE");
        assert_eq!(wire[16..20], (0xff_u32 + 1 + 97 + 98).to_le_bytes());
        assert_eq!(AdbPacket::read_from(&mut wire.as_slice(), PAYLOAD_MAX).unwrap(), packet);
    }

    proptest::proptest! {
        /// Whatever a stranger sends, it is a packet that is no longer than allowed, or an error.
        #[test]
        fn any_bytes_are_a_packet_or_an_error(
            noise in proptest::collection::vec(proptest::num::u8::ANY, 0..200),
            command in 0..7usize,
            length in 0..100u32,
        ) {
            let commands = [b"CNXN", b"AUTH", b"OPEN", b"OKAY", b"WRTE", b"CLSE", b"STLS"];
            let word = u32::from_le_bytes(*commands[command]);
            let words = [word, 1, 2, length, 0, word ^ u32::MAX];
            let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            bytes.extend(&noise);
            for mut wire in [noise.as_slice(), bytes.as_slice()] {
                while let Ok(packet) = AdbPacket::read_from(&mut wire, 64) {
                    proptest::prop_assert!(packet.payload.len() <= 64);
                }
            }
        }
    }

    #[test]
    fn noise_is_an_error_and_unknown_commands_are_passed_over() {
        assert!(AdbPacket::read_from(&mut [7u8; 64].as_slice(), PAYLOAD_MAX).is_err());
        let tls = u32::from_le_bytes(*b"STLS");
        let mut wire = Vec::new();
        for word in [tls, 1, 0, 2, 0, tls ^ u32::MAX] {
            wire.extend_from_slice(&word.to_le_bytes());
        }
        wire.extend_from_slice(b"xx");
        let close =
            AdbPacket { command: PacketCommand::Close, arg0: 1, arg1: 2, payload: Vec::new() };
        close.write_to(&mut wire).unwrap();
        assert!(
            AdbPacket::read_from(&mut wire.as_slice(), 1).is_err(),
            "a longer one than it may be"
        );
        assert_eq!(AdbPacket::read_from(&mut wire.as_slice(), PAYLOAD_MAX).unwrap(), close);
    }
}
