//! Descriptors of class files -> parameter types as people write them.

/// `(int,String[])` of `(I[Ljava/lang/String;)V`; nothing of no descriptor.
pub fn parameters(descriptor: &str) -> String {
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
                let name = primitive(letters.next());
                (name, letters.as_str())
            }
        };
        names.push(name.to_string() + &"[]".repeat(dimensions));
        rest = after;
    }
    format!("({})", names.join(","))
}

fn primitive(letter: Option<char>) -> &'static str {
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
