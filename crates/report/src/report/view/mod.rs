//! Views: data of the page's templates, with every figure formatted as text and every bar as a
//! width. Foreign text passes through [`format::visible`] here and is escaped by the templates.

pub(crate) mod accounts;
pub(crate) mod blocks;
pub(crate) mod calls;
pub(crate) mod change_flame;
pub(crate) mod fit;
pub(crate) mod flame;
pub(crate) mod hints;
pub(crate) mod links;
pub(crate) mod most_expensive;
pub(crate) mod overheads;
pub(crate) mod source;
pub(crate) mod summary;
pub(crate) mod tree;
pub(crate) mod whiskers;

use crate::format;

/// Style text of a bar: width in percent of the widest.
pub(crate) fn bar_style(value: f64, widest: f64) -> String {
    if widest > 0.0 { format::bar_width(value / widest) } else { format::bar_width(0.0) }
}
