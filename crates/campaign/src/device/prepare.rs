//! Preparation of a board for a campaign, and restoration of its former state.

use std::time::Duration;

use super::board::Board;
use super::error::DeviceError;
use super::facts::{BoardFacts, read_facts};
use super::remote_folders::SCRIPT_FOLDER;
use super::{lock, scripts};

/// Time limit of the preparation; sensors need up to three seconds for their first values.
const PREPARE_LIMIT: Duration = Duration::from_secs(30);

/// Setting of the big cores' frequency: fixed, chosen automatically, or left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrequencySetting {
    /// Governor `userspace` and this frequency in kHz, read back.
    FixedKhz(u32),
    /// The available frequency nearest to 1.1 GHz, fixed; left alone if the board does not allow
    /// fixing it.
    Auto,
    /// Left alone: energy then varies with the governor's choices.
    Leave,
}

/// Whether a guard on the board restores it when its host is silent between two sessions. A session
/// that loses its host restores the board by itself in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuardSetting {
    /// No guard: the next [`prepare`] or [`restore`], or a restart, restores the board.
    Off,
    /// A process on the board restores it after this time without a session. Not on a virtual
    /// board, whose clock its sleeps would advance.
    After(Duration),
}

/// Settings of [`prepare`]: meter, frequency, cores, guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrepareOptions {
    /// Name of the power meter that sessions sample.
    pub meter: &'static str,
    /// The frequency of the big cores.
    pub frequency: FrequencySetting,
    /// Numbers of the cores to take offline (the little ones, say).
    pub offline_cores: Vec<u32>,
    /// Whether a guard restores the board when the host is gone.
    pub guard: GuardSetting,
}

impl Default for PrepareOptions {
    /// The INA231, as on the Odroid-XU+E of the reference campaign; a frequency near its 1.1 GHz;
    /// no core offline; a quarter of an hour until the guard acts.
    fn default() -> Self {
        let guard = GuardSetting::After(Duration::from_secs(900));
        Self {
            meter: "ina231",
            frequency: FrequencySetting::Auto,
            offline_cores: Vec::new(),
            guard,
        }
    }
}

/// State of a prepared board, as read back from it.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardState {
    /// Model, Android release, and whether the board is a virtual one.
    pub facts: BoardFacts,
    /// The power rails in the order of the samples' columns.
    pub rails: Vec<String>,
    /// Rails that read zero although they are enabled (a GPU that is off, say).
    pub silent_rails: Vec<String>,
    /// How often a sensor makes a new value; absent where the driver does not say.
    pub update_period: Option<Duration>,
    /// The frequency of the big cores in kHz, as read back; absent without cpufreq.
    pub frequency_khz: Option<u32>,
    /// The frequency in kHz that they were fixed to; absent where they were left.
    pub fixed_khz: Option<u32>,
    /// Number of the last of the big cores; absent without cpufreq.
    pub big_core: Option<u32>,
    /// The temperature in degrees Celsius; absent where no sensor is known.
    pub temperature_c: Option<f64>,
    /// Tools a session can do without, but not as well (`taskset`, `setsid`, ...).
    pub missing_tools: Vec<String>,
}

/// Installs the scripts if they are missing, enables the sensors, fixes frequency and cores. The
/// board stores what was changed; [`restore`] undoes it.
pub fn prepare(board: &dyn Board, options: &PrepareOptions) -> Result<BoardState, DeviceError> {
    scripts::install(board)?;
    let facts = read_facts(board)?;
    let command =
        board.lock_check() + &scripts::script_command("prepare.sh", &arguments(options, &facts));
    let output = board.shell(&command, PREPARE_LIMIT)?;
    lock::check_not_lost(board, &output.stdout)?;
    scripts::check_output(board, "prepare.sh", &output, "prepared")?;
    Ok(state(facts, &output.stdout))
}

