//! The board file: what a virtual board is like, as written and as checked. One TOML
//! per board in `datasets/boards/`; unknown keys are errors.

use serde::Deserialize;

use super::BoardError;
use super::meters_file::{self, BatteryGauge, MeterChip, Sensors};

/// The board file of the Odroid-XU+E.
pub const ODROID_XU_E: &str = include_str!("../datasets/boards/odroid-xu-e.toml");

/// The board file of a phone with power rails that are measured.
pub const PIXEL: &str = include_str!("../datasets/boards/pixel.toml");

/// The board file of a phone with nothing but a fuel gauge.
pub const PHONE: &str = include_str!("../datasets/boards/phone.toml");

/// The names of the built-in boards.
pub const NAMES: [&str; 4] = ["odroid-xu-e", "odroid-xu3", "pixel", "phone"];

/// The board file of the Odroid-XU3.
pub const ODROID_XU3: &str = include_str!("../datasets/boards/odroid-xu3.toml");

/// What a virtual board is like. Field by field the keys of the TOML file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardFile {
    /// Name of the board.
    pub name: String,
    /// `ro.product.model`.
    pub model: String,
    /// `ro.build.version.release`.
    pub release: String,
    /// `ro.build.version.sdk`; that of Android 4.2 where it is not said.
    #[serde(default = "sdk_of_jelly_bean")]
    pub sdk: u32,
    /// Seconds since boot when a session starts.
    pub uptime_start_s: f64,
    /// Wall clock then, in seconds of Unix time.
    pub epoch_start_s: u64,
    /// Seed of all randomness.
    pub seed: u64,
    /// How fast code runs, at which frequencies.
    pub processor: Processor,
    /// Heat and leakage.
    pub heat: Heat,
    /// The four power rails.
    pub rails: Rails,
    /// INA231 sensors: refresh and resolution.
    #[serde(default)]
    pub sensors: Option<Sensors>,
    /// Chips that accumulate the energy of rails.
    #[serde(default)]
    pub odpm: Vec<MeterChip>,
    /// A battery's fuel gauge.
    #[serde(default)]
    pub gauge: Option<BatteryGauge>,
    /// Energy of work besides the application's code.
    pub costs: OverheadCosts,
    /// GC.
    pub collector: GcCost,
}

/// How fast code runs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Processor {
    /// Watts of one big core that computes, at the reference frequency.
    pub busy_w: f64,
    /// Frequency for which the simulated energy model's costs hold.
    pub reference_khz: u64,
    /// Number of big cores.
    pub big_cores: u32,
    /// Little cores that stand before them in the numbering, with a frequency of their own;
    /// none where a switcher hides them.
    #[serde(default)]
    pub little_cores: u32,
    /// Their highest frequency.
    #[serde(default)]
    pub little_khz: u64,
    /// Frequencies in kHz with the core voltage at each.
    pub operating_points: Vec<(u64, f64)>,
    /// Frequency before any script sets one.
    pub frequency_at_boot_khz: u64,
}

/// First-order thermal model and leakage.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heat {
    /// Temperature without any power.
    pub ambient_c: f64,
    /// Degrees per watt in the long run.
    pub resistance_c_per_w: f64,
    /// Time constant.
    pub time_constant_s: f64,
    /// Leakage at the reference temperature.
    pub leakage_w: f64,
    /// Reference temperature of the leakage.
    pub reference_c: f64,
    /// Degrees for a factor e in leakage.
    pub scale_c: f64,
}

/// The four rails of the Odroid-XU+E.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rails {
    /// The big cores (A15).
    pub arm: Rail,
    /// Memory.
    pub mem: Rail,
    /// Graphics.
    pub g3d: Rail,
    /// The little cores (A7).
    pub kfc: Rail,
}

/// One power rail and its sensor, if it has one.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rail {
    /// Watts when nothing runs, without leakage.
    pub idle_w: f64,
    /// Voltage; absent for the rail that follows the operating point.
    pub voltage_v: Option<f64>,
    /// Standard deviation of a voltage reading of its INA231.
    #[serde(default)]
    pub noise_v: f64,
    /// Standard deviation of a current reading.
    #[serde(default)]
    pub noise_a: f64,
    /// Resolution of the current.
    #[serde(default)]
    pub step_ua: u64,
}

