//! The history of `dumpsys batterystats`, both as `-c` prints it (`9,h,MS,+S,...`) and as
//! text (`+1s234ms (2) 098 +screen ...`, since Android 14 `11-27 09:00:00.000 098 ...`):
//! devices as components that are on or off, the
//! charge counter times the voltage as the meter, the top application, jobs and syncs as
//! activities. The charge counts in milliampere-hours (14 J), so only long logs tell powers.

use std::collections::BTreeMap;

use super::super::label::Labels;
use super::super::log::{Component, ComponentEvent, LoggedReading, MOMENT_LIMIT_NS, NodeLog};
use super::super::remark::{Remark, RemarkKind, summarise_remarks};
use super::battery_histories::{BatteryHistory, HistoryForm, choose_history};
use super::history_time::{HistoryClock, YEAR_MS};

/// States that draw power: name in checkin form, name in text form, component.
const POWER_STATES: [(&str, &str, &str); 15] = [
    ("r", "running", "cpu"),
    ("S", "screen", "screen"),
    ("Sd", "screen_doze", "screen doze"),
    ("Wr", "wifi_radio", "wifi radio"),
    ("Ws", "wifi_scan", "wifi scan"),
    ("Pr", "mobile_radio", "mobile radio"),
    ("Psc", "phone_scanning", "phone scan"),
    ("Pcl", "phone_in_call", "phone call"),
    ("g", "gps", "gps"),
    ("s", "sensor", "sensor"),
    ("a", "audio", "audio"),
    ("v", "video", "video"),
    ("fl", "flashlight", "flashlight"),
    ("ca", "camera", "camera"),
    ("bles", "ble_scan", "bluetooth scan"),
];

/// Events that name who works: name in checkin form, name in text form, whether the screen works
/// for them.
const ACTIVITY_EVENTS: [(&str, &str, bool); 3] =
    [("Etp", "top", true), ("Ejb", "job", false), ("Esy", "sync", false)];

/// Joules of a milliampere-hour at one volt.
const JOULES_PER_VOLT_MAH: f64 = 3.6;

/// Reads the battery history in a dump of `dumpsys batterystats`; other sections are skipped, and
/// of several forms of one history the one with most readings is read.
#[must_use]
pub fn read_batterystats(text: &str, node: &str, labels: &mut Labels) -> NodeLog {
    let mut reader = BatteryStatsReader::new(node, labels);
    let (history, remarks) = choose_history(text);
    reader.log.remarks.extend(remarks);
    if let Some(history) = history {
        reader.read_history(&history);
    }
    reader.finish()
}

struct BatteryStatsReader<'a> {
    labels: &'a mut Labels,
    log: NodeLog,
    /// The pool of names: index to name.
    pool: BTreeMap<String, String>,
    now_ms: i64,
    volts: Option<f64>,
    charge_mah: Option<f64>,
    energy_j: f64,
}

impl<'a> BatteryStatsReader<'a> {
    fn new(node: &str, labels: &'a mut Labels) -> Self {
        let mut log = NodeLog::new(node);
        for (_, _, name) in POWER_STATES {
            let at = log.component_number(name);
            let component = &mut log.components[at];
            (component.states, component.initial) = (vec!["off".into(), "on".into()], Some(0));
        }
        Self {
            labels,
            log,
            pool: BTreeMap::new(),
            now_ms: 0,
            volts: None,
            charge_mah: None,
            energy_j: 0.0,
        }
    }

    fn read_history(&mut self, history: &BatteryHistory<'_>) {
        let mut clock = match history.form {
            HistoryForm::Checkin => None,
            HistoryForm::Text(format) => {
                Some(HistoryClock::new(format, history.lines.iter().map(|(_, line)| *line)))
            }
        };
        for (number, line) in &history.lines {
            let taken = match &mut clock {
                None => self.read_checkin_line(line),
                Some(clock) => self.read_text_line(line, clock),
            };
            if let Err(problem) = taken {
                let message = format!("line {number}: {problem}; it is left out");
                self.log.remarks.push(Remark::new(RemarkKind::Unreadable, message));
            }
        }
    }

