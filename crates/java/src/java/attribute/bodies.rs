//! Class bodies: fields, methods, initialisers, and classes within methods.

use std::sync::Arc;

use super::{Attributor, BodyContext};
use crate::java::class::ClassInfo;
use crate::java::file_unit::{ClassDecl, declared_classes, extra_dimensions, members};
use crate::java::kinds::{Field, Kind};
use crate::java::source_class;
use crate::java::syntax_tree::NodeId;
use crate::java::type_names::TypeScope;
use crate::java::types::{Name, Type};

impl Attributor<'_> {
    /// Attributes a top-level or member class, by its index in the file.
    pub(super) fn member_class(&mut self, index: usize) {
        let decl = &self.file.classes[index];
        if let Some(info) = self.resolver.class(&decl.name) {
            self.class_body(info, decl.node);
        }
    }

    /// Attributes all members in the body at or below `node`.
    pub(super) fn class_body(&mut self, info: Arc<ClassInfo>, node: NodeId) {
        self.walk_in_class(info, |this| {
            for member in members(this.tree(), node) {
                this.class_member(member);
            }
        });
    }

    fn class_member(&mut self, node: NodeId) {
        match self.tree().kind(node) {
            Kind::FieldDeclaration | Kind::ConstantDeclaration => self.fields(node),
            Kind::MethodDeclaration
            | Kind::ConstructorDeclaration
            | Kind::CompactConstructorDeclaration => self.method(node),
            Kind::StaticInitializer | Kind::Block => self.initializer(node),
            Kind::EnumConstant => self.enum_constant(node),
            kind if kind.is_class_declaration() => self.nested(node),
            _ => {}
        }
    }

    /// Attributes a member class of the class that is being walked.
    fn nested(&mut self, node: NodeId) {
        let simple = self.tree().child(node, Field::Name).map(|n| self.text(n));
        let class = self.this_class().map(|c| c.name.clone());
        let (Some(simple), Some(class)) = (simple, class) else { return };
        let name: Name = format!("{class}${simple}").into();
        if let Some(info) = self.resolver.class(&name) {
            self.class_body(info, node);
        }
    }

    fn fields(&mut self, node: NodeId) {
        let tree = self.tree();
        let info = self.this_class().cloned();
        for declarator in tree.children(node).filter(|d| tree.kind(*d) == Kind::VariableDeclarator)
        {
            let Some(name) = tree.child(declarator, Field::Name) else { continue };
            let field = info.as_ref().and_then(|i| i.fields.get(self.text(name)));
            let ty = field.map_or(Type::Unknown, |f| f.ty.clone());
            let found = info
                .as_ref()
                .and_then(|i| self.resolver.field(&Type::class(i.name.clone()), self.text(name)));
            let constant = found.is_some_and(|f| self.is_constant_field(&f));
            self.set_type(name, ty.clone());
            self.set_constant(name, constant);
            if let Some(value) = tree.child(declarator, Field::Value) {
                let mark = self.scope.mark();
                self.initial_value(value, &ty);
                self.scope.release(mark);
            }
        }
    }

    fn initializer(&mut self, node: NodeId) {
        let mark = self.scope.mark();
        for child in self.tree().children(node).collect::<Vec<_>>() {
            self.statement(child);
        }
        self.scope.release(mark);
    }

    fn method(&mut self, node: NodeId) {
        let tree = self.tree();
        let Some(body) = tree.child(node, Field::Body) else { return };
        let (mark, levels) = (self.scope.mark(), self.resolver.names.levels.len());
        let info = self.this_class().cloned();
        let name = match tree.kind(node) {
            Kind::MethodDeclaration => tree.child(node, Field::Name).map_or("", |n| self.text(n)),
            _ => "<init>",
        };
        let method = info.as_ref().filter(|class| !self.is_elsewhere(&class.name));
        let method = method.and_then(|class| {
            class.methods_named(name).iter().find(|m| m.declaration == Some(node)).cloned()
        });
        let variables = method.iter().flat_map(|m| m.type_parameters.iter().cloned());
        self.resolver.names.levels.extend(variables.map(TypeScope::Variable));
        let holder = match tree.kind(node) {
            // A compact constructor's parameters are the record's.
            Kind::CompactConstructorDeclaration => {
                tree.nearest_above(node, &[Kind::RecordDeclaration]).unwrap_or(node)
            }
            _ => node,
        };
        let (parameters, _) = source_class::formal_parameters(&self.resolver.names, holder);
        for (name, ty) in parameters {
            if let Some(name) = name {
                self.declare(name, ty, false);
            }
        }
        let returns = method.map_or(Type::Void, |m| m.returns.clone());
        self.bodies.push(BodyContext { returns, values: Vec::new() });
        self.statement(body);
        self.bodies.pop();
        self.resolver.names.levels.truncate(levels);
        self.scope.release(mark);
    }

    /// Whether a class of this file is also declared in another file, from which it is taken: its
    /// nodes are of another tree.
    fn is_elsewhere(&self, class: &str) -> bool {
        self.resolver.names.lookup.file_of(class).is_some_and(|file| !std::ptr::eq(file, self.file))
    }

    fn enum_constant(&mut self, node: NodeId) {
        let tree = self.tree();
        let Some(info) = self.this_class().cloned() else { return };
        let ty = info.this_type();
        let arguments = tree.child(node, Field::Arguments);
        self.construct(node, &ty, arguments, None);
        if let Some(body) = tree.first_of_kind(node, Kind::ClassBody) {
            self.anonymous_class(body, &ty);
        }
    }

    /// Declares and attributes the anonymous class of a body below `supertype`; returns its type.
    pub(super) fn anonymous_class(&mut self, body: NodeId, supertype: &Type) -> Type {
        let name = self.local_name(body, "");
        let is_interface = supertype
            .class_name()
            .and_then(|n| self.resolver.class(n))
            .is_some_and(|c| c.is_interface);
        let mut header = ClassInfo {
            name: name.clone(),
            from_source: true,
            declaration: Some(body),
            ..ClassInfo::default()
        };
        if is_interface {
            header.superclass = Some(Type::object());
            header.interfaces.push(supertype.clone());
        } else {
            header.superclass = Some(supertype.clone());
        }
        self.local_body(body, header);
        Type::class(name)
    }

    /// Declares and attributes a class among statements, in scope from here on.
    pub(super) fn local_class(&mut self, node: NodeId) {
        let Some(simple) = self.tree().child(node, Field::Name).map(|n| self.text(n)) else {
            return;
        };
        let name = self.local_name(node, simple);
        self.resolver.names.levels.push(TypeScope::Local(simple.into(), name.clone()));
        let header = source_class::class_header(&mut self.resolver.names, node, &name);
        self.local_body(node, header);
    }

    /// Declares the members of a local class and attributes the code in them.
    fn local_body(&mut self, node: NodeId, header: ClassInfo) {
        self.add_local_class(node, &header);
        let info = source_class::with_members(&mut self.resolver.names, node, header);
        self.walk_local_class(node, info);
    }

    fn walk_local_class(&mut self, node: NodeId, info: ClassInfo) {
        let info = Arc::new(info);
        if let Some(local) = self.resolver.names.locals.get_mut(&info.name) {
            local.info = Some(info.clone());
        }
        self.class_body(info, node);
    }

    fn local_name(&self, node: NodeId, simple: &str) -> Name {
        let outer = self.this_class().map_or("", |c| &*c.name);
        // Names grow with nesting; beyond any real code they start anew.
        let outer = if outer.len() > 2048 { "" } else { outer };
        format!("{outer}$#{}{simple}", node.0).into()
    }

    /// Registers a local class and its member classes. Members may name types that their class
    /// inherits, so the supertypes of all come before any member.
    fn add_local_class(&mut self, node: NodeId, header: &ClassInfo) {
        let declared = self.member_declarations(node, &header.name);
        let prefix = format!("{}$", header.name);
        let direct = |class: &ClassDecl| {
            let simple = class.name.strip_prefix(&*prefix).filter(|rest| !rest.contains('$'))?;
            Some((simple.to_owned(), class.name.clone()))
        };
        let names = &mut self.resolver.names;
        names.add_local(header, declared.iter().filter_map(direct).collect());
        let before = names.levels.len();
        names.levels.extend(source_class::class_type_scopes(header));
        let within = names.levels.len();
        let mut headers: Vec<ClassInfo> = Vec::with_capacity(declared.len());
        for class in &declared {
            names.levels.extend(around(&declared, &headers, class));
            let header = source_class::class_header(names, class.node, &class.name);
            names.add_local(&header, class.members.clone());
            names.levels.truncate(within);
            headers.push(header);
        }
        for (index, class) in declared.iter().enumerate() {
            names.levels.extend(around(&declared, &headers, class));
            let info = source_class::with_members(names, class.node, headers[index].clone());
            names.levels.truncate(within);
            if let Some(local) = names.locals.get_mut(&class.name) {
                local.info = Some(Arc::new(info));
            }
        }
        names.levels.truncate(before);
    }

    /// Collects the member classes in the body of a local class, nested ones included, outer ones
    /// first.
    fn member_declarations(&self, node: NodeId, name: &Name) -> Vec<ClassDecl> {
        let (tree, text, prefix) = (self.tree(), &self.file.source.text, format!("{name}$"));
        let mut declared = Vec::new();
        for member in members(tree, node).filter(|m| tree.kind(*m).is_class_declaration()) {
            declared_classes(tree, text, member, &prefix, &mut declared);
        }
        declared
    }

    /// Whether a local variable declaration has the modifier `final`.
    pub(super) fn is_final(&self, node: NodeId) -> bool {
        self.file.has_modifier(node, "final")
    }

    /// Counts the `[]` that a declarator adds to its type.
    pub(super) fn extra_dimensions(&self, node: NodeId) -> usize {
        extra_dimensions(self.tree(), &self.file.source.text, node)
    }
}

/// Returns the type names that the classes around a declared one bring into scope.
fn around(declared: &[ClassDecl], headers: &[ClassInfo], class: &ClassDecl) -> Vec<TypeScope> {
    class.outer.map_or_else(Vec::new, |outer| source_class::levels_within(declared, headers, outer))
}
