//! What the numbers in a node's log stand for: components with their states, activities,
//! the units of time and energy, and the node's clock. A TOML file; without one, numbers
//! stand for themselves.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use wattline_units::file_schema::{KeySection, json_schema_for_editors};

/// At the top of the file.
///
/// Keys of `[activities]` and `[component.states]` are numbers in quotation marks or without.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NodeNames {
    /// Number of the node.
    pub node: u8,
    /// Seconds of a tick of its clock.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tick_s: f64,
    /// Joules of a count of its meter. Default: 0.00000833, as of the HydroWatch board at 3 V.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub count_j: f64,
    /// What its clock shows more than the common one, in seconds. Default: by the messages between
    /// the nodes.
    pub clock_offset_s: Option<f64>,
    /// Volts of its supply: currents are written beside powers then.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub supply_v: Option<f64>,
    /// Whether the node is simulated, which all results then state.
    pub simulated: bool,
    /// `[[component]]`.
    #[serde(rename = "component")]
    pub components: Vec<ComponentNames>,
    /// Names of activities by their number, whatever node they began at. Default: the numbers.
    pub activities: BTreeMap<String, String>,
}

/// `[[component]]`: a component of the node and its states.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComponentNames {
    /// Number of the component in the log.
    pub id: u8,
    /// Name of the component.
    pub name: String,
    /// Names of its states by their number. Default: the numbers.
    #[serde(default)]
    pub states: BTreeMap<String, String>,
    /// Number of its state when the log begins.
    #[serde(default)]
    pub initial: u16,
    /// Whether it is a processor, which spends the energy of writing the log.
    #[serde(default)]
    pub processor: bool,
    /// Whether its states are not logged, but follow from its activity: 0 when idle, 1 otherwise.
    #[serde(default)]
    pub follows_activity: bool,
}

impl Default for NodeNames {
    /// Node 1, microseconds, 8.33 uJ a count (the meter of the HydroWatch board at 3 V).
    fn default() -> Self {
        Self {
            node: 1,
            tick_s: 1e-6,
            count_j: 8.33e-6,
            clock_offset_s: None,
            supply_v: None,
            simulated: false,
            components: Vec::new(),
            activities: BTreeMap::new(),
        }
    }
}

/// Returns the keys of a file of names, by section.
pub fn node_names_sections() -> Vec<KeySection> {
    vec![KeySection::of::<NodeNames>(), KeySection::of::<ComponentNames>()]
}

/// Returns the JSON schema (draft 2020-12) of a file of names.
pub fn node_names_json_schema() -> Value {
    json_schema_for_editors::<NodeNames>("Names of a node, for `wattline activities`")
}

/// Error of a file of names.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NamesError {
    /// Not such a file.
    #[error("{0}")]
    Toml(#[from] toml::de::Error),
    /// A unit or a supply that can't be one.
    #[error("{key} is {value}, but must be a finite number above 0")]
    Unit {
        /// Its key.
        key: &'static str,
        /// Its value.
        value: f64,
    },
    /// A clock offset that is none.
    #[error("clock_offset_s is {0}, but must be a finite number")]
    Offset(f64),
}

impl NodeNames {
    /// Parses a file of names.
    ///
    /// # Errors
    /// No TOML, unknown keys (named), units that are not above 0.
    pub fn parse(text: &str) -> Result<Self, NamesError> {
        let names: Self = toml::from_str(text)?;
        let units = [("tick_s", names.tick_s), ("count_j", names.count_j)];
        for (key, value) in units.into_iter().chain(names.supply_v.map(|volts| ("supply_v", volts)))
        {
            if !(value.is_finite() && value > 0.0) {
                return Err(NamesError::Unit { key, value });
            }
        }
        if let Some(offset) = names.clock_offset_s.filter(|offset| !offset.is_finite()) {
            return Err(NamesError::Offset(offset));
        }
        Ok(names)
    }

    /// Returns the names of the component with an id, if the file has it.
    #[must_use]
    pub fn component(&self, id: u8) -> Option<&ComponentNames> {
        self.components.iter().find(|component| component.id == id)
    }

    /// Returns the name of the activity with an id, or its number without a name.
    #[must_use]
    pub fn activity(&self, id: u8) -> String {
        let number = id.to_string();
        self.activities.get(&number).cloned().unwrap_or(number)
    }
}

impl ComponentNames {
    /// Returns the name of the state with a value, if it has one.
    #[must_use]
    pub fn state(&self, value: u16) -> Option<&str> {
        self.states.get(&value.to_string()).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_numbers() {
        let names = NodeNames::parse(
            "node = 4\ntick_s = 30.517578125e-6\n[[component]]\nid = 0\nname = \"CPU\"\n\
             processor = true\nstates = { 0 = \"idle\", 1 = \"active\" }\n\
             [activities]\n0 = \"Idle\"\n",
        )
        .unwrap();
        assert_eq!(names.component(0).unwrap().state(1), Some("active"));
        assert_eq!(names.component(0).unwrap().state(7), None);
        assert_eq!((names.activity(0), names.activity(9)), ("Idle".into(), "9".into()));
        assert_eq!(names.count_j, 8.33e-6);
    }

    #[test]
    fn mistakes_are_named() {
        let message = |text: &str| NodeNames::parse(text).unwrap_err().to_string();
        assert!(message("nod = 4").contains("nod"));
        assert!(message("tick_s = 0.0").contains("tick_s is 0"));
        assert!(message("count_j = nan").contains("count_j is NaN"));
        assert!(message("supply_v = -3.0").contains("supply_v is -3"));
        assert!(message("clock_offset_s = inf").contains("clock_offset_s"));
    }
}
