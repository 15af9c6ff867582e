//! Conversion of class declarations to class descriptions: type parameters, supertypes and
//! members, implicit ones included (default constructors, enum and record members).

use std::sync::Arc;

use super::class::{ClassInfo, Constancy, FieldInfo, MethodInfo, Visibility};
use super::file_unit::{
    ClassDecl, FileUnit, extra_dimensions, members, supertype_nodes, visibility,
};
use super::hierarchy::Hierarchy;
use super::kinds::{Field, Kind};
use super::syntax_tree::NodeId;
use super::tracked_lookup::TrackedLookup;
use super::type_names::{TypeNames, TypeScope};
use super::types::{Name, Type, TypeVariable, bound_passes};

/// Returns all top-level and member classes of `file`.
pub(super) fn file_classes(hierarchy: &Hierarchy<'_>, file: &FileUnit<'_>) -> Vec<ClassInfo> {
    let mut names = TypeNames::new(TrackedLookup::of(hierarchy), file);
    let mut infos: Vec<ClassInfo> = Vec::with_capacity(file.classes.len());
    for class in &file.classes {
        names.levels =
            class.outer.map_or_else(Vec::new, |outer| levels_within(&file.classes, &infos, outer));
        let mut info = class_info(&mut names, class.node, &class.name);
        if let Some(outer) = class.outer.filter(|_| class.is_inner) {
            info.outer_parameters = infos[outer].parameters().cloned().collect();
        }
        if let Some(compiled) = hierarchy.declarations.compiled_class(&class.name) {
            add_compiled_members(&mut info, &compiled, class.is_inner);
        }
        infos.push(info);
    }
    infos
}

/// Adds the members that the class file has and the source has not: what annotation processors
/// write into classes. Calls of them are library calls, since no block of the sources runs.
fn add_compiled_members(info: &mut ClassInfo, compiled: &ClassInfo, is_inner: bool) {
    for (name, methods) in &compiled.methods {
        // Constructors of enums and inner classes have parameters that no source shows.
        if &**name == "<init>" && (is_inner || info.is_enum) {
            continue;
        }
        let own: Vec<usize> =
            info.methods_named(name).iter().map(|method| method.parameters.len()).collect();
        let new = methods.iter().filter(|method| !own.contains(&method.parameters.len()));
        let new: Vec<Arc<MethodInfo>> = new.cloned().collect();
        if !new.is_empty() {
            info.methods.entry(name.clone()).or_default().extend(new);
        }
    }
    for (name, field) in &compiled.fields {
        info.fields.entry(name.clone()).or_insert_with(|| field.clone());
    }
}

/// Returns the type names in scope in the body of the class with this index, among classes that
/// are declared in one file or one body.
pub(crate) fn levels_within(
    declared: &[ClassDecl],
    infos: &[ClassInfo],
    index: usize,
) -> Vec<TypeScope> {
    let around = std::iter::successors(Some(index), |i| declared[*i].outer);
    let mut indices: Vec<usize> = around.collect();
    indices.reverse();
    indices.iter().flat_map(|i| class_type_scopes(&infos[*i])).collect()
}

/// Returns the scopes that the body of a class adds: its member classes and its type
/// variables.
pub(crate) fn class_type_scopes(class: &ClassInfo) -> impl Iterator<Item = TypeScope> + '_ {
    let own = std::iter::once(TypeScope::Class(class.name.clone()));
    own.chain(class.type_parameters.iter().cloned().map(TypeScope::Variable))
}

/// Returns the class declared at `node`; `names` has the scope around it.
pub(crate) fn class_info(names: &mut TypeNames<'_>, node: NodeId, name: &Name) -> ClassInfo {
    let header = class_header(names, node, name);
    with_members(names, node, header)
}

