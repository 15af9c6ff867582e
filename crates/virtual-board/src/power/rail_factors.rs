//! Factors from ground truth to drawn energy for each rail of a meter: the ground truth of a
//! session times the factor of a rail compares with the measurement of that rail.

use crate::board_file::BoardFile;
use crate::meters_file::RailName;

/// Energy since a session began, at the reference voltage and as drawn.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SpentEnergy {
    reference_j: f64,
    drawn_j: f64,
}

impl SpentEnergy {
    /// Adds an energy at the reference voltage, and as it was drawn at the present voltage.
    pub fn add(&mut self, reference_j: f64, drawn_j: f64) {
        self.reference_j += reference_j;
        self.drawn_j += drawn_j;
    }

    /// Mean joules drawn for a joule at the reference voltage.
    pub fn factor(self) -> f64 {
        if self.reference_j > 0.0 { self.drawn_j / self.reference_j } else { 1.0 }
    }
}

/// Names of all rails of all meters, each with its factor.
pub(super) fn rail_factors(file: &BoardFile, spent: SpentEnergy) -> Vec<(String, f64)> {
    let memory = file.costs.memory_share;
    let share = |rail: RailName| match rail {
        RailName::Arm => 1.0 - memory,
        RailName::Mem => memory,
        RailName::G3d | RailName::Kfc => 0.0,
    };
    let own = ["arm", "mem", "g3d", "kfc"].into_iter().map(String::from);
    let own = own.zip([RailName::Arm, RailName::Mem, RailName::G3d, RailName::Kfc].map(share));
    let chips = file.odpm.iter().flat_map(|chip| &chip.rails).flat_map(|rail| {
        let share = rail.of.map_or(0.0, share);
        [(rail.name.clone(), share), (format!("{}:{}", rail.name, rail.subsystem), share)]
    });
    // These have all rails in them.
    let whole = ["battery", "external", "package-0"].map(|name| (name.to_owned(), 1.0));
    let parts = [("core", share(RailName::Arm)), ("dram", memory), ("uncore", 0.0)];
    let parts = parts.map(|(name, share)| (name.to_owned(), share));
    let shares = own.chain(chips).chain(whole).chain(parts);
    shares.map(|(name, share)| (name, share * spent.factor())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rails_share_what_is_drawn_at_the_voltage_of_the_session() {
        let file = BoardFile::odroid_xu_e();
        let mut spent = SpentEnergy::default();
        assert_eq!(spent.factor(), 1.0);
        spent.add(2.0, 1.0);
        spent.add(2.0, 2.0);
        let factors = rail_factors(&file, spent);
        let of = |name: &str| factors.iter().find(|(rail, _)| rail == name).unwrap().1;
        let memory = file.costs.memory_share;
        assert!((of("arm") - 0.75 * (1.0 - memory)).abs() < 1e-12);
        assert!((of("arm") + of("mem") - of("battery")).abs() < 1e-12);
        assert_eq!((of("g3d"), of("external")), (0.0, 0.75));
    }
}
