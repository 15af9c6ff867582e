//! The fields of an encoded message, without decoding what is in them.

use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

/// Value of a field of an encoded message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldValue<'m> {
    /// A message, a text or packed numbers.
    Bytes(&'m [u8]),
    /// A number.
    Number,
}

/// Returns the numbers and values of a message's fields, up to the first damaged one.
pub fn message_fields(message: &[u8]) -> impl Iterator<Item = (u32, FieldValue<'_>)> {
    let mut rest = message;
    std::iter::from_fn(move || {
        let (number, wire_type) = decode_key(&mut rest).ok()?;
        if wire_type != WireType::LengthDelimited {
            skip_field(wire_type, number, &mut rest, DecodeContext::default()).ok()?;
            return Some((number, FieldValue::Number));
        }
        let length = usize::try_from(decode_varint(&mut rest).ok()?).ok()?;
        let (bytes, after) = rest.split_at_checked(length)?;
        rest = after;
        Some((number, FieldValue::Bytes(bytes)))
    })
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::super::wire::{RailDescriptor, TracePacket};
    use super::*;

    #[test]
    fn fields_are_told_and_damage_ends_them() {
        let rail = RailDescriptor { index: 7, rail_name: b"cpu".to_vec(), subsys_name: vec![] };
        let bytes = rail.encode_to_vec();
        let found: Vec<_> = message_fields(&bytes).collect();
        assert_eq!(found, [(1, FieldValue::Number), (2, FieldValue::Bytes(b"cpu"))]);
        let packet = TracePacket { timestamp: Some(5), ..TracePacket::default() };
        let mut bytes = packet.encode_to_vec();
        bytes.extend([0x0a, 0x7f, 0x00]);
        let found: Vec<u32> = message_fields(&bytes).map(|(number, _)| number).collect();
        assert_eq!(found, [8]);
        assert_eq!(message_fields(&[]).count(), 0);
    }
}
