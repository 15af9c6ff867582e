//! Electricity of the board: power over time, temperature, meter readings. Per refresh period:
//! power = idle of each rail + leakage at the present temperature + the dynamic energy that fell
//! into the period; the sensors show the period's average, with noise, in their own steps, until
//! the next one is over. Chips that accumulate and the battery's gauge do so with the same power,
//! over one or several of the periods.
//!
//! All randomness comes from the board's seed and the session's label, and a session
//! starts on a board that has cooled to its idle temperature: so its readings depend
//! on its label and its work, not on what ran before; only a drift of the idle power, which no
//! board has by default, goes on from session to session.

mod bench_log;
mod cpufreq;
mod files;
mod gauge;
mod heat;
mod ina231;
mod odpm;
mod periods;
mod rail_factors;
mod rail_readings;
mod rapl;
mod sensor_trouble;

use std::io;
use std::path::Path;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

use super::board_file::BoardFile;
use bench_log::BenchLog;
use cpufreq::CpuFreq;
use files::{LiveFile, write_file};
use gauge::SimulatedFuelGauge;
use ina231::SimulatedIna231;
use odpm::OdpmChip;
use periods::EnergyByPeriod;
use rail_factors::{SpentEnergy, rail_factors};
use rail_readings::RailPower;
use rapl::SimulatedRapl;
pub(super) use sensor_trouble::SensorTrouble;

/// Power, temperature, frequency and meters of the board.
pub(super) struct BoardHardware {
    file: BoardFile,
    seed: u64,
    cpu: CpuFreq,
    sensors: Vec<SimulatedIna231>,
    chips: Vec<OdpmChip>,
    gauge: Option<SimulatedFuelGauge>,
    rapl: Option<SimulatedRapl>,
    log: Option<BenchLog>,
    uptime: LiveFile,
    temperatures: [LiveFile; 2],
    periods: EnergyByPeriod,
    /// Energy spent since the session began.
    spent: SpentEnergy,
    temperature_c: f64,
    /// Seconds of all sessions since the board was started.
    life_s: f64,
    noise: ChaCha8Rng,
    trouble: Option<SensorTrouble>,
}

impl BoardHardware {
    /// Creates the files under `/sys` and `/proc` at idle temperature.
    pub(super) fn new(root: &Path, file: BoardFile, seed: u64) -> io::Result<Self> {
        write_static_files(root, &file)?;
        let sensors = ina231::board_sensors(root, &file)?;
        let chips = file.odpm.iter().map(|chip| OdpmChip::new(root, chip));
        let chips = chips.collect::<io::Result<Vec<_>>>()?;
        let gauge =
            file.gauge.as_ref().map(|gauge| SimulatedFuelGauge::new(root, gauge)).transpose()?;
        let zone = LiveFile::create(&root.join("sys/class/thermal/thermal_zone0/temp"))?;
        let unit = LiveFile::create(&root.join("sys/devices/10060000.tmu/temp"))?;
        let mut hardware = Self {
            cpu: CpuFreq::new(root, &file.processor)?,
            uptime: LiveFile::create(&root.join("proc/uptime"))?,
            temperatures: [unit, zone],
            periods: EnergyByPeriod::new(file.settlement_period_us() * 1000),
            spent: SpentEnergy::default(),
            temperature_c: 0.0,
            life_s: 0.0,
            noise: ChaCha8Rng::seed_from_u64(0),
            trouble: None,
            sensors,
            chips,
            gauge,
            rapl: None,
            log: None,
            seed,
            file,
        };
        hardware.restart("", hardware.start_ns());
        Ok(hardware)
    }

    /// Adds RAPL counters of the energy of all rails, in a folder of the host.
    pub(super) fn add_rapl(&mut self, folder: &Path) -> io::Result<()> {
        self.rapl = Some(SimulatedRapl::new(folder)?);
        Ok(())
    }

    /// Adds a bench meter's log of the power of all rails, in a file of the host.
    pub(super) fn add_log(&mut self, path: &Path) -> io::Result<()> {
        let epoch_ns = self.file.epoch_start_s * 1_000_000_000;
        self.log = Some(BenchLog::create(path, epoch_ns, self.start_ns())?);
        Ok(())
    }

