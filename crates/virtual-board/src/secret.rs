//! Random bytes for secrets and challenges.

use std::io;

use rustix::rand::{GetRandomFlags, getrandom};

/// Random bytes from the kernel.
pub(crate) fn random_bytes<const COUNT: usize>() -> io::Result<[u8; COUNT]> {
    let mut bytes = [0; COUNT];
    let mut filled = 0;
    while filled < COUNT {
        filled += getrandom(&mut bytes[filled..], GetRandomFlags::empty())?;
    }
    Ok(bytes)
}

/// Random word that authenticates a connection.
pub(crate) fn random_secret_word() -> io::Result<String> {
    let bytes = random_bytes::<16>()?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
