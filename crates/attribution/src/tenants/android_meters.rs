//! The meters of a trace within a stream: its rails, or else its batteries.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::perfetto::{RailKey, RailMeter};

use super::android::MICROJOULES;
use super::meter::MeterId;
use super::stream::WindowStream;

/// Which meter of a stream a reading is of.
#[derive(Debug, Clone, Default)]
pub struct AndroidMeters {
    pub(super) rails: HashMap<RailKey, MeterId>,
    pub(super) batteries: BTreeMap<String, MeterId>,
}

impl AndroidMeters {
    /// Adds the meters of the chosen rails to a stream.
    pub fn of_rails(rails: &[RailMeter], stream: &mut WindowStream) -> Self {
        let mut meters = Self::default();
        for rail in rails {
            let meter = stream.meter(&rail.name, MICROJOULES);
            meters.rails.extend(rail.keys.iter().map(|key| (*key, meter)));
        }
        meters
    }

    /// Adds a meter for each battery: a device draws from all of them.
    pub fn of_batteries(names: &BTreeSet<String>, stream: &mut WindowStream) -> Self {
        let meter = |name: &String| {
            let shown =
                if name.is_empty() { "the battery".into() } else { format!("battery {name}") };
            (name.clone(), stream.meter(&shown, MICROJOULES))
        };
        Self { batteries: names.iter().map(meter).collect(), ..Self::default() }
    }
}
