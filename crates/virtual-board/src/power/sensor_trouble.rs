//! What can be wrong with the sensors.

/// What is wrong with the sensors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SensorTrouble {
    /// They keep their values.
    Frozen,
    /// Their files hold nonsense.
    Garbage,
}
