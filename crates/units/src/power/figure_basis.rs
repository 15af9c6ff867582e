//! What the joules of a figure rest on.

use std::fmt;

use super::meter::{Meter, SoftwareMeter};

/// Basis of an energy or power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FigureBasis {
    /// A power meter.
    Measured,
    /// A model of power from CPU time, a frequency or bytes: no measurement, and of unknown error.
    Estimated,
    /// The simulated energy model of a virtual board.
    Simulated,
}

impl FigureBasis {
    /// The basis of the figures of a board with this meter.
    pub fn of_board(is_virtual: bool, meter: &str) -> Self {
        match is_virtual {
            true => Self::Simulated,
            false if meter == SoftwareMeter.name() => Self::Estimated,
            false => Self::Measured,
        }
    }

    /// The name in files and labels.
    pub fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Estimated => "estimated",
            Self::Simulated => "simulated",
        }
    }
}

impl fmt::Display for FigureBasis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_meter_measures() {
        assert_eq!(FigureBasis::of_board(false, "rapl"), FigureBasis::Measured);
        assert_eq!(FigureBasis::of_board(false, "software").to_string(), "estimated");
        assert_eq!(FigureBasis::of_board(true, "ina231"), FigureBasis::Simulated);
        assert_eq!(FigureBasis::of_board(true, "software"), FigureBasis::Simulated);
    }
}
