//! What is asked of logs beside their account: occurrences of one thing with and without another
//! (`--occurrences`), and the same of another log (`--against`).

use crate::attribution::activities::output::{
    ComparedNode, ShownTable, compared, comparison_csv, comparison_tables, occurrences_csv,
    occurrences_table,
};
use crate::attribution::activities::{
    Analysis, Containing, ContainingQuestion, Labels, containing,
};
use crate::failure::Failure;
use crate::format::visible_name;

use super::super::progress;

/// The file of `--occurrences`.
pub const OCCURRENCES: &str = "occurrences.csv";
/// The file of `--against`.
pub const COMPARISON: &str = "comparison.csv";

/// Questions and their answers.
#[derive(Default)]
pub struct Answers {
    /// By node.
    occurrences: Vec<(String, Containing)>,
    /// The nodes of both logs.
    compared: Vec<ComparedNode>,
}

/// The question of a flag's value, `OUTER=INNER`.
pub fn question(text: &str) -> Result<ContainingQuestion, String> {
    match text.split_once('=') {
        Some((outer, inner)) if !outer.is_empty() && !inner.is_empty() => {
            Ok(ContainingQuestion { outer: outer.to_owned(), inner: inner.to_owned() })
        }
        _ => Err("give OUTER=INNER, each a component, COMPONENT:STATE or an activity".to_owned()),
    }
}

impl Answers {
    /// Asks all nodes; each question must mean something to one of them.
    pub fn of(
        questions: &[ContainingQuestion],
        analyses: &[Analysis],
        base: Option<&[Analysis]>,
        labels: &Labels,
    ) -> Result<Self, Failure> {
        let mut answers = Self::default();
        for question in questions {
            answers.occurrences.extend(occurrences(question, analyses, labels)?);
        }
        let Some(base) = base else { return Ok(answers) };
        answers.compared = compared(analyses, base, labels);
        if answers.compared.is_empty() {
            let names = |of: &[Analysis]| {
                of.iter().map(|one| visible_name(&one.log.node)).collect::<Vec<_>>().join(", ")
            };
            return Err(Failure::Usage(format!(
                "--against: no node is in both; the logs are of {}, those to compare with of {}",
                names(analyses),
                names(base)
            )));
        }
        Ok(answers)
    }

    /// The files that they make.
    pub fn files(&self) -> Vec<(&'static str, String)> {
        let occurrences = (!self.occurrences.is_empty())
            .then(|| (OCCURRENCES, occurrences_csv(&self.occurrences)));
        let compared =
            (!self.compared.is_empty()).then(|| (COMPARISON, comparison_csv(&self.compared)));
        [occurrences, compared].into_iter().flatten().collect()
    }

    /// Heads with their tables, for the page.
    pub fn sections(&self) -> Vec<(String, Vec<ShownTable>)> {
        let occurrences = self.occurrences.iter();
        let occurrences = occurrences.map(|(node, found)| occurrences_table(node, found));
        let compared = self.compared.iter().flat_map(comparison_tables);
        let sections: [(&str, Vec<ShownTable>); 2] =
            [("Occurrences", occurrences.collect()), ("Comparison", compared.collect())];
        let asked = sections.into_iter().filter(|(_, tables)| !tables.is_empty());
        asked.map(|(head, tables)| (head.to_owned(), tables)).collect()
    }

    /// The same for a terminal.
    pub fn text(&self) -> String {
        let tables = self.sections().into_iter().flat_map(|(_, tables)| tables);
        tables.map(|table| format!("\n{}", table.text().trim_end())).collect()
    }
}

/// The answers of all nodes that know what is to be counted.
fn occurrences(
    question: &ContainingQuestion,
    analyses: &[Analysis],
    labels: &Labels,
) -> Result<Vec<(String, Containing)>, Failure> {
    let (mut answers, mut unknown) = (Vec::new(), Vec::new());
    for analysis in analyses {
        match containing(analysis, labels, question) {
            Ok(found) => answers.push((analysis.log.node.clone(), found)),
            Err(error) => unknown.push(error),
        }
    }
    let known = unknown.iter().flat_map(|error| &error.known).map(|name| visible_name(name));
    let known: Vec<String> = known.collect();
    let ContainingQuestion { outer, inner } = question;
    if answers.is_empty() {
        return Err(Failure::Usage(format!(
            "--occurrences {outer}={inner}: there is no component, state or activity {outer}; \
             there are {}",
            known.join(", ")
        )));
    }
    if !answers.iter().any(|(_, found)| found.is_inner_known) {
        progress::warn_in_line(format!(
            "--occurrences {outer}={inner}: {inner} never occurs, so no {outer} has it"
        ));
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_has_two_names() {
        let found = question("Radio:on=1:receive").unwrap();
        assert_eq!((found.outer.as_str(), found.inner.as_str()), ("Radio:on", "1:receive"));
        for wrong in ["Radio", "=a", "a=", ""] {
            assert!(question(wrong).unwrap_err().starts_with("give OUTER=INNER"), "{wrong}");
        }
    }
}
