//! Code of other people that panics on damaged input or extreme shapes: here a panic is an error.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use thiserror::Error;

use super::shortened::shortened;

/// A decoder or solver of another crate panicked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the decoder gave up ({message})")]
pub struct ForeignPanic {
    /// What it panicked with.
    pub message: String,
}

thread_local! {
    /// Calls of [`decode_foreign`] that this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Calls foreign code; its panics are not reported on standard error.
///
/// # Errors
/// The code panicked. What it was given by reference may be half changed, and must not be used
/// any more.
pub fn decode_foreign<T>(decode: impl FnOnce() -> T) -> Result<T, ForeignPanic> {
    silence_panics_of_foreign_code();
    DEPTH.set(DEPTH.get() + 1);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    DEPTH.set(DEPTH.get() - 1);
    decoded.map_err(|panic| ForeignPanic { message: message_of(panic.as_ref()) })
}

/// Passes panics on to the hook that was there, but for those inside of [`decode_foreign`].
fn silence_panics_of_foreign_code() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = take_hook();
        set_hook(Box::new(move |panic| {
            if DEPTH.get() == 0 {
                report(panic);
            }
        }));
    });
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    shortened(text.unwrap_or("no message")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_message() {
        assert_eq!(decode_foreign(|| 3), Ok(3));
        let error = decode_foreign(|| -> u8 { panic!("index {} out of range", 7) }).unwrap_err();
        assert_eq!(error.to_string(), "the decoder gave up (index 7 out of range)");
        let nested = decode_foreign(|| decode_foreign(|| -> u8 { panic!("inner") }));
        assert_eq!(nested.unwrap().unwrap_err().message, "inner");
        assert_eq!(DEPTH.get(), 0);
    }

    #[test]
    fn long_messages_are_shortened() {
        let error = decode_foreign(|| -> u8 { panic!("{}", "x".repeat(10_000)) }).unwrap_err();
        assert!(error.to_string().chars().count() < 120);
    }
}
