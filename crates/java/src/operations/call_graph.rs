//! Call graph of the sources: per block, the entry blocks of the methods, constructors, lambdas
//! and instance initialisers that its calls may run.
//!
//! A static or private method, a constructor and `super.m()` are one body. Any other call
//! runs the method that it names or one that overrides or implements it, as far as the
//! sources show; [`CallSite::may_run_others`] is set where code outside of them may run as well, or
//! the call is not resolved. Callbacks from libraries are unknown here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use compact_str::CompactString;

use super::dictionary::Dictionary;
use crate::blocks::{BlockId, BlockKind, FileBlocks, UnitKind};
use crate::java::attribute::AttributedFacts;
use crate::java::class::{ClassInfo, MethodInfo};
use crate::java::fast_hash::Map;
use crate::java::file_unit::members;
use crate::java::kinds::{Field, Kind};
use crate::java::members::is_dispatched;
use crate::java::resolver::Resolver;
use crate::java::syntax_tree::NodeId;
use crate::java::types::Name;

/// Longest chain of implicit constructors that is followed.
const CHAIN_MAX: usize = 64;

/// Calls of one block that may run the same code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSite {
    /// Calling block.
    pub block: BlockId,
    /// Number of these calls per execution of the block.
    pub calls: u32,
    /// Entry blocks of the code that each call may run, one of them at a time; not empty.
    pub callees: BTreeSet<BlockId>,
    /// Whether a call may run other code instead: outside of the sources, behind a method
    /// reference, or any code where the call is not resolved.
    pub may_run_others: bool,
}

/// Calls of a program that may run its own code, by block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallGraph {
    /// Call sites, in the order of the blocks.
    pub sites: Vec<CallSite>,
}

/// Callable code: its file, and its declaration, lambda or class body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CallableCode {
    file: usize,
    node: NodeId,
}

/// Code that a call names, and how it is dispatched.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum CalledName {
    /// Exactly this code.
    Only(CallableCode),
    /// This method, or one that overrides or implements it.
    Dispatched(CallableCode),
    /// An unresolved method of this name.
    Unresolved(CompactString),
}

/// Calls, entries and overriding methods of one file.
#[derive(Debug, Default)]
pub struct FileCalls {
    /// Callable code with its entry block.
    entries: Vec<(CallableCode, BlockId)>,
    sites: Vec<(BlockId, CalledName)>,
    /// Pairs of a method and the code that replaces it on some objects; none is unknown code.
    replaced: Vec<(CallableCode, Option<CallableCode>)>,
}

/// Finder of the calls of one file.
pub(super) struct CallFinder<'f> {
    /// The file's index.
    pub file: usize,
    pub facts: &'f AttributedFacts,
    pub resolver: &'f Resolver<'f>,
}

impl FileCalls {
    /// Collects the entry blocks of a file's units; the blocks' ids begin with `first`.
    pub(super) fn entries(file: usize, blocks: &FileBlocks, first: u32) -> FileCalls {
        let numbered = blocks.blocks.iter().enumerate();
        let entries = numbered.filter_map(|(index, block)| {
            let unit = blocks.unit_of(block);
            let is_called =
                block.kind == BlockKind::Entry && unit.kind != UnitKind::StaticInitializer;
            let code = CallableCode { file, node: unit.node };
            is_called.then(|| (code, BlockId(first + index as u32)))
        });
        FileCalls { entries: entries.collect(), ..FileCalls::default() }
    }
}

