//! Hashes of the resolved classes of a program, for cache invalidation: while the hashes of all
//! classes that a file's analysis looked up are the same, its results are valid.
//!
//! The hashes are of the resolved class, not of its text: a class whose declaration stays as it
//! is gets another hash when a name in it resolves to another class. All fields are destructured
//! by name below, so that the compiler reports new ones.

use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::class::{ClassInfo, FieldInfo, MethodInfo, Visibility};
use super::class_members::ClassMembers;
use super::constants::is_constant;
use super::fast_hash::Map;
use super::file_unit::ClassDecl;
use super::members::FoundField;
use super::read_set::{ClassNameHash, ReadSet};
use super::resolver::Resolver;
use super::types::{ClassType, Name, Type, TypeVariable, Wildcard};

/// Hash of all classes that a file's analysis looked up.
pub type AnswerHash = [u8; 16];

/// Hashes of all resolved classes of the sources, by hash of their names. Classes that the
/// sources don't declare depend on the class path alone.
#[derive(Debug, Default)]
pub struct ClassFingerprints(Map<ClassNameHash, u128>);

/// Names of the classes that a file's analysis looked up, with a hash of what it found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DependencyFingerprint {
    /// Hashes of the names, ascending.
    pub asked: Vec<u32>,
    /// Hash of all these classes.
    pub answers: AnswerHash,
}

impl ClassFingerprints {
    /// Computes the hashes of the classes of the sources.
    pub(crate) fn of(classes: &ClassMembers<'_>) -> ClassFingerprints {
        let names = classes.declarations().names();
        let each: Vec<(ClassNameHash, u128)> =
            names.map(|name| (ClassNameHash::of(name), fingerprint_class(classes, name))).collect();
        let mut all = Map::with_capacity_and_hasher(each.len(), Default::default());
        for (name, answer) in each {
            // Classes with one short name answer together, in any order.
            *all.entry(name).or_default() ^= answer;
        }
        ClassFingerprints(all)
    }

    /// Returns the fingerprint of the classes with these name hashes (ascending) in this program.
    pub fn fingerprint_of(&self, asked: Vec<u32>) -> DependencyFingerprint {
        let answers = self.hash_answers(&asked);
        DependencyFingerprint { asked, answers }
    }

    /// Whether the classes of a recorded fingerprint have the same hashes in this program.
    pub fn are_unchanged(&self, recorded: &DependencyFingerprint) -> bool {
        self.hash_answers(&recorded.asked) == recorded.answers
    }

    fn hash_answers(&self, asked: &[u32]) -> AnswerHash {
        let mut hasher = blake3::Hasher::new();
        for name in asked {
            if let Some(answer) = self.0.get(&ClassNameHash(*name)) {
                hasher.update(&name.to_le_bytes());
                hasher.update(&answer.to_le_bytes());
            }
        }
        truncate_hash(&hasher.finalize())
    }
}

fn truncate_hash(hash: &blake3::Hash) -> AnswerHash {
    let mut short = AnswerHash::default();
    short.copy_from_slice(&hash.as_bytes()[..size_of::<AnswerHash>()]);
    short
}

/// Computes the hash of one class of the sources.
fn fingerprint_class(classes: &ClassMembers<'_>, name: &Name) -> u128 {
    let asked = ReadSet::default();
    let mut told = FingerprintEncoder(Vec::new());
    if let Some(declared) = classes.declarations().site(name, &asked) {
        // Another file that declares it, too, has its members from this one.
        told.text(&declared.file.source.path);
        told.declaration(declared.class, declared.outer());
        let supertypes = classes.hierarchy.supertypes_of(name);
        told.list(supertypes.iter(), |told, name| told.text(name));
        if let Some(info) = classes.source_class(name, &asked) {
            told.class(&info, &ConstantFields(Resolver::new(classes, declared.file)));
        }
    }
    u128::from_le_bytes(truncate_hash(&blake3::hash(&told.0)))
}

/// Evaluates which fields of a class are constant variables, with the resolver of its file.
struct ConstantFields<'w>(Resolver<'w>);

impl ConstantFields<'_> {
    fn has(&self, class: &Arc<ClassInfo>, name: &Name, field: &FieldInfo) -> bool {
        let (class, field) = (class.clone(), field.clone());
        let found = FoundField { class, name: name.clone(), ty: field.ty.clone(), field };
        is_constant(&self.0, &found)
    }
}

/// Encoder of a class as bytes for hashing, without ambiguity: lists begin with their lengths,
/// variants with their numbers.
struct FingerprintEncoder(Vec<u8>);

impl FingerprintEncoder {
    fn number(&mut self, number: usize) {
        self.0.extend((number as u64).to_le_bytes());
    }

    fn variant(&mut self, number: u8) {
        self.0.push(number);
    }

    fn flag(&mut self, flag: bool) {
        self.variant(u8::from(flag));
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.0.extend(text.as_bytes());
    }

