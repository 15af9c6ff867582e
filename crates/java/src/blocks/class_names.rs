//! Binary names of all classes of a file, numbered as javac numbers them.
//!
//! javac names a local or anonymous class when it attributes it, and counts per
//! enclosing class (JLS 13.1 leaves the order open; this is `Check.localClassName`
//! and `Attr.attribArgs`): members in source order; the arguments of a call before
//! its receiver; among arguments the stand-alone ones before those whose type
//! depends on the call (calls, lambdas, method references, diamonds, parentheses,
//! conditionals).

use std::collections::HashMap;

use crate::java::{NodeId, SyntaxNode};

use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// Binary names of classes, with package, by the node id of the class's body.
pub type ClassNames = HashMap<NodeId, String>;

/// Longest name of a unit or class in bytes. Names of nested lambdas and classes contain those of
/// all around them; beyond this length code is left out, with a finding.
pub(super) const LONGEST_NAME: usize = 4096;

/// Returns the binary names of all classes of `file`, by the id of their body's node.
pub fn class_names(file: &SourceFile) -> ClassNames {
    let mut namer =
        ClassNamer { file, classes: Vec::new(), names: ClassNames::new(), todo: Vec::new() };
    let root = file.tree.root_node();
    let package = package_prefix(file, root);
    for child in syntax::children(root).into_iter().rev() {
        namer.todo.push(PendingNode { node: child, enclosing: None, member: false });
    }
    while let Some(visit) = namer.todo.pop() {
        namer.visit(visit, &package);
    }
    namer.names
}

/// Returns `a.b.` for a file in package `a.b`, an empty text for the unnamed package.
pub(crate) fn package_prefix(file: &SourceFile, root: SyntaxNode<'_>) -> String {
    let Some(declaration) = syntax::child_of_kind(root, kind::PACKAGE_DECLARATION) else {
        return String::new();
    };
    let name = syntax::named_children(declaration).into_iter().rfind(|child| {
        !matches!(syntax::kind_of(child), kind::ANNOTATION | kind::MARKER_ANNOTATION)
    });
    name.map_or_else(String::new, |name| compact(file.text_of(name)) + ".")
}

/// Removes white space from `text`.
fn compact(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[derive(Clone, Copy)]
struct PendingNode<'t> {
    node: SyntaxNode<'t>,
    /// Index into [`ClassNamer::classes`]; none outside of all classes.
    enclosing: Option<usize>,
    /// Whether the node is directly in the body of `enclosing`.
    member: bool,
}

/// Class whose body is being visited.
struct EnclosingClass {
    name: String,
    /// Number of local classes so far, by simple name ("" for anonymous ones).
    locals: HashMap<String, u32>,
}

struct ClassNamer<'f, 't> {
    file: &'f SourceFile,
    classes: Vec<EnclosingClass>,
    names: ClassNames,
    todo: Vec<PendingNode<'t>>,
}