/// Energy of work besides the application's code.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverheadCosts {
    /// Factor on every cost of the simulated energy model.
    pub multiplier: f64,
    /// Share of the application's energy on the memory rail.
    pub memory_share: f64,
    /// One command of a script.
    pub command_j: f64,
    /// One line of the log.
    pub log_line_j: f64,
    /// One byte of the log.
    pub log_byte_j: f64,
}

/// GC by allocated bytes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GcCost {
    /// Bytes allocated between two collections.
    pub every_bytes: u64,
    /// Energy of one collection.
    pub energy_j: f64,
    /// Size of the heap in the log line.
    pub heap_kb: u64,
}

fn sdk_of_jelly_bean() -> u32 {
    17
}

impl BoardFile {
    /// Reads and checks a board file.
    ///
    /// # Errors
    /// TOML that can't be read, unknown keys, values without physical sense.
    pub fn from_toml(text: &str) -> Result<Self, BoardError> {
        let file: Self = toml::from_str(text)
            .map_err(|error| BoardError::File { problem: error.to_string() })?;
        match file.problem() {
            None => Ok(file),
            Some(problem) => Err(BoardError::File { problem }),
        }
    }

    /// A built-in board by its name.
    pub fn built_in(name: &str) -> Option<Self> {
        let texts = [ODROID_XU_E, ODROID_XU3, PIXEL, PHONE];
        let (_, text) = NAMES.into_iter().zip(texts).find(|(known, _)| *known == name)?;
        Self::from_toml(text).ok()
    }

    /// The virtual Odroid-XU+E.
    pub fn odroid_xu_e() -> Self {
        Self::from_toml(ODROID_XU_E).expect("a test reads the built-in board file")
    }

    /// Another board of the same kind: its code costs `device` times as much at the same
    /// speed, and without any it draws `idle` times as much.
    ///
    /// # Errors
    /// Factors that are not above 0.
    pub fn with_factors(mut self, device: f64, idle: f64) -> Result<Self, BoardError> {
        let positive = |factor: f64| factor.is_finite() && factor > 0.0;
        if !positive(device) || !positive(idle) {
            let problem = "the factors of a board must be above 0".to_owned();
            return Err(BoardError::File { problem });
        }
        self.costs.multiplier *= device;
        // Busy time is energy by busy power: more energy at the same speed is more power.
        self.processor.busy_w *= device;
        let rails = &mut self.rails;
        for rail in [&mut rails.arm, &mut rails.mem, &mut rails.g3d, &mut rails.kfc] {
            rail.idle_w *= idle;
        }
        Ok(self)
    }

    /// The first number of its release.
    pub(super) fn major_release(&self) -> u32 {
        let major = self.release.split('.').next();
        major.and_then(|number| number.parse().ok()).unwrap_or(0)
    }

    /// The period in which power is settled: the shortest refresh of a meter.
    pub(super) fn period_us(&self) -> u64 {
        meters_file::period_us(self.sensors.as_ref(), &self.odpm, self.gauge.as_ref())
    }

    fn problem(&self) -> Option<String> {
        self.values_problem().or_else(|| self.frequencies_problem()).or_else(|| {
            meters_file::problem(self.sensors.as_ref(), &self.odpm, self.gauge.as_ref())
        })
    }

