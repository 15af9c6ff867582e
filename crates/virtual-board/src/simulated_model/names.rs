//! Names of methods and files as in Java source, from class files: simple type names, no type
//! arguments, `T...` as written. Lambdas keep the compiler's names (`lambda$main$0`), and field
//! initialisers belong to the constructors that they were compiled into.

/// Access flag of a method with a variable number of arguments.
const VARARGS: u32 = 0x80;

/// Name, types and access flags of a method in its class file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MethodText<'a> {
    /// Its name.
    pub name: &'a str,
    /// Erased type.
    pub descriptor: &'a str,
    /// Generic type, if the method has one.
    pub signature: Option<&'a str>,
    /// Its access flags.
    pub access: u32,
}

/// Kind of class, which decides the hidden parameters of its constructors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClassKind {
    /// No hidden parameters.
    Plain,
    /// Inner class: the outer instance comes first.
    Inner,
    /// Enum: name and ordinal come first.
    Enum,
}

/// Path of a source file below its root: the package's folders and the SourceFile attribute, or the
/// outermost class's name if there is none.
pub(crate) fn source_path(class: &str, source: Option<&str>) -> String {
    let (package, simple) = class.rsplit_once('.').unwrap_or(("", class));
    let outermost = simple.split('$').next().unwrap_or(simple);
    let file = source.map_or_else(|| format!("{outermost}.java"), str::to_string);
    if package.is_empty() { file } else { format!("{}/{file}", package.replace('.', "/")) }
}

/// Name and parameter types, `solve(int,float[])`, from the signature (with type variables, without
/// hidden parameters) or else the descriptor.
pub fn method_name(method: MethodText<'_>, kind: ClassKind, outer: Option<&str>) -> String {
    let MethodText { name, descriptor, signature, access } = method;
    if name == "<clinit>" {
        return name.to_string();
    }
    let mut types = parameter_types(signature.unwrap_or(descriptor));
    if signature.is_none() && name == "<init>" {
        let hidden = hidden_parameters(descriptor, kind, outer).min(types.len());
        types.drain(..hidden);
    }
    if let Some(last) =
        types.last_mut().filter(|last| access & VARARGS != 0 && last.ends_with("[]"))
    {
        last.replace_range(last.len() - 2.., "...");
    }
    format!("{name}({})", types.join(","))
}

/// Number of hidden parameters of a constructor.
fn hidden_parameters(descriptor: &str, kind: ClassKind, outer: Option<&str>) -> usize {
    let first = |class: &str| descriptor.starts_with(&format!("(L{};", class.replace('.', "/")));
    match kind {
        ClassKind::Inner => usize::from(outer.is_some_and(first)),
        ClassKind::Enum if descriptor.starts_with("(Ljava/lang/String;I") => 2,
        ClassKind::Plain | ClassKind::Enum => 0,
    }
}

/// Parameter types of a descriptor or signature, as written in Java source.
fn parameter_types(text: &str) -> Vec<String> {
    let inside = text.split_once('(').map_or("", |(_, rest)| rest);
    let mut rest = inside;
    let mut types = Vec::new();
    while !rest.is_empty() && !rest.starts_with(')') {
        let Some((name, after)) = parse_type(rest) else { break };
        types.push(name);
        rest = after;
    }
    types
}

/// First type of a text and the rest; `None` if the text is malformed.
fn parse_type(text: &str) -> Option<(String, &str)> {
    let dimensions = text.bytes().take_while(|&b| b == b'[').count();
    let element = &text[dimensions..];
    let (name, rest) = match element.chars().next()? {
        'L' => parse_class_type(&element[1..])?,
        'T' => {
            let (name, rest) = element[1..].split_once(';')?;
            (name.to_string(), rest)
        }
        letter => (primitive_name(letter)?.to_string(), &element[1..]),
    };
    Some((name + &"[]".repeat(dimensions), rest))
}

/// Simple name of a class type and the rest: `java/util/Map<TK;TV;>.Entry<..>;` is `Entry`.
fn parse_class_type(text: &str) -> Option<(String, &str)> {
    let mut depth = 0_usize;
    let mut name = String::new();
    for (at, letter) in text.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.checked_sub(1)?,
            _ if depth > 0 => {}
            ';' => return Some((name, &text[at + 1..])),
            '/' | '$' | '.' => name.clear(),
            _ => name.push(letter),
        }
    }
    None
}

/// Name of a primitive type by its letter in descriptors.
pub(super) fn primitive_name(letter: char) -> Option<&'static str> {
    Some(match letter {
        'Z' => "boolean",
        'B' => "byte",
        'C' => "char",
        'S' => "short",
        'I' => "int",
        'J' => "long",
        'F' => "float",
        'D' => "double",
        'V' => "void",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, descriptor: &str, signature: Option<&str>, expected: &str) {
        let method = MethodText { name, descriptor, signature, access: 0 };
        assert_eq!(method_name(method, ClassKind::Plain, None), expected);
    }

    fn constructor(descriptor: &str, kind: ClassKind, outer: Option<&str>) -> String {
        let method = MethodText { name: "<init>", descriptor, signature: None, access: 0 };
        method_name(method, kind, outer)
    }

    #[test]
    fn any_number_of_arguments_is_written_with_dots() {
        let descriptor = "(I[[F)V";
        let method = MethodText { name: "m", descriptor, signature: None, access: VARARGS | 1 };
        assert_eq!(method_name(method, ClassKind::Plain, None), "m(int,float[]...)");
    }

    #[test]
    fn parameters_are_simple_names() {
        check("solve", "(I[F)V", None, "solve(int,float[])");
        check("a", "()V", None, "a()");
        check("<clinit>", "()V", None, "<clinit>");
        check("m", "([[Ljava/lang/String;JZ)V", None, "m(String[][],long,boolean)");
        check("e", "(Ljava/util/Map$Entry;)V", None, "e(Entry)");
    }

    #[test]
    fn a_signature_has_type_variables_and_no_arguments() {
        let generic = "<T:Ljava/lang/Object;>(TT;Ljava/util/Map<TT;[I>.Entry<*>;[TT;)V";
        check("g", "(Ljava/lang/Object;)V", Some(generic), "g(T,Entry,T[])");
    }

    #[test]
    fn hidden_parameters_of_constructors_are_left_out() {
        let inner = |d| constructor(d, ClassKind::Inner, Some("p.Out"));
        assert_eq!(inner("(Lp/Out;I)V"), "<init>(int)");
        assert_eq!(inner("(I)V"), "<init>(int)");
        let of_enum = |d| constructor(d, ClassKind::Enum, None);
        assert_eq!(of_enum("(Ljava/lang/String;IF)V"), "<init>(float)");
    }

    #[test]
    fn broken_text_is_no_panic() {
        for text in ["", "(", "([", "(L", "(Lx", "(Q)", "(L>;)", "(T"] {
            check("m", text, None, "m()");
        }
    }

    #[test]
    fn files_lie_in_their_packages() {
        assert_eq!(source_path("a.b.C$D", Some("C.java")), "a/b/C.java");
        assert_eq!(source_path("C$D", None), "C.java");
    }
}
