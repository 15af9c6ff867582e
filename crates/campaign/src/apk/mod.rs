//! An Android package as a device installs it, but for DEX and signature: the binary
//! manifest and the aligned archive.

pub(crate) mod archive;
pub(crate) mod manifest;
mod manifest_reader;
pub(crate) mod xml;
mod xml_reader;

pub use archive::{archive, check, entries, manifest_of, native_library, with_code};
pub use manifest::Manifest;
pub use manifest_reader::ReadManifest;
