//! An Android package as a device installs it, but for DEX and signature: the binary
//! manifest and the aligned archive.

pub(crate) mod archive;
pub(crate) mod manifest;
pub(crate) mod xml;

pub use archive::{archive, check, entries, with_code};
pub use manifest::Manifest;
