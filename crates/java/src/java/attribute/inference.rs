//! Type inference by unification: the type parameters of a called generic method are
//! variables that arguments, lambdas and the expected type give a value.

use std::sync::Arc;

use crate::java::resolver::Resolver;
use crate::java::types::{Substitution, Type, TypeVariable, Wildcard, substitute_variables};

/// Deepest type that is resolved or unified.
const DEPTH_MAX: u32 = 24;

#[derive(Default)]
struct InferenceSlot {
    value: Option<Type>,
    /// Whether the value is only the target type: a narrower one may come.
    is_asked: bool,
    bounds: Vec<Type>,
}

/// Inference variables of a file, with their values and bounds.
#[derive(Default)]
pub(super) struct Inference {
    slots: Vec<InferenceSlot>,
}

impl Inference {
    /// Makes an inference variable for each of `parameters`; returns them as a substitution.
    pub fn fresh_variables(&mut self, parameters: &[Arc<TypeVariable>]) -> Substitution {
        let first = self.slots.len() as u32;
        let substitution: Substitution = (first..)
            .zip(parameters)
            .map(|(id, variable)| (variable.clone(), Type::Infer(id)))
            .collect();
        for variable in parameters {
            let bounds =
                variable.bounds.iter().map(|b| substitute_variables(b, &substitution)).collect();
            self.slots.push(InferenceSlot { bounds, ..InferenceSlot::default() });
        }
        substitution
    }

    /// Resolves `ty` itself if it is a variable, following variables to a value or to the last one.
    pub(crate) fn resolve_shallow(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        for _ in 0..DEPTH_MAX {
            let Type::Infer(id) = ty else { break };
            match &self.slots[id as usize].value {
                Some(value) => ty = value.clone(),
                None => break,
            }
        }
        ty
    }

    /// Replaces all variables in `ty` that have a value by it.
    pub fn resolve_deep(&self, ty: &Type) -> Type {
        self.resolve_deep_at(ty, 0)
    }

    fn resolve_deep_at(&self, ty: &Type, depth: u32) -> Type {
        if depth > DEPTH_MAX {
            return Type::Unknown;
        }
        let next = |t: &Type| self.resolve_deep_at(t, depth + 1);
        match ty {
            Type::Infer(_) => match self.resolve_shallow(ty) {
                Type::Infer(id) => Type::Infer(id),
                value => next(&value),
            },
            Type::Class(class) if !class.args.is_empty() => {
                Type::generic(class.name.clone(), class.args.iter().map(next).collect())
            }
            Type::Array(element) => next(element).array(),
            Type::Wildcard(wildcard) => Type::Wildcard(Arc::new(match &**wildcard {
                Wildcard::Any => Wildcard::Any,
                Wildcard::Extends(bound) => Wildcard::Extends(next(bound)),
                Wildcard::Super(bound) => Wildcard::Super(next(bound)),
            })),
            other => other.clone(),
        }
    }

    /// Replaces all variables in `ty` by their value, or by their bound if they have none.
    pub fn final_type(&self, ty: &Type) -> Type {
        match self.resolve_deep(ty) {
            Type::Infer(id) => match self.slots[id as usize].bounds.first() {
                Some(bound) => match self.resolve_deep(bound) {
                    Type::Infer(_) => Type::object(),
                    bound => bound,
                },
                None => Type::object(),
            },
            other => other,
        }
    }

    /// Whether `ty` contains a variable without a value.
    pub fn is_open(&self, ty: &Type) -> bool {
        fn has_variable(ty: &Type) -> bool {
            match ty {
                Type::Infer(_) => true,
                Type::Class(class) => class.args.iter().any(has_variable),
                Type::Array(element) => has_variable(element),
                Type::Wildcard(wildcard) => match &**wildcard {
                    Wildcard::Any => false,
                    Wildcard::Extends(bound) | Wildcard::Super(bound) => has_variable(bound),
                },
                _ => false,
            }
        }
        has_variable(&self.resolve_deep(ty))
    }

    fn bind(&mut self, id: u32, value: Type) {
        let value = match value {
            Type::Null | Type::Unknown | Type::Void => return,
            Type::Wildcard(wildcard) => match &*wildcard {
                Wildcard::Extends(bound) | Wildcard::Super(bound) => bound.clone(),
                Wildcard::Any => return,
            },
            other => other.boxed(),
        };
        if !mentions(&self.resolve_deep(&value), id) {
            let slot = &mut self.slots[id as usize];
            (slot.value, slot.is_asked) = (Some(value), false);
        }
    }

    /// Gives a variable the preliminary value of its target type, which a narrower one may replace.
    fn bind_asked(&mut self, id: u32, value: Type) {
        self.bind(id, value);
        self.slots[id as usize].is_asked = true;
    }

    /// Constrains the return type `returns` of a call to the target type `asked`.
    pub fn constrain_result(&mut self, resolver: &Resolver<'_>, returns: &Type, asked: &Type) {
        match (self.resolve_shallow(returns), self.resolve_shallow(asked)) {
            (Type::Infer(id), asked) if !matches!(asked, Type::Infer(_)) => {
                self.bind_asked(id, asked);
            }
            (Type::Class(_), Type::Infer(id)) => {
                let bounds = self.slots[id as usize].bounds.clone();
                for bound in bounds.iter().filter(|b| !mentions(b, id)) {
                    self.constrain(resolver, returns, bound);
                }
            }
            (_, asked) => self.constrain(resolver, returns, &asked),
        }
    }

