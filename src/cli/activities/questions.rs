//! What is asked of logs beside their account: occurrences of one thing with and without another
//! (`--occurrences`), and the same of another log (`--against`).

use crate::attribution::activities::output::{
    ComparedNode, PrintedTable, compare_nodes, comparison_csv, comparison_tables, occurrences_csv,
    occurrences_table,
};
use crate::attribution::activities::{
    Analysis, ContainmentCounts, ContainmentQuestion, Labels, count_containing,
};
use crate::failure::Failure;
use crate::format::visible_name;

use super::super::progress;

/// File name of the results of `--occurrences`.
pub const OCCURRENCES_FILE: &str = "occurrences.csv";
/// File name of the results of `--against`.
pub const COMPARISON_FILE: &str = "comparison.csv";

/// Answers to `--occurrences` and `--against`.
#[derive(Default)]
pub struct QuestionAnswers {
    /// By node.
    occurrences: Vec<(String, ContainmentCounts)>,
    /// The nodes of both logs.
    compared: Vec<ComparedNode>,
}

/// Parses the question in a flag's value, `OUTER=INNER`.
pub fn parse_question(text: &str) -> Result<ContainmentQuestion, String> {
    match text.split_once('=') {
        Some((outer, inner)) if !outer.is_empty() && !inner.is_empty() => {
            Ok(ContainmentQuestion { outer: outer.to_owned(), inner: inner.to_owned() })
        }
        _ => Err("give OUTER=INNER, each a component, COMPONENT:STATE or an activity".to_owned()),
    }
}

impl QuestionAnswers {
    /// Answers all questions for all nodes; each question's outer name must exist on one of them.
    pub fn of(
        questions: &[ContainmentQuestion],
        analyses: &[Analysis],
        base: Option<&[Analysis]>,
        labels: &Labels,
    ) -> Result<Self, Failure> {
        let mut answers = Self::default();
        for question in questions {
            answers.occurrences.extend(count_occurrences(question, analyses, labels)?);
        }
        let Some(base) = base else { return Ok(answers) };
        answers.compared = compare_nodes(analyses, base, labels);
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

    /// Returns names and texts of the files with the answers.
    pub fn files(&self) -> Vec<(&'static str, String)> {
        let occurrences = (!self.occurrences.is_empty())
            .then(|| (OCCURRENCES_FILE, occurrences_csv(&self.occurrences)));
        let compared =
            (!self.compared.is_empty()).then(|| (COMPARISON_FILE, comparison_csv(&self.compared)));
        [occurrences, compared].into_iter().flatten().collect()
    }

    /// Returns headings with their tables, for the page.
    pub fn sections(&self) -> Vec<(String, Vec<PrintedTable>)> {
        let occurrences = self.occurrences.iter();
        let occurrences = occurrences.map(|(node, found)| occurrences_table(node, found));
        let compared = self.compared.iter().flat_map(comparison_tables);
        let sections: [(&str, Vec<PrintedTable>); 2] =
            [("Occurrences", occurrences.collect()), ("Comparison", compared.collect())];
        let asked = sections.into_iter().filter(|(_, tables)| !tables.is_empty());
        asked.map(|(head, tables)| (head.to_owned(), tables)).collect()
    }

    /// Returns the tables as text for a terminal.
    pub fn text(&self) -> String {
        let tables = self.sections().into_iter().flat_map(|(_, tables)| tables);
        tables.map(|table| format!("\n{}", table.text().trim_end())).collect()
    }
}

/// Returns the counts of all nodes that have the name to be counted.
fn count_occurrences(
    question: &ContainmentQuestion,
    analyses: &[Analysis],
    labels: &Labels,
) -> Result<Vec<(String, ContainmentCounts)>, Failure> {
    let (mut answers, mut unknown) = (Vec::new(), Vec::new());
    for analysis in analyses {
        match count_containing(analysis, labels, question) {
            Ok(found) => answers.push((analysis.log.node.clone(), found)),
            Err(error) => unknown.push(error),
        }
    }
    let known = unknown.iter().flat_map(|error| &error.known).map(|name| visible_name(name));
    let known: Vec<String> = known.collect();
    let ContainmentQuestion { outer, inner } = question;
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
        let found = parse_question("Radio:on=1:receive").unwrap();
        assert_eq!((found.outer.as_str(), found.inner.as_str()), ("Radio:on", "1:receive"));
        for wrong in ["Radio", "=a", "a=", ""] {
            assert!(parse_question(wrong).unwrap_err().starts_with("give OUTER=INNER"), "{wrong}");
        }
    }
}
