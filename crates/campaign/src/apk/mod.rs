//! Android packages without DEX and signature: the binary manifest and the aligned archive.

pub(crate) mod archive;
pub(crate) mod manifest;
mod manifest_reader;
pub(crate) mod xml;
mod xml_reader;

pub use archive::{
    check_package, entry_count, manifest_of, native_library, pack_archive, replace_code,
};
pub use manifest::Manifest;
pub use manifest_reader::PackageManifest;
