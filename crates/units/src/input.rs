//! Opening and reading of input files: only those that can be read to an end. A FIFO waits for a
//! writer that may never come, and a device such as `/dev/zero` has no end. As with the functions
//! of `std::fs`, errors don't name the path: the caller adds it.

use std::fs::{File, FileType, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use crate::limits::InputLimit;

/// Opens a regular file, or a link to one; refuses everything else.
///
/// # Errors
/// Those of the system; of kind `InvalidInput` for a FIFO, a device, a socket or a folder,
/// without waiting for it.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open(path, FileType::is_file)
}

/// Opens a file that the command line names: a regular file, or a pipe that is open already, as
/// `<(command)` and `/dev/stdin` are.
///
/// # Errors
/// As [`open_regular`]; a FIFO that has a name of its own is refused, too.
pub fn open_given(path: &Path) -> io::Result<File> {
    if is_descriptor(path) {
        return open(path, |kind| kind.is_file() || kind.is_fifo());
    }
    open_regular(path)
}

/// Reads a regular file up to a limit, against which its size is checked first.
///
/// # Errors
/// As [`open_regular`]; of kind `FileTooLarge` where the file is larger.
pub fn read_regular(path: &Path, limit: InputLimit) -> io::Result<Vec<u8>> {
    read_opened(open_regular(path)?, limit)
}

/// Reads an opened file or pipe up to a limit, against which its size, if known, is checked first.
///
/// # Errors
/// Those of the system; of kind `FileTooLarge` where it is larger.
pub fn read_opened(file: File, limit: InputLimit) -> io::Result<Vec<u8>> {
    let size = file.metadata()?.len();
    limit.check(size)?;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    io::Read::read_to_end(&mut limit.reader(file), &mut bytes)?;
    Ok(bytes)
}

/// Reads a regular file that is UTF-8, up to a limit.
///
/// # Errors
/// As [`read_regular`]; of kind `InvalidData` where it is not UTF-8.
pub fn read_regular_text(path: &Path, limit: InputLimit) -> io::Result<String> {
    into_text(read_regular(path, limit)?)
}

/// Converts bytes of a file to text.
///
/// # Errors
/// Of kind `InvalidData` where it is not UTF-8.
pub fn into_text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

/// Whether a file is one of this process's open descriptors.
fn is_descriptor(path: &Path) -> bool {
    path == Path::new("/dev/stdin")
        || ["/dev/fd", "/proc/self/fd"].iter().any(|folder| path.parent() == Some(folder.as_ref()))
}

/// Opens a file of a wanted kind without ever waiting: checks the kind before, since opening a
/// device can do something, and again after.
fn open(path: &Path, is_wanted: impl Fn(&FileType) -> bool) -> io::Result<File> {
    let check = |kind: FileType| if is_wanted(&kind) { Ok(()) } else { Err(refusal(kind)) };
    let kind = path.metadata()?.file_type();
    check(kind)?;
    // Reading a pipe is to wait for what comes.
    let flags = if kind.is_fifo() { OFlags::NOCTTY } else { OFlags::NOCTTY | OFlags::NONBLOCK };
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    check(file.metadata()?.file_type())?;
    Ok(file)
}

fn refusal(kind: FileType) -> io::Error {
    let what = if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a FIFO, which may never end"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device, which may never end"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a special file"
    };
    let message = format!("it is {what}; name a regular file");
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixListener;

    use rustix::fs::{CWD, FileType as Kind, Mode, mknodat};

    use super::*;

    const FOUR: InputLimit = InputLimit::new("bytes of a test", 4);

    #[test]
    fn what_has_no_end_is_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let (fifo, link) = (folder.path().join("fifo"), folder.path().join("link"));
        mknodat(CWD, &fifo, Kind::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        std::os::unix::fs::symlink(&fifo, &link).unwrap();
        let socket = folder.path().join("socket");
        let _listener = UnixListener::bind(&socket).unwrap();
        for (path, word) in [
            (fifo.as_path(), "a FIFO"),
            (&link, "a FIFO"),
            (&socket, "a socket"),
            (folder.path(), "a folder"),
            (Path::new("/dev/zero"), "a device"),
        ] {
            for opened in [open_regular(path), open_given(path)] {
                let error = opened.unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
                assert!(error.to_string().contains(word), "{path:?}: {error}");
            }
        }
    }

    #[test]
    fn files_are_read_up_to_a_limit_by_links_too() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "abcd").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read_regular(&link, FOUR).unwrap(), b"abcd");
        assert_eq!(read_regular_text(&file, FOUR).unwrap(), "abcd");
        std::fs::write(&file, "abcde").unwrap();
        let error = read_regular(&file, FOUR).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        std::fs::write(&file, b"\xff").unwrap();
        let error = read_regular_text(&file, FOUR).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn an_open_pipe_can_be_given() {
        let (reader, writer) = io::pipe().unwrap();
        let path = format!("/dev/fd/{}", reader.as_raw_fd());
        io::Write::write_all(&mut &writer, b"piped").unwrap();
        drop(writer);
        let text = io::read_to_string(open_given(path.as_ref()).unwrap()).unwrap();
        assert_eq!(text, "piped");
        assert!(open_regular(path.as_ref()).is_err());
    }
}
