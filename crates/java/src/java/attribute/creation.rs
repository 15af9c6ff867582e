//! Object creation: constructors, diamonds, anonymous classes.

use std::sync::Arc;

use super::names::Qualifier;
use super::{Attributor, Symbol};
use crate::java::candidates::CandidateMethod;
use crate::java::class::MethodInfo;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;
use crate::java::type_names::MISSING_CLASS_PREFIX;
use crate::java::types::Type;

impl Attributor<'_> {
    pub(super) fn creation(&mut self, node: NodeId, expected: Option<&Type>) -> Type {
        let tree = self.tree();
        let outer = tree.children(node).next().filter(|c| self.is_expression(*c));
        let outer = outer.map(|o| self.receiver(o));
        let Some(type_node) = tree.child(node, Field::Type) else { return Type::Unknown };
        let class = self.created_class(type_node, outer);
        let is_diamond = self.is_diamond(node);
        let arguments = tree.child(node, Field::Arguments);
        let class = match is_diamond {
            true => self.diamond(&class),
            false => class,
        };
        let expected = expected.filter(|_| is_diamond);
        let ty = self.construct(node, &class, arguments, expected);
        match tree.first_of_kind(node, Kind::ClassBody) {
            Some(body) => {
                let supertype = self.inference.final_type(&ty);
                self.anonymous_class(body, &supertype)
            }
            None => ty,
        }
    }

    /// Whether the creation leaves its type arguments to be inferred.
    pub(super) fn is_diamond(&self, node: NodeId) -> bool {
        let tree = self.tree();
        let generic = tree.child(node, Field::Type).filter(|t| tree.kind(*t) == Kind::GenericType);
        let arguments = generic.and_then(|t| tree.first_of_kind(t, Kind::TypeArguments));
        arguments.is_some_and(|a| tree.children(a).next().is_none())
    }

    /// Resolves the class after `new`; a member class of the type of `o` in `o.new C()`.
    fn created_class(&mut self, type_node: NodeId, outer: Option<Qualifier>) -> Type {
        let Some(Qualifier::Value(outer)) = outer else { return self.resolver.names.ty(type_node) };
        let tree = self.tree();
        let name = match tree.kind(type_node) {
            Kind::GenericType => tree.children(type_node).next().unwrap_or(type_node),
            _ => type_node,
        };
        let outer = self.resolver.upper_bound(&outer);
        let member =
            outer.class_name().and_then(|c| self.resolver.names.member_class(c, self.text(name)));
        let Some(member) = member else { return self.resolver.names.ty(type_node) };
        let own = tree.first_of_kind(type_node, Kind::TypeArguments);
        let mut args = own.map_or_else(Vec::new, |a| self.resolver.names.type_arguments(a, 0));
        let declaring = member.rsplit_once('$').map_or("", |(declaring, _)| declaring);
        if let Some(Type::Class(declaring)) = self.resolver.as_super(&outer, declaring) {
            args.extend(declaring.args.iter().cloned());
        }
        Type::generic(member, args)
    }

    /// Returns the class with inference variables as its type arguments.
    fn diamond(&mut self, class: &Type) -> Type {
        let info = class.class_name().and_then(|n| self.resolver.class(n));
        let Some(info) = info else { return class.clone() };
        let outer = match class {
            Type::Class(class) if !class.args.is_empty() => class.args.clone(),
            _ => self.resolver.names.outer_arguments(&info.name),
        };
        let own =
            self.inference.fresh_variables(&info.type_parameters).into_iter().map(|(_, ty)| ty);
        Type::generic(info.name.clone(), own.chain(outer).collect())
    }

    /// Resolves a constructor of `class` for the creation, enum constant or explicit call at
    /// `node`; returns the type of the new object.
    pub(super) fn construct(
        &mut self,
        node: NodeId,
        class: &Type,
        arguments: Option<NodeId>,
        expected: Option<&Type>,
    ) -> Type {
        let nodes = self.argument_nodes(arguments);
        let candidates = self.constructors(class, expected);
        // Constructors of inner library classes hide a parameter: no match is no harm,
        // for only the class counts.
        if let Some(instance) = self.resolve_call(&candidates, &nodes, &[], None) {
            self.set_callee(node, &instance.candidate.method);
        }
        self.set_symbol(node, self.constructor_symbol(class));
        class.clone()
    }

    /// Returns the constructors of `class`, after inferring its type arguments from `expected`.
    fn constructors(&mut self, class: &Type, expected: Option<&Type>) -> Vec<CandidateMethod> {
        if let Some(expected) = expected {
            let expected = self.inference.resolve_deep(expected);
            if !matches!(expected, Type::Primitive(_)) {
                self.inference.constrain(&self.resolver, class, &expected);
            }
        }
        let Type::Class(class_type) = class else { return Vec::new() };
        let Some(info) = self.resolver.class(&class_type.name) else { return Vec::new() };
        let (substitution, raw) = self.resolver.substitution(&info, class_type);
        let substitution = Arc::new(substitution);
        let candidate = |method: &Arc<MethodInfo>| CandidateMethod {
            method: method.clone(),
            substitution: substitution.clone(),
            raw,
        };
        info.methods_named("<init>").iter().map(candidate).collect()
    }

    fn constructor_symbol(&self, class: &Type) -> Symbol {
        let Some(name) = class.class_name() else { return Symbol::Unresolved };
        match self.resolver.class(name) {
            Some(info) if info.from_source => Symbol::Source,
            Some(info) => Symbol::Library(info.name.clone()),
            None if name.starts_with(MISSING_CLASS_PREFIX) => Symbol::Unresolved,
            None => Symbol::Library(name.clone()),
        }
    }
}
