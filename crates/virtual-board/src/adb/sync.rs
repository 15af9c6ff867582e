//! SYNC file service: STAT, LIST, RECV, SEND and QUIT of version 1. Paths are those of the board,
//! resolved inside its root. Reference: AOSP `SYNC.TXT`.

use std::fs::{self, File, Metadata};
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::{Duration, SystemTime};

use super::stream::{ServiceStream, StreamReader};
use crate::folder::BoardFolder;

/// Largest piece of a file in one DATA message, in bytes.
const DATA_MAX: usize = 64 * 1024;
/// Longest path in a request, in bytes.
const PATH_MAX: usize = 1024;

/// Serves requests until QUIT or the end of the stream.
pub(super) fn serve(
    stream: &ServiceStream,
    folder: &BoardFolder,
    is_disk_full: &dyn Fn() -> bool,
) -> io::Result<()> {
    let mut input = BufReader::new(StreamReader::new(stream));
    loop {
        let (id, length) = read_header(&mut input)?;
        if &id == b"QUIT" {
            return Ok(());
        }
        if length as usize > PATH_MAX {
            return send_failure(stream, "path too long");
        }
        let mut name = vec![0; length as usize];
        input.read_exact(&mut name)?;
        let name = String::from_utf8_lossy(&name).into_owned();
        match &id {
            b"STAT" => serve_stat(stream, folder, &name)?,
            b"LIST" => serve_list(stream, folder, &name)?,
            b"RECV" => serve_recv(stream, folder, &name)?,
            b"SEND" => serve_send(stream, &mut input, (folder, &name), is_disk_full)?,
            _ => return send_failure(stream, "unknown request"),
        }
    }
}

/// Reads the id and the length of a message.
fn read_header(input: &mut impl Read) -> io::Result<([u8; 4], u32)> {
    let mut id = [0; 4];
    let mut length = [0; 4];
    input.read_exact(&mut id)?;
    input.read_exact(&mut length)?;
    Ok((id, u32::from_le_bytes(length)))
}

/// Message of an id, little-endian words and data.
fn encode_message(id: &[u8; 4], words: &[u32], data: &[u8]) -> Vec<u8> {
    let mut bytes = id.to_vec();
    words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
    bytes.extend_from_slice(data);
    bytes
}

/// Length of the data of a message in bytes (names, pieces, errors).
fn length_of(data: &[u8]) -> u32 {
    u32::try_from(data.len()).unwrap_or(u32::MAX)
}

/// Sends a FAIL message with a reason.
fn send_failure(stream: &ServiceStream, reason: &str) -> io::Result<()> {
    stream.write_all(&encode_message(b"FAIL", &[length_of(reason.as_bytes())], reason.as_bytes()))
}

/// Mode, size and modification time of a file as 32-bit words of version 1; zeros without metadata.
fn stat_words(metadata: Option<&Metadata>) -> [u32; 3] {
    let Some(metadata) = metadata else { return [0; 3] };
    let size = u32::try_from(metadata.size()).unwrap_or(u32::MAX);
    [metadata.mode(), size, u32::try_from(metadata.mtime()).unwrap_or(0)]
}

/// Answers STAT with mode, size and time of a path.
fn serve_stat(stream: &ServiceStream, folder: &BoardFolder, path: &str) -> io::Result<()> {
    let metadata = folder.metadata(path).ok();
    stream.write_all(&encode_message(b"STAT", &stat_words(metadata.as_ref()), &[]))
}

/// Answers LIST with an entry per file of a folder.
fn serve_list(stream: &ServiceStream, folder: &BoardFolder, path: &str) -> io::Result<()> {
    for (name, metadata) in folder.list(path).unwrap_or_default() {
        let [mode, size, time] = stat_words(metadata.as_ref());
        let name = name.as_encoded_bytes();
        stream.write_all(&encode_message(b"DENT", &[mode, size, time, length_of(name)], name))?;
    }
    stream.write_all(&encode_message(b"DONE", &[0; 4], &[]))
}

/// Answers RECV: sends a file of the board to the host.
fn serve_recv(stream: &ServiceStream, folder: &BoardFolder, path: &str) -> io::Result<()> {
    let mut file = match folder.open(path) {
        Ok(file) => file,
        Err(error) => return send_failure(stream, &error.to_string()),
    };
    let mut buffer = vec![0; DATA_MAX];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return stream.write_all(&encode_message(b"DONE", &[0], &[])),
            Ok(count) => {
                let data = &buffer[..count];
                stream.write_all(&encode_message(b"DATA", &[length_of(data)], data))?;
            }
            Err(error) => return send_failure(stream, &error.to_string()),
        }
    }
}

/// Answers SEND: writes the host's file to the board. All its data are read even if it cannot be
/// written, so that the host gets the reason and the next request is found.
fn serve_send(
    stream: &ServiceStream,
    input: &mut impl Read,
    (folder, name): (&BoardFolder, &str),
    is_disk_full: &dyn Fn() -> bool,
) -> io::Result<()> {
    let (name, mode) = split_mode(name);
    let mut file = match name.ends_with('/') {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => folder.create(name),
    };
    loop {
        let (id, length) = read_header(input)?;
        match &id {
            b"DATA" if length as usize <= DATA_MAX => {
                let mut data = vec![0; length as usize];
                input.read_exact(&mut data)?;
                file = file.and_then(|mut file| match is_disk_full() {
                    true => Err(io::ErrorKind::StorageFull.into()),
                    false => file.write_all(&data).map(|()| file),
                });
            }
            b"DONE" => {
                let finished = file.and_then(|file| set_mode_and_time(&file, mode, length));
                return match finished {
                    Ok(()) => stream.write_all(&encode_message(b"OKAY", &[0], &[])),
                    Err(error) => send_failure(stream, &error.to_string()),
                };
            }
            _ => return send_failure(stream, "unexpected message in a file"),
        }
    }
}

/// Sets the permissions and the modification time (Unix seconds) of a file.
fn set_mode_and_time(file: &File, mode: u32, time: u32) -> io::Result<()> {
    file.set_permissions(fs::Permissions::from_mode(mode & 0o777))?;
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(time.into()))
}

/// Splits `path,mode`: the mode is decimal (33188) or octal with a leading zero (0100644); files
/// without one get 0644.
fn split_mode(name: &str) -> (&str, u32) {
    let Some((path, text)) = name.rsplit_once(',') else { return (name, 0o644) };
    let mode = match text.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => u32::from_str_radix(octal, 8),
        _ => text.parse(),
    };
    mode.map_or((name, 0o644), |mode| (path, mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_decimal_or_octal() {
        assert_eq!(split_mode("/data/a,33188"), ("/data/a", 0o100_644));
        assert_eq!(split_mode("/data/a,0100755"), ("/data/a", 0o100_755));
        assert_eq!(split_mode("/data/a,b,33261"), ("/data/a,b", 0o100_755));
        assert_eq!(split_mode("/data/a"), ("/data/a", 0o644));
    }
}
