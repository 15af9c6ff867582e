//! The frames of a block in stacks of where energy is spent.

use crate::account::BlockAccount;

/// A block's package, class and the part of its method: `entry`, `for_1`.
pub(super) fn frames(block: &BlockAccount) -> [&str; 4] {
    let (package, class) = block.class.rsplit_once('.').unwrap_or(("(default)", &block.class));
    let part = block.name.rsplit_once(").").map_or("entry", |(_, part)| part);
    [package, class, &block.method, part]
}
