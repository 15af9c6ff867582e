//! Conversion of class files to class descriptions.

use std::sync::Arc;

use cafebabe::attributes::{AttributeData, AttributeInfo, InnerClassAccessFlags, InnerClassEntry};
use cafebabe::{
    ClassAccessFlags, ClassFile, FieldAccessFlags, FieldInfo as FileField, MethodAccessFlags,
    MethodInfo as FileMethod, ParseOptions,
};

use super::signature::SignatureReader;
use crate::java::class::{ClassInfo, Constancy, FieldInfo, MethodInfo, Visibility};
use crate::java::fast_hash::Map;
use crate::java::types::{Name, Type, TypeVariable};

/// Converts the class file of a library class, with `find` for the class around it; `None` if
/// the bytes are no class file.
pub(super) fn class_info(
    bytes: &[u8],
    find: impl Fn(&str) -> Option<Arc<ClassInfo>>,
) -> Option<ClassInfo> {
    read_class(bytes, MemberOwner::LibraryClass, find)
}

/// Converts the class file of a class of the sources, private members included.
pub(super) fn source_class_info(
    bytes: &[u8],
    find: impl Fn(&str) -> Option<Arc<ClassInfo>>,
) -> Option<ClassInfo> {
    read_class(bytes, MemberOwner::SourceClass, find)
}

/// Origin of a class file: private members of library classes are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemberOwner {
    SourceClass,
    LibraryClass,
}

fn read_class(
    bytes: &[u8],
    whose: MemberOwner,
    find: impl Fn(&str) -> Option<Arc<ClassInfo>>,
) -> Option<ClassInfo> {
    let mut options = ParseOptions::default();
    options.parse_bytecode(false);
    let file = cafebabe::parse_class_with_options(bytes, &options).ok()?;
    let name: Name = file.this_class.replace('/', ".").into();
    let mut class = ClassInfo {
        is_interface: file.access_flags.contains(ClassAccessFlags::INTERFACE),
        is_enum: file.access_flags.contains(ClassAccessFlags::ENUM),
        visibility: member_visibility(&file),
        name: name.clone(),
        members: member_classes(&file),
        ..ClassInfo::default()
    };
    let outer = outer_of(&file).and_then(|outer| find(&outer));
    class.outer_parameters = outer.map_or_else(Vec::new, |o| o.parameters().cloned().collect());
    supertypes(&file, &mut class);
    // Looked up from the end.
    let mut scope: Vec<Arc<TypeVariable>> = class.parameters().cloned().collect();
    scope.reverse();
    class.fields = file.fields.iter().filter_map(|f| field(f, whose, &scope)).collect();
    class.methods = methods(&file, &name, whose, &scope);
    Some(class)
}

/// Returns the visibility of access flags (JVMS table 4.5-A).
fn visibility(flags: u16) -> Visibility {
    match flags & 0x7 {
        0 => Visibility::Package,
        2 => Visibility::Private,
        _ => Visibility::Open,
    }
}

/// Iterates over all inner classes that a class file mentions.
fn inner_classes<'f>(file: &'f ClassFile<'_>) -> impl Iterator<Item = &'f InnerClassEntry<'f>> {
    let entries = file.attributes.iter().filter_map(|a| match &a.data {
        AttributeData::InnerClasses(entries) => Some(entries),
        _ => None,
    });
    entries.flatten()
}

/// Returns a class's own entry among the inner classes.
fn own_entry<'f>(file: &'f ClassFile<'_>) -> Option<&'f InnerClassEntry<'f>> {
    inner_classes(file).find(|e| *e.inner_class_info == *file.this_class)
}

/// Returns the class's own member classes, all of which a class file lists (JVMS 4.7.6).
fn member_classes(file: &ClassFile<'_>) -> Map<Name, Name> {
    let own = |e: &&InnerClassEntry<'_>| e.outer_class_info.as_deref() == Some(&*file.this_class);
    let names = |e: &InnerClassEntry<'_>| {
        let simple = e.inner_name.as_deref()?;
        Some((simple.into(), e.inner_class_info.replace('/', ".").into()))
    };
    inner_classes(file).filter(own).filter_map(names).collect()
}

/// Returns the class around an inner class, one that is not static.
fn outer_of(file: &ClassFile<'_>) -> Option<String> {
    let entry = own_entry(file)?;
    let outer = entry.outer_class_info.as_deref()?;
    let is_static = entry.access_flags.contains(InnerClassAccessFlags::STATIC);
    // Names that get shorter come to an end.
    let is_inner = !is_static && file.this_class.len() > outer.len();
    is_inner.then(|| outer.replace('/', "."))
}

/// Returns the visibility in a member class's own entry among the inner classes, or in the flags
/// of a top-level class.
fn member_visibility(file: &ClassFile<'_>) -> Visibility {
    let own = own_entry(file);
    let is_public = file.access_flags.contains(ClassAccessFlags::PUBLIC);
    let top_level = if is_public { Visibility::Open } else { Visibility::Package };
    own.map_or(top_level, |e| visibility(e.access_flags.bits()))
}

