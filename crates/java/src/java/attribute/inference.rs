//! Type inference by unification: the type parameters of a called generic method are
//! variables that arguments, lambdas and the expected type give a value.

use std::sync::Arc;

use crate::java::resolver::Resolver;
use crate::java::types::{Substitution, Type, TypeVariable, Wildcard, substitute};

/// Deepest type that is resolved or unified.
const DEPTH_MAX: u32 = 24;

#[derive(Default)]
struct Slot {
    value: Option<Type>,
    /// Whether the value is but what the place asks for: a narrower one may come.
    is_asked: bool,
    bounds: Vec<Type>,
}

/// The inference variables of a file.
#[derive(Default)]
pub(super) struct Inference {
    slots: Vec<Slot>,
}

impl Inference {
    /// Fresh variables for `parameters`, as a substitution.
    pub fn fresh(&mut self, parameters: &[Arc<TypeVariable>]) -> Substitution {
        let first = self.slots.len() as u32;
        let substitution: Substitution = (first..)
            .zip(parameters)
            .map(|(id, variable)| (variable.clone(), Type::Infer(id)))
            .collect();
        for variable in parameters {
            let bounds = variable.bounds.iter().map(|b| substitute(b, &substitution)).collect();
            self.slots.push(Slot { bounds, ..Slot::default() });
        }
        substitution
    }

    /// `ty`, or the value it has if it is a variable; the last variable if none.
    pub(crate) fn shallow(&self, ty: &Type) -> Type {
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

    /// `ty` with the values of all variables that have one.
    pub fn deep(&self, ty: &Type) -> Type {
        self.deep_at(ty, 0)
    }

    fn deep_at(&self, ty: &Type, depth: u32) -> Type {
        if depth > DEPTH_MAX {
            return Type::Unknown;
        }
        let next = |t: &Type| self.deep_at(t, depth + 1);
        match ty {
            Type::Infer(_) => match self.shallow(ty) {
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

    /// The final type: a variable without a value is its bound.
    pub fn settled(&self, ty: &Type) -> Type {
        match self.deep(ty) {
            Type::Infer(id) => match self.slots[id as usize].bounds.first() {
                Some(bound) => match self.deep(bound) {
                    Type::Infer(_) => Type::object(),
                    bound => bound,
                },
                None => Type::object(),
            },
            other => other,
        }
    }

    /// Whether a variable without a value is in it.
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
        has_variable(&self.deep(ty))
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
        if !mentions(&self.deep(&value), id) {
            let slot = &mut self.slots[id as usize];
            (slot.value, slot.is_asked) = (Some(value), false);
        }
    }

    /// The variable is `value` or narrower.
    fn bind_asked(&mut self, id: u32, value: Type) {
        self.bind(id, value);
        self.slots[id as usize].is_asked = true;
    }

    /// A call whose value is of type `returns` stands where `asked` is asked for.
    pub fn ask(&mut self, resolver: &Resolver<'_>, returns: &Type, asked: &Type) {
        match (self.shallow(returns), self.shallow(asked)) {
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

    /// The variable that `ty` is, if its value is but what the place asks for.
    fn asked_variable(&self, ty: &Type) -> Option<u32> {
        self.last_variable(ty).filter(|id| self.slots[*id as usize].is_asked)
    }

    /// Values of type `actual` go where `formal` is asked for.
    pub(crate) fn constrain(&mut self, resolver: &Resolver<'_>, actual: &Type, formal: &Type) {
        self.constrain_at(resolver, actual, formal, 0);
    }

    fn constrain_at(&mut self, resolver: &Resolver<'_>, actual: &Type, formal: &Type, depth: u32) {
        if depth > DEPTH_MAX {
            return;
        }
        let a = self.shallow(actual);
        let f = self.shallow(formal);
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

    /// A variable with a value that another argument does not fit: both fit the
    /// common supertype.
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

    /// The type argument `a` lies within the type argument `f`.
    fn contain(&mut self, resolver: &Resolver<'_>, f: &Type, a: &Type, depth: u32) {
        let Type::Wildcard(wildcard) = f else {
            return self.equate(f, a, depth);
        };
        match (&**wildcard, self.shallow(a)) {
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
            (Wildcard::Super(f), a) => match self.shallow(f) {
                Type::Infer(id) => self.bind(id, a),
                f => self.constrain_at(resolver, &f, &a, depth + 1),
            },
        }
    }

    /// Both are the same type.
    pub(crate) fn equate(&mut self, f: &Type, a: &Type, depth: u32) {
        if depth > DEPTH_MAX {
            return;
        }
        match (self.shallow(f), self.shallow(a)) {
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

/// Whether variable `id` is in `ty`.
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
