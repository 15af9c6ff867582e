//! Bounce: nodes 1 and 4 send two packets to and fro, one of each node's making. A node
//! keeps a packet for half a second with an LED on; all it does for the packet is charged to
//! the activity of the node that made it.

use wattline_units::assumptions::ASSUMED;

use super::super::label::LabelCode;
use super::node::{ComponentDraw, SimulatedNode};

const CPU: u8 = 0;
const RADIO: u8 = 1;
const LED1: u8 = 2;
const LED2: u8 = 3;

/// States of the radio: listening, transmitting.
const LISTEN: u16 = 1;
const TRANSMIT: u16 = 2;

/// Activities: ids at each node.
const IDLE: u8 = 0;
const BOUNCE: u8 = 1;
const INT_TIMER: u8 = 5;
const INT_SFD: u8 = 6;
const INT_UART: u8 = 7;
const RECEIVE: u8 = 8;

/// Time in microseconds for which a node keeps a packet.
const HOLD_US: f64 = 500_000.0;
/// Time in microseconds from the start of a transmission's preparation to the first bit on air.
const PREPARE_US: f64 = 192.0 + 1_500.0 + 3_000.0 + 50.0;
/// Time in microseconds that a packet is on air.
const AIR_US: f64 = 1_200.0;
/// Number of interrupts that take a packet out of the radio.
const PACKET_INTERRUPTS: usize = 4;

/// File of names for node 1's log; that of node 4 differs in number and clock.
const BOUNCE_NAMES: &str = r#"simulated = true
tick_s = 1e-6
count_j = 8.33e-6

[[component]]
id = 0
name = "CPU"
processor = true
states = { 0 = "idle", 1 = "active" }

[[component]]
id = 1
name = "Radio"
states = { 0 = "off", 1 = "listen", 2 = "transmit" }

[[component]]
id = 2
name = "LED1"
states = { 0 = "off", 1 = "on" }

[[component]]
id = 3
name = "LED2"
states = { 0 = "off", 1 = "on" }

[activities]
0 = "Idle"
1 = "BounceApp"
5 = "int_TIMERB0"
6 = "int_SFD"
7 = "int_UART0RX"
8 = "pxy_RX"
"#;

/// Simulated run of Bounce on two nodes: their logs and files of names.
#[derive(Debug, Clone, PartialEq)]
pub struct BounceRun {
    /// Nodes 1 and 4 with their logs and truths.
    pub nodes: [SimulatedNode; 2],
    /// The names of their logs.
    pub names: [String; 2],
}

/// Runs Bounce for some seconds. Node 4 was switched on `offset_s` (up to 4000) earlier, so
/// its clock shows that much more; its names have no `clock_offset_s`, since its messages show it.
#[must_use]
pub fn run_bounce(seconds: f64, offset_s: f64) -> BounceRun {
    let mut nodes = [new_node(), new_node()];
    let end_us = seconds * 1e6;
    let numbers = [1, 4];
    nodes[1].first_time = (offset_s * 1e6).round() as u32;
    for (at, node) in nodes.iter_mut().enumerate() {
        boot(node, numbers[at]);
    }
    // The next hop of each packet: when, from which node, whose packet.
    let mut hops = [(1.10e6, 0, numbers[0]), (1.35e6, 1, numbers[1])];
    loop {
        let next = usize::from(hops[1].0 < hops[0].0);
        let (at_us, from, owner) = hops[next];
        if at_us + HOLD_US / 2.0 > end_us {
            break;
        }
        let packet = LabelCode::new(owner, BOUNCE);
        let to = 1 - from;
        send(&mut nodes[from], at_us, numbers[from], packet);
        receive(&mut nodes[to], at_us + PREPARE_US, numbers[to], packet);
        hops[next] = (at_us + HOLD_US, to, owner);
    }
    for (at, node) in nodes.iter_mut().enumerate() {
        node.run_until(end_us);
        node.set_power_state(RADIO, 0);
        node.set_activity(CPU, LabelCode::new(numbers[at], IDLE));
    }
    let names = [
        format!(
            "# Bounce on a simulated node; see docs/internals/activities.md.\nnode = 1\n{BOUNCE_NAMES}"
        ),
        format!(
            "# Bounce on a simulated node; see docs/internals/activities.md. Its clock shows {offset_s} s \
             more than node 1's.\nnode = 4\n{BOUNCE_NAMES}"
        ),
    ];
    BounceRun { nodes, names }
}

