//! Board file: the description of a virtual board, as written and as checked. One TOML per board in
//! `datasets/boards/`; unknown keys are errors.

use serde::Deserialize;

use super::BoardError;
use super::idle_drift::IdleDrift;
use super::meters_file::{self, BatteryGauge, Ina231Sensors, MeterChip};

/// The board file of the Odroid-XU+E.
pub const ODROID_XU_E: &str = include_str!("../datasets/boards/odroid-xu-e.toml");

/// The board file of a phone with power rails that are measured.
pub const PIXEL: &str = include_str!("../datasets/boards/pixel.toml");

/// The board file of a phone with nothing but a fuel gauge.
pub const PHONE: &str = include_str!("../datasets/boards/phone.toml");

/// The names of the built-in boards.
pub const BUILT_IN_BOARD_NAMES: [&str; 4] = ["odroid-xu-e", "odroid-xu3", "pixel", "phone"];

/// The board file of the Odroid-XU3.
pub const ODROID_XU3: &str = include_str!("../datasets/boards/odroid-xu3.toml");

/// Description of a virtual board, with the keys of the TOML file as fields.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardFile {
    /// Name of the board.
    pub name: String,
    /// `ro.product.model`.
    pub model: String,
    /// `ro.build.version.release`.
    pub release: String,
    /// `ro.build.version.sdk`; that of Android 4.2 where the file has none.
    #[serde(default = "jelly_bean_sdk")]
    pub sdk: u32,
    /// Seconds since boot when a session starts.
    pub uptime_start_s: f64,
    /// Wall clock at that time, in seconds of Unix time.
    pub epoch_start_s: u64,
    /// Seed of all randomness.
    pub seed: u64,
    /// Speed of the processor and its frequencies.
    pub processor: Processor,
    /// Temperature and leakage.
    pub heat: ThermalModel,
    /// The four power rails.
    pub rails: Rails,
    /// Drift of the idle power over the board's life; none by default.
    #[serde(default)]
    pub drift: Option<IdleDrift>,
    /// INA231 sensors: refresh period and resolution.
    #[serde(default)]
    pub sensors: Option<Ina231Sensors>,
    /// Power monitor chips that accumulate the energy of rails.
    #[serde(default)]
    pub odpm: Vec<MeterChip>,
    /// Fuel gauge of a battery.
    #[serde(default)]
    pub gauge: Option<BatteryGauge>,
    /// Energy of work besides the application's code.
    pub costs: OverheadCosts,
    /// Cost of GC.
    pub collector: GcCost,
}

/// Speed, cores and frequencies of the processor.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Processor {
    /// Watts of one computing big core at the reference frequency.
    pub busy_w: f64,
    /// Frequency in kHz for which the simulated energy model's costs hold.
    pub reference_khz: u64,
    /// Number of big cores.
    pub big_cores: u32,
    /// Number of little cores that come before the big ones in the numbering, with a frequency of
    /// their own; 0 where a switcher hides them.
    #[serde(default)]
    pub little_cores: u32,
    /// Highest frequency of the little cores in kHz.
    #[serde(default)]
    pub little_khz: u64,
    /// Frequencies of the big cores in kHz with the core voltage at each.
    pub operating_points: Vec<(u64, f64)>,
    /// Frequency in kHz before any script sets one.
    pub frequency_at_boot_khz: u64,
}

/// First-order thermal model with leakage.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThermalModel {
    /// Temperature without any power, in °C.
    pub ambient_c: f64,
    /// Steady-state temperature rise in degrees per watt.
    pub resistance_c_per_w: f64,
    /// Time constant in seconds.
    pub time_constant_s: f64,
    /// Leakage in watts at the reference temperature.
    pub leakage_w: f64,
    /// Reference temperature of the leakage, in °C.
    pub reference_c: f64,
    /// Degrees over which leakage grows by a factor of e.
    pub scale_c: f64,
}

/// Power rails of the Odroid-XU+E.
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

