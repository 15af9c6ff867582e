//! Boards: the protocol against a scripted adb server, the device scripts under mksh with a
//! fake root, and the virtual board behind the real adb server.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

#[path = "device/adb_server.rs"]
mod adb_server;
#[path = "device/scripts.rs"]
mod scripts;
#[path = "device/virtual_board.rs"]
mod virtual_board;
