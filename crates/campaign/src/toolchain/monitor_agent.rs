//! The agent that measures the methods of a JVM, built from its Java sources on first use, with ASM
//! fetched by name and hash, and kept in the cache.
//!
//! Three jars: the agent itself, the probe for the bootstrap class loader, and the service,
//! which lives beside ASM in a class loader of its own.

use std::fs;
use std::path::{Path, PathBuf};

use crate::private_files::{built_folder, cache_folder};

use super::compiled_jar::{AgentJar, agent_key};
use super::{Jdk, ToolchainError, asm, jar};

const AGENT: [(&str, &str); 1] = [("Agent.java", include_str!("monitor/Agent.java"))];
const PROBE: [(&str, &str); 4] = [
    ("Clock.java", include_str!("monitor/Clock.java")),
    ("Live.java", include_str!("monitor/Live.java")),
    ("Probe.java", include_str!("monitor/Probe.java")),
    ("ThreadRecord.java", include_str!("monitor/ThreadRecord.java")),
];
const SERVICE: [(&str, &str); 25] = [
    ("CallTree.java", include_str!("monitor/CallTree.java")),
    ("Connection.java", include_str!("monitor/Connection.java")),
    ("Ended.java", include_str!("monitor/Ended.java")),
    ("EndedThreads.java", include_str!("monitor/EndedThreads.java")),
    ("Endings.java", include_str!("monitor/Endings.java")),
    ("Filter.java", include_str!("monitor/Filter.java")),
    ("Link.java", include_str!("monitor/Link.java")),
    ("Listener.java", include_str!("monitor/Listener.java")),
    ("LiveThread.java", include_str!("monitor/LiveThread.java")),
    ("Looks.java", include_str!("monitor/Looks.java")),
    ("MethodProbe.java", include_str!("monitor/MethodProbe.java")),
    ("Methods.java", include_str!("monitor/Methods.java")),
    ("Reader.java", include_str!("monitor/Reader.java")),
    ("Recent.java", include_str!("monitor/Recent.java")),
    ("Sampled.java", include_str!("monitor/Sampled.java")),
    ("Sampler.java", include_str!("monitor/Sampler.java")),
    ("Scheduler.java", include_str!("monitor/Scheduler.java")),
    ("Service.java", include_str!("monitor/Service.java")),
    ("Shapes.java", include_str!("monitor/Shapes.java")),
    ("Sighting.java", include_str!("monitor/Sighting.java")),
    ("Sockets.java", include_str!("monitor/Sockets.java")),
    ("SourceFiles.java", include_str!("monitor/SourceFiles.java")),
    ("TimerTicks.java", include_str!("monitor/TimerTicks.java")),
    ("Waits.java", include_str!("monitor/Waits.java")),
    ("Weaver.java", include_str!("monitor/Weaver.java")),
];
/// Source of the part of the service for JDKs from 14 on.
const RECORDER: [(&str, &str); 2] = [
    ("Recorder.java", include_str!("monitor/Recorder.java")),
    ("ThreadStarts.java", include_str!("monitor/ThreadStarts.java")),
];
const ATTACH: [(&str, &str); 1] = [("Attach.java", include_str!("monitor/Attach.java"))];

const AGENT_CLASS: &str = "wattline.monitor.agent.Agent";
const MANIFEST: [(&str, &str); 3] = [
    ("Premain-Class", AGENT_CLASS),
    ("Agent-Class", AGENT_CLASS),
    ("Can-Retransform-Classes", "true"),
];

/// Paths of the built agent's jars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonitorAgent {
    /// Jar of the agent itself, which a JVM loads.
    pub agent: PathBuf,
    /// Jar of the probe, for the bootstrap class loader.
    pub probe: PathBuf,
    /// Class path of the service, ASM included.
    pub service: Vec<PathBuf>,
    /// Jar of the program that loads the agent into a running JVM.
    pub attach: PathBuf,
}

/// The agent's jars, built if absent; the first use on a machine takes some seconds and, for ASM,
/// Maven.
///
/// # Errors
/// No JDK, no ASM, folders that can't be written.
pub fn monitor_agent(jdk: &Jdk) -> Result<MonitorAgent, ToolchainError> {
    let asm = asm::commons_jars()?;
    let sources = AGENT.iter().chain(&PROBE).chain(&SERVICE).chain(&RECORDER).chain(&ATTACH);
    let name = format!("monitor-agent-{}", agent_key(sources, &asm));
    let place = built_folder(&cache_folder()?, &name, |work| build(jdk, &asm, work))?;
    let mut service = vec![place.join("service.jar"), place.join("recorder.jar")];
    service.extend(asm);
    Ok(MonitorAgent {
        agent: place.join("agent.jar"),
        probe: place.join("probe.jar"),
        service,
        attach: place.join("attach.jar"),
    })
}

