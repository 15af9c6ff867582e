//! Types of expressions, by kind of node.

use super::names::Qualifier;
use super::{Attributor, Symbol};
use crate::java::constants::is_constant_literal;
use crate::java::file_unit::count_dimensions;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;
use crate::java::types::{Primitive, Type};

impl Attributor<'_> {
    /// Attributes the expression at `node`, whose target type is `expected`, and returns its type,
    /// which may hold inference variables; [`Attributor::operand`] resolves them.
    pub(super) fn expression(&mut self, node: NodeId, expected: Option<&Type>) -> Type {
        if self.depth >= super::DEPTH_MAX {
            return Type::Unknown;
        }
        self.depth += 1;
        let ty = self.expression_by_kind(node, expected);
        self.depth -= 1;
        self.set_type(node, ty.clone());
        ty
    }

    pub(super) fn is_expression(&self, node: NodeId) -> bool {
        let kind = self.tree().kind(node);
        is_constant_literal(kind)
            || matches!(
                kind,
                Kind::NullLiteral
                    | Kind::ClassLiteral
                    | Kind::Assignment
                    | Kind::Binary
                    | Kind::InstanceOf
                    | Kind::Lambda
                    | Kind::Ternary
                    | Kind::Update
                    | Kind::Unary
                    | Kind::Cast
                    | Kind::Switch
                    | Kind::This
                    | Kind::Identifier
                    | Kind::Parenthesized
                    | Kind::Creation
                    | Kind::FieldAccess
                    | Kind::ArrayAccess
                    | Kind::Call
                    | Kind::MethodReference
                    | Kind::ArrayCreation
                    | Kind::Template
            )
    }

    fn expression_by_kind(&mut self, node: NodeId, expected: Option<&Type>) -> Type {
        let tree = self.tree();
        let kind = tree.kind(node);
        if is_constant_literal(kind) {
            self.set_constant(node, true);
            return self.literal(node, kind);
        }
        match kind {
            Kind::NullLiteral => Type::Null,
            Kind::This => self.this_class().map_or(Type::Unknown, |c| c.this_type()),
            Kind::Identifier => self.identifier(node),
            Kind::FieldAccess => self.field_access(node),
            Kind::Parenthesized => self.parenthesized(node, expected),
            Kind::Binary => self.binary(node),
            Kind::Unary => self.unary(node),
            Kind::Update => self.update(node),
            Kind::Assignment => self.assignment(node),
            Kind::Cast => self.cast(node),
            Kind::InstanceOf => self.instance_of(node),
            Kind::Ternary => self.ternary(node, expected),
            Kind::Switch => self.switch(node, expected),
            Kind::ArrayAccess => self.array_access(node),
            Kind::ArrayCreation => self.array_creation(node),
            Kind::ClassLiteral => self.class_literal(node),
            Kind::Call => self.call(node, expected),
            Kind::Creation => self.creation(node, expected),
            Kind::Lambda => self.lambda(node, &expected.cloned().unwrap_or_default()),
            Kind::MethodReference => {
                self.method_reference(node, &expected.cloned().unwrap_or_default())
            }
            Kind::Template => Type::string(),
            _ => {
                self.statements(node);
                Type::Unknown
            }
        }
    }

    fn literal(&self, node: NodeId, kind: Kind) -> Type {
        let text = self.text(node).as_bytes();
        let last = text.last().copied().unwrap_or_default().to_ascii_lowercase();
        let is_hex_float = kind == Kind::HexFloat && text.iter().any(|b| matches!(b, b'p' | b'P'));
        Type::Primitive(match kind {
            Kind::StringLiteral => return Type::string(),
            Kind::True | Kind::False => Primitive::Boolean,
            Kind::Character => Primitive::Char,
            Kind::DecimalFloat if last == b'f' => Primitive::Float,
            Kind::HexFloat if is_hex_float && last == b'f' => Primitive::Float,
            Kind::DecimalFloat | Kind::HexFloat => Primitive::Double,
            _ if last == b'l' => Primitive::Long,
            _ => Primitive::Int,
        })
    }

    /// Attributes an operand or receiver; returns its type with inference variables resolved.
    pub(super) fn operand(&mut self, node: NodeId, expected: Option<&Type>) -> Type {
        let ty = self.expression(node, expected);
        self.inference.final_type(&ty)
    }

    fn parenthesized(&mut self, node: NodeId, expected: Option<&Type>) -> Type {
        let Some(inner) = self.tree().children(node).next() else { return Type::Unknown };
        let ty = self.expression(inner, expected);
        self.set_constant(node, self.facts.is_constant(inner));
        ty
    }

    fn array_access(&mut self, node: NodeId) -> Type {
        let tree = self.tree();
        let array = tree.child(node, Field::Array).map(|a| self.operand(a, None));
        if let Some(index) = tree.child(node, Field::Index) {
            self.expression(index, None);
        }
        array.as_ref().and_then(Type::element).cloned().unwrap_or_default()
    }

    fn array_creation(&mut self, node: NodeId) -> Type {
        let tree = self.tree();
        let element =
            tree.child(node, Field::Type).map_or(Type::Unknown, |t| self.resolver.names.ty(t));
        let mut count = 0;
        for child in tree.children(node) {
            match tree.kind(child) {
                Kind::DimensionsExpr => {
                    count += 1;
                    let lengths = tree.children(child).filter(|c| self.is_expression(*c));
                    for length in lengths.collect::<Vec<_>>() {
                        self.expression(length, None);
                    }
                }
                Kind::Dimensions => {
                    count += count_dimensions(tree, &self.file.source.text, child);
                }
                _ => {}
            }
        }
        let ty = element.with_dimensions(count.min(255));
        if let Some(value) = tree.child(node, Field::Value) {
            self.array_initializer(value, &ty);
        }
        ty
    }

    fn class_literal(&mut self, node: NodeId) -> Type {
        let ty = self.tree().first_type(node).map_or(Type::Unknown, |t| self.resolver.names.ty(t));
        Type::generic("java.lang.Class", vec![ty.boxed()])
    }

    /// Attributes the receiver of a call or the outer instance of a creation.
    pub(super) fn receiver(&mut self, object: NodeId) -> Qualifier {
        let qualifier = self.qualifier(object);
        match qualifier {
            Qualifier::Value(ty) => {
                let settled = self.inference.final_type(&ty);
                self.set_type(object, settled.clone());
                Qualifier::Value(settled)
            }
            Qualifier::Package(package) => {
                // Neither a variable nor a type: the name is not known.
                self.set_symbol(object, Symbol::Unresolved);
                Qualifier::Package(package)
            }
            other => other,
        }
    }
}
