//! Attribution of statements: their locals and expressions.

use super::Attributor;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;
use crate::java::types::{Type, Wildcard};

impl Attributor<'_> {
    pub(super) fn statement(&mut self, node: NodeId) {
        if self.depth >= super::DEPTH_MAX {
            return;
        }
        self.depth += 1;
        self.facts.visited[node.0 as usize] = true;
        self.statement_by_kind(node);
        self.depth -= 1;
    }

    fn statement_by_kind(&mut self, node: NodeId) {
        let tree = self.tree();
        match tree.kind(node) {
            Kind::Block | Kind::ConstructorBody => self.block(node),
            Kind::LocalVariable => self.local_variables(node),
            Kind::If => self.if_statement(node),
            Kind::While => self.while_statement(node),
            Kind::Do => self.do_statement(node),
            Kind::For => self.for_statement(node),
            Kind::EnhancedFor => self.enhanced_for(node),
            Kind::Labeled => {
                if let Some(body) = tree.children(node).last() {
                    self.statement(body);
                }
            }
            Kind::Switch => {
                self.switch(node, None);
            }
            Kind::Return | Kind::Yield => self.return_statement(node),
            Kind::Try | Kind::TryWithResources => self.try_statement(node),
            Kind::ExplicitConstructorCall => self.explicit_constructor_call(node),
            Kind::Assert | Kind::Break | Kind::Continue => {}
            kind if kind.is_class_declaration() => self.local_class(node),
            _ => self.expressions_below(node),
        }
    }

    fn block(&mut self, node: NodeId) {
        let (mark, levels) = (self.scope.mark(), self.resolver.names.levels.len());
        self.statements(node);
        self.scope.release(mark);
        self.resolver.names.levels.truncate(levels);
    }

    /// Attributes the statements directly below `node`, in the present scope.
    pub(super) fn statements(&mut self, node: NodeId) {
        for child in self.tree().children(node) {
            self.statement(child);
        }
    }

    /// Attributes the expressions directly below `node`: of expression, throw and synchronized
    /// statements, and of error nodes.
    fn expressions_below(&mut self, node: NodeId) {
        if self.is_expression(node) {
            self.expression(node, None);
            return;
        }
        for child in self.tree().children(node) {
            self.statement(child);
        }
    }

    fn local_variables(&mut self, node: NodeId) {
        let tree = self.tree();
        let Some(type_node) = tree.child(node, Field::Type) else { return };
        let declared = self.declared_type(type_node);
        let is_final = self.is_final(node);
        for declarator in tree.children(node).filter(|d| tree.kind(*d) == Kind::VariableDeclarator)
        {
            let Some(name) = tree.child(declarator, Field::Name) else { continue };
            let value = tree.child(declarator, Field::Value);
            let Some(declared) = &declared else {
                let ty = value.map_or(Type::Unknown, |v| self.expression(v, None));
                let ty = self.variable_type(ty);
                let constant = is_final && value.is_some_and(|v| self.facts.is_constant(v));
                self.declare(name, ty, constant);
                continue;
            };
            let ty = declared.clone().with_dimensions(self.extra_dimensions(declarator));
            // In scope of its own initialiser, as in `Runnable r = () -> r.run()`.
            self.declare(name, ty.clone(), false);
            let Some(value) = value else { continue };
            self.initial_value(value, &ty);
            let can_be_constant = ty.primitive().is_some() || ty.is_string();
            if is_final && can_be_constant && self.facts.is_constant(value) {
                self.declare(name, ty, true);
            }
        }
    }

    /// Resolves the type at `node`; `None` for `var`, and for Lombok's `val` and `var`.
    pub(super) fn declared_type(&self, node: NodeId) -> Option<Type> {
        let is_name = self.tree().kind(node) == Kind::TypeIdentifier;
        let inferred = match self.text(node) {
            name @ ("var" | "val") if is_name => match self.resolver.names.type_named(name) {
                None => name == "var",
                Some(found) => found.class_name().is_some_and(|name| {
                    matches!(&**name, "lombok.val" | "lombok.var" | "lombok.experimental.var")
                }),
            },
            _ => false,
        };
        if inferred { None } else { Some(self.resolver.names.ty(node)) }
    }

    /// Returns the type of a `var` with a value of type `ty`.
    pub(super) fn variable_type(&self, ty: Type) -> Type {
        match self.inference.resolve_deep(&ty) {
            wildcard @ Type::Wildcard(_) => self.resolver.upper_bound(&wildcard),
            other => other,
        }
    }

    /// Attributes an initialiser: an expression or `{...}`.
    pub(super) fn initial_value(&mut self, value: NodeId, ty: &Type) {
        match self.tree().kind(value) {
            Kind::ArrayInitializer => self.array_initializer(value, ty),
            _ => {
                self.expression(value, Some(ty));
                self.adopt_target_type(value, ty);
            }
        }
    }

    pub(super) fn array_initializer(&mut self, node: NodeId, ty: &Type) {
        self.set_type(node, ty.clone());
        let element = ty.element().cloned().unwrap_or_default();
        for value in self.tree().children(node) {
            self.initial_value(value, &element);
        }
    }

    fn condition(&mut self, node: NodeId) {
        if let Some(condition) = self.tree().child(node, Field::Condition) {
            self.expression(condition, Some(&Type::BOOLEAN));
        }
    }

    fn scoped(&mut self, body: Option<NodeId>, when: Option<(NodeId, bool)>) {
        let Some(body) = body else { return };
        let (mark, levels) = (self.scope.mark(), self.resolver.names.levels.len());
        if let Some((condition, value)) = when {
            self.introduce(condition, value);
        }
        self.statement(body);
        self.scope.release(mark);
        self.resolver.names.levels.truncate(levels);
    }

    fn if_statement(&mut self, node: NodeId) {
        let tree = self.tree();
        self.condition(node);
        let Some(condition) = tree.child(node, Field::Condition) else { return };
        let then = tree.child(node, Field::Consequence);
        let otherwise = tree.child(node, Field::Alternative);
        self.scoped(then, Some((condition, true)));
        self.scoped(otherwise, Some((condition, false)));
        if !self.may_bind(condition) {
            return;
        }
        let then_completes = then.is_some_and(|t| self.file.can_complete(t));
        let else_completes = otherwise.is_none_or(|e| self.file.can_complete(e));
        match (then_completes, else_completes) {
            (false, true) => self.introduce(condition, false),
            (true, false) => self.introduce(condition, true),
            _ => {}
        }
    }

    fn while_statement(&mut self, node: NodeId) {
        self.condition(node);
        let Some(condition) = self.tree().child(node, Field::Condition) else { return };
        self.scoped(self.tree().child(node, Field::Body), Some((condition, true)));
        if self.may_bind(condition) && !self.file.may_break_out(node) {
            self.introduce(condition, false);
        }
    }

    fn do_statement(&mut self, node: NodeId) {
        self.scoped(self.tree().child(node, Field::Body), None);
        self.condition(node);
        if let Some(condition) = self.tree().child(node, Field::Condition)
            && self.may_bind(condition)
            && !self.file.may_break_out(node)
        {
            self.introduce(condition, false);
        }
    }

    fn for_statement(&mut self, node: NodeId) {
        let tree = self.tree();
        let mark = self.scope.mark();
        for init in tree.children(node).filter(|c| tree.field(*c) == Field::Init) {
            self.statement(init);
        }
        self.condition(node);
        let inner = self.scope.mark();
        if let Some(condition) = tree.child(node, Field::Condition) {
            self.introduce(condition, true);
        }
        for update in tree.children(node).filter(|c| tree.field(*c) == Field::Update) {
            self.expression(update, None);
        }
        self.scoped(tree.child(node, Field::Body), None);
        self.scope.release(inner);
        self.scope.release(mark);
        if let Some(condition) = tree.child(node, Field::Condition)
            && self.may_bind(condition)
            && !self.file.may_break_out(node)
        {
            self.introduce(condition, false);
        }
    }

    fn enhanced_for(&mut self, node: NodeId) {
        let tree = self.tree();
        let Some(value) = tree.child(node, Field::Value) else { return };
        let iterated = self.expression(value, None);
        let mark = self.scope.mark();
        let (type_node, name) = (tree.child(node, Field::Type), tree.child(node, Field::Name));
        if let (Some(type_node), Some(name)) = (type_node, name) {
            let ty = match self.declared_type(type_node) {
                Some(ty) => ty.with_dimensions(self.extra_dimensions(node)),
                None => self.element_of(&iterated),
            };
            self.declare(name, ty, false);
        }
        self.scoped(tree.child(node, Field::Body), None);
        self.scope.release(mark);
    }

    /// Returns the element type of an enhanced `for` over a value of type `iterated`.
    fn element_of(&self, iterated: &Type) -> Type {
        let iterated = self.inference.final_type(iterated);
        if let Some(element) = iterated.element() {
            return element.clone();
        }
        match self.resolver.as_super(&iterated, "java.lang.Iterable") {
            Some(Type::Class(iterable)) => match iterable.args.first() {
                Some(Type::Wildcard(wildcard)) => match &**wildcard {
                    Wildcard::Extends(bound) => self.inference.resolve_deep(bound),
                    _ => Type::object(),
                },
                Some(argument) => self.inference.resolve_deep(argument),
                None => Type::object(),
            },
            _ => Type::Unknown,
        }
    }

    /// Attributes a `return` or `yield`, whose target type is its body's.
    fn return_statement(&mut self, node: NodeId) {
        let returns = self.bodies.last().map_or(Type::Void, |b| b.returns.clone());
        self.set_type(node, returns.clone());
        let value = self.tree().children(node).find(|c| self.is_expression(*c));
        if let Some(value) = value {
            let expected = Some(&returns).filter(|t| !matches!(t, Type::Void | Type::Unknown));
            let ty = self.expression(value, expected);
            if let Some(body) = self.bodies.last_mut() {
                body.values.push(ty);
            }
        }
    }

    fn try_statement(&mut self, node: NodeId) {
        let tree = self.tree();
        let mark = self.scope.mark();
        let resources = tree.child(node, Field::Resources);
        for resource in resources.into_iter().flat_map(|r| tree.children(r)) {
            self.resource(resource);
        }
        if let Some(body) = tree.child(node, Field::Body) {
            self.statement(body);
        }
        self.scope.release(mark);
        for clause in tree.children(node) {
            match tree.kind(clause) {
                Kind::CatchClause => self.catch_clause(clause),
                Kind::FinallyClause => self.scoped(tree.first_of_kind(clause, Kind::Block), None),
                _ => {}
            }
        }
    }

    fn resource(&mut self, node: NodeId) {
        let tree = self.tree();
        let Some(name) = tree.child(node, Field::Name) else {
            for child in tree.children(node) {
                self.expression(child, None);
            }
            return;
        };
        let declared = tree.child(node, Field::Type).and_then(|t| self.declared_type(t));
        let value = tree.child(node, Field::Value);
        let found = value.map_or(Type::Unknown, |v| self.expression(v, declared.as_ref()));
        let ty = declared.unwrap_or_else(|| self.variable_type(found));
        self.declare(name, ty, false);
    }

    fn catch_clause(&mut self, node: NodeId) {
        let tree = self.tree();
        let mark = self.scope.mark();
        if let Some(parameter) = tree.first_of_kind(node, Kind::CatchParameter)
            && let Some(name) = tree.child(parameter, Field::Name)
        {
            let types = tree.first_of_kind(parameter, Kind::CatchType).into_iter();
            let types = types.flat_map(|t| tree.children(t)).filter(|t| tree.kind(*t).is_type());
            let types: Vec<Type> = types.map(|t| self.resolver.names.ty(t)).collect();
            let both = |a: Type, b: &Type| self.resolver.least_upper_bound(&a, b);
            let ty = types.iter().skip(1).fold(types.first().cloned().unwrap_or_default(), both);
            self.declare(name, ty, false);
        }
        if let Some(body) = tree.child(node, Field::Body) {
            self.statement(body);
        }
        self.scope.release(mark);
    }
}
