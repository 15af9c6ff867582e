//! Types of expressions where the sources show them with certainty, for the meaning of `+` and of
//! overloads of `append`.

use crate::hint::pattern::{self, MethodCall, simple_type};
use crate::java::{SourceFile, SyntaxNode};

/// Type of an expression, as far as appending and concatenating distinguish types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueType {
    /// String.
    Text,
    /// byte, short, int, long, float or double.
    Number,
    /// char.
    Char,
    /// boolean.
    Boolean,
    /// An object that is certainly neither a CharSequence nor an array.
    Object,
}

/// Classes of the JDK that `append` takes as objects: none is a CharSequence.
const OBJECTS: [&str; 18] = [
    "Object",
    "Integer",
    "Long",
    "Short",
    "Byte",
    "Character",
    "Boolean",
    "Float",
    "Double",
    "Number",
    "BigInteger",
    "BigDecimal",
    "Class",
    "Date",
    "Locale",
    "File",
    "Throwable",
    "Exception",
];

/// Methods of String by return type.
const OF_STRING: [(&[&str], ValueType); 4] = [
    (
        &[
            "concat",
            "intern",
            "replace",
            "replaceAll",
            "replaceFirst",
            "substring",
            "toLowerCase",
            "toUpperCase",
            "trim",
        ],
        ValueType::Text,
    ),
    (
        &["codePointAt", "compareTo", "hashCode", "indexOf", "lastIndexOf", "length"],
        ValueType::Number,
    ),
    (&["charAt"], ValueType::Char),
    (
        &["contains", "endsWith", "equals", "equalsIgnoreCase", "isEmpty", "matches", "startsWith"],
        ValueType::Boolean,
    ),
];

/// Static methods of the JDK by return type.
const STATIC: [(&str, &[&str], ValueType); 8] = [
    ("String", &["copyValueOf", "format", "valueOf"], ValueType::Text),
    ("Integer", &["toBinaryString", "toHexString", "toOctalString", "toString"], ValueType::Text),
    ("Long", &["toBinaryString", "toHexString", "toOctalString", "toString"], ValueType::Text),
    ("Double", &["toString"], ValueType::Text),
    ("Float", &["toString"], ValueType::Text),
    ("Boolean", &["toString"], ValueType::Text),
    ("Character", &["toString"], ValueType::Text),
    ("System", &["currentTimeMillis", "identityHashCode", "nanoTime"], ValueType::Number),
];

impl ValueType {
    /// The type with this name in the source.
    pub fn from_name(type_text: &str) -> Option<ValueType> {
        let simple = simple_type(type_text);
        match simple.as_str() {
            "String" => Some(ValueType::Text),
            "byte" | "short" | "int" | "long" | "float" | "double" => Some(ValueType::Number),
            "char" => Some(ValueType::Char),
            "boolean" => Some(ValueType::Boolean),
            name => OBJECTS.contains(&name).then_some(ValueType::Object),
        }
    }

    fn is_number(self) -> bool {
        matches!(self, ValueType::Number | ValueType::Char)
    }
}

/// The type of an expression; `None` where the sources do not show it.
pub(crate) fn type_of(
    sources: &[SourceFile],
    file: &SourceFile,
    node: SyntaxNode<'_>,
) -> Option<ValueType> {
    let of = |node| type_of(sources, file, node);
    let inner = pattern::without_parentheses(node);
    if inner != node {
        return of(inner);
    }
    if pattern::is_literal(node) {
        return literal_type(node);
    }
    if let Some((left, right)) = pattern::as_binary(file, node, &["+"]) {
        return sum_type(of(left), of(right));
    }
    if let Some((left, right)) = pattern::as_binary(file, node, &["-", "*", "/", "%"]) {
        return (of(left)?.is_number() && of(right)?.is_number()).then_some(ValueType::Number);
    }
    if pattern::as_binary(file, node, &["==", "!=", "<", ">", "<=", ">=", "&&", "||"]).is_some() {
        return Some(ValueType::Boolean);
    }
    if let Some((ty, _)) = pattern::as_cast(node) {
        return ValueType::from_name(file.text_of(ty));
    }
    if let Some((array, _)) = pattern::as_element(node) {
        let declared = pattern::declaration_of(file, array)?;
        return ValueType::from_name(declared.type_text.trim().strip_suffix("[]")?);
    }
    if let Some(call) = pattern::as_call(node) {
        return call_type(sources, file, node, &call);
    }
    variable_type(file, node)
}

/// The type of a variable, or of an array's length.
fn variable_type(file: &SourceFile, node: SyntaxNode<'_>) -> Option<ValueType> {
    if let Some((object, name)) = pattern::as_field(node)
        && file.text_of(name) == "length"
        && pattern::declaration_of(file, object)?.type_text.ends_with("[]")
    {
        return Some(ValueType::Number);
    }
    ValueType::from_name(&pattern::declaration_of(file, node)?.type_text)
}