/// Returns the class declared at `node` without its members: type parameters and supertypes.
pub(crate) fn class_header(names: &mut TypeNames<'_>, node: NodeId, name: &Name) -> ClassInfo {
    let tree = &names.file.tree;
    let kind = tree.kind(node);
    let before = names.levels.len();
    let mut class = ClassInfo {
        name: name.clone(),
        is_interface: matches!(kind, Kind::InterfaceDeclaration | Kind::AnnotationTypeDeclaration),
        is_enum: kind == Kind::EnumDeclaration,
        from_source: true,
        declaration: Some(node),
        ..ClassInfo::default()
    };
    class.type_parameters = type_parameters(names, node, name);
    supertypes(names, node, kind, &mut class);
    names.levels.truncate(before);
    class
}

/// Adds to a header the members in the body below `node`, a declaration or the body of an
/// anonymous class.
pub(crate) fn with_members(
    names: &mut TypeNames<'_>,
    node: NodeId,
    header: ClassInfo,
) -> ClassInfo {
    let (before, kind) = (names.levels.len(), names.file.tree.kind(node));
    let mut class = header;
    names.levels.extend(class_type_scopes(&class));
    add_members(names, node, kind, &mut class);
    names.levels.truncate(before);
    class
}

/// Reads the type parameters declared at `node` and brings them into scope.
pub(crate) fn type_parameters(
    names: &mut TypeNames<'_>,
    node: NodeId,
    owner: &Name,
) -> Vec<Arc<TypeVariable>> {
    let file = names.file;
    let tree = &file.tree;
    let Some(list) = tree.child(node, Field::TypeParameters) else { return Vec::new() };
    let before = names.levels.len();
    let parameters: Vec<NodeId> =
        tree.children(list).filter(|c| tree.kind(*c) == Kind::TypeParameter).collect();
    let mut found = Vec::new();
    // Bounds may use any of the parameters, so the names come into scope first, then
    // with their bounds, then with bounds whose variables have theirs.
    for pass in 0..bound_passes(parameters.len()) {
        let with_bounds = pass > 0;
        found.clear();
        for parameter in &parameters {
            let name =
                tree.first_of_kind(*parameter, Kind::TypeIdentifier).map_or("?", |n| file.text(n));
            let bounds = tree.first_of_kind(*parameter, Kind::TypeBound).filter(|_| with_bounds);
            let bounds = bounds.into_iter().flat_map(|b| tree.children(b));
            let bounds = bounds.filter(|b| tree.kind(*b).is_type()).map(|b| names.ty(b));
            let (owner, name, bounds) = (owner.clone(), name.into(), bounds.collect());
            found.push(Arc::new(TypeVariable { owner, name, bounds }));
        }
        names.levels.truncate(before);
        names.levels.extend(found.iter().cloned().map(TypeScope::Variable));
    }
    found
}

fn supertypes(names: &TypeNames<'_>, node: NodeId, kind: Kind, class: &mut ClassInfo) {
    let tree = &names.file.tree;
    let has_superclass = tree.child(node, Field::Superclass).is_some();
    let mut types =
        supertype_nodes(names.file, node).into_iter().map(|t| names.ty(t)).collect::<Vec<_>>();
    let superclass = match kind {
        Kind::ClassDeclaration if has_superclass && !types.is_empty() => types.remove(0),
        Kind::EnumDeclaration => {
            Type::generic("java.lang.Enum", vec![Type::class(class.name.clone())])
        }
        Kind::RecordDeclaration => Type::class("java.lang.Record"),
        _ => Type::object(),
    };
    let is_object = &*class.name == "java.lang.Object";
    class.superclass = Some(superclass).filter(|_| !is_object);
    if kind == Kind::AnnotationTypeDeclaration {
        types.push(Type::class("java.lang.annotation.Annotation"));
    }
    class.interfaces = types;
}

