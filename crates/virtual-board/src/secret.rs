//! Bytes that nobody can guess.

use std::io;

use rustix::rand::{GetRandomFlags, getrandom};

/// Random bytes of the kernel's.
pub(crate) fn random_bytes<const COUNT: usize>() -> io::Result<[u8; COUNT]> {
    let mut bytes = [0; COUNT];
    let mut filled = 0;
    while filled < COUNT {
        filled += getrandom(&mut bytes[filled..], GetRandomFlags::empty())?;
    }
    Ok(bytes)
}

/// A word of them, to be shown by who may come in.
pub(crate) fn random_word() -> io::Result<String> {
    let bytes = random_bytes::<16>()?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