impl CallFinder<'_> {
    /// Adds the calls at `nodes`, each with its block, the implicit calls of constructors, and the
    /// methods that override others.
    pub fn add(&self, found: &mut FileCalls, nodes: &[(BlockId, NodeId)]) {
        for (block, node) in nodes {
            found.sites.extend(self.called_names(*node).into_iter().map(|named| (*block, named)));
        }
        for class in self.classes() {
            self.constructors(&class, found);
            for (method, runs) in self.resolver.overriding_pairs(&class) {
                found.replaced.extend(self.code(&method).map(|code| (code, self.code(&runs))));
            }
        }
        self.functions(found);
    }

    /// Returns the code that the call or creation at `node` names.
    fn called_names(&self, node: NodeId) -> Vec<CalledName> {
        let tree = &self.resolver.names.file.tree;
        let mut named = match self.facts.callee(node) {
            Some(method) if &*method.name == "<init>" => self.only(self.constructor_code(method)),
            Some(method) => {
                let object = tree.child(node, Field::Object);
                let is_super = tree.first_of_kind(node, Kind::Super).is_some()
                    || object.is_some_and(|object| tree.kind(object) == Kind::Super);
                let code = self.code(method).into_iter();
                let is_only = is_super || !is_dispatched(method);
                code.map(if is_only { CalledName::Only } else { CalledName::Dispatched }).collect()
            }
            None => {
                let name = tree.child(node, Field::Name).filter(|_| tree.kind(node) == Kind::Call);
                let name = name.map(|name| self.resolver.names.file.text(name).into());
                name.map(CalledName::Unresolved).into_iter().collect()
            }
        };
        let body = tree.first_of_kind(node, Kind::ClassBody);
        named.extend(body.map(|node| CalledName::Only(CallableCode { file: self.file, node })));
        named
    }

    fn only(&self, codes: Vec<CallableCode>) -> Vec<CalledName> {
        codes.into_iter().map(CalledName::Only).collect()
    }

    fn code(&self, method: &MethodInfo) -> Option<CallableCode> {
        let file = self.resolver.names.lookup.file_index_of(&method.class).unwrap_or(self.file);
        method.declaration.filter(|_| method.from_source).map(|node| CallableCode { file, node })
    }

    /// Returns the code that a constructor runs: its own, or that of an implicit constructor.
    fn constructor_code(&self, constructor: &MethodInfo) -> Vec<CallableCode> {
        match self.code(constructor) {
            Some(code) => vec![code],
            None => self.implicit_constructor_code(&constructor.class),
        }
    }

    /// Returns the code that the implicit constructor of a class runs.
    fn implicit_constructor_code(&self, class: &Name) -> Vec<CallableCode> {
        let mut found = Vec::new();
        let mut next = self.resolver.class(class);
        while let Some(class) = next.take().filter(|c| c.from_source && found.len() < CHAIN_MAX) {
            found.extend(self.initializers(&class));
            let Some(above) = self.superclass(&class) else { break };
            match no_argument_constructor(&above).and_then(|c| self.code(c)) {
                Some(code) => found.push(code),
                None => next = Some(above),
            }
        }
        found
    }

    fn superclass(&self, class: &ClassInfo) -> Option<Arc<ClassInfo>> {
        let above = self.resolver.class(class.superclass.as_ref()?.class_name()?);
        above.filter(|above| above.from_source)
    }

    /// Returns the instance initialisers of a class, and a record's compact constructor.
    fn initializers(&self, class: &ClassInfo) -> Vec<CallableCode> {
        let file = self.resolver.names.lookup.file_index_of(&class.name).unwrap_or(self.file);
        let tree = &self.resolver.names.lookup.file(file).tree;
        let Some(declaration) = class.declaration else { return Vec::new() };
        let body = tree.child(declaration, Field::Body).unwrap_or(declaration);
        let compact = members(tree, declaration)
            .filter(|member| tree.kind(*member) == Kind::CompactConstructorDeclaration);
        std::iter::once(body).chain(compact).map(|node| CallableCode { file, node }).collect()
    }

    /// Returns the classes of the file, local ones too.
    fn classes(&self) -> Vec<Arc<ClassInfo>> {
        let declared = self.resolver.names.file.classes.iter();
        let declared = declared.filter_map(|class| self.resolver.class(&class.name));
        let locals = self.resolver.names.locals.values().filter_map(|local| local.info.clone());
        declared.chain(locals).collect()
    }

    /// Adds the calls that each constructor makes before its own statements.
    fn constructors(&self, class: &ClassInfo, found: &mut FileCalls) {
        let tree = &self.resolver.names.file.tree;
        let entries: Map<NodeId, BlockId> =
            found.entries.iter().map(|(code, entry)| (code.node, *entry)).collect();
        for node in class.methods_named("<init>").iter().filter_map(|m| m.declaration) {
            let body = tree.child(node, Field::Body);
            let first = body.and_then(|body| tree.children(body).next());
            let call = first.filter(|first| tree.kind(*first) == Kind::ExplicitConstructorCall);
            let called = call.and_then(|call| tree.child(call, Field::Constructor));
            let codes = match called.map(|called| tree.kind(called)) {
                Some(Kind::This) => Vec::new(),
                Some(_) => self.initializers(class),
                None => self.implicit_constructor_code(&class.name),
            };
            if let Some(entry) = entries.get(&node) {
                found.sites.extend(self.only(codes).into_iter().map(|named| (*entry, named)));
            }
        }
    }

    /// Adds lambdas and method references as implementations of functional methods of the sources.
    fn functions(&self, found: &mut FileCalls) {
        let tree = &self.resolver.names.file.tree;
        for node in tree.nodes() {
            let runs = match tree.kind(node) {
                Kind::Lambda => Some(CallableCode { file: self.file, node }),
                Kind::MethodReference => None,
                _ => continue,
            };
            let method = self.resolver.functional_method(self.facts.ty(node));
            let method = method.and_then(|candidate| self.code(&candidate.method));
            found.replaced.extend(method.map(|method| (method, runs)));
        }
    }
}

