//! Look-up of the nearest class that declares a member. A result is cached for all classes on the
//! way, so that names cost the same however long a chain of classes is.

use std::sync::Arc;

use super::candidates::MemberKind;
use super::class::ClassInfo;
use super::fast_hash::Set;
use super::resolver::Resolver;
use super::types::{Name, Type};

impl Resolver<'_> {
    /// Returns the first class that declares the member and is wanted, in this order: `class`, its
    /// superclasses, then their interfaces, nearer ones first.
    pub(super) fn declarer(
        &self,
        class: &Name,
        (kind, name): (MemberKind, &str),
        is_wanted: impl Fn(&ClassInfo) -> bool,
    ) -> Option<Arc<ClassInfo>> {
        let mut seen: Set<Name> = Set::default();
        let mut at = Some(class.clone());
        while let Some(nearest) = at.take().and_then(|c| self.nearest_declarer(&c, kind, name)) {
            let declarer = self.class(&nearest)?;
            if is_wanted(&declarer) {
                return Some(declarer);
            }
            if seen.insert(nearest) {
                at = superclass(&declarer);
            }
        }
        let interfaces = self.interfaces_above(class);
        let mut interfaces = interfaces.iter().filter_map(|interface| self.class(interface));
        interfaces.find(|interface| kind.is_in(interface, name) && is_wanted(interface))
    }

    fn nearest_declarer(&self, class: &Name, kind: MemberKind, name: &str) -> Option<Name> {
        let key = (kind, name.to_owned());
        let mut walked: Set<Name> = Set::default();
        let mut at = Some(class.clone());
        let mut found = None;
        while let Some(class) = at.take() {
            let known =
                self.declarers.borrow().get(&key).and_then(|known| known.get(&class).cloned());
            if let Some(known) = known {
                found = known;
                break;
            }
            let Some(info) = self.class(&class).filter(|_| walked.insert(class.clone())) else {
                break;
            };
            if kind.is_in(&info, name) {
                found = Some(class);
                break;
            }
            at = superclass(&info);
        }
        if walked.iter().all(|class| self.is_settled(class)) {
            let walked = walked.into_iter().map(|class| (class, found.clone()));
            self.declarers.borrow_mut().entry(key).or_default().extend(walked);
        }
        found
    }

    /// Returns the interfaces of a class and of its superclasses, then those above them.
    fn interfaces_above(&self, class: &Name) -> Arc<[Name]> {
        let mut walked: Set<Name> = Set::default();
        // Classes that add no interfaces have those of their superclasses.
        let mut alike: Vec<Name> = Vec::new();
        let mut direct: Vec<Name> = Vec::new();
        let mut at = Some(class.clone());
        let mut known = None;
        while let Some(class) = at.take() {
            known = self.interfaces.borrow().get(&class).filter(|_| direct.is_empty()).cloned();
            if known.is_some() {
                break;
            }
            let Some(info) = self.class(&class).filter(|_| walked.insert(class.clone())) else {
                break;
            };
            if direct.is_empty() {
                alike.push(class);
            }
            direct.extend(info.interfaces.iter().filter_map(Type::class_name).cloned());
            at = superclass(&info);
        }
        let found = known.unwrap_or_else(|| self.interfaces_from(direct));
        if walked.iter().all(|class| self.is_settled(class)) {
            let alike = alike.into_iter().map(|class| (class, found.clone()));
            self.interfaces.borrow_mut().extend(alike);
        }
        found
    }

    fn interfaces_from(&self, direct: Vec<Name>) -> Arc<[Name]> {
        let mut seen: Set<Name> = Set::default();
        let mut found = direct;
        found.retain(|interface| seen.insert(interface.clone()));
        let mut next = 0;
        while next < found.len() {
            if let Some(info) = self.class(&found[next]) {
                let above = info.interfaces.iter().filter_map(Type::class_name);
                found.extend(above.filter(|above| seen.insert((*above).clone())).cloned());
            }
            next += 1;
        }
        found.into()
    }
}

fn superclass(class: &ClassInfo) -> Option<Name> {
    class.superclass.as_ref().and_then(Type::class_name).cloned()
}
