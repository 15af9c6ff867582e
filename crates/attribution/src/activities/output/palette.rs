//! The colours of a picture: each payer has its own, until they run out.

use std::collections::BTreeMap;

use super::super::account::Payer;
use super::super::label::Labels;
use super::payer_name;
use wattline_units::format::visible;

/// Number of colours in the style sheet.
pub(super) const COLOUR_COUNT: usize = 8;

/// Colours of payers, in the order of their first use.
#[derive(Debug, Default)]
pub(super) struct Palette {
    of: BTreeMap<Payer, usize>,
}

impl Palette {
    /// Returns the style class of a payer's colour.
    pub fn colour_class(&mut self, payer: Payer, labels: &Labels) -> String {
        let is_idle = match payer {
            Payer::Activity(label) => labels.is_idle(label),
            Payer::Nobody | Payer::Constant => true,
            _ => false,
        };
        if is_idle {
            return "idle-fill".into();
        }
        let next = self.of.len();
        format!("fill-{}", *self.of.entry(payer).or_insert(next) % COLOUR_COUNT)
    }

    /// Returns the style classes of the used colours with the names of their payers.
    pub fn legend(&self, labels: &Labels) -> Vec<(String, String)> {
        let mut all: Vec<(&Payer, &usize)> = self.of.iter().collect();
        all.sort_by_key(|(_, at)| **at);
        let entry = |(payer, at): (&Payer, &usize)| {
            (format!("fill-{}", at % COLOUR_COUNT), visible(&payer_name(*payer, labels)))
        };
        all.into_iter().map(entry).collect()
    }
}
