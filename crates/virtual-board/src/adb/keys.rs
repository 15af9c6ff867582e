//! Public keys of adb whose owners may connect to a board, in the format of
//! `~/.android/adbkey.pub`. Reference: AOSP `packages/modules/adb/crypto` (`android_pubkey`) and
//! `protocol.txt` (AUTH).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rsa::{BigUint, Pkcs1v15Sign, RsaPublicKey};
use sha1::Sha1;
use thiserror::Error;

/// Bytes of an authentication challenge: adb signs them as if they were a SHA-1 hash.
pub(super) const CHALLENGE_BYTES: usize = 20;

/// 32-bit words of an RSA modulus of 2048 bits, the only length that adb has.
const MODULUS_WORDS: u32 = 64;

/// Size limit of a key file in bytes, larger than any real one.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// Number of checks, and the pause between them, for a key file that an adb server is creating.
const KEY_CHECKS: u32 = 20;
const KEY_CHECK_PAUSE: Duration = Duration::from_millis(100);

/// Error of reading or creating the public keys of adb that may connect.
#[derive(Debug, Error)]
pub enum AdbKeyError {
    /// No home folder, so no place for adb's key.
    #[error("you have no home folder for adb's key (~/.android/adbkey); set HOME")]
    NoHome,
    /// The key pair cannot be created.
    #[error("adb's key {} can't be made; run `adb keygen` on it, or set HOME", path.display())]
    NotMade {
        /// The private key.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The key file cannot be read.
    #[error("adb's public key {} can't be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The key file contains no public key.
    #[error(
        "{} holds no public key of adb; move it and {} away, and start the adb server anew",
        path.display(), path.with_extension("").display()
    )]
    NoKey {
        /// The file.
        path: PathBuf,
    },
}

/// Public keys of adb whose owners may connect.
#[derive(Debug)]
pub(crate) struct AuthorizedKeys(Vec<RsaPublicKey>);

impl AuthorizedKeys {
    /// Reads the keys of a file; without a file those of the user's own adb, whose key is created
    /// if it is missing.
    pub(crate) fn read(file: Option<&Path>) -> Result<Self, AdbKeyError> {
        let path = match file {
            Some(file) => file.to_owned(),
            None => user_key_path()?,
        };
        let unreadable = |source| AdbKeyError::Unreadable { path: path.clone(), source };
        let length = fs::metadata(&path).map_err(unreadable)?.len();
        if length > FILE_BYTES_MAX {
            return Err(unreadable(io::ErrorKind::FileTooLarge.into()));
        }
        let text = fs::read_to_string(&path).map_err(unreadable)?;
        let keys: Vec<RsaPublicKey> = text.lines().filter_map(parse_public_key).collect();
        if keys.is_empty() { Err(AdbKeyError::NoKey { path }) } else { Ok(Self(keys)) }
    }

    /// Whether the owner of one of the keys has signed this challenge.
    pub(super) fn have_signed(&self, challenge: &[u8; CHALLENGE_BYTES], signature: &[u8]) -> bool {
        let signed = |key: &RsaPublicKey| {
            key.verify(Pkcs1v15Sign::new::<Sha1>(), challenge, signature).is_ok()
        };
        self.0.iter().any(signed)
    }
}

/// Path of the public key of the user's own adb, created with `adb keygen` if it is missing.
fn user_key_path() -> Result<PathBuf, AdbKeyError> {
    let home = std::env::home_dir().filter(|home| home.is_absolute()).ok_or(AdbKeyError::NoHome)?;
    let folder = home.join(".android");
    let (private, public) = (folder.join("adbkey"), folder.join("adbkey.pub"));
    let failed = |source| AdbKeyError::NotMade { path: private.clone(), source };
    if !public.exists() && !private.exists() {
        generate_key_pair(&folder).map_err(failed)?;
    }
    // An adb server that starts now makes the private one first.
    for _ in 0..KEY_CHECKS {
        if public.exists() {
            return Ok(public);
        }
        thread::sleep(KEY_CHECK_PAUSE);
    }
    Err(failed(io::ErrorKind::NotFound.into()))
}

