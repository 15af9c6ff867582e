//! Members of a type: its fields and methods, inherited ones too, in javac's look-up order.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::Arc;

use super::candidates::{CandidateMethod, MemberKind};
use super::class::{ClassInfo, FieldInfo, MethodInfo, Visibility};
use super::fast_hash::{Map, Set};
use super::resolver::Resolver;
use super::subtyping::DEPTH_MAX;
use super::types::{ClassType, Name, Type, erase_type, substitute_variables};

/// First Java release whose javac finds `Object`'s methods last on interfaces.
const OBJECT_IS_LAST: u16 = 18;

/// First Java release whose javac orders interfaces of one rank by name.
const ORDERED_BY_NAME: u16 = 22;

/// Field as a member of a type, with the class that declares it.
pub(crate) struct FoundField {
    pub class: Arc<ClassInfo>,
    pub name: Name,
    pub field: FieldInfo,
    /// Type of the field, with the receiver's type arguments substituted.
    pub ty: Type,
}

impl Resolver<'_> {
    /// Finds the field `name` of `ty`, inherited ones too.
    pub fn field(&self, ty: &Type, name: &str) -> Option<FoundField> {
        match ty {
            Type::Class(class) => self.field_of_class(ty, class, name),
            Type::Variable(_) | Type::Wildcard(_) => {
                let upper = self.upper_bound(ty);
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
            false => self.declarer(&class.name, (MemberKind::Field, name), |c| {
                let field = c.fields.get(name);
                field.is_some_and(|f| f.visibility.is_inherited(&c.name, &class.name))
            })?,
        };
        let (name, field) = declaring.fields.get_key_value(name)?;
        let (name, field) = (name.clone(), field.clone());
        if field.is_static || declaring.parameters().next().is_none() {
            let ty = field.ty.clone();
            return Some(FoundField { class: declaring, name, field, ty });
        }
        let ty = match self.as_super(ty, &declaring.name) {
            Some(Type::Class(seen)) => {
                let (substitution, raw) = self.substitution(&declaring, &seen);
                if raw {
                    erase_type(&field.ty)
                } else {
                    substitute_variables(&field.ty, &substitution)
                }
            }
            _ => erase_type(&field.ty),
        };
        Some(FoundField { class: declaring, name, field, ty })
    }

    /// Whether `class` or one of its supertypes has a method of this name.
    pub(crate) fn has_method(&self, class: &Name, name: &str) -> bool {
        let is_there = |c: &ClassInfo| {
            let mut all = c.methods_named(name).iter();
            all.any(|m| m.visibility.is_inherited(&c.name, class))
        };
        self.declarer(class, (MemberKind::Method, name), is_there).is_some()
    }

    /// Returns all methods `name` of `ty`: its own before those of its superclasses before those of
    /// interfaces; overridden ones left out.
    pub fn methods(&self, ty: &Type, name: &str) -> Vec<CandidateMethod> {
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
                    let bound = substitute_variables(bound, &[(variable.clone(), ty.clone())]);
                    found.extend(self.methods(&self.upper_bound(&bound), name));
                }
            }
            Type::Variable(_) | Type::Wildcard(_) => {
                found = self.methods(&self.upper_bound(ty), name)
            }
            Type::Array(_) => found = self.methods(&Type::object(), name),
            _ => {}
        }
        found
    }

    /// Collects methods in javac's order: the superclasses, then the interfaces by their rank.
    fn collect_methods(&self, ty: &ClassType, name: &str, found: &mut Vec<CandidateMethod>) {
        let inheriting = &ty.name;
        let mut interfaces: Vec<Arc<ClassType>> = Vec::new();
        let mut seen: Set<Name> = Set::default();
        let mut hidden = Vec::new();
        let mut object = None;
        let mut at = Some(Arc::new(ty.clone()));
        while let Some(ty) = at.take().filter(|t| seen.insert(t.name.clone())) {
            let Some(class) = self.class(&ty.name) else { break };
            self.inherited_methods(&class, &ty, name, inheriting, found, &mut hidden);
            let mut supers = self.direct_supertypes(&class, &ty).into_iter();
            if class.superclass.is_some() {
                at = supers.next().and_then(class_type);
            }
            interfaces.extend(supers.filter_map(class_type));
            if class.is_interface && self.names.lookup.release() >= OBJECT_IS_LAST {
                object = at.take();
            }
        }
        let mut interfaces = self.with_superinterfaces(interfaces);
        if interfaces.len() > 1 {
            interfaces.sort_by_cached_key(|i| self.interface_precedence(&i.name));
        }
        for ty in interfaces.into_iter().chain(object) {
            let Some(class) = self.class(&ty.name) else { continue };
            self.inherited_methods(&class, &ty, name, inheriting, found, &mut hidden);
        }
    }

    /// Returns interfaces and those above them, nearer ones first, each once.
    fn with_superinterfaces(&self, interfaces: Vec<Arc<ClassType>>) -> Vec<Arc<ClassType>> {
        let mut seen: Set<Name> = Set::default();
        let mut todo = VecDeque::from(interfaces);
        let mut found = Vec::new();
        while let Some(ty) = todo.pop_front() {
            if !seen.insert(ty.name.clone()) {
                continue;
            }
            if let Some(class) = self.class(&ty.name) {
                let supers = self.direct_supertypes(&class, &ty).into_iter();
                let above = supers.skip(usize::from(class.superclass.is_some()));
                todo.extend(above.filter_map(class_type));
            }
            found.push(ty);
        }
        found
    }

    /// Returns the sort key of an interface in javac's order: those with the longest way to
    /// `Object` first; among equals by name, before release 22 those that were named last in the
    /// compilation first, the sources' own mostly at the end.
    fn interface_precedence(&self, name: &Name) -> (Reverse<u32>, u8, String) {
        let is_source = || self.class(name).is_some_and(|class| class.from_source);
        let sort = match self.names.lookup.release() {
            ORDERED_BY_NAME.. => 0,
            _ if is_source() => 2,
            _ => u8::from(!name.starts_with("java.")),
        };
        (Reverse(self.rank(name)), sort, name.replace('$', "."))
    }

    /// Returns the length of the longest way from a class to `Object`.
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

    /// Adds the methods of `class` that are members of its subclass `inheriting`. `hidden` collects
    /// the concrete ones that are overridden: they too implement those of interfaces.
    fn inherited_methods(
        &self,
        class: &ClassInfo,
        ty: &ClassType,
        name: &str,
        inheriting: &str,
        found: &mut Vec<CandidateMethod>,
        hidden: &mut Vec<CandidateMethod>,
    ) {
        let mut own = Vec::new();
        self.own_methods(class, ty, name, &mut own);
        for candidate in own {
            let is_member = candidate.method.visibility.is_inherited(&class.name, inheriting);
            // An abstract method of a class does not hide that of an interface beside it.
            let hides = |f: &CandidateMethod| {
                overrides(f, &candidate)
                    && (!f.method.is_abstract || self.is_subclass(&f.method.class, &class.name))
            };
            if !is_member || hidden.iter().any(|h| overrides(h, &candidate)) {
                continue;
            }
            let hiding = found.iter().filter(|f| hides(f)).count();
            // Which of several interfaces is meant isn't said: then it is that of `Object`.
            if hiding == 0 || (hiding > 1 && &*class.name == "java.lang.Object") {
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
        found: &mut Vec<CandidateMethod>,
    ) {
        let methods = class.methods_named(name);
        if methods.is_empty() {
            return;
        }
        let (substitution, raw) = self.substitution(class, ty);
        let substitution = Arc::new(substitution);
        for method in methods {
            let candidate =
                CandidateMethod { method: method.clone(), substitution: substitution.clone(), raw };
            if !found.iter().any(|f| overrides(f, &candidate)) {
                found.push(candidate);
            }
        }
    }

    /// Returns pairs of a method of the sources above a source class and the method that overrides
    /// or implements it on objects of that class.
    pub(crate) fn overriding_pairs(
        &self,
        class: &ClassInfo,
    ) -> Vec<(Arc<MethodInfo>, Arc<MethodInfo>)> {
        let this = class.this_type();
        let ancestors = self.ancestors(&class.name);
        let supertypes = self.all_supertypes(&this);
        let unique = self.unique_methods(&ancestors.order);
        let mut found = Vec::new();
        for name in ancestors.order.iter().filter(|name| **name != class.name) {
            let Some(above) = self.class(name).filter(|above| above.from_source) else { continue };
            let Some(ty) = supertypes.get(name) else { continue };
            let (substitution, raw) = self.substitution(&above, ty);
            let substitution = Arc::new(substitution);
            let others = above.methods.iter().filter(|(name, _)| !unique.contains(*name));
            for method in others.flat_map(|(_, m)| m).filter(|m| is_dispatched(m)) {
                let (method, substitution) = (method.clone(), substitution.clone());
                let overridden = CandidateMethod { method, substitution, raw };
                let members = self.methods(&this, &overridden.method.name);
                let runs = members.into_iter().find(|member| {
                    !member.method.is_static
                        && (Arc::ptr_eq(&member.method, &overridden.method)
                            || overrides(member, &overridden))
                });
                let runs = runs.map(|member| member.method);
                let runs = runs.filter(|runs| !Arc::ptr_eq(runs, &overridden.method));
                found.extend(runs.map(|runs| (overridden.method, runs)));
            }
        }
        found
    }

    /// Returns the method names of which one of the classes has one method, and the others none, so
    /// that nothing overrides it.
    fn unique_methods(&self, classes: &[Name]) -> Set<Name> {
        let mut counts: Map<Name, usize> = Map::default();
        for class in classes.iter().filter_map(|class| self.class(class)) {
            for (name, methods) in &class.methods {
                *counts.entry(name.clone()).or_default() += methods.len();
            }
        }
        counts.into_iter().filter(|(_, count)| *count == 1).map(|(name, _)| name).collect()
    }

    /// Returns the one abstract method of a functional interface, as a member of `ty`.
    pub(crate) fn functional_method(&self, ty: &Type) -> Option<CandidateMethod> {
        let Type::Class(class_type) = ty else { return None };
        let mut todo = vec![(**class_type).clone()];
        let mut seen: Vec<Name> = Vec::new();
        let mut found: Vec<CandidateMethod> = Vec::new();
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
        let same = |c: CandidateMethod| {
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

/// Whether a call of the method is dispatched by the receiver's class.
pub(crate) fn is_dispatched(method: &MethodInfo) -> bool {
    !method.is_static && method.visibility != Visibility::Private && &*method.name != "<init>"
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
/// Whether `first`, found lower in the hierarchy, overrides or hides `second`.
fn overrides(first: &CandidateMethod, second: &CandidateMethod) -> bool {
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
            let a = erase_type(&substitute_variables(a, &first.substitution));
            a == erase_type(&substitute_variables(b, &second.substitution)) || a == erase_type(b)
        })
}
