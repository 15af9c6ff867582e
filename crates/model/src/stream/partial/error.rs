//! Why a partial is refused, or cannot be merged with others.

use thiserror::Error;

/// Reason why a partial can't be read, or doesn't belong to the others.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum SufficientStatsError {
    /// The bytes are no partial.
    #[error("this is no partial of wattline; make one with `fit TABLE --partial FILE`")]
    NoPartial,
    /// The partial has another version of the format.
    #[error(
        "the partial has format {found}, this version reads {supported}; make all partials \
         with the wattline that merges them"
    )]
    Version {
        /// Version of the partial.
        found: u32,
        /// Version that this program reads.
        supported: u32,
    },
    /// Bytes are missing or were changed.
    #[error("the partial is {what}; make or copy it again")]
    Damaged {
        /// Kind of damage.
        what: &'static str,
    },
    /// The partial is of another table or another fit.
    #[error(
        "{what} of the partial are {found}, those of {other} are {expected}: it is of another \
         table or of another fit; partials that are merged are made with the same flags"
    )]
    Differs {
        /// Name of the setting that differs.
        what: &'static str,
        /// Its value in the partial.
        found: String,
        /// Name of an earlier partial.
        other: String,
        /// Its value in the earlier partial.
        expected: String,
    },
    /// A part was merged already.
    #[error("{part} is there twice, also in {other}; leave one of them out")]
    Doubled {
        /// The part.
        part: String,
        /// Name of the partial that had it first.
        other: String,
    },
    /// Some parts are missing.
    #[error("{parts} of {of} {} missing; make the partials of these parts", if *single { "is" } else { "are" })]
    Missing {
        /// Their numbers.
        parts: String,
        /// Number of parts in all.
        of: u64,
        /// Whether only one part is missing.
        single: bool,
    },
    /// The cases are of several boards.
    #[error(
        "cases are of several boards ({boards}), which are not told apart in partials; make \
         partials for each board"
    )]
    Boards {
        /// Names of two boards.
        boards: String,
    },
    /// There is no partial to merge.
    #[error(
        "there is no partial to merge: name files that `fit --partial` wrote, or folders with them"
    )]
    None,
    /// The partial holds errors where sums are wanted, or the reverse.
    #[error("the partial holds {found}, not {wanted}")]
    Kind {
        /// Content of the partial.
        found: &'static str,
        /// Content that is needed.
        wanted: &'static str,
    },
}
