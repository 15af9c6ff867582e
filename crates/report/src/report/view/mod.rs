//! What the page's templates show: every figure already as text, every bar as a width.
//! Foreign text goes through [`format::visible`] here and is escaped by the templates.

pub(crate) mod accounts;
pub(crate) mod blocks;
pub(crate) mod calls;
pub(crate) mod fit;
pub(crate) mod flame;
pub(crate) mod hints;
pub(crate) mod links;
pub(crate) mod most_expensive;
pub(crate) mod source;
pub(crate) mod summary;
pub(crate) mod tree;
pub(crate) mod whiskers;

use crate::format;

/// A row's bar: width in percent of the widest, as style text.
pub(crate) fn bar(value: f64, widest: f64) -> String {
    if widest > 0.0 { format::width(value / widest) } else { format::width(0.0) }
}
