//! An Android package as a device installs it, but for DEX and signature: the binary
//! manifest and the aligned archive.

pub mod archive;
pub mod manifest;
pub mod xml;

pub use archive::archive;
pub use manifest::Manifest;