fn literal_type(node: SyntaxNode<'_>) -> Option<ValueType> {
    if pattern::is_string_literal(node) {
        return Some(ValueType::Text);
    }
    if pattern::is_char_literal(node) {
        return Some(ValueType::Char);
    }
    if pattern::is_boolean_literal(node) {
        return Some(ValueType::Boolean);
    }
    (!pattern::is_null(node)).then_some(ValueType::Number)
}

/// The type of a sum: Text if either operand is.
pub(crate) fn sum_type(left: Option<ValueType>, right: Option<ValueType>) -> Option<ValueType> {
    if left == Some(ValueType::Text) || right == Some(ValueType::Text) {
        return Some(ValueType::Text);
    }
    (left?.is_number() && right?.is_number()).then_some(ValueType::Number)
}

/// The return type of a call.
fn call_type(
    sources: &[SourceFile],
    file: &SourceFile,
    node: SyntaxNode<'_>,
    call: &MethodCall<'_>,
) -> Option<ValueType> {
    let name = file.text_of(call.name);
    let count = call.arguments.len();
    if name == "toString" && count == 0 {
        return Some(ValueType::Text);
    }
    let Some(object) = call.object.filter(|object| !pattern::is_this(*object)) else {
        return own_method_type(&pattern::methods_beside(file, node, name), count);
    };
    let text = file.text_of(object);
    if pattern::declaration_of(file, object).is_none()
        && let Some((_, _, ty)) =
            STATIC.iter().find(|(class, names, _)| *class == text && names.contains(&name))
    {
        return Some(*ty);
    }
    if is_get_class(file, object) && ["getName", "getSimpleName"].contains(&name) && count == 0 {
        return Some(ValueType::Text);
    }
    if type_of(sources, file, object) == Some(ValueType::Text) {
        return OF_STRING.iter().find(|(names, _)| names.contains(&name)).map(|(_, ty)| *ty);
    }
    let class = simple_type(&pattern::declaration_of(file, object)?.type_text);
    let file_name = format!("{class}.java");
    let mut homes = sources.iter().filter(|f| f.path.rsplit('/').next() == Some(&file_name));
    let home = homes.next().filter(|_| homes.next().is_none())?;
    own_method_type(&pattern::methods_of(home, &class, name), count)
}

/// Whether an expression is `x.getClass()` or `getClass()`.
fn is_get_class(file: &SourceFile, node: SyntaxNode<'_>) -> bool {
    pattern::as_call(node)
        .is_some_and(|call| file.text_of(call.name) == "getClass" && call.arguments.is_empty())
}

/// The return type of the methods of one name that a class declares itself. Only without
/// parameters is the called method certain: others may be inherited.
fn own_method_type(methods: &[(&str, usize)], arguments: usize) -> Option<ValueType> {
    if arguments > 0 {
        return None;
    }
    let found = methods.iter().find(|(_, parameters)| *parameters == 0)?;
    ValueType::from_name(found.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ValueType::{Boolean, Char, Number, Object, Text};

    #[test]
    fn types_are_known_where_the_sources_show_them() {
        let text = "class A { String f; char[] g; Other o; CharSequence q;
            String name() { return f; } int size(int x) { return x; }
            void m(String s, int i, char c, Integer boxed, int[] a, double d, Object x) {
                USE
            } }";
        let other =
            SourceFile::parse("b/Other.java", "class Other { char first() { return 'a'; } }");
        for (expression, expected) in [
            ("\"a\"", Some(Text)),
            ("s", Some(Text)),
            ("this.f", Some(Text)),
            ("i + c", Some(Number)),
            ("c + \"\"", Some(Text)),
            ("i + i + s", Some(Text)),
            ("g + s", Some(Text)),
            ("g", None),
            ("q", None),
            ("boxed", Some(Object)),
            ("x", Some(Object)),
            ("a[i]", Some(Number)),
            ("a.length", Some(Number)),
            ("s.charAt(i)", Some(Char)),
            ("s.substring(1).trim().length()", Some(Number)),
            ("q.toString()", Some(Text)),
            ("name()", Some(Text)),
            ("size(i)", None),
            ("unknown()", None),
            ("o.first()", Some(Char)),
            ("o.second()", None),
            ("Integer.toHexString(i)", Some(Text)),
            ("getClass().getName()", Some(Text)),
            ("(long) d", Some(Number)),
            ("(c)", Some(Char)),
            ("i < 3", Some(Boolean)),
            ("null", None),
            ("boxed + 1", None),
        ] {
            let file =
                SourceFile::parse("A.java", text.replace("USE", &format!("use({expression});")));
            let calls = pattern::descendants(file.tree.root_node()).into_iter();
            let mut calls = calls.filter_map(pattern::as_call);
            let call = calls.find(|call| file.text_of(call.name) == "use").unwrap();
            let sources = [other.clone()];
            assert_eq!(type_of(&sources, &file, call.arguments[0]), expected, "{expression}");
        }
    }
}
