//! Supertypes, subtyping and member look-up over classes of the sources and of the
//! class path.

use std::cmp::Reverse;
use std::sync::Arc;

use super::class::{ClassInfo, FieldInfo, MethodInfo};
use super::resolver::{MISSING, Resolver};
use super::types::{
    ClassType, Name, Substitution, Type, TypeVariable, Wildcard, erase, substitute,
};
use crate::java::fast::Set;

/// Deepest hierarchy that is followed.
const DEPTH_MAX: u32 = 64;

/// A class and everything above it.
#[derive(Debug, Default)]
pub(crate) struct Ancestors {
    pub order: Vec<Name>,
    set: Set<Name>,
    /// Whether one of them can't be found: there may be more.
    is_open: bool,
}

/// A field as a member of a type.
pub(crate) struct FoundField {
    pub class: Arc<ClassInfo>,
    pub name: Name,
    pub field: FieldInfo,
    /// The type, with the receiver's type arguments put in.
    pub ty: Type,
}

/// A method as a member of a type.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub method: Arc<MethodInfo>,
    /// What the type variables of its class stand for.
    pub substitution: Arc<Substitution>,
    /// Whether the receiver is a raw type: then all of the method is erased.
    pub raw: bool,
}

impl Resolver<'_> {
    /// The type that values of a variable or wildcard have at least.
    pub fn upper(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        for _ in 0..DEPTH_MAX {
            ty = match &ty {
                Type::Variable(variable) => match variable.bounds.first() {
                    // The bound's own uses of the variable have no bounds: put it in.
                    Some(bound) => substitute(bound, &[(variable.clone(), ty.clone())]),
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

    /// What the type variables of `class` stand for in `ty`, and whether `ty` is raw.
    pub fn substitution(&self, class: &ClassInfo, ty: &ClassType) -> (Substitution, bool) {
        if class.type_parameters.len() != ty.args.len() {
            return (Vec::new(), !class.type_parameters.is_empty());
        }
        let bounded = |(parameter, argument): (&Arc<TypeVariable>, &Type)| {
            (parameter.clone(), with_bound(argument, parameter))
        };
        (class.type_parameters.iter().zip(&ty.args).map(bounded).collect(), false)
    }

    /// The direct supertypes of a class type.
    fn direct_supertypes(&self, class: &ClassInfo, ty: &ClassType) -> Vec<Type> {
        let (substitution, raw) = self.substitution(class, ty);
        let supers = class.supertypes();
        supers.map(|s| if raw { erase(s) } else { substitute(s, &substitution) }).collect()
    }

    /// `ty` seen as the class `target`, with that class's type arguments.
    pub fn as_super(&self, ty: &Type, target: &str) -> Option<Type> {
        self.as_super_unseen(ty, target, &mut Vec::new())
    }

    /// No class occurs twice above another one with different type arguments, so one
    /// that was seen need not be looked at again.
    fn as_super_unseen(&self, ty: &Type, target: &str, seen: &mut Vec<Name>) -> Option<Type> {
        match ty {
            Type::Class(class) if &*class.name == target => Some(ty.clone()),
            Type::Class(class) => {
                if seen.contains(&class.name) || !self.ancestors(&class.name).set.contains(target) {
                    return None;
                }
                seen.push(class.name.clone());
                let info = self.class(&class.name)?;
                let supers = self.direct_supertypes(&info, class);
                supers.iter().find_map(|s| self.as_super_unseen(s, target, seen))
            }
            Type::Variable(variable) if seen.len() < DEPTH_MAX as usize => {
                // Bounds may be variables again: each counts as a step.
                seen.push("".into());
                let bounds = variable.bounds.iter();
                let mut bounds = bounds.map(|b| substitute(b, &[(variable.clone(), ty.clone())]));
                bounds.find_map(|b| self.as_super_unseen(&b, target, seen))
            }
            Type::Wildcard(_) if seen.len() < DEPTH_MAX as usize => {
                seen.push("".into());
                self.as_super_unseen(&self.upper(ty), target, seen)
            }
            _ => None,
        }
    }

    /// The class and all its superclasses, then all interfaces, nearer ones first.
    pub fn ancestors(&self, name: &Name) -> Arc<Ancestors> {
        if let Some(known) = self.known_ancestors(name) {
            return known;
        }
        let mut found = Ancestors::default();
        let mut interfaces = Vec::new();
        let mut next = Some(name.clone());
        while let Some(class) = next.take().filter(|c| found.set.insert(c.clone())) {
            found.is_open |= class.starts_with(MISSING);
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
            found.is_open |= class.starts_with(MISSING);
            if let Some(info) = self.class(&class) {
                interfaces.extend(info.interfaces.iter().filter_map(Type::class_name).cloned());
            }
            found.order.push(class);
        }
        let found = Arc::new(found);
        self.keep_ancestors(name, &found);
        found
    }

    /// Whether the class `name` is `target` or below it. Every class is below one
    /// that can't be found, and one that can't be found is below every class.
    pub fn is_subclass(&self, name: &Name, target: &str) -> bool {
        if &**name == target || target == "java.lang.Object" || target.starts_with(MISSING) {
            return true;
        }
        let ancestors = self.ancestors(name);
        ancestors.is_open || ancestors.set.contains(target)
    }

    /// Subtyping among erased reference types; unknown types go with everything.
    pub fn is_subtype(&self, ty: &Type, of: &Type) -> bool {
        match (ty, of) {
            (Type::Unknown | Type::Infer(_), _) | (_, Type::Unknown | Type::Infer(_)) => true,
            (Type::Null, other) => other.is_reference(),
            (Type::Primitive(a), Type::Primitive(b)) => a.widens_to(*b),
            (Type::Variable(a), Type::Variable(b)) if a == b => true,
            (Type::Variable(variable), _) if !variable.bounds.is_empty() => {
                variable.bounds.iter().any(|b| self.is_subtype(&erase(b), of))
            }
            (Type::Variable(_) | Type::Wildcard(_), _) => self.is_subtype(&self.upper(ty), of),
            (_, Type::Variable(_) | Type::Wildcard(_)) => self.is_subtype(ty, &erase(of)),
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

    /// The least type that both are, roughly: one of them, a common superclass or
    /// interface, else `Object`.
    pub fn least_upper_bound(&self, a: &Type, b: &Type) -> Type {
        match (a, b) {
            (Type::Null | Type::Unknown, other) | (other, Type::Null | Type::Unknown) => {
                return other.clone();
            }
            _ if a == b => return a.clone(),
            _ => {}
        }
        let (a, b) = (self.upper(&a.boxed()), self.upper(&b.boxed()));
        if self.is_subtype(&erase(&a), &erase(&b)) {
            return b;
        }
        let mut todo = vec![a];
        let mut common_interface = None;
        let mut seen: Vec<Name> = Vec::new();
        while let Some(ty) = todo.pop() {
            let Type::Class(class) = &ty else { continue };
            if seen.contains(&class.name) {
                continue;
            }
            seen.push(class.name.clone());
            let is_object = &*class.name == "java.lang.Object";
            if !is_object && self.is_subtype(&erase(&b), &erase(&ty)) {
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

    /// The field `name` of `ty`, inherited ones too.
    pub fn field(&self, ty: &Type, name: &str) -> Option<FoundField> {
        match ty {
            Type::Class(class) => self.field_of_class(ty, class, name),
            Type::Variable(_) | Type::Wildcard(_) => {
                let upper = self.upper(ty);
                let class = if let Type::Class(class) = &upper { class } else { return None };
                self.field_of_class(&upper, class, name)
            }
            _ => None,
        }
    }

    fn field_of_class(&self, ty: &Type, class: &ClassType, name: &str) -> Option<FoundField> {
        let own = self.class(&class.name)?;
        let declaring = match own.fields.contains_key(name) {
            true => own,
            false => {
                let ancestors = self.ancestors(&class.name);
                let mut classes = ancestors.order.iter().filter_map(|a| self.class(a));
                classes.find(|c| {
                    let field = c.fields.get(name);
                    field.is_some_and(|f| f.visibility.is_inherited(&c.name, &class.name))
                })?
            }
        };
        let (name, field) = declaring.fields.get_key_value(name)?;
        let (name, field) = (name.clone(), field.clone());
        let ty = match self.as_super(ty, &declaring.name) {
            Some(Type::Class(seen)) => {
                let (substitution, raw) = self.substitution(&declaring, &seen);
                if raw { erase(&field.ty) } else { substitute(&field.ty, &substitution) }
            }
            _ => erase(&field.ty),
        };
        Some(FoundField { class: declaring, name, field, ty })
    }

    /// Whether `class` or one of its supertypes has a method of this name.
    pub fn has_method(&self, class: &Name, name: &str) -> bool {
        let has = |c: &Name| {
            let info = self.class(c);
            info.is_some_and(|info| {
                let mut all = info.methods_named(name).iter();
                all.any(|m| m.visibility.is_inherited(c, class))
            })
        };
        has(class) || self.ancestors(class).order.iter().any(has)
    }

    /// All methods `name` of `ty`: its own before those of its superclasses before
    /// those of interfaces; overridden ones left out.
    pub fn methods(&self, ty: &Type, name: &str) -> Vec<Candidate> {
        let mut found = Vec::new();
        match ty {
            Type::Class(class) => {
                if let Some(known) = self.known_methods(class, name) {
                    return known;
                }
                self.collect_methods(class, name, &mut found);
                self.keep_methods(class, name, &found);
            }
            Type::Variable(variable) if variable.bounds.len() > 1 => {
                for bound in &variable.bounds {
                    let bound = substitute(bound, &[(variable.clone(), ty.clone())]);
                    found.extend(self.methods(&self.upper(&bound), name));
                }
            }
            Type::Variable(_) | Type::Wildcard(_) => found = self.methods(&self.upper(ty), name),
            Type::Array(_) => found = self.methods(&Type::object(), name),
            _ => {}
        }
        found
    }

    /// As javac looks for them: the superclasses, then the interfaces by their rank.
    fn collect_methods(&self, ty: &ClassType, name: &str, found: &mut Vec<Candidate>) {
        let inheriting = &ty.name;
        let mut interfaces: Vec<Arc<ClassType>> = Vec::new();
        let mut seen: Vec<Name> = Vec::new();
        let mut hidden = Vec::new();
        let mut object = None;
        let mut at = Some(Arc::new(ty.clone()));
        while let Some(ty) = at.take().filter(|t| !seen.contains(&t.name)) {
            seen.push(ty.name.clone());
            let Some(class) = self.class(&ty.name) else { break };
            self.inherited_methods(&class, &ty, name, inheriting, found, &mut hidden);
            let mut supers = self.direct_supertypes(&class, &ty).into_iter();
            if class.superclass.is_some() {
                at = supers.next().and_then(class_type);
            }
            interfaces.extend(supers.filter_map(class_type));
            if class.is_interface {
                // What every object has comes last.
                object = at.take();
            }
        }
        let mut next = 0;
        while next < interfaces.len() {
            let ty = interfaces[next].clone();
            if interfaces[..next].iter().any(|i| i.name == ty.name) {
                interfaces.remove(next);
                continue;
            }
            next += 1;
            let Some(class) = self.class(&ty.name) else { continue };
            let supers = self.direct_supertypes(&class, &ty).into_iter();
            let above = supers.skip(usize::from(class.superclass.is_some()));
            interfaces.extend(above.filter_map(class_type));
        }
        if interfaces.len() > 1 {
            interfaces.sort_by_cached_key(|i| {
                let is_library = self.class(&i.name).is_none_or(|c| !c.from_source);
                // Among equals javac goes by who was named first: mostly sources, then
                // the JDK.
                let is_foreign = !i.name.starts_with("java.");
                (Reverse(self.rank(&i.name)), is_library, is_foreign, i.name.clone())
            });
        }
        for ty in interfaces.into_iter().chain(object) {
            let Some(class) = self.class(&ty.name) else { continue };
            self.inherited_methods(&class, &ty, name, inheriting, found, &mut hidden);
        }
    }

    /// How far a class is above `Object`, by its longest way.
    fn rank(&self, name: &Name) -> u32 {
        self.rank_at(name, 0)
    }

    fn rank_at(&self, name: &Name, depth: u32) -> u32 {
        if let Some(known) = self.known_rank(name) {
            return known;
        }
        let Some(class) = self.class(name).filter(|_| depth < DEPTH_MAX) else { return 1 };
        let supers = class.supertypes().filter_map(Type::class_name);
        let rank = supers.map(|s| self.rank_at(s, depth + 1) + 1).max().unwrap_or(0);
        self.keep_rank(name, rank);
        rank
    }

    /// The methods of `class` that are members of the class `inheriting` below it.
    /// `hidden` collects the concrete ones that are overridden: they too stand for
    /// those of interfaces.
    fn inherited_methods(
        &self,
        class: &ClassInfo,
        ty: &ClassType,
        name: &str,
        inheriting: &str,
        found: &mut Vec<Candidate>,
        hidden: &mut Vec<Candidate>,
    ) {
        let mut own = Vec::new();
        self.own_methods(class, ty, name, &mut own);
        for candidate in own {
            let is_member = candidate.method.visibility.is_inherited(&class.name, inheriting);
            // An abstract method of a class does not hide that of an interface beside it.
            let hides = |f: &Candidate| {
                overrides(f, &candidate)
                    && (!f.method.is_abstract || self.is_subclass(&f.method.class, &class.name))
            };
            if !is_member || hidden.iter().any(|h| overrides(h, &candidate)) {
                continue;
            }
            if !found.iter().any(hides) {
                found.push(candidate);
            } else if !class.is_interface && !candidate.method.is_abstract {
                hidden.push(candidate);
            }
        }
    }

    fn own_methods(
        &self,
        class: &ClassInfo,
        ty: &ClassType,
        name: &str,
        found: &mut Vec<Candidate>,
    ) {
        let methods = class.methods_named(name);
        if methods.is_empty() {
            return;
        }
        let (substitution, raw) = self.substitution(class, ty);
        let substitution = Arc::new(substitution);
        for method in methods {
            let candidate =
                Candidate { method: method.clone(), substitution: substitution.clone(), raw };
            if !found.iter().any(|f| overrides(f, &candidate)) {
                found.push(candidate);
            }
        }
    }

    /// The one abstract method of a functional interface, as a member of `ty`.
    pub fn functional_method(&self, ty: &Type) -> Option<Candidate> {
        let Type::Class(class_type) = ty else { return None };
        let mut todo = vec![(**class_type).clone()];
        let mut seen: Vec<Name> = Vec::new();
        let mut found: Vec<Candidate> = Vec::new();
        while let Some(ty) = todo.pop() {
            if seen.contains(&ty.name) || seen.len() > DEPTH_MAX as usize {
                continue;
            }
            seen.push(ty.name.clone());
            let class = self.class(&ty.name)?;
            if !class.is_interface {
                continue;
            }
            let mut names: Vec<&Name> = class.methods.keys().collect();
            names.sort();
            for name in names {
                if !is_object_method(name, class.methods_named(name)) {
                    self.own_methods(&class, &ty, name, &mut found);
                }
            }
            todo.extend(self.direct_supertypes(&class, &ty).iter().filter_map(|s| match s {
                Type::Class(class) => Some((**class).clone()),
                _ => None,
            }));
        }
        let mut open = found.into_iter().filter(|c| c.method.is_abstract && !c.method.is_static);
        let first = open.next()?;
        // Same name and arity again is the same method seen through two interfaces.
        let same = |c: Candidate| {
            c.method.name == first.method.name
                && c.method.parameters.len() == first.method.parameters.len()
        };
        open.all(same).then_some(first)
    }
}

fn class_type(ty: Type) -> Option<Arc<ClassType>> {
    match ty {
        Type::Class(class) => Some(class),
        _ => None,
    }
}

/// Whether all methods of this name are those that every object has.
fn is_object_method(name: &str, methods: &[Arc<MethodInfo>]) -> bool {
    let arity = match name {
        "equals" => 1,
        "hashCode" | "toString" => 0,
        _ => return false,
    };
    methods.iter().all(|m| m.parameters.len() == arity)
}

/// `?` for a parameter with a bound is `? extends` that bound (as capture has it).
fn with_bound(argument: &Type, parameter: &TypeVariable) -> Type {
    match (argument, parameter.bounds.first()) {
        (Type::Wildcard(wildcard), Some(bound)) if **wildcard == Wildcard::Any => {
            Type::Wildcard(Arc::new(Wildcard::Extends(erase(bound))))
        }
        _ => argument.clone(),
    }
}

/// Whether `first`, found lower in the hierarchy, overrides or hides `second`.
fn overrides(first: &Candidate, second: &Candidate) -> bool {
    let (a, b) = (&first.method.parameters, &second.method.parameters);
    first.method.name == second.method.name
        && a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| match (a, b) {
            // Cheap, and enough for most.
            (Type::Primitive(a), Type::Primitive(b)) => a == b,
            (Type::Class(a), Type::Class(b)) => a.name == b.name,
            (Type::Primitive(_), _) | (_, Type::Primitive(_)) => false,
            _ => true,
        })
        && a.iter().zip(b).all(|(a, b)| {
            let a = erase(&substitute(a, &first.substitution));
            a == erase(&substitute(b, &second.substitution)) || a == erase(b)
        })
}