impl MonitorAgent {
    /// The bytes of one jar with all parts, for `-javaagent:FILE` on a machine without wattline.
    ///
    /// # Errors
    /// Jars that can't be read.
    pub fn one_jar(&self) -> Result<Vec<u8>, ToolchainError> {
        let mut files = jar::read_library(&self.agent, |name| name.ends_with(".class"))?;
        let mut names = String::new();
        // The probe is the first: it goes to another class loader.
        let jars = std::iter::once(&self.probe).chain(&self.service).filter(|jar| jar.is_file());
        for path in jars {
            let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            let bytes = fs::read(path).map_err(ToolchainError::io("read", path))?;
            files.insert(format!("wattline/{name}"), bytes);
            names += &format!("{name}\n");
        }
        files.insert("wattline/jars".into(), names.into_bytes());
        Ok(jar::pack(&MANIFEST, &files))
    }
}

/// Builds all jars in a folder, for Java 11; the agent's own class for Java 8.
fn build(jdk: &Jdk, asm: &[PathBuf], work: &Path) -> Result<(), ToolchainError> {
    let compile = |name: &str,
                   sources: &[(&str, &str)],
                   class_path: &[PathBuf],
                   manifest: &[(&str, &str)]| {
        let release: &[&str] = match name {
            // A JVM that is too old for the rest has to load what reports that.
            "agent" => &["--release", "8"],
            "probe" => &["--release", "11"],
            // Management and attachment, which the platform does not export by release.
            _ => &["-source", "11", "-target", "11"],
        };
        AgentJar { name, sources, class_path, release, manifest }.compile(jdk, work)
    };
    compile("probe", &PROBE, &[], &[])?;
    let service = [asm, &[work.join("probe-classes")]].concat();
    compile("service", &SERVICE, &service, &[])?;
    let recorder = [service, vec![work.join("service-classes")]].concat();
    match compile("recorder", &RECORDER, &recorder, &[]) {
        // On a JDK without streams of Flight Recorder the agent reports that it is missing.
        Err(ToolchainError::Process { message, .. }) if message.contains("jdk.jfr") => {}
        other => other?,
    }
    compile("attach", &ATTACH, &[], &[("Main-Class", "wattline.monitor.attach.Attach")])?;
    compile("agent", &AGENT, &[], &MANIFEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_agent_is_built_once() {
        let Ok(jdk) = Jdk::find() else {
            return crate::skip::because("no JDK");
        };
        let agent = match monitor_agent(&jdk) {
            Ok(agent) => agent,
            Err(error) => return crate::skip::because(error),
        };
        let classes = jar::read(&agent.probe, ".class", |_| true).unwrap().entries;
        assert!(classes.contains_key("wattline/monitor/probe/Probe.class"));
        let own = jar::read(&agent.agent, ".class", |_| true).unwrap().entries;
        assert_eq!(own.len(), 1, "the application's class path gets one class: {own:?}");
        let version = own.values().next().map(|class| class[7]);
        assert_eq!(version, Some(52), "Java 8 loads it, and goes on without the rest");
        assert!(agent.service[1].is_file(), "this JDK has streams of Flight Recorder");
        assert_eq!(monitor_agent(&jdk).unwrap(), agent);
    }

    /// Threads that use less than a millisecond have no event that would remove their start.
    #[test]
    fn starts_of_threads_that_never_end_make_room_for_later_ones() {
        let (Ok(jdk), Ok(folder)) = (Jdk::find(), tempfile::tempdir()) else {
            return crate::skip::because("no JDK");
        };
        let main = "package wattline.monitor.service;
            import java.time.Instant;
            public class Main { public static void main(String[] a) {
                ThreadStarts starts = new ThreadStarts();
                for (int thread = 0; thread <= ThreadStarts.KEPT; thread++) {
                    starts.add(thread, Instant.EPOCH);
                }
                long[] threads = {0, 1, ThreadStarts.KEPT, ThreadStarts.KEPT};
                for (long thread : threads) { System.out.println(starts.remove(thread)); }
            } }";
        let files = [RECORDER[1], ("Main.java", main)].map(|(name, text)| {
            let file = folder.path().join(name);
            fs::write(&file, text).unwrap();
            file
        });
        let mut javac = jdk.short_run_javac();
        assert!(javac.arg("-d").arg(folder.path()).args(files).status().unwrap().success());
        let mut java = Command::new(&jdk.java);
        java.arg("-cp").arg(folder.path()).arg("wattline.monitor.service.Main");
        let printed = String::from_utf8(java.output().unwrap().stdout).unwrap();
        let starts: Vec<&str> = printed.lines().collect();
        assert_eq!(starts, ["null", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "null"]);
    }
}
