//! Simulated nodes that run Quanto's two applications, Blink and Bounce, with a meter that
//! counts in steps of 8.33 uJ. Their powers and times are the paper's; everything they
//! give is computed, not measured, and is called simulated wherever it is shown.

mod blink;
mod bounce;
mod node;
#[cfg(test)]
mod tests;

pub use blink::{Blink, blink};
pub use bounce::{Bounce, bounce};
pub use node::{Draw, Node};
