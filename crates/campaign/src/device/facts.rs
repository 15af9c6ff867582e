//! Facts about a board, read from its properties.

use std::time::Duration;

use super::board::Board;
use super::error::DeviceError;
use super::sampler::{self, Sampler};

/// Whether a board is real hardware or virtual; every report states it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HardwareKind {
    /// A real board.
    #[default]
    Real,
    /// The virtual board of this program: its energy is computed, not measured.
    Virtual,
}

/// Facts about a board: model, Android release and API level, serial, sampling profiler.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BoardFacts {
    /// `ro.product.model`; absent if the board has no such property.
    pub model: Option<String>,
    /// `ro.build.version.release`; absent if the board has no such property.
    pub android_release: Option<String>,
    /// Real or virtual.
    pub hardware: HardwareKind,
    /// `ro.serialno`: the board's own serial, wherever adb finds it; absent if the board has no
    /// such property.
    pub own_serial: Option<String>,
    /// `ro.wattline.simulated_model`: the simulated energy model of a virtual board; absent on
    /// others.
    pub simulated_model: Option<String>,
    /// `ro.build.version.sdk`, the API level; absent if the board has no such property, and without
    /// Android.
    pub level: Option<u32>,
    /// Whether the runtime compiles all code, as since Android 5.0; before, there is no more than a
    /// just-in-time compiler of short traces.
    pub compiles: bool,
    /// Sampling profiler of the board, if it has one that wattline supports.
    pub sampler: Option<Sampler>,
}

impl BoardFacts {
    /// Whether the energy of this board is computed rather than measured.
    pub fn is_virtual(&self) -> bool {
        self.hardware == HardwareKind::Virtual
    }
}

/// The API level of the first Android whose runtime, ART, compiles all code.
const ANDROID_5_0: u32 = 21;

/// Reads a board's facts from its properties.
pub fn read_facts(board: &dyn Board) -> Result<BoardFacts, DeviceError> {
    let command = "getprop ro.product.model; getprop ro.build.version.release; \
                   getprop ro.wattline.virtual; getprop ro.serialno; getprop ro.wattline.simulated_model; \
                   getprop ro.build.version.sdk; command -v simpleperf || echo";
    let answer = board.shell(command, Duration::from_secs(10))?.success(board, command)?;
    Ok(facts_of(&answer))
}

/// Parses the six lines of `getprop` and the path of simpleperf; an empty line is an unknown value.
fn facts_of(answer: &str) -> BoardFacts {
    let mut lines = answer.lines().map(str::trim);
    let mut next = || lines.next().filter(|line| !line.is_empty()).map(str::to_owned);
    let (model, android_release, mark, own_serial) = (next(), next(), next(), next());
    let (simulated_model, level, simpleperf) = (next(), next(), next());
    let level: Option<u32> = level.and_then(|level| level.parse().ok());
    let compiles = level.is_some_and(|level| level >= ANDROID_5_0);
    let sampler = sampler::android_sampler(level, simpleperf.is_some());
    let hardware = match mark.as_deref() {
        None | Some("0" | "false") => HardwareKind::Real,
        Some(_) => HardwareKind::Virtual,
    };
    BoardFacts {
        model,
        android_release,
        hardware,
        own_serial,
        simulated_model,
        level,
        compiles,
        sampler,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_tell_what_a_board_is() {
        let real = facts_of("ODROID-XU\n4.2.2\n\n");
        assert_eq!(real.model.as_deref(), Some("ODROID-XU"));
        assert!(!real.is_virtual());
        let other = facts_of("wattline\n\n1\nleft\ncompiled:1\n");
        assert_eq!(other.simulated_model.as_deref(), Some("compiled:1"));
        assert!(other.is_virtual());
        assert_eq!(other.own_serial.as_deref(), Some("left"));
        assert_eq!(facts_of("\n\n\n"), BoardFacts::default());
        let sampler =
            |level: &str, place: &str| facts_of(&format!("m\n\n\n\n\n{level}\n{place}\n")).sampler;
        let place = "/system/bin/simpleperf";
        assert_eq!(sampler("34", place), Some(Sampler::Simpleperf));
        assert_eq!(sampler("29", place), Some(Sampler::Simpleperf));
        assert_eq!(sampler("34", ""), None);
        assert_eq!(sampler("28", place), Some(Sampler::Methods), "no application allows it");
        assert_eq!(sampler("19", ""), Some(Sampler::Methods));
        assert_eq!([sampler("18", ""), sampler("", "")], [None; 2]);
        let compiles = |level: &str| facts_of(&format!("m\n\n\n\n\n{level}\n")).compiles;
        assert_eq!(["20", "21", ""].map(compiles), [false, true, false]);
        let level = |level: &str| facts_of(&format!("m\n\n\n\n\n{level}\n")).level;
        assert_eq!([level("17"), level("")], [Some(17), None]);
    }
}
