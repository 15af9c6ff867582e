//! Simulated nodes that run Quanto's two applications, Blink and Bounce, with a meter that
//! counts in steps of 8.33 uJ. Their powers and times are the paper's; everything they
//! give is computed, not measured, and is called simulated wherever it is shown. A fixture of
//! tests and of `examples/simulated-nodes.rs`; no command of the program uses them.

mod blink;
mod bounce;
mod node;
#[cfg(test)]
mod tests;

pub use blink::{BlinkRun, run_blink};
pub use bounce::{BounceRun, run_bounce};
pub use node::{ComponentDraw, SimulatedNode};

/// A file's name and bytes.
pub type NamedFile = (String, Vec<u8>);

/// The log of Blink and the names of its numbers: three LEDs, toggled every 1, 2 and 4 s, for
/// 48 s. The meter stands at 0.781 25 of a count at the start.
pub fn blink_files() -> Vec<NamedFile> {
    let mut run = run_blink(0, 0.781_25);
    let log = run.node.buffer.take_bytes();
    vec![("blink.quanto".into(), log), ("blink.toml".into(), run.names.into())]
}

/// The logs of Bounce and their names: two nodes that send two packets to and fro for 6 s;
/// node 4 was switched on 0.35 s earlier.
pub fn bounce_files() -> Vec<NamedFile> {
    let mut run = run_bounce(6.0, 0.35);
    let of_node = |(at, number): (usize, u32)| {
        let log = run.nodes[at].buffer.take_bytes();
        let names = run.names[at].clone().into_bytes();
        [(format!("node{number}.quanto"), log), (format!("node{number}.toml"), names)]
    };
    [(0, 1), (1, 4)].into_iter().flat_map(of_node).collect()
}
