//! The board's electricity as scripts find it in files.

use super::*;

fn board() -> (tempfile::TempDir, BoardHardware) {
    let folder = tempfile::tempdir().unwrap();
    let mut file = BoardFile::odroid_xu_e();
    file.processor.frequency_at_boot_khz = file.processor.reference_khz;
    let hardware = BoardHardware::new(folder.path(), file, 1).unwrap();
    (folder, hardware)
}

fn read(folder: &tempfile::TempDir, path: &str) -> f64 {
    std::fs::read_to_string(folder.path().join(path)).unwrap().trim().parse().unwrap()
}

const ARM: &str = "sys/bus/i2c/drivers/INA231/4-0040/sensor_W";
const MEM: &str = "sys/bus/i2c/drivers/INA231/4-0041/sensor_W";

fn enable(folder: &tempfile::TempDir) {
    for address in ["40", "41", "44", "45"] {
        let path = format!("sys/bus/i2c/drivers/INA231/4-00{address}/enable");
        std::fs::write(folder.path().join(path), "1\n").unwrap();
    }
}

#[test]
fn sensors_are_zero_until_enabled_and_show_energy_over_time() {
    let (folder, mut hardware) = board();
    assert_eq!(read(&folder, ARM), 0.0);
    enable(&folder);
    let (start, period) = (hardware.start_ns(), 263_808_000);
    hardware.move_to(start + 2 * period);
    let idle = read(&folder, ARM) + read(&folder, MEM);
    // 0.6 W for one whole period of the grid, on top of idle.
    let from = (start / period + 4) * period;
    hardware.spend(from, from + period, 0.6 * 0.263_808);
    hardware.move_to(from + period + 1);
    let busy = read(&folder, ARM) + read(&folder, MEM);
    assert!((busy - idle - 0.6).abs() < 0.02, "{idle} {busy}");
    hardware.move_to(from + 2 * period + 1);
    let after = read(&folder, ARM) + read(&folder, MEM);
    assert!((after - idle).abs() < 0.02, "{idle} {after}");
}

#[test]
fn a_session_repeats_whatever_ran_before() {
    let (folder, mut hardware) = board();
    enable(&folder);
    let mut session = |label: &str, joules: f64| {
        let start = hardware.start_ns();
        hardware.restart(label, start);
        hardware.spend(start, start + 30_000_000_000, joules);
        let readings: Vec<f64> = (1..100)
            .map(|step| {
                hardware.move_to(start + step * 400_000_000);
                read(&folder, ARM)
            })
            .collect();
        readings
    };
    let first = session("a", 10.0);
    let other = session("b", 25.0);
    assert_ne!(first, other);
    assert_eq!(session("a", 10.0), first);
}

fn phone() -> (tempfile::TempDir, BoardHardware) {
    let folder = tempfile::tempdir().unwrap();
    let file = BoardFile::built_in("pixel").unwrap();
    let hardware = BoardHardware::new(folder.path(), file, 1).unwrap();
    (folder, hardware)
}

const CHIP: &str = "sys/bus/iio/devices/iio:device0/energy_value";

/// When a chip was refreshed in milliseconds, and the microjoules of a rail.
fn counts(folder: &tempfile::TempDir, rail: &str) -> (u64, u64) {
    let text = std::fs::read_to_string(folder.path().join(CHIP)).unwrap();
    let millis = text.lines().find_map(|line| line.strip_prefix("t=")).unwrap();
    let count = text.lines().find(|line| line.contains(rail)).unwrap();
    let count = count.rsplit_once(", ").unwrap().1;
    (millis.parse().unwrap(), count.parse().unwrap())
}

#[test]
fn counters_of_rails_hold_what_was_spent() {
    let (folder, mut hardware) = phone();
    let start = hardware.start_ns();
    let session = |hardware: &mut BoardHardware, joules: f64| {
        hardware.restart("x", start);
        let (_, first) = counts(&folder, "CPUCL2");
        hardware.spend(start + 1_000_000_000, start + 3_000_000_000, joules);
        hardware.move_to(start + 9_999_000_000);
        let (millis, last) = counts(&folder, "CPUCL2");
        (first, millis, (last - first) as f64 * 1e-6)
    };
    let idle = session(&mut hardware, 0.0);
    let busy = session(&mut hardware, 2.0);
    assert!(idle.0 > u64::from(u32::MAX) && idle.0 == busy.0, "one label, one start");
    assert_eq!(busy.1, start / 1_000_000 + 9950, "the last whole refresh of 50 ms");
    let (share, ratio) = (
        1.0 - hardware.file.costs.memory_share,
        hardware.cpu.volts() / hardware.cpu.reference_volts(),
    );
    let expected = 2.0 * share * ratio * ratio;
    // Two joules warm the chip, which leaks a little more.
    assert!((busy.2 - idle.2 - expected).abs() < 0.02, "{idle:?} {busy:?} {expected}");
    let service = hardware.power_stats().unwrap();
    assert!(service.contains("[S2M_VDD_CPUCL2]:CPU(BIG)"), "{service}");
}

#[test]
fn a_gauge_shows_the_whole_device_once_a_second() {
    let (folder, mut hardware) = phone();
    let start = hardware.start_ns();
    hardware.restart("x", start);
    let gauge = |name: &str| read(&folder, &format!("sys/class/power_supply/battery/{name}"));
    let charge = gauge("charge_counter");
    let mut shown = Vec::new();
    for tenth in 1..=100 {
        hardware.move_to(start + tenth * 100_000_000);
        shown.push(gauge("current_now") * gauge("voltage_now") * 1e-12);
    }
    let file = &hardware.file;
    let rails: f64 = hardware.power(0.0, hardware.temperature_c).iter().sum();
    let expected = rails + file.gauge.as_ref().unwrap().rest_w;
    let mean = shown.iter().sum::<f64>() / shown.len() as f64;
    assert!((mean + expected).abs() < 0.02, "{mean} {expected}: a battery that gives");
    shown.dedup();
    assert!((9..=11).contains(&shown.len()), "{shown:?}");
    let drawn_j = (charge - gauge("charge_counter")) * 3600.0 * 1e-6 * gauge("voltage_now") * 1e-6;
    assert!((drawn_j - 10.0 * expected).abs() < 0.2, "{drawn_j} {expected}");
}

#[test]
fn time_follows_energy_and_frequency() {
    let (folder, mut hardware) = board();
    // 1.5 J at 1.5 W is one second at the reference of 1.1 GHz.
    assert_eq!(hardware.busy_ns(1.5), 1_000_000_000);
    let cpufreq = folder.path().join("sys/devices/system/cpu/cpu0/cpufreq");
    std::fs::write(cpufreq.join("scaling_governor"), "userspace\n").unwrap();
    std::fs::write(cpufreq.join("scaling_setspeed"), "800000\n").unwrap();
    hardware.move_to(hardware.start_ns() + 1);
    let current = std::fs::read_to_string(cpufreq.join("scaling_cur_freq")).unwrap();
    assert_eq!(current, "800000\n");
    assert_eq!(hardware.busy_ns(1.5), 1_375_000_000);
}
