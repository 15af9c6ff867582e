//! Activity labels `<origin:id>`: where an activity began, and which one it is. Labels of
//! all nodes share one table, so that work on one node can be charged to the activity of
//! another.

use std::collections::HashMap;

/// An activity, as an index into its [`Labels`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(usize);

/// Table of the activities of an analysis, by their labels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    names: Vec<(String, String)>,
    index: HashMap<(String, String), usize>,
}

/// Name of the activity of a device that works for nobody.
const IDLE_NAME: &str = "idle";

impl Labels {
    /// Returns the label of activity `name` that began at node `origin`; adds it if it is new.
    pub fn intern(&mut self, origin: &str, name: &str) -> Label {
        let key = (origin.to_owned(), name.to_owned());
        let next = self.names.len();
        let at = *self.index.entry(key.clone()).or_insert(next);
        if at == next {
            self.names.push(key);
        }
        Label(at)
    }

    /// Returns the label that `text` names, and adds it if it is new: `4:BounceRun`, or `BounceRun`
    /// of the given node.
    pub fn parse(&mut self, node: &str, text: &str) -> Label {
        match text.split_once(':') {
            Some((origin, name)) if !origin.is_empty() && !name.is_empty() => {
                self.intern(origin, name)
            }
            _ => self.intern(node, text),
        }
    }

    /// `origin:name`.
    ///
    /// # Panics
    /// A label of another table.
    #[must_use]
    pub fn text(&self, label: Label) -> String {
        let (origin, name) = &self.names[label.0];
        format!("{origin}:{name}")
    }

    /// Returns the name of the node at which the activity began.
    #[must_use]
    pub fn origin(&self, label: Label) -> &str {
        &self.names[label.0].0
    }

    /// Returns the activity's name without its origin.
    #[must_use]
    pub fn name(&self, label: Label) -> &str {
        &self.names[label.0].1
    }

    /// Whether the label is that of a device that works for nobody.
    #[must_use]
    pub(crate) fn is_idle(&self, label: Label) -> bool {
        self.names[label.0].1.eq_ignore_ascii_case(IDLE_NAME)
    }
}

/// A label's 16 bits in a log entry: origin in the upper byte, id in the lower one, enough
/// for 256 nodes with 256 activities each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelCode(pub u16);

impl LabelCode {
    /// Creates the code of activity `id` that began at node `origin`.
    #[must_use]
    pub fn new(origin: u8, id: u8) -> Self {
        Self(u16::from(origin) << 8 | u16::from(id))
    }

    /// Returns the number of the node at which the activity began.
    #[must_use]
    pub fn origin(self) -> u8 {
        (self.0 >> 8) as u8
    }

    /// Returns the activity's number at its node.
    #[must_use]
    pub fn id(self) -> u8 {
        (self.0 & 0xff) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_origin() {
        let mut labels = Labels::default();
        let bounce = labels.parse("1", "4:Bounce");
        assert_eq!(bounce, labels.intern("4", "Bounce"));
        assert_ne!(bounce, labels.parse("1", "Bounce"));
        assert_eq!((labels.text(bounce).as_str(), labels.origin(bounce)), ("4:Bounce", "4"));
        let idle = labels.parse("1", "Idle");
        assert!(labels.is_idle(idle) && !labels.is_idle(bounce));
        let odd = labels.parse("1", ":x");
        assert_eq!(labels.text(odd), "1::x");
    }

    #[test]
    fn codes_hold_node_and_activity() {
        let code = LabelCode::new(4, 0x2a);
        assert_eq!((code.0, code.origin(), code.id()), (0x042a, 4, 0x2a));
    }
}
