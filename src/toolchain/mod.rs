//! The Java tools around the pipeline: finding a JDK, fetching artifacts by name,
//! compiling, packing and running on the local JVM. Talks to processes and files,
//! never to boards.

pub mod agent_link;
pub mod agent_session;
pub mod android;
pub mod artifact;
pub mod asm;
pub mod cache;
pub mod compiler;
pub mod error;
pub mod flight;
pub mod jar;
pub mod jdk;
pub mod jvm;
pub mod locale;
pub mod monitor_agent;
mod warm;

pub use compiler::{Compiler, Diagnostic};
pub use error::ToolchainError;
pub use jdk::Jdk;
pub use locale::UTF8_LOCALE;
