//! Activities of a campaign for its report, where the application reports them
//! (docs/internals/activities.md).

use crate::attribution::activities::{
    self, AccountOptions, Analysis, AnalysisOptions, Labels, analyse, has_lines, read_lines,
};
use crate::campaign::RunPhase;
use crate::facts::ScenarioFacts;
use crate::folder::CampaignFolder;
use crate::power::parse_samples;
use crate::progress::Progress;
use crate::report::{ReportSection, activities_section};
use crate::run::{RawLogs, RunRecord};

/// The report's section on activities; `None` where no run's log has one. Logs that cannot be
/// analysed are reported to `progress` and left out.
pub(super) fn campaign_activities(
    folder: &CampaignFolder,
    facts: &ScenarioFacts,
    scenario: &str,
    progress: &dyn Progress,
) -> Option<ReportSection> {
    let mut labels = Labels::default();
    let mut analyses = Vec::new();
    for case in facts.cases.iter().filter(|case| case.removed.is_empty()) {
        let Some(record) = power_run(facts, &case.name) else { continue };
        // A campaign without raw logs still has its report.
        let Ok(logs) = folder.logs(record) else { continue };
        match analyse_run((scenario, &case.input), &logs, &record.board.rails, &mut labels) {
            Ok(found) => analyses.extend(found),
            Err(problem) => {
                progress.warn(&format!("activities of {}: {problem}", record.folder));
            }
        }
    }
    (!analyses.is_empty()).then(|| activities_section(&analyses, &labels))
}

/// First valid power run of a case, on the report's board.
fn power_run<'f>(facts: &'f ScenarioFacts, case: &str) -> Option<&'f RunRecord> {
    let is_it = |record: &&RunRecord| {
        facts.is_own(record)
            && record.is_good()
            && record.run.phase == RunPhase::Power
            && record.run.case == case
    };
    facts.records.iter().find(is_it)
}

/// Analysis of one run's activities with its power samples; `None` where its log has no activity.
fn analyse_run(
    (scenario, input): (&str, &str),
    logs: &RawLogs,
    rails: &[String],
    labels: &mut Labels,
) -> Result<Option<Analysis>, String> {
    if !has_lines(&logs.logcat) {
        return Ok(None);
    }
    let states = read_lines(&logs.logcat, scenario, labels);
    let mut meter = activities::NodeLog::new(scenario);
    let trace = parse_samples(&logs.samples).map_err(|error| error.to_string())?;
    meter.readings =
        activities::readings_of_rails(&trace, rails).map_err(|error| error.to_string())?;
    let log = activities::merge_logs(input, vec![states, meter]);
    let log = activities::merge_frequencies_into_states(log);
    let options =
        AnalysisOptions { account: AccountOptions::default(), ..AnalysisOptions::default() };
    analyse(log, labels, &options).map(Some).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logs(logcat: &str) -> RawLogs {
        let mut samples =
            "# wattline-samples 1 rails=arm,mem unit=W period_us=500000\n".to_string();
        for half in 100..=112_u32 {
            let watts = if (104..108).contains(&half) { "2.5 0.1" } else { "0.5 0.1" };
            samples += &format!("{:.2} {watts}\n", f64::from(half) / 2.0);
        }
        RawLogs { samples, logcat: logcat.into(), ..RawLogs::default() }
    }

    #[test]
    fn a_run_that_names_activities_has_a_picture() {
        let logcat = "01-01 09:00:00.000  100  100 I wattline: uptime 50.00\n\
            01-01 09:00:02.000  200  201 I System.out: wattline-act B 7000000000 1 load\n\
            01-01 09:00:04.000  200  201 I System.out: wattline-act E 9000000000 1\n";
        let mut labels = Labels::default();
        let rails = ["arm".to_string()];
        let found = analyse_run(("game", "few"), &logs(logcat), &rails, &mut labels).unwrap();
        let part = activities_section(&[found.unwrap()], &labels);
        assert!(part.html.contains("game:load") && part.html.contains("<bdi>few</bdi>"));
        assert!(part.html.contains("class=\"measured\""), "{}", part.html);
    }

    #[test]
    fn a_run_without_has_none_and_a_torn_one_says_why() {
        let mut labels = Labels::default();
        let silent = analyse_run(("game", "few"), &logs("nothing"), &[], &mut labels).unwrap();
        assert!(silent.is_none());
        let mut torn = logs("wattline-act B 1 1 load\n");
        torn.samples = "torn".into();
        assert!(analyse_run(("game", "few"), &torn, &[], &mut labels).is_err());
    }
}
