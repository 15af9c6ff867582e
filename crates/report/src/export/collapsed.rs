//! Collapsed stacks (`frame;frame weight`) for flame graph tools. The weight is in microjoules; a
//! stack is package, class, method, block: where energy is spent, not who called.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::account::Accounts;

use super::data::StackDepth;
use super::frames::frames;
use super::microjoules::microjoules;

/// Collapsed stacks by location: a line for each block (or for the blocks of a method, class or
/// package) of at least half a microjoule, in the order of the accounts' blocks.
pub fn collapsed(accounts: &Accounts, depth: StackDepth) -> String {
    let mut weights: BTreeMap<String, u64> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for block in accounts.blocks.iter().filter(|block| microjoules(block.entry.energy) > 0) {
        let stack = frames(block).map(frame_name)[..depth.frames()].join(";");
        let weight = weights.entry(stack.clone()).or_insert_with(|| {
            order.push(stack);
            0
        });
        *weight += microjoules(block.entry.energy);
    }
    let mut text = String::new();
    for stack in order {
        writeln!(text, "{stack} {}", weights[&stack]).expect("writing to a String can't fail");
    }
    text
}

/// Name of a frame without characters that separate frames and lines.
pub(super) fn frame_name(name: &str) -> String {
    name.replace([';', '\n', '\r'], "_").replace(' ', "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::account;
    use crate::sample_accounts;

    #[test]
    fn weights_are_microjoules_and_frames_are_blocks() {
        let accounts = account(&sample_accounts::program_1().scenario());
        let text = collapsed(&accounts, StackDepth::Block);
        let first = text.lines().next().unwrap();
        let (stack, weight) = first.rsplit_once(' ').unwrap();
        assert!(stack.starts_with("demo;Grid;blit(FloatBuffer,FloatBuffer);"), "{stack}");
        let sum: f64 =
            text.lines().map(|l| l.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap()).sum();
        assert!(weight.parse::<f64>().unwrap() > 0.0);
        assert!((sum - 1.25e6).abs() < 5.0, "{sum}");
        assert_eq!(collapsed(&accounts, StackDepth::Class), format!("demo;Grid {sum}\n"));
    }
}
