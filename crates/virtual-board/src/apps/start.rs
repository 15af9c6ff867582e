//! Starting an application: a JVM with the simulated energy model's agent, its outputs in files,
//! and two threads that supervise it.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::clock_link::ClockLink;
use super::launch::{self, AppStartRequest, InstalledParts, JvmLaunch};
use super::output::ProcessOutput;
use super::process::{AppProcess, AppProcessInit};
use super::start_error::AppStartError;
use super::{AppSettings, RunningApps};
use crate::android::TranslatedPackage;
use crate::clock::Sleeper;
use crate::jdk::jdk_command;
use crate::sampler::RecordedApplication;
use crate::signals::kill_group;
use crate::simulated_model::{self, AgentOptions, SimulatedModelOptions};
use crate::user::BoardUser;

/// Options of every application's JVM, beside the agent's.
const JVM_OPTIONS: [&str; 3] = ["-Xmx512m", "-Duser.timezone=UTC", "-Dfile.encoding=UTF-8"];

/// Starts an application: that of an installed package, or else of a jar.
pub(crate) fn start(
    apps: &Arc<RunningApps>,
    installed: InstalledParts,
    start: &AppStartRequest<'_>,
) -> Result<Arc<AppProcess>, AppStartError> {
    let (settings, board) = (&apps.settings, &apps.board);
    let folder = scratch_folder(settings)?;
    let ahead = installed.application.as_ref().is_some_and(TranslatedPackage::is_compiled_ahead);
    let launch = JvmLaunch::of(&board.folder, installed, start, &folder)?;
    let link = ClockLink::listen()?;
    let lent = board.folder.user().is_other().then(|| settings.scratch.join("lent"));
    let agent = AgentOptions {
        ahead,
        application: launch.applications.clone(),
        clock_word: Some(link.word.clone()),
        lent: lent.clone(),
        boot_epoch_ms: (board.boot_epoch_ns() / 1_000_000) as u64,
        ..settings.agent.clone()
    };
    let mut options = simulated_model::agent_options(&folder, link.port, &agent)?;
    options.extend(JVM_OPTIONS.map(str::to_owned));
    let simulated_model = SimulatedModelOptions { ahead, ..settings.simulated_model.clone() };
    let simulated_model = simulated_model::open(&folder, &settings.costs, &simulated_model)?;
    let outputs =
        [ProcessOutput::create(&folder.join("out"))?, ProcessOutput::create(&folder.join("err"))?];
    let reports = ProcessOutput::create(&launch::reports_path(&folder))?;
    let framework =
        launch.framework.iter().map(|jar| simulated_model::jar_or_copy(jar, lent.as_deref()));
    let mut class_path = launch.applications.clone();
    class_path.extend(framework.collect::<Result<Vec<PathBuf>, _>>()?);
    board.folder.user().take_ownership_of_all(&folder)?;
    let hold = board.clock.hold();
    let mut child = spawn_jvm(board.folder.user(), (&options, &class_path), &launch, &outputs)?;
    let stdin = child.stdin.take();
    let package = start.package.to_owned();
    let pid = child.id();
    let has_window = launch.has_window;
    let process = Arc::new(AppProcess::new(AppProcessInit {
        board: board.clone(),
        recordings: apps.recordings.clone(),
        truth: settings.truth.clone(),
        pid,
        package,
        folder,
        hold,
        stdin,
        has_window,
        outputs,
        reports,
        simulated_model,
    }));
    apps.add(process.clone());
    let application = RecordedApplication { pid, package: start.package.to_owned() };
    apps.recordings.offer_application(board, &application);
    spawn_supervisor(apps, &process, child, link)?;
    Ok(process)
}

/// Creates a folder for the counters and outputs of one process.
fn scratch_folder(settings: &AppSettings) -> io::Result<PathBuf> {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = settings.scratch.join(format!("app-{number}"));
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Starts the JVM as the board's user.
fn spawn_jvm(
    user: BoardUser,
    (options, class_path): (&[String], &[PathBuf]),
    launch: &JvmLaunch,
    [stdout, stderr]: &[ProcessOutput; 2],
) -> io::Result<Child> {
    let class_path = std::env::join_paths(class_path).map_err(io::Error::other)?;
    user.as_user(jdk_command("java"))
        .args(options)
        .args(&launch.options)
        .arg("-cp")
        .arg(class_path)
        .args(&launch.words)
        .current_dir(&launch.folder)
        .env_remove("CLASSPATH")
        .stdin(Stdio::piped())
        .stdout(stdout.writer()?)
        .stderr(stderr.writer()?)
        .process_group(0)
        .spawn()
}

/// Starts the threads that serve the process's clock and wait for its end.
fn spawn_supervisor(
    apps: &Arc<RunningApps>,
    process: &Arc<AppProcess>,
    child: Child,
    link: ClockLink,
) -> io::Result<()> {
    let (apps, process) = (apps.clone(), process.clone());
    let builder = std::thread::Builder::new().name(format!("app {}", process.pid));
    builder.spawn(move || supervise(&apps, &process, child, &link))?;
    Ok(())
}

/// Serves the clock until the process ends, then completes and removes it.
fn supervise(apps: &RunningApps, process: &AppProcess, mut child: Child, link: &ClockLink) {
    let status = std::thread::scope(|scope| {
        scope.spawn(|| link.serve(process));
        let status = child.wait().ok();
        link.release();
        // Killed in its sleep, it will not wake.
        apps.board.clock.interrupt(Sleeper::Application(process.pid));
        status
    });
    apps.board.clock.allow(Sleeper::Application(process.pid));
    // What the application started goes with it.
    kill_group(process.pid);
    process.complete(status);
    apps.remove(process.pid);
    process.release();
    std::fs::remove_dir_all(&process.folder).ok();
}
