//! The bytes of a trace file, cut into packets: field 1 of the message `Trace`, one after
//! the other. Never more than one packet is held.

use std::io::{self, BufRead, ErrorKind, Read};

use wattline_units::limits::TRACE_PACKET_BYTES;

/// Outcome of [`PacketReader::next`].
#[derive(Debug, PartialEq)]
pub(crate) enum FramedPacket {
    /// A whole packet is in the buffer.
    Packet,
    /// The end of the file, between two packets.
    End,
    /// The file ends or is damaged inside a packet; says how.
    Truncated(String),
}

/// Reader of a trace's packets from its bytes.
pub struct PacketReader<R> {
    input: R,
    /// Bytes read, after decompression.
    offset: u64,
}

impl<R: BufRead> PacketReader<R> {
    pub fn new(input: R) -> Self {
        Self { input, offset: 0 }
    }

    /// Reads the next packet into `packet`.
    pub fn next(&mut self, packet: &mut Vec<u8>) -> io::Result<FramedPacket> {
        let start = self.offset;
        match self.read_frame(packet) {
            Ok(frame) => Ok(frame),
            // Packed data that stop or don't check out come as errors of the input.
            Err(error) if is_damage(&error) => {
                let what = format!("the trace ends or is damaged in the packet at byte {start}");
                Ok(FramedPacket::Truncated(format!("{what} ({error})")))
            }
            Err(error) => Err(error),
        }
    }

    fn read_frame(&mut self, packet: &mut Vec<u8>) -> io::Result<FramedPacket> {
        loop {
            if self.input.fill_buf()?.is_empty() {
                return Ok(FramedPacket::End);
            }
            let tag = self.read_varint()?;
            match (tag >> 3, tag & 7) {
                (1, 2) => {
                    let length = self.read_varint()?;
                    // A longer one is damage, not a packet.
                    TRACE_PACKET_BYTES
                        .check(length)
                        .map_err(|error| damage_error(&error.to_string()))?;
                    packet.clear();
                    let read = self.input.by_ref().take(length).read_to_end(packet)? as u64;
                    self.offset += read;
                    if read < length {
                        return Err(ErrorKind::UnexpectedEof.into());
                    }
                    return Ok(FramedPacket::Packet);
                }
                (0, _) => return Err(damage_error("field number 0")),
                (_, 0) => drop(self.read_varint()?),
                (_, 1) => self.skip_bytes(8)?,
                (_, 2) => {
                    let length = self.read_varint()?;
                    self.skip_bytes(length)?;
                }
                (_, 5) => self.skip_bytes(4)?,
                (_, wire) => return Err(damage_error(&format!("wire type {wire}"))),
            }
        }
    }

    fn skip_bytes(&mut self, length: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.input.by_ref().take(length), &mut io::sink())?;
        self.offset += skipped;
        if skipped < length { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    fn read_varint(&mut self) -> io::Result<u64> {
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
        Err(damage_error("a number of more than ten bytes"))
    }
}

fn damage_error(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what.to_owned())
}

/// Whether an error means damaged bytes, and not a failure of reading them.
fn is_damage(error: &io::Error) -> bool {
    let kinds = [ErrorKind::UnexpectedEof, ErrorKind::InvalidData, ErrorKind::InvalidInput];
    kinds.contains(&error.kind())
}