    fn list<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T>,
        mut tell: impl FnMut(&mut FingerprintEncoder, T),
    ) {
        self.number(items.len());
        items.for_each(|item| tell(self, item));
    }

    /// Encodes a map in the order of its keys.
    fn map<K: Ord + AsRef<str>, V>(
        &mut self,
        map: &Map<K, V>,
        mut tell: impl FnMut(&mut FingerprintEncoder, &K, &V),
    ) {
        let mut entries: Vec<(&K, &V)> = map.iter().collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
        self.list(entries.into_iter(), |told, (key, value)| {
            told.text(key.as_ref());
            tell(told, key, value);
        });
    }

    fn visibility(&mut self, visibility: Visibility) {
        self.variant(visibility as u8);
    }

    /// Encodes a declaration without its node, since its position changes nothing for other files.
    fn declaration(&mut self, class: &ClassDecl, around: Option<&ClassDecl>) {
        let ClassDecl { name, node: _, outer: _, visibility, is_inner, is_generic, members } =
            class;
        self.text(name);
        self.text(around.map_or("", |around| &around.name));
        self.visibility(*visibility);
        self.flag(*is_inner);
        self.flag(*is_generic);
        self.map(members, |told, _, name| told.text(name));
    }

    fn class(&mut self, class: &Arc<ClassInfo>, constants: &ConstantFields<'_>) {
        let ClassInfo {
            name,
            visibility,
            is_interface,
            is_enum,
            from_source,
            type_parameters,
            outer_parameters,
            superclass,
            interfaces,
            fields,
            methods,
            members,
            components,
            declaration: _,
        } = &**class;
        self.text(name);
        self.visibility(*visibility);
        [is_interface, is_enum, from_source].into_iter().for_each(|flag| self.flag(*flag));
        self.list(type_parameters.iter(), |told, variable| told.variable(variable));
        self.list(outer_parameters.iter(), |told, variable| told.variable(variable));
        self.list(superclass.iter(), FingerprintEncoder::ty);
        self.list(interfaces.iter(), FingerprintEncoder::ty);
        self.map(fields, |told, name, field| {
            told.field(field);
            told.flag(constants.has(class, name, field));
        });
        self.map(methods, |told, _, methods| {
            told.list(methods.iter(), |told, method| told.method(method));
        });
        self.map(members, |told, _, name| told.text(name));
        self.list(components.iter(), |told, (name, ty)| {
            told.text(name);
            told.ty(ty);
        });
    }

    /// Encodes a field without its constancy, which is encoded apart.
    fn field(&mut self, field: &FieldInfo) {
        let FieldInfo { ty, visibility, constancy: _, is_static } = field;
        self.ty(ty);
        self.visibility(*visibility);
        self.flag(*is_static);
    }

    fn method(&mut self, method: &MethodInfo) {
        let MethodInfo {
            class,
            name,
            type_parameters,
            parameters,
            returns,
            varargs,
            visibility,
            is_static,
            declaration,
            is_abstract,
            from_source,
            is_large,
        } = method;
        self.text(class);
        self.text(name);
        self.list(type_parameters.iter(), |told, variable| told.variable(variable));
        self.list(parameters.iter(), FingerprintEncoder::ty);
        self.ty(returns);
        self.visibility(*visibility);
        let is_written = declaration.is_some();
        [*varargs, *is_static, is_written, *is_abstract, *from_source, *is_large]
            .into_iter()
            .for_each(|flag| self.flag(flag));
    }

    fn variable(&mut self, variable: &TypeVariable) {
        let TypeVariable { owner, name, bounds } = variable;
        // A method's variables are owned by its name and its node, which changes with every
        // line above; within a signature no other method's can occur.
        let owner = owner.split_once('#').map_or(&**owner, |(method, _)| method);
        self.text(owner);
        self.text(name);
        self.list(bounds.iter(), FingerprintEncoder::ty);
    }

    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Unknown => self.variant(0),
            Type::Void => self.variant(1),
            Type::Null => self.variant(2),
            Type::Primitive(primitive) => {
                self.variant(3);
                self.variant(*primitive as u8);
            }
            Type::Class(class) => {
                let ClassType { name, args } = &**class;
                self.variant(4);
                self.text(name);
                self.list(args.iter(), FingerprintEncoder::ty);
            }
            Type::Array(element) => {
                self.variant(5);
                self.ty(element);
            }
            Type::Variable(variable) => {
                self.variant(6);
                self.variable(variable);
            }
            Type::Wildcard(wildcard) => self.wildcard(wildcard),
            Type::Infer(number) => {
                self.variant(8);
                self.number(*number as usize);
            }
        }
    }

    fn wildcard(&mut self, wildcard: &Wildcard) {
        self.variant(7);
        match wildcard {
            Wildcard::Any => self.variant(0),
            Wildcard::Extends(bound) => {
                self.variant(1);
                self.ty(bound);
            }
            Wildcard::Super(bound) => {
                self.variant(2);
                self.ty(bound);
            }
        }
    }
}
