//! Which formulas run: by the flags, else the best that the machine offers.

use std::path::Path;

use crate::assumptions::ASSUMED;
use crate::attribution::monitor::formulas::{
    DesignPower, Metered, NetworkModes, SocPower, parse_modes, parse_soc, parse_voltages,
};
use crate::attribution::monitor::host::Host;
use crate::attribution::monitor::sensors::{Cgroups, MeterReading, Network, Threads, Users};
use crate::attribution::monitor::{RunningModules, ShareDenominator};
use crate::device::read_offer;
use crate::failure::Failure;
use crate::folder::read_text;
use crate::power::{METERS, Meter, meter_by_name};

use super::arguments::Arguments;

/// Meter with the rails that are summed.
pub type Metering = (&'static dyn Meter, Vec<String>);

/// Meters that can be asked twice; the others are files, or models.
fn live_meters() -> impl Iterator<Item = &'static dyn Meter> {
    METERS.into_iter().filter(|meter| !["external", "software"].contains(&meter.name()))
}

/// Returns the sensors and formulas that the flags name, and adds notes on them.
pub fn modules(
    arguments: &Arguments,
    host: &dyn Host,
) -> Result<(RunningModules, Vec<String>), Failure> {
    let mut modules = RunningModules::default();
    let mut notes = Vec::new();
    modules.share = if arguments.share == "active" {
        ShareDenominator::Active
    } else {
        ShareDenominator::Capacity
    };
    let wants_model =
        arguments.tdp.is_some() || arguments.voltages.is_some() || arguments.soc.is_some();
    match wanted(&arguments.meter, wants_model, host, &mut notes)? {
        Some((meter, rails)) => {
            modules.start_sensor(Box::new(MeterReading { meter }));
            modules.start(Box::new(Metered { meter, rails }));
        }
        None => start_model(arguments, &mut modules, &mut notes)?,
    }
    if !arguments.network.is_empty() {
        let modes = arguments.network.iter().map(|text| parse_modes(text));
        let modes = modes.collect::<Result<_, _>>().map_err(Failure::Usage)?;
        modules.start_sensor(Box::new(Network));
        if arguments.board.is_some() {
            modules.start_sensor(Box::new(Users));
        }
        modules.start(Box::new(NetworkModes(modes)));
    }
    if !arguments.pid.is_empty() {
        modules.start_sensor(Box::new(Threads { of: arguments.pid.clone() }));
    }
    if arguments.prometheus.is_some() || arguments.openmetrics.is_some() {
        modules.start_sensor(Box::new(Cgroups));
    }
    Ok((modules, notes))
}

/// Returns the requested meter with its rails, or the best one; `None` where a model is used.
pub fn wanted(
    name: &str,
    wants_model: bool,
    host: &dyn Host,
    notes: &mut Vec<String>,
) -> Result<Option<Metering>, Failure> {
    match name {
        "model" => Ok(None),
        "auto" if wants_model => Ok(None),
        "auto" => {
            let mut why = "no meter answers".to_owned();
            for meter in live_meters() {
                match read_offer(meter, |question| host.ask(question))? {
                    Ok(offer) => return Ok(Some((meter, offer.default_rails))),
                    Err(error) if meter.name() == "rapl" => why = error.to_string(),
                    Err(_) => {}
                }
            }
            notes.push(format!("power is not measured here ({why}): a model is taken instead"));
            Ok(None)
        }
        name => {
            let names: Vec<&str> = live_meters().map(Meter::name).collect();
            let found = meter_by_name(name).filter(|meter| names.contains(&meter.name()));
            let meter = found.ok_or_else(|| {
                let names = names.join(", ");
                Failure::Usage(format!(
                    "--meter: there is no {name:?}; there are auto, model, {names}"
                ))
            })?;
            let offer = read_offer(meter, |question| host.ask(question))?;
            let offer = offer.map_err(|error| Failure::Board(error.to_string()))?;
            notes.extend(offer.remarks);
            Ok(Some((meter, offer.default_rails)))
        }
    }
}

fn start_model(
    arguments: &Arguments,
    modules: &mut RunningModules,
    notes: &mut Vec<String>,
) -> Result<(), Failure> {
    if let Some(path) = &arguments.soc {
        modules.start(Box::new(soc_power(path)?));
        return Ok(());
    }
    let design = design_power(arguments.tdp, arguments.voltages.as_deref())?;
    notes.extend(assumed_power(arguments.tdp));
    modules.start(Box::new(design));
    Ok(())
}

/// Reads the table of a chip as a formula of its power.
pub fn soc_power(path: &Path) -> Result<SocPower, Failure> {
    let table = parse_soc(&read_text(path)?).map_err(|error| Failure::input(path, error))?;
    let source = path
        .file_name()
        .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    Ok(SocPower { source, table })
}

/// Returns the software model by design power in watts; voltages are a list, or a file with one.
pub fn design_power(tdp_w: Option<f64>, voltages: Option<&str>) -> Result<DesignPower, Failure> {
    let voltages = voltages.map(|text| {
        let path = Path::new(text);
        let text = if path.is_file() { read_text(path)? } else { text.to_owned() };
        parse_voltages(&text).map_err(|problem| Failure::Usage(format!("--voltages: {problem}")))
    });
    let tdp_w = tdp_w.unwrap_or(ASSUMED.design_power_w);
    Ok(DesignPower { tdp_w, voltages: voltages.transpose()? })
}

/// Whether a meter with this name can be read while the monitor runs.
pub fn is_live_meter(name: &str) -> bool {
    live_meters().any(|meter| meter.name() == name)
}

/// Returns a note on the assumed design power, if none is given.
pub fn assumed_power(tdp_w: Option<f64>) -> Option<String> {
    tdp_w.is_none().then(|| {
        format!(
            "the design power is not known: {} W is assumed, so shares hold and watts do not; give \
             --tdp WATTS",
            ASSUMED.design_power_w
        )
    })
}
