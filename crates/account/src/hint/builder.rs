//! Analysis of StringBuilder and StringBuffer: expressions that are a builder, uses of a local
//! builder, and whether it leaves its method.

use crate::hint::pattern::{self, NameKind, simple_type};
use crate::java::{SourceFile, SyntaxNode};

/// Methods of both classes that return the builder itself.
const ITSELF: [&str; 7] =
    ["append", "appendCodePoint", "delete", "deleteCharAt", "insert", "replace", "reverse"];

/// Methods of both classes that return something else and keep no reference to the builder.
const OTHERS: [&str; 17] = [
    "capacity",
    "charAt",
    "codePointAt",
    "codePointBefore",
    "codePointCount",
    "ensureCapacity",
    "getChars",
    "indexOf",
    "isEmpty",
    "lastIndexOf",
    "length",
    "offsetByCodePoints",
    "setCharAt",
    "setLength",
    "substring",
    "toString",
    "trimToSize",
];

/// Whether a declared type is StringBuilder or StringBuffer.
pub(crate) fn is_builder_type(type_text: &str) -> bool {
    matches!(simple_type(type_text).as_str(), "StringBuilder" | "StringBuffer")
}

/// The builder variable that an expression or chain of calls returns: `b` of
/// `b.append(x).reverse()`. `None` where the file does not show that it is a builder.
pub(crate) fn variable_of<'t>(
    file: &SourceFile,
    expression: SyntaxNode<'t>,
) -> Option<SyntaxNode<'t>> {
    let mut node = pattern::without_parentheses(expression);
    while let Some(call) = pattern::as_call(node) {
        if !ITSELF.contains(&file.text_of(call.name)) {
            return None;
        }
        node = pattern::without_parentheses(call.object?);
    }
    let declared = pattern::declaration_of(file, node)?;
    is_builder_type(&declared.type_text).then_some(node)
}

/// A local builder: its declaration and all its uses.
pub(crate) struct LocalBuilder<'t> {
    /// The declarator.
    pub declarator: SyntaxNode<'t>,
    /// Its name.
    pub name: SyntaxNode<'t>,
    /// Declared type.
    pub ty: SyntaxNode<'t>,
    /// Types of the creations assigned to it.
    pub created: Vec<SyntaxNode<'t>>,
    /// Names of the methods called on it, in chains too.
    pub calls: Vec<SyntaxNode<'t>>,
    /// Whether the builder is used in any other way: passed on, stored, compared, captured. Being
    /// returned does not count.
    pub is_shared: bool,
    /// Whether the method returns it.
    pub is_returned: bool,
}

/// Analyses the local builder of a declaration with a single variable.
pub fn local_builder<'t>(
    file: &SourceFile,
    declaration: SyntaxNode<'t>,
) -> Option<LocalBuilder<'t>> {
    let locals = pattern::as_locals(declaration);
    let [(ty, name, value)] = locals.as_slice() else { return None };
    let declarator = name.parent()?;
    if !is_builder_type(file.text_of(*ty)) {
        return None;
    }
    let mut builder = LocalBuilder {
        declarator,
        name: *name,
        ty: *ty,
        created: Vec::new(),
        calls: Vec::new(),
        is_shared: false,
        is_returned: false,
    };
    if let Some(value) = value {
        builder.record_value(file, *value);
    }
    for node in pattern::descendants(pattern::enclosing_unit(declaration)) {
        if !pattern::is_variable(node) || file.text_of(node) != file.text_of(*name) {
            continue;
        }
        match pattern::declaration_of(file, node) {
            Some(found) if found.node == declarator => builder.record_use(file, node),
            Some(_) => {}
            // Perhaps captured by a class within the method.
            None => builder.is_shared = true,
        }
    }
    Some(builder)
}

/// Analyses the local builder that a variable refers to.
pub(crate) fn local_builder_of<'t>(
    file: &SourceFile,
    variable: SyntaxNode<'t>,
) -> Option<LocalBuilder<'t>> {
    let declared = pattern::declaration_of(file, variable)?;
    let is_local = declared.place == NameKind::Local;
    is_local.then(|| declared.node.parent()).flatten().and_then(|found| local_builder(file, found))
}

impl<'t> LocalBuilder<'t> {
    /// Records an assigned value: a new object of a builder class, or null.
    fn record_value(&mut self, file: &SourceFile, value: SyntaxNode<'t>) {
        let value = pattern::without_parentheses(value);
        let made = pattern::as_creation(value).filter(|made| !made.is_array && !made.is_anonymous);
        match made {
            Some(made)
                if simple_type(file.text_of(made.ty)) == simple_type(file.text_of(self.ty)) =>
            {
                self.created.push(made.ty);
            }
            _ => self.is_shared |= !pattern::is_null(value),
        }
    }

