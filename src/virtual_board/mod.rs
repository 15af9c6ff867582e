//! To be filled.

pub mod silicon;
