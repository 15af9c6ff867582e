//! Collapsed stacks (`frame;frame weight`), which flame graph tools read. The weight is
//! microjoules; a stack is package, class, method, block: where energy is spent, not who
//! called.

use std::fmt::Write as _;

use crate::account::Accounts;

/// One line per block with at least half a microjoule, in the accounts' order.
pub fn collapsed(accounts: &Accounts) -> String {
    let mut text = String::new();
    for block in &accounts.blocks {
        let microjoules = super::microjoules(block);
        if microjoules > 0 {
            let stack = super::frames(block).map(frame).join(";");
            writeln!(text, "{stack} {microjoules}").expect("writing to a String can't fail");
        }
    }
    text
}

/// A frame's name without what separates frames and lines.
fn frame(name: &str) -> String {
    name.replace([';', '\n', '\r'], "_").replace(' ', "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{account, sample};

    #[test]
    fn weights_are_microjoules_and_frames_are_blocks() {
        let text = collapsed(&account(&sample::program_1().scenario()));
        let first = text.lines().next().unwrap();
        let (stack, weight) = first.rsplit_once(' ').unwrap();
        assert!(stack.starts_with("demo;Grid;blit(FloatBuffer,FloatBuffer);"), "{stack}");
        let sum: f64 =
            text.lines().map(|l| l.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap()).sum();
        assert!(weight.parse::<f64>().unwrap() > 0.0);
        assert!((sum - 1.25e6).abs() < 5.0, "{sum}");
    }
}
