//! The messages of an Arrow stream, each with all its bytes: a message states how long it and
//! its buffers are, and the decoder reserves what it states.

use std::io::{self, ErrorKind, Read};

use arrow_buffer::Buffer;
use arrow_ipc::{CompressionType, RecordBatch, root_as_message};
use arrow_schema::ArrowError;
use lz4_flex::frame::FrameDecoder;
use wattline_units::limits::{ARROW_MESSAGE_BYTES, LimitExceeded};

/// Bytes before the length of a message, but in streams of 2019 and before.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// Descriptions of batches have some bytes for each column.
const DESCRIPTION_BYTES_MAX: u64 = 256 << 20;
/// The number in front of a packed buffer that is not packed.
const NOT_PACKED: i64 = -1;

/// Message of an Arrow stream: its description and its buffers.
pub(super) struct ArrowMessage {
    /// Description, with its length before it.
    pub head: Buffer,
    /// Buffers, and the beginning of what may follow: without it the decoder would wait where there
    /// are none.
    pub body: Buffer,
}

/// Reader of the messages of an Arrow stream.
pub(super) struct ArrowMessages<R> {
    input: R,
    /// Bytes of dictionaries that are added to others, all of which are held.
    added: u64,
}

impl<R: Read> ArrowMessages<R> {
    pub fn new(input: R) -> Self {
        Self { input, added: 0 }
    }

    /// The next message; `None` at the end of the stream.
    ///
    /// # Errors
    /// The stream ends within it, it is damaged, or states more bytes than the limit.
    pub fn next(&mut self) -> Result<Option<ArrowMessage>, ArrowError> {
        let Some(mut length) = self.start()? else { return Ok(None) };
        if length == CONTINUATION {
            self.input.read_exact(&mut length)?;
        }
        let mut head = length.to_vec();
        let stated = u64::try_from(i32::from_le_bytes(length));
        let stated = stated.ok().filter(|length| *length <= DESCRIPTION_BYTES_MAX);
        let length = stated.ok_or_else(|| damage_error("no length of a description"))?;
        if length == 0 {
            return Ok(None);
        }
        self.append(length, &mut head)?;
        let description = &head[CONTINUATION.len()..];
        let mut body = Vec::new();
        self.append(body_length(description)?, &mut body)?;
        self.check(description, &body)?;
        body.extend(CONTINUATION);
        Ok(Some(ArrowMessage { head: Buffer::from_vec(head), body: Buffer::from_vec(body) }))
    }

    /// Reads four bytes; `None` at the end of the stream.
    fn start(&mut self) -> io::Result<Option<[u8; 4]>> {
        let mut start = [0; 4];
        match self.input.read_exact(&mut start) {
            Ok(()) => Ok(Some(start)),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Appends bytes of the input; memory grows with the bytes that come, whatever was stated.
    fn append(&mut self, length: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        let read = self.input.by_ref().take(length).read_to_end(bytes)? as u64;
        if read < length { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// Refuses a message whose buffers are larger, unpacked, than the limit.
    fn check(&mut self, description: &[u8], body: &[u8]) -> Result<(), ArrowError> {
        let message = root_as_message(description).map_err(|_| damage_error("no message"))?;
        if let Some(batch) = message.header_as_record_batch() {
            unpacked_bytes(batch, body)?;
        }
        if let Some(dictionary) = message.header_as_dictionary_batch()
            && let Some(values) = dictionary.data()
        {
            let bytes = unpacked_bytes(values, body)?;
            if dictionary.isDelta() {
                self.added = self.added.saturating_add(bytes);
                ARROW_MESSAGE_BYTES.check(self.added).map_err(too_large)?;
            }
        }
        Ok(())
    }
}

fn body_length(description: &[u8]) -> Result<u64, ArrowError> {
    let message = root_as_message(description).map_err(|_| damage_error("no message"))?;
    let length = u64::try_from(message.bodyLength());
    let length = length.map_err(|_| damage_error("a batch states a length below zero"))?;
    ARROW_MESSAGE_BYTES.check(length).map_err(too_large)?;
    Ok(length)
}

fn damage_error(what: &str) -> ArrowError {
    ArrowError::IpcError(what.to_owned())
}

fn too_large(exceeded: LimitExceeded) -> ArrowError {
    let message = format!("{exceeded}; send smaller batches");
    ArrowError::IpcError(message)
}

/// Returns the unpacked bytes of all buffers of a batch; each is within the body, and all are
/// within the limit.
fn unpacked_bytes(batch: RecordBatch<'_>, body: &[u8]) -> Result<u64, ArrowError> {
    let codec = batch.compression().map(|compression| compression.codec());
    let mut all = 0_u64;
    for buffer in batch.buffers().iter().flatten() {
        let piece =
            usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let piece = piece.and_then(|(from, length)| body.get(from..from.checked_add(length)?));
        let piece = piece.ok_or_else(|| damage_error("a buffer lies outside of its batch"))?;
        let stated = piece.first_chunk().map(|length| i64::from_le_bytes(*length));
        let stated = stated.filter(|stated| codec.is_some() && *stated != NOT_PACKED);
        let bytes = match stated {
            Some(stated) => {
                u64::try_from(stated).map_err(|_| damage_error("a length below zero"))?
            }
            None => piece.len() as u64,
        };
        all = all.saturating_add(bytes);
        ARROW_MESSAGE_BYTES.check(all).map_err(too_large)?;
        if stated.is_some() && codec == Some(CompressionType::LZ4_FRAME) {
            check_lz4(&piece[size_of::<i64>()..], bytes)?;
        }
    }
    Ok(all)
}

/// Refuses a buffer that unpacks to more than it states: the decoder holds all that comes, and
/// compares its length afterwards.
fn check_lz4(packed: &[u8], stated: u64) -> Result<(), ArrowError> {
    let mut unpacked = FrameDecoder::new(packed).take(stated.saturating_add(1));
    let bytes = io::copy(&mut unpacked, &mut io::sink())?;
    match bytes > stated {
        true => Err(damage_error("a buffer unpacks to more than it states")),
        false => Ok(()),
    }
}
