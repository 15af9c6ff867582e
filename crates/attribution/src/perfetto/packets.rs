//! The packets of a trace one after the other, those that are compressed in bundles
//! included: `compressed_packets` (deflate) and `zstd_compressed_packets` (Perfetto 58 and
//! later) each hold packets, and never a bundle.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::read::ZlibDecoder;

use super::fields::{FieldValue, message_fields};
use super::framing::{FramedPacket, PacketReader};
use crate::unpacking::{unpack_log, zstd_reader};

/// Fields of a packet that contain compressed packets.
const DEFLATE_FIELD: u32 = 50;
const ZSTD_FIELD: u32 = 133;

/// Outcome of [`PacketSource::next`].
#[derive(Debug, PartialEq)]
pub(crate) enum SourcePacket {
    /// A packet that is no bundle is in the buffer.
    Packet,
    /// What is left of a bundle, or the bundle itself, can't be read; the file goes on.
    Unreadable,
    /// The end of the file, between two packets.
    End,
    /// The file ends or is damaged inside a packet; says how.
    Truncated(String),
}

/// Reader of a trace's packets, also of those in compressed bundles.
pub(crate) struct PacketSource {
    file: PacketReader<Box<dyn BufRead>>,
    bundle: Option<PacketReader<Box<dyn BufRead>>>,
}

impl PacketSource {
    /// Starts to read a trace, which may be packed as gzip or zstd.
    pub fn new(input: impl Read + 'static) -> io::Result<Self> {
        Ok(Self { file: PacketReader::new(unpack_log(input)?), bundle: None })
    }

    /// Reads the next packet into `packet`.
    pub fn next(&mut self, packet: &mut Vec<u8>) -> io::Result<SourcePacket> {
        loop {
            if let Some(bundle) = &mut self.bundle {
                match bundle.next(packet)? {
                    FramedPacket::Packet if unpack_bundle(packet).is_some() => {
                        return Ok(SourcePacket::Unreadable);
                    }
                    FramedPacket::Packet => return Ok(SourcePacket::Packet),
                    FramedPacket::End => self.bundle = None,
                    FramedPacket::Truncated(_) => {
                        self.bundle = None;
                        return Ok(SourcePacket::Unreadable);
                    }
                }
                continue;
            }
            match self.file.next(packet)? {
                FramedPacket::Packet => match unpack_bundle(packet) {
                    Some(plain) => self.bundle = Some(PacketReader::new(plain?)),
                    None => return Ok(SourcePacket::Packet),
                },
                FramedPacket::End => return Ok(SourcePacket::End),
                FramedPacket::Truncated(how) => return Ok(SourcePacket::Truncated(how)),
            }
        }
    }
}

/// Returns a reader of the packets in a packet, if it is a bundle.
fn unpack_bundle(packet: &[u8]) -> Option<io::Result<Box<dyn BufRead>>> {
    message_fields(packet).find_map(|(number, value)| match (number, value) {
        (DEFLATE_FIELD, FieldValue::Bytes(bytes)) => {
            let plain = ZlibDecoder::new(Cursor::new(bytes.to_vec()));
            Some(Ok(Box::new(BufReader::new(plain)) as Box<dyn BufRead>))
        }
        (ZSTD_FIELD, FieldValue::Bytes(bytes)) => {
            let plain = zstd_reader(Cursor::new(bytes.to_vec()));
            Some(plain.map(|plain| Box::new(BufReader::new(plain)) as Box<dyn BufRead>))
        }
        _ => None,
    })
}
