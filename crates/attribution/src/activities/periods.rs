//! Changes -> periods: what state each component was in, and for which activities it
//! worked. Proxies are resolved here: once one is bound, what was used under it belongs to
//! the activity that it was bound to, on every component of the node.

use std::collections::HashMap;

use super::label::{Label, Labels};
use super::log::{ComponentEvent, NodeLog, StateChange, nanoseconds_to_seconds};
use super::remark::{Remark, RemarkKind, summarise_remarks};

/// Period of a component in one state. Periods of a component follow each other without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatePeriod {
    /// Its start in nanoseconds.
    pub start_ns: i64,
    /// Its end.
    pub end_ns: i64,
    /// The state; none while it isn't known.
    pub state: Option<usize>,
}

/// Period of a component at work for the same activities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivityPeriod {
    /// Its start in nanoseconds.
    pub start_ns: i64,
    /// Its end.
    pub end_ns: i64,
    /// The activities as logged: proxies are themselves. Empty if there were none.
    pub logged: Vec<Label>,
    /// Those that pay, in equal parts.
    pub charged: Vec<Label>,
}

/// Periods of a node by component.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ComponentPeriods {
    /// States by component.
    pub states: Vec<Vec<StatePeriod>>,
    /// Activities by component.
    pub activities: Vec<Vec<ActivityPeriod>>,
    /// What was noticed.
    pub remarks: Vec<Remark>,
}

/// How far a bind reaches back: over the uses of its proxy with no pause longer than this,
/// in nanoseconds. A reception's interrupts follow each other within milliseconds, and a
/// proxy of long ago that was never bound (a false detection) stays its own.
pub(crate) const PROXY_PAUSE_NS: i64 = 50_000_000;

/// Returns the periods of a log from `start_ns` to `end_ns`.
#[must_use]
pub fn follow_changes(
    log: &NodeLog,
    labels: &Labels,
    (start_ns, end_ns): (i64, i64),
) -> ComponentPeriods {
    let count = log.components.len();
    let mut tracker = PeriodTracker {
        log,
        labels,
        state: log.components.iter().map(|component| (start_ns, component.initial)).collect(),
        current: vec![(start_ns, Vec::new()); count],
        used: HashMap::new(),
        periods: ComponentPeriods {
            states: vec![Vec::new(); count],
            activities: vec![Vec::new(); count],
            remarks: Vec::new(),
        },
    };
    for change in &log.changes {
        let at_ns = change.at_ns.clamp(start_ns, end_ns);
        tracker.apply_change(&StateChange { at_ns, ..*change });
    }
    for component in 0..count {
        tracker.close_state(component, end_ns);
        tracker.close_activity_period(component, end_ns);
    }
    let mut periods = tracker.periods;
    periods.remarks = summarise_remarks(periods.remarks);
    periods
}

struct PeriodTracker<'a> {
    log: &'a NodeLog,
    labels: &'a Labels,
    /// Since when, and which state, by component.
    state: Vec<(i64, Option<usize>)>,
    /// Since when, and which activities, by component.
    current: Vec<(i64, Vec<Label>)>,
    /// The periods charged to a label: component and index, in order of their ends.
    used: HashMap<Label, Vec<(usize, usize)>>,
    periods: ComponentPeriods,
}

