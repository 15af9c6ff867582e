//! The names of the grammar's node kinds and fields: the only module, beside the
//! operation catalogue, that spells them.
