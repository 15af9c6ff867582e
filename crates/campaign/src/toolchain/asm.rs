//! ASM, the library that reads and writes class files: the monitor agent is compiled against it.

use std::path::PathBuf;

use super::ToolchainError;
use super::artifact::fetch;

/// Name and hash of ASM's core, which is newer than the JDKs whose classes it reads.
const CORE: (&str, &str) =
    ("org.ow2.asm:asm:9.11.1", "ae4e6e10d59d0a1500317764b21881ad883f8550e33c66e6142f7032c6fb566c");
const TREE: (&str, &str) = (
    "org.ow2.asm:asm-tree:9.11.1",
    "2b15c3c1b288a9fad3bb2cd6d988ba9521554914ed1f2a2029141fa3f483154a",
);
const COMMONS: (&str, &str) = (
    "org.ow2.asm:asm-commons:9.11.1",
    "6a5095ec53726156a78b2cd2efd45bc4e877754eca7c234f61224a53d6bfa661",
);

const ANALYSIS: (&str, &str) = (
    "org.ow2.asm:asm-analysis:9.11.1",
    "3a91769287d0a186333d6e384e5d4eec37e4b8f705dcf920ff4aea4cc452fac2",
);
const UTIL: (&str, &str) = (
    "org.ow2.asm:asm-util:9.11.1",
    "23fdffacdfc38f447cbd8b80e058f462451fa5d4709e437067d530fa6513579d",
);

/// The jars of ASM's core and tree packages.
///
/// # Errors
/// They are not in the cache, and Maven can't fetch them.
pub fn tree_jars() -> Result<Vec<PathBuf>, ToolchainError> {
    [CORE, TREE].into_iter().map(|(name, hash)| fetch(name, hash)).collect()
}

/// The jars of ASM's core, tree and commons packages.
///
/// # Errors
/// As [`tree_jars`].
pub fn commons_jars() -> Result<Vec<PathBuf>, ToolchainError> {
    [CORE, COMMONS, TREE].into_iter().map(|(name, hash)| fetch(name, hash)).collect()
}

/// The jars of all of ASM's packages.
///
/// # Errors
/// As [`tree_jars`].
pub(crate) fn all_jars() -> Result<Vec<PathBuf>, ToolchainError> {
    let all = [CORE, TREE, COMMONS, ANALYSIS, UTIL];
    all.into_iter().map(|(name, hash)| fetch(name, hash)).collect()
}
