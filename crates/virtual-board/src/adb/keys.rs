//! Whose hosts a board lets in: the keys of adb, as `~/.android/adbkey.pub` holds them.
//! Reference: AOSP `packages/modules/adb/crypto` (`android_pubkey`) and `protocol.txt` (AUTH).

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

/// Bytes of a challenge: adb signs them as if they were a SHA-1 hash.
pub(super) const CHALLENGE_BYTES: usize = 20;

/// Words of a modulus of 2048 bits, the only length that adb has.
const MODULUS_WORDS: u32 = 64;

/// More than any file of keys.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// How often, and after which time, a file that somebody else is making is looked for again.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);

/// Why the board does not know whom to let in.
#[derive(Debug, Error)]
pub enum KeyError {
    /// There is no folder for adb's key.
    #[error("you have no home folder for adb's key (~/.android/adbkey); set HOME")]
    NoHome,
    /// A key can't be made.
    #[error("adb's key {} can't be made; run `adb keygen` on it, or set HOME", path.display())]
    NotMade {
        /// The private key.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file can't be read.
    #[error("adb's public key {} can't be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file holds no key.
    #[error(
        "{} holds no public key of adb; move it and {} away, and start the adb server anew",
        path.display(), path.with_extension("").display()
    )]
    NoKey {
        /// The file.
        path: PathBuf,
    },
}

/// The public keys whose owners are let in.
#[derive(Debug)]
pub(crate) struct AuthorizedKeys(Vec<RsaPublicKey>);

impl AuthorizedKeys {
    /// Those in a file; without one that of the user's own adb, which is made if there is none.
    pub(crate) fn read(file: Option<&Path>) -> Result<Self, KeyError> {
        let path = match file {
            Some(file) => file.to_owned(),
            None => key_of_user()?,
        };
        let unreadable = |source| KeyError::Unreadable { path: path.clone(), source };
        let length = fs::metadata(&path).map_err(unreadable)?.len();
        if length > FILE_BYTES_MAX {
            return Err(unreadable(io::ErrorKind::FileTooLarge.into()));
        }
        let text = fs::read_to_string(&path).map_err(unreadable)?;
        let keys: Vec<RsaPublicKey> = text.lines().filter_map(parse).collect();
        if keys.is_empty() { Err(KeyError::NoKey { path }) } else { Ok(Self(keys)) }
    }

    /// Whether one of the keys has signed a challenge.
    pub(super) fn have_signed(&self, challenge: &[u8; CHALLENGE_BYTES], signature: &[u8]) -> bool {
        let signed = |key: &RsaPublicKey| {
            key.verify(Pkcs1v15Sign::new::<Sha1>(), challenge, signature).is_ok()
        };
        self.0.iter().any(signed)
    }
}

/// The public key of the user's own adb.
fn key_of_user() -> Result<PathBuf, KeyError> {
    let home = std::env::home_dir().filter(|home| home.is_absolute()).ok_or(KeyError::NoHome)?;
    let folder = home.join(".android");
    let (private, public) = (folder.join("adbkey"), folder.join("adbkey.pub"));
    let failed = |source| KeyError::NotMade { path: private.clone(), source };
    if !public.exists() && !private.exists() {
        make(&folder).map_err(failed)?;
    }
    // An adb server that starts now makes the private one first.
    for _ in 0..TRIES {
        if public.exists() {
            return Ok(public);
        }
        thread::sleep(PAUSE);
    }
    Err(failed(io::ErrorKind::NotFound.into()))
}

/// Makes a pair of keys beside its place, then puts it there, unless somebody was faster.
fn make(folder: &Path) -> io::Result<()> {
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

/// A key of a line: Base64 of the words of the modulus, two helpers for its arithmetic that are
/// not needed here, and the exponent, all little-endian; then who made it.
fn parse(line: &str) -> Option<RsaPublicKey> {
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

    fn keys(text: &str) -> Result<AuthorizedKeys, KeyError> {
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
            assert!(matches!(keys(text), Err(KeyError::NoKey { .. })), "{text}");
        }
        let missing = AuthorizedKeys::read(Some(Path::new("/nonexistent/adb_keys")));
        assert!(matches!(missing, Err(KeyError::Unreadable { .. })));
    }

    #[test]
    fn a_key_that_is_missing_is_made_once() {
        let folder = tempfile::tempdir().unwrap();
        let android = folder.path().join(".android");
        if make(&android).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return crate::skip::because("no adb on the path");
        }
        let public = android.join("adbkey.pub");
        let first = fs::read_to_string(&public).unwrap();
        make(&android).unwrap();
        assert_eq!(fs::read_to_string(&public).unwrap(), first, "who was faster keeps the key");
        assert!(AuthorizedKeys::read(Some(&public)).is_ok());
        assert_eq!(fs::read_dir(&android).unwrap().count(), 2, "nothing is left beside it");
    }
}
