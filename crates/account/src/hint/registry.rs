//! List of all hint patterns.

use crate::hint::hint_pattern::HintPattern;
use crate::hint::{
    allocation, append_parts, boxing, bulk_copy, concatenation, conversion, field_local,
    inline_call, invariant, list_iteration, regex, static_method, string_buffer, unroll,
};

/// All hint patterns; their order decides between hints of equal saving.
pub const PATTERNS: &[&HintPattern] = &[
    &bulk_copy::PATTERN,
    &invariant::PATTERN,
    &unroll::PATTERN,
    &field_local::PATTERN,
    &inline_call::PATTERN,
    &concatenation::PATTERN,
    &allocation::PATTERN,
    &boxing::PATTERN,
    &list_iteration::PATTERN,
    &conversion::PATTERN,
    &static_method::PATTERN,
    &string_buffer::PATTERN,
    &append_parts::PATTERN,
    &regex::PATTERN,
    &regex::COMPILED,
];
