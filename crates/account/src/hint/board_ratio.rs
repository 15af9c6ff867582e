//! Ratio of measured to predicted savings of one pattern on a board.

use std::fmt;

use crate::account::Interval;
use crate::format;
use crate::hint::context::EnergyAmount;
use crate::hint::prediction_basis::PredictionBasis;
use crate::interval::NORMAL_975;
use crate::model::student_975;
use crate::units::Joules;

/// Ratio of the saving on a board to the count-based saving, or to the lines' energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoardRatio {
    /// Reference of the ratio.
    pub basis: PredictionBasis,
    /// Mean over code locations. For costs: 1 where they are right, 0 where nothing is saved. For
    /// lines: the share of their energy that is saved.
    pub ratio: f64,
    /// Its standard error.
    pub se: f64,
    /// Standard deviation of code locations about the mean.
    pub spread: f64,
    /// Number of before/after microbenchmarks in the mean.
    pub pairs: usize,
    /// Number of code locations in the mean whose rewrites were measured.
    pub places: usize,
}

/// Least number of pairs and code locations at which a further location's interval is a
/// prediction interval, by Student's t with two degrees of freedom less. With fewer it would be
/// useless (12.7 standard deviations for three), so the spread is taken as exact.
pub(super) const LEAST_FOR_PREDICTION: usize = 4;

impl BoardRatio {
    /// The 95 % interval of the mean.
    pub fn interval(&self) -> (f64, f64) {
        (self.ratio - NORMAL_975 * self.se, self.ratio + NORMAL_975 * self.se)
    }

    /// Error of the ratio at a further code location: half the width of its 95 % interval over
    /// 1.96.
    fn location_error(&self) -> f64 {
        let known = self.pairs + self.places;
        let quantile = match known < LEAST_FOR_PREDICTION {
            true => NORMAL_975,
            false => student_975(known as f64 - 2.0),
        };
        self.se.hypot(self.spread) * quantile / NORMAL_975
    }

    /// Saving at a code location with the predicted saving `said`, at most `bound`.
    pub(super) fn saving_at_location(&self, said: EnergyAmount, bound: Joules) -> EnergyAmount {
        self.times(said, bound, self.location_error())
    }

    /// Mean saving over code locations with the predicted saving `said` each, at most `bound`.
    pub(super) fn mean_saving(&self, said: EnergyAmount, bound: Joules) -> EnergyAmount {
        self.times(said, bound, self.se)
    }

    /// The ratio with an error, times the predicted saving `said`, at most `bound`.
    fn times(&self, said: EnergyAmount, bound: Joules, error: f64) -> EnergyAmount {
        let energy = Joules((said.energy.0 * self.ratio).min(bound.0));
        let interval = said.standard_deviation_j().map(|sd| {
            let variance =
                (self.ratio * sd).powi(2) + (said.energy.0 * error).powi(2) + (sd * error).powi(2);
            Interval::of_difference(energy, variance).at_most(bound)
        });
        let whole = said.share.map(|share| said.energy.0 / share);
        let share = whole.map(|whole| energy.0 / whole).filter(|share| share.is_finite());
        EnergyAmount { energy, interval, share }
    }
}

impl fmt::Display for BoardRatio {
    /// As text: `0.2 % of the saving that the costs predict (-1.0 % to 1.4 %; 2 pairs of
    /// microbenchmarks, 3 measured places)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lo, hi) = self.interval();
        let [ratio, lo, hi] = [self.ratio, lo, hi].map(format::percent);
        let (one, many) = ("pair of microbenchmarks", "pairs of microbenchmarks");
        let pairs = (self.pairs > 0).then(|| format::counted_as(self.pairs, one, many));
        let places = (self.places > 0).then(|| format::counted(self.places, "measured place"));
        let by = pairs.into_iter().chain(places).collect::<Vec<_>>().join(", ");
        let of = match self.basis {
            PredictionBasis::Costs => "the saving that the costs predict",
            PredictionBasis::Lines => "what the replaced lines spend",
        };
        write!(f, "{ratio} of {of} ({lo} to {hi}; {by})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six pairs tell the spread with four degrees of freedom: 2.776 standard deviations.
    #[test]
    fn a_new_place_is_predicted_by_students_t() {
        let ratio = BoardRatio {
            basis: PredictionBasis::Lines,
            ratio: 0.5,
            se: 0.03,
            spread: 0.04,
            pairs: 6,
            places: 0,
        };
        assert!((ratio.location_error() * NORMAL_975 - 2.776_445 * 0.05).abs() < 1e-5);
        assert_eq!(BoardRatio { pairs: 3, ..ratio }.location_error(), 0.05);
        let measured = BoardRatio { pairs: 2, places: 4, ..ratio };
        assert_eq!(measured.location_error(), ratio.location_error());
        let by = |ratio: BoardRatio| ratio.to_string().split_once("; ").unwrap().1.to_string();
        assert_eq!(by(measured), "2 pairs of microbenchmarks, 4 measured places)");
        assert_eq!(by(BoardRatio { pairs: 0, places: 1, ..ratio }), "1 measured place)");
    }

    /// 10 J of 100, 8 to 12, at a ratio of 0.5 +- 0.1: 5 J with sqrt(0.25 + 1 + 0.01) J.
    #[test]
    fn predictions_are_scaled_with_both_errors() {
        let half = NORMAL_975;
        let said = EnergyAmount {
            energy: Joules(10.0),
            interval: Some(Interval { lo: Joules(10.0 - half), hi: Joules(10.0 + half) }),
            share: Some(0.1),
        };
        let ratio = BoardRatio {
            basis: PredictionBasis::Costs,
            ratio: 0.5,
            se: 0.06,
            spread: 0.08,
            pairs: 2,
            places: 0,
        };
        let scaled = ratio.saving_at_location(said, Joules(50.0));
        assert_eq!((scaled.energy, scaled.share), (Joules(5.0), Some(0.05)));
        let sd = (scaled.interval.unwrap().hi.0 - 5.0) / NORMAL_975;
        assert!((sd * sd - 1.26).abs() < 1e-9, "{sd}");
        let bounded = BoardRatio { ratio: 9.0, ..ratio }.saving_at_location(said, Joules(50.0));
        let average = ratio.mean_saving(said, Joules(50.0)).interval.unwrap();
        let sd = (average.hi.0 - 5.0) / NORMAL_975;
        assert!((sd * sd - 0.6136).abs() < 1e-9, "0.25 + 0.36 + 0.0036: {sd}");
        assert_eq!((bounded.energy, bounded.interval.unwrap().hi), (Joules(50.0), Joules(50.0)));
    }
}
