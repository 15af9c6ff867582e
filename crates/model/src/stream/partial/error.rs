//! Why a partial is refused, or cannot be merged with others.

use thiserror::Error;

/// A partial that can't be read or doesn't belong to the others.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum SufficientStatsError {
    /// Bytes of something else.
    #[error("this is no partial of wattline; make one with `fit TABLE --partial FILE`")]
    NoPartial,
    /// Of another version.
    #[error(
        "the partial has format {found}, this version reads {supported}; make all partials \
         with the wattline that merges them"
    )]
    Version {
        /// The one found.
        found: u32,
        /// The one that is read.
        supported: u32,
    },
    /// Bytes are missing or others.
    #[error("the partial is {what}; make or copy it again")]
    Damaged {
        /// How.
        what: &'static str,
    },
    /// Of another table or another fit.
    #[error(
        "{what} of the partial are {found}, those of {other} are {expected}: it is of another \
         table or of another fit; partials that are merged are made with the same flags"
    )]
    Differs {
        /// What differs.
        what: &'static str,
        /// As it is here.
        found: String,
        /// A partial before.
        other: String,
        /// As it is there.
        expected: String,
    },
    /// A part that was merged already.
    #[error("{part} is there twice, also in {other}; leave one of them out")]
    Doubled {
        /// The part.
        part: String,
        /// Where it was first.
        other: String,
    },
    /// Parts that are not there.
    #[error("{parts} of {of} {} missing; make the partials of these parts", if *single { "is" } else { "are" })]
    Missing {
        /// Their numbers.
        parts: String,
        /// How many there are to be.
        of: u64,
        /// Whether it is one.
        single: bool,
    },
    /// Cases of several boards.
    #[error(
        "cases are of several boards ({boards}), which are not told apart in partials; make \
         partials for each board"
    )]
    Boards {
        /// Two of them.
        boards: String,
    },
    /// Nothing to merge.
    #[error(
        "there is no partial to merge: name files that `fit --partial` wrote, or folders with them"
    )]
    None,
    /// Errors where sums are wanted, or the reverse.
    #[error("the partial holds {found}, not {wanted}")]
    Kind {
        /// What it holds.
        found: &'static str,
        /// What is wanted.
        wanted: &'static str,
    },
}
