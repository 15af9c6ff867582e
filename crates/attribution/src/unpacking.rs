//! The bytes of a log as they were before somebody packed them. gzip and zstd, also one
//! within the other, are told by their first bytes; what is packed by another program is
//! refused by that program's name.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use flate2::bufread::MultiGzDecoder;
use wattline_units::limits::UNPACKED_TRACE_BYTES;

const BUFFER_BYTES: usize = 1 << 16;
/// Largest number of layers of compression, as in `trace.gz.zst`, of a log.
const MOST_LAYERS: usize = 3;

const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Packers whose files are not read: first bytes, name, how to unpack.
const REFUSED_PACKERS: [(&[u8], &str, &str); 5] = [
    (&[0xfd, b'7', b'z', b'X', b'Z', 0], "xz", "xz -d"),
    (b"BZh", "bzip2", "bzip2 -d"),
    (&[0x04, 0x22, 0x4d, 0x18], "lz4", "lz4 -d"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip", "7z x"),
    (b"Rar!\x1a\x07", "RAR", "unrar x"),
];

/// Returns a reader of a log's bytes, decompressed if they are gzip or zstd. This call reads only
/// the first bytes; the returned reader reads the others when asked, so that a log can be followed
/// while it is written.
///
/// # Errors
/// What the input says when its first bytes are read; it is packed by another program, or
/// more than three times.
pub fn unpack_log(input: impl Read + 'static) -> io::Result<Box<dyn BufRead>> {
    let mut input: Box<dyn BufRead> = Box::new(BufReader::with_capacity(BUFFER_BYTES, input));
    for layer in 0..MOST_LAYERS {
        let start = match input.fill_buf() {
            Ok(start) => start,
            // Damaged from the start: it is read like what is damaged later.
            Err(error) if layer > 0 => return Ok(buffer_input(FailedRead(Some(error)))),
            Err(error) => return Err(error),
        };
        if start.starts_with(GZIP_MAGIC) {
            input = buffer_input(MultiGzDecoder::new(input));
        } else if start.starts_with(ZSTD_MAGIC) {
            input = buffer_input(zstd_reader(input)?);
        } else if let Some((_, name, remedy)) = refused_packer(start) {
            let message =
                format!("it is packed by {name}, which is not read; unpack it (`{remedy}`)");
            return Err(io::Error::new(ErrorKind::Unsupported, message));
        } else {
            return Ok(input);
        }
    }
    let message = "it is packed more than three times over, which no program does; unpack it";
    Err(io::Error::new(ErrorKind::InvalidData, message))
}

fn refused_packer(start: &[u8]) -> Option<&'static (&'static [u8], &'static str, &'static str)> {
    REFUSED_PACKERS.iter().find(|(magic, ..)| start.starts_with(magic))
}

fn buffer_input(plain: impl Read + 'static) -> Box<dyn BufRead> {
    Box::new(BufReader::with_capacity(BUFFER_BYTES, UNPACKED_TRACE_BYTES.reader(plain)))
}

/// Returns a reader of decompressed zstd; damage is an error of [`ErrorKind::InvalidData`], as with
/// other decoders.
///
/// # Errors
/// The system has no memory for the decoder.
pub(crate) fn zstd_reader(input: impl BufRead) -> io::Result<impl Read> {
    Ok(ZstdBytes(zstd::stream::read::Decoder::with_buffer(input)?))
}

/// Reader that fails once with an error, then ends.
struct FailedRead(Option<io::Error>);

impl Read for FailedRead {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

struct ZstdBytes<R>(R);

impl<R: Read> Read for ZstdBytes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            // What the decoder itself says has no kind.
            ErrorKind::Other => io::Error::new(ErrorKind::InvalidData, error.to_string()),
            _ => error,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ::zstd::encode_all(bytes, 3).unwrap()
    }

    fn read(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut plain = Vec::new();
        unpack_log(Cursor::new(bytes))?.read_to_end(&mut plain)?;
        Ok(plain)
    }

    #[test]
    fn gzip_and_zstd_in_any_order_and_several_frames() {
        let text = b"log".repeat(1000);
        assert_eq!(read(text.clone()).unwrap(), text);
        assert_eq!(read(gzip(&text)).unwrap(), text);
        assert_eq!(read(zstd(&text)).unwrap(), text);
        assert_eq!(read(zstd(&gzip(&text))).unwrap(), text);
        assert_eq!(read(gzip(&zstd(&text))).unwrap(), text);
        assert_eq!(read([zstd(b"a"), zstd(b"b")].concat()).unwrap(), b"ab");
        assert_eq!(read([gzip(b"a"), gzip(b"b")].concat()).unwrap(), b"ab");
        assert_eq!(read(Vec::new()).unwrap(), b"");
    }

    #[test]
    fn what_cannot_be_unpacked_is_named() {
        let error = read(b"\xfd7zXZ\0...".to_vec()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains("packed by xz") && error.to_string().contains("xz -d"));
        let layers = (0..4).fold(b"x".to_vec(), |bytes, _| gzip(&bytes));
        assert!(read(layers).unwrap_err().to_string().contains("more than three times"));
        let mut damaged = zstd(&b"0123456789".repeat(500));
        let middle = damaged.len() / 2;
        damaged[middle..].fill(0xff);
        assert_eq!(read(damaged).unwrap_err().kind(), ErrorKind::InvalidData);
        let whole = zstd(&b"0123456789".repeat(500));
        let cut = read(whole[..whole.len() - 3].to_vec()).unwrap_err();
        assert!([ErrorKind::UnexpectedEof, ErrorKind::InvalidData].contains(&cut.kind()));
    }
}
