//! Blink for 48 s: timers of 1, 2 and 4 s toggle three LEDs. Times and energies are those
//! of the paper's table 3 (`datasets/quanto-blink/table-3.csv`); the log has its 597 entries.

use super::super::label::LabelCode;
use super::node::{ComponentDraw, SimulatedNode};

/// Ids of the components.
const CPU: u8 = 0;
const LEDS: [u8; 3] = [1, 2, 3];

/// Activities: ids at node 1.
const IDLE: u8 = 0;
const COLOURS: [u8; 3] = [1, 2, 3];
const VTIMER: u8 = 4;
const INT_TIMER: u8 = 5;

/// Length in seconds.
const SECONDS: u32 = 48;
/// Time of the log's end in microseconds.
const END_US: f64 = 48_002_400.0;
/// Energies of the LEDs in joules over the 24 s in which each is on.
const LED_J: [f64; 3] = [180.708e-3, 161.058e-3, 59.838e-3];
const LED_ON_S: f64 = 24.0;
/// Power in watts of the processor while active, and of the constant term.
const CPU_W: f64 = 4.29e-3;
const CONSTANT_W: f64 = 119.258e-3 / 48.0024;
/// Joules per count of the meter.
const JOULES_PER_COUNT: f64 = 8.33e-6;
/// CPU time of one toggle of each colour, in microseconds: 17.6, 9.1 and 4.5 ms in
/// all, with 40 us to start each timer.
const TOGGLE_US: [f64; 3] = [17_560.0 / 48.0, 9_060.0 / 24.0, 4_460.0 / 12.0];
const START_US: f64 = 40.0;
/// CPU time of a timer's interrupt and of the timers' management, each second and at
/// the start: 9.2 and 45.0 ms in all.
const INTERRUPT_US: f64 = 9_200.0 / 48.0;
const VTIMER_US: f64 = 930.0;
const BOOT_US: f64 = 360.0;

/// File of names for Blink's log.
const BLINK_NAMES: &str = include_str!("../../../datasets/quanto-blink/blink.toml");

/// Simulated run of Blink: the node and its log.
#[derive(Debug, Clone, PartialEq)]
pub struct BlinkRun {
    /// The node with its log and its ground truth.
    pub node: SimulatedNode,
    /// The names of its log.
    pub names: &'static str,
}

/// Simulates Blink on a node whose clock and meter begin at these counts.
#[must_use]
pub fn run_blink(first_time: u32, first_energy: f64) -> BlinkRun {
    run_blink_with_meter(first_time, first_energy, CONSTANT_W, JOULES_PER_COUNT)
}

/// Simulates Blink with another constant term, in watts, and another meter.
pub(super) fn run_blink_with_meter(
    first_time: u32,
    first_energy: f64,
    constant_w: f64,
    count_j: f64,
) -> BlinkRun {
    let mut draws = vec![ComponentDraw { id: CPU, power_w: vec![0.0, CPU_W] }];
    for (id, energy) in LEDS.into_iter().zip(LED_J) {
        draws.push(ComponentDraw { id, power_w: vec![0.0, energy / LED_ON_S] });
    }
    let mut node = SimulatedNode::new(draws, constant_w);
    (node.first_time, node.first_energy, node.count_j) = (first_time, first_energy, count_j);
    boot(&mut node);
    let mut is_on = [false; 3];
    for second in 1..=SECONDS {
        node.run_until(f64::from(second) * 1e6);
        wake(&mut node, second, &mut is_on);
    }
    node.run_until(END_US);
    LEDS.into_iter().for_each(|led| node.set_power_state(led, 0));
    node.set_power_state(CPU, 0);
    node.set_activity(CPU, activity(IDLE));
    BlinkRun { node, names: BLINK_NAMES }
}

fn activity(id: u8) -> LabelCode {
    LabelCode::new(1, id)
}

/// Boots the node: all components are off, and the three activities start their timers.
fn boot(node: &mut SimulatedNode) {
    for led in LEDS {
        node.set_power_state(led, 0);
        node.set_activity(led, activity(IDLE));
    }
    node.set_power_state(CPU, 1);
    node.set_activity(CPU, activity(VTIMER));
    for colour in COLOURS {
        node.run(BOOT_US / 3.0);
        node.set_activity(CPU, activity(colour));
        node.run(START_US);
        node.set_activity(CPU, activity(VTIMER));
    }
    sleep(node);
}

/// Does the work of a second: the interrupt, the timers, the toggles that are due.
fn wake(node: &mut SimulatedNode, second: u32, is_on: &mut [bool; 3]) {
    node.set_power_state(CPU, 1);
    node.set_activity(CPU, activity(INT_TIMER));
    node.run(INTERRUPT_US);
    node.set_activity(CPU, activity(VTIMER));
    node.run(VTIMER_US / 2.0);
    for (at, led) in LEDS.into_iter().enumerate() {
        if second.is_multiple_of(1 << at) {
            is_on[at] = !is_on[at];
            toggle(node, led, at, is_on[at]);
        }
    }
    node.run(VTIMER_US / 2.0);
    sleep(node);
}

fn toggle(node: &mut SimulatedNode, led: u8, at: usize, is_on: bool) {
    let colour = activity(COLOURS[at]);
    node.set_activity(CPU, colour);
    node.run(TOGGLE_US[at] / 2.0);
    node.set_activity(led, if is_on { colour } else { activity(IDLE) });
    node.set_power_state(led, u16::from(is_on));
    node.run(TOGGLE_US[at] / 2.0);
    node.set_activity(CPU, activity(VTIMER));
}

fn sleep(node: &mut SimulatedNode) {
    node.set_activity(CPU, activity(IDLE));
    node.set_power_state(CPU, 0);
}
