//! Division of a file into classes and units, their names and their statements. The statements
//! themselves are divided in [`super::flow`]. Nothing here recurses, so that nesting is not
//! limited.

use crate::java::SyntaxNode;

use super::class_names::{ClassNames, LONGEST_NAME, class_names, package_prefix};
use super::flow;
use super::signature::parameters;
use super::undivided_code::{BlockContent, PendingUnit, UndividedCode};
use super::{FileBlocks, Granularity, UnitKind};
use crate::finding::{Finding, FindingKind};
use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// Divides `file` into units and basic blocks. Never fails: syntax errors are in
/// [`FileBlocks::findings`], and the rest is divided all the same.
pub fn divide(file: &SourceFile, granularity: Granularity) -> FileBlocks {
    let root = file.tree.root_node();
    let mut division = BlockDivision {
        file,
        names: class_names(file),
        package: package_prefix(file, root),
        todo: Vec::new(),
    };
    let mut blocks = FileBlocks { findings: syntax_findings(file), ..FileBlocks::default() };
    division.push(top_level(file, root));
    while let Some(found) = division.todo.pop() {
        division.visit(found, granularity, &mut blocks);
    }
    blocks.owners.sort();
    blocks
}

struct BlockDivision<'t> {
    file: &'t SourceFile,
    names: ClassNames,
    package: String,
    todo: Vec<UndividedCode<'t>>,
}

impl<'t> BlockDivision<'t> {
    /// Queues `found` before all other code, in its order.
    fn push(&mut self, found: Vec<UndividedCode<'t>>) {
        self.todo.extend(found.into_iter().rev());
    }

    fn visit(
        &mut self,
        found: UndividedCode<'t>,
        granularity: Granularity,
        blocks: &mut FileBlocks,
    ) {
        let found = match found {
            UndividedCode::Class(body) => self.class(body),
            UndividedCode::Unit(unit) if unit.name.len() > LONGEST_NAME => {
                blocks.findings.push(too_deep(self.file, unit.node));
                Vec::new()
            }
            UndividedCode::Unit(unit) => flow::divide_unit(self.file, granularity, unit, blocks),
        };
        self.push(found);
    }

    /// Collects the units of one class: initialisers, then methods and member classes.
    fn class(&self, body: SyntaxNode<'t>) -> Vec<UndividedCode<'t>> {
        let class = self.names.get(&body.id()).cloned().unwrap_or_default();
        let members = syntax::members(body);
        let mut found = Vec::new();
        for (kind, name) in
            [(UnitKind::StaticInitializer, "<clinit>"), (UnitKind::InstanceInitializer, "<fields>")]
        {
            let statements = self.initializers(body, &members, kind);
            if !statements.is_empty() {
                let name = format!("{}.{name}", self.short(&class));
                let content = BlockContent { parts: Vec::new(), statements };
                let class = class.clone();
                let unit = PendingUnit { kind, class, name, node: body, anchor: body, content };
                found.push(UndividedCode::Unit(unit));
            }
        }
        if class.len() > LONGEST_NAME {
            return found;
        }
        found.extend(members.iter().filter_map(|member| self.member(body, &class, *member)));
        found
    }

    /// Removes the package from a binary name.
    fn short<'n>(&self, class: &'n str) -> &'n str {
        class.strip_prefix(&self.package).unwrap_or(class)
    }

    /// Collects the code that initialises the class or an instance, in source order.
    fn initializers(
        &self,
        body: SyntaxNode<'t>,
        members: &[SyntaxNode<'t>],
        unit: UnitKind,
    ) -> Vec<SyntaxNode<'t>> {
        let all_static =
            matches!(syntax::kind_of(body), kind::INTERFACE_BODY | kind::ANNOTATION_TYPE_BODY);
        let mut found = Vec::new();
        for member in members {
            let is_static = all_static
                || matches!(
                    syntax::kind_of(member),
                    kind::STATIC_INITIALIZER | kind::ENUM_CONSTANT
                )
                || syntax::has_modifier(*member, "static", &self.file.text);
            if is_static != (unit == UnitKind::StaticInitializer) {
                continue;
            }
            match syntax::kind_of(member) {
                kind::FIELD_DECLARATION | kind::CONSTANT_DECLARATION => {
                    let declarators = syntax::fields(*member, field::DECLARATOR).into_iter();
                    found.extend(declarators.filter(|d| syntax::field(*d, field::VALUE).is_some()));
                }
                kind::BLOCK | kind::ENUM_CONSTANT => found.push(*member),
                kind::STATIC_INITIALIZER => {
                    found.extend(syntax::child_of_kind(*member, kind::BLOCK));
                }
                _ => {}
            }
        }
        found
    }

    fn member(
        &self,
        owner: SyntaxNode<'t>,
        class: &str,
        member: SyntaxNode<'t>,
    ) -> Option<UndividedCode<'t>> {
        let body = syntax::field(member, field::BODY);
        if syntax::is_type_declaration(member) {
            return body.map(UndividedCode::Class);
        }
        let (kind, method) = match syntax::kind_of(member) {
            kind::METHOD_DECLARATION => {
                let name = self.file.text_of(syntax::field(member, field::NAME)?);
                (UnitKind::Method, format!("{name}{}", parameters(self.file, member)))
            }
            kind::CONSTRUCTOR_DECLARATION => {
                (UnitKind::Constructor, format!("<init>{}", parameters(self.file, member)))
            }
            kind::COMPACT_CONSTRUCTOR_DECLARATION => {
                let record = owner.parent()?;
                (UnitKind::Constructor, format!("<init>{}", parameters(self.file, record)))
            }
            _ => return None,
        };
        let name = format!("{}.{method}", self.short(class));
        let content = BlockContent { parts: Vec::new(), statements: vec![body?] };
        let (class, anchor) = (class.to_owned(), body?);
        Some(UndividedCode::Unit(PendingUnit { kind, class, name, node: member, anchor, content }))
    }
}

/// Collects the top-level types of a file.
fn top_level<'t>(_file: &'t SourceFile, root: SyntaxNode<'t>) -> Vec<UndividedCode<'t>> {
    let types =
        syntax::named_children(root).into_iter().filter(|n| syntax::is_type_declaration(*n));
    types.filter_map(|node| syntax::field(node, field::BODY).map(UndividedCode::Class)).collect()
}

fn too_deep(file: &SourceFile, node: SyntaxNode<'_>) -> Finding {
    let message = "nested too deeply to be named; it is left out of the blocks".to_owned();
    let (line, kind) = (node.line(), FindingKind::SyntaxError);
    Finding { file: file.path.clone(), line, kind, message }
}

/// Returns one finding per error node or missing token.
fn syntax_findings(file: &SourceFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    if file.is_timed_out {
        let message = "the parser takes too long for this file; it is left out".to_owned();
        let kind = FindingKind::SyntaxError;
        findings.push(Finding { file: file.path.clone(), line: 1, kind, message });
    }
    let mut todo = vec![file.tree.root_node()];
    while let Some(node) = todo.pop() {
        if node.is_error() || node.is_missing() {
            let message = match node.is_missing() {
                true => format!("the parser misses {:?} here", node.kind_name()),
                false => "the parser can't follow this; it is left out of the blocks".to_owned(),
            };
            let line = node.line();
            let kind = FindingKind::SyntaxError;
            findings.push(Finding { file: file.path.clone(), line, kind, message });
        } else if node.has_error() {
            todo.extend(syntax::children(node).into_iter().rev());
        }
    }
    findings
}
