//! Types in descriptors of class files.

/// The type of a descriptor as patterns name it.
pub(super) fn kind_of(descriptor: &str) -> &'static str {
    match descriptor.as_bytes().first() {
        Some(b'J') => "long",
        Some(b'F') => "float",
        Some(b'D') => "double",
        Some(b'L' | b'[') => "Reference",
        _ => "int",
    }
}

/// A method that is called: `java/lang/Math.abs:(I)I`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CalledMethod<'o> {
    /// Binary name of the class with slashes.
    pub owner: &'o str,
    /// Name of the method.
    pub name: &'o str,
    /// Number of its arguments, without the receiver.
    pub arguments: usize,
    /// Descriptor of its result; `V` for none.
    pub result: &'o str,
}

impl<'o> CalledMethod<'o> {
    /// The method of a call's operand.
    pub fn of(operand: &'o str) -> Option<Self> {
        let (member, descriptor) = operand.rsplit_once(":(")?;
        let (owner, name) = member.rsplit_once('.')?;
        let (arguments, result) = descriptor.split_once(')')?;
        Some(Self { owner, name, arguments: count_types(arguments), result })
    }
}

/// Number of types in a row of descriptors.
fn count_types(mut descriptors: &str) -> usize {
    let mut count = 0;
    while let Some(first) = descriptors.chars().next() {
        let end = match first {
            '[' => {
                descriptors = &descriptors[1..];
                continue;
            }
            'L' => descriptors.find(';').unwrap_or(descriptors.len() - 1) + 1,
            other => other.len_utf8(),
        };
        descriptors = descriptors.get(end..).unwrap_or("");
        count += 1;
    }
    count
}

/// The descriptor of a field's operand: `a/B.c:J`.
pub(super) fn field_descriptor(operand: &str) -> &str {
    operand.rsplit_once(':').map_or("", |(_, descriptor)| descriptor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_counted_whatever_their_types() {
        let called = CalledMethod::of("a/B.run:(I[[JLjava/lang/String;[La/C;D)V").unwrap();
        assert_eq!((called.owner, called.name), ("a/B", "run"));
        assert_eq!((called.arguments, called.result), (5, "V"));
        assert_eq!(CalledMethod::of("a/B.<init>:()V").map(|called| called.arguments), Some(0));
        assert_eq!(CalledMethod::of("nonsense"), None);
        assert_eq!(count_types("Lunfinished"), 1);
        assert_eq!([kind_of("Z"), kind_of("J"), kind_of("[I")], ["int", "long", "Reference"]);
        assert_eq!(field_descriptor("a/B.c:J"), "J");
    }
}
