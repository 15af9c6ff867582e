//! Boards: the protocol against a scripted adb server, the device scripts under mksh with a
//! fake root.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

#[path = "device/adb_server.rs"]
mod adb_server;
#[path = "device/scripts.rs"]
mod scripts;
