//! The virtual board as this program starts it: the libraries that weave classes and read packages
//! are fetched by name and hash.

use crate::toolchain::{android, asm};
use crate::virtual_board::BoardOptions;

/// Default options of a virtual board, which callers may change.
pub fn virtual_board_options() -> BoardOptions {
    BoardOptions {
        fetch_asm: Some(|| asm::tree_jars().ok()),
        fetch_android: Some(|| android::package_reader_jars().map_err(|error| error.to_string())),
        ..BoardOptions::default()
    }
}
