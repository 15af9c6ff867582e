//! Which meters the rails of a trace are. A rail is known by its name within a session of a
//! data source; indices alone are counted anew in each. The same rail in sessions that
//! follow each other is one meter, and of sessions at the same time one counts.

use std::collections::BTreeMap;

use super::event::{RailKey, TraceEvent, TraceEventKind};

/// Rails of a trace, collected from its events.
#[derive(Debug, Clone, Default)]
pub struct RailCatalogue {
    rails: BTreeMap<RailKey, RailRecord>,
}

#[derive(Debug, Clone, Default)]
struct RailRecord {
    /// Name and subsystem; none for samples of a rail that its session never named.
    named: Option<(String, String)>,
    samples: u64,
    first_ns: u64,
    last_ns: u64,
}

/// Meter of a rail, with the keys of its samples in all sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RailMeter {
    /// Its name.
    pub name: String,
    /// What it supplies, as the device names it; may be empty.
    pub subsystem: String,
    /// Where its samples are, one session after the other.
    pub keys: Vec<RailKey>,
}

impl RailCatalogue {
    /// Takes the name or the sample of a rail from an event; ignores other events.
    pub fn take(&mut self, event: &TraceEvent) {
        match &event.what {
            TraceEventKind::Rail { rail, name, subsystem } => {
                let named = Some((name.clone(), subsystem.clone()));
                self.rails.entry(*rail).or_default().named = named;
            }
            TraceEventKind::RailEnergy { rail, .. } => {
                let at_ns = event.at_ns.unwrap_or(0);
                let rail = self.rails.entry(*rail).or_default();
                rail.first_ns = if rail.samples == 0 { at_ns } else { rail.first_ns.min(at_ns) };
                rail.last_ns = rail.last_ns.max(at_ns);
                rail.samples += 1;
            }
            _ => {}
        }
    }

    /// Returns the meters in the order of their keys, and a sentence for each rail that several
    /// sessions recorded at the same time.
    #[must_use]
    pub fn meters(&self) -> (Vec<RailMeter>, Vec<String>) {
        let mut groups: BTreeMap<(String, String), Vec<RailKey>> = BTreeMap::new();
        let mut remarks = Vec::new();
        for key in self.rails.keys() {
            if let Some(named) = self.rail_name(*key) {
                groups.entry(named).or_default().push(*key);
            }
        }
        let mut meters: Vec<RailMeter> = Vec::new();
        for ((name, subsystem), keys) in groups {
            for keys in self.rail_meters(&name, &keys, &mut remarks) {
                meters.push(RailMeter { name: name.clone(), subsystem: subsystem.clone(), keys });
            }
        }
        meters.sort_by_key(|meter| meter.keys.first().copied());
        (meters, remarks)
    }

    /// Returns name and subsystem of a rail; of one without a name, those of the only rail with its
    /// index that has a name and no samples. `None` for a name whose samples have another key.
    fn rail_name(&self, key: RailKey) -> Option<(String, String)> {
        let record = self.rails.get(&key)?;
        let fits = |(other, rail): &(&RailKey, &RailRecord)| {
            (other.source, other.index) == (key.source, key.index)
                && *other != &key
                && (rail.samples == 0) == (record.samples > 0)
        };
        let mut fitting = self.rails.iter().filter(fits);
        let only = fitting.next().filter(|_| fitting.next().is_none()).map(|(_, rail)| rail);
        match (&record.named, only) {
            (Some(_), Some(unnamed)) if record.samples == 0 && unnamed.named.is_none() => None,
            (Some(named), _) => Some(named.clone()),
            (None, Some(RailRecord { named: Some(named), .. })) => Some(named.clone()),
            (None, _) => Some((format!("rail {}", key.index), String::new())),
        }
    }

