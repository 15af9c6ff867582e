//! The virtual board as this program starts it: what weaves its applications' classes is
//! fetched by name and hash.

use crate::toolchain::asm;
use crate::virtual_board::BoardOptions;

/// The options of a virtual board, to be changed where they should differ.
pub fn virtual_board_options() -> BoardOptions {
    BoardOptions { fetch_asm: Some(|| asm::tree().ok()), ..BoardOptions::default() }
}