/// Adds fields, methods and constructors, declared and implicit, of the body below `node` (a
/// declaration or the body of an anonymous class).
fn add_members(names: &mut TypeNames<'_>, node: NodeId, kind: Kind, class: &mut ClassInfo) {
    let file = names.file;
    for member in members(&file.tree, node) {
        match file.tree.kind(member) {
            Kind::FieldDeclaration | Kind::ConstantDeclaration => {
                add_fields(names, member, class);
            }
            Kind::EnumConstant => add_enum_constant(file, member, class),
            Kind::MethodDeclaration | Kind::AnnotationElement => {
                let name = file.tree.child(member, Field::Name).map_or("?", |n| file.text(n));
                add_method(names, member, name, class);
            }
            Kind::ConstructorDeclaration => add_method(names, member, "<init>", class),
            _ => {}
        }
    }
    match kind {
        Kind::RecordDeclaration => add_record_members(names, node, class),
        Kind::EnumDeclaration => add_enum_members(class),
        _ => {}
    }
    if !class.is_interface && !class.methods.contains_key("<init>") {
        add_implicit(class, "<init>", Vec::new(), Type::Void, Static::No);
    }
}

fn add_fields(names: &TypeNames<'_>, node: NodeId, class: &mut ClassInfo) {
    let (tree, text) = (&names.file.tree, &names.file.source.text);
    let ty = tree.child(node, Field::Type).map_or(Type::Unknown, |t| names.ty(t));
    let is_final = class.is_interface || names.file.has_modifier(node, "final");
    let is_static = class.is_interface || names.file.has_modifier(node, "static");
    let visibility = member_visibility(names.file, node, class);
    for declarator in tree.children(node).filter(|d| tree.kind(*d) == Kind::VariableDeclarator) {
        let Some(name) = tree.child(declarator, Field::Name) else { continue };
        let ty = ty.clone().with_dimensions(extra_dimensions(tree, text, declarator));
        let can_be_constant = is_final && (ty.primitive().is_some() || ty.is_string());
        let constancy = match tree.child(declarator, Field::Value) {
            Some(value) if can_be_constant => Constancy::If(value),
            _ => Constancy::No,
        };
        let field = FieldInfo { ty, visibility, constancy, is_static };
        class.fields.insert(names.file.text(name).into(), field);
    }
}

/// Returns the visibility of a member; members of interfaces are public unless `private`.
fn member_visibility(file: &FileUnit<'_>, node: NodeId, class: &ClassInfo) -> Visibility {
    match visibility(&file.tree, &file.source.text, node) {
        Visibility::Package if class.is_interface => Visibility::Open,
        other => other,
    }
}

fn add_enum_constant(file: &FileUnit<'_>, node: NodeId, class: &mut ClassInfo) {
    if let Some(name) = file.tree.child(node, Field::Name) {
        let field = FieldInfo {
            ty: Type::class(class.name.clone()),
            visibility: Visibility::Open,
            constancy: Constancy::No,
            is_static: true,
        };
        class.fields.insert(file.text(name).into(), field);
    }
}

fn add_method(names: &mut TypeNames<'_>, node: NodeId, name: &str, class: &mut ClassInfo) {
    let file = names.file;
    let (tree, text) = (&file.tree, &file.source.text);
    let before = names.levels.len();
    let owner: Name = format!("{}.{name}#{}", class.name, node.0).into();
    let type_parameters = type_parameters(names, node, &owner);
    let returns = match tree.child(node, Field::Type) {
        Some(ty) => names.ty(ty).with_dimensions(extra_dimensions(tree, text, node)),
        None => Type::Void,
    };
    let (parameters, varargs) = formal_parameters(names, node);
    names.levels.truncate(before);
    let body = tree.child(node, Field::Body);
    let is_native = file.has_modifier(node, "native");
    let method = MethodInfo {
        class: class.name.clone(),
        name: name.into(),
        type_parameters,
        parameters: parameters.into_iter().map(|(_, ty)| ty).collect(),
        returns,
        varargs,
        visibility: member_visibility(file, node, class),
        is_static: file.has_modifier(node, "static"),
        declaration: Some(node),
        is_abstract: body.is_none() && !is_native,
        from_source: true,
        is_large: body.is_some_and(|body| tree.is_large(body)),
    };
    class.methods.entry(name.into()).or_default().push(Arc::new(method));
}

