//! `wattline tenants dumpsys`: what Android estimates itself.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use wattline_units::limits::UNPACKED_LOG_BYTES;

use crate::attribution::tenants::{DumpsysError, battery_use, cpu_use, dumpsys_csv};
use crate::attribution::{Split, unpack_log};
use crate::cli::answer::FormatArgument;
use crate::cli::progress;
use crate::cli::quantity::number_between;
use crate::failure::Failure;
use crate::folder::{OnExisting, Output};
use crate::format::counted_as;
use crate::log_file;
use crate::report::table_rows;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  adb shell dumpsys batterystats | wattline tenants dumpsys - --volts 3.85
  adb shell dumpsys cpuinfo > cpuinfo.txt && wattline tenants dumpsys cpuinfo.txt

batterystats are the device's own estimates by its power profile, not measurements.")]
pub struct Arguments {
    /// The dump, or `-` for standard input.
    file: PathBuf,
    /// Volts of the battery: without them charge is all there is.
    #[arg(long, value_parser = number_between(0.8, 60.0, "V"))]
    volts: Option<f64>,
    /// Folder for tenants.csv.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace an existing result.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: FormatArgument,
}

/// Joules of a milliampere-hour at one volt.
const JOULES_PER_VOLT_MAH: f64 = 3.6;

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let text = read_dump(&arguments.file)?;
    let csv = match battery_use(&text) {
        Ok(found) => {
            let actual = found.actual_mah.as_deref().unwrap_or("not told");
            let computed = found.computed_mah;
            progress::say(format!(
                "note: estimates of the device by its power profile: {computed} mAh computed, \
                 {actual} by the fuel gauge"
            ));
            let per_unit = arguments.volts.map(|volts| volts * JOULES_PER_VOLT_MAH);
            split_csv(&found.split(), "charge_mah", per_unit)
        }
        Err(DumpsysError::Nothing) => {
            let found = cpu_use(&text).map_err(|error| Failure::input(&arguments.file, error))?;
            let seconds = found.seconds;
            progress::say(format!("note: CPU time of {seconds} s; it tells no energy"));
            if found.other_sections > 0 {
                progress::warn(format!(
                    "{} not read: give them in files of their own",
                    counted_as(
                        found.other_sections,
                        "section of another interval follows, which is",
                        "sections of other intervals follow, which are"
                    )
                ));
            }
            split_csv(&found.split(), "cpu_s", None)
        }
        Err(error) => return Err(Failure::input(&arguments.file, error)),
    };
    let figures = json!({"basis": "estimated by the device", "tenants": table_rows(&csv)});
    arguments.format.print_table("tenants dumpsys", &figures, &csv);
    if let Some(folder) = &arguments.out {
        let output = Output::open(folder, OnExisting::from(arguments.force), &progress::TERMINAL)?;
        let path = output.write("tenants.csv", &csv)?;
        progress::say(format!("written: {}", path.display()));
    }
    Ok(())
}

fn split_csv(split: &Split<String>, unit: &str, joules_per_unit: Option<f64>) -> String {
    dumpsys_csv(split, unit, joules_per_unit)
}

fn read_dump(path: &Path) -> Result<String, Failure> {
    if path != Path::new("-") {
        let text = log_file::find_text_log(path, "dump").and_then(|log| log.read());
        return text.map_err(|error| Failure::input(path, error));
    }
    let plain = unpack_log(std::io::stdin()).and_then(|input| UNPACKED_LOG_BYTES.read_all(input));
    let bytes = plain.map_err(Failure::io("read", path))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
