//! Class bodies: fields, methods, initialisers, and classes within methods.

use std::sync::Arc;

use super::{Attributor, BodyContext};
use crate::java::class::ClassInfo;
use crate::java::declare::{declared_classes, extra_dimensions, has_modifier, members};
use crate::java::kinds::{Field, Kind};
use crate::java::source_class;
use crate::java::tree::NodeId;
use crate::java::type_names::{LocalClass, TypeScope};
use crate::java::types::{Name, Type};

impl Attributor<'_> {
    /// A top-level or member class, by its index in the file.
    pub(super) fn member_class(&mut self, index: usize) {
        let decl = &self.file.classes[index];
        if let Some(info) = self.resolver.class(&decl.name) {
            self.class_body(info, decl.node);
        }
    }

    /// Attributes all members in the body at or below `node`.
    pub(super) fn class_body(&mut self, info: Arc<ClassInfo>, node: NodeId) {
        self.within(info, |this| {
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

    /// A member class of the class that is being walked.
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
                tree.above(node, &[Kind::RecordDeclaration]).unwrap_or(node)
            }
            _ => node,
        };
        let (parameters, _) = source_class::parameters(&self.resolver.names, holder);
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

    /// Whether a class of this file is taken from another one, which declares it, too: its
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
        if let Some(body) = tree.first(node, Kind::ClassBody) {
            self.anonymous_class(body, &ty);
        }
    }

    /// The class of an anonymous body below `supertype`; returns its type.
    pub(super) fn anonymous_class(&mut self, body: NodeId, supertype: &Type) -> Type {
        let name = self.local_name(body, "");
        let is_interface = supertype
            .class_name()
            .and_then(|n| self.resolver.class(n))
            .is_some_and(|c| c.is_interface);
        let mut info = ClassInfo {
            name: name.clone(),
            from_source: true,
            declaration: Some(body),
            ..ClassInfo::default()
        };
        if is_interface {
            info.superclass = Some(Type::object());
            info.interfaces.push(supertype.clone());
        } else {
            info.superclass = Some(supertype.clone());
        }
        let supers = supertype.class_name().cloned().into_iter().collect();
        self.add_local_class(body, &name, supers);
        self.resolver.names.levels.push(TypeScope::Class(name.clone()));
        source_class::add_members(&mut self.resolver.names, body, Kind::ClassBody, &mut info);
        self.resolver.names.levels.pop();
        self.walk_local_class(body, info);
        Type::class(name)
    }

    /// A class declared among statements: in scope from here on.
    pub(super) fn local_class(&mut self, node: NodeId) {
        let Some(simple) = self.tree().child(node, Field::Name).map(|n| self.text(n)) else {
            return;
        };
        let name = self.local_name(node, simple);
        self.resolver.names.levels.push(TypeScope::Local(simple.into(), name.clone()));
        self.add_local_class(node, &name, Vec::new());
        let info = source_class::class_info(&mut self.resolver.names, node, &name);
        let supers: Vec<Name> = info.supertypes().filter_map(Type::class_name).cloned().collect();
        if let Some(local) = self.resolver.names.locals.get_mut(&name) {
            local.supers = supers;
        }
        // Once more, now that inherited member classes are known.
        let info = source_class::class_info(&mut self.resolver.names, node, &name);
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

    /// Registers a local class and its member classes.
    fn add_local_class(&mut self, node: NodeId, name: &Name, supers: Vec<Name>) {
        let mut found = Vec::new();
        let (tree, text) = (self.tree(), &self.file.source.text);
        let prefix = format!("{name}$");
        for member in members(tree, node).filter(|m| tree.kind(*m).is_class_declaration()) {
            declared_classes(tree, text, member, &prefix, &mut found);
        }
        let direct = |class: &Name| {
            let simple = class.strip_prefix(&*prefix).filter(|rest| !rest.contains('$'))?;
            Some((simple.to_owned(), class.clone()))
        };
        let members = found.iter().filter_map(|c| direct(&c.name)).collect();
        let local = LocalClass { supers, members, info: None };
        self.resolver.names.locals.insert(name.clone(), local);
        for class in &found {
            let local = LocalClass { members: class.members.clone(), ..LocalClass::default() };
            self.resolver.names.locals.insert(class.name.clone(), local);
        }
        let levels = self.resolver.names.levels.len();
        self.resolver.names.levels.push(TypeScope::Class(name.clone()));
        for class in found {
            let info = source_class::class_info(&mut self.resolver.names, class.node, &class.name);
            if let Some(local) = self.resolver.names.locals.get_mut(&class.name) {
                local.supers = info.supertypes().filter_map(Type::class_name).cloned().collect();
                local.info = Some(Arc::new(info));
            }
        }
        self.resolver.names.levels.truncate(levels);
    }

    /// Whether a local variable declaration says `final`.
    pub(super) fn is_final(&self, node: NodeId) -> bool {
        has_modifier(self.tree(), &self.file.source.text, node, "final")
    }

    /// The `[]` that a declarator adds to its type.
    pub(super) fn extra_dimensions(&self, node: NodeId) -> usize {
        extra_dimensions(self.tree(), &self.file.source.text, node)
    }
}