/// Creates a node with the LEDs of Blink and a radio of 18.46 mA at 3.35 V when it listens.
fn new_node() -> SimulatedNode {
    let draw = |id, power_w: &[f64]| ComponentDraw { id, power_w: power_w.to_vec() };
    let mut node = SimulatedNode::new(
        vec![
            draw(CPU, &[0.0, 4.29e-3]),
            draw(RADIO, &[0.0, 61.8e-3, 58.3e-3]),
            draw(LED1, &[0.0, 6.71e-3]),
            draw(LED2, &[0.0, 2.49e-3]),
        ],
        2.48e-3,
    );
    node.entry_us = ASSUMED.log_entry_s * 1e6;
    node
}

/// Boots the node: its radio is off for a second, then listens.
fn boot(node: &mut SimulatedNode, number: u8) {
    let idle = LabelCode::new(number, IDLE);
    for id in [CPU, RADIO, LED1, LED2] {
        node.set_activity(id, idle);
        node.set_power_state(id, 0);
    }
    node.run_until(1e6);
    node.set_power_state(RADIO, LISTEN);
}

/// Returns the LED that is on while a node has the packet: LED2 for its own packet.
fn led_of_packet(number: u8, packet: LabelCode) -> u8 {
    if packet.origin() == number { LED2 } else { LED1 }
}

/// Sends a packet: a timer fires, the packet goes to the radio, and after a while on air.
fn send(node: &mut SimulatedNode, at_us: f64, number: u8, packet: LabelCode) {
    node.run_until(at_us);
    interrupt(node, LabelCode::new(number, INT_TIMER), packet, 192.0);
    node.set_activity(RADIO, packet);
    node.run(1_500.0);
    sleep(node, number);
    node.run(3_000.0);
    interrupt(node, LabelCode::new(number, INT_TIMER), packet, 50.0);
    node.set_power_state(RADIO, TRANSMIT);
    sleep(node, number);
    node.run(AIR_US);
    interrupt(node, LabelCode::new(number, INT_SFD), packet, 80.0);
    node.set_power_state(RADIO, LISTEN);
    node.set_activity(RADIO, LabelCode::new(number, IDLE));
    let led = led_of_packet(number, packet);
    node.set_power_state(led, 0);
    node.set_activity(led, LabelCode::new(number, IDLE));
    sleep(node, number);
}

/// Receives a packet, whose activity is known once it is decoded.
fn receive(node: &mut SimulatedNode, at_us: f64, number: u8, packet: LabelCode) {
    node.run_until(at_us);
    let proxy = LabelCode::new(number, RECEIVE);
    wake(node, LabelCode::new(number, INT_SFD), packet, 90.0);
    node.bind(CPU, proxy, packet);
    node.set_proxy(RADIO, proxy, packet);
    node.run(60.0);
    sleep(node, number);
    for _ in 0..PACKET_INTERRUPTS {
        node.run(AIR_US / PACKET_INTERRUPTS as f64);
        wake(node, LabelCode::new(number, INT_UART), packet, 110.0);
        node.bind(CPU, proxy, packet);
        node.run(40.0);
        sleep(node, number);
    }
    node.set_power_state(CPU, 1);
    node.set_proxy(CPU, proxy, packet);
    node.run(300.0);
    node.bind(CPU, packet, packet);
    node.bind(RADIO, packet, packet);
    let led = led_of_packet(number, packet);
    node.set_activity(led, packet);
    node.set_power_state(led, 1);
    node.run(200.0);
    node.set_activity(RADIO, LabelCode::new(number, IDLE));
    sleep(node, number);
}

/// Runs an interrupt's routine under its proxy, then binds the proxy to its activity.
fn interrupt(node: &mut SimulatedNode, proxy: LabelCode, user: LabelCode, us: f64) {
    wake(node, proxy, user, us);
    node.bind(CPU, user, user);
}

fn wake(node: &mut SimulatedNode, proxy: LabelCode, user: LabelCode, us: f64) {
    node.set_power_state(CPU, 1);
    node.set_proxy(CPU, proxy, user);
    node.run(us);
}

fn sleep(node: &mut SimulatedNode, number: u8) {
    node.set_activity(CPU, LabelCode::new(number, IDLE));
    node.set_power_state(CPU, 0);
}
