//! Local variables in scope.

use crate::java::fast_hash::Map;
use crate::java::types::Type;

/// A local variable, parameter or pattern variable.
#[derive(Debug, Clone)]
pub(super) struct LocalVariable {
    pub ty: Type,
    /// Whether it is a constant variable.
    pub constant: bool,
    /// Number of class bodies around the declaration.
    pub class_depth: usize,
}

/// Local variables in scope, by name; inner ones hide outer ones.
#[derive(Default)]
pub(super) struct Scope<'w> {
    by_name: Map<&'w str, Vec<LocalVariable>>,
    declared: Vec<&'w str>,
}

impl<'w> Scope<'w> {
    /// Returns a checkpoint for [`Scope::release`]: the number of locals declared.
    pub fn mark(&self) -> usize {
        self.declared.len()
    }

    /// Takes all locals declared since `mark` out of scope.
    pub fn release(&mut self, mark: usize) {
        for name in self.declared.drain(mark..) {
            if let Some(locals) = self.by_name.get_mut(name) {
                locals.pop();
            }
        }
    }

    pub fn declare(&mut self, name: &'w str, local: LocalVariable) {
        self.by_name.entry(name).or_default().push(local);
        self.declared.push(name);
    }

    pub fn find(&self, name: &str) -> Option<&LocalVariable> {
        self.by_name.get(name)?.last()
    }
}
