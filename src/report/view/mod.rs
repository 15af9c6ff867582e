//! What the page's templates show: every figure already as text, every bar as a width.
//! Foreign text goes through [`format::visible`] here and is escaped by the templates.

pub mod accounts;
pub mod blocks;
pub mod calls;
pub mod dearest;
pub mod fit;
pub mod flame;
pub mod hints;
pub mod links;
pub mod source;
pub mod summary;
pub mod tree;
pub mod whiskers;

use crate::report::format;

/// A row's bar: width in percent of the widest, as style text.
pub(crate) fn bar(value: f64, widest: f64) -> String {
    if widest > 0.0 { format::width(value / widest) } else { format::width(0.0) }
}
