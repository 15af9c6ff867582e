//! Files to and from a board: `adb_client` moves the bytes, then size and, where the board
//! has `sha256sum`, the hash are compared, because a truncated transfer can look like a
//! whole one.

use std::io::{self, Cursor, Write};

use adb_client::RustADBError;
use adb_client::server_device::ADBServerDevice;
use sha2::{Digest, Sha256};

use super::board::Board;
use super::call_limit::CallLimit;
use super::error::DeviceError;
use super::server::Server;
use super::shell::quoted;
use crate::format::counted;
use wattline_units::limits::DEVICE_FILE_BYTES;

/// Hash or size of a file on the board.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fingerprint {
    /// SHA-256, in hex.
    Hash(String),
    /// Size in bytes, where the board has no tool for a hash.
    Size(u64),
}

/// Sends the bytes to the file `remote`.
pub(crate) fn send(
    server: Server,
    content: &[u8],
    remote: &str,
    limit: &CallLimit,
) -> Result<(), DeviceError> {
    let mut content = Cursor::new(content.to_vec());
    let (serial, path) = (limit.serial.clone(), remote.to_owned());
    let sent = limit.within(move || {
        ADBServerDevice::new(serial, Some(server.address)).push(&mut content, path)
    })?;
    sent.map_err(|error| failed(limit, remote, &error))
}

/// Fetches the bytes of the file `remote`.
pub(crate) fn fetch(
    server: Server,
    remote: &str,
    limit: &CallLimit,
) -> Result<Vec<u8>, DeviceError> {
    let (serial, path) = (limit.serial.clone(), remote.to_owned());
    let fetched = limit.within(move || {
        let mut content = TransferredContent::default();
        let mut device = ADBServerDevice::new(serial, Some(server.address));
        device.pull(&path, &mut content).map(|()| content.bytes)
    })?;
    fetched.map_err(|error| failed(limit, remote, &error))
}

/// The bytes of a file received so far, up to the limit.
#[derive(Default)]
struct TransferredContent {
    bytes: Vec<u8>,
}

impl Write for TransferredContent {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        DEVICE_FILE_BYTES.check((self.bytes.len() + more.len()) as u64)?;
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The part of a shell command that prints a file's fingerprint.
pub(crate) fn fingerprint_command(remote: &str) -> String {
    let file = quoted(remote);
    format!("sha256sum {file} 2>/dev/null || ls -l {file}")
}

/// Fails unless the answer of [`fingerprint_command`] matches the bytes that were sent or fetched.
pub(crate) fn verify_fingerprint(
    board: &dyn Board,
    remote: &str,
    content: &[u8],
    answer: &str,
) -> Result<(), DeviceError> {
    let problem = match fingerprint(answer) {
        Some(Fingerprint::Hash(hash)) if hash == sha256(content) => return Ok(()),
        Some(Fingerprint::Size(size)) if size == content.len() as u64 => return Ok(()),
        Some(Fingerprint::Hash(hash)) => {
            format!("SHA-256 is {hash} on the board and {} here", sha256(content))
        }
        Some(Fingerprint::Size(size)) => {
            format!("{} on the board and {} here", counted(size, "byte"), content.len())
        }
        None => format!("neither size nor hash could be read: {}", answer.trim()),
    };
    Err(DeviceError::Transfer { serial: board.serial().into(), remote: remote.into(), problem })
}

fn fingerprint(answer: &str) -> Option<Fingerprint> {
    let line = answer.lines().rfind(|line| !line.trim().is_empty())?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let first = words.first()?;
    if first.len() == 64 && first.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Some(Fingerprint::Hash(first.to_ascii_lowercase()));
    }
    // toolbox has no link count; in both kinds of listing the size stands before the date.
    let date = words.iter().position(|word| is_date(word))?;
    words.get(date.checked_sub(1)?)?.parse().ok().map(Fingerprint::Size)
}

/// Whether a word is a date such as `2013-05-17`.
fn is_date(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    parts.iter().map(|part| part.len()).eq([4, 2, 2])
        && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The SHA-256 of the bytes, in hex.
pub(crate) fn sha256(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn failed(limit: &CallLimit, remote: &str, error: &RustADBError) -> DeviceError {
    if let RustADBError::ADBRequestFailed(message) = error
        && message.contains("not found")
    {
        return DeviceError::NotReady { serial: limit.serial.clone(), state: message.clone() };
    }
    DeviceError::Transfer {
        serial: limit.serial.clone(),
        remote: remote.into(),
        problem: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listings_of_toolbox_and_toybox_give_the_size() {
        let toolbox = "-rw-rw-rw- root     root         1234 2013-05-17 10:02 a 2.txt";
        let toybox = "-rwxr-xr-x 1 root root 77 2026-11-21 02:43 /data/x";
        assert_eq!(fingerprint(toolbox), Some(Fingerprint::Size(1234)));
        assert_eq!(fingerprint(toybox), Some(Fingerprint::Size(77)));
        assert_eq!(fingerprint("ls: x: No such file or directory"), None);
    }

    #[test]
    fn a_hash_is_read_in_either_case() {
        let hash = sha256(b"abc");
        assert!(hash.starts_with("ba7816bf"), "the FIPS 180 example");
        let answer = format!("{}  /data/x\n", hash.to_uppercase());
        assert_eq!(fingerprint(&answer), Some(Fingerprint::Hash(hash)));
    }
}
