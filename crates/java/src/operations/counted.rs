//! Loops that count. Where the index of an element is what a loop counts, compilers know its
//! range and leave its check out, or make it once before the loop.

use super::counter::Counter;
use crate::java::attribute::Symbol;
use crate::java::kinds::{Field, Kind};
use crate::java::tree::NodeId;

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

impl<'a> Counter<'a> {
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
                Kind::Lambda | Kind::ClassBody => return false,
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
                match tree.kind(node) {
                    Kind::Binary if is_condition && self.is_comparison(node) => {
                        let sides = [Field::Left, Field::Right].map(|side| tree.child(node, side));
                        let compared = sides.into_iter().flatten();
                        locals.compared.extend(compared.filter_map(|side| self.compared(side)));
                    }
                    Kind::Update => {
                        let stepped = tree.children(node).filter_map(|operand| self.local(operand));
                        locals.stepped.extend(stepped);
                    }
                    Kind::Assignment => {
                        let place = tree.child(node, Field::Left);
                        let of_kind =
                            if self.is_step(node) { &mut locals.stepped } else { &mut locals.set };
                        of_kind.extend(place.and_then(|place| self.local(place)));
                    }
                    Kind::VariableDeclarator => {
                        let name = tree.child(node, Field::Name);
                        locals.set.extend(name.map(|name| self.file.text(name)));
                    }
                    _ => {}
                }
            }
        }
        locals
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

    /// The local variable that an operand of a comparison is, steps, or is beside.
    fn compared(&self, operand: NodeId) -> Option<&'a str> {
        let node = self.stripped(operand);
        match self.tree().kind(node) {
            Kind::Update => self.tree().children(node).find_map(|stepped| self.local(stepped)),
            _ => self.local_beside(node),
        }
    }

    fn local(&self, node: NodeId) -> Option<&'a str> {
        let node = self.stripped(node);
        let is_local = *self.facts.symbol(node) == Symbol::Local;
        (is_local && self.tree().kind(node) == Kind::Identifier).then(|| self.file.text(node))
    }

    fn is_comparison(&self, node: NodeId) -> bool {
        matches!(
            self.operator(node).0,
            Kind::Less | Kind::LessEqual | Kind::Greater | Kind::GreaterEqual | Kind::NotEqual
        )
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
