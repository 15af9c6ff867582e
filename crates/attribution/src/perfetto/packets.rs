//! The packets of a trace one after the other, those that are compressed in bundles
//! included: `compressed_packets` (deflate) and `zstd_compressed_packets` (Perfetto 58 and
//! later) each hold packets, and never a bundle.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::read::ZlibDecoder;

use super::fields::{FieldValue, fields};
use super::framing::{PacketRead, Packets};
use crate::unpacked::{unpacked, zstd_reader};

/// Fields of a packet that hold compressed ones.
const DEFLATE: u32 = 50;
const ZSTD: u32 = 133;

/// What [`PacketSource::next`] found.
#[derive(Debug, PartialEq)]
pub(crate) enum SourceRead {
    /// A packet that is no bundle is in the buffer.
    Packet,
    /// What is left of a bundle, or the bundle itself, can't be read; the file goes on.
    Unreadable,
    /// The end of the file, between two packets.
    End,
    /// The file ends or is damaged inside a packet; says how.
    Truncated(String),
}

/// Reads the packets of a trace.
pub(crate) struct PacketSource {
    file: Packets<Box<dyn BufRead>>,
    bundle: Option<Packets<Box<dyn BufRead>>>,
}

impl PacketSource {
    /// Starts to read a trace, unpacked if it is gzip or zstd as a whole.
    pub fn new(input: impl Read + 'static) -> io::Result<Self> {
        Ok(Self { file: Packets::new(unpacked(input)?), bundle: None })
    }

    /// The next packet, into `packet`.
    pub fn next(&mut self, packet: &mut Vec<u8>) -> io::Result<SourceRead> {
        loop {
            if let Some(bundle) = &mut self.bundle {
                match bundle.next(packet)? {
                    PacketRead::Packet if bundled(packet).is_some() => {
                        return Ok(SourceRead::Unreadable);
                    }
                    PacketRead::Packet => return Ok(SourceRead::Packet),
                    PacketRead::End => self.bundle = None,
                    PacketRead::Truncated(_) => {
                        self.bundle = None;
                        return Ok(SourceRead::Unreadable);
                    }
                }
                continue;
            }
            match self.file.next(packet)? {
                PacketRead::Packet => match bundled(packet) {
                    Some(plain) => self.bundle = Some(Packets::new(plain?)),
                    None => return Ok(SourceRead::Packet),
                },
                PacketRead::End => return Ok(SourceRead::End),
                PacketRead::Truncated(how) => return Ok(SourceRead::Truncated(how)),
            }
        }
    }
}

/// The packets in a packet, if it is a bundle.
fn bundled(packet: &[u8]) -> Option<io::Result<Box<dyn BufRead>>> {
    fields(packet).find_map(|(number, value)| match (number, value) {
        (DEFLATE, FieldValue::Bytes(bytes)) => {
            let plain = ZlibDecoder::new(Cursor::new(bytes.to_vec()));
            Some(Ok(Box::new(BufReader::new(plain)) as Box<dyn BufRead>))
        }
        (ZSTD, FieldValue::Bytes(bytes)) => {
            let plain = zstd_reader(Cursor::new(bytes.to_vec()));
            Some(plain.map(|plain| Box::new(BufReader::new(plain)) as Box<dyn BufRead>))
        }
        _ => None,
    })
}
