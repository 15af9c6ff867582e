//! The file service: STAT, LIST, RECV, SEND and QUIT of version 1. Paths are those
//! of the board; they are looked up inside its root. Reference: AOSP `SYNC.TXT`.

use std::fs::{self, File, Metadata};
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::{Duration, SystemTime};

use super::stream::{ServiceStream, StreamReader};
use crate::folder::BoardFolder;

/// Largest piece of a file in one DATA message.
const DATA_MAX: usize = 64 * 1024;
/// Longest path a host may name.
const PATH_MAX: usize = 1024;

/// Serves requests until QUIT or the end of the stream.
pub(super) fn serve(
    stream: &ServiceStream,
    folder: &BoardFolder,
    is_disk_full: &dyn Fn() -> bool,
) -> io::Result<()> {
    let mut input = BufReader::new(StreamReader::new(stream));
    loop {
        let (id, length) = read_head(&mut input)?;
        if &id == b"QUIT" {
            return Ok(());
        }
        if length as usize > PATH_MAX {
            return fail(stream, "path too long");
        }
        let mut name = vec![0; length as usize];
        input.read_exact(&mut name)?;
        let name = String::from_utf8_lossy(&name).into_owned();
        match &id {
            b"STAT" => stat(stream, folder, &name)?,
            b"LIST" => list(stream, folder, &name)?,
            b"RECV" => receive(stream, folder, &name)?,
            b"SEND" => send(stream, &mut input, (folder, &name), is_disk_full)?,
            _ => return fail(stream, "unknown request"),
        }
    }
}

fn read_head(input: &mut impl Read) -> io::Result<([u8; 4], u32)> {
    let mut id = [0; 4];
    let mut length = [0; 4];
    input.read_exact(&mut id)?;
    input.read_exact(&mut length)?;
    Ok((id, u32::from_le_bytes(length)))
}

fn message(id: &[u8; 4], words: &[u32], data: &[u8]) -> Vec<u8> {
    let mut bytes = id.to_vec();
    words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
    bytes.extend_from_slice(data);
    bytes
}

/// Length of something small enough for a message: names, pieces, errors.
fn length_of(data: &[u8]) -> u32 {
    u32::try_from(data.len()).unwrap_or(u32::MAX)
}

fn fail(stream: &ServiceStream, reason: &str) -> io::Result<()> {
    stream.write_all(&message(b"FAIL", &[length_of(reason.as_bytes())], reason.as_bytes()))
}

/// Mode, size and time of a file, as version 1 cuts them; zeros if there is none.
fn stat_words(metadata: Option<&Metadata>) -> [u32; 3] {
    let Some(metadata) = metadata else { return [0; 3] };
    let size = u32::try_from(metadata.size()).unwrap_or(u32::MAX);
    [metadata.mode(), size, u32::try_from(metadata.mtime()).unwrap_or(0)]
}

fn stat(stream: &ServiceStream, folder: &BoardFolder, path: &str) -> io::Result<()> {
    let metadata = folder.look_at(path).ok();
    stream.write_all(&message(b"STAT", &stat_words(metadata.as_ref()), &[]))
}

fn list(stream: &ServiceStream, folder: &BoardFolder, path: &str) -> io::Result<()> {
    for (name, metadata) in folder.list(path).unwrap_or_default() {
        let [mode, size, time] = stat_words(metadata.as_ref());
        let name = name.as_encoded_bytes();
        stream.write_all(&message(b"DENT", &[mode, size, time, length_of(name)], name))?;
    }
    stream.write_all(&message(b"DONE", &[0; 4], &[]))
}

fn receive(stream: &ServiceStream, folder: &BoardFolder, path: &str) -> io::Result<()> {
    let mut file = match folder.open(path) {
        Ok(file) => file,
        Err(error) => return fail(stream, &error.to_string()),
    };
    let mut buffer = vec![0; DATA_MAX];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return stream.write_all(&message(b"DONE", &[0], &[])),
            Ok(count) => {
                let data = &buffer[..count];
                stream.write_all(&message(b"DATA", &[length_of(data)], data))?;
            }
            Err(error) => return fail(stream, &error.to_string()),
        }
    }
}

/// Takes a file. All its data is read even if it can't be written, so that the host
/// gets the reason and the next request is found.
fn send(
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
        let (id, length) = read_head(input)?;
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
                let finished = file.and_then(|file| finish(&file, mode, length));
                return match finished {
                    Ok(()) => stream.write_all(&message(b"OKAY", &[0], &[])),
                    Err(error) => fail(stream, &error.to_string()),
                };
            }
            _ => return fail(stream, "unexpected message in a file"),
        }
    }
}

fn finish(file: &File, mode: u32, time: u32) -> io::Result<()> {
    file.set_permissions(fs::Permissions::from_mode(mode & 0o777))?;
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(time.into()))
}

/// `path,mode`: the mode is decimal (33188) or octal with a leading zero (0100644);
/// files without one get 0644.
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
