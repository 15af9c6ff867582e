//! The sessions of microbenchmarks, on one board or spread over several.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::boards::OpenBoard;
use crate::boards::package_kind::PackageKind;
use crate::build::VariantBuilder;
use crate::dataset::microbenchmarks::{
    MicrobenchmarkEnergy, microbenchmark_energies, sum_of_rails,
};
use crate::device::{Pinning, SessionEnd, SessionKind, SessionLogs, SessionPlan};
use crate::failure::Failure;
use crate::format::counted_as;
use crate::microbenchmarks::measure::MicrobenchmarkRun;
use crate::microbenchmarks::{Microbenchmark, program};
use crate::power::{
    MarkerTexts, NamedWindow, RuntimeShares, RuntimeThreadTimes, crash_trace, meter, parse_samples,
    parse_session_log,
};
use crate::progress::{Progress, WorkProgress};
use crate::scenario::Scenario;

use super::programs::BuiltPrograms;
use super::session_store::{MicrobenchmarkLogs, SessionStore, StoredSession};

/// The argument that names the microbenchmarks of a session.
const MICROBENCHMARKS: &str = "microbenchmarks";

/// The argument with the time in ms for which each microbenchmark is to run.
const MILLIS: &str = "millis";

/// The argument with the longest warm-up of each microbenchmark in ms.
const WARM_UP: &str = "warm";

/// A session of microbenchmarks to make, or one with stored logs.
struct MicrobenchmarkSession<'o> {
    plan: SessionPlan,
    kept: StoredSession<'o>,
    logs: Option<MicrobenchmarkLogs>,
}

/// Name of the progress bar for microbenchmarks.
pub const BAR_NAME: &str = "microbenchmarks";

/// Longest warm-up of a microbenchmark in seconds, on a JVM that compiles meanwhile; compilers
/// mostly finish after a few tenths.
const WARM_UP_S: f64 = 10.0;

/// Usual time in seconds for compiling a microbenchmark and finding its number of iterations.
const USUAL_WARM_UP_S: f64 = 0.8;

/// Largest share of compilers in a microbenchmark's CPU time; with more, it was not yet fully
/// compiled.
const COMPILING_MAX: f64 = 0.05;

/// Least share of its time for which a microbenchmark must have kept the processor busy.
const EXECUTED_MIN: f64 = 0.5;

/// Least number of meter refreshes between two microbenchmarks; the meter still shows a window for
/// two refreshes after its end.
const GAP_REFRESHES: f64 = 3.0;

/// Gap in seconds if the meter's refresh period is unknown: three refreshes of the slowest sensors
/// of boards.
const UNKNOWN_GAP_S: f64 = 0.8;

/// Shortest default gap in seconds; runtimes work a little longer than the window.
const LEAST_GAP_S: f64 = 0.2;

/// Default length of a window in refreshes of the meter.
const WINDOW_REFRESHES: f64 = 12.0;

/// Shortest and longest default window in seconds.
const WINDOW_S: (f64, f64) = (1.0, 3.0);

fn refresh_s(meter: &str) -> Option<f64> {
    meter::meter_by_name(meter).and_then(|meter| meter.usual_refresh_s())
}

/// Seconds that a microbenchmark is to run: the scenario's value, or the meter's default.
fn wanted_window_s(scenario: &Scenario, meter: &str) -> f64 {
    let (least, most) = WINDOW_S;
    let of_meter = || refresh_s(meter).map_or(most, |s| (WINDOW_REFRESHES * s).clamp(least, most));
    scenario.microbenchmarks.window_s.unwrap_or_else(of_meter)
}

/// Seconds between two microbenchmarks: the scenario's value, or as many as this meter needs.
fn gap_s(scenario: &Scenario, meter: &str) -> f64 {
    let needed_s = refresh_s(meter).map(|s| GAP_REFRESHES * s);
    let usual_s = if needed_s.is_some() { LEAST_GAP_S } else { UNKNOWN_GAP_S };
    scenario.microbenchmarks.gap_s.unwrap_or(usual_s).max(needed_s.unwrap_or(0.0))
}

fn say_gap(scenario: &Scenario, meter: &str, progress: &dyn Progress) {
    let gap_s = gap_s(scenario, meter);
    if gap_s > scenario.microbenchmarks.gap_s.unwrap_or(UNKNOWN_GAP_S) {
        progress.say(&format!(
            "  microbenchmarks are {gap_s:.1} s apart: {meter} refreshes that rarely"
        ));
    }
}