impl<'t> ClassNamer<'_, 't> {
    fn visit(&mut self, visit: PendingNode<'t>, package: &str) {
        let PendingNode { node, enclosing, member: _ } = visit;
        if !node.may_hold_bodies() {
            return;
        }
        match syntax::kind_of(node) {
            _ if syntax::is_type_declaration(node) => self.declaration(visit, package),
            kind::CLASS_BODY => self.anonymous(node, enclosing),
            kind::OBJECT_CREATION_EXPRESSION | kind::ENUM_CONSTANT => {
                self.creation(node, enclosing)
            }
            kind::METHOD_INVOCATION | kind::EXPLICIT_CONSTRUCTOR_INVOCATION => {
                let object = syntax::field(node, field::OBJECT);
                let arguments = syntax::field(node, field::ARGUMENTS);
                self.push_all(object, enclosing);
                self.push_all(arguments, enclosing);
            }
            kind::ARGUMENT_LIST => {
                let (later, first): (Vec<_>, Vec<_>) =
                    syntax::named_children(node).into_iter().partition(|n| self.is_deferred(*n));
                self.push_all(first.into_iter().chain(later).collect::<Vec<_>>(), enclosing);
            }
            _ => self.push_all(syntax::named_children(node), enclosing),
        }
    }

    /// Pushes `nodes` so that they are visited in their order.
    fn push_all<I>(&mut self, nodes: I, enclosing: Option<usize>)
    where
        I: IntoIterator<Item = SyntaxNode<'t>>,
        I::IntoIter: DoubleEndedIterator,
    {
        self.todo.extend(nodes.into_iter().rev().map(|node| PendingNode {
            node,
            enclosing,
            member: false,
        }));
    }

    fn declaration(&mut self, visit: PendingNode<'t>, package: &str) {
        let PendingNode { node, enclosing, member } = visit;
        let (Some(name), Some(body)) =
            (syntax::field(node, field::NAME), syntax::field(node, field::BODY))
        else {
            return;
        };
        let simple = self.file.text_of(name);
        let binary = match enclosing {
            None => format!("{package}{simple}"),
            Some(outer) if member => format!("{}${simple}", self.classes[outer].name),
            Some(outer) => self.local_name(outer, simple),
        };
        self.enter(body, binary);
    }

    fn local_name(&mut self, outer: usize, simple: &str) -> String {
        let outer = &mut self.classes[outer];
        let count = outer.locals.entry(simple.to_owned()).or_insert(0);
        *count += 1;
        format!("{}${count}{simple}", outer.name)
    }

    /// Names the class of `body` and visits its members.
    fn enter(&mut self, body: SyntaxNode<'t>, binary: String) {
        self.names.insert(body.id(), binary.clone());
        if binary.len() > LONGEST_NAME {
            return;
        }
        let index = self.classes.len();
        self.classes.push(EnclosingClass { name: binary, locals: HashMap::new() });
        let members = syntax::members(body).into_iter().rev();
        self.todo.extend(members.map(|node| PendingNode {
            node,
            enclosing: Some(index),
            member: true,
        }));
    }

    /// Visits `new C(...) { }` or an enum constant: the body's class is named once the constructor
    /// is found, and before the arguments that are deferred until then.
    fn creation(&mut self, node: SyntaxNode<'t>, enclosing: Option<usize>) {
        let (bodies, rest): (Vec<_>, Vec<_>) = syntax::named_children(node)
            .into_iter()
            .partition(|child| syntax::kind_of(child) == kind::CLASS_BODY);
        if bodies.is_empty() {
            return self.push_all(rest, enclosing);
        }
        let (arguments, rest): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|child| syntax::kind_of(child) == kind::ARGUMENT_LIST);
        let arguments = arguments.into_iter().flat_map(syntax::named_children);
        let (later, first): (Vec<_>, Vec<_>) = arguments.partition(|n| self.is_deferred(*n));
        let order = rest.into_iter().chain(first).chain(bodies).chain(later);
        self.push_all(order.collect::<Vec<_>>(), enclosing);
    }

    fn anonymous(&mut self, body: SyntaxNode<'t>, enclosing: Option<usize>) {
        if let Some(outer) = enclosing {
            let binary = self.local_name(outer, "");
            self.enter(body, binary);
        }
    }

    /// Whether javac attributes this argument only after the call is resolved.
    fn is_deferred(&self, argument: SyntaxNode<'t>) -> bool {
        match syntax::kind_of(argument) {
            kind::LAMBDA_EXPRESSION
            | kind::METHOD_REFERENCE
            | kind::PARENTHESIZED_EXPRESSION
            | kind::TERNARY_EXPRESSION
            | kind::SWITCH_EXPRESSION => true,
            kind::METHOD_INVOCATION => syntax::field(argument, field::TYPE_ARGUMENTS).is_none(),
            kind::OBJECT_CREATION_EXPRESSION => is_diamond(argument),
            _ => false,
        }
    }
}

fn is_diamond(creation: SyntaxNode<'_>) -> bool {
    syntax::field(creation, field::TYPE)
        .filter(|ty| syntax::kind_of(ty) == kind::GENERIC_TYPE)
        .and_then(|ty| syntax::child_of_kind(ty, kind::TYPE_ARGUMENTS))
        .is_some_and(|arguments| syntax::named_children(arguments).is_empty())
}
