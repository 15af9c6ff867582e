//! Checksums that identify partials and rounds.

use twox_hash::XxHash64;

/// Returns the XXH64 checksum of bytes as sixteen hexadecimal digits.
pub(super) fn checksum(bytes: &[u8]) -> String {
    format!("{:016x}", XxHash64::oneshot(0, bytes))
}
