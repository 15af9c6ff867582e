//! The agent that counts how often a JVM executes each bytecode instruction of a program, built
//! from its Java sources on first use, with ASM fetched by name and hash, and kept in the cache.

use std::fs;
use std::path::{Path, PathBuf};

use crate::private_files::{built_folder, cache_folder};

use super::class_path::join_paths;
use super::code_listing::{ListedInstruction, parse_instruction};
use super::compiled_jar::{AgentJar, agent_key};
use super::{Jdk, ToolchainError, asm};

const AGENT: [(&str, &str); 1] = [("Agent.java", include_str!("bytecode/Agent.java"))];
const PROBE: [(&str, &str); 1] = [("Counters.java", include_str!("bytecode/Counters.java"))];
const SERVICE: [(&str, &str); 2] = [
    ("BytecodeCounter.java", include_str!("bytecode/BytecodeCounter.java")),
    ("ClassCode.java", include_str!("java/ClassCode.java")),
];

const MANIFEST: [(&str, &str); 1] = [("Premain-Class", "wattline.bytecode.agent.Agent")];

/// The built agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BytecodeCounter {
    folder: PathBuf,
    asm: Vec<PathBuf>,
}

/// A method with the executions of each of its instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedMethod {
    /// Binary name of the class.
    pub class: String,
    /// Name of the method.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Its instructions in order, with their executions.
    pub instructions: Vec<(ListedInstruction, u64)>,
}

/// The counts of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BytecodeCounts {
    /// The methods with code of all loaded classes of the program.
    pub methods: Vec<CountedMethod>,
    /// Classes and methods without counters, each with the reason.
    pub uncounted: Vec<(String, String)>,
}

impl CountedMethod {
    /// Whether this is the name of the method, or of a class or package that it is in.
    pub fn is_within(&self, name: &str) -> bool {
        is_within(&format!("{}.{}", self.class, self.name), name)
    }
}

impl BytecodeCounts {
    /// Code without counters, with the reason: the first that is the method, class or package of
    /// this name, or in it, or the class of this method.
    pub fn uncounted_within(&self, name: &str) -> Option<(&str, &str)> {
        let is_of = |(uncounted, _): &&(String, String)| match uncounted.strip_suffix("()") {
            Some(method) => is_within(method, name),
            None => is_within(uncounted, name) || is_member(name, uncounted),
        };
        let (uncounted, reason) = self.uncounted.iter().find(is_of)?;
        Some((uncounted, reason))
    }
}

/// Whether a full name is another one, or begins with it as its class or package.
fn is_within(full: &str, name: &str) -> bool {
    full.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '$']))
}

/// Whether a full name is that of a method of the class.
fn is_member(full: &str, class: &str) -> bool {
    full.strip_prefix(class).is_some_and(|rest| rest.starts_with('.'))
}

impl BytecodeCounter {
    /// The agent, built if absent; the first use on a machine takes some seconds and, for ASM,
    /// Maven.
    ///
    /// # Errors
    /// No ASM; javac refuses the sources; folders that can't be written.
    pub fn get(jdk: &Jdk) -> Result<Self, ToolchainError> {
        let asm = asm::all_jars()?;
        let key = agent_key(AGENT.iter().chain(&PROBE).chain(&SERVICE), &asm);
        let name = format!("bytecode-counter-{key}");
        let folder = built_folder(&cache_folder()?, &name, |work| build(jdk, &asm, work))?;
        Ok(Self { folder, asm })
    }

    /// Options of a JVM that writes the counts to a file when it ends.
    pub fn options(&self, counts: &Path) -> Vec<String> {
        let service: Vec<PathBuf> =
            [self.folder.join("service.jar")].into_iter().chain(self.asm.iter().cloned()).collect();
        vec![
            // A JVM with an addition to its boot class path warns that it shares less.
            "-Xshare:off".to_owned(),
            format!("-Dwattline.bytecode.probe={}", self.folder.join("probe.jar").display()),
            format!("-Dwattline.bytecode.service={}", join_paths(&service)),
            format!("-javaagent:{}={}", self.folder.join("agent.jar").display(), counts.display()),
        ]
    }
}

/// Builds all jars in a folder.
fn build(jdk: &Jdk, asm: &[PathBuf], work: &Path) -> Result<(), ToolchainError> {
    let compile = |name: &str,
                   sources: &[(&str, &str)],
                   class_path: &[PathBuf],
                   manifest: &[(&str, &str)]| {
        let release = &["--release", "11"];
        AgentJar { name, sources, class_path, release, manifest }.compile(jdk, work)
    };
    compile("probe", &PROBE, &[], &[])?;
    compile("service", &SERVICE, &[asm, &[work.join("probe.jar")]].concat(), &[])?;
    compile("agent", &AGENT, &[], &MANIFEST)
}

