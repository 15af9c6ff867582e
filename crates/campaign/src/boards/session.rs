//! The session plans of a scenario's application.

use std::time::Duration;

use crate::assumptions::ASSUMED;
use crate::build::BuildError;
use crate::device::{InputCommand, Pinning, SessionKind, SessionPlan};
use crate::failure::Failure;
use crate::scenario::{InputSequence, Scenario};

use super::OpenBoard;
use super::package_kind::PackageKind;

/// The plan of a session of an input. On a virtual board, sessions with the same label have the
/// same noise.
pub fn session_plan(
    scenario: &Scenario,
    board: &OpenBoard<'_>,
    input: &InputSequence,
    kind: SessionKind,
    label: String,
) -> Result<SessionPlan, Failure> {
    let settings = &scenario.session;
    let slowdown = if kind == SessionKind::Traced { ASSUMED.traced_slowdown } else { 1.0 };
    let limit = Duration::from_secs_f64(settings.limit_s * slowdown);
    let form = PackageKind::for_scenario_on(scenario, board);
    let (package, main) = (&scenario.application.package, scenario.application.main.as_deref());
    let main = match form {
        // The runner's package knows it, where something is started.
        PackageKind::Own => main.unwrap_or_default(),
        PackageKind::Jar | PackageKind::Package => main.ok_or(BuildError::NoMain)?,
    };
    let (main, entry) = form.entry(package, main);
    Ok(SessionPlan {
        label,
        package: package.clone(),
        main,
        entry,
        extras: scenario.extras(input).into_iter().collect(),
        steps: input.steps.clone(),
        input_command: input_command(scenario, board, input, limit),
        marks: settings.marker_texts(),
        kind,
        limit,
        expected: Duration::from_secs_f64(settings.duration_s),
        period: Duration::from_secs_f64(1.0 / settings.sample_rate_hz),
        pinning: Pinning::to_cores(board.big_core, scenario.board.sampler_core),
        deadline_real: deadline(limit),
    })
}

/// The limit of a session on this machine's clock, with the time of an input command, for which a
/// virtual board waits in addition.
fn deadline(limit: Duration) -> Duration {
    2 * limit + Duration::from_secs(60)
}

/// Most times as long as the unremoved case that a variant may take ...
const SLOWER: u32 = 4;

/// ... plus this time.
const LONGER: Duration = Duration::from_secs(10);

/// The session plan of a variant, with a limit derived from the time that the unremoved case
/// `took`, far below the scenario's limit, since that time is enough to see that a variant hangs.
pub(crate) fn limit_variant_session(took: Option<Duration>, plan: SessionPlan) -> SessionPlan {
    let limit = limit_of_variant(took, plan.limit);
    let input_command = plan.input_command.map(|command| InputCommand { limit, ..command });
    SessionPlan { limit, deadline_real: deadline(limit), input_command, ..plan }
}

fn limit_of_variant(took: Option<Duration>, limit: Duration) -> Duration {
    took.map_or(limit, |took| limit.min(LONGER + SLOWER * took))
}

fn input_command(
    scenario: &Scenario,
    board: &OpenBoard<'_>,
    input: &InputSequence,
    limit: Duration,
) -> Option<InputCommand> {
    let package = scenario.application.package.clone();
    Some(InputCommand {
        text: scenario.session.input_command.clone()?,
        folder: scenario.folder(),
        variables: vec![("WATTLINE_PACKAGE", package), ("WATTLINE_INPUT", input.name.clone())],
        limit,
        holds_clock: board.facts.is_virtual(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_may_take_as_long_as_the_unremoved_case_makes_likely() {
        let limit = |took: Option<u64>| {
            let took = took.map(Duration::from_secs);
            limit_of_variant(took, Duration::from_secs(60)).as_secs()
        };
        assert_eq!(limit(Some(5)), 30);
        assert_eq!(limit(Some(19)), 60, "no longer than the scenario's");
        assert_eq!(limit(None), 60);
    }
}
