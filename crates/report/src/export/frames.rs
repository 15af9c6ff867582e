//! Frames of a block in stacks by location.

use crate::account::BlockAccount;

/// Package, class, method and block name (`entry`, `for_1`) of a block.
pub(super) fn frames(block: &BlockAccount) -> [&str; 4] {
    let (package, class) = block.class.rsplit_once('.').unwrap_or(("(default)", &block.class));
    let part = block.name.rsplit_once(").").map_or("entry", |(_, part)| part);
    [package, class, &block.method, part]
}