    /// `hsp,INDEX,UID,"NAME"` and `h,MS[:WHAT],EVENTS`.
    fn read_checkin_line(&mut self, rest: &str) -> Result<(), String> {
        let mut fields = rest.split(',');
        match fields.next() {
            Some("hsp") => {
                let mut fields = rest.splitn(4, ',').skip(1);
                let (Some(index), Some(_), Some(name)) =
                    (fields.next(), fields.next(), fields.next())
                else {
                    return Err("a name without index, user or text".into());
                };
                self.pool.insert(index.to_owned(), name.trim_matches('"').to_owned());
                Ok(())
            }
            Some("h") => {
                let head = fields.next().unwrap_or("");
                let (time, what) = head.split_once(':').unwrap_or((head, ""));
                let delta: i64 =
                    time.parse().map_err(|_| format!("no milliseconds in {time:?}"))?;
                if !(0..YEAR_MS).contains(&delta) {
                    return Err(format!("a step of {delta} ms can't be"));
                }
                self.now_ms = self.now_ms.saturating_add(delta);
                self.read_command(what);
                for event in fields {
                    self.read_checkin_event(event);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// `+1s234ms (2) 098 EVENTS`, `0 (15) RESET:TIME: ...`; a line below an entry tells more
    /// of it (`Details: cpu=...`).
    fn read_text_line(&mut self, line: &str, clock: &mut HistoryClock) -> Result<(), String> {
        let steps = clock.steps;
        let Some(read) = clock.read_line(line) else { return Ok(()) };
        let (now_ms, rest) = read?;
        if clock.steps > steps {
            let message = "the history's clock goes back; its lines are taken to follow each other";
            self.log.remarks.push(Remark::at(RemarkKind::ClockStep, self.at_ns(), message));
        }
        self.now_ms = now_ms;
        for word in rest.split_whitespace().skip_while(|word| word.starts_with('(')) {
            if word.starts_with("RESET") || word.starts_with("SHUTDOWN") || word.starts_with("TIME")
            {
                self.read_command(word);
                break;
            }
            self.read_text_event(word);
        }
        Ok(())
    }

    fn read_command(&mut self, what: &str) {
        if what.starts_with("SHUTDOWN") {
            let message = "the device was shut down: nothing is known until it starts again";
            self.log.remarks.push(Remark::at(RemarkKind::Truncated, self.at_ns(), message));
            for component in 0..self.log.components.len() {
                self.log.add_change(self.at_ns(), component, ComponentEvent::Lost);
            }
            self.charge_mah = None;
        } else if what.starts_with("START") {
            for component in 0..self.log.components.len() {
                self.log.add_change(self.at_ns(), component, ComponentEvent::State(0));
            }
        }
    }

    fn read_checkin_event(&mut self, event: &str) {
        let (name, value) = event.split_once('=').unwrap_or((event, ""));
        let bare = name.trim_start_matches(['+', '-']);
        if let Some((_, long, _)) = POWER_STATES.iter().find(|(short, ..)| *short == bare) {
            self.change_state(long, name.starts_with('+'));
        } else if let Some((_, long, _)) = ACTIVITY_EVENTS.iter().find(|(short, ..)| *short == bare)
        {
            let who = self.pool.get(value).cloned().unwrap_or_else(|| format!("name {value}"));
            self.change_activity(long, name.starts_with('+'), &who);
        } else {
            self.read_battery_field(
                match name {
                    "Bv" => "volt",
                    "Bcc" => "charge",
                    other => other,
                },
                value,
            );
        }
    }

    fn read_text_event(&mut self, word: &str) {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let bare = name.trim_start_matches(['+', '-']);
        if POWER_STATES.iter().any(|(_, long, _)| *long == bare) {
            self.change_state(bare, name.starts_with('+'));
        } else if ACTIVITY_EVENTS.iter().any(|(_, long, _)| *long == bare) {
            let who = value.split_once(':').map_or(value, |(_, who)| who).trim_matches('"');
            self.change_activity(bare, name.starts_with('+'), who);
        } else {
            self.read_battery_field(name, value);
        }
    }

    fn change_state(&mut self, long: &str, is_on: bool) {
        let component = POWER_STATES.iter().position(|(_, name, _)| *name == long);
        if let Some(component) = component {
            let state = ComponentEvent::State(usize::from(is_on));
            self.log.add_change(self.at_ns(), component, state);
        }
    }

    /// Starts or ends an activity: of the processor for all that run, of the screen for the
    /// application on top.
    fn change_activity(&mut self, long: &str, begins: bool, who: &str) {
        let node = self.log.node.clone();
        let label = self.labels.intern(&node, who);
        let (processor, screen) = (0, 1);
        let event = if begins { ComponentEvent::Add(label) } else { ComponentEvent::Remove(label) };
        self.log.add_change(self.at_ns(), processor, event);
        if ACTIVITY_EVENTS.iter().any(|(_, name, is_shown)| *name == long && *is_shown) {
            let event = if begins { ComponentEvent::Set(label) } else { ComponentEvent::Clear };
            self.log.add_change(self.at_ns(), screen, event);
        }
    }

    fn read_battery_field(&mut self, name: &str, value: &str) {
        let Ok(number) = value.parse::<f64>() else { return };
        match name {
            "volt" if (1000.0..100_000.0).contains(&number) => self.volts = Some(number / 1000.0),
            "charge" if (0.0..1e6).contains(&number) => self.add_charge(number),
            _ => {}
        }
    }

    fn add_charge(&mut self, mah: f64) {
        let Some(volts) = self.volts else {
            self.charge_mah = Some(mah);
            return;
        };
        let before = self.charge_mah.replace(mah);
        let used = before.map_or(0.0, |before| before - mah);
        // A battery that is charged tells nothing about what is drawn.
        let after_gap = before.is_none() || used < 0.0;
        self.energy_j += used.max(0.0) * JOULES_PER_VOLT_MAH * volts;
        let (at_ns, energy_j) = (self.at_ns(), self.energy_j);
        self.log.readings.push(LoggedReading { at_ns, energy_j, after_gap });
    }

    fn at_ns(&self) -> i64 {
        self.now_ms.saturating_mul(1_000_000).min(MOMENT_LIMIT_NS)
    }

    fn finish(self) -> NodeLog {
        let mut log = self.log;
        if log.readings.len() < 2 {
            let is_whole =
                |r: &Remark| !matches!(r.kind, RemarkKind::NotRead | RemarkKind::Unreadable);
            let message = match log.remarks.iter().all(is_whole) {
                true => {
                    "the history has no charge counter (Bcc, charge=) that moves: this device \
                     gives no energies"
                }
                false => "no charge counter that moves is in what could be read of the history",
            };
            log.remarks.push(Remark::new(RemarkKind::NoMeter, message));
        }
        remove_unmentioned_components(&mut log);
        log.sort();
        log.components.iter_mut().for_each(Component::choose_baseline);
        log.remarks = summarise_remarks(log.remarks);
        log
    }
}

/// Removes components that the history never mentions.
fn remove_unmentioned_components(log: &mut NodeLog) {
    let speaks = |component: usize| {
        log.changes
            .iter()
            .any(|change| change.component == component && change.event != ComponentEvent::Lost)
    };
    let kept: Vec<usize> = (0..log.components.len()).filter(|c| speaks(*c)).collect();
    log.components = kept.iter().map(|component| log.components[*component].clone()).collect();
    log.changes.retain_mut(|change| {
        let at = kept.iter().position(|component| *component == change.component);
        change.component = at.unwrap_or(0);
        at.is_some()
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::activities::{AnalysisOptions, Payer, analyse};

    const CHECKIN: &str = "9,0,i,vers,36,214,AP1A.240305.019.A1,AP2A.240805.005.S4\n\
        9,hsp,0,10216,\"com.android.chrome\"\n9,hsp,1,10001,\"a, b\"\n\
        9,h,0:RESET:TIME:1732816430344\n\
        9,h,0,Bl=100,Bs=d,Bv=4000,Bcc=4000,+r,+w,-S,Pcn=lte\n\
        9,h,3600000,Bcc=3990\n9,h,0,+S,+Etp=0\n9,h,3600000,Bcc=3890\n\
        9,h,0,-S,-Etp=0,+Ejb=1\n9,h,3600000,Bcc=3880,-Ejb=1\n9,h,x,+S\n";

    #[test]
    fn the_checkin_form() {
        let mut labels = Labels::default();
        let log = read_batterystats(CHECKIN, "phone", &mut labels);
        assert!(
            log.remarks[0].message.starts_with("line 11: no milliseconds"),
            "{:?}",
            log.remarks
        );
        let names: Vec<&str> = log.components.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["cpu", "screen"]);
        let found = analyse(log, &labels, &AnalysisOptions::default()).unwrap();
        // 10 mAh at 4 V in an hour are 40 mW, 100 mAh are 400 mW.
        let powers = found.powers.unwrap();
        let screen = powers.of[1].unwrap().w;
        assert!((screen - 0.36).abs() < 1e-9, "{powers:?}");
        let chrome = Payer::Activity(labels.intern("phone", "com.android.chrome"));
        let account = found.account.unwrap();
        assert!((account.split.shares()[&(1, chrome)] - 0.36 * 3600.0).abs() < 1e-6);
        assert!((account.split.total_j() - 120.0 * 3.6 * 4.0).abs() < 1e-6);
    }

    #[test]
    fn the_text_form_says_the_same() {
        let text = "Battery History (2% used, 5452 used of 256KB, 30 strings using 1846):\n\
            \x20     0 (15) RESET:TIME: 2017-02-14-06-50-57\n\
            \x20     0 (2) 100 status=discharging volt=4000 charge=4000 +running +wake_lock\n\
            \x20     +1h0m0s000ms (2) 100 charge=3990\n\
            \x20     +1h0m0s000ms (2) 099 +screen +top=u0a216:\"com.android.chrome\"\n\
            \x20                     Details: cpu=15730u+2307s\n\
            \x20     +2h0m0s000ms (2) 099 charge=3890 -screen -top=u0a216:\"com.android.chrome\"\n\
            \x20     +3h0m0s000ms (2) 098 charge=3880\n\nPer-PID Stats:\n  +1x nothing\n";
        let mut labels = Labels::default();
        let log = read_batterystats(text, "phone", &mut labels);
        assert!(log.remarks.is_empty(), "{:?}", log.remarks);
        let found = analyse(log, &labels, &AnalysisOptions::default()).unwrap();
        assert!((found.powers.unwrap().of[1].unwrap().w - 0.36).abs() < 1e-9);
    }

    #[test]
    fn a_device_without_a_charge_counter_gives_no_energies() {
        let log = read_batterystats("9,h,0,Bl=100,+S\n9,h,10,-S\n", "x", &mut Labels::default());
        assert_eq!(log.remarks[0].kind, RemarkKind::NoMeter);
        assert!(log.readings.is_empty());
    }

    #[test]
    fn a_shutdown_is_a_gap() {
        let text =
            "9,h,0,Bv=4000,Bcc=4000,+r\n9,h,1000:SHUTDOWN\n9,h,23:START\n9,h,5,Bcc=3999,+r\n";
        let log = read_batterystats(text, "x", &mut Labels::default());
        assert_eq!(log.readings.len(), 2);
        assert!(log.readings[1].after_gap);
        assert!(log.changes.iter().any(|change| change.event == ComponentEvent::Lost));
    }

    #[test]
    fn local_times_say_the_same() {
        let text = "Battery History [Format: 2] (6% used, 260KB used of 4096KB):\n\
            \x20 02-03 22:00:00.000 RESET:TIME: 2026-02-03-22-00-00\n\
            \x20 02-03 22:00:00.000 100 c4002820 status=discharging volt=4000 charge=4000 +running\n\
            \x20 02-03 23:00:00.000 100 charge=3990\n\
            \x20 02-03 23:00:00.000 099 +screen +top=u0a216:\"com.android.chrome\"\n\
            \x20                     Details: cpu=15730u+2307s\n\
            \x20 02-04 00:00:00.000 099 charge=3890 -screen -top=u0a216:\"com.android.chrome\"\n\
            \x20 02-04 01:00:00.000 098 charge=3880\n";
        let mut labels = Labels::default();
        let log = read_batterystats(text, "phone", &mut labels);
        assert!(log.remarks.is_empty(), "{:?}", log.remarks);
        let found = analyse(log, &labels, &AnalysisOptions::default()).unwrap();
        assert!((found.powers.unwrap().of[1].unwrap().w - 0.36).abs() < 1e-9);
        assert!((found.account.unwrap().split.total_j() - 120.0 * 3.6 * 4.0).abs() < 1e-6);
    }

    #[test]
    fn a_bug_report_tells_one_history() {
        let text = format!(
            "Battery History (1%):\n 0 (2) 100 volt=4000 charge=4000 +running\n\
                    +1h0m0s000ms (2) 100 charge=3990\n\n== checkin\n{CHECKIN}"
        );
        let log = read_batterystats(&text, "phone", &mut Labels::default());
        let last = log.readings.last().unwrap();
        assert!((last.energy_j - 120.0 * 3.6 * 4.0).abs() < 1e-6, "{last:?}");
        assert_eq!(last.at_ns, 3 * 3_600_000_000_000);
    }

    #[test]
    fn a_history_of_an_unknown_format_blames_no_device() {
        let text = "Battery History [Format: 9] (1%):\n  x 100 charge=4000\n";
        let log = read_batterystats(text, "phone", &mut Labels::default());
        assert_eq!(log.remarks[0].kind, RemarkKind::NotRead);
        assert!(!log.remarks.iter().any(|r| r.message.contains("this device gives no energies")));
    }

    proptest! {
        #[test]
        fn any_history_is_read(
            lines in proptest::collection::vec(
                "9,h,[0-9]{1,5}(,[+-](S|r|Etp=0|Ejb=1)|,Bcc=[0-9]{1,4}|,Bv=4000){0,4}|9,.{0,12}|.{0,12}", 0..30),
        ) {
            let mut labels = Labels::default();
            let log = read_batterystats(&lines.join("\n"), "x", &mut labels);
            prop_assert!(log.changes.is_sorted_by(|a, b| a.at_ns <= b.at_ns));
            if let Ok(found) = analyse(log, &labels, &AnalysisOptions::default()) {
                prop_assert!(found.account.is_none_or(|account| account.is_conserved()));
            }
        }
    }
}
