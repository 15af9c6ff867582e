//! Types of lambdas and method references, from the functional interface of their target.

use super::names::Qualifier;
use super::select::{Argument, LambdaShape};
use super::{Attributor, BodyContext, Symbol};
use crate::java::candidates::CandidateMethod;
use crate::java::kinds::{Field, Kind};
use crate::java::source_class;
use crate::java::syntax_tree::NodeId;
use crate::java::types::{Type, Wildcard, substitute_variables};

/// Parameter and result types of a functional interface's method.
struct FunctionType {
    parameters: Vec<Type>,
    returns: Type,
}

impl Attributor<'_> {
    /// Attributes a lambda for the functional interface `target`; returns its type.
    pub(super) fn lambda(&mut self, node: NodeId, target: &Type) -> Type {
        let tree = self.tree();
        let target = self.inference.resolve_shallow(target);
        let function = self.function_type(&target);
        let mark = self.scope.mark();
        self.lambda_parameters(node, function.as_ref());
        let returns = function.map_or(Type::Unknown, |f| f.returns);
        self.bodies.push(BodyContext { returns: returns.clone(), values: Vec::new() });
        if let Some(body) = tree.child(node, Field::Body) {
            if tree.kind(body) == Kind::Block {
                self.statement(body);
            } else {
                let expected = Some(&returns).filter(|t| !matches!(t, Type::Void | Type::Unknown));
                let ty = self.expression(body, expected);
                if let Some(context) = self.bodies.last_mut() {
                    context.values.push(ty);
                }
            }
        }
        let values = self.bodies.pop().map_or_else(Vec::new, |b| b.values);
        for value in values {
            if !matches!(returns, Type::Void | Type::Unknown) && value != Type::Void {
                self.inference.constrain(&self.resolver, &value, &returns);
            }
        }
        self.scope.release(mark);
        target
    }

    fn lambda_parameters(&mut self, node: NodeId, function: Option<&FunctionType>) {
        let tree = self.tree();
        let Some(list) = tree.child(node, Field::Parameters) else { return };
        let asked = |index: usize| function.and_then(|f| f.parameters.get(index)).cloned();
        match tree.kind(list) {
            Kind::Identifier => self.implicit_parameter(list, asked(0)),
            Kind::InferredParameters => {
                for (index, name) in tree.children(list).enumerate() {
                    self.implicit_parameter(name, asked(index));
                }
            }
            _ => {
                let (parameters, _) = source_class::formal_parameters(&self.resolver.names, node);
                let nodes = tree.children(list).filter_map(|p| tree.child(p, Field::Type));
                let is_var: Vec<bool> = nodes.map(|t| self.declared_type(t).is_none()).collect();
                for (index, (name, ty)) in parameters.into_iter().enumerate() {
                    let Some(name) = name else { continue };
                    if is_var.get(index) == Some(&true) {
                        self.implicit_parameter(name, asked(index));
                        continue;
                    }
                    if let Some(asked) = asked(index) {
                        self.inference.equate(&asked, &ty, 0);
                    }
                    self.declare(name, ty, false);
                }
            }
        }
    }

    /// Infers type arguments of a lambda's target from its written parameter types.
    pub(super) fn written_parameters(&mut self, node: NodeId, target: &Type) {
        let tree = self.tree();
        let Some(list) = tree.child(node, Field::Parameters) else { return };
        if tree.kind(list) != Kind::FormalParameters {
            return;
        }
        let nodes = tree.children(list).filter_map(|p| tree.child(p, Field::Type));
        let is_written: Vec<bool> = nodes.map(|t| self.declared_type(t).is_some()).collect();
        let Some(function) = self.function_type(&self.inference.resolve_shallow(target)) else {
            return;
        };
        let (parameters, _) = source_class::formal_parameters(&self.resolver.names, node);
        let pairs = function.parameters.iter().zip(parameters).zip(is_written);
        for ((asked, (_, ty)), _) in pairs.filter(|(_, written)| *written) {
            self.inference.equate(asked, &ty, 0);
        }
    }

    /// Whether the parameter types of `target`'s function are known, or `node` does not need them.
    pub(super) fn is_ready(&self, node: NodeId, target: &Type) -> bool {
        match self.tree().kind(node) {
            Kind::Lambda if self.lambda_shape(node).parameters == 0 => return true,
            Kind::Call | Kind::Creation => return !self.inference.is_open(target),
            _ => {}
        }
        let function = self.function_type(&self.inference.resolve_shallow(target));
        function.is_none_or(|f| !f.parameters.iter().any(|p| self.inference.is_open(p)))
    }

    fn implicit_parameter(&mut self, name: NodeId, ty: Option<Type>) {
        let ty = ty.map_or(Type::Unknown, |t| self.inference.resolve_deep(&t));
        self.declare(name, ty, false);
    }

    /// Returns the function type of the functional interface `target`, wildcards replaced by
    /// bounds.
    fn function_type(&self, target: &Type) -> Option<FunctionType> {
        let target = match target {
            Type::Wildcard(_) => self.resolver.upper_bound(target),
            other => other.clone(),
        };
        let target = self.without_wildcards(&target);
        let CandidateMethod { method, substitution, .. } =
            self.resolver.functional_method(&target)?;
        let put_in = |ty: &Type| substitute_variables(ty, &substitution);
        let parameters = method.parameters.iter().map(put_in).collect();
        Some(FunctionType { parameters, returns: put_in(&method.returns) })
    }

    /// Replaces wildcards by their bounds (JLS 9.9): `Function<? super T, ? extends R>` is for a
    /// function from T to R.
    fn without_wildcards(&self, ty: &Type) -> Type {
        let Type::Class(class) = ty else { return ty.clone() };
        let bounds = self.resolver.class(&class.name);
        let args = class.args.iter().enumerate().map(|(index, argument)| match argument {
            Type::Wildcard(wildcard) => match &**wildcard {
                Wildcard::Extends(bound) | Wildcard::Super(bound) => bound.clone(),
                Wildcard::Any => bounds
                    .as_ref()
                    .and_then(|c| c.type_parameters.get(index)?.bounds.first().cloned())
                    .unwrap_or_else(Type::object),
            },
            other => other.clone(),
        });
        Type::generic(class.name.clone(), args.collect())
    }

    /// Returns the shape of a lambda that overload resolution uses before types are known.
    pub(super) fn lambda_shape(&self, node: NodeId) -> LambdaShape {
        let tree = self.tree();
        let parameters =
            tree.child(node, Field::Parameters).map_or(0, |list| match tree.kind(list) {
                Kind::Identifier => 1,
                _ => {
                    tree.children(list).filter(|c| tree.kind(*c) != Kind::ReceiverParameter).count()
                }
            });
        let Some(body) = tree.child(node, Field::Body) else {
            return LambdaShape { parameters, may_be_void: true, may_have_value: true };
        };
        if tree.kind(body) != Kind::Block {
            let is_statement = matches!(
                tree.kind(body),
                Kind::Call | Kind::Creation | Kind::Assignment | Kind::Update
            );
            return LambdaShape { parameters, may_be_void: is_statement, may_have_value: true };
        }
        let has_value = self.returns_value(body);
        let may_have_value = has_value || !self.file.can_complete(body);
        LambdaShape { parameters, may_be_void: !has_value, may_have_value }
    }

    /// Whether a `return` with a value is in the block, nested functions aside.
    fn returns_value(&self, block: NodeId) -> bool {
        let tree = self.tree();
        let mut todo = vec![block];
        while let Some(node) = todo.pop() {
            match tree.kind(node) {
                Kind::Return if tree.children(node).any(|c| self.is_expression(c)) => return true,
                Kind::Lambda | Kind::ClassBody => {}
                _ => todo.extend(tree.children(node)),
            }
        }
        false
    }

    /// Attributes `Type::name`, `value::name`, `Type::new`; returns the type it becomes.
    pub(super) fn method_reference(&mut self, node: NodeId, target: &Type) -> Type {
        let tree = self.tree();
        let target = self.inference.resolve_shallow(target);
        let Some(first) = tree.children(node).next() else { return target };
        let qualifier = match tree.kind(first) {
            Kind::Super | Kind::Identifier | Kind::FieldAccess => self.receiver(first),
            kind if kind.is_type() => Qualifier::Type(self.resolver.names.ty(first)),
            _ => Qualifier::Value(self.operand(first, None)),
        };
        let Some(function) = self.function_type(&target) else { return target };
        if tree.children(node).any(|c| tree.kind(c) == Kind::New) {
            if let Qualifier::Type(ty) = qualifier {
                let ty = if ty.class_name().is_some() { self.diamond_of_raw(&ty) } else { ty };
                self.inference.constrain(&self.resolver, &ty, &function.returns);
            }
            return target;
        }
        let name = tree.children(node).last().map_or("", |n| self.text(n));
        let returns = match qualifier {
            Qualifier::Value(ty) | Qualifier::Super(ty) => {
                self.reference_result(&ty, name, &function.parameters)
            }
            Qualifier::Type(ty) => self.reference_result_by_type(&ty, name, &function.parameters),
            Qualifier::Package(_) => {
                self.set_symbol(first, Symbol::Unresolved);
                None
            }
        };
        if let Some(returns) = returns.filter(|t| *t != Type::Void) {
            self.inference.constrain(&self.resolver, &returns, &function.returns);
        }
        target
    }

    /// Returns the class of `ArrayList::new` with type arguments to be inferred.
    fn diamond_of_raw(&mut self, ty: &Type) -> Type {
        match ty {
            Type::Class(class) if class.args.is_empty() => {
                let info = self.resolver.class(&class.name);
                let parameters = info.map_or_else(Vec::new, |i| i.type_parameters.clone());
                let fresh = self.inference.fresh_variables(&parameters);
                Type::generic(class.name.clone(), fresh.into_iter().map(|(_, t)| t).collect())
            }
            other => other.clone(),
        }
    }

    /// Returns the result type of `name` called on a value of type `ty` with these parameters.
    fn reference_result(&mut self, ty: &Type, name: &str, parameters: &[Type]) -> Option<Type> {
        let candidates = self.resolver.methods(ty, name);
        let typed = |p: &Type| Argument::Typed(self.inference.resolve_deep(p));
        let arguments: Vec<Argument> = parameters.iter().map(typed).collect();
        let chosen = self.select_method(&candidates, &arguments)?;
        let mut all = (*chosen.substitution).clone();
        all.extend(self.inference.fresh_variables(&chosen.method.type_parameters));
        for (formal, parameter) in chosen.method.parameters.iter().zip(parameters) {
            let formal = substitute_variables(formal, &all);
            self.inference.constrain(&self.resolver, parameter, &formal);
        }
        Some(self.readable(&substitute_variables(&chosen.method.returns, &all)))
    }

    /// Returns the result type of `Type::name`: of a static method, or of an instance method of the
    /// first parameter.
    fn reference_result_by_type(
        &mut self,
        ty: &Type,
        name: &str,
        parameters: &[Type],
    ) -> Option<Type> {
        let candidates = self.resolver.methods(ty, name);
        let is_static = |c: &&CandidateMethod| c.method.is_static;
        let statics: Vec<CandidateMethod> = candidates.iter().filter(is_static).cloned().collect();
        let arity = |c: &CandidateMethod| c.method.parameters.len() == parameters.len();
        if statics.iter().any(arity) || candidates.len() == statics.len() {
            return self.reference_result(ty, name, parameters);
        }
        let (first, rest) = parameters.split_first()?;
        let own = self.diamond_of_raw(ty);
        match self.inference.resolve_shallow(first) {
            open @ Type::Infer(_) => self.inference.equate(&open, &own, 0),
            first => self.inference.constrain(&self.resolver, &first, &own),
        }
        self.reference_result(&own, name, rest)
    }
}
