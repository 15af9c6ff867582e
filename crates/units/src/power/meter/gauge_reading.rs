//! Parser of one reading of a device's batteries, from the files of the kernel's power supplies.

use super::figure_unit::{FigureKind, FigureUnit};

/// Reading of all batteries of a device, with the other supplies that feed it.
#[derive(Debug, Clone)]
pub(super) struct BatteriesReading {
    /// Batteries that are present and have a power or current.
    pub supplies: Vec<GaugeSupply>,
    /// Names of connected supplies that are no batteries; none where that was not read.
    online: Option<String>,
}

/// One battery's power or current in a reading.
#[derive(Debug, Clone)]
pub(super) struct GaugeSupply {
    /// Name of the supply in the kernel.
    pub name: String,
    /// Power or current as the file has it, in the vendor's unit.
    pub figure: f64,
    /// Whether the figure is a power or a current.
    pub kind: FigureKind,
    status: String,
}

/// Name of the supply that feeds a whole Android device.
const ANDROID: &str = "battery";

/// Largest figure of a voltage in millivolts; larger ones are microvolts.
const MILLIVOLTS_MAX: f64 = 100_000.0;
const VOLTS_MAX: f64 = 100.0;

impl BatteriesReading {
    /// Parses the lines of a reading; `None` if no battery in it has a current and voltage or a
    /// power.
    pub fn of(lines: &[&str]) -> Option<Self> {
        let mut supplies: Vec<(&str, Vec<&str>)> = Vec::new();
        let mut online = None;
        for line in lines {
            if let Some(name) = line.strip_prefix("supply=") {
                supplies.push((name.trim(), Vec::new()));
            } else if let Some(names) = line.strip_prefix("online=") {
                online = Some(names.trim().to_owned());
            } else {
                if supplies.is_empty() {
                    supplies.push((ANDROID, Vec::new()));
                }
                supplies.iter_mut().next_back().into_iter().for_each(|(_, own)| own.push(line));
            }
        }
        let supplies: Vec<GaugeSupply> =
            supplies.iter().filter_map(|(name, lines)| GaugeSupply::of(name, lines)).collect();
        (!supplies.is_empty()).then_some(Self { supplies, online })
    }

    /// Returns why the batteries' figures are not what the device draws: one takes energy in, or a
    /// cable feeds the device beside them.
    pub(crate) fn other_supply_problem(&self) -> Option<String> {
        let status = |wanted: &[&str]| {
            let is_wanted = |supply: &&GaugeSupply| {
                wanted.iter().any(|w| supply.status.eq_ignore_ascii_case(w))
            };
            self.supplies.iter().find(is_wanted)
        };
        if let Some(supply) = status(&["Charging", "Full"]) {
            let problem = format!("{} was being charged: pull the supply", supply.shown());
            return Some(problem);
        }
        let cable = self.online.as_deref().filter(|names| !names.is_empty());
        let is_android = self.supplies.iter().any(|supply| supply.name == ANDROID);
        match (cable, status(&["Not charging"])) {
            (Some(cable), resting) if resting.is_some() || !is_android => {
                Some(format!("{cable} feeds the device, and not its battery alone: pull the cable"))
            }
            (None, Some(supply)) if self.online.is_none() => Some(format!(
                "{} says \"Not charging\", as one does on a cable: pull the supply",
                supply.shown()
            )),
            _ => None,
        }
    }

    /// Returns a sentence on the supplies that are connected although a battery is discharged.
    pub fn connected_supply_remark(&self) -> Option<String> {
        let cable = self.online.as_deref().filter(|names| !names.is_empty())?;
        Some(format!("{cable} is connected: what it gives is in no figure"))
    }
}

impl GaugeSupply {
    fn of(name: &str, lines: &[&str]) -> Option<Self> {
        let field =
            |key: &str| lines.iter().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        let number = |key| field(key)?.trim().parse::<f64>().ok().filter(|n: &f64| n.is_finite());
        if field("present").is_some_and(|present| present.trim() == "0") {
            return None;
        }
        let volts = number("voltage_now").map(volts).filter(|volts| *volts > 0.0);
        let power = number("power_now").map(|figure| (figure, FigureKind::Power { volts }));
        let current = || Some((number("current_now")?, FigureKind::Current { volts: volts? }));
        let (figure, kind) = power.or_else(current)?;
        let status = field("status").unwrap_or("").trim().to_owned();
        Some(Self { name: name.to_owned(), figure, kind, status })
    }

    /// Returns the watts of the figure in a unit that another reading of this battery determined.
    pub(crate) fn watts_as(&self, told: &Self, unit: FigureUnit) -> f64 {
        match (self.kind, told.kind) {
            (FigureKind::Current { volts }, FigureKind::Current { volts: then }) => {
                unit.watts / then * volts
            }
            _ => unit.watts,
        }
    }

    fn shown(&self) -> String {
        match self.name.as_str() {
            ANDROID => "the battery".to_owned(),
            name => format!("the battery {name}"),
        }
    }
}

fn volts(figure: f64) -> f64 {
    let size = figure.abs();
    let scale = match size {
        size if size > MILLIVOLTS_MAX => 1e-6,
        size if size > VOLTS_MAX => 1e-3,
        _ => 1.0,
    };
    size * scale
}
