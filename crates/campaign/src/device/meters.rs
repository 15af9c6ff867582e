//! The choice of the power meter of a board's sessions: the named one, or the best available.

use std::thread;
use std::time::{Duration, Instant};

use crate::power::meter::SAMPLED_ON_BOARDS;
use crate::power::{Meter, MeterError, MeterOffer};
use crate::scenario::MeterChoice;

use super::board::Board;
use super::error::DeviceError;

/// Time limit for the answer to one meter's question.
const QUESTION_LIMIT: Duration = Duration::from_secs(20);

/// Time without a change after which a counter counts as dead; RAPL's are refreshed every
/// millisecond.
const STANDS: Duration = Duration::from_secs(1);

/// Time between two readings of a counter that has not changed.
const LOOK: Duration = Duration::from_millis(50);

/// Asks a meter its question and returns its offer, or the reason why it is not available; asks
/// repeatedly until its counters have moved, since one that stands still does not measure.
///
/// # Errors
/// The error of `ask`.
pub fn read_offer<E>(
    meter: &dyn Meter,
    ask: impl Fn(&str) -> Result<String, E>,
) -> Result<Result<MeterOffer, MeterError>, E> {
    let first = ask(meter.question())?;
    let offer = match meter.offer(&first) {
        Ok(offer) => offer,
        Err(error) => return Ok(Err(error)),
    };
    let began = Instant::now();
    loop {
        let standing = meter.unmoved_rails(&first, &ask(meter.question())?);
        if !offer.default_rails.iter().any(|rail| standing.contains(rail)) {
            return Ok(Ok(offer));
        }
        let passed = began.elapsed();
        if passed >= STANDS {
            return Ok(offer.without_unmoved_rails(meter.name(), &standing, passed.as_secs_f64()));
        }
        thread::sleep(LOOK);
    }
}

/// A power meter with the rails that a board offers.
#[derive(Debug, Clone)]
pub struct ChosenMeter {
    /// The meter.
    pub meter: &'static dyn Meter,
    /// The meter's rails, and remarks about it.
    pub offer: MeterOffer,
    /// Sentences with the reasons why better meters are not available.
    pub passed_over: Vec<String>,
}

/// Chooses the meter for sessions on a board behind adb.
///
/// # Errors
/// [`DeviceError::NoMeter`] if the chosen meter is not available, or none is; an error of the
/// board.
pub fn choose_meter(board: &dyn Board, choice: MeterChoice) -> Result<ChosenMeter, DeviceError> {
    let ask = |question: &str| Ok(board.shell(question, QUESTION_LIMIT)?.all_output());
    choose(board.serial(), &SAMPLED_ON_BOARDS, choice, ask)
}

/// Chooses the first candidate that the choice allows and that is available.
pub(super) fn choose(
    serial: &str,
    candidates: &[&'static dyn Meter],
    choice: MeterChoice,
    ask: impl Fn(&str) -> Result<String, DeviceError>,
) -> Result<ChosenMeter, DeviceError> {
    let no_meter = |why: String| DeviceError::NoMeter { serial: serial.into(), why };
    let wanted = |meter: &&'static dyn Meter| match choice {
        MeterChoice::Auto => true,
        MeterChoice::Named(name) => meter.name() == name,
    };
    let mut passed_over = Vec::new();
    for meter in candidates.iter().copied().filter(wanted) {
        match read_offer(meter, &ask)? {
            Ok(offer) => return Ok(ChosenMeter { meter, offer, passed_over }),
            Err(error) => passed_over.push(error.to_string()),
        }
    }
    if passed_over.is_empty() {
        let names: Vec<&str> = candidates.iter().map(|meter| meter.name()).collect();
        let name = choice.name();
        return Err(no_meter(format!("{name} is not sampled here; {} are", names.join(", "))));
    }
    Err(no_meter(passed_over.join("; ")))
}

impl ChosenMeter {
    /// The wanted rails, or the meter's default rails if `wanted` is empty.
    ///
    /// # Errors
    /// [`DeviceError::NoMeter`] for one that the meter does not have.
    pub fn rails(&self, serial: &str, wanted: &[String]) -> Result<Vec<String>, DeviceError> {
        if wanted.is_empty() {
            return Ok(self.offer.default_rails.clone());
        }
        match wanted.iter().find(|rail| !self.offer.rails.contains(rail)) {
            None => Ok(wanted.to_vec()),
            Some(rail) => Err(DeviceError::NoMeter {
                serial: serial.into(),
                why: format!(
                    "{} has no power rail {rail:?}; it has {}: change `board.rails` of the scenario",
                    self.meter.name(),
                    self.offer.rails.join(", ")
                ),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::power::meter::Rapl;

    use super::*;

    /// A phone that tells nothing but its battery.
    fn phone(question: &str) -> Result<String, DeviceError> {
        Ok(match question.contains("power_supply") {
            true => "status=Discharging\ncurrent_now=-250000\nvoltage_now=4000000\n".into(),
            false => "cat: x: Permission denied\n".into(),
        })
    }

    fn on_phone(choice: MeterChoice) -> Result<ChosenMeter, DeviceError> {
        choose("p", &SAMPLED_ON_BOARDS, choice, phone)
    }

    #[test]
    fn the_best_that_is_offered_is_taken_and_the_others_say_why_not() {
        let chosen = on_phone(MeterChoice::Auto).unwrap();
        assert_eq!((chosen.meter.name(), chosen.passed_over.len()), ("fuel-gauge", 3));
        assert_eq!(chosen.rails("p", &[]).unwrap(), ["battery"]);
        let error = chosen.rails("p", &["arm".into()]).unwrap_err().to_string();
        assert!(error.contains("no power rail \"arm\"; it has battery"), "{error}");
    }

    #[test]
    fn a_counter_that_stands_still_is_no_meter() {
        let zones = |second: u64| {
            format!("intel-rapl:0 package-0 100 7\nintel-rapl:1 package-1 100 {second}\n")
        };
        let asked = std::cell::Cell::new(0);
        let still = read_offer(&Rapl, |_| Ok::<_, ()>(zones(5))).unwrap().unwrap_err().to_string();
        assert!(still.contains("stands still (package-0, package-1"), "{still}");
        let one = |_: &str| {
            asked.set(asked.get() + 1);
            Ok::<_, ()>(zones(asked.get()))
        };
        let offer = read_offer(&Rapl, one).unwrap().unwrap();
        assert_eq!(offer.default_rails, ["package-1"]);
        assert!(offer.remarks.iter().any(|remark| remark.contains("package-0 stands still")));
    }

    #[test]
    fn a_meter_that_is_not_there_is_no_other_one() {
        let error = on_phone(MeterChoice::Named("odpm")).unwrap_err().to_string();
        assert!(error.contains("adb root") && error.contains("not 0 J"), "{error}");
        let error = on_phone(MeterChoice::Named("rapl")).unwrap_err().to_string();
        assert!(error.contains("rapl is not sampled here; ina231, odpm"), "{error}");
        let nothing = |_: &str| Ok(String::new());
        let error = choose("p", &SAMPLED_ON_BOARDS, MeterChoice::Auto, nothing).unwrap_err();
        assert!(error.to_string().contains("fuel-gauge: not offered"), "{error}");
    }
}