    /// Groups the keys of one name into meters: keys of one session are rails of their own, those
    /// of successive sessions one rail.
    fn rail_meters(
        &self,
        name: &str,
        keys: &[RailKey],
        remarks: &mut Vec<String>,
    ) -> Vec<Vec<RailKey>> {
        let mut sessions: BTreeMap<_, Vec<RailKey>> = BTreeMap::new();
        for key in keys {
            sessions.entry((key.source, key.session)).or_default().push(*key);
        }
        if sessions.values().any(|keys| keys.len() > 1) {
            return keys.iter().map(|key| vec![*key]).collect();
        }
        let mut sampled: Vec<RailKey> =
            keys.iter().copied().filter(|key| self.rails[key].samples > 0).collect();
        if sampled.is_empty() {
            return keys.first().map(|key| vec![*key]).into_iter().collect();
        }
        // The longest record of the rail, and what is before and after it.
        sampled.sort_by_key(|key| std::cmp::Reverse(self.rails[key].samples));
        let mut chain: Vec<RailKey> = Vec::new();
        for key in sampled {
            let record = &self.rails[&key];
            let is_apart = |other: &RailKey| {
                let other = &self.rails[other];
                record.last_ns <= other.first_ns || record.first_ns >= other.last_ns
            };
            if chain.iter().all(is_apart) {
                chain.push(key);
            } else {
                remarks.push(format!(
                    "rail {name} is recorded by several sessions at the same time: one of them \
                     counts"
                ));
            }
        }
        chain.sort_by_key(|key| self.rails[key].first_ns);
        vec![chain]
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::RailSession;
    use super::*;

    fn key(session: RailSession, index: u32) -> RailKey {
        RailKey { source: 0, session, index }
    }

    fn named(catalogue: &mut RailCatalogue, rail: RailKey, name: &str) {
        let (name, subsystem) = (name.to_owned(), String::new());
        let what = TraceEventKind::Rail { rail, name, subsystem };
        catalogue.take(&TraceEvent { at_ns: None, what });
    }

    fn sampled(catalogue: &mut RailCatalogue, rail: RailKey, times_ns: &[u64]) {
        for at_ns in times_ns {
            let what = TraceEventKind::RailEnergy { rail, energy_uj: *at_ns };
            catalogue.take(&TraceEvent { at_ns: Some(*at_ns), what });
        }
    }

    #[test]
    fn indices_are_of_their_session() {
        let (one, two) = (key(RailSession::Uuid(1), 0), key(RailSession::Uuid(2), 0));
        let mut catalogue = RailCatalogue::default();
        named(&mut catalogue, one, "CPU");
        named(&mut catalogue, two, "USB");
        sampled(&mut catalogue, one, &[0, 10]);
        sampled(&mut catalogue, two, &[1, 11]);
        let (meters, remarks) = catalogue.meters();
        let found: Vec<_> = meters.iter().map(|m| (m.name.as_str(), m.keys.clone())).collect();
        assert_eq!(found, [("CPU", vec![one]), ("USB", vec![two])]);
        assert!(remarks.is_empty());
    }

    #[test]
    fn one_rail_in_several_sessions_counts_once() {
        let [one, two, three] = [1, 2, 3].map(|n| key(RailSession::Uuid(n), 0));
        let mut catalogue = RailCatalogue::default();
        for key in [one, two, three] {
            named(&mut catalogue, key, "CPU");
        }
        sampled(&mut catalogue, two, &[20, 30, 40]);
        sampled(&mut catalogue, one, &[0, 20]);
        sampled(&mut catalogue, three, &[25, 35]);
        let (meters, remarks) = catalogue.meters();
        assert_eq!(meters.len(), 1);
        assert_eq!(meters[0].keys, [one, two]);
        assert_eq!(remarks.len(), 1, "{remarks:?}");
    }

    #[test]
    fn rails_of_one_name_in_one_session_are_two() {
        let keys = [0, 1].map(|index| key(RailSession::Sequence(3), index));
        let mut catalogue = RailCatalogue::default();
        for key in keys {
            named(&mut catalogue, key, "VDD");
            sampled(&mut catalogue, key, &[0, 10]);
        }
        assert_eq!(catalogue.meters().0.len(), 2);
    }

    #[test]
    fn samples_of_another_sequence_take_the_only_name_that_fits() {
        let (names, samples) = (key(RailSession::Sequence(1), 0), key(RailSession::Sequence(2), 0));
        let mut catalogue = RailCatalogue::default();
        named(&mut catalogue, names, "CPU");
        sampled(&mut catalogue, samples, &[0, 10]);
        let (meters, _) = catalogue.meters();
        assert_eq!(meters.len(), 1);
        assert_eq!((meters[0].name.as_str(), &meters[0].keys[..]), ("CPU", &[samples][..]));
        sampled(&mut catalogue, key(RailSession::Sequence(2), 1), &[0]);
        assert_eq!(catalogue.meters().0[1].name, "rail 1");
    }
}
