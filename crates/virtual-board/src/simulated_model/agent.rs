//! The agent that counts: builds it from its Java sources on first use, and gives
//! the options that start a JVM with it.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};
use wattline_private_files::{built_folder, cache_path};

use super::asm;
use super::compiled::{RuntimeFigures, runtime_figures};
use super::error::SimulatedModelError;
use super::family::SimulatedModelFamily;
use super::library::LibraryTable;
use super::options::AgentOptions;
use crate::jdk::{BRIEF_JVM, program};

/// The part on the application's class path.
const RUNTIME: [(&str, &str); 5] = [
    ("Agent.java", include_str!("../agent/Agent.java")),
    ("Clock.java", include_str!("../agent/Clock.java")),
    ("Meter.java", include_str!("../agent/Meter.java")),
    ("OtherThreads.java", include_str!("../agent/OtherThreads.java")),
    ("Tiers.java", include_str!("../agent/Tiers.java")),
];

/// The part with a class loader of its own, beside ASM.
const WEAVER: [(&str, &str); 16] = [
    ("Calls.java", include_str!("../agent/Calls.java")),
    ("CompiledWeaver.java", include_str!("../agent/CompiledWeaver.java")),
    ("Edges.java", include_str!("../agent/Edges.java")),
    ("Effects.java", include_str!("../agent/Effects.java")),
    ("Hierarchy.java", include_str!("../agent/Hierarchy.java")),
    ("Items.java", include_str!("../agent/Items.java")),
    ("Layout.java", include_str!("../agent/Layout.java")),
    ("Loops.java", include_str!("../agent/Loops.java")),
    ("MapFile.java", include_str!("../agent/MapFile.java")),
    ("Marks.java", include_str!("../agent/Marks.java")),
    ("MethodWeaver.java", include_str!("../agent/MethodWeaver.java")),
    ("Patterns.java", include_str!("../agent/Patterns.java")),
    ("PlaceText.java", include_str!("../agent/PlaceText.java")),
    ("Stack.java", include_str!("../agent/Stack.java")),
    ("Units.java", include_str!("../agent/Units.java")),
    ("Weaver.java", include_str!("../agent/Weaver.java")),
];

/// A JVM that compiles methods that counters made large, and starts fast. Counts don't
/// depend on the compiler; a session is too short for the optimising one to pay. Kernels are
/// thousands of loops, each entered once and for less than the 60 000 turns after which one is
/// compiled elsewhere, and together they have more code than the cache is usually large.
const JVM_OPTIONS: [&str; 8] = [
    "-XX:TieredStopAtLevel=1",
    "-XX:Tier3BackEdgeThreshold=2000",
    "-XX:ReservedCodeCacheSize=240m",
    "-XX:-DontCompileHugeMethods",
    "-XX:+UseSerialGC",
    "-Xshare:auto",
    "-XX:-UsePerfData",
    "-Djava.net.preferIPv4Stack=true",
];

/// The options of a JVM whose application is counted in `session_dir` (which is
/// created) and takes its time from the clock on this loopback port. The first use
/// on a machine builds the agent with the JDK's compiler, which takes some seconds.
///
/// # Errors
/// No ASM, no JDK, folders that can't be written.
pub fn agent_options(
    session_dir: &Path,
    clock_port: u16,
    options: &AgentOptions,
) -> Result<Vec<String>, SimulatedModelError> {
    let asm = asm::find(options.fetch_asm)?;
    let built = build(&asm, &cache_dir(options))?;
    fs::create_dir_all(session_dir).map_err(SimulatedModelError::file(session_dir))?;
    let session = fs::canonicalize(session_dir).map_err(SimulatedModelError::file(session_dir))?;
    write(&session.join("units.txt"), &LibraryTable::built_in().unit_lines())?;
    let configuration = session.join("agent.properties");
    let weaver: Vec<PathBuf> = std::iter::once(built.join("weaver.jar")).chain(asm).collect();
    let lent = |jar: &PathBuf| lend(jar, options.lent.as_deref());
    let weaver = weaver.iter().map(lent).collect::<Result<Vec<PathBuf>, _>>()?;
    write(&configuration, &settings(&session, clock_port, options, &weaver))?;
    let agent = lent(&built.join("agent.jar"))?;
    let mut all = vec![format!("-javaagent:{}={}", agent.display(), configuration.display())];
    all.extend(JVM_OPTIONS.map(str::to_string));
    Ok(all)
}