    /// Records one use of its name.
    fn record_use(&mut self, file: &SourceFile, variable: SyntaxNode<'t>) {
        let body = pattern::innermost_code;
        self.is_shared |= body(variable) != body(self.declarator);
        let Some(parent) = variable.parent() else { return };
        if let Some((left, right)) = pattern::as_assignment(file, parent)
            && left == variable
            && pattern::is_statement_of(parent)
        {
            return self.record_value(file, right);
        }
        if let Some((left, right)) = pattern::as_binary(file, parent, &["==", "!="])
            && (pattern::is_null(left) || pattern::is_null(right))
        {
            return;
        }
        self.record_chain(file, variable);
    }

    /// Records a chain of calls on it, and the use of the last one's value.
    fn record_chain(&mut self, file: &SourceFile, variable: SyntaxNode<'t>) {
        let mut node = pattern::with_all_parentheses(variable);
        while let Some(parent) = node.parent() {
            let call = pattern::as_call(parent).filter(|call| call.object == Some(node));
            let Some(call) = call else { break };
            let name = file.text_of(call.name);
            self.calls.push(call.name);
            if OTHERS.contains(&name) {
                return;
            }
            if !ITSELF.contains(&name) {
                break;
            }
            node = pattern::with_all_parentheses(parent);
            if pattern::is_statement_of(parent) {
                return;
            }
        }
        match node.parent().is_some_and(pattern::is_return) {
            true => self.is_returned = true,
            false => self.is_shared = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (shared, returned, creations, calls) of the first local builder of a method body.
    fn first(body: &str) -> (bool, bool, usize, usize) {
        let text = format!("class A {{ StringBuffer f; Object m(String x) {{ {body} }} }}");
        let file = SourceFile::parse("A.java", text);
        let all = pattern::descendants(file.tree.root_node());
        let found = all.into_iter().find_map(|node| local_builder(&file, node)).unwrap();
        (found.is_shared, found.is_returned, found.created.len(), found.calls.len())
    }

    #[test]
    fn a_builder_that_only_receives_calls_stays() {
        let made = "StringBuffer b = new StringBuffer(9);";
        for (body, creations, calls) in [
            ("b.append(x).append(1); return b.toString();", 1, 3),
            ("(b.append(x)).reverse(); if (b.length() > 0) b.setLength(0); return null;", 1, 4),
            ("b = new StringBuffer(); return b.append(b.length()).toString();", 2, 3),
            ("if (b != null) b.insert(0, 'x'); return null;", 1, 1),
        ] {
            let found = first(&format!("{made} {body}"));
            assert_eq!(found, (false, false, creations, calls), "{body}");
        }
        assert!(!first("StringBuffer b = null; b = new StringBuffer(); return null;").0);
        assert_eq!(first(&format!("{made} return b.append(x);")), (false, true, 1, 1));
    }

    #[test]
    fn a_builder_that_is_handed_on_is_shared() {
        for body in [
            "use(b); return null;",
            "f = b; return null;",
            "use(b.append(x)); return null;",
            "StringBuffer c = b; return null;",
            "Runnable r = () -> b.append(x); return null;",
            "new Object() { void n() { b.append(x); } }; return null;",
            "m.appendReplacement(b, x); return null;",
            "synchronized (b) { b.append(x); } return null;",
            "b.getClass(); return null;",
            "return x + b;",
            "b = f; return null;",
            "use(b == f); return null;",
        ] {
            assert!(first(&format!("StringBuffer b = new StringBuffer(); {body}")).0, "{body}");
        }
        assert!(first("StringBuffer b = f; return b.toString();").0);
    }

    #[test]
    fn chains_lead_to_their_variable() {
        let text = "class A { void m(StringBuilder b, Foo o) {
            b.append(1).append(2).append(3); o.append(4).append(5); this.f.append(6); }
            StringBuffer f; }";
        let file = SourceFile::parse("A.java", text);
        let calls = pattern::descendants(file.tree.root_node()).into_iter();
        let calls = calls.filter_map(pattern::as_call);
        let found: Vec<bool> =
            calls.map(|call| variable_of(&file, call.object.unwrap()).is_some()).collect();
        assert_eq!(found, [true, true, true, false, false, true]);
    }
}