fn no_argument_constructor(class: &ClassInfo) -> Option<&MethodInfo> {
    let all = || class.methods_named("<init>").iter();
    let none = all().find(|c| c.parameters.is_empty());
    let found = none.or_else(|| all().find(|c| c.varargs && c.parameters.len() == 1));
    found.map(|constructor| &**constructor)
}

impl CallGraph {
    /// Builds the call graph of the files of `dictionary`.
    pub fn of(dictionary: &Dictionary, files: &[FileCalls]) -> CallGraph {
        let all = JoinedCalls::of(dictionary, files);
        let mut known: BTreeMap<&CalledName, (BTreeSet<BlockId>, bool)> = BTreeMap::new();
        let mut counts: BTreeMap<(BlockId, &CalledName), u32> = BTreeMap::new();
        for (block, named) in files.iter().flat_map(|file| &file.sites) {
            known.entry(named).or_insert_with(|| all.callees(named));
            *counts.entry((*block, named)).or_default() += 1;
        }
        let sites = counts.into_iter().filter_map(|((block, named), calls)| {
            let (callees, may_run_others) = known[named].clone();
            let site = CallSite { block, calls, callees, may_run_others };
            (!site.callees.is_empty()).then_some(site)
        });
        CallGraph { sites: sites.collect() }
    }
}

/// Calls, entries and overriding methods of all files.
#[derive(Default)]
struct JoinedCalls<'d> {
    entries: BTreeMap<CallableCode, BlockId>,
    replaced: BTreeMap<CallableCode, BTreeSet<Option<CallableCode>>>,
    /// Entry blocks of the methods of each name.
    by_name: BTreeMap<&'d str, BTreeSet<BlockId>>,
}

impl<'d> JoinedCalls<'d> {
    fn of(dictionary: &'d Dictionary, files: &[FileCalls]) -> JoinedCalls<'d> {
        let mut all = JoinedCalls::default();
        for file in files {
            for (code, entry) in &file.entries {
                all.entries.insert(*code, *entry);
                let method = &dictionary.blocks[entry.0 as usize].method;
                let name = method.split_once('(').map_or(method.as_str(), |(name, _)| name);
                all.by_name.entry(name).or_default().insert(*entry);
            }
            for (method, runs) in &file.replaced {
                all.replaced.entry(*method).or_default().insert(*runs);
            }
        }
        all
    }

    /// Returns the entry blocks of the code that a call may run, and whether it may run other code.
    fn callees(&self, named: &CalledName) -> (BTreeSet<BlockId>, bool) {
        match named {
            CalledName::Only(code) => {
                (self.entries.get(code).copied().into_iter().collect(), false)
            }
            CalledName::Unresolved(name) => {
                (self.by_name.get(name.as_str()).cloned().unwrap_or_default(), true)
            }
            CalledName::Dispatched(code) => {
                let mut codes = BTreeSet::from([*code]);
                let (mut todo, mut may_run_others) = (vec![*code], false);
                while let Some(code) = todo.pop() {
                    for runs in self.replaced.get(&code).into_iter().flatten() {
                        may_run_others |= runs.is_none();
                        todo.extend(runs.filter(|runs| codes.insert(*runs)));
                    }
                }
                (
                    codes.iter().filter_map(|c| self.entries.get(c)).copied().collect(),
                    may_run_others,
                )
            }
        }
    }
}
