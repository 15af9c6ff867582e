//! By what energy is shared.

/// Basis by which a window's energy was shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SharingBasis {
    /// Unhalted cycles, counted by the CPU.
    Cycles,
    /// Cycles computed from CPU time and frequency.
    CyclesByFrequency,
    /// Energy by a model: CPU time x the power of its frequency.
    Modelled,
    /// CPU time, as nothing counted cycles.
    CpuTime,
    /// Nothing: there was no weight.
    Nothing,
}

impl SharingBasis {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Cycles, Self::CyclesByFrequency, Self::Modelled, Self::CpuTime, Self::Nothing];

    /// Returns the name in outputs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::CyclesByFrequency => "cycles-by-frequency",
            Self::Modelled => "modelled-energy",
            Self::CpuTime => "cpu-time",
            Self::Nothing => "none",
        }
    }
}