    fn values_problem(&self) -> Option<String> {
        let (heat, costs) = (&self.heat, &self.costs);
        let rails = [&self.rails.arm, &self.rails.mem, &self.rails.g3d, &self.rails.kfc];
        let positive = [
            ("processor.busy_w", self.processor.busy_w),
            ("heat.time_constant_s", heat.time_constant_s),
            ("heat.scale_c", heat.scale_c),
            ("collector.every_bytes", self.collector.every_bytes as f64),
            ("costs.multiplier", costs.multiplier),
        ];
        let not_negative = [
            ("uptime_start_s", self.uptime_start_s),
            ("heat.resistance_c_per_w", heat.resistance_c_per_w),
            ("heat.leakage_w", heat.leakage_w),
            ("costs.memory_share", costs.memory_share),
            ("costs.command_j", costs.command_j),
            ("costs.log_line_j", costs.log_line_j),
            ("costs.log_byte_j", costs.log_byte_j),
            ("collector.energy_j", self.collector.energy_j),
        ];
        let rail_values = rails
            .into_iter()
            .flat_map(|rail| {
                [rail.idle_w, rail.noise_v, rail.noise_a, rail.voltage_v.unwrap_or(1.0)]
            })
            .map(|value| ("rails.*", value));
        let wrong = |value: f64, least: f64| !value.is_finite() || value < least;
        positive
            .into_iter()
            .find(|(_, value)| wrong(*value, f64::MIN_POSITIVE))
            .map(|(key, _)| format!("{key} must be above 0"))
            .or_else(|| {
                not_negative
                    .into_iter()
                    .chain(rail_values)
                    .find(|(_, value)| wrong(*value, 0.0))
                    .map(|(key, _)| format!("{key} must not be negative"))
            })
    }

    fn frequencies_problem(&self) -> Option<String> {
        let processor = &self.processor;
        let known = |khz: u64| processor.operating_points.iter().any(|(point, _)| *point == khz);
        let keys = [
            ("processor.reference_khz", processor.reference_khz),
            ("processor.frequency_at_boot_khz", processor.frequency_at_boot_khz),
        ];
        let missing = keys.into_iter().find(|(_, khz)| !known(*khz));
        let dead =
            processor.operating_points.iter().find(|(khz, volts)| *khz == 0 || *volts <= 0.0);
        missing
            .map(|(key, khz)| format!("{key} = {khz} is not among processor.operating_points"))
            .or_else(|| dead.map(|_| "processor.operating_points must be above 0".to_owned()))
            .or_else(|| {
                (self.costs.memory_share > 1.0)
                    .then(|| "costs.memory_share must not be above 1".to_owned())
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slower_meters_refresh_with_the_fastest() {
        let text = PIXEL.replacen("refresh_us = 100000", "refresh_us = 70000", 1);
        let error = BoardFile::from_toml(&text).unwrap_err().to_string();
        assert!(error.contains("multiple of the shortest refresh, 50000"), "{error}");
        let text = PHONE.replace("[gauge]", "[gouge]");
        assert!(BoardFile::from_toml(&text).unwrap_err().to_string().contains("gouge"));
    }

    #[test]
    fn the_built_in_file_is_sound() {
        for name in NAMES {
            assert_eq!(BoardFile::built_in(name).unwrap().name, name);
        }
        assert!(BoardFile::built_in("odroid-xu4").is_none());
    }

    #[test]
    fn another_board_of_the_kind_is_as_fast_and_spends_more() {
        let one = BoardFile::odroid_xu_e();
        let other = one.clone().with_factors(1.2, 0.5).unwrap();
        let seconds = |file: &BoardFile| file.costs.multiplier / file.processor.busy_w;
        assert!((seconds(&one) - seconds(&other)).abs() < 1e-12);
        assert_eq!(other.costs.multiplier, 1.2 * one.costs.multiplier);
        assert_eq!(other.rails.mem.idle_w, 0.5 * one.rails.mem.idle_w);
        for factor in [0.0, -1.0, f64::NAN] {
            assert!(BoardFile::odroid_xu_e().with_factors(factor, 1.0).is_err());
        }
    }

    #[test]
    fn wrong_files_are_refused_with_the_key() {
        for (from, to, expected) in [
            ("busy_w = 1.5", "busy_w = 0.0", "processor.busy_w"),
            ("seed = 1", "seed = 1\nsead = 2", "sead"),
            ("reference_khz = 1100000", "reference_khz = 7", "reference_khz"),
            ("memory_share = 0.12", "memory_share = 1.2", "memory_share"),
            ("idle_w = 0.180", "idle_w = -1.0", "rails"),
            ("refresh_us = 263808", "refresh_us = 0", "sensors.refresh_us"),
            ("[sensors]", "[gauge]", "gauge"),
        ] {
            let text = ODROID_XU_E.replacen(from, to, 1);
            let error = BoardFile::from_toml(&text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
