//! Attribution (javac's phase of that name): the type of every expression and the symbol of
//! every name and call of one file. One walk over the pruned tree with the locals in scope, as a
//! compiler does it, without a JVM.

mod arguments;
mod bodies;
mod call;
mod creation;
mod expression;
mod inference;
mod lambda;
mod names;
mod operators;
mod patterns;
mod scope;
mod select;
mod statement;
mod switch;

use std::sync::Arc;

use memchr::memmem;

use super::class::{ClassInfo, MethodInfo};
use super::class_members::ClassMembers;
use super::file_unit::FileUnit;
use super::resolver::Resolver;
use super::source_class::class_type_scopes;
use super::syntax_tree::{NodeId, SyntaxTree};
use super::types::{Name, Type};
use crate::java::fast_hash::Map;
use inference::Inference;
use scope::{LocalVariable, Scope};

/// Referent of a name, access, call or creation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Symbol {
    /// No referent (a literal, an operator), or not visited.
    #[default]
    None,
    /// A local variable or parameter.
    Local,
    /// A field of an object.
    Field,
    /// A field of a class that is no constant.
    StaticField,
    /// A field that is a constant variable.
    ConstantField,
    /// The length of an array.
    Length,
    /// A type.
    Type,
    /// A package.
    Package,
    /// A method of an object, or a constructor, of the analysed sources.
    Source,
    /// A method of a class of the analysed sources.
    StaticSource,
    /// A method or constructor of this class outside of them.
    Library(Name),
    /// A name that was not found.
    Unresolved,
}

/// Types, symbols and constancy of the nodes of one file.
#[derive(Debug, Clone)]
pub(crate) struct AttributedFacts {
    types: Vec<Type>,
    constants: Vec<bool>,
    symbols: Vec<Symbol>,
    visited: Vec<bool>,
    callees: Map<NodeId, Arc<MethodInfo>>,
}

impl AttributedFacts {
    fn of(tree: &SyntaxTree) -> AttributedFacts {
        let nodes = tree.len();
        AttributedFacts {
            types: vec![Type::Unknown; nodes],
            constants: vec![false; nodes],
            symbols: vec![Symbol::None; nodes],
            visited: vec![false; nodes],
            callees: Map::default(),
        }
    }

    /// Returns the type of an expression, of a declared variable (at its name), of the value of a
    /// `return` (at the statement), of a cast (at its type).
    pub fn ty(&self, node: NodeId) -> &Type {
        &self.types[node.0 as usize]
    }

    /// Whether a node is a constant expression (JLS 15.29) or a constant variable's name.
    pub fn is_constant(&self, node: NodeId) -> bool {
        self.constants[node.0 as usize]
    }

    /// Returns the referent of a node.
    pub fn symbol(&self, node: NodeId) -> &Symbol {
        &self.symbols[node.0 as usize]
    }

    /// Returns the method or constructor of the sources that a call or creation names, before any
    /// dispatch; `None` where it is not found.
    pub fn callee(&self, node: NodeId) -> Option<&Arc<MethodInfo>> {
        self.callees.get(&node)
    }

    /// Whether attribution visited a node (false if nested too deep).
    pub(crate) fn is_visited(&self, node: NodeId) -> bool {
        self.visited[node.0 as usize]
    }
}

/// Deepest nesting of expressions and statements that is followed. The walk recurses;
/// callers run it on threads with [`STACK_BYTES`] of stack.
pub(crate) const DEPTH_MAX: u32 = 3000;

/// Stack that a thread needs to attribute a file nested [`DEPTH_MAX`] deep.
pub(crate) const STACK_BYTES: usize = 128 << 20;

/// Attributes all of `file`; returns a resolver with its local classes, too.
pub(crate) fn attribute<'w>(
    classes: &'w ClassMembers<'w>,
    file: &'w FileUnit<'w>,
) -> (AttributedFacts, Resolver<'w>) {
    let mut attributor = Attributor {
        resolver: Resolver::new(classes, file),
        file,
        facts: AttributedFacts::of(&file.tree),
        scope: Scope::default(),
        classes: Vec::new(),
        bodies: Vec::new(),
        inference: Inference::default(),
        depth: 0,
        retries: 0,
        tests: memmem::find_iter(file.source.text.as_bytes(), "instanceof").collect(),
    };
    attributor.file();
    attributor.finish()
}

/// Body of a method, lambda or switch with the target type of its `return` or `yield` values.
struct BodyContext {
    returns: Type,
    /// Types of the values so far.
    values: Vec<Type>,
}

struct Attributor<'w> {
    resolver: Resolver<'w>,
    file: &'w FileUnit<'w>,
    facts: AttributedFacts,
    scope: Scope<'w>,
    /// Enclosing classes, outermost first.
    classes: Vec<Arc<ClassInfo>>,
    bodies: Vec<BodyContext>,
    inference: Inference,
    depth: u32,
    /// Number of enclosing calls that will be attributed again.
    retries: u32,
    /// Ascending byte offsets of the word `instanceof` in the text.
    tests: Vec<usize>,
}

impl<'w> Attributor<'w> {
    fn tree(&self) -> &'w SyntaxTree {
        &self.file.tree
    }

    fn text(&self, node: NodeId) -> &'w str {
        self.file.text(node)
    }

    fn set_type(&mut self, node: NodeId, ty: Type) {
        self.facts.visited[node.0 as usize] = true;
        self.facts.types[node.0 as usize] = ty;
    }

    fn set_symbol(&mut self, node: NodeId, symbol: Symbol) {
        self.facts.symbols[node.0 as usize] = symbol;
    }

    /// Records the method that `node` calls, if it is one of the sources.
    fn set_callee(&mut self, node: NodeId, method: &Arc<MethodInfo>) {
        if method.from_source {
            self.facts.callees.insert(node, method.clone());
        }
    }

    fn set_constant(&mut self, node: NodeId, constant: bool) {
        self.facts.constants[node.0 as usize] = constant;
    }

    fn file(&mut self) {
        for (index, class) in self.file.classes.iter().enumerate() {
            if class.outer.is_none() {
                self.member_class(index);
            }
        }
    }

    /// Runs `walk` with `class` as the innermost enclosing class.
    fn walk_in_class(&mut self, class: Arc<ClassInfo>, walk: impl FnOnce(&mut Self)) {
        let levels = self.resolver.names.levels.len();
        self.resolver.names.levels.extend(class_type_scopes(&class));
        self.classes.push(class);
        walk(self);
        self.classes.pop();
        self.resolver.names.levels.truncate(levels);
    }

    fn this_class(&self) -> Option<&Arc<ClassInfo>> {
        self.classes.last()
    }

    fn declare(&mut self, name: NodeId, ty: Type, constant: bool) {
        let local = LocalVariable { ty: ty.clone(), constant, class_depth: self.classes.len() };
        self.set_type(name, ty);
        self.set_constant(name, constant);
        self.scope.declare(self.text(name), local);
    }

    /// Replaces inference variables in all types by their final values.
    fn finish(mut self) -> (AttributedFacts, Resolver<'w>) {
        for ty in &mut self.facts.types {
            if matches!(ty, Type::Infer(_)) {
                *ty = self.inference.final_type(ty);
            }
        }
        (self.facts, self.resolver)
    }
}