/// Creates a key pair in a temporary folder and links it into `folder`, unless another process was
/// faster.
fn generate_key_pair(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let work = tempfile::tempdir_in(folder)?;
    let made = work.path().join("adbkey");
    let mut adb = Command::new("adb");
    adb.arg("keygen").arg(&made).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = adb.status()?;
    if !status.success() {
        return Err(io::Error::other(format!("`adb keygen` failed with {status}")));
    }
    let place = folder.join("adbkey");
    match fs::hard_link(&made, &place) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
        Ok(()) => fs::rename(made.with_extension("pub"), place.with_extension("pub")),
    }
}

/// Parses a line of a public key file: Base64 of the words of the modulus, two helpers for its
/// arithmetic that are not needed here, and the exponent, all little-endian; then the owner's name.
fn parse_public_key(line: &str) -> Option<RsaPublicKey> {
    let bytes = STANDARD.decode(line.split_whitespace().next()?).ok()?;
    let (words, rest) = bytes.split_first_chunk::<4>()?;
    let modulus_bytes = 4 * MODULUS_WORDS as usize;
    let (_inverse, rest) = rest.split_first_chunk::<4>()?;
    let (modulus, rest) = rest.split_at_checked(modulus_bytes)?;
    let (_square, exponent) = rest.split_at_checked(modulus_bytes)?;
    if u32::from_le_bytes(*words) != MODULUS_WORDS || exponent.len() != 4 {
        return None;
    }
    RsaPublicKey::new(BigUint::from_bytes_le(modulus), BigUint::from_bytes_le(exponent)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made by `adb keygen`, and what OpenSSL signs with it (`pkeyutl -pkeyopt digest:sha1`).
    const KEY: &str = include_str!("test_key.pub");
    const SIGNATURE: &str = include_str!("test_signature.txt");
    const CHALLENGE: &[u8; CHALLENGE_BYTES] = b"0123456789abcdefghij";

    fn keys(text: &str) -> Result<AuthorizedKeys, AdbKeyError> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("adb_keys");
        fs::write(&file, text).unwrap();
        AuthorizedKeys::read(Some(&file))
    }

    #[test]
    fn only_the_keys_own_signature_of_the_challenge_counts() {
        let signature = STANDARD.decode(SIGNATURE.trim()).unwrap();
        let keys = keys(&format!("nonsense\n{KEY}")).unwrap();
        assert!(keys.have_signed(CHALLENGE, &signature));
        assert!(!keys.have_signed(b"0123456789abcdefghiJ", &signature), "another challenge");
        let mut other = signature.clone();
        other[200] ^= 1;
        assert!(!keys.have_signed(CHALLENGE, &other));
        for wrong in [&[][..], &signature[1..], &[0; 256], &[255; 256]] {
            assert!(!keys.have_signed(CHALLENGE, wrong));
        }
    }

    #[test]
    fn a_file_without_keys_is_told() {
        let cut = &KEY[..300];
        for text in ["", "AAAA user@host", cut, "\u{0}\n\n"] {
            assert!(matches!(keys(text), Err(AdbKeyError::NoKey { .. })), "{text}");
        }
        let missing = AuthorizedKeys::read(Some(Path::new("/nonexistent/adb_keys")));
        assert!(matches!(missing, Err(AdbKeyError::Unreadable { .. })));
    }

    #[test]
    fn a_key_that_is_missing_is_made_once() {
        let folder = tempfile::tempdir().unwrap();
        let android = folder.path().join(".android");
        if generate_key_pair(&android).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return crate::skip::because("no adb on the path");
        }
        let public = android.join("adbkey.pub");
        let first = fs::read_to_string(&public).unwrap();
        generate_key_pair(&android).unwrap();
        assert_eq!(fs::read_to_string(&public).unwrap(), first, "who was faster keeps the key");
        assert!(AuthorizedKeys::read(Some(&public)).is_ok());
        assert_eq!(fs::read_dir(&android).unwrap().count(), 2, "nothing is left beside it");
    }
}