impl PeriodTracker<'_> {
    fn apply_change(&mut self, change: &StateChange) {
        let (at, component) = (change.at_ns, change.component);
        match change.event {
            ComponentEvent::State(state) => {
                self.close_state(component, at);
                self.state[component].1 = Some(state);
            }
            ComponentEvent::Unknown => {
                self.close_state(component, at);
                self.state[component].1 = None;
            }
            ComponentEvent::Lost => {
                self.close_state(component, at);
                self.state[component].1 = None;
                self.set_activities(component, at, Vec::new());
            }
            ComponentEvent::Set(label) => self.set_activities(component, at, vec![label]),
            ComponentEvent::Clear => self.set_activities(component, at, Vec::new()),
            ComponentEvent::Bind(label) => self.bind(component, at, label),
            ComponentEvent::Rebind(proxy, label) => {
                self.resolve(proxy, label, at);
                let all = &self.current[component].1;
                let all = all.iter().map(|one| if *one == proxy { label } else { *one }).collect();
                self.set_activities(component, at, all);
            }
            ComponentEvent::Add(label) => {
                let mut all = self.current[component].1.clone();
                all.push(label);
                self.set_activities(component, at, all);
            }
            ComponentEvent::Remove(label) => self.remove_activity(component, at, label),
        }
    }

    fn remove_activity(&mut self, component: usize, at: i64, label: Label) {
        let mut all = self.current[component].1.clone();
        match all.iter().position(|known| *known == label) {
            Some(index) => {
                all.remove(index);
                self.set_activities(component, at, all);
            }
            None => {
                let message = format!(
                    "{} stops working for {}, for which it did not work",
                    self.log.components[component].name,
                    self.labels.text(label)
                );
                self.periods.remarks.push(Remark::at(RemarkKind::EndWithoutBegin, at, message));
            }
        }
    }

    fn set_activities(&mut self, component: usize, at: i64, labels: Vec<Label>) {
        if self.current[component].1 != labels {
            self.close_activity_period(component, at);
            self.current[component].1 = labels;
        }
    }

    /// Charges all uses of the component's present label to `label`, on all components.
    fn bind(&mut self, component: usize, at: i64, label: Label) {
        let proxies = self.current[component].1.clone();
        for proxy in proxies.iter().filter(|proxy| **proxy != label) {
            self.resolve(*proxy, label, at);
        }
        if proxies.is_empty() {
            let message = format!(
                "{} is bound to {}, but worked for nobody before",
                self.log.components[component].name,
                self.labels.text(label)
            );
            self.periods.remarks.push(Remark::at(RemarkKind::Unbound, at, message));
        }
        self.set_activities(component, at, vec![label]);
    }

    /// Ends the present periods of a proxy and charges its latest uses to a label, on all
    /// components.
    fn resolve(&mut self, proxy: Label, label: Label, at: i64) {
        if self.labels.is_idle(proxy) || proxy == label {
            return;
        }
        for other in 0..self.current.len() {
            if self.current[other].1.contains(&proxy) {
                self.close_activity_period(other, at);
            }
        }
        self.charge_proxy_uses(proxy, label, at);
    }

    /// Charges the latest uses of a proxy, without pauses longer than [`PROXY_PAUSE_NS`], to a
    /// label.
    fn charge_proxy_uses(&mut self, proxy: Label, label: Label, at: i64) {
        let Some(uses) = self.used.get_mut(&proxy) else { return };
        let mut since = at;
        let mut first = uses.len();
        while first > 0 {
            let (component, index) = uses[first - 1];
            let period = &self.periods.activities[component][index];
            if since.saturating_sub(period.end_ns) > PROXY_PAUSE_NS {
                break;
            }
            since = since.min(period.start_ns);
            first -= 1;
        }
        let moved = uses.split_off(first);
        for (component, index) in &moved {
            let charged = &mut self.periods.activities[*component][*index].charged;
            charged.iter_mut().filter(|one| **one == proxy).for_each(|one| *one = label);
        }
        self.used.entry(label).or_default().extend(moved);
    }

    /// Ends the period of the present activities, which continue.
    fn close_activity_period(&mut self, component: usize, at: i64) {
        let (start_ns, logged) = self.current[component].clone();
        self.current[component].0 = at;
        if at <= start_ns {
            return;
        }
        let periods = &mut self.periods.activities[component];
        for label in &logged {
            self.used.entry(*label).or_default().push((component, periods.len()));
        }
        periods.push(ActivityPeriod { start_ns, end_ns: at, charged: logged.clone(), logged });
    }

    fn close_state(&mut self, component: usize, at: i64) {
        let (start_ns, state) = self.state[component];
        self.state[component].0 = at;
        if at <= start_ns {
            return;
        }
        let periods = &mut self.periods.states[component];
        match periods.last_mut() {
            Some(last) if last.state == state => last.end_ns = at,
            _ => periods.push(StatePeriod { start_ns, end_ns: at, state }),
        }
    }
}

