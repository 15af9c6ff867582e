//! Starting an application: a JVM with the silicon's agent, the package's folder as
//! working directory, its outputs in files, and two threads of ours that see to it.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

use super::output::Output;
use super::process::{Begin, Process};
use super::{Settings, link};
use crate::clock::Sleeper;
use crate::jdk::program;
use crate::machine::Machine;
use crate::package::{self, Package};
use crate::signals::kill_group;
use crate::silicon::{self, AgentOptions, SiliconError};

/// Options of every application's JVM, beside the agent's.
const JVM_OPTIONS: [&str; 3] = ["-Xmx512m", "-Duser.timezone=UTC", "-Dfile.encoding=UTF-8"];

/// What is to be started.
pub(crate) struct Start<'a> {
    pub package: &'a str,
    pub class: &'a str,
    /// `KEY=VALUE`, the program's arguments.
    pub extras: &'a [String],
}

/// Why an application was not started.
#[derive(Debug, Error)]
pub(crate) enum StartError {
    #[error("Activity class {{{package}/{class}}} does not exist.")]
    Unknown { package: String, class: String },
    #[error("the silicon's agent can't be used: {0}")]
    Silicon(#[from] SiliconError),
    #[error("the JVM can't be started: {0}")]
    Jvm(#[from] io::Error),
}

/// Starts an application.
pub(crate) fn start(machine: &Arc<Machine>, start: &Start<'_>) -> Result<Arc<Process>, StartError> {
    let Start { package, class, .. } = *start;
    let found = package::find(machine.root(), package);
    let place = found.filter(|place| package::has_class(&place.jar, class)).ok_or_else(|| {
        StartError::Unknown { package: package.to_owned(), class: class.to_owned() }
    })?;
    let settings = &machine.apps.settings;
    let folder = scratch_folder(settings)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let agent = AgentOptions {
        application: vec![place.jar.clone()],
        boot_epoch_ms: (machine.boot_epoch_ns() / 1_000_000) as u64,
        ..settings.agent.clone()
    };
    let mut options = silicon::agent_options(&folder, listener.local_addr()?.port(), &agent)?;
    options.extend(JVM_OPTIONS.map(str::to_owned));
    let silicon = silicon::open(&folder, &settings.costs, &settings.silicon)?;
    let outputs = [Output::create(&folder.join("out"))?, Output::create(&folder.join("err"))?];
    let hold = machine.clock.hold();
    let mut child = spawn(&options, &place, start, &outputs)?;
    let stdin = child.stdin.take().ok_or_else(|| io::Error::other("no input pipe"))?;
    let package = package.to_owned();
    let pid = child.id();
    let begin = Begin { pid, package, folder, hold, stdin, outputs, silicon };
    let process = Arc::new(Process::new(begin));
    machine.apps.add(process.clone());
    see_to(machine, &process, child, listener)?;
    Ok(process)
}

/// A folder for the counters and outputs of one process.
fn scratch_folder(settings: &Settings) -> io::Result<PathBuf> {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = settings.scratch.join(format!("app-{number}"));
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn spawn(
    options: &[String],
    place: &Package,
    start: &Start<'_>,
    [stdout, stderr]: &[Output; 2],
) -> io::Result<Child> {
    program("java")
        .args(options)
        .arg("-cp")
        .arg(&place.jar)
        .arg(start.class)
        .args(start.extras)
        .current_dir(&place.files)
        .env_remove("CLASSPATH")
        .stdin(Stdio::piped())
        .stdout(stdout.writer()?)
        .stderr(stderr.writer()?)
        .process_group(0)
        .spawn()
}

/// Serves the process's clock on one thread and waits for its end on another.
fn see_to(
    machine: &Arc<Machine>,
    process: &Arc<Process>,
    child: Child,
    listener: TcpListener,
) -> io::Result<()> {
    let (machine, process) = (machine.clone(), process.clone());
    let builder = std::thread::Builder::new().name(format!("app {}", process.pid));
    builder.spawn(move || supervise(&machine, &process, child, &listener))?;
    Ok(())
}

fn supervise(machine: &Machine, process: &Process, mut child: Child, listener: &TcpListener) {
    let status = std::thread::scope(|scope| {
        scope.spawn(|| link::serve(listener, process, machine));
        let status = child.wait().ok();
        link::release(listener);
        // Killed in its sleep, it will not wake.
        machine.clock.interrupt(Sleeper::Application(process.pid));
        status
    });
    machine.clock.allow(Sleeper::Application(process.pid));
    // What the application started goes with it.
    kill_group(process.pid);
    process.end(machine, status);
    std::fs::remove_dir_all(&process.folder).ok();
}
