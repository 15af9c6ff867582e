//! Arguments of a call: their types before the method is chosen, and their target types under
//! the chosen method.

use super::Attributor;
use super::select::{Argument, has_arity};
use crate::java::candidates::CandidateMethod;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;
use crate::java::types::{Substitution, Type, erase_type, substitute_variables};

/// Deepest nesting of calls whose functions are attributed again when their target is known.
const RETRIES_MAX: u32 = 4;

/// Method chosen for a call, its type parameters replaced by inference variables.
pub(super) struct ChosenMethod {
    pub candidate: CandidateMethod,
    pub parameters: Vec<Type>,
    pub returns: Type,
}

impl Attributor<'_> {
    pub(super) fn argument_nodes(&self, list: Option<NodeId>) -> Vec<NodeId> {
        let tree = self.tree();
        let nodes = list.into_iter().flat_map(|l| tree.children(l));
        nodes.filter(|n| self.is_expression(*n) || tree.kind(*n) == Kind::Error).collect()
    }

    /// Chooses the method of a call among `candidates`, attributes all arguments and infers type
    /// parameters. `None` if no method fits; the arguments are attributed all the same.
    pub(super) fn resolve_call(
        &mut self,
        candidates: &[CandidateMethod],
        nodes: &[NodeId],
        explicit: &[Type],
        expected: Option<&Type>,
    ) -> Option<ChosenMethod> {
        let possible: Vec<&CandidateMethod> =
            candidates.iter().filter(|c| has_arity(c, nodes.len())).collect();
        if let [only] = possible[..] {
            let instance = self.instantiate(only.clone(), explicit, nodes.len());
            for (index, node) in nodes.iter().enumerate() {
                if !self.is_deferred(*node) && !self.needs_target(*node) {
                    let formal = instance.parameters[index].clone();
                    let ty = self.expression(*node, Some(&formal));
                    self.accept(&instance, index, &ty);
                }
            }
            self.finish_call(&instance, nodes, expected);
            return Some(instance);
        }
        let arguments: Vec<Argument> = nodes.iter().map(|n| self.argument(*n)).collect();
        let Some(chosen) = self.select_method(candidates, &arguments) else {
            for node in nodes.iter().filter(|n| self.is_deferred(**n)).collect::<Vec<_>>() {
                self.expression(*node, None);
            }
            return None;
        };
        let instance = self.instantiate(chosen, explicit, nodes.len());
        for (index, argument) in arguments.iter().enumerate() {
            if let Argument::Typed(ty) = argument
                && !self.needs_target(nodes[index])
            {
                self.accept(&instance, index, ty);
            }
        }
        self.finish_call(&instance, nodes, expected);
        Some(instance)
    }

    fn accept(&mut self, instance: &ChosenMethod, index: usize, ty: &Type) {
        let formal = self.formal(instance, index, ty);
        self.inference.constrain(&self.resolver, ty, &formal);
    }

    /// Returns the parameter type of the method at `index`, for an argument of type `ty`.
    fn formal(&self, instance: &ChosenMethod, index: usize, ty: &Type) -> Type {
        let (method, formal) = (&instance.candidate.method, &instance.parameters[index]);
        let is_last = index + 1 == method.parameters.len();
        let is_only = index + 1 == instance.parameters.len();
        match method.varargs && is_last && is_only && self.fits_array(ty, formal) {
            // An array passed as the variable arguments themselves.
            true => formal.clone().array(),
            false => formal.clone(),
        }
    }

    fn fits_array(&self, ty: &Type, element: &Type) -> bool {
        let ty = self.inference.resolve_shallow(ty);
        let Some(own) = ty.element() else { return false };
        match (own, self.inference.resolve_shallow(element)) {
            (Type::Primitive(a), Type::Primitive(b)) => *a == b,
            (Type::Primitive(_), _) => false,
            (own, element) => self.resolver.is_subtype(own, &erase_type(&element)),
        }
    }

    /// Infers from the expected type, then attributes the deferred lambdas.
    fn finish_call(&mut self, instance: &ChosenMethod, nodes: &[NodeId], expected: Option<&Type>) {
        if let Some(expected) = expected
            && self.inference.is_open(&instance.returns)
        {
            self.inference.constrain_result(&self.resolver, &instance.returns, &expected.boxed());
        }
        self.functions(instance, nodes);
        for (index, node) in nodes.iter().enumerate() {
            if self.is_switch(*node) {
                let formal = self.formal(instance, index, self.facts.ty(*node));
                self.adopt_target_type(*node, &formal);
            }
        }
    }

    /// Attributes the deferred arguments, those whose parameter types are known first.
    fn functions(&mut self, instance: &ChosenMethod, nodes: &[NodeId]) {
        let indices = nodes.iter().enumerate();
        let mut waiting: Vec<(usize, NodeId)> = indices
            .filter(|(_, node)| self.is_deferred(**node) || self.needs_target(**node))
            .map(|(index, node)| (index, *node))
            .collect();
        let formal = |index: usize| &instance.parameters[index];
        if waiting.len() > 1 {
            for (index, node) in &waiting {
                self.written_parameters(*node, formal(*index));
            }
        }
        while !waiting.is_empty() {
            let ready = waiting.iter().position(|(i, node)| self.is_ready(*node, formal(*i)));
            let (index, node) = waiting.remove(ready.unwrap_or(0));
            let ty = self.expression(node, Some(formal(index)));
            if !self.is_deferred(node) {
                self.accept(instance, index, &ty);
            }
        }
    }

    /// Whether a node is a generic call or a diamond with functions among its arguments, whose
    /// parameter types may follow from the target type.
    fn needs_target(&self, node: NodeId) -> bool {
        if self.retries >= RETRIES_MAX {
            return false;
        }
        let tree = self.tree();
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            let is_call = match tree.kind(node) {
                Kind::Call => tree.child(node, Field::TypeArguments).is_none(),
                Kind::Creation => self.is_diamond(node),
                _ => false,
            };
            let list = tree.child(node, Field::Arguments).filter(|_| is_call);
            for argument in list.into_iter().flat_map(|l| tree.children(l)) {
                if self.is_function(argument) {
                    return true;
                }
                todo.push(argument);
            }
        }
        false
    }

    /// Whether an argument is attributed only once the method is chosen: a lambda, a method
    /// reference, or an expression that contains one.
    fn is_deferred(&self, node: NodeId) -> bool {
        let tree = self.tree();
        match tree.kind(node) {
            Kind::Lambda | Kind::MethodReference => true,
            Kind::Parenthesized | Kind::Ternary | Kind::Switch => {
                !self.functions_in(node).is_empty()
            }
            _ => false,
        }
    }

    /// Collects the lambdas and method references that the value of `node` may be.
    fn functions_in(&self, node: NodeId) -> Vec<NodeId> {
        let tree = self.tree();
        let (mut found, mut todo) = (Vec::new(), vec![node]);
        while let Some(node) = todo.pop() {
            match tree.kind(node) {
                Kind::Lambda | Kind::MethodReference => found.push(node),
                Kind::Parenthesized => todo.extend(tree.children(node).next()),
                Kind::Ternary => {
                    let arms = [Field::Consequence, Field::Alternative];
                    todo.extend(arms.into_iter().filter_map(|f| tree.child(node, f)));
                }
                Kind::Switch => todo.extend(self.results(node)),
                _ => {}
            }
        }
        found
    }

    fn is_function(&self, node: NodeId) -> bool {
        matches!(self.tree().kind(node), Kind::Lambda | Kind::MethodReference)
    }

    fn argument(&mut self, node: NodeId) -> Argument {
        match self.tree().kind(node) {
            Kind::Lambda => Argument::Lambda(self.lambda_shape(node)),
            Kind::MethodReference => Argument::Reference,
            _ if self.is_deferred(node) => {
                let functions = self.functions_in(node).into_iter();
                let lambdas = functions.filter(|f| self.tree().kind(*f) == Kind::Lambda);
                Argument::Open(lambdas.map(|lambda| self.lambda_shape(lambda)).collect())
            }
            _ if self.needs_target(node) => {
                self.retries += 1;
                let ty = self.expression(node, None);
                self.retries -= 1;
                Argument::Typed(ty)
            }
            _ => Argument::Typed(self.expression(node, None)),
        }
    }

    /// Returns the parameter types for `count` arguments and the return type, with inference
    /// variables for the method's type parameters (or the explicit type arguments).
    fn instantiate(
        &mut self,
        candidate: CandidateMethod,
        explicit: &[Type],
        count: usize,
    ) -> ChosenMethod {
        let method = candidate.method.clone();
        let erased = candidate.raw && !method.is_static && &*method.name != "<init>";
        let mut all: Substitution = (*candidate.substitution).clone();
        if explicit.len() == method.type_parameters.len() {
            let given = explicit.iter().cloned();
            all.extend(method.type_parameters.iter().cloned().zip(given));
        } else {
            all.extend(self.inference.fresh_variables(&method.type_parameters));
        }
        let put_in =
            |ty: &Type| if erased { erase_type(ty) } else { substitute_variables(ty, &all) };
        let last = method.parameters.len().saturating_sub(1);
        let formal = |index: usize| {
            let ty = method.parameters.get(index.min(last)).map(put_in).unwrap_or_default();
            match ty {
                Type::Array(element) if method.varargs && index >= last => (*element).clone(),
                other => other,
            }
        };
        let parameters = (0..count).map(formal).collect();
        let returns = put_in(&method.returns);
        ChosenMethod { candidate, parameters, returns }
    }
}
