//! Completion of statements: whether the statement after one can be reached from it
//! (JLS 14.22), and the line of its last instruction.

use super::file_unit::FileUnit;
use super::kinds::{Field, Kind};
use super::syntax_tree::NodeId;

impl FileUnit<'_> {
    /// Whether a statement can complete normally; exact enough for what follows an `if`.
    pub(crate) fn can_complete(&self, node: NodeId) -> bool {
        let tree = &self.tree;
        let mut node = node;
        loop {
            match tree.kind(node) {
                kind if is_jump(kind) => return false,
                Kind::Block => match tree.children(node).last() {
                    Some(last) => node = last,
                    None => return true,
                },
                Kind::If => {
                    let both = [Field::Consequence, Field::Alternative];
                    let [Some(then), Some(otherwise)] = both.map(|f| tree.child(node, f)) else {
                        return true;
                    };
                    if !self.ends_with_jump(then) {
                        return true;
                    }
                    node = otherwise;
                }
                Kind::While => return !self.is_endless(node) || self.may_break_out(node),
                _ => return true,
            }
        }
    }

    /// Returns the line of a statement's last instruction in javac's line tables: that on which its
    /// last statement begins, or a loop's header, where the loop steps or tests last. (Of `try`
    /// and `synchronized` javac has the brace that ends them, below that line.)
    pub(crate) fn last_instruction_line(&self, node: NodeId) -> u32 {
        let tree = &self.tree;
        let mut node = node;
        loop {
            let last = match tree.kind(node) {
                Kind::For => tree.child(node, Field::Update).or(tree.child(node, Field::Body)),
                Kind::Block
                | Kind::If
                | Kind::Labeled
                | Kind::While
                | Kind::Do
                | Kind::Switch
                | Kind::SwitchBlock
                | Kind::SwitchGroup
                | Kind::SwitchRule
                | Kind::Synchronized
                | Kind::Try
                | Kind::TryWithResources
                | Kind::CatchClause
                | Kind::FinallyClause => tree.children(node).last(),
                _ => None,
            };
            match last {
                Some(last) => node = last,
                None => return tree.line(node),
            }
        }
    }

    fn ends_with_jump(&self, node: NodeId) -> bool {
        let tree = &self.tree;
        let last = match tree.kind(node) {
            Kind::Block => tree.children(node).last(),
            _ => Some(node),
        };
        last.is_some_and(|last| is_jump(tree.kind(last)))
    }

    fn is_endless(&self, node: NodeId) -> bool {
        let condition = self.tree.child(node, Field::Condition);
        condition.is_some_and(|c| self.text(c).trim_matches(['(', ')', ' ']) == "true")
    }

    /// Whether a `break` may end the loop at `node`: an unlabelled one of its own, or any labelled one.
    pub(crate) fn may_break_out(&self, node: NodeId) -> bool {
        let tree = &self.tree;
        let mut todo: Vec<(NodeId, bool)> =
            tree.child(node, Field::Body).map(|b| (b, false)).into_iter().collect();
        while let Some((node, nested)) = todo.pop() {
            match tree.kind(node) {
                Kind::Break if !nested || tree.first_of_kind(node, Kind::Identifier).is_some() => {
                    return true;
                }
                Kind::Lambda | Kind::ClassBody => {}
                kind => {
                    let inner = matches!(
                        kind,
                        Kind::While | Kind::Do | Kind::For | Kind::EnhancedFor | Kind::Switch
                    );
                    todo.extend(tree.children(node).map(|c| (c, nested || inner)));
                }
            }
        }
        false
    }
}

fn is_jump(kind: Kind) -> bool {
    matches!(kind, Kind::Return | Kind::Throw | Kind::Break | Kind::Continue | Kind::Yield)
}
