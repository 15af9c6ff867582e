//! Trouble of the sensors.

/// Way in which the sensors fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SensorTrouble {
    /// The sensors keep their values.
    Frozen,
    /// The sensors' files contain nonsense.
    Garbage,
}