    /// Returns the variable that `ty` is, if its value is only its target type.
    fn asked_variable(&self, ty: &Type) -> Option<u32> {
        self.last_variable(ty).filter(|id| self.slots[*id as usize].is_asked)
    }

    /// Constrains variables so that values of type `actual` fit `formal`.
    pub(crate) fn constrain(&mut self, resolver: &Resolver<'_>, actual: &Type, formal: &Type) {
        self.constrain_at(resolver, actual, formal, 0);
    }

    fn constrain_at(&mut self, resolver: &Resolver<'_>, actual: &Type, formal: &Type, depth: u32) {
        if depth > DEPTH_MAX {
            return;
        }
        let a = self.resolve_shallow(actual);
        let f = self.resolve_shallow(formal);
        if let Some(id) = self.asked_variable(formal)
            && a.is_reference()
            && !matches!(a, Type::Infer(_) | Type::Null)
            && resolver.is_subtype(&a, &f)
        {
            self.bind(id, a.clone());
        }
        match (&a, &f) {
            (_, Type::Infer(id)) => self.bind(*id, a),
            (Type::Infer(id), _) => self.bind_asked(*id, f),
            (Type::Array(a), Type::Array(f)) => self.constrain_at(resolver, a, f, depth + 1),
            (_, Type::Class(class)) if !class.args.is_empty() => {
                if let Some(Type::Class(seen)) = resolver.as_super(&a.boxed(), &class.name) {
                    for (f, a) in class.args.iter().zip(&seen.args) {
                        self.contain(resolver, f, a, depth + 1);
                    }
                }
                self.widen(resolver, formal, &a, &f);
            }
            _ => self.widen(resolver, formal, &a, &f),
        }
    }

    /// Widens the value of a variable to its common supertype with another argument's type.
    fn widen(&mut self, resolver: &Resolver<'_>, formal: &Type, actual: &Type, value: &Type) {
        let Some(last) = self.last_variable(formal) else { return };
        if !actual.is_reference() && actual.primitive().is_none() {
            return;
        }
        if !resolver.is_subtype(&actual.boxed(), value) {
            let bound = resolver.least_upper_bound(value, actual);
            self.bind(last, bound);
        }
    }

    fn last_variable(&self, ty: &Type) -> Option<u32> {
        let Type::Infer(id) = ty else { return None };
        let mut id = *id;
        for _ in 0..DEPTH_MAX {
            match &self.slots[id as usize].value {
                Some(Type::Infer(next)) => id = *next,
                _ => break,
            }
        }
        Some(id)
    }

    /// Constrains variables so that the type argument `f` contains the type argument `a`.
    fn contain(&mut self, resolver: &Resolver<'_>, f: &Type, a: &Type, depth: u32) {
        let Type::Wildcard(wildcard) = f else {
            return self.equate(f, a, depth);
        };
        match (&**wildcard, self.resolve_shallow(a)) {
            (Wildcard::Any, _) => {}
            (Wildcard::Extends(f), Type::Wildcard(inner)) => {
                if let Wildcard::Extends(a) = &*inner {
                    self.constrain_at(resolver, a, f, depth + 1);
                }
            }
            (Wildcard::Extends(f), a) => self.constrain_at(resolver, &a, f, depth + 1),
            (Wildcard::Super(f), Type::Wildcard(inner)) => {
                if let Wildcard::Super(a) = &*inner {
                    self.constrain_at(resolver, f, a, depth + 1);
                }
            }
            (Wildcard::Super(f), a) => match self.resolve_shallow(f) {
                Type::Infer(id) => self.bind(id, a),
                f => self.constrain_at(resolver, &f, &a, depth + 1),
            },
        }
    }

    /// Constrains variables so that `f` and `a` are the same type.
    pub(crate) fn equate(&mut self, f: &Type, a: &Type, depth: u32) {
        if depth > DEPTH_MAX {
            return;
        }
        match (self.resolve_shallow(f), self.resolve_shallow(a)) {
            (Type::Infer(f), Type::Infer(a)) if f == a => {}
            (Type::Infer(f), a) => self.bind(f, a),
            (f, Type::Infer(a)) => self.bind(a, f),
            (Type::Class(f), Type::Class(a)) if f.name == a.name => {
                for (f, a) in f.args.iter().zip(&a.args) {
                    self.equate(f, a, depth + 1);
                }
            }
            (Type::Array(f), Type::Array(a)) => self.equate(&f, &a, depth + 1),
            (Type::Wildcard(f), Type::Wildcard(a)) => match (&*f, &*a) {
                (Wildcard::Extends(f), Wildcard::Extends(a))
                | (Wildcard::Super(f), Wildcard::Super(a)) => self.equate(f, a, depth + 1),
                _ => {}
            },
            _ => {}
        }
    }
}

/// Whether `ty` contains the variable `id`.
fn mentions(ty: &Type, id: u32) -> bool {
    match ty {
        Type::Infer(other) => *other == id,
        Type::Class(class) => class.args.iter().any(|a| mentions(a, id)),
        Type::Array(element) => mentions(element, id),
        Type::Wildcard(wildcard) => match &**wildcard {
            Wildcard::Any => false,
            Wildcard::Extends(bound) | Wildcard::Super(bound) => mentions(bound, id),
        },
        _ => false,
    }
}