    /// The bench meter log's clock and the board's in seconds; `None` without a log.
    pub(super) fn host_clock(&self) -> Option<String> {
        self.log.as_ref().map(BenchLog::clocks)
    }

    /// Nanoseconds since boot when a session starts.
    pub(super) fn start_ns(&self) -> u64 {
        (self.file.uptime_start_s * 1e9) as u64
    }

    /// Resets the hardware as a restart of the board does: sensors off, the frequency that of boot.
    pub(super) fn boot(&mut self) {
        self.sensors.iter().for_each(SimulatedIna231::switch_off);
        self.cpu.boot();
        self.restart("", self.start_ns());
    }

    /// Sets a fault of the power sensors that is simulated from now on, or ends it with `None`.
    pub(super) fn set_sensor_trouble(&mut self, trouble: Option<SensorTrouble>) {
        self.trouble = trouble;
        if trouble == Some(SensorTrouble::Garbage) {
            self.write_garbage(self.start_ns());
        }
    }

    /// Slows the processor down to its lowest frequency, or ends that.
    pub(super) fn set_throttled(&mut self, throttled: bool) {
        self.cpu.set_throttled(throttled);
    }

    /// Whether the processor is slowed down.
    pub(super) fn is_throttled(&self) -> bool {
        self.cpu.is_throttled()
    }

    /// Cools down to idle and seeds the noise with the session's label.
    pub(super) fn restart(&mut self, label: &str, now_ns: u64) {
        let seed = Sha256::new()
            .chain_update(self.seed.to_le_bytes())
            .chain_update(label.as_bytes())
            .finalize();
        self.noise = ChaCha8Rng::from_seed(seed.into());
        self.cpu.poll(now_ns);
        self.temperature_c = heat::equilibrium_temperature(&self.file.heat, |celsius| {
            self.power(0.0, celsius).iter().sum()
        });
        self.periods.restart(now_ns);
        self.spent = SpentEnergy::default();
        self.log.iter_mut().for_each(|log| log.restart(now_ns));
        let power = self.power(0.0, self.temperature_c);
        self.refresh(power);
        self.chips.iter_mut().for_each(|chip| chip.restart(now_ns, &mut self.noise));
        self.gauge.iter_mut().for_each(|gauge| gauge.restart(power, &mut self.noise));
        self.write_files(now_ns);
    }

    /// Nanoseconds that a big core needs at the present frequency to spend an energy (given at the
    /// reference voltage).
    pub(super) fn busy_ns(&self, energy_j: f64) -> u64 {
        let processor = &self.file.processor;
        let speed = self.cpu.khz() as f64 / processor.reference_khz as f64;
        (energy_j / (processor.busy_w * speed) * 1e9).ceil() as u64
    }

    /// Spends an energy (given at the reference voltage) evenly from one time to another, which
    /// must not be over yet.
    pub(super) fn spend(&mut self, from_ns: u64, to_ns: u64, energy_j: f64) {
        let ratio = self.cpu.volts() / self.cpu.reference_volts();
        let drawn_j = energy_j * ratio * ratio;
        self.spent.add(energy_j, drawn_j);
        self.periods.add(from_ns, to_ns, drawn_j);
    }

    /// Names of the rails with the joules that each draws for a joule of the session's ground
    /// truth.
    pub(super) fn rail_factors(&self) -> Vec<(String, f64)> {
        rail_factors(&self.file, self.spent)
    }

