//! The meters of a trace within a stream: its rails, or else its batteries.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::perfetto::{RailKey, RailMeter};

use super::android::MICROJOULE_COUNTER;
use super::meter::MeterId;
use super::stream::WindowStream;

/// Meters of a stream by the rails or batteries of a trace.
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
            let meter = stream.add_meter(&rail.name, MICROJOULE_COUNTER);
            meters.rails.extend(rail.keys.iter().map(|key| (*key, meter)));
        }
        meters
    }

    /// Adds a meter for each battery: a device draws from all of them.
    pub fn of_batteries(names: &BTreeSet<String>, stream: &mut WindowStream) -> Self {
        let meter = |name: &String| {
            let shown =
                if name.is_empty() { "the battery".into() } else { format!("battery {name}") };
            (name.clone(), stream.add_meter(&shown, MICROJOULE_COUNTER))
        };
        Self { batteries: names.iter().map(meter).collect(), ..Self::default() }
    }
}
