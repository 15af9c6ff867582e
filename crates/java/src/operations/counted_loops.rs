//! Recognition of counted loops. Where the index of an array access is the counter of a loop,
//! compilers know its range and leave its check out, or make it once before the loop.

use super::counter::OperationCounter;
use crate::java::attribute::Symbol;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;

/// Local variables of a loop, by how the loop uses them.
#[derive(Default)]
struct LoopLocals<'a> {
    /// Variables that its condition compares.
    compared: Vec<&'a str>,
    /// Variables that are stepped by a constant.
    stepped: Vec<&'a str>,
    /// Variables that are set to anything else.
    set: Vec<&'a str>,
}

impl<'a> OperationCounter<'a> {
    /// Whether the index of the array access at `access` is the counter of a loop around it, plus
    /// or minus a constant.
    pub(super) fn is_index_loop_counter(&mut self, access: NodeId) -> bool {
        let tree = self.tree();
        let index = tree.child(access, Field::Index);
        let Some(local) = index.and_then(|index| self.local_beside(index)) else { return false };
        let mut at = tree.parent(access);
        while let Some(node) = at {
            match tree.kind(node) {
                Kind::For | Kind::While | Kind::Do if self.has_counter(node, local) => return true,
                // Its methods have locals of their own, which may have the same names.
                Kind::ClassBody => return false,
                _ => at = tree.parent(node),
            }
        }
        false
    }

    /// Whether `local` is a counter of the loop `looping`, which steps it by constants alone and
    /// compares it in its condition.
    fn has_counter(&mut self, looping: NodeId, local: &str) -> bool {
        if !self.counted.contains_key(&looping) {
            let counted = self.locals_of(looping).counted_locals();
            self.counted.insert(looping, counted);
        }
        self.counted[&looping].contains(&local)
    }

    fn locals_of(&self, looping: NodeId) -> LoopLocals<'a> {
        let tree = self.tree();
        let mut locals = LoopLocals::default();
        for part in tree.children(looping).filter(|part| tree.field(*part) != Field::Init) {
            let is_condition = tree.field(part) == Field::Condition;
            for node in std::iter::once(part).chain(tree.descendants(part)) {
                if is_condition {
                    locals.compared.extend(self.compared_locals(node).into_iter().flatten());
                }
                locals.stepped.extend(self.stepped_local(node));
                locals.set.extend(self.set_local(node));
            }
        }
        locals
    }

    /// Returns the local variables on both sides of a comparison, each stepped there or not.
    fn compared_locals(&self, node: NodeId) -> [Option<&'a str>; 2] {
        let is_comparison = matches!(
            self.operator(node).0,
            Kind::Less | Kind::LessEqual | Kind::Greater | Kind::GreaterEqual | Kind::NotEqual
        );
        let sides = [Field::Left, Field::Right].map(|side| self.tree().child(node, side));
        sides.map(|side| {
            let side = side.filter(|_| is_comparison)?;
            self.stepped_local(self.without_parentheses(side)).or_else(|| self.local_beside(side))
        })
    }

    /// Returns the local variable that `i++`, `--i`, `i += 2` and the like step.
    pub(super) fn stepped_local(&self, node: NodeId) -> Option<&'a str> {
        let tree = self.tree();
        match tree.kind(node) {
            Kind::Update => tree.children(node).find_map(|operand| self.local(operand)),
            Kind::Assignment if self.is_step(node) => self.local(tree.child(node, Field::Left)?),
            _ => None,
        }
    }

    /// Returns the local variable that an assignment or a declaration sets to any value.
    fn set_local(&self, node: NodeId) -> Option<&'a str> {
        let tree = self.tree();
        match tree.kind(node) {
            Kind::Assignment if !self.is_step(node) => self.local(tree.child(node, Field::Left)?),
            Kind::VariableDeclarator => Some(self.file.text(tree.child(node, Field::Name)?)),
            _ => None,
        }
    }

    /// Returns the name of the local variable that an expression is, plus or minus a constant.
    fn local_beside(&self, node: NodeId) -> Option<&'a str> {
        let tree = self.tree();
        let node = self.without_parentheses(node);
        if tree.kind(node) != Kind::Binary
            || !matches!(self.operator(node).0, Kind::Plus | Kind::Minus)
        {
            return self.local(node);
        }
        let (left, right) = (tree.child(node, Field::Left)?, tree.child(node, Field::Right)?);
        match (self.facts.is_constant(left), self.facts.is_constant(right)) {
            (false, true) => self.local(left),
            (true, false) if self.operator(node).0 == Kind::Plus => self.local(right),
            _ => None,
        }
    }

    fn local(&self, node: NodeId) -> Option<&'a str> {
        let node = self.without_parentheses(node);
        let is_local = *self.facts.symbol(node) == Symbol::Local;
        (is_local && self.tree().kind(node) == Kind::Identifier).then(|| self.file.text(node))
    }

    /// Whether an assignment is a step by a constant: `i += 2`, `i -= 2`.
    fn is_step(&self, assignment: NodeId) -> bool {
        let value = self.tree().child(assignment, Field::Right);
        matches!(self.operator(assignment).0, Kind::PlusAssign | Kind::MinusAssign)
            && value.is_some_and(|value| self.facts.is_constant(value))
    }
}

impl<'a> LoopLocals<'a> {
    fn counted_locals(self) -> Vec<&'a str> {
        let LoopLocals { compared, stepped, set } = self;
        compared.into_iter().filter(|l| stepped.contains(l) && !set.contains(l)).collect()
    }
}
