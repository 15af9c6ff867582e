//! Unit of a battery's figures. The kernel's definition has microamperes and microwatts; many
//! vendors write milliamperes. No file has the unit, so each is compared with what a device at
//! this voltage can draw while somebody measures it; where both are plausible, neither is taken.

use crate::units::Watts;

/// Range of the power that a device can draw.
#[derive(Debug, Clone, Copy, PartialEq)]
struct DrawRange {
    least_w: f64,
    most_w: f64,
}

/// Range with one battery cell: phones, tablets, small boards. The least is of a phone asleep.
const ONE_CELL: DrawRange = DrawRange { least_w: 5e-3, most_w: 25.0 };
/// Range with several battery cells in a row: laptops, and phones with two cells.
const SEVERAL_CELLS: DrawRange = DrawRange { least_w: 50e-3, most_w: 150.0 };
/// Range where the voltage is not known.
const ANY: DrawRange = DrawRange { least_w: 5e-3, most_w: 150.0 };

/// Highest voltage of one battery cell.
const ONE_CELL_MOST_V: f64 = 5.5;

/// Unit of a battery's figures, as a factor to watts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FigureUnit {
    /// Watts per unit of the figure.
    pub watts: f64,
    /// Name of the unit: "microamperes".
    pub name: &'static str,
    is_micro: bool,
}

/// Quantity of a battery's figures, with the voltage if known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FigureKind {
    /// Current, at a voltage.
    Current { volts: f64 },
    /// Power.
    Power { volts: Option<f64> },
}

impl FigureKind {
    fn range(self) -> DrawRange {
        match self {
            Self::Current { volts } | Self::Power { volts: Some(volts) } => {
                if volts < ONE_CELL_MOST_V { ONE_CELL } else { SEVERAL_CELLS }
            }
            Self::Power { volts: None } => ANY,
        }
    }

    fn units(self) -> [FigureUnit; 2] {
        let (watts, names) = match self {
            Self::Current { volts } => (volts, ["microamperes", "milliamperes"]),
            Self::Power { .. } => (1.0, ["microwatts", "milliwatts"]),
        };
        let unit = |watts, name, is_micro| FigureUnit { watts, name, is_micro };
        [unit(watts * 1e-6, names[0], true), unit(watts * 1e-3, names[1], false)]
    }

    /// Determines the unit of these figures, by the small and the large ones among them: a single
    /// one may be nonsense.
    ///
    /// # Errors
    /// A sentence where both units can be, or neither.
    pub fn unit(self, figures: &[f64]) -> Result<FigureUnit, String> {
        let mut sizes: Vec<f64> =
            figures.iter().map(|figure| figure.abs()).filter(|size| *size > 0.0).collect();
        sizes.sort_by(f64::total_cmp);
        let last = sizes.len().saturating_sub(1);
        let (Some(&low), Some(&high)) = (sizes.get(last / 10), sizes.get((last * 9 + 5) / 10))
        else {
            return Err("all of its figures are 0".into());
        };
        let range = self.range();
        let units = self.units();
        let can_be = |unit: &FigureUnit| {
            low * unit.watts >= range.least_w && high * unit.watts <= range.most_w
        };
        match units.map(|unit| can_be(&unit)) {
            [true, false] => Ok(units[0]),
            [false, true] => Ok(units[1]),
            both => {
                let says = |unit: &FigureUnit| {
                    format!("{} if these are {}", watts(high * unit.watts), unit.name)
                };
                let can = if both[0] { "both can be" } else { "neither can be" };
                Err(format!(
                    "a figure of {high} is {} and {}, and {can}: take readings under another load",
                    says(&units[0]),
                    says(&units[1])
                ))
            }
        }
    }
}

impl FigureUnit {
    /// Returns a sentence for the user about the unit, with a figure as example.
    pub fn remark(self, figure: f64) -> String {
        let drawn_w = figure.abs() * self.watts;
        let other_w = if self.is_micro { drawn_w * 1e3 } else { drawn_w * 1e-3 };
        format!(
            "taken for {}: {figure} is {}, and would be {} otherwise",
            self.name,
            watts(drawn_w),
            watts(other_w)
        )
    }
}

fn watts(watts: f64) -> String {
    Watts(watts).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn current(volts: f64, figures: &[f64]) -> Result<&'static str, String> {
        FigureKind::Current { volts }.unit(figures).map(|unit| unit.name)
    }

    #[test]
    fn a_unit_is_told_by_what_the_device_can_draw() {
        // A phone asleep, at work, charging through its largest load; in either unit.
        assert_eq!(current(3.9, &[-14_500.0]), Ok("microamperes"));
        assert_eq!(current(4.0, &[250_000.0]), Ok("microamperes"));
        assert_eq!(current(4.0, &[250.0]), Ok("milliamperes"));
        assert_eq!(current(11.5, &[1_500_000.0]), Ok("microamperes"));
        assert_eq!(current(11.5, &[1_500.0]), Ok("milliamperes"));
        let power = FigureKind::Power { volts: Some(11.5) };
        assert_eq!(power.unit(&[8_542_000.0]).unwrap().name, "microwatts");
        assert_eq!(power.unit(&[8_542.0]).unwrap().name, "milliwatts");
    }

    #[test]
    fn where_both_can_be_neither_is_taken() {
        let error = current(4.0, &[4_500.0]).unwrap_err();
        assert!(error.contains("18.0 mW if these are microamperes"), "{error}");
        assert!(error.contains("18.0 W if these are milliamperes, and both can be"), "{error}");
        // Another load tells.
        assert_eq!(current(4.0, &[4_500.0, 300.0, 4_000.0]), Ok("milliamperes"));
        assert_eq!(current(4.0, &[4_500.0, 90_000.0, 95_000.0]), Ok("microamperes"));
        assert!(current(4.0, &[1e9]).unwrap_err().contains("neither can be"));
        assert!(current(4.0, &[0.0]).is_err());
    }
}
