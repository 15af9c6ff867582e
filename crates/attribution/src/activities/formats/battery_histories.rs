//! The histories of a battery in a dump. A bug report has the same one twice, as text and in
//! the form of `dumpsys batterystats -c`: they are tellings of one, never one after another.

use wattline_units::format::counted;

use super::super::remark::{Remark, RemarkKind};
use super::history_time::HistoryFormat;

/// Battery history in a dump: its form, and its lines with their numbers.
pub(super) struct BatteryHistory<'t> {
    pub form: HistoryForm,
    pub lines: Vec<(usize, &'t str)>,
}

/// Form in which a history is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HistoryForm {
    /// `9,hsp,...` and `9,h,...`; lines are without the `9,`.
    Checkin,
    /// Lines below `Battery History`.
    Text(HistoryFormat),
}

/// Returns the history with most readings, and remarks on other histories and unknown forms.
pub(super) fn choose_history(text: &str) -> (Option<BatteryHistory<'_>>, Vec<Remark>) {
    let (mut histories, mut remarks) = split_histories(text);
    if histories.len() > 1 {
        let told = histories.iter().map(BatteryHistory::describe).collect::<Vec<_>>().join(", ");
        let message = format!(
            "the dump tells {} histories ({told}), as a bug report does with one; the one with \
             most readings is read: give others in files of their own",
            histories.len()
        );
        remarks.push(Remark::new(RemarkKind::Note, message));
    }
    // The first of those that tell as much.
    histories.reverse();
    (histories.into_iter().max_by_key(BatteryHistory::reading_counts), remarks)
}

fn split_histories(text: &str) -> (Vec<BatteryHistory<'_>>, Vec<Remark>) {
    let (mut found, mut remarks) = (Vec::<BatteryHistory<'_>>::new(), Vec::new());
    let mut open: Option<HistoryForm> = None;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let checkin = line
            .strip_prefix("9,")
            .filter(|rest| rest.starts_with("h,") || rest.starts_with("hsp,"));
        if let Some(rest) = checkin {
            if open != Some(HistoryForm::Checkin) {
                found.push(BatteryHistory { form: HistoryForm::Checkin, lines: Vec::new() });
            }
            open = Some(HistoryForm::Checkin);
            found.iter_mut().next_back().into_iter().for_each(|one| one.lines.push((number, rest)));
        } else if let Some(title) = line.trim_start().strip_prefix("Battery History") {
            open = match HistoryFormat::from_title(title) {
                Ok(format) => {
                    let form = HistoryForm::Text(format);
                    found.push(BatteryHistory { form, lines: Vec::new() });
                    Some(form)
                }
                Err(other) => {
                    let message = format!(
                        "line {number}: the history has format {other}, which is newer than this \
                         program and is not read"
                    );
                    remarks.push(Remark::new(RemarkKind::NotRead, message));
                    None
                }
            };
        } else if open == Some(HistoryForm::Checkin) || line.trim().is_empty() {
            open = None;
        } else if open.is_some() {
            found.iter_mut().next_back().into_iter().for_each(|one| one.lines.push((number, line)));
        }
    }
    found.retain(|history| !history.lines.is_empty());
    (found, remarks)
}

impl BatteryHistory<'_> {
    /// Returns the numbers of charge readings and of entries, by which histories are compared.
    fn reading_counts(&self) -> (usize, usize) {
        let has_charge = |line: &str| line.contains("charge=") || line.contains("Bcc=");
        let entries = || self.lines.iter().filter(|(_, line)| !line.starts_with("hsp,"));
        (entries().filter(|(_, line)| has_charge(line)).count(), entries().count())
    }

    fn describe(&self) -> String {
        let first = self.lines.first().map_or(0, |(number, _)| *number);
        let form = match self.form {
            HistoryForm::Checkin => "checkin",
            HistoryForm::Text(_) => "text",
        };
        format!("{form} from line {first} with {}", counted(self.lines.len(), "line"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_history_of_several_tellings() {
        let text = "Battery History (2% used):\n  0 (2) 100 charge=4000\n  +1h0m0s0ms (2) 99 charge=3990\n\n\
                    9,0,i,vers,36\n9,hsp,0,1,\"a\"\n9,h,0,Bcc=4000\n9,h,5,Bcc=3990\n9,0,i,x\n";
        let (history, remarks) = choose_history(text);
        let history = history.unwrap();
        assert_eq!(history.form, HistoryForm::Text(HistoryFormat::Relative));
        assert_eq!(history.lines.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [2, 3]);
        assert!(remarks[0].message.contains("checkin from line 6"), "{remarks:?}");
        let (history, _) = choose_history("9,h,0,Bcc=1\n9,h,5,+S\nx\nBattery History:\n 0 (1) 1\n");
        assert_eq!(history.unwrap().form, HistoryForm::Checkin);
    }

    #[test]
    fn a_format_that_is_not_known_is_named() {
        let (history, remarks) = choose_history("Battery History [Format: 7] (2%):\n  x\n");
        assert!(history.is_none());
        assert!(remarks[0].message.contains("line 1: the history has format 7"), "{remarks:?}");
        assert_eq!(remarks[0].kind, RemarkKind::NotRead);
    }
}
