//! The bytes of a trace file, cut into packets: field 1 of the message `Trace`, one after
//! the other. Never more than one packet is held.

use std::io::{self, BufRead, ErrorKind, Read};

use wattline_units::limits::TRACE_PACKET_BYTES;

/// What [`Packets::next`] found.
#[derive(Debug, PartialEq)]
pub(crate) enum PacketRead {
    /// A whole packet is in the buffer.
    Packet,
    /// The end of the file, between two packets.
    End,
    /// The file ends or is damaged inside a packet; says how.
    Truncated(String),
}

/// Reads packets from bytes.
pub struct Packets<R> {
    input: R,
    /// Bytes read, after decompression.
    offset: u64,
}

impl<R: BufRead> Packets<R> {
    pub fn new(input: R) -> Self {
        Self { input, offset: 0 }
    }

    /// The next packet, into `packet`.
    pub fn next(&mut self, packet: &mut Vec<u8>) -> io::Result<PacketRead> {
        let start = self.offset;
        match self.frame(packet) {
            Ok(frame) => Ok(frame),
            // Packed data that stop or don't check out come as errors of the input.
            Err(error) if is_damage(&error) => {
                let what = format!("the trace ends or is damaged in the packet at byte {start}");
                Ok(PacketRead::Truncated(format!("{what} ({error})")))
            }
            Err(error) => Err(error),
        }
    }

    fn frame(&mut self, packet: &mut Vec<u8>) -> io::Result<PacketRead> {
        loop {
            if self.input.fill_buf()?.is_empty() {
                return Ok(PacketRead::End);
            }
            let tag = self.varint()?;
            match (tag >> 3, tag & 7) {
                (1, 2) => {
                    let length = self.varint()?;
                    // A longer one is damage, not a packet.
                    TRACE_PACKET_BYTES.check(length).map_err(|error| damage(&error.to_string()))?;
                    packet.clear();
                    let read = self.input.by_ref().take(length).read_to_end(packet)? as u64;
                    self.offset += read;
                    if read < length {
                        return Err(ErrorKind::UnexpectedEof.into());
                    }
                    return Ok(PacketRead::Packet);
                }
                (0, _) => return Err(damage("field number 0")),
                (_, 0) => drop(self.varint()?),
                (_, 1) => self.skip(8)?,
                (_, 2) => {
                    let length = self.varint()?;
                    self.skip(length)?;
                }
                (_, 5) => self.skip(4)?,
                (_, wire) => return Err(damage(&format!("wire type {wire}"))),
            }
        }
    }

    fn skip(&mut self, length: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.input.by_ref().take(length), &mut io::sink())?;
        self.offset += skipped;
        if skipped < length { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    fn varint(&mut self) -> io::Result<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let mut byte = [0];
            self.input.read_exact(&mut byte)?;
            self.offset += 1;
            value |= u64::from(byte[0] & 0x7f) << shift;
            if byte[0] & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(damage("a number of more than ten bytes"))
    }
}

fn damage(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what.to_owned())
}

/// Damage of the bytes, against trouble in reading them.
fn is_damage(error: &io::Error) -> bool {
    let kinds = [ErrorKind::UnexpectedEof, ErrorKind::InvalidData, ErrorKind::InvalidInput];
    kinds.contains(&error.kind())
}
