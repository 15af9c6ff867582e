//! Names that a file declares, collected in one walk: enough to place probes without resolving
//! types.

use crate::java::fast_hash::{Map, Set};
use crate::java::{NodeId, SyntaxNode};

use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// Whether methods of one name return void, a value, or some of each.
#[derive(Debug, Clone, Copy, Default)]
struct MethodReturns {
    void: bool,
    value: bool,
}

/// Names declared in a file, with initialisers, return kinds and labels.
#[derive(Debug, Default)]
pub(crate) struct DeclaredNames<'t> {
    /// Fields, locals and parameters.
    variables: Set<&'t str>,
    /// Initialisers of all declarations of a variable of a name, if the variable is final and of a
    /// type that constants have.
    initialisers: Map<&'t str, Vec<Option<SyntaxNode<'t>>>>,
    methods: Map<&'t str, MethodReturns>,
    /// Outermost label of each statement, by the statement's id.
    labels: Map<NodeId, SyntaxNode<'t>>,
}

impl<'t> DeclaredNames<'t> {
    /// Collects the names in `file`.
    pub fn gather(file: &'t SourceFile) -> DeclaredNames<'t> {
        let mut facts = DeclaredNames::default();
        syntax::walk(file.tree.root_node(), |node, _| {
            facts.visit(file, node);
            true
        });
        facts
    }

    /// Whether some variable of the file is called `name`.
    pub fn is_variable(&self, name: &str) -> bool {
        self.variables.contains(name)
    }

    /// Iterates over the declarations of variables `name`: the initialiser of each, where it may
    /// make the variable a constant.
    pub fn initialisers(&self, name: &str) -> impl Iterator<Item = &Option<SyntaxNode<'t>>> {
        self.initialisers.get(name).into_iter().flatten()
    }

    /// Returns whether all methods called `name` in the file return void (`Some(true)`) or all a
    /// value (`Some(false)`).
    pub(crate) fn returns_void(&self, name: &str) -> Option<bool> {
        let returns = self.methods.get(name)?;
        (returns.void != returns.value).then_some(returns.void)
    }

    /// Returns the outermost label of a statement, or the statement itself.
    pub(crate) fn start_of(&self, statement: SyntaxNode<'t>) -> SyntaxNode<'t> {
        self.labels.get(&statement.id()).copied().unwrap_or(statement)
    }

    fn visit(&mut self, file: &'t SourceFile, node: SyntaxNode<'t>) {
        match node.kind() {
            kind::FIELD_DECLARATION | kind::LOCAL_VARIABLE_DECLARATION => {
                self.declaration(file, node);
            }
            kind::CONSTANT_DECLARATION => self.declaration(file, node),
            kind::FORMAL_PARAMETER
            | kind::CATCH_FORMAL_PARAMETER
            | kind::ENHANCED_FOR_STATEMENT
            | kind::RESOURCE => {
                if let Some(name) = syntax::field(node, field::NAME) {
                    self.variable(file.text_of(name), None);
                }
            }
            kind::SPREAD_PARAMETER => {
                let declarator = syntax::child_of_kind(node, kind::VARIABLE_DECLARATOR);
                let name = declarator.and_then(|d| syntax::field(d, field::NAME));
                name.into_iter().for_each(|name| self.variable(file.text_of(name), None));
            }
            kind::LAMBDA_EXPRESSION => self.lambda(file, node),
            kind::METHOD_DECLARATION => self.method(file, node),
            kind::LABELED_STATEMENT => {
                let label = self.start_of(node);
                if let Some(body) = syntax::children(node).get(2) {
                    self.labels.insert(body.id(), label);
                }
            }
            _ => {}
        }
    }

    fn variable(&mut self, name: &'t str, initialiser: Option<SyntaxNode<'t>>) {
        self.variables.insert(name);
        self.initialisers.entry(name).or_default().push(initialiser);
    }

    fn declaration(&mut self, file: &'t SourceFile, node: SyntaxNode<'t>) {
        let is_final = node.kind() == kind::CONSTANT_DECLARATION
            || syntax::has_modifier(node, "final", &file.text);
        let ty = syntax::field(node, field::TYPE);
        let has_constants = ty.is_some_and(|ty| {
            matches!(
                ty.kind(),
                kind::INTEGRAL_TYPE | kind::FLOATING_POINT_TYPE | kind::BOOLEAN_TYPE
            ) || matches!(file.text_of(ty), "String" | "var")
        });
        for declarator in syntax::fields(node, field::DECLARATOR) {
            let Some(name) = syntax::field(declarator, field::NAME) else { continue };
            let value = syntax::field(declarator, field::VALUE);
            let name = file.text_of(name);
            self.variable(name, value.filter(|_| is_final && has_constants));
        }
    }

    fn lambda(&mut self, file: &'t SourceFile, node: SyntaxNode<'t>) {
        let Some(parameters) = syntax::field(node, field::PARAMETERS) else { return };
        let names = match parameters.kind() {
            kind::IDENTIFIER => vec![parameters],
            _ => syntax::children_of_kind(parameters, kind::IDENTIFIER),
        };
        names.into_iter().for_each(|name| self.variable(file.text_of(name), None));
    }

    fn method(&mut self, file: &'t SourceFile, node: SyntaxNode<'t>) {
        let name = syntax::field(node, field::NAME);
        let (Some(name), Some(ty)) = (name, syntax::field(node, field::TYPE)) else { return };
        let returns = self.methods.entry(file.text_of(name)).or_default();
        match ty.kind() {
            kind::VOID_TYPE => returns.void = true,
            _ => returns.value = true,
        }
    }
}