fn signature_of<'a>(attributes: &'a [AttributeInfo<'_>]) -> Option<&'a str> {
    attributes.iter().find_map(|a| match &a.data {
        AttributeData::Signature(text) => Some(&**text),
        _ => None,
    })
}

/// Sets type parameters, superclass and interfaces: generic if the signature is readable.
fn supertypes(file: &ClassFile<'_>, class: &mut ClassInfo) {
    let plain = |name: &str| Type::class(name.replace('/', "."));
    class.superclass = file.super_class.as_ref().map(|n| plain(n));
    class.interfaces = file.interfaces.iter().map(|n| plain(n)).collect();
    let Some(text) = signature_of(&file.attributes) else { return };
    let mut around = class.outer_parameters.clone();
    around.reverse();
    let mut signature = SignatureReader::new(text, around);
    let Some(parameters) = signature.type_parameters(&class.name) else { return };
    class.type_parameters = parameters;
    let Some(superclass) = signature.ty() else { return };
    let interfaces: Option<Vec<Type>> = class.interfaces.iter().map(|_| signature.ty()).collect();
    if let Some(interfaces) = interfaces {
        class.superclass = Some(superclass);
        class.interfaces = interfaces;
    }
}

fn field(
    field: &FileField<'_>,
    whose: MemberOwner,
    scope: &[Arc<TypeVariable>],
) -> Option<(Name, FieldInfo)> {
    let flags = field.access_flags;
    let is_private =
        flags.contains(FieldAccessFlags::PRIVATE) && whose == MemberOwner::LibraryClass;
    if is_private || flags.contains(FieldAccessFlags::SYNTHETIC) {
        return None;
    }
    let read = |text: &str| SignatureReader::new(text, scope.to_vec()).ty();
    let ty = signature_of(&field.attributes)
        .and_then(read)
        .or_else(|| read(&field.descriptor.to_string()))?;
    let has_value =
        field.attributes.iter().any(|a| matches!(a.data, AttributeData::ConstantValue(_)));
    let constant = has_value && field.access_flags.contains(FieldAccessFlags::FINAL);
    let constancy = if constant { Constancy::Yes } else { Constancy::No };
    Some((
        field.name.as_ref().into(),
        FieldInfo {
            ty,
            visibility: visibility(flags.bits()),
            constancy,
            is_static: flags.contains(FieldAccessFlags::STATIC),
        },
    ))
}

fn methods(
    file: &ClassFile<'_>,
    class: &Name,
    whose: MemberOwner,
    scope: &[Arc<TypeVariable>],
) -> Map<Name, Vec<Arc<MethodInfo>>> {
    let mut methods: Map<Name, Vec<Arc<MethodInfo>>> = Map::default();
    for (index, found) in file.methods.iter().enumerate() {
        if is_hidden(found.access_flags, class, whose) || found.name == "<clinit>" {
            continue;
        }
        let owner: Name = format!("{class}.{}#{index}", found.name).into();
        if let Some(method) = method(found, class, &owner, scope) {
            methods.entry(method.name.clone()).or_default().push(Arc::new(method));
        }
    }
    methods
}

/// Whether a method is synthetic, or inaccessible for every class but its own (the JDK's
/// packages are closed to analysed sources).
fn is_hidden(flags: MethodAccessFlags, class: &str, whose: MemberOwner) -> bool {
    let generated = MethodAccessFlags::SYNTHETIC | MethodAccessFlags::BRIDGE;
    let open = MethodAccessFlags::PUBLIC | MethodAccessFlags::PROTECTED;
    let is_private =
        flags.contains(MethodAccessFlags::PRIVATE) && whose == MemberOwner::LibraryClass;
    is_private
        || flags.intersects(generated)
        || (class.starts_with("java.") && !flags.intersects(open))
}

fn method(
    method: &FileMethod<'_>,
    class: &Name,
    owner: &Name,
    scope: &[Arc<TypeVariable>],
) -> Option<MethodInfo> {
    let descriptor = method.descriptor.to_string();
    let (plain, plain_return) = SignatureReader::new(&descriptor, Vec::new()).method()?;
    let generic = signature_of(&method.attributes).and_then(|text| {
        let mut signature = SignatureReader::new(text, scope.to_vec());
        let type_parameters = signature.type_parameters(owner)?;
        let (parameters, returns) = signature.method()?;
        // Inner and enum constructors hide parameters that the signature lacks.
        (parameters.len() <= plain.len()).then_some((type_parameters, parameters, returns))
    });
    let (type_parameters, parameters, returns) =
        generic.unwrap_or((Vec::new(), plain, plain_return));
    Some(MethodInfo {
        class: class.clone(),
        name: method.name.as_ref().into(),
        type_parameters,
        parameters,
        returns,
        varargs: method.access_flags.contains(MethodAccessFlags::VARARGS),
        is_static: method.access_flags.contains(MethodAccessFlags::STATIC),
        visibility: visibility(method.access_flags.bits()),
        declaration: None,
        is_abstract: method.access_flags.contains(MethodAccessFlags::ABSTRACT),
        from_source: false,
        is_large: false,
    })
}
