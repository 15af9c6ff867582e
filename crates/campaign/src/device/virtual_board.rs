//! The virtual board as this program starts it: what weaves its applications' classes, and what
//! reads its packages, is fetched by name and hash.

use crate::toolchain::{android, asm};
use crate::virtual_board::BoardOptions;

/// The options of a virtual board, to be changed where they should differ.
pub fn virtual_board_options() -> BoardOptions {
    BoardOptions {
        fetch_asm: Some(|| asm::tree().ok()),
        fetch_android: Some(|| android::readers().map_err(|error| error.to_string())),
        ..BoardOptions::default()
    }
}
