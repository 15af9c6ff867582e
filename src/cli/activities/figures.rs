//! Figures of an analysis of logs, for programs: the rows of its tables.

use serde_json::{Value, json};

use crate::attribution::activities::{Analysis, Labels, output};
use crate::power::FigureBasis;
use crate::report::table_rows;

use super::questions::QuestionAnswers;

/// Energies by node, component and activity, powers of states, and answers to questions.
pub fn figures(analyses: &[Analysis], answers: &QuestionAnswers, labels: &Labels) -> Value {
    let mut figures = json!({
        "nodes": analyses.iter().map(node).collect::<Vec<Value>>(),
        "powers": table_rows(&output::powers_csv(analyses)),
        "energy": table_rows(&output::energy_csv(analyses, labels)),
        "activities": table_rows(&output::activities_csv(analyses, labels)),
        "duty_cycles": table_rows(&output::duty_cycles_csv(analyses, labels)),
        "findings": table_rows(&output::findings_csv(analyses)),
    });
    for (file, text) in answers.files() {
        figures[file.trim_end_matches(".csv")] = Value::Array(table_rows(&text));
    }
    figures
}

/// Measured energy of a node, null where its logs have no meter.
fn node(analysis: &Analysis) -> Value {
    let account = analysis.account.as_ref();
    let energy_j = account.map(|account| account.split.total_j());
    let metered_s = account.map(|account| account.metered_s);
    let basis = match analysis.log.is_simulated {
        true => FigureBasis::Simulated,
        false => FigureBasis::Measured,
    };
    json!({
        "node": analysis.log.node,
        "basis": account.map(|_| basis.name()),
        "energy_j": energy_j,
        "metered_s": metered_s,
        "mean_power_w": energy_j.zip(metered_s).map(|(energy_j, s)| energy_j / s),
        "unexplained_j": account.map(|account| account.split.unattributed_j()),
        "no_energy_reason": account.is_none().then_some("no measured energy in the logs"),
        "intervals": analysis.equations.intervals,
        "equations": analysis.powers.as_ref().map(|powers| powers.equations),
    })
}