/// Restores the board's state before [`prepare`] and ends a sampler left behind. May be called at
/// any time; returns the number of settings restored.
pub fn restore(board: &dyn Board) -> Result<usize, DeviceError> {
    let file = format!("{SCRIPT_FOLDER}/restore.sh");
    // A board that never got the scripts was never changed.
    let check = board.lock_check();
    let command = format!("{check}if [ -r {file} ]; then sh {file}; else echo restored=0; fi");
    let output = board.shell(&command, PREPARE_LIMIT)?;
    lock::check_not_lost(board, &output.stdout)?;
    scripts::check_output(board, "restore.sh", &output, "restored")?;
    if let Some(warning) = scripts::last_value(&output.stdout, "warning") {
        let (serial, message) = (board.serial().into(), warning.into());
        return Err(DeviceError::Script { serial, script: "restore.sh", message });
    }
    Ok(scripts::last_value(&output.stdout, "restored").and_then(|n| n.parse().ok()).unwrap_or(0))
}

fn arguments(options: &PrepareOptions, facts: &BoardFacts) -> Vec<String> {
    let frequency = match options.frequency {
        FrequencySetting::FixedKhz(khz) => khz.to_string(),
        FrequencySetting::Auto => "auto".into(),
        FrequencySetting::Leave => "leave".into(),
    };
    let offline: Vec<String> = options.offline_cores.iter().map(u32::to_string).collect();
    let guard = match options.guard {
        GuardSetting::After(quiet) if !facts.is_virtual() => quiet.as_secs().to_string(),
        GuardSetting::After(_) | GuardSetting::Off => "off".into(),
    };
    vec![
        format!("meter={}", options.meter),
        format!("frequency_khz={frequency}"),
        format!("offline={}", offline.join(",")),
        format!("guard_s={guard}"),
    ]
}

fn state(facts: BoardFacts, output: &str) -> BoardState {
    let names = |key| {
        let text = scripts::last_value(output, key).unwrap_or_default();
        text.split(',').filter(|name| !name.is_empty()).map(Into::into).collect()
    };
    let number = |key| scripts::last_value(output, key).and_then(|text| text.parse::<u32>().ok());
    let period_us =
        scripts::last_value(output, "update_period_us").and_then(|text| text.parse().ok());
    BoardState {
        facts,
        rails: names("rails"),
        silent_rails: names("silent_rails"),
        update_period: period_us.map(Duration::from_micros),
        frequency_khz: number("frequency_khz"),
        fixed_khz: number("fixed_khz"),
        big_core: number("big_core"),
        temperature_c: scripts::last_value(output, "temperature_c")
            .and_then(|text| text.parse().ok()),
        missing_tools: scripts::key_values(output, "missing_tool").map(Into::into).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::HardwareKind;
    use super::*;

    #[test]
    fn what_is_absent_stays_absent() {
        let state = state(BoardFacts::default(), "rails=arm,mem\n");
        assert_eq!(state.rails, ["arm", "mem"]);
        assert_eq!((state.update_period, state.frequency_khz), (None, None));
        assert_eq!((state.fixed_khz, state.big_core), (None, None));
        assert!(state.silent_rails.is_empty());
    }

    #[test]
    fn options_become_arguments() {
        let guard = GuardSetting::After(Duration::from_secs(60));
        let options = PrepareOptions {
            meter: "odpm",
            frequency: FrequencySetting::Leave,
            offline_cores: vec![4, 5],
            guard,
        };
        let real = BoardFacts::default();
        assert_eq!(
            arguments(&options, &real),
            ["meter=odpm", "frequency_khz=leave", "offline=4,5", "guard_s=60"]
        );
        let virtual_board = BoardFacts { hardware: HardwareKind::Virtual, ..real };
        assert_eq!(arguments(&options, &virtual_board)[3], "guard_s=off");
        let auto = PrepareOptions { frequency: FrequencySetting::Auto, ..options };
        assert_eq!(arguments(&auto, &virtual_board)[1], "frequency_khz=auto");
    }
}