fn settings(session: &Path, clock_port: u16, options: &AgentOptions, weaver: &[PathBuf]) -> String {
    let word = options.clock_word.iter().map(|word| ("word", word.clone()));
    [
        ("session", session.display().to_string()),
        ("port", clock_port.to_string()),
        ("boot_epoch_ms", options.boot_epoch_ms.to_string()),
        ("weaver", path_list(weaver)),
        ("application", path_list(&options.application)),
    ]
    .into_iter()
    .chain(word)
    .map(|(key, value)| format!("{key}={}\n", property(&value)))
    .collect::<String>()
        + &runtime_settings(options.family, options.ahead)
}

/// A jar, or its copy in a folder of copies, which is made once.
pub(crate) fn lend(jar: &Path, folder: Option<&Path>) -> Result<PathBuf, SimulatedModelError> {
    let Some(folder) = folder else { return Ok(jar.to_owned()) };
    let path = Sha256::digest(jar.as_os_str().as_encoded_bytes());
    let start: String = path.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let copy = folder.join(format!("{start}.jar"));
    if copy.is_file() {
        return Ok(copy);
    }
    fs::create_dir_all(folder).map_err(SimulatedModelError::file(folder))?;
    let part =
        tempfile::NamedTempFile::new_in(folder).map_err(SimulatedModelError::file(folder))?;
    fs::copy(jar, part.path()).map_err(SimulatedModelError::file(jar))?;
    fs::set_permissions(part.path(), fs::Permissions::from_mode(0o644))
        .map_err(SimulatedModelError::file(&copy))?;
    part.persist(&copy).map_err(|error| SimulatedModelError::file(&copy)(error.error))?;
    Ok(copy)
}

/// What the runtime of a compiled chip goes by.
fn runtime_settings(family: SimulatedModelFamily, ahead: bool) -> String {
    match family {
        SimulatedModelFamily::Additive => String::new(),
        SimulatedModelFamily::Compiled(seed) => {
            let RuntimeFigures { hot, small, depth } = runtime_figures(seed);
            // What is compiled ahead is so from its first call on.
            let hot = if ahead { 1 } else { hot };
            format!("hot={hot}\nsmall={small}\ndepth={depth}\n")
        }
    }
}

fn path_list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(":")
}

/// A value as `java.util.Properties` reads it: ISO 8859-1 with escapes.
fn property(value: &str) -> String {
    let mut text = String::new();
    for unit in value.encode_utf16() {
        match u8::try_from(unit) {
            Ok(b'\\') => text.push_str("\\\\"),
            Ok(byte) if byte.is_ascii_graphic() || (byte == b' ' && !text.is_empty()) => {
                text.push(char::from(byte));
            }
            _ => text.push_str(&format!("\\u{unit:04x}")),
        }
    }
    text
}

/// Where built helpers are kept. Whether the folder is the user's alone is checked at each use.
pub(crate) fn cache_dir(options: &AgentOptions) -> PathBuf {
    // Without a place for temporary files nothing can be built, which is told then.
    options.cache_dir.clone().or_else(|| cache_path().ok()).unwrap_or_else(env::temp_dir)
}