/// Reads the counts that a JVM with the agent has written.
///
/// # Errors
/// No counts: the JVM was ended by force.
pub fn read_bytecode_counts(path: &Path) -> Result<BytecodeCounts, ToolchainError> {
    let text = fs::read_to_string(path).map_err(|error| ToolchainError::Process {
        program: "the JVM that counts bytecode",
        message: format!(
            "it has left no counts ({error}); it has to end by itself, by System.exit or a signal \
             that a JVM handles"
        ),
    })?;
    Ok(parse(&text))
}

fn parse(text: &str) -> BytecodeCounts {
    let mut counts = BytecodeCounts::default();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields.as_slice() {
            ["method", _, class, name, descriptor] => counts.methods.push(CountedMethod {
                class: (*class).to_owned(),
                name: (*name).to_owned(),
                descriptor: (*descriptor).to_owned(),
                instructions: Vec::new(),
            }),
            ["instruction", rest @ .., executions] => {
                let one = parse_instruction(rest).zip(executions.parse().ok());
                if let Some((method, one)) = counts.methods.last_mut().zip(one) {
                    method.instructions.push(one);
                }
            }
            ["uncounted", class, "-", reason] => {
                counts.uncounted.push(((*class).to_owned(), (*reason).to_owned()));
            }
            ["uncounted", class, method, reason] => {
                counts.uncounted.push((format!("{class}.{method}()"), (*reason).to_owned()));
            }
            _ => {}
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn counts_have_methods_and_what_was_not_counted() {
        let text = "method\tclass\ta.B\trun\t()V\ninstruction\tiload\t-\t-\t7\n\
                    instruction\tgoto\t-\t0\t9\nuncounted\ta.C\t-\tbroken\n\
                    uncounted\ta.D\tbig\ttoo large\n";
        let counts = parse(text);
        let executions: Vec<u64> =
            counts.methods[0].instructions.iter().map(|(_, count)| *count).collect();
        assert_eq!(executions, [7, 9]);
        assert_eq!(counts.methods[0].instructions[1].0.target, Some(0));
        let names: Vec<&str> = counts.uncounted.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a.C", "a.D.big()"]);
        assert!(read_bytecode_counts(Path::new("/nonexistent")).is_err());
    }

    #[test]
    fn code_without_counters_is_found_by_its_name_and_by_those_around_it() {
        let text = "uncounted\ta.C\t-\tbroken\nuncounted\ta.D\tbig\ttoo large\n";
        let counts = parse(text);
        let found = |name| counts.uncounted_within(name).map(|(_, reason)| reason);
        for name in ["a.C", "a.C.run", "a"] {
            assert_eq!(found(name), Some("broken"), "{name}");
        }
        assert_eq!([found("a.D"), found("a.D.big")], [Some("too large"); 2]);
        for name in ["a.Cat", "a.C$B.run", "a.D.bigger", "a.D.small", "b"] {
            assert_eq!(found(name), None, "{name}");
        }
    }

    /// Four threads of which every second division fails: no execution is lost, and none counted
    /// that was not made.
    #[test]
    fn counts_are_exact_beside_exceptions_and_threads() {
        let (Ok(jdk), Ok(folder)) = (Jdk::find(), tempfile::tempdir()) else {
            return crate::skip::because("no JDK");
        };
        let counter = match BytecodeCounter::get(&jdk) {
            Ok(counter) => counter,
            Err(error) => return crate::skip::because(error),
        };
        let source = folder.path().join("Work.java");
        let text = "public class Work {
            static int half(int x) { try { return 10 / x; } catch (ArithmeticException e) { return -1; } }
            public static void main(String[] a) throws Exception {
                Thread[] all = new Thread[4];
                for (int t = 0; t < 4; t++) {
                    all[t] = new Thread(() -> { for (int i = 0; i < 1000; i++) { half(i & 1); } });
                    all[t].start();
                }
                for (Thread one : all) { one.join(); }
            } }";
        fs::write(&source, text).unwrap();
        let done = Command::new(&jdk.javac).arg("-d").arg(folder.path()).arg(&source).status();
        assert!(done.unwrap().success());
        let file = folder.path().join("counts.txt");
        let mut java = Command::new(&jdk.java);
        java.args(counter.options(&file)).arg("-cp").arg(folder.path()).arg("Work");
        let output = java.output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        let counts = read_bytecode_counts(&file).unwrap();
        let half = counts.methods.iter().find(|method| method.name == "half").unwrap();
        let of = |name: &str| half.instructions.iter().find(|(one, _)| one.name == name).unwrap().1;
        assert_eq!([of("idiv"), of("ireturn"), of("astore")], [4000, 2000, 2000]);
        assert!(counts.uncounted.is_empty());
    }
}
