//! Operation mix of an application: executions by operation and context.

use std::collections::BTreeMap;

use wattline_units::operation::{form_name, is_compiled_away};

use super::dictionary::Dictionary;

/// Executions of each operation in each context, by operation, then context.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperationMix(pub BTreeMap<String, BTreeMap<String, u64>>);

impl OperationMix {
    /// Computes the mix from the executions of every block, by id.
    pub fn new(dictionary: &Dictionary, executions: impl Fn(usize) -> u64) -> OperationMix {
        let mut mix = OperationMix::default();
        for (index, block) in dictionary.blocks.iter().enumerate() {
            let runs = executions(index);
            for found in block.operations.iter().filter(|_| runs > 0) {
                let contexts = mix.0.entry(found.operation.to_string()).or_default();
                let count = contexts.entry(found.context.to_string()).or_default();
                *count = count.saturating_add(runs.saturating_mul(u64::from(found.count)));
            }
        }
        mix
    }

    /// Removes operations of which a compiler leaves nothing.
    pub fn without_compiled_away(mut self) -> OperationMix {
        self.0.retain(|operation, contexts| {
            contexts.retain(|context, _| !is_compiled_away(operation, context));
            !contexts.is_empty()
        });
        self
    }

    /// Returns the executions of each operation, summed over contexts.
    pub fn executions(&self) -> BTreeMap<String, u64> {
        let total = |contexts: &BTreeMap<String, u64>| {
            contexts.values().fold(0u64, |sum, count| sum.saturating_add(*count))
        };
        self.0.iter().map(|(operation, contexts)| (operation.clone(), total(contexts))).collect()
    }

    /// Returns the executions of each operation in each context, by the name of the form.
    pub fn forms(&self) -> BTreeMap<String, u64> {
        let forms = self.0.iter().flat_map(|(operation, contexts)| {
            contexts.iter().map(move |(context, count)| (form_name(operation, context), *count))
        });
        forms.collect()
    }

    /// Returns the executions of one form, an operation in a context.
    pub fn count(&self, operation: &str, context: &str) -> f64 {
        self.0.get(operation).and_then(|contexts| contexts.get(context)).map_or(0.0, |n| *n as f64)
    }

    /// Returns the executions of an operation, summed over contexts.
    pub fn total(&self, operation: &str) -> f64 {
        self.0.get(operation).map_or(0.0, |contexts| contexts.values().map(|n| *n as f64).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_compilers_do_is_not_executed() {
        let contexts = |all: &[(&str, u64)]| all.iter().map(|(c, n)| ((*c).into(), *n)).collect();
        let mix = |all: &[(&str, &[(&str, u64)])]| {
            OperationMix(all.iter().map(|(name, of)| ((*name).into(), contexts(of))).collect())
        };
        let all = mix(&[
            ("And", &[("constant", 7)]),
            ("Cast_numeric", &[("constant", 900), ("int to double", 3)]),
            ("Equal_double_double", &[("constant", 900)]),
        ]);
        let expected = mix(&[
            ("Cast_numeric", &[("int to double", 3)]),
            ("Equal_double_double", &[("constant", 900)]),
        ]);
        assert_eq!(all.without_compiled_away(), expected);
    }
}