/// The folder of the built agent, which is made if there is none for these sources
/// and this ASM, or it is not as it was built.
fn build(asm: &[PathBuf], cache: &Path) -> Result<PathBuf, SimulatedModelError> {
    let name = format!("agent-{}", key(&RUNTIME.iter().chain(&WEAVER).collect::<Vec<_>>(), asm)?);
    let built = built_folder(cache, &name, |work| {
        write(&work.join("manifest.txt"), "Premain-Class: wattline.simulation.Agent\n")?;
        compile(work, "agent", &RUNTIME, &[])?;
        compile(work, "weaver", &WEAVER, asm)
    });
    Ok(built?)
}

/// Names a build: its sources and the bytes of the jars that it is compiled with.
pub(crate) fn key(
    sources: &[&(&str, &str)],
    jars: &[PathBuf],
) -> Result<String, SimulatedModelError> {
    let mut hash = Sha256::new();
    for (name, source) in sources {
        hash.update(name);
        hash.update(source);
    }
    for jar in jars {
        hash.update(jar.as_os_str().as_encoded_bytes());
        hash.update(fs::read(jar).map_err(SimulatedModelError::file(jar))?);
    }
    Ok(hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

/// Compiles sources into `NAME.jar` in the work folder, which has a `manifest.txt`.
pub(crate) fn compile(
    work: &Path,
    name: &str,
    sources: &[(&str, &str)],
    class_path: &[PathBuf],
) -> Result<(), SimulatedModelError> {
    let (from, classes) = (work.join(format!("{name}-src")), work.join(format!("{name}-classes")));
    fs::create_dir_all(&from).map_err(SimulatedModelError::file(&from))?;
    let mut javac = program("javac");
    javac.args(BRIEF_JVM.map(|option| format!("-J{option}")));
    javac.args(["--release", "11", "-nowarn", "-encoding", "UTF-8", "-XDstringConcat=inline"]);
    javac.arg("-d").arg(&classes).args(["-cp", &path_list(class_path)]);
    for (file, source) in sources {
        write(&from.join(file), source)?;
        javac.arg(from.join(file));
    }
    run(javac)?;
    let mut jar = program("jar");
    jar.arg("-cfm").arg(work.join(format!("{name}.jar"))).arg(work.join("manifest.txt"));
    jar.arg("-C").arg(&classes).arg(".");
    run(jar)
}

fn run(mut command: Command) -> Result<(), SimulatedModelError> {
    let tool = command.get_program().to_string_lossy().into_owned();
    let failed = |problem: String| SimulatedModelError::Jdk { tool: tool.clone(), problem };
    let output = command.output().map_err(|error| failed(format!("did not start: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(failed(format!("failed with {}: {}", output.status, said.trim())))
}

fn write(path: &Path, text: &str) -> Result<(), SimulatedModelError> {
    fs::write(path, text).map_err(SimulatedModelError::file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_survives_a_properties_file() {
        assert_eq!(property("/tmp/a b\\c"), "/tmp/a b\\\\c");
        assert_eq!(property("/é😀"), "/\\u00e9\\ud83d\\ude00");
        assert_eq!(property(" x\n"), "\\u0020x\\u000a");
    }

    #[test]
    fn the_runtime_of_a_compiled_chip_has_its_figures() {
        assert_eq!(runtime_settings(SimulatedModelFamily::Additive, false), "");
        let text = runtime_settings(SimulatedModelFamily::Compiled(1), false);
        let keys: Vec<&str> =
            text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
        assert_eq!(keys, ["hot", "small", "depth"]);
        assert!(runtime_settings(SimulatedModelFamily::Compiled(1), true).starts_with("hot=1\n"));
    }

    #[test]
    fn the_settings_name_session_port_and_jars() {
        let options = AgentOptions { application: vec!["/a.jar".into()], ..Default::default() };
        let weaver = ["/b/weaver.jar".into(), "/asm.jar".into()];
        let text = settings(Path::new("/s"), 77, &options, &weaver);
        assert_eq!(
            text,
            "session=/s\nport=77\nboot_epoch_ms=0\nweaver=/b/weaver.jar:/asm.jar\n\
             application=/a.jar\n"
        );
    }
}
