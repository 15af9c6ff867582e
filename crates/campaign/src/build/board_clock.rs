//! Rewriting of class files so that calls of Java's clock go to the simulated clock: only the
//! constant pool changes, in which the class of each such call is replaced.

/// Class of the simulated clock in dry runs: `Meter.java`.
const CLOCK: &str = "wattline/simulation/Meter";

/// Static methods that return the time or wait: class, name and descriptor.
const CLOCK_METHODS: [(&str, &str, &str); 6] = [
    ("java/lang/System", "nanoTime", "()J"),
    ("java/lang/System", "currentTimeMillis", "()J"),
    ("java/lang/Thread", "sleep", "(J)V"),
    ("java/lang/Thread", "sleep", "(JI)V"),
    ("java/util/concurrent/locks/LockSupport", "parkNanos", "(J)V"),
    ("java/util/concurrent/locks/LockSupport", "parkNanos", "(Ljava/lang/Object;J)V"),
];

const UTF8: u8 = 1;
const CLASS: u8 = 7;
const METHOD: u8 = 10;
const NAME_AND_TYPE: u8 = 12;
/// Length of magic, version, and number of constants.
const HEAD: usize = 10;

/// Offsets of the constants of a class file. Longs and doubles have two numbers.
struct ConstantPool<'b> {
    bytes: &'b [u8],
    places: Vec<usize>,
    end: usize,
}

impl<'b> ConstantPool<'b> {
    /// Parses the constants; `None` for bytes of no known class file format.
    fn read(bytes: &'b [u8]) -> Option<Self> {
        let count = usize::from(u16_at(bytes, HEAD - 2)?);
        let (mut places, mut at) = (vec![0], HEAD);
        while places.len() < count {
            let tag = *bytes.get(at)?;
            places.push(at);
            let length = match tag {
                UTF8 => 2 + usize::from(u16_at(bytes, at + 1)?),
                CLASS | 8 | 16 | 19 | 20 => 2,
                15 => 3,
                3 | 4 | 9 | METHOD | 11 | NAME_AND_TYPE | 17 | 18 => 4,
                5 | 6 => {
                    places.push(0);
                    8
                }
                _ => return None,
            };
            at += 1 + length;
        }
        Some(ConstantPool { bytes, places, end: at })
    }

    /// Number of another constant, from a field of this one.
    fn number(&self, constant: usize, field: usize) -> Option<usize> {
        let place = *self.places.get(constant).filter(|place| **place > 0)?;
        u16_at(self.bytes, place + 1 + 2 * field).map(usize::from)
    }

    fn text(&self, constant: usize) -> Option<&'b [u8]> {
        let place = *self.places.get(constant).filter(|place| **place > 0)?;
        let length = usize::from(u16_at(self.bytes, place + 1)?);
        self.bytes.get(place + 3..place + 3 + length)
    }

    fn is_of_the_clock(&self, method: usize) -> Option<bool> {
        let owner = self.text(self.number(self.number(method, 0)?, 0)?)?;
        let member = self.number(method, 1)?;
        let (name, descriptor) =
            (self.text(self.number(member, 0)?)?, self.text(self.number(member, 1)?)?);
        Some(CLOCK_METHODS.iter().any(|(class, method, of)| {
            (owner, name, descriptor) == (class.as_bytes(), method.as_bytes(), of.as_bytes())
        }))
    }

    fn methods(&self) -> impl Iterator<Item = usize> {
        let is_method = |place: &usize| *place > 0 && self.bytes[*place] == METHOD;
        (0..self.places.len()).filter(move |number| is_method(&self.places[*number]))
    }
}

/// The class file with calls of the simulated clock in place of Java's; unchanged if it has no such
/// calls, or is no class file.
pub(super) fn with_boards_clock(class: &[u8]) -> Vec<u8> {
    redirected(class).unwrap_or_else(|| class.to_vec())
}

fn redirected(class: &[u8]) -> Option<Vec<u8>> {
    let constants = ConstantPool::read(class)?;
    let calls: Vec<usize> = constants
        .methods()
        .filter(|method| constants.is_of_the_clock(*method) == Some(true))
        .collect();
    let count = u16::try_from(constants.places.len()).ok()?;
    let (name, owner) = (count, count.checked_add(1)?);
    if calls.is_empty() {
        return None;
    }
    let mut made = class[..constants.end].to_vec();
    made[HEAD - 2..HEAD].copy_from_slice(&owner.checked_add(1)?.to_be_bytes());
    for call in calls {
        let place = constants.places[call] + 1;
        made[place..place + 2].copy_from_slice(&owner.to_be_bytes());
    }
    made.push(UTF8);
    made.extend(u16::try_from(CLOCK.len()).ok()?.to_be_bytes());
    made.extend(CLOCK.as_bytes());
    made.push(CLASS);
    made.extend(name.to_be_bytes());
    made.extend(&class[constants.end..]);
    Some(made)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A class file's beginning with these constants, and a tail.
    fn class(constants: &[&[u8]], numbers: u16) -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52];
        bytes.extend((numbers + 1).to_be_bytes());
        bytes.extend(constants.concat());
        bytes.extend(b"tail");
        bytes
    }

    fn utf8(text: &str) -> Vec<u8> {
        [&[UTF8, 0, text.len() as u8], text.as_bytes()].concat()
    }

    #[test]
    fn calls_of_the_clock_change_their_class_and_others_stay() {
        let of = |owner: &str| {
            let (owner, name) = (utf8(owner), utf8("nanoTime"));
            let constants: [&[u8]; 7] = [
                &owner,
                &[CLASS, 0, 1],
                &name,
                &utf8("()J"),
                &[NAME_AND_TYPE, 0, 3, 0, 4],
                &[5, 0, 0, 0, 0, 0, 0, 0, 9],
                &[METHOD, 0, 2, 0, 5],
            ];
            class(&constants, 8)
        };
        let before = of("java/lang/System");
        let after = with_boards_clock(&before);
        let constants = ConstantPool::read(&after).unwrap();
        let owner = constants.number(constants.number(8, 0).unwrap(), 0).unwrap();
        assert_eq!(constants.text(owner).unwrap(), CLOCK.as_bytes());
        assert_eq!(constants.text(1).unwrap(), b"java/lang/System", "others may use it");
        assert!(after.ends_with(b"tail"));
        assert_eq!(with_boards_clock(&after), after);
        let other = of("org/example/System");
        assert_eq!(with_boards_clock(&other), other);
    }

    #[test]
    fn what_is_no_class_file_stays_as_it_is() {
        for bytes in [&b""[..], b"PK", &[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 9, 99, 1]] {
            assert_eq!(with_boards_clock(bytes), bytes);
        }
    }
}