    /// Settles all periods up to a time and updates all files.
    pub(super) fn move_to(&mut self, now_ns: u64) {
        self.cpu.poll(now_ns);
        while let Some(dynamic_w) = self.periods.settle_next_before(now_ns) {
            let power = self.power(dynamic_w, self.temperature_c);
            let (seconds, until_ns) = (self.periods.length_s(), self.periods.settled_ns());
            self.life_s += seconds;
            let total = power.iter().sum();
            self.temperature_c =
                heat::temperature_after(&self.file.heat, self.temperature_c, total, seconds);
            self.refresh(power);
            self.rapl.iter_mut().for_each(|rapl| rapl.add_period(power, seconds));
            let (noise, trouble) = (&mut self.noise, self.trouble);
            self.log.iter_mut().for_each(|log| log.add_period(power, until_ns, trouble, noise));
            self.chips.iter_mut().for_each(|chip| chip.add_period(power, seconds, until_ns, noise));
            self.gauge
                .iter_mut()
                .for_each(|gauge| gauge.add_period(power, seconds, until_ns, noise));
        }
        self.log.iter_mut().for_each(|log| log.move_to(now_ns));
        self.write_files(now_ns);
    }

    /// Takes a new reading of every INA231 sensor.
    fn refresh(&mut self, power: RailPower) {
        let volts = self.cpu.volts();
        for (sensor, watts) in self.sensors.iter_mut().zip(power) {
            sensor.measure(watts, volts, &mut self.noise);
        }
    }

    /// Power on each rail with a dynamic power and a temperature.
    fn power(&self, dynamic_w: f64, celsius: f64) -> RailPower {
        let rails = &self.file.rails;
        let ratio = self.cpu.volts() / self.cpu.reference_volts();
        let memory = dynamic_w * self.file.costs.memory_share;
        let leakage = heat::leakage_w(&self.file.heat, celsius) * ratio;
        let drift = self.file.drift.map_or(0.0, |drift| drift.power_w(self.life_s));
        [
            (rails.arm.idle_w + drift) * ratio * ratio + leakage + dynamic_w - memory,
            rails.mem.idle_w + memory,
            rails.g3d.idle_w,
            rails.kfc.idle_w,
        ]
    }

    /// Writes the files that scripts can read. A file that cannot be written (full disk) keeps its
    /// old text.
    fn write_files(&mut self, now_ns: u64) {
        let seconds = now_ns / 1_000_000_000;
        let hundredths = now_ns / 10_000_000 % 100;
        self.uptime.set(&format!("{seconds}.{hundredths:02} {seconds}.{hundredths:02}\n"));
        let celsius = self.temperature_c.round() as i64 * 1000;
        let [unit, zone] = &mut self.temperatures;
        unit.set(&format!("sensor0 : {celsius}\n"));
        zone.set(&format!("{celsius}\n"));
        match self.trouble {
            None => {
                self.sensors.iter_mut().for_each(SimulatedIna231::write_files);
                self.chips.iter_mut().for_each(OdpmChip::write_files);
                self.gauge.iter_mut().for_each(SimulatedFuelGauge::write_files);
            }
            Some(SensorTrouble::Frozen) => {}
            Some(SensorTrouble::Garbage) => self.write_garbage(now_ns),
        }
    }

    /// Writes nonsense to the files of all meters.
    fn write_garbage(&mut self, now_ns: u64) {
        self.sensors.iter_mut().for_each(SimulatedIna231::write_garbage);
        self.chips.iter_mut().for_each(|chip| chip.write_garbage(now_ns));
        self.gauge.iter_mut().for_each(SimulatedFuelGauge::write_garbage);
    }

    /// Answer of the power statistics service; `None` on a board without power monitor chips.
    pub(super) fn power_stats(&self) -> Option<String> {
        odpm::power_stats(&self.chips)
    }

    /// Battery voltage in millivolts; `None` without a battery.
    pub(super) fn battery_mv(&self) -> Option<i64> {
        self.gauge.as_ref().map(|gauge| gauge.shown().microvolts / 1000)
    }
}

/// Writes the files that never change.
fn write_static_files(root: &Path, file: &BoardFile) -> io::Result<()> {
    let cpus: String = (0..file.processor.little_cores + file.processor.big_cores)
        .map(|core| format!("processor\t: {core}\n"))
        .collect();
    write_file(&root.join("proc/cpuinfo"), &format!("{cpus}Hardware\t: {}\n", file.model))?;
    write_file(&root.join("proc/version"), "Linux version 3.4.5 (wattline virtual board)\n")
}

#[cfg(test)]
mod tests;