/// Power rail with the noise and resolution of its sensor, if it has one.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rail {
    /// Watts of the idle rail, without leakage.
    pub idle_w: f64,
    /// Voltage; absent for the rail that follows the operating point.
    pub voltage_v: Option<f64>,
    /// Standard deviation of a voltage reading of the INA231, in volts.
    #[serde(default)]
    pub noise_v: f64,
    /// Standard deviation of a current reading, in amperes.
    #[serde(default)]
    pub noise_a: f64,
    /// Resolution of the current in microamperes.
    #[serde(default)]
    pub step_ua: u64,
}

/// Energy of work besides the application's code: commands and log lines.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverheadCosts {
    /// Factor on every cost of the simulated energy model.
    pub multiplier: f64,
    /// Share of the application's energy that the memory rail draws.
    pub memory_share: f64,
    /// Joules of one command of a script.
    pub command_j: f64,
    /// Joules of one line of the log.
    pub log_line_j: f64,
    /// Joules of one byte of the log.
    pub log_byte_j: f64,
}

/// Cost of GC: how often it runs and the energy of each run.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GcCost {
    /// Bytes allocated between two GCs.
    pub every_bytes: u64,
    /// Joules of one GC.
    pub energy_j: f64,
    /// Heap size in the log line, in kB.
    pub heap_kb: u64,
}

/// API level of Android 4.2.
fn jelly_bean_sdk() -> u32 {
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
        match file.fault() {
            None => Ok(file),
            Some(problem) => Err(BoardError::File { problem }),
        }
    }

    /// Built-in board of this name.
    pub fn built_in(name: &str) -> Option<Self> {
        let texts = [ODROID_XU_E, ODROID_XU3, PIXEL, PHONE];
        let (_, text) =
            BUILT_IN_BOARD_NAMES.into_iter().zip(texts).find(|(known, _)| *known == name)?;
        Self::from_toml(text).ok()
    }

    /// Board file of the virtual Odroid-XU+E.
    pub fn odroid_xu_e() -> Self {
        Self::from_toml(ODROID_XU_E).expect("a test reads the built-in board file")
    }

    /// Board of the same kind whose code costs `device` times as much at the same speed, and that
    /// draws `idle` times as much when idle.
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

    /// The board with a drift of its idle power.
    ///
    /// # Errors
    /// A swing below 0 or above the rail's idle power, a period that is not above 0.
    pub fn with_drift(mut self, drift: Option<IdleDrift>) -> Result<Self, BoardError> {
        self.drift = drift;
        match self.drift_fault() {
            None => Ok(self),
            Some(problem) => Err(BoardError::File { problem }),
        }
    }

    fn drift_fault(&self) -> Option<String> {
        self.drift.and_then(|drift| drift.fault(self.rails.arm.idle_w))
    }

    /// First number of the Android release.
    pub(super) fn major_release(&self) -> u32 {
        let major = self.release.split('.').next();
        major.and_then(|number| number.parse().ok()).unwrap_or(0)
    }

    /// Period in microseconds in which power is settled: the shortest refresh of a meter.
    pub(super) fn settlement_period_us(&self) -> u64 {
        meters_file::settlement_period_us(self.sensors.as_ref(), &self.odpm, self.gauge.as_ref())
    }

    /// First fault of the board's values, frequencies or meters, as a message.
    fn fault(&self) -> Option<String> {
        self.values_fault()
            .or_else(|| self.drift_fault())
            .or_else(|| self.frequencies_fault())
            .or_else(|| {
                meters_file::meters_fault(self.sensors.as_ref(), &self.odpm, self.gauge.as_ref())
            })
    }

    /// First value out of its range, as a message.
    fn values_fault(&self) -> Option<String> {
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

    /// First fault of the frequencies and operating points, as a message.
    fn frequencies_fault(&self) -> Option<String> {
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
        for name in BUILT_IN_BOARD_NAMES {
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
            ("[sensors]", "[drift]\nswing_w = 1.0\nperiod_s = 60.0\n[sensors]", "drift.swing_w"),
        ] {
            let text = ODROID_XU_E.replacen(from, to, 1);
            let error = BoardFile::from_toml(&text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
