//! One chip of the power rail monitor with the files of Pixel kernels: `energy_value` contains the
//! time of its last refresh and the microwatt seconds of each rail since boot. The energy is exact
//! but for a little noise: tolerances of real shunts are not simulated.

use std::io;
use std::path::Path;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::files::{LiveFile, write_file};
use super::rail_readings::RailPower;
use crate::meters_file::{ChipRail, MeterChip};

/// Range of the counters at the start of a session in microjoules: beyond 32 bits, as on a phone
/// that has run for hours.
const FIRST_UJ: std::ops::Range<u64> = 1 << 33..1 << 36;

/// Simulated chip of a power rail monitor, with its files.
pub(super) struct OdpmChip {
    chip: MeterChip,
    file: LiveFile,
    /// Microjoules of each channel at the session's start.
    first_uj: Vec<u64>,
    /// Joules of each channel since the session's start.
    spent_j: Vec<f64>,
    /// Text of the energy file.
    shown: String,
    /// Microjoules of each channel in the energy file.
    shown_uj: Vec<u64>,
    /// Number of nonsense texts shown so far.
    nonsense: usize,
}

/// Counts of a broken driver.
const GARBAGE: [&str; 4] = ["?#!", "-7", "0x1f", ""];

impl OdpmChip {
    /// Creates the chip's files.
    pub(super) fn new(root: &Path, chip: &MeterChip) -> io::Result<Self> {
        let folder = root.join(format!("sys/bus/iio/devices/iio:device{}", chip.device));
        write_file(&folder.join("name"), &format!("{}\n", chip.name))?;
        let enabled: String = (chip.rails.iter().enumerate())
            .map(|(at, rail)| format!("CH{at}[{}]:{}\n", rail.name, rail.subsystem))
            .collect();
        write_file(&folder.join("enabled_rails"), &enabled)?;
        let count = chip.rails.len();
        Ok(Self {
            file: LiveFile::create(&folder.join("energy_value"))?,
            chip: chip.clone(),
            first_uj: vec![0; count],
            spent_j: vec![0.0; count],
            shown: String::new(),
            shown_uj: vec![0; count],
            nonsense: 0,
        })
    }

    /// Starts a session with counters at random values.
    pub(super) fn restart(&mut self, now_ns: u64, noise: &mut ChaCha8Rng) {
        self.first_uj.iter_mut().for_each(|first| *first = noise.random_range(FIRST_UJ));
        self.spent_j.iter_mut().for_each(|spent| *spent = 0.0);
        self.shown_uj.clone_from(&self.first_uj);
        let refresh_ns = self.chip.refresh_us * 1000;
        self.refresh(now_ns / refresh_ns * refresh_ns);
    }

    /// Adds the energy of a power on the rails for some seconds, up to `until_ns`; refreshes the
    /// file at the end of a refresh period.
    pub(super) fn add_period(
        &mut self,
        power: RailPower,
        seconds: f64,
        until_ns: u64,
        noise: &mut ChaCha8Rng,
    ) {
        for (spent, rail) in self.spent_j.iter_mut().zip(&self.chip.rails) {
            *spent += rail_power_w(rail, power) * seconds;
        }
        if until_ns.is_multiple_of(self.chip.refresh_us * 1000) {
            let noise_j = self.chip.noise_w * self.chip.refresh_us as f64 * 1e-6;
            for spent in &mut self.spent_j {
                let normal: f64 = StandardNormal.sample(noise);
                *spent += normal * noise_j;
            }
            self.refresh(until_ns);
        }
    }

    /// Updates the shown counters with the time of the refresh.
    fn refresh(&mut self, at_ns: u64) {
        let millis = at_ns / 1_000_000;
        let counts = self.first_uj.iter().zip(&self.spent_j);
        let counts = counts.map(|(first, spent)| first + (spent * 1e6).max(0.0) as u64);
        // No noise makes a counter go back.
        self.shown_uj = counts.zip(&self.shown_uj).map(|(now, shown)| now.max(*shown)).collect();
        let counts: Vec<String> = self.shown_uj.iter().map(u64::to_string).collect();
        self.shown = self.text(millis, |at| counts[at].clone());
    }

    /// Text of the energy file, with a count per channel.
    fn text(&self, millis: u64, count: impl Fn(usize) -> String) -> String {
        let rails = self.chip.rails.iter().enumerate();
        let rails =
            rails.map(|(at, rail)| format!("CH{at}(T={millis})[{}], {}\n", rail.name, count(at)));
        format!("t={millis}\n{}", rails.collect::<String>())
    }

    /// Writes the counters of the last refresh to the file.
    pub(super) fn write_files(&mut self) {
        self.file.set(&self.shown);
    }

    /// Writes nonsense to the file, another text each time.
    pub(super) fn write_garbage(&mut self, now_ns: u64) {
        self.nonsense += 1;
        let word = GARBAGE[self.nonsense % GARBAGE.len()];
        let text = self.text(now_ns / 1_000_000, |_| word.to_owned());
        self.file.set(&text);
    }

    /// Channels of the chip with the microjoules shown.
    pub(super) fn rails(&self) -> impl Iterator<Item = (&ChipRail, u64)> {
        self.chip.rails.iter().zip(self.shown_uj.iter().copied())
    }
}

/// Watts of the board's rail that a channel measures, or its constant power.
fn rail_power_w(rail: &ChipRail, power: RailPower) -> f64 {
    rail.of.map_or(rail.power_w, |of| power[of as usize])
}

/// Tables of Android's power statistics service (`PowerStats.cpp`), whose milliwatt seconds pass
/// through a 32-bit float.
pub(super) fn power_stats(chips: &[OdpmChip]) -> Option<String> {
    if chips.is_empty() {
        return None;
    }
    let rails = || chips.iter().flat_map(OdpmChip::rails);
    let millis = |uj: u64| uj as f32 / 1000.0;
    let consumers: String = rails()
        .filter(|(rail, _)| rail.of.is_some())
        .map(|(rail, uj)| format!("{:<13}: {:14.2} mWs\n", rail.subsystem, millis(uj)))
        .collect();
    let meters: String = rails()
        .map(|(rail, uj)| {
            let name = format!("[{}]:{}", rail.name, rail.subsystem);
            format!("  {name:>32}   {:14.2} mWs\n", millis(uj))
        })
        .collect();
    Some(format!(
        "\n============= PowerStats HAL 2.0 energy consumers ==============\n{consumers}\
         ========== End of PowerStats HAL 2.0 energy consumers ==========\n\n\
         ============= PowerStats HAL 2.0 energy meter ==============\n  \
         {:>32}   {:>18}\n{meters}\
         ========== End of PowerStats HAL 2.0 energy meter ==========\n",
        "Channel", "Cumulative Energy"
    ))
}
