//! Supertypes and subtyping over classes of the sources and of the class path.

use std::sync::Arc;

use super::candidates::Ancestors;
use super::class::ClassInfo;
use super::fast_hash::{Map, Set};
use super::resolver::Resolver;
use super::type_names::MISSING_CLASS_PREFIX;
use super::types::{
    ClassType, Name, Substitution, Type, TypeVariable, Wildcard, erase_type, substitute_variables,
};

/// Deepest hierarchy that is followed.
pub(super) const DEPTH_MAX: u32 = 64;

impl Resolver<'_> {
    /// Returns the upper bound of a type variable or wildcard; any other type as it is.
    pub fn upper_bound(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        for _ in 0..DEPTH_MAX {
            ty = match &ty {
                Type::Variable(variable) => match variable.bounds.first() {
                    // The bound's own uses of the variable have no bounds: put it in.
                    Some(bound) => substitute_variables(bound, &[(variable.clone(), ty.clone())]),
                    None => return Type::object(),
                },
                Type::Wildcard(wildcard) => match &**wildcard {
                    Wildcard::Extends(bound) => bound.clone(),
                    _ => return Type::object(),
                },
                _ => return ty,
            }
        }
        Type::object()
    }

    /// Returns the type arguments of `class`'s type variables in `ty`, and whether `ty` is raw.
    pub fn substitution(&self, class: &ClassInfo, ty: &ClassType) -> (Substitution, bool) {
        if ty.args.len() < class.type_parameters.len() {
            return (Vec::new(), true);
        }
        let bounded = |(parameter, argument): (&Arc<TypeVariable>, &Type)| {
            (parameter.clone(), with_bound(argument, parameter))
        };
        (class.parameters().zip(&ty.args).map(bounded).collect(), false)
    }

    /// Returns the direct supertypes of a class type, with type arguments substituted.
    pub(super) fn direct_supertypes(&self, class: &ClassInfo, ty: &ClassType) -> Vec<Type> {
        let (substitution, raw) = self.substitution(class, ty);
        let supers = class.supertypes();
        supers
            .map(|s| if raw { erase_type(s) } else { substitute_variables(s, &substitution) })
            .collect()
    }

    /// Returns the supertype of `ty` (or itself) with the class `target`, with its type arguments.
    pub(crate) fn as_super(&self, ty: &Type, target: &str) -> Option<Type> {
        let is_above = |class: &ClassType| {
            &*class.name == target || self.ancestors(&class.name).set.contains(target)
        };
        if matches!(ty, Type::Class(class) if !is_above(class)) {
            return None;
        }
        self.find_supertype(ty, |class| &*class.name == target)
    }

    /// Returns `ty` and its supertypes by class, each as first met in a depth-first walk in the
    /// order of declaration.
    pub(super) fn all_supertypes(&self, ty: &Type) -> Map<Name, Arc<ClassType>> {
        let mut found = Map::default();
        self.find_supertype(ty, |class| {
            found.entry(class.name.clone()).or_insert_with(|| class.clone());
            false
        });
        found
    }

    /// Finds the first type that `is_found` accepts among `ty` and its supertypes. No class occurs
    /// twice above another one with different type arguments, so each class is visited once.
    fn find_supertype(
        &self,
        ty: &Type,
        mut is_found: impl FnMut(&Arc<ClassType>) -> bool,
    ) -> Option<Type> {
        let mut seen: Set<Name> = Set::default();
        let mut steps = 0;
        let mut todo = vec![ty.clone()];
        while let Some(ty) = todo.pop() {
            match &ty {
                Type::Class(class) => {
                    if is_found(class) {
                        return Some(ty);
                    }
                    if !seen.insert(class.name.clone()) {
                        continue;
                    }
                    let Some(info) = self.class(&class.name) else { continue };
                    todo.extend(self.direct_supertypes(&info, class).into_iter().rev());
                }
                // Bounds may be variables again: each counts as a step.
                Type::Variable(variable) if steps < DEPTH_MAX => {
                    let bounds = variable.bounds.iter().rev();
                    todo.extend(
                        bounds.map(|b| substitute_variables(b, &[(variable.clone(), ty.clone())])),
                    );
                    steps += 1;
                }
                Type::Wildcard(_) if steps < DEPTH_MAX => {
                    todo.push(self.upper_bound(&ty));
                    steps += 1;
                }
                _ => {}
            }
        }
        None
    }

    /// Returns the class and all its superclasses, then all interfaces, nearer ones first.
    pub fn ancestors(&self, name: &Name) -> Arc<Ancestors> {
        if let Some(known) = self.known_ancestors(name) {
            return known;
        }
        let mut found = Ancestors::default();
        let mut interfaces = Vec::new();
        let mut next = Some(name.clone());
        while let Some(class) = next.take().filter(|c| found.set.insert(c.clone())) {
            found.is_open |= class.starts_with(MISSING_CLASS_PREFIX);
            if let Some(info) = self.class(&class) {
                next = info.superclass.as_ref().and_then(Type::class_name).cloned();
                interfaces.extend(info.interfaces.iter().filter_map(Type::class_name).cloned());
            }
            found.order.push(class);
        }
        let mut at = 0;
        while at < interfaces.len() {
            let class = interfaces[at].clone();
            at += 1;
            if !found.set.insert(class.clone()) {
                continue;
            }
            found.is_open |= class.starts_with(MISSING_CLASS_PREFIX);
            if let Some(info) = self.class(&class) {
                interfaces.extend(info.interfaces.iter().filter_map(Type::class_name).cloned());
            }
            found.order.push(class);
        }
        let found = Arc::new(found);
        self.keep_ancestors(name, &found);
        found
    }

    /// Whether the class `name` is `target` or a subclass. Every class counts as a subclass of one
    /// that can't be found, and one that can't be found as a subclass of every class.
    pub(crate) fn is_subclass(&self, name: &Name, target: &str) -> bool {
        if &**name == target
            || target == "java.lang.Object"
            || target.starts_with(MISSING_CLASS_PREFIX)
        {
            return true;
        }
        let ancestors = self.ancestors(name);
        ancestors.is_open || ancestors.set.contains(target)
    }

    /// Whether an erased reference type is a subtype of another; unknown types fit everything.
    pub(crate) fn is_subtype(&self, ty: &Type, of: &Type) -> bool {
        match (ty, of) {
            (Type::Unknown | Type::Infer(_), _) | (_, Type::Unknown | Type::Infer(_)) => true,
            (Type::Null, other) => other.is_reference(),
            (Type::Primitive(a), Type::Primitive(b)) => a.widens_to(*b),
            (Type::Variable(a), Type::Variable(b)) if a == b => true,
            (Type::Variable(variable), _) if !variable.bounds.is_empty() => {
                variable.bounds.iter().any(|b| self.is_subtype(&erase_type(b), of))
            }
            (Type::Variable(_) | Type::Wildcard(_), _) => {
                self.is_subtype(&self.upper_bound(ty), of)
            }
            (_, Type::Variable(_) | Type::Wildcard(_)) => self.is_subtype(ty, &erase_type(of)),
            (Type::Class(a), Type::Class(b)) => self.is_subclass(&a.name, &b.name),
            (Type::Array(_), Type::Class(b)) => matches!(
                &*b.name,
                "java.lang.Object" | "java.lang.Cloneable" | "java.io.Serializable"
            ),
            (Type::Array(a), Type::Array(b)) => match (&**a, &**b) {
                (Type::Primitive(a), Type::Primitive(b)) => a == b,
                (Type::Primitive(_), _) | (_, Type::Primitive(_)) => false,
                (a, b) => self.is_subtype(a, b),
            },
            _ => false,
        }
    }

    /// Returns the least common supertype, roughly: one of both, a common superclass or interface,
    /// else `Object`.
    pub(crate) fn least_upper_bound(&self, a: &Type, b: &Type) -> Type {
        match (a, b) {
            (Type::Null | Type::Unknown, other) | (other, Type::Null | Type::Unknown) => {
                return other.clone();
            }
            _ if a == b => return a.clone(),
            _ => {}
        }
        let (a, b) = (self.upper_bound(&a.boxed()), self.upper_bound(&b.boxed()));
        if self.is_subtype(&erase_type(&a), &erase_type(&b)) {
            return b;
        }
        let mut todo = vec![a];
        let mut common_interface = None;
        let mut seen: Set<Name> = Set::default();
        while let Some(ty) = todo.pop() {
            let Type::Class(class) = &ty else { continue };
            if !seen.insert(class.name.clone()) {
                continue;
            }
            let is_object = &*class.name == "java.lang.Object";
            if !is_object && self.is_subtype(&erase_type(&b), &erase_type(&ty)) {
                let Some(info) = self.class(&class.name) else { return ty };
                if !info.is_interface {
                    return ty;
                }
                common_interface.get_or_insert(ty.clone());
                continue;
            }
            if let Some(info) = self.class(&class.name) {
                let mut supers = self.direct_supertypes(&info, class);
                supers.reverse();
                todo.extend(supers);
            }
        }
        common_interface.unwrap_or_else(Type::object)
    }
}

/// Replaces `?` for a parameter with a bound by `? extends` that bound (as capture has it).
fn with_bound(argument: &Type, parameter: &TypeVariable) -> Type {
    match (argument, parameter.bounds.first()) {
        (Type::Wildcard(wildcard), Some(bound)) if **wildcard == Wildcard::Any => {
            Type::Wildcard(Arc::new(Wildcard::Extends(erase_type(bound))))
        }
        _ => argument.clone(),
    }
}
