//! Division of expressions: lambdas and classes (units of their own), the arms of `switch`, and
//! at expression granularity the operands of `&&`, `||` and `?:`.

use crate::java::SyntaxNode;

use super::{BlockOpening, DivisionTask, FlowDivision};
use crate::blocks::undivided_code::{BlockContent, PendingUnit, UndividedCode};
use crate::blocks::{BlockKind, Granularity, UnitKind};
use crate::java::syntax::{self, field, kind};

impl<'t> FlowDivision<'t, '_> {
    /// Opens one block per group of statements or arrow arm; labels without statements of their own
    /// belong to the next group.
    pub(super) fn arms(&mut self, switch: SyntaxNode<'t>, number: u32, is_value: bool) {
        let Some(body) = syntax::field(switch, field::BODY) else { return };
        let mut tests = Vec::new();
        let mut openings = Vec::new();
        for arm in syntax::named_children(body) {
            let (labels, rest) = split_arm(arm);
            tests.extend(labels.into_iter().flat_map(label_tests));
            if rest.is_empty() {
                continue;
            }
            let mut content = BlockContent { parts: std::mem::take(&mut tests), statements: rest };
            if is_value && syntax::kind_of(arm) == kind::SWITCH_RULE {
                content = value_of_rule(content);
            }
            let (kind, construct) = (BlockKind::SwitchCase, switch);
            let suffix = format!("switch_{number}.case_{}", openings.len() + 1);
            let opening = BlockOpening { kind, suffix, construct, anchor: arm, content };
            openings.push(DivisionTask::Open(opening));
        }
        if is_value && !openings.is_empty() {
            self.blocks.owners.add(body.id(), self.blocks.blocks.len());
        }
        self.tasks.extend(openings.into_iter().rev());
    }

    pub(super) fn scan(&mut self, block: usize, node: SyntaxNode<'t>) {
        // Nothing to find in most expressions.
        if self.granularity == Granularity::Statement && !node.may_hold_bodies() {
            return;
        }
        match syntax::kind_of(node) {
            kind::LAMBDA_EXPRESSION => self.lambda(node),
            kind::CLASS_BODY => self.found.push(UndividedCode::Class(node)),
            kind::SWITCH_EXPRESSION => {
                let number = self.next_number("switch");
                let arms = DivisionTask::Arms { switch: node, number, is_value: true };
                self.tasks.push(arms);
                let selector = syntax::field(node, field::CONDITION);
                self.tasks.extend(selector.map(|node| DivisionTask::Scan { block, node }));
            }
            kind::BINARY_EXPRESSION | kind::TERNARY_EXPRESSION if self.splits(node) => {
                let first = if syntax::kind_of(node) == kind::BINARY_EXPRESSION {
                    field::LEFT
                } else {
                    field::CONDITION
                };
                self.tasks.push(DivisionTask::Operands(node));
                let first = syntax::field(node, first);
                self.tasks.extend(first.map(|node| DivisionTask::Scan { block, node }));
            }
            _ => {
                let children = syntax::named_children(node).into_iter().rev();
                self.tasks.extend(children.map(|node| DivisionTask::Scan { block, node }));
            }
        }
    }

    pub(super) fn splits(&self, node: SyntaxNode<'t>) -> bool {
        self.granularity == Granularity::Expression
            && (syntax::kind_of(node) == kind::TERNARY_EXPRESSION
                || matches!(syntax::operator(node), Some("&&" | "||")))
    }

    pub(super) fn operands(&mut self, node: SyntaxNode<'t>) {
        if syntax::kind_of(node) == kind::BINARY_EXPRESSION {
            let (kind, word) = match syntax::operator(node) {
                Some("&&") => (BlockKind::AndRight, "and"),
                _ => (BlockKind::OrRight, "or"),
            };
            let suffix = format!("{word}_{}", self.next_number(word));
            let right = syntax::fields(node, field::RIGHT);
            self.tasks.extend(self.header(kind, suffix, node, right));
        } else {
            let n = self.next_number("cond");
            let (yes, no) = (BlockKind::ConditionalTrue, BlockKind::ConditionalFalse);
            let arm = |name| syntax::fields(node, name);
            let yes = self.header(yes, format!("cond_{n}.true"), node, arm(field::CONSEQUENCE));
            let no = self.header(no, format!("cond_{n}.false"), node, arm(field::ALTERNATIVE));
            self.tasks.extend([no, yes].into_iter().flatten());
        }
    }

    pub(super) fn lambda(&mut self, node: SyntaxNode<'t>) {
        let n = self.next_number("lambda");
        let name = format!("{}.lambda_{n}", self.name);
        let Some(body) = syntax::field(node, field::BODY) else { return };
        let content = match syntax::kind_of(body) {
            kind::BLOCK => BlockContent::statement(body),
            _ => BlockContent::parts(vec![body]),
        };
        let (kind, class, anchor) = (UnitKind::Lambda, self.class.clone(), body);
        self.found.push(UndividedCode::Unit(PendingUnit {
            kind,
            class,
            name,
            node,
            anchor,
            content,
        }));
    }
}

/// Splits a `switch` group or rule into its labels and its statements.
fn split_arm(arm: SyntaxNode<'_>) -> (Vec<SyntaxNode<'_>>, Vec<SyntaxNode<'_>>) {
    let (labels, rest): (Vec<_>, Vec<_>) =
        syntax::children(arm).into_iter().partition(|n| syntax::kind_of(n) == kind::SWITCH_LABEL);
    (
        labels,
        rest.into_iter()
            .filter(|n| !matches!(syntax::kind_of(n), kind::COLON | kind::ARROW))
            .collect(),
    )
}

/// Returns the parts that a label evaluates: its patterns and its guard, no constants.
fn label_tests(label: SyntaxNode<'_>) -> Vec<SyntaxNode<'_>> {
    let mut tests = syntax::children_of_kind(label, kind::PATTERN);
    tests.extend(syntax::children_of_kind(label, kind::GUARD));
    tests
}

/// Returns the content of an arm `case X -> e;` of a `switch` that has a value: `e` is no
/// statement.
fn value_of_rule(mut content: BlockContent<'_>) -> BlockContent<'_> {
    if let [statement] = content.statements[..]
        && syntax::kind_of(statement) == kind::EXPRESSION_STATEMENT
    {
        content.parts.extend(syntax::named_children(statement));
        content.statements.clear();
    }
    content
}