/// The properties of a board that the length of a session depends on.
#[derive(Debug, Clone, Copy)]
pub struct SessionMeter<'m> {
    /// The meter's name.
    pub meter: &'m str,
    /// Whether the board is this machine.
    pub is_local: bool,
}

impl<'b> From<&'b OpenBoard<'_>> for SessionMeter<'b> {
    fn from(board: &'b OpenBoard) -> Self {
        Self { meter: board.meter, is_local: board.is_local() }
    }
}

/// Seconds of a session on the board's clock. Where compilers work meanwhile, each microbenchmark
/// is compiled first, and rests before its collection, too.
pub fn session_s(microbenchmarks: usize, scenario: &Scenario, board: SessionMeter<'_>) -> f64 {
    let SessionMeter { meter, is_local } = board;
    let (window_s, gap_s) = (wanted_window_s(scenario, meter), gap_s(scenario, meter));
    let before_s = if is_local { gap_s + USUAL_WARM_UP_S } else { 0.0 };
    microbenchmarks as f64 * (window_s + gap_s + before_s)
}

/// Builds the microbenchmarks' program and runs sessions of all of them.
pub fn measure_all(
    microbenchmarks: &[Microbenchmark],
    scenario: &Scenario,
    builder: &mut VariantBuilder<'_>,
    boards: &[OpenBoard<'_>],
    place: SessionStore<'_>,
    progress: &dyn Progress,
) -> Result<Vec<Vec<MicrobenchmarkRun>>, Failure> {
    let programs = BuiltPrograms::build(scenario, builder, boards)?;
    measure_built(microbenchmarks, scenario, &programs, boards, place, progress)
}

/// Runs sessions of these microbenchmarks of built programs, each in another order. Several boards
/// share the sessions and work at the same time; each makes one at least. Stored sessions are not
/// made again.
pub fn measure_built(
    microbenchmarks: &[Microbenchmark],
    scenario: &Scenario,
    programs: &BuiltPrograms,
    boards: &[OpenBoard<'_>],
    place: SessionStore<'_>,
    progress: &dyn Progress,
) -> Result<Vec<Vec<MicrobenchmarkRun>>, Failure> {
    let program =
        |board: &OpenBoard<'_>| programs.of(PackageKind::for_own_programs_on(scenario, board));
    let hash = |board: &OpenBoard<'_>| program(board).map(|built| built.hash.clone());
    let mut sessions_by_board = sessions_by_board(microbenchmarks, scenario, boards, &hash, place)?;
    say_kept(&sessions_by_board, progress);
    for board in boards {
        say_gap(scenario, board.meter, progress);
    }
    let steps = |turn: &MicrobenchmarkSession<'_>| steps_of(&turn.plan);
    let bar = progress.bar(sessions_by_board.iter().flatten().map(steps).sum(), BAR_NAME);
    let there = sessions_by_board.iter().flatten().filter(|turn| turn.logs.is_some());
    bar.set_done_before(there.map(steps).sum());
    let measured: Vec<_> = thread::scope(|scope| {
        let bar = bar.as_ref();
        let workers: Vec<_> = boards
            .iter()
            .zip(&mut sessions_by_board)
            .map(|(board, sessions_by_board)| {
                let file = program(board).map(|built| built.file.as_path());
                scope.spawn(move || measure_on(board, sessions_by_board, file?, bar))
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect()
    });
    drop(bar);
    let mut runs = BTreeMap::new();
    for of_board in measured {
        runs.extend(of_board?);
    }
    Ok(runs.into_values().collect())
}

/// The sessions of each board; `hash` gives the hash of the program that a board runs.
fn sessions_by_board<'o>(
    microbenchmarks: &[Microbenchmark],
    scenario: &Scenario,
    boards: &[OpenBoard<'_>],
    hash: &dyn Fn(&OpenBoard<'_>) -> Result<String, Failure>,
    place: SessionStore<'o>,
) -> Result<Vec<Vec<MicrobenchmarkSession<'o>>>, Failure> {
    let repeats = scenario.microbenchmarks.repeats.max(boards.len() as u32);
    let mut rng = ChaCha8Rng::seed_from_u64(scenario.seed);
    let mut sessions_by_board: Vec<Vec<MicrobenchmarkSession<'_>>> =
        boards.iter().map(|_| Vec::new()).collect();
    for repeat in 1..=repeats {
        let mut order = microbenchmarks.to_vec();
        order.shuffle(&mut rng);
        let at = (repeat as usize - 1) % boards.len();
        let plan = session(&order, scenario, &boards[at], repeat);
        let description = description(&hash(&boards[at])?, &plan, &boards[at])?;
        let kept = StoredSession { place, repeat, description };
        let logs = kept.logs()?;
        sessions_by_board[at].push(MicrobenchmarkSession { plan, kept, logs });
    }
    Ok(sessions_by_board)
}

/// Prints how many sessions are stored already.
fn say_kept(sessions_by_board: &[Vec<MicrobenchmarkSession<'_>>], progress: &dyn Progress) {
    let all = sessions_by_board.iter().flatten();
    let done = all.clone().filter(|turn| turn.logs.is_some()).count();
    if done > 0 {
        let (one, many) = ("session of microbenchmarks is", "sessions of microbenchmarks are");
        let all = counted_as(all.count(), one, many);
        progress.say(&format!("{done} of {all} there already"));
    }
}

/// Everything that a session's energies depend on, in lines.
fn description(
    program: &str,
    plan: &SessionPlan,
    board: &OpenBoard<'_>,
) -> Result<String, Failure> {
    let frequency = board.fixed_khz.map_or("left".to_string(), |khz| khz.to_string());
    let mut lines = vec![
        format!("program_sha256={program}"),
        format!("board={}", board.recorded_serial()),
        format!("meter={}", board.meter),
        format!("frequency_khz={frequency}"),
    ];
    lines.extend(plan.arguments()?);
    Ok(lines.join("\n") + "\n")
}

/// Makes all sessions of one board that are not stored.
fn measure_on(
    board: &OpenBoard<'_>,
    sessions_by_board: &mut [MicrobenchmarkSession<'_>],
    file: &Path,
    bar: &dyn WorkProgress,
) -> Result<Vec<(u32, Vec<MicrobenchmarkRun>)>, Failure> {
    let is_installed = Cell::new(false);
    let mut measured = Vec::new();
    for MicrobenchmarkSession { plan, kept, logs } in sessions_by_board {
        let (logs, is_new) = match logs.take() {
            Some(logs) => (logs, false),
            None => (measure(board, plan, kept, (file, &is_installed), bar)?, true),
        };
        let (device, window_s) = (board.recorded_serial(), window_s(plan));
        let runs = energies(&logs, &board.rails, &device, window_s, board.progress())?;
        if is_new {
            // One without energies is made again.
            kept.finish()?;
        }
        measured.push((kept.repeat, runs));
    }
    Ok(measured)
}

/// Makes a session and stores its logs.
fn measure(
    board: &OpenBoard<'_>,
    plan: &SessionPlan,
    kept: &StoredSession<'_>,
    (file, is_installed): (&Path, &Cell<bool>),
    bar: &dyn WorkProgress,
) -> Result<MicrobenchmarkLogs, Failure> {
    let closed = Cell::new(0);
    let once = |board: &OpenBoard<'_>| {
        if !is_installed.replace(true) {
            board.install(file, &plan.package)?;
        }
        board.session_watched(plan, &mut |now| {
            // A session that is begun again counts on where it was.
            bar.inc(now.saturating_sub(closed.get()));
            closed.set(now.max(closed.get()));
        })
    };
    let SessionLogs { samples, logcat, outcome, script_output, .. } =
        board.with_recovery(once, |_| is_installed.set(false))?;
    let logs = MicrobenchmarkLogs { samples, logcat };
    kept.keep(&logs)?;
    if outcome.end != SessionEnd::Ok {
        let why = crash_trace(&logs.logcat).unwrap_or(script_output);
        return Err(bad(format!("it ended with {:?}: {why}", outcome.end)));
    }
    bar.inc(steps_of(plan).saturating_sub(closed.get()));
    Ok(logs)
}

/// How long each microbenchmark of a session is to run, in seconds.
fn window_s(plan: &SessionPlan) -> f64 {
    let millis = plan.extras.iter().find(|(key, _)| key == MILLIS);
    millis.and_then(|(_, value)| value.parse::<f64>().ok()).map_or(0.0, |millis| millis / 1000.0)
}

/// Number of steps of a session: each of its microbenchmarks is measured, and with a warm-up
/// compiled before.
fn steps_of(plan: &SessionPlan) -> u64 {
    let extra = |wanted: &str| plan.extras.iter().find(|(key, _)| key == wanted);
    let names = extra(MICROBENCHMARKS).map_or(0, |(_, names)| names.split(',').count() as u64);
    if extra(WARM_UP).is_some() { 2 * names } else { names }
}

fn session(
    order: &[Microbenchmark],
    scenario: &Scenario,
    board: &OpenBoard<'_>,
    repeat: u32,
) -> SessionPlan {
    let warm_s = if board.is_local() { WARM_UP_S } else { 0.0 };
    let millis = |seconds: f64| (seconds * 1000.0).round().to_string();
    let names: Vec<&str> =
        order.iter().map(|microbenchmark| microbenchmark.name.as_str()).collect();
    let gap_s = gap_s(scenario, board.meter);
    let expected = session_s(order.len(), scenario, board.into());
    let window_s = wanted_window_s(scenario, board.meter);
    let longest = 3.0 * window_s + 2.0 * gap_s + warm_s;
    let longest = order.len() as f64 * longest + 60.0;
    let mut extras = vec![
        (MICROBENCHMARKS.to_string(), names.join(",")),
        (MILLIS.to_string(), millis(window_s)),
        ("gap".to_string(), millis(gap_s)),
    ];
    if warm_s > 0.0 {
        extras.push((WARM_UP.to_string(), millis(warm_s)));
    }
    let (main, entry) = PackageKind::for_own_programs_on(scenario, board)
        .entry(program::PACKAGE_NAME, program::MAIN_CLASS);
    SessionPlan {
        label: format!("microbenchmarks-{repeat}"),
        package: program::PACKAGE_NAME.to_string(),
        main,
        entry,
        extras,
        steps: Vec::new(),
        input_command: None,
        marks: MarkerTexts::default(),
        kind: SessionKind::App,
        limit: Duration::from_secs_f64(longest),
        expected: Duration::from_secs_f64(expected),
        period: sample_period(scenario, window_s),
        pinning: Pinning::to_cores(board.big_core, scenario.board.sampler_core),
        deadline_real: Duration::from_secs_f64(longest + 120.0),
    }
}

/// Period of the samples: windows are short, and each is to have several samples, at whatever rate
/// an application's session is sampled.
fn sample_period(scenario: &Scenario, window_s: f64) -> Duration {
    const SAMPLES: f64 = 8.0;
    // A microbenchmark's energy is summed up by refreshes of the meter, so none may be missed: the
    // slowest known ones come every 264 ms, and a sample may be late.
    const REFRESH_S: f64 = 0.125;
    let application = 1.0 / scenario.session.sample_rate_hz;
    Duration::from_secs_f64(application.min(window_s / SAMPLES).min(REFRESH_S))
}

fn bad(message: String) -> Failure {
    Failure::Board(format!("microbenchmark session: {message}"))
}

fn energies(
    logs: &MicrobenchmarkLogs,
    rails: &[String],
    device: &str,
    window_s: f64,
    progress: &dyn Progress,
) -> Result<Vec<MicrobenchmarkRun>, Failure> {
    let trace = parse_samples(&logs.samples).map_err(|error| bad(error.to_string()))?;
    let windows = parse_session_log(&logs.logcat, &MarkerTexts::default())
        .microbenchmark_windows()
        .map_err(|error| bad(error.to_string()))?;
    let (windows, empty): (Vec<NamedWindow>, Vec<NamedWindow>) =
        windows.into_iter().partition(|named| named.window.start_s < named.window.end_s);
    let mut rows: Vec<MicrobenchmarkEnergy> = Vec::new();
    // Rail by rail: each sensor refreshes in its own time.
    for rail in rails {
        let rail = std::slice::from_ref(rail);
        let series = trace.series(rail).map_err(|error| bad(error.to_string()))?;
        let part = microbenchmark_energies(&series, &windows, trace.smear_timing());
        let part = part.map_err(|error| bad(error.to_string()))?;
        rows = if rows.is_empty() { part } else { sum_of_rails(&rows, &part) };
    }
    let (settled, compiling): (Vec<MicrobenchmarkEnergy>, Vec<MicrobenchmarkEnergy>) =
        rows.into_iter().partition(is_settled);
    let (some, nothing): (Vec<MicrobenchmarkEnergy>, Vec<MicrobenchmarkEnergy>) =
        settled.into_iter().partition(|row| is_executed(row, window_s));
    let names = |rows: &[MicrobenchmarkEnergy]| rows.iter().map(|row| row.name.clone()).collect();
    let mut unexecuted: Vec<String> = names(&nothing);
    unexecuted.extend(empty.into_iter().map(|named| named.name));
    say_left_out("compilers still worked on them", &names(&compiling), progress);
    say_left_out("compilers left nothing of them to be executed", &unexecuted, progress);
    some.into_iter().map(|row| microbenchmark_run(row, device)).collect()
}

fn say_left_out(why: &str, names: &[String], progress: &dyn Progress) {
    if !names.is_empty() {
        progress.warn(&format!("microbenchmarks left out, for {why}: {}", names.join(", ")));
    }
}

/// Whether a microbenchmark kept the processor busy for its time, which one that a compiler has
/// removed does not with any number of iterations. True if unknown.
fn is_executed(row: &MicrobenchmarkEnergy, window_s: f64) -> bool {
    row.threads.is_none_or(|threads| threads.process_s >= EXECUTED_MIN * window_s)
}

/// Whether compilers had finished with a microbenchmark before it was measured. True if unknown.
fn is_settled(row: &MicrobenchmarkEnergy) -> bool {
    let shares = row.threads.as_ref().and_then(RuntimeThreadTimes::shares);
    shares.is_none_or(|shares| shares.compiler <= COMPILING_MAX)
}

/// The run of a microbenchmark's window, with the application's own part of the energy, as for
/// cases.
fn microbenchmark_run(
    row: MicrobenchmarkEnergy,
    device: &str,
) -> Result<MicrobenchmarkRun, Failure> {
    let iterations = row
        .iterations
        .ok_or_else(|| bad(format!("microbenchmark {} did not say its iterations", row.name)))?;
    let shares = row.threads.as_ref().and_then(RuntimeThreadTimes::shares);
    let own = shares.map_or(1.0, RuntimeShares::application);
    let MicrobenchmarkEnergy { name, gc_runs, energy_j, duration_s, .. } = row;
    let (device, energy_j) = (device.to_owned(), energy_j * own);
    Ok(MicrobenchmarkRun { name, device, iterations, gc_runs, energy_j, duration_s })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use crate::scenario::parse_scenario;

    #[test]
    fn microbenchmarks_are_as_far_apart_as_the_meter_needs() {
        let text = "name = 'a'\n[application]\npackage = 'a.b'\nmain = 'A'\n[[source]]\n\
                    path = 's'\n[session]\nframes = 1\n[[input]]\nname = 'i'\n";
        let mut scenario = parse_scenario(text, Path::new("a.toml")).unwrap();
        let meters = ["ina231", "fuel-gauge", "odpm", "software"];
        assert_eq!(meters.map(|meter| gap_s(&scenario, meter)), [3.0 * 0.264, 3.0, 0.8, 0.2]);
        assert_eq!(meters.map(|meter| wanted_window_s(&scenario, meter)), [3.0, 3.0, 3.0, 1.0]);
        let fuel_gauge = SessionMeter { meter: "fuel-gauge", is_local: false };
        assert!((session_s(10, &scenario, fuel_gauge) - 60.0).abs() < 1e-9);
        (scenario.microbenchmarks.window_s, scenario.microbenchmarks.gap_s) =
            (Some(0.5), Some(1.5));
        assert_eq!(meters.map(|meter| gap_s(&scenario, meter)), [1.5, 3.0, 1.5, 1.5]);
        assert_eq!(meters.map(|meter| wanted_window_s(&scenario, meter)), [0.5; 4]);
    }

    /// Of the first microbenchmark a compiler left nothing, so it ends in the millisecond it
    /// begins.
    #[test]
    fn microbenchmarks_that_take_no_time_are_left_out() {
        let mut samples =
            "# wattline-readings 1 meter=software period_us=100000 tdp_w=10 cores=2\n".to_string();
        for tick in 0..40 {
            let at_s = 10.0 + f64::from(tick) * 0.1;
            let busy_s = (at_s - 12.0).clamp(0.0, 1.0);
            samples += &format!("@ {at_s:.3}\nbusy_s={busy_s:.2} frequency_share=1\n");
        }
        let said = [
            (10.001, "wattline: uptime 10.001"),
            (10.5, "wattline: begin"),
            (11.0, "wattline: iterations nothing 1099511627776"),
            (11.0, "wattline: begin nothing"),
            (11.0, "wattline: end nothing"),
            (12.0, "wattline: iterations some 5"),
            (12.0, "wattline: begin some"),
            (13.0, "wattline: end some"),
            (13.5, "wattline: end"),
            (13.6, "wattline: uptime 13.600"),
        ];
        let tag = |text: &str| if text.contains("uptime") { "" } else { "System.out: " };
        let line = |(at_s, text): &(f64, &str)| {
            format!("01-01 00:00:{at_s:06.3}   100   100 I {}{text}\n", tag(text))
        };
        let logs = MicrobenchmarkLogs { samples, logcat: said.iter().map(line).collect() };
        let runs = energies(&logs, &["estimate".to_string()], "jvm", 1.0, &Silent).unwrap();
        let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(names, ["some"]);
        assert!(runs[0].energy_j > 1.0, "{runs:?}");
    }
}
