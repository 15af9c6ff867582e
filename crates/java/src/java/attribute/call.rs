//! Method calls and explicit constructor calls.

use super::arguments::ChosenMethod;
use super::names::Qualifier;
use super::{Attributor, Symbol};
use crate::java::candidates::CandidateMethod;
use crate::java::class::MethodInfo;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;
use crate::java::types::{Type, Wildcard, erase_type};

impl Attributor<'_> {
    pub(super) fn call(&mut self, node: NodeId, expected: Option<&Type>) -> Type {
        let tree = self.tree();
        let name = tree.child(node, Field::Name).map_or("", |n| self.text(n));
        let explicit = tree.child(node, Field::TypeArguments);
        let explicit = explicit.map_or_else(Vec::new, |t| self.resolver.names.type_arguments(t, 0));
        let (receiver, candidates) = self.callees(node, name);
        let nodes = self.argument_nodes(tree.child(node, Field::Arguments));
        let instance = self.resolve_call(&candidates, &nodes, &explicit, expected);
        let Some(instance) = instance else {
            self.set_symbol(node, Symbol::Unresolved);
            return Type::Unknown;
        };
        let is_array_clone = name == "clone" && receiver.element().is_some();
        let symbol = match is_array_clone {
            true => Symbol::Library("java.lang.Object".into()),
            false => symbol_of(&instance.candidate.method),
        };
        self.set_symbol(node, symbol);
        self.set_callee(node, &instance.candidate.method);
        self.call_type(&instance, &receiver)
    }

    /// Returns the receiver's type and the methods that the call may refer to.
    fn callees(&mut self, node: NodeId, name: &str) -> (Type, Vec<CandidateMethod>) {
        let tree = self.tree();
        let object = tree.child(node, Field::Object);
        let has_super =
            tree.first_of_kind(node, Kind::Super).is_some_and(|s| tree.field(s) != Field::Object);
        let receiver = match object {
            None => return self.callees_in_scope(name),
            // `Interface.super.m()`, `Outer.super.m()`
            Some(object) if has_super => self.qualified_super(object),
            Some(object) => match self.receiver(object) {
                Qualifier::Value(ty) | Qualifier::Type(ty) | Qualifier::Super(ty) => ty,
                Qualifier::Package(_) => Type::Unknown,
            },
        };
        let candidates = self.resolver.methods(&receiver, name);
        (receiver, candidates)
    }

    /// Finds the methods of an unqualified call: of the innermost class that has one, or imported.
    fn callees_in_scope(&self, name: &str) -> (Type, Vec<CandidateMethod>) {
        for class in self.classes.iter().rev() {
            if self.resolver.has_method(&class.name, name) {
                let this = class.this_type();
                let candidates = self.resolver.methods(&this, name);
                return (this, candidates);
            }
        }
        let imports = &self.file.imports;
        let view = &self.resolver.names.lookup;
        let single = imports.static_single.get(name).into_iter().flatten();
        let mut found = Vec::new();
        for class in single.chain(&imports.static_on_demand) {
            if let Some(class) = view.class_by_qualified_name(class) {
                let all = self.resolver.methods(&Type::class(class), name);
                found.extend(all.into_iter().filter(|c| c.method.is_static));
            }
        }
        (Type::Unknown, found)
    }

    fn qualified_super(&mut self, object: NodeId) -> Type {
        let ty = self.type_name(object);
        let Some(class) = ty.class_name().and_then(|n| self.resolver.class(n)) else {
            return Type::Unknown;
        };
        // A class around means its superclass; a superinterface means itself.
        let is_around = self.classes.iter().any(|c| c.name == class.name);
        if is_around && !class.is_interface {
            return class.superclass.clone().unwrap_or_default();
        }
        let this = self.this_class().map(|c| c.this_type()).unwrap_or_default();
        self.resolver.as_super(&this, &class.name).unwrap_or(ty)
    }

    /// Returns the type of a call's value.
    fn call_type(&self, instance: &ChosenMethod, receiver: &Type) -> Type {
        let method = &instance.candidate.method;
        if &*method.name == "getClass" && method.parameters.is_empty() {
            let bound = Wildcard::Extends(erase_type(&self.resolver.upper_bound(receiver)));
            return Type::generic("java.lang.Class", vec![Type::Wildcard(bound.into())]);
        }
        if &*method.name == "clone" && receiver.element().is_some() {
            return receiver.clone();
        }
        self.readable(&instance.returns)
    }

    pub(super) fn explicit_constructor_call(&mut self, node: NodeId) {
        let tree = self.tree();
        if let Some(object) = tree.child(node, Field::Object) {
            self.expression(object, None);
        }
        let is_this =
            tree.child(node, Field::Constructor).is_some_and(|c| tree.kind(c) == Kind::This);
        let class = match is_this {
            true => self.this_class().map(|c| c.this_type()).unwrap_or_default(),
            false => self.super_type(),
        };
        self.construct(node, &class, tree.child(node, Field::Arguments), None);
    }
}

/// Returns the symbol of a call of this method.
pub(super) fn symbol_of(method: &MethodInfo) -> Symbol {
    match (method.from_source, method.is_static) {
        (true, false) => Symbol::Source,
        (true, true) => Symbol::StaticSource,
        (false, _) => Symbol::Library(method.class.clone()),
    }
}
