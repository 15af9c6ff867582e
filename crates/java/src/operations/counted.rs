//! Loops that count. Where the index of an element is what a loop counts, compilers know its
//! range and leave its check out, or make it once before the loop.

use super::counter::OperationCounter;
use crate::java::attribute::Symbol;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;

/// What a loop does with its locals.
#[derive(Default)]
struct Locals<'a> {
    /// Those that its condition compares.
    compared: Vec<&'a str>,
    /// Those that are stepped by a constant,
    stepped: Vec<&'a str>,
    /// or set to anything else.
    set: Vec<&'a str>,
}

impl<'a> OperationCounter<'a> {
    /// Whether the index of the element at `access` is a local variable, give or take a
    /// constant, that a loop around it counts.
    pub(super) fn is_counted(&mut self, access: NodeId) -> bool {
        let tree = self.tree();
        let index = tree.child(access, Field::Index);
        let Some(local) = index.and_then(|index| self.local_beside(index)) else { return false };
        let mut at = tree.parent(access);
        while let Some(node) = at {
            match tree.kind(node) {
                Kind::For | Kind::While | Kind::Do if self.counts(node, local) => return true,
                // Its methods have locals of their own, which may have the same names.
                Kind::ClassBody => return false,
                _ => at = tree.parent(node),
            }
        }
        false
    }

    /// Whether `looping` steps `local` by constants alone, and compares it to go on.
    fn counts(&mut self, looping: NodeId, local: &str) -> bool {
        if !self.counted.contains_key(&looping) {
            let counted = self.locals_of(looping).counted();
            self.counted.insert(looping, counted);
        }
        self.counted[&looping].contains(&local)
    }

    fn locals_of(&self, looping: NodeId) -> Locals<'a> {
        let tree = self.tree();
        let mut locals = Locals::default();
        for part in tree.children(looping).filter(|part| tree.field(*part) != Field::Init) {
            let is_condition = tree.field(part) == Field::Condition;
            for node in std::iter::once(part).chain(tree.below(part)) {
                if is_condition {
                    locals.compared.extend(self.compared_locals(node).into_iter().flatten());
                }
                locals.stepped.extend(self.stepped_local(node));
                locals.set.extend(self.set_local(node));
            }
        }
        locals
    }

    /// The local variables on both sides of a comparison, each stepped there or not.
    fn compared_locals(&self, node: NodeId) -> [Option<&'a str>; 2] {
        let is_comparison = matches!(
            self.operator(node).0,
            Kind::Less | Kind::LessEqual | Kind::Greater | Kind::GreaterEqual | Kind::NotEqual
        );
        let sides = [Field::Left, Field::Right].map(|side| self.tree().child(node, side));
        sides.map(|side| {
            let side = side.filter(|_| is_comparison)?;
            self.stepped_local(self.stripped(side)).or_else(|| self.local_beside(side))
        })
    }

    /// The local variable that `i++`, `--i`, `i += 2` and the like step.
    pub(super) fn stepped_local(&self, node: NodeId) -> Option<&'a str> {
        let tree = self.tree();
        match tree.kind(node) {
            Kind::Update => tree.children(node).find_map(|operand| self.local(operand)),
            Kind::Assignment if self.is_step(node) => self.local(tree.child(node, Field::Left)?),
            _ => None,
        }
    }

    /// The local variable that an assignment or a declaration sets to whatever it is.
    fn set_local(&self, node: NodeId) -> Option<&'a str> {
        let tree = self.tree();
        match tree.kind(node) {
            Kind::Assignment if !self.is_step(node) => self.local(tree.child(node, Field::Left)?),
            Kind::VariableDeclarator => Some(self.file.text(tree.child(node, Field::Name)?)),
            _ => None,
        }
    }

    /// The name of the local variable that an expression is, give or take a constant.
    fn local_beside(&self, node: NodeId) -> Option<&'a str> {
        let tree = self.tree();
        let node = self.stripped(node);
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
        let node = self.stripped(node);
        let is_local = *self.facts.symbol(node) == Symbol::Local;
        (is_local && self.tree().kind(node) == Kind::Identifier).then(|| self.file.text(node))
    }

    /// `i += 2`, `i -= 2`.
    fn is_step(&self, assignment: NodeId) -> bool {
        let value = self.tree().child(assignment, Field::Right);
        matches!(self.operator(assignment).0, Kind::PlusAssign | Kind::MinusAssign)
            && value.is_some_and(|value| self.facts.is_constant(value))
    }
}

impl<'a> Locals<'a> {
    fn counted(self) -> Vec<&'a str> {
        let Locals { compared, stepped, set } = self;
        compared.into_iter().filter(|l| stepped.contains(l) && !set.contains(l)).collect()
    }
}
