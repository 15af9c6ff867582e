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
use crate::power::{METERS, Meter, meter};

use super::arguments::Arguments;

/// A meter and the rails that are added up.
type Metering = (&'static dyn Meter, Vec<String>);

/// Meters that can be asked twice; the others are files, or models.
fn live_meters() -> impl Iterator<Item = &'static dyn Meter> {
    METERS.into_iter().filter(|meter| !["external", "software"].contains(&meter.name()))
}

/// The modules that the flags ask for, and what to know about them.
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
    match measured(arguments, host, &mut notes)? {
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

/// The meter that is asked for, or the best one; none if a model is to be taken.
fn measured(
    arguments: &Arguments,
    host: &dyn Host,
    notes: &mut Vec<String>,
) -> Result<Option<Metering>, Failure> {
    let wants_model =
        arguments.tdp.is_some() || arguments.voltages.is_some() || arguments.soc.is_some();
    match arguments.meter.as_str() {
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
            let found = meter(name).filter(|meter| names.contains(&meter.name()));
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
        let table = parse_soc(&read_text(path)?).map_err(|error| Failure::input(path, error))?;
        let source = path
            .file_name()
            .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
        modules.start(Box::new(SocPower { source, table }));
        return Ok(());
    }
    let voltages = arguments.voltages.as_ref().map(|text| {
        let path = Path::new(text);
        let text = if path.is_file() { read_text(path)? } else { text.clone() };
        parse_voltages(&text).map_err(|problem| Failure::Usage(format!("--voltages: {problem}")))
    });
    if arguments.tdp.is_none() {
        notes.push(format!(
            "the design power is not known: {} W is assumed, so shares hold and watts do \
             not; give --tdp WATTS",
            ASSUMED.design_power_w
        ));
    }
    let tdp_w = arguments.tdp.unwrap_or(ASSUMED.design_power_w);
    modules.start(Box::new(DesignPower { tdp_w, voltages: voltages.transpose()? }));
    Ok(())
}
