//! Records -> the table that models are fitted to, and any other CSV that has an
//! energy column and feature columns.

pub mod table;

pub use table::{Case, Table};
