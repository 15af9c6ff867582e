//! Families of simulated energy models.

use std::fmt;
use std::str::FromStr;

/// Family of a board's simulated energy model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SimulatedModelFamily {
    /// A sum over bytecodes, from a published table.
    #[default]
    Additive,
    /// Energy as of compiled code, by code location. Its constants are drawn from the seed.
    Compiled(u64),
}

impl FromStr for SimulatedModelFamily {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let seed = |text: &str| text.parse().ok().map(Self::Compiled);
        let found = match text.split_once(':') {
            None if text == "additive" => Some(Self::Additive),
            Some(("compiled", rest)) => seed(rest),
            _ => None,
        };
        found.ok_or_else(|| {
            format!(
                "{text:?} is no simulated energy model: give `additive`, or `compiled:SEED` with a number"
            )
        })
    }
}

/// Name on the command line: `additive`, `compiled:7`.
impl fmt::Display for SimulatedModelFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Additive => f.write_str("additive"),
            Self::Compiled(seed) => write!(f, "compiled:{seed}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_read_as_it_is_written() {
        for family in [SimulatedModelFamily::Additive, SimulatedModelFamily::Compiled(7)] {
            assert_eq!(family.to_string().parse(), Ok(family));
        }
        for wrong in ["", "compiled", "compiled:", "compiled:-1", "compiled:x", "additive:1"] {
            assert!(wrong.parse::<SimulatedModelFamily>().unwrap_err().contains("compiled:SEED"));
        }
    }
}