/// Returns a remark on the unknown time of every component whose state is unknown for some time.
#[must_use]
pub(crate) fn unknown_state_remarks(log: &NodeLog, periods: &ComponentPeriods) -> Vec<Remark> {
    let unknown = |states: &[StatePeriod]| -> i64 {
        let lost = states.iter().filter(|period| period.state.is_none());
        lost.map(|period| period.end_ns - period.start_ns).sum()
    };
    let all = log.components.iter().zip(&periods.states);
    all.filter_map(|(component, states)| {
        let lost = unknown(states);
        (lost > 0).then(|| {
            let message = format!(
                "the state of {} is not known for {:.6} s: those intervals tell nothing about \
                 powers, and its energy in them stays unexplained",
                component.name,
                nanoseconds_to_seconds(lost)
            );
            Remark::new(RemarkKind::StateNotKnown, message)
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(events: &[(i64, usize, ComponentEvent)]) -> NodeLog {
        let mut log = NodeLog::new("1");
        log.component_number("CPU");
        log.component_number("Radio");
        for (at_ns, component, event) in events {
            log.changes.push(StateChange { at_ns: *at_ns, component: *component, event: *event });
        }
        log
    }

    /// `start-end logged>charged` of a component.
    fn shown(periods: &ComponentPeriods, labels: &Labels, component: usize) -> Vec<String> {
        let names = |all: &[Label]| -> String {
            all.iter().map(|label| labels.name(*label)).collect::<Vec<_>>().join("+")
        };
        let text = |p: &ActivityPeriod| {
            format!("{}-{} {}>{}", p.start_ns, p.end_ns, names(&p.logged), names(&p.charged))
        };
        periods.activities[component].iter().map(text).collect()
    }

    #[test]
    fn a_bind_charges_the_proxy_wherever_it_worked() {
        let mut labels = Labels::default();
        let [idle, int, rx, app] =
            ["Idle", "int", "rx", "app"].map(|name| labels.intern("1", name));
        let log = log(&[
            (0, 0, ComponentEvent::Set(idle)),
            (10, 0, ComponentEvent::Set(int)),
            (20, 0, ComponentEvent::Bind(rx)),
            (21, 1, ComponentEvent::Set(rx)),
            (30, 0, ComponentEvent::Set(idle)),
            (40, 0, ComponentEvent::Set(rx)),
            (50, 0, ComponentEvent::Bind(app)),
            (60, 0, ComponentEvent::Set(idle)),
        ]);
        let periods = follow_changes(&log, &labels, (0, 100));
        assert_eq!(
            shown(&periods, &labels, 0),
            [
                "0-10 Idle>Idle",
                "10-20 int>app",
                "20-30 rx>app",
                "30-40 Idle>Idle",
                "40-50 rx>app",
                "50-60 app>app",
                "60-100 Idle>Idle"
            ]
        );
        assert_eq!(shown(&periods, &labels, 1), ["0-21 >", "21-50 rx>app", "50-100 rx>rx"]);
    }

    #[test]
    fn a_bind_does_not_reach_over_a_long_pause() {
        let mut labels = Labels::default();
        let [idle, rx, app] = ["Idle", "rx", "app"].map(|name| labels.intern("1", name));
        let late = 2 * PROXY_PAUSE_NS;
        let log = log(&[
            (0, 0, ComponentEvent::Set(rx)),
            (10, 0, ComponentEvent::Set(idle)),
            (late, 0, ComponentEvent::Set(rx)),
            (late + 5, 0, ComponentEvent::Bind(app)),
        ]);
        let periods = follow_changes(&log, &labels, (0, late + 9));
        assert_eq!(shown(&periods, &labels, 0)[0], "0-10 rx>rx");
        assert!(shown(&periods, &labels, 0)[2].ends_with("rx>app"));
    }

    #[test]
    fn several_activities_come_and_go() {
        let mut labels = Labels::default();
        let [a, b] = ["a", "b"].map(|name| labels.intern("1", name));
        let log = log(&[
            (0, 1, ComponentEvent::Add(a)),
            (10, 1, ComponentEvent::Add(b)),
            (20, 1, ComponentEvent::Remove(a)),
            (30, 1, ComponentEvent::Remove(a)),
            (40, 1, ComponentEvent::Clear),
        ]);
        let periods = follow_changes(&log, &labels, (0, 50));
        assert_eq!(
            shown(&periods, &labels, 1),
            ["0-10 a>a", "10-20 a+b>a+b", "20-40 b>b", "40-50 >"]
        );
        assert_eq!(periods.remarks[0].kind, RemarkKind::EndWithoutBegin);
    }

    #[test]
    fn states_are_unknown_until_they_are_logged() {
        let mut log = log(&[]);
        log.set_state(30, 0, "on");
        log.changes.push(StateChange { at_ns: 60, component: 0, event: ComponentEvent::Lost });
        let periods = follow_changes(&log, &Labels::default(), (0, 100));
        let states: Vec<_> = periods.states[0].iter().map(|p| (p.end_ns, p.state)).collect();
        assert_eq!(states, [(30, None), (60, Some(0)), (100, None)]);
        let remarks = unknown_state_remarks(&log, &periods);
        assert!(remarks[0].message.contains("CPU is not known for 0.000000 s"), "{remarks:?}");
    }
}
