//! Calls of third-party code that panics on damaged input or extreme shapes: panics become errors.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use thiserror::Error;

use super::shortened::shortened;

/// Panic of a decoder or solver of another crate, as an error.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the decoder gave up ({message})")]
pub struct ForeignPanic {
    /// Message of the panic.
    pub message: String,
}

thread_local! {
    /// Number of calls of [`catch_foreign_panic`] that this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Runs code of another crate and returns its panic as an error; standard error stays silent.
///
/// # Errors
/// The code panicked. What it was given by reference may be half changed, and must not be used
/// any more.
pub fn catch_foreign_panic<T>(decode: impl FnOnce() -> T) -> Result<T, ForeignPanic> {
    silence_panics_of_foreign_code();
    DEPTH.set(DEPTH.get() + 1);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    DEPTH.set(DEPTH.get() - 1);
    decoded.map_err(|panic| ForeignPanic { message: message_of(panic.as_ref()) })
}

/// Installs a panic hook that drops panics inside of [`catch_foreign_panic`] and passes all others
/// on to the hook before it.
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
        assert_eq!(catch_foreign_panic(|| 3), Ok(3));
        let error =
            catch_foreign_panic(|| -> u8 { panic!("index {} out of range", 7) }).unwrap_err();
        assert_eq!(error.to_string(), "the decoder gave up (index 7 out of range)");
        let nested = catch_foreign_panic(|| catch_foreign_panic(|| -> u8 { panic!("inner") }));
        assert_eq!(nested.unwrap().unwrap_err().message, "inner");
        assert_eq!(DEPTH.get(), 0);
    }

    #[test]
    fn long_messages_are_shortened() {
        let error = catch_foreign_panic(|| -> u8 { panic!("{}", "x".repeat(10_000)) }).unwrap_err();
        assert!(error.to_string().chars().count() < 120);
    }
}
