//! Reading of user-supplied files: only regular files up to a size limit, and pipes that were named
//! as such.

use std::fs::File;
use std::io;
use std::path::Path;

use wattline_units::input::{into_text, open_given, read_opened};
use wattline_units::limits::{FILE_BYTES, InputLimit, UNPACKED_LOG_BYTES};

/// Opens a file for reading: a regular file, a pipe that is already open, or `/dev/null`.
///
/// # Errors
/// It can't be opened, or is a FIFO, a socket, a device or a folder.
pub fn open(path: &Path) -> io::Result<File> {
    if path == Path::new("/dev/null") { File::open(path) } else { open_given(path) }
}

/// Reads a whole file.
///
/// # Errors
/// It can't be read, is no regular file, or is larger than [`FILE_BYTES`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(FILE_BYTES, path)
}

/// Reads a whole text file in UTF-8.
///
/// # Errors
/// As [`read`]; it is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    into_text(read(path)?)
}

/// Reads a text file in UTF-8 of at most `limit` bytes.
///
/// # Errors
/// As [`read_text`].
pub(crate) fn read_text_up_to(limit: InputLimit, path: &Path) -> io::Result<String> {
    into_text(read_up_to(limit, path)?)
}

/// Reads and decompresses a zstd file.
///
/// # Errors
/// As [`read`]; damaged data, or more than [`UNPACKED_LOG_BYTES`] unpacked.
pub fn unpack(path: &Path) -> io::Result<Vec<u8>> {
    let packed = read(path)?;
    UNPACKED_LOG_BYTES.read_all(zstd::Decoder::new(packed.as_slice())?)
}

fn read_up_to(limit: InputLimit, path: &Path) -> io::Result<Vec<u8>> {
    read_opened(open(path)?, limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_named_pipes_are_read_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "text").unwrap();
        assert_eq!(read_text(&file).unwrap(), "text");
        assert_eq!(read(Path::new("/dev/null")).unwrap(), b"");
        let refused = |path: &Path| read(path).unwrap_err().to_string();
        assert!(refused(Path::new("/dev/zero")).starts_with("it is a device"));
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(refused(&socket).starts_with("it is a socket"));
        std::fs::write(&file, b"\xff").unwrap();
        assert_eq!(read_text(&file).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn sizes_are_bounded_before_and_while_reading() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sparse");
        File::create(&file).unwrap().set_len(2 << 30).unwrap();
        let error = read(&file).unwrap_err().to_string();
        assert_eq!(
            error,
            "2147483648 bytes of a file that is read whole, more than the limit of 1073741824"
        );
    }

    #[test]
    fn a_packed_log_that_unpacks_to_too_much_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bomb.zst");
        // Frames of one run-length block each, of 128 kB of zeros.
        let frame = zstd::encode_all(vec![0; 1 << 20].as_slice(), 1).unwrap();
        std::fs::write(&file, frame.repeat(1025)).unwrap();
        let error = unpack(&file).unwrap_err();
        assert!(error.to_string().contains("bytes of an unpacked log"), "{error}");
        std::fs::write(&file, zstd::encode_all(&b"text"[..], 1).unwrap()).unwrap();
        assert_eq!(unpack(&file).unwrap(), b"text");
    }
}
