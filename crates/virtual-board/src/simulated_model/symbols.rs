//! Names of compiled methods in ART's debug information: return type, class, name and parameter
//! types, with packages and as the class file has them (`PrettyMethod` of ART's `dex_file.cc`).

/// Symbol of a method: `void org.example.Foo.bar(int, java.lang.String)`.
pub(super) fn pretty_method(class: &str, name: &str, descriptor: &str) -> String {
    let (inside, result) = descriptor
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .unwrap_or(("", descriptor));
    let mut rest = inside;
    let mut parameters = Vec::new();
    while let Some((parameter, after)) = parse_type(rest) {
        parameters.push(parameter);
        rest = after;
    }
    let result = parse_type(result).map_or_else(String::new, |(name, _)| name + " ");
    format!("{result}{class}.{name}({})", parameters.join(", "))
}

/// First type of a descriptor and the rest; `None` at the end or if the text is malformed.
fn parse_type(text: &str) -> Option<(String, &str)> {
    let dimensions = text.bytes().take_while(|&byte| byte == b'[').count();
    let element = &text[dimensions..];
    let letter = element.chars().next()?;
    let (name, rest) = match element.strip_prefix('L') {
        Some(class) => {
            let (class, rest) = class.split_once(';')?;
            (class.replace('/', "."), rest)
        }
        None => (super::names::primitive_name(letter)?.to_owned(), &element[1..]),
    };
    Some((name + &"[]".repeat(dimensions), rest))
}

#[cfg(test)]
mod tests {
    use super::pretty_method;

    #[test]
    fn methods_are_named_as_art_names_them() {
        for (class, name, descriptor, expected) in [
            (
                "org.example.Foo",
                "bar",
                "(ILjava/lang/String;)V",
                "void org.example.Foo.bar(int, java.lang.String)",
            ),
            ("a.B$C", "<init>", "(La/B;[[J)V", "void a.B$C.<init>(a.B, long[][])"),
            ("B", "<clinit>", "()V", "void B.<clinit>()"),
            ("B", "get", "()[La/D$E;", "a.D$E[] B.get()"),
        ] {
            assert_eq!(pretty_method(class, name, descriptor), expected);
        }
    }

    #[test]
    fn broken_descriptors_are_no_panic() {
        for text in ["", "(", "(L", "([", "(Q)V", "()"] {
            assert!(pretty_method("A", "m", text).contains("A.m("), "{text}");
        }
    }
}