/// Returns name node and type of each formal parameter of a method, constructor, record or
/// lambda, and whether the last is varargs.
pub(crate) fn formal_parameters(
    names: &TypeNames<'_>,
    node: NodeId,
) -> (Vec<(Option<NodeId>, Type)>, bool) {
    let (tree, text) = (&names.file.tree, &names.file.source.text);
    let mut found = Vec::new();
    let mut varargs = false;
    let list = tree.child(node, Field::Parameters);
    for parameter in list.into_iter().flat_map(|l| tree.children(l)) {
        let ty = tree.child(parameter, Field::Type).map_or(Type::Unknown, |t| names.ty(t));
        match tree.kind(parameter) {
            Kind::FormalParameter => {
                let ty = ty.with_dimensions(extra_dimensions(tree, text, parameter));
                found.push((tree.child(parameter, Field::Name), ty));
            }
            Kind::SpreadParameter => {
                varargs = true;
                let declarator = tree.first_of_kind(parameter, Kind::VariableDeclarator);
                found.push((declarator.and_then(|d| tree.child(d, Field::Name)), ty.array()));
            }
            _ => {}
        }
    }
    (found, varargs)
}

#[derive(Clone, Copy, PartialEq)]
enum Static {
    Yes,
    No,
}

fn add_implicit(
    class: &mut ClassInfo,
    name: &str,
    parameters: Vec<Type>,
    returns: Type,
    is_static: Static,
) {
    let method = MethodInfo {
        class: class.name.clone(),
        name: name.into(),
        type_parameters: Vec::new(),
        parameters,
        returns,
        varargs: false,
        visibility: Visibility::Open,
        is_static: is_static == Static::Yes,
        declaration: None,
        is_abstract: false,
        from_source: true,
        is_large: false,
    };
    class.methods.entry(name.into()).or_default().push(Arc::new(method));
}

fn add_enum_members(class: &mut ClassInfo) {
    let this = Type::class(class.name.clone());
    add_implicit(class, "values", Vec::new(), this.clone().array(), Static::Yes);
    add_implicit(class, "valueOf", vec![Type::string()], this, Static::Yes);
}

/// Adds the implicit members of a record: fields, accessors, the canonical constructor and the
/// methods of `Object`.
fn add_record_members(names: &TypeNames<'_>, node: NodeId, class: &mut ClassInfo) {
    let (components, varargs) = formal_parameters(names, node);
    let named = components.into_iter().filter_map(|(name, ty)| Some((name?, ty)));
    let components: Vec<(Name, Type)> =
        named.map(|(name, ty)| (names.file.text(name).into(), ty)).collect();
    let types: Vec<Type> = components.iter().map(|(_, ty)| ty.clone()).collect();
    for (name, ty) in &components {
        let field = FieldInfo {
            ty: ty.clone(),
            visibility: Visibility::Private,
            constancy: Constancy::No,
            is_static: false,
        };
        class.fields.insert(name.clone(), field);
        add_unless_declared(class, name, Vec::new(), ty.clone());
    }
    if !class.methods_named("<init>").iter().any(|m| m.parameters == types) {
        add_implicit(class, "<init>", types, Type::Void, Static::No);
        if let Some(canonical) = class.methods.get_mut("<init>").and_then(|m| m.last_mut()) {
            Arc::make_mut(canonical).varargs = varargs;
        }
    }
    add_unless_declared(class, "toString", Vec::new(), Type::string());
    add_unless_declared(class, "hashCode", Vec::new(), Type::INT);
    add_unless_declared(class, "equals", vec![Type::object()], Type::BOOLEAN);
    class.components = components;
}

fn add_unless_declared(class: &mut ClassInfo, name: &str, parameters: Vec<Type>, returns: Type) {
    if !class.methods_named(name).iter().any(|m| m.parameters == parameters) {
        add_implicit(class, name, parameters, returns, Static::No);
    }
}
