//! The Java tools around the pipeline: finding a JDK, fetching artifacts by name,
//! compiling, packing and running on the local JVM. Talks to processes and files,
//! never to boards.

pub mod agent_link;
pub mod agent_session;
pub mod android;
pub mod annotation_processors;
pub mod archive;
pub mod artifact;
pub mod asm;
pub(crate) mod async_profiler;
pub mod bytecode_counter;
mod cached_program;
pub mod class_path;
pub mod code_listing;
mod compiled_jar;
pub(crate) mod compiler;
pub mod deadline_stream;
pub mod entry_name;
pub(crate) mod error;
pub mod file_tree;
pub mod flight_recorder;
pub mod jar;
pub(crate) mod jdk;
pub mod jvm;
pub mod jvm_process;
pub mod locale;
pub mod maven_export;
pub mod method_trace;
pub mod monitor_agent;
pub(crate) mod simpleperf;
mod stack_text;
pub mod store;
mod warm_jvm;

pub(crate) use compiler::Compiler;
pub use compiler::Diagnostic;
pub use error::ToolchainError;
pub(crate) use jdk::BRIEF_JVM;
pub use jdk::Jdk;
pub(crate) use locale::UTF8_LOCALE;
pub use store::Store;
