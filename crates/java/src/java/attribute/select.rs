//! Overload resolution (JLS 15.12.2): which of the methods of a name a call means.

use super::Attributor;
use crate::java::known::CandidateMethod;
use crate::java::types::{Type, erase, substitute};

/// An argument as overload resolution sees it.
pub(super) enum Argument {
    /// A value of this type.
    Typed(Type),
    /// A lambda.
    Lambda(LambdaShape),
    /// A method reference.
    Reference,
    /// A conditional or switch that may be a function, with its lambdas.
    Open(Vec<LambdaShape>),
}

/// What a lambda looks like before its types are known.
pub(super) struct LambdaShape {
    pub parameters: usize,
    /// Whether its body may go without a value,
    pub may_be_void: bool,
    /// or with one.
    pub may_have_value: bool,
}

/// How freely arguments fit parameters.
#[derive(Clone, Copy, PartialEq)]
enum SelectionPhase {
    /// Subtyping only.
    Strict,
    /// Boxing too.
    Loose,
    /// Any number of arguments for the last parameter too.
    Variable,
}

impl Attributor<'_> {
    /// The most specific applicable method; if none fits exactly, the first whose
    /// number of parameters does.
    pub(super) fn select(
        &self,
        candidates: &[CandidateMethod],
        arguments: &[Argument],
    ) -> Option<CandidateMethod> {
        // Where types are not known well enough, a variable takes all that its bound does.
        for is_lenient in [false, true] {
            for phase in [SelectionPhase::Strict, SelectionPhase::Loose, SelectionPhase::Variable] {
                let fits = |c: &&CandidateMethod| {
                    self.is_applicable(c, arguments, phase)
                        && (is_lenient || self.fit_variables(c, arguments, phase))
                };
                let applicable: Vec<&CandidateMethod> = candidates.iter().filter(fits).collect();
                if !applicable.is_empty() {
                    return Some(self.most_specific(&applicable, arguments, phase).clone());
                }
            }
        }
        candidates.iter().find(|c| takes(c, arguments.len())).cloned()
    }

    /// Whether no value of a class goes where one of a type variable is asked for that
    /// the call does not infer.
    fn fit_variables(
        &self,
        candidate: &CandidateMethod,
        arguments: &[Argument],
        phase: SelectionPhase,
    ) -> bool {
        if candidate.raw && !candidate.method.is_static {
            return true;
        }
        arguments.iter().enumerate().all(|(index, argument)| {
            let Argument::Typed(ty) = argument else { return true };
            let formal = formal(candidate, index, phase == SelectionPhase::Variable);
            let Some(Type::Variable(variable)) = formal else { return true };
            let is_inferred = candidate.method.type_parameters.contains(&variable);
            let ty = self.inference.settled(ty);
            is_inferred || !matches!(ty, Type::Class(_) | Type::Array(_) | Type::Primitive(_))
        })
    }

    fn is_applicable(
        &self,
        candidate: &CandidateMethod,
        arguments: &[Argument],
        phase: SelectionPhase,
    ) -> bool {
        let method = &candidate.method;
        if phase == SelectionPhase::Variable {
            if !method.varargs || arguments.len() + 1 < method.parameters.len() {
                return false;
            }
        } else if method.parameters.len() != arguments.len() {
            return false;
        }
        arguments.iter().enumerate().all(|(index, argument)| {
            let formal = parameter(candidate, index, phase == SelectionPhase::Variable);
            self.fits(argument, &formal, phase)
        })
    }

    fn fits(&self, argument: &Argument, formal: &Type, phase: SelectionPhase) -> bool {
        match argument {
            Argument::Typed(ty) => self.value_fits(&self.inference.settled(ty), formal, phase),
            Argument::Open(lambdas) => {
                (formal.is_reference() || *formal == Type::Unknown)
                    && lambdas.iter().all(|shape| self.lambda_fits(shape, formal))
            }
            Argument::Lambda(shape) => self.lambda_fits(shape, formal),
            Argument::Reference => match formal {
                Type::Class(_) => self.resolver.functional_method(formal).is_some(),
                Type::Variable(_) | Type::Unknown => true,
                _ => false,
            },
        }
    }

    fn lambda_fits(&self, shape: &LambdaShape, formal: &Type) -> bool {
        match formal {
            Type::Class(_) => self.resolver.functional_method(formal).is_some_and(|f| {
                f.method.parameters.len() == shape.parameters
                    && match f.method.returns {
                        Type::Void => shape.may_be_void,
                        _ => shape.may_have_value,
                    }
            }),
            Type::Variable(_) | Type::Unknown => true,
            _ => false,
        }
    }

    fn value_fits(&self, ty: &Type, formal: &Type, phase: SelectionPhase) -> bool {
        match (ty, formal) {
            (Type::Unknown, _) | (_, Type::Unknown) => true,
            (Type::Void, _) => false,
            (Type::Primitive(a), Type::Primitive(b)) => a.widens_to(*b),
            (Type::Primitive(_), _) => {
                phase != SelectionPhase::Strict && self.resolver.is_subtype(&ty.boxed(), formal)
            }
            (_, Type::Primitive(b)) => {
                phase != SelectionPhase::Strict && ty.unboxed().is_some_and(|a| a.widens_to(*b))
            }
            _ => self.resolver.is_subtype(ty, formal),
        }
    }

    fn most_specific<'c>(
        &self,
        applicable: &[&'c CandidateMethod],
        arguments: &[Argument],
        phase: SelectionPhase,
    ) -> &'c CandidateMethod {
        let beats = |a: &CandidateMethod, b: &CandidateMethod| {
            self.is_more_specific(a, b, arguments, phase)
        };
        let is_best = |a: &&&CandidateMethod| applicable.iter().all(|b| beats(a, b));
        let best: Vec<&&CandidateMethod> = applicable.iter().filter(is_best).collect();
        // Several are equally specific if one overrides another: a concrete one counts.
        let concrete = best.iter().find(|c| !c.method.is_abstract);
        concrete.map(|c| **c).or_else(|| self.merged(&best)).unwrap_or(applicable[0])
    }

    /// Of abstract methods with the same parameters the one whose result fits all. javac
    /// asks the second before the first, and then the rest.
    fn merged<'c>(&self, same: &[&&'c CandidateMethod]) -> Option<&'c CandidateMethod> {
        let returned = |c: &CandidateMethod| erase(&substitute(&c.method.returns, &c.substitution));
        let mut order: Vec<&'c CandidateMethod> = same.iter().map(|c| **c).collect();
        if order.len() > 1 {
            order.swap(0, 1);
        }
        let fits =
            |c: &CandidateMethod, other: &CandidateMethod| match (returned(c), returned(other)) {
                (Type::Primitive(a), Type::Primitive(b)) => a == b,
                (a, b) => self.resolver.is_subtype(&a, &b),
            };
        let best = order.iter().find(|c| order.iter().all(|other| fits(c, other)));
        best.or(order.first()).copied()
    }

    fn is_more_specific(
        &self,
        a: &CandidateMethod,
        b: &CandidateMethod,
        arguments: &[Argument],
        phase: SelectionPhase,
    ) -> bool {
        let variable = phase == SelectionPhase::Variable;
        arguments.iter().enumerate().all(|(index, argument)| {
            let (a, b) = (parameter(a, index, variable), parameter(b, index, variable));
            match argument {
                Argument::Typed(ty) => match (&a, &b) {
                    (Type::Primitive(a), Type::Primitive(b)) => a.widens_to(*b),
                    // Only with boxing: the one of the argument's own sort.
                    (Type::Primitive(_), _) => ty.primitive().is_some(),
                    (_, Type::Primitive(_)) => ty.primitive().is_none(),
                    _ => self.resolver.is_subtype(&a, &b),
                },
                _ => self.is_more_specific_function(&a, &b, argument),
            }
        })
    }

    /// Functional interfaces: a subtype, or the same parameters and a better result.
    fn is_more_specific_function(&self, a: &Type, b: &Type, argument: &Argument) -> bool {
        if self.resolver.is_subtype(a, b) {
            return true;
        }
        let methods = [a, b].map(|t| self.resolver.functional_method(t));
        let [Some(a), Some(b)] = methods else { return false };
        match (&a.method.returns, &b.method.returns) {
            (_, Type::Void) => true,
            (Type::Void, _) => false,
            (Type::Primitive(x), Type::Primitive(y)) => x.widens_to(*y),
            // Value of a primitive type: the function that returns one is better.
            (Type::Primitive(_), _) => !matches!(argument, Argument::Open(_)),
            _ => false,
        }
    }
}

/// The type of the parameter that takes the argument at `index`.
fn formal(candidate: &CandidateMethod, index: usize, variable: bool) -> Option<Type> {
    let parameters = &candidate.method.parameters;
    let last = parameters.len().saturating_sub(1);
    let formal = match parameters.get(index.min(last))? {
        Type::Array(element) if variable && index >= last => element,
        formal => formal,
    };
    Some(substitute(formal, &candidate.substitution))
}

/// Its erasure.
fn parameter(candidate: &CandidateMethod, index: usize, variable: bool) -> Type {
    match formal(candidate, index, variable).unwrap_or_default() {
        Type::Infer(_) => Type::Unknown,
        Type::Variable(variable) if candidate.method.type_parameters.contains(&variable) => {
            match variable.bounds.first() {
                Some(bound) => erase(bound),
                None => Type::object(),
            }
        }
        other => erase(&other),
    }
}

/// Whether a method can take so many arguments.
pub(super) fn takes(candidate: &CandidateMethod, arguments: usize) -> bool {
    let parameters = candidate.method.parameters.len();
    parameters == arguments || (candidate.method.varargs && arguments + 1 >= parameters)
}
