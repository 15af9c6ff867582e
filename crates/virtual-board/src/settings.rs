//! Android's settings, and its screen.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Android settings by `NAMESPACE/NAME`, which survive restarts, and the state of the screen.
pub(super) struct Settings {
    values: Mutex<BTreeMap<String, String>>,
    dark: AtomicBool,
}

impl Default for Settings {
    fn default() -> Self {
        let first =
            [("global/stay_on_while_plugged_in", "0"), ("system/screen_off_timeout", "60000")];
        let first = first.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self { values: Mutex::new(first.into()), dark: AtomicBool::new(false) }
    }
}

impl Settings {
    /// Value of a setting in a namespace (like `global`).
    pub(super) fn get(&self, space: &str, name: &str) -> Option<String> {
        self.lock().get(&key(space, name)).cloned()
    }

    /// Sets a setting in a namespace.
    pub(super) fn put(&self, space: &str, name: &str, value: &str) {
        self.lock().insert(key(space, name), value.to_owned());
    }

    /// Removes a setting; false if there was none.
    pub(super) fn delete(&self, space: &str, name: &str) -> bool {
        self.lock().remove(&key(space, name)).is_some()
    }

    pub(super) fn is_screen_on(&self) -> bool {
        !self.dark.load(Ordering::SeqCst)
    }

    /// Switches the screen on or off.
    pub(super) fn switch_screen(&self, on: bool) {
        self.dark.store(!on, Ordering::SeqCst);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.values.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Key `NAMESPACE/NAME` of a setting.
fn key(space: &str, name: &str) -> String {
    format!("{space}/{name}")
}
