//! Recognition of constant variables (JLS 4.12.4, 15.29), without their values: no count depends
//! on a constant's value.

use super::class::Constancy;
use super::file_unit::FileUnit;
use super::kinds::{Field, Kind};
use super::members::FoundField;
use super::resolver::Resolver;
use super::syntax_tree::NodeId;
use super::type_names::TypeScope;
use super::types::{Name, Type};

/// Longest chain of constants that is followed: so long that the order of evaluation makes no
/// difference for code that people or their programs write.
const DEPTH_MAX: u32 = 2000;

/// Whether `found` is a constant variable. The resolver is that of the file that uses it, with
/// local classes.
pub(crate) fn is_constant(resolver: &Resolver<'_>, found: &FoundField) -> bool {
    is_constant_at(resolver, found, 0)
}

fn is_constant_at(resolver: &Resolver<'_>, found: &FoundField, depth: u32) -> bool {
    let node = match found.field.constancy {
        Constancy::No => return false,
        Constancy::Yes => return true,
        Constancy::If(node) => node,
    };
    let key = (found.class.name.clone(), found.name.clone());
    if let Some(constant) = resolver.known_constant(&key) {
        return constant;
    }
    if depth > DEPTH_MAX {
        return false;
    }
    let class = &found.class.name;
    let file = resolver.names.lookup.file_of(class).unwrap_or(resolver.names.file);
    let mut declaring = resolver.of_other_file(file);
    declaring.names.levels = levels_around(class);
    let constant = ConstancyCheck { resolver: &declaring, class, depth }.node(node);
    resolver.keep_constant(key, constant);
    constant
}

/// Returns the scopes of the classes around a member class, by its binary name, and its own.
fn levels_around(class: &Name) -> Vec<TypeScope> {
    let ends = class.match_indices('$').map(|(at, _)| at).chain([class.len()]);
    ends.map(|end| TypeScope::Class(class[..end].into())).collect()
}

struct ConstancyCheck<'a, 'w> {
    resolver: &'a Resolver<'w>,
    class: &'a Name,
    depth: u32,
}

impl ConstancyCheck<'_, '_> {
    fn node(&self, node: NodeId) -> bool {
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            if !self.step(node, &mut todo) {
                return false;
            }
        }
        true
    }

    /// Whether `node` may be constant; operands that must be constant too go on `todo`.
    fn step(&self, node: NodeId, todo: &mut Vec<NodeId>) -> bool {
        let file = self.resolver.names.file;
        let tree = &file.tree;
        let kind = tree.kind(node);
        match kind {
            _ if is_constant_literal(kind) => return true,
            Kind::Identifier => return self.simple_name(file.text(node)),
            Kind::FieldAccess => return self.qualified_name(node),
            Kind::Cast => {
                let constant_type = tree.child(node, Field::Type).is_some_and(|t| {
                    let ty = self.resolver.names.ty(t);
                    ty.primitive().is_some() || ty.is_string()
                });
                todo.extend(tree.child(node, Field::Value));
                return constant_type;
            }
            Kind::Parenthesized | Kind::Unary | Kind::Binary | Kind::Ternary => {}
            _ => return false,
        }
        if divides_by_zero(file, node) {
            return false;
        }
        todo.extend(tree.children(node).filter(|c| tree.field(*c) != Field::Operator));
        true
    }

    fn simple_name(&self, name: &str) -> bool {
        let around = levels_around(self.class);
        let found = around.iter().rev().find_map(|level| match level {
            TypeScope::Class(class) => self.resolver.field(&Type::class(class.clone()), name),
            _ => None,
        });
        found
            .or_else(|| statically_imported_field(self.resolver, name))
            .is_some_and(|f| self.is_constant(&f))
    }

    fn qualified_name(&self, node: NodeId) -> bool {
        let file = self.resolver.names.file;
        let mut names: Vec<&str> = file.text(node).split('.').map(str::trim).collect();
        let plain = |n: &&str| n.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
        let Some(name) = names.pop().filter(|n| plain(n) && names.iter().all(plain)) else {
            return false;
        };
        let class = self.resolver.names.class_by_parts(&names).map(Type::class);
        class.and_then(|c| self.resolver.field(&c, name)).is_some_and(|f| self.is_constant(&f))
    }

    fn is_constant(&self, found: &FoundField) -> bool {
        is_constant_at(self.resolver, found, self.depth + 1)
    }
}

/// Whether a kind of node is a literal other than `null`.
pub(crate) fn is_constant_literal(kind: Kind) -> bool {
    let is_value = kind.is_literal() && !matches!(kind, Kind::NullLiteral | Kind::ClassLiteral);
    is_value || matches!(kind, Kind::True | Kind::False)
}

/// Whether a node is `x / 0` or `x % 0`, which complete abruptly and so are no constants.
pub(crate) fn divides_by_zero(file: &FileUnit<'_>, binary: NodeId) -> bool {
    let tree = &file.tree;
    let operator = tree.child(binary, Field::Operator).map(|o| tree.kind(o));
    matches!(operator, Some(Kind::Divide | Kind::Remainder))
        && tree.child(binary, Field::Right).is_some_and(|r| file.text(r) == "0")
}

/// Finds the field that a static import brings in under this name.
pub(crate) fn statically_imported_field(resolver: &Resolver<'_>, name: &str) -> Option<FoundField> {
    let imports = &resolver.names.file.imports;
    let single = imports.static_single.get(name).into_iter().flatten();
    single.chain(&imports.static_on_demand).find_map(|class| {
        let class = resolver.names.lookup.class_by_qualified_name(class)?;
        resolver.field(&Type::class(class), name)
    })
}
