//! Overload resolution (JLS 15.12.2): selection among the methods of a name for a call.

use super::Attributor;
use crate::java::candidates::CandidateMethod;
use crate::java::types::{Type, erase_type, substitute_variables};

/// Argument of a call, as far as overload resolution uses it.
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

/// Shape of a lambda before its types are known.
pub(super) struct LambdaShape {
    pub parameters: usize,
    /// Whether its body may be without a value,
    pub may_be_void: bool,
    /// or with one.
    pub may_have_value: bool,
}

/// Phase of overload resolution, by the conversions allowed.
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
    /// Selects the most specific applicable method; if none fits exactly, the first whose number of
    /// parameters does.
    pub(super) fn select_method(
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
        candidates.iter().find(|c| has_arity(c, arguments.len())).cloned()
    }

    /// Whether no argument of a class type is passed for a type variable that the call does not
    /// infer.
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
            let ty = self.inference.final_type(ty);
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
            Argument::Typed(ty) => self.value_fits(&self.inference.final_type(ty), formal, phase),
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
        concrete.map(|c| **c).or_else(|| self.merge_abstract(&best)).unwrap_or(applicable[0])
    }

    /// Selects among abstract methods with the same parameters the one whose result fits all. javac
    /// tries the second before the first, and then the rest.
    fn merge_abstract<'c>(&self, same: &[&&'c CandidateMethod]) -> Option<&'c CandidateMethod> {
        let returned = |c: &CandidateMethod| {
            erase_type(&substitute_variables(&c.method.returns, &c.substitution))
        };
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

    /// Whether the functional interface `a` is more specific: a subtype, or one with the same
    /// parameters and a better result.
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

/// Returns the type of the parameter for the argument at `index`.
fn formal(candidate: &CandidateMethod, index: usize, variable: bool) -> Option<Type> {
    let parameters = &candidate.method.parameters;
    let last = parameters.len().saturating_sub(1);
    let formal = match parameters.get(index.min(last))? {
        Type::Array(element) if variable && index >= last => element,
        formal => formal,
    };
    Some(substitute_variables(formal, &candidate.substitution))
}

/// Returns the erased type of the parameter for the argument at `index`.
fn parameter(candidate: &CandidateMethod, index: usize, variable: bool) -> Type {
    match formal(candidate, index, variable).unwrap_or_default() {
        Type::Infer(_) => Type::Unknown,
        Type::Variable(variable) if candidate.method.type_parameters.contains(&variable) => {
            match variable.bounds.first() {
                Some(bound) => erase_type(bound),
                None => Type::object(),
            }
        }
        other => erase_type(&other),
    }
}

/// Whether a method accepts this number of arguments.
pub(super) fn has_arity(candidate: &CandidateMethod, arguments: usize) -> bool {
    let parameters = candidate.method.parameters.len();
    parameters == arguments || (candidate.method.varargs && arguments + 1 >= parameters)
}
