//! Descriptors of class files -> parameter types as people write them.

/// Returns the parameter types of a method descriptor as text: `(int,String[])` for
/// `(I[Ljava/lang/String;)V`; empty for other texts.
pub fn parameter_types_text(descriptor: &str) -> String {
    let Some((inside, _)) = descriptor.strip_prefix('(').and_then(|rest| rest.rsplit_once(')'))
    else {
        return String::new();
    };
    let mut names = Vec::new();
    let mut rest = inside;
    while !rest.is_empty() {
        let element = rest.trim_start_matches('[');
        let dimensions = rest.len() - element.len();
        let (name, after) = match element.strip_prefix('L') {
            Some(class) => {
                let (class, after) = class.split_once(';').unwrap_or((class, ""));
                (class.rsplit(['/', '$']).next().unwrap_or(class), after)
            }
            None => {
                let mut letters = element.chars();
                let name = primitive_name(letters.next());
                (name, letters.as_str())
            }
        };
        names.push(name.to_string() + &"[]".repeat(dimensions));
        rest = after;
    }
    format!("({})", names.join(","))
}

fn primitive_name(letter: Option<char>) -> &'static str {
    match letter {
        Some('B') => "byte",
        Some('C') => "char",
        Some('D') => "double",
        Some('F') => "float",
        Some('I') => "int",
        Some('J') => "long",
        Some('S') => "short",
        Some('Z') => "boolean",
        _ => "?",
    }
}
