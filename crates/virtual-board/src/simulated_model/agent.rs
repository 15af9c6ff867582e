//! Java agent that counts executed code: builds it from its sources on first use, and gives the
//! options that start a JVM with it.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};
use wattline_private_files::{built_folder, cache_path};

use super::asm;
use super::compiled::{CompilerThresholds, compiler_thresholds};
use super::error::SimulatedModelError;
use super::family::SimulatedModelFamily;
use super::library::LibraryTable;
use super::options::AgentOptions;
use crate::jdk::{BRIEF_JVM_OPTIONS, jdk_command};

/// Java sources of the agent on the application's class path.
const RUNTIME_SOURCES: [(&str, &str); 5] = [
    ("Agent.java", include_str!("../agent/Agent.java")),
    ("Clock.java", include_str!("../agent/Clock.java")),
    ("Meter.java", include_str!("../agent/Meter.java")),
    ("OtherThreads.java", include_str!("../agent/OtherThreads.java")),
    ("Tiers.java", include_str!("../agent/Tiers.java")),
];

/// Java sources of the agent with a class loader of its own, beside ASM.
const WEAVER_SOURCES: [(&str, &str); 16] = [
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

/// JVM options with which methods that counters made large are compiled and the start is fast.
/// Counts do not depend on the compiler; a session is too short for the optimising one to pay.
/// Microbenchmarks are thousands of loops, each entered once and for less than the 60 000
/// iterations after which one is compiled by default, and together they have more code than the
/// cache is usually large.
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

/// JVM options with which an application is counted in `session_dir` (which is created) and takes
/// its time from the clock on this loopback port. The first use on a machine builds the agent with
/// the JDK's compiler, which takes some seconds.
///
/// # Errors
/// No ASM, no JDK, folders that can't be written.
pub fn agent_options(
    session_dir: &Path,
    clock_port: u16,
    options: &AgentOptions,
) -> Result<Vec<String>, SimulatedModelError> {
    let asm = asm::find_asm_jars(options.fetch_asm)?;
    let built = build_agent(&asm, &cache_dir(options))?;
    fs::create_dir_all(session_dir).map_err(SimulatedModelError::file(session_dir))?;
    let session = fs::canonicalize(session_dir).map_err(SimulatedModelError::file(session_dir))?;
    write_file(&session.join("units.txt"), &LibraryTable::built_in().unit_lines())?;
    let configuration = session.join("agent.properties");
    let weaver: Vec<PathBuf> = std::iter::once(built.join("weaver.jar")).chain(asm).collect();
    let lent = |jar: &PathBuf| jar_or_copy(jar, options.lent.as_deref());
    let weaver = weaver.iter().map(lent).collect::<Result<Vec<PathBuf>, _>>()?;
    write_file(&configuration, &agent_properties(&session, clock_port, options, &weaver))?;
    let agent = lent(&built.join("agent.jar"))?;
    let mut all = vec![format!("-javaagent:{}={}", agent.display(), configuration.display())];
    all.extend(JVM_OPTIONS.map(str::to_string));
    Ok(all)
}

/// Text of the agent's properties file.
fn agent_properties(
    session: &Path,
    clock_port: u16,
    options: &AgentOptions,
    weaver: &[PathBuf],
) -> String {
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
    .map(|(key, value)| format!("{key}={}\n", escape_property(&value)))
    .collect::<String>()
        + &runtime_properties(options.family, options.ahead)
}

/// Path of a jar, or of its copy in a folder of copies, which is made once.
pub(crate) fn jar_or_copy(
    jar: &Path,
    folder: Option<&Path>,
) -> Result<PathBuf, SimulatedModelError> {
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

/// Properties with which the agent's runtime imitates a compiler; none for the additive family.
fn runtime_properties(family: SimulatedModelFamily, ahead: bool) -> String {
    match family {
        SimulatedModelFamily::Additive => String::new(),
        SimulatedModelFamily::Compiled(seed) => {
            let CompilerThresholds { hot, small, depth } = compiler_thresholds(seed);
            // What is compiled ahead is so from its first call on.
            let hot = if ahead { 1 } else { hot };
            format!("hot={hot}\nsmall={small}\ndepth={depth}\n")
        }
    }
}

/// Paths joined by colons.
fn path_list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(":")
}

/// Value as `java.util.Properties` reads it: ISO 8859-1 with escapes.
fn escape_property(value: &str) -> String {
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

/// Cache folder of built jars. Each use checks whether the folder is the user's alone.
pub(crate) fn cache_dir(options: &AgentOptions) -> PathBuf {
    // Without a place for temporary files nothing can be built, which is told then.
    options.cache_dir.clone().or_else(|| cache_path().ok()).unwrap_or_else(env::temp_dir)
}

/// Folder of the built agent, built if there is none for these sources and this ASM, or if it was
/// changed.
fn build_agent(asm: &[PathBuf], cache: &Path) -> Result<PathBuf, SimulatedModelError> {
    let name = format!(
        "agent-{}",
        build_key(&RUNTIME_SOURCES.iter().chain(&WEAVER_SOURCES).collect::<Vec<_>>(), asm)?
    );
    let built = built_folder(cache, &name, |work| {
        write_file(&work.join("manifest.txt"), "Premain-Class: wattline.simulation.Agent\n")?;
        compile_jar(work, "agent", &RUNTIME_SOURCES, &[])?;
        compile_jar(work, "weaver", &WEAVER_SOURCES, asm)
    });
    Ok(built?)
}

/// Cache key of a build: hash of its sources and of the bytes of the jars on its class path.
pub(crate) fn build_key(
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

/// Compiles sources into `NAME.jar` in the work folder, which contains a `manifest.txt`.
pub(crate) fn compile_jar(
    work: &Path,
    name: &str,
    sources: &[(&str, &str)],
    class_path: &[PathBuf],
) -> Result<(), SimulatedModelError> {
    let (from, classes) = (work.join(format!("{name}-src")), work.join(format!("{name}-classes")));
    fs::create_dir_all(&from).map_err(SimulatedModelError::file(&from))?;
    let mut javac = jdk_command("javac");
    javac.args(BRIEF_JVM_OPTIONS.map(|option| format!("-J{option}")));
    javac.args(["--release", "11", "-nowarn", "-encoding", "UTF-8", "-XDstringConcat=inline"]);
    javac.arg("-d").arg(&classes).args(["-cp", &path_list(class_path)]);
    for (file, source) in sources {
        write_file(&from.join(file), source)?;
        javac.arg(from.join(file));
    }
    run_jdk_tool(javac)?;
    let mut jar = jdk_command("jar");
    jar.arg("-cfm").arg(work.join(format!("{name}.jar"))).arg(work.join("manifest.txt"));
    jar.arg("-C").arg(&classes).arg(".");
    run_jdk_tool(jar)
}

/// Runs a tool of the JDK; an error if it fails.
fn run_jdk_tool(mut command: Command) -> Result<(), SimulatedModelError> {
    let tool = command.get_program().to_string_lossy().into_owned();
    let failed = |problem: String| SimulatedModelError::Jdk { tool: tool.clone(), problem };
    let output = command.output().map_err(|error| failed(format!("did not start: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(failed(format!("failed with {}: {}", output.status, said.trim())))
}

/// Writes a file; an error with its path.
fn write_file(path: &Path, text: &str) -> Result<(), SimulatedModelError> {
    fs::write(path, text).map_err(SimulatedModelError::file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_survives_a_properties_file() {
        assert_eq!(escape_property("/tmp/a b\\c"), "/tmp/a b\\\\c");
        assert_eq!(escape_property("/é😀"), "/\\u00e9\\ud83d\\ude00");
        assert_eq!(escape_property(" x\n"), "\\u0020x\\u000a");
    }

    #[test]
    fn the_runtime_of_a_compiled_chip_has_its_figures() {
        assert_eq!(runtime_properties(SimulatedModelFamily::Additive, false), "");
        let text = runtime_properties(SimulatedModelFamily::Compiled(1), false);
        let keys: Vec<&str> =
            text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
        assert_eq!(keys, ["hot", "small", "depth"]);
        assert!(runtime_properties(SimulatedModelFamily::Compiled(1), true).starts_with("hot=1\n"));
    }

    #[test]
    fn the_settings_name_session_port_and_jars() {
        let options = AgentOptions { application: vec!["/a.jar".into()], ..Default::default() };
        let weaver = ["/b/weaver.jar".into(), "/asm.jar".into()];
        let text = agent_properties(Path::new("/s"), 77, &options, &weaver);
        assert_eq!(
            text,
            "session=/s\nport=77\nboot_epoch_ms=0\nweaver=/b/weaver.jar:/asm.jar\n\
             application=/a.jar\n"
        );
    }
}
