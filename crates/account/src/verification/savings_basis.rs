//! Basis of measured savings: where the board's sampler names every method, the energy of the
//! rewritten method, else that of the whole application.
//!
//! Sessions of compiled code differ by some percent, more than most rewrites save. The inclusive
//! energy of a method is a share of that by samples, known to a few percent of itself, whatever
//! the rest of the session does. And as rewrites of different methods do not interfere, one copy
//! of the sources contains many of them.

use std::collections::BTreeMap;

use crate::account::matching::{MethodSignature, signature};
use crate::blocks::BlockId;
use crate::device::Sampler;
use crate::hint::{self, Hint};
use crate::java::SourceFile;
use crate::operations::{BlockEntry, Dictionary};
use crate::stacks::StackProfile;

/// Basis of measured savings: whole sessions, or samples in the rewritten methods.
#[derive(Debug)]
pub(super) enum SavingsBasis {
    /// Energy of whole sessions.
    Whole,
    /// Samples in the methods, one for each rewrite. Overloads are one method: the others' energy
    /// does not change.
    Methods(Vec<MethodSignature>),
}

impl SavingsBasis {
    /// Chooses the basis that a board's sampler allows.
    pub fn of(hints: &[&Hint], sampler: Option<Sampler>, dictionary: &Dictionary) -> Self {
        let is_sampled = sampler.is_some_and(Sampler::shows_inlined);
        let methods = is_sampled.then(|| methods(hints, dictionary)).flatten();
        methods.map_or(Self::Whole, Self::Methods)
    }

    /// Whether sessions are sampled.
    pub(crate) fn are_sampled(&self) -> bool {
        matches!(self, Self::Methods(_))
    }

    /// For each rewrite the number of the copy of the sources that it is applied to.
    pub fn copies(&self, hints: &[&Hint], sources: &[SourceFile]) -> Vec<usize> {
        let mut copies: Vec<usize> = Vec::new();
        for at in 0..hints.len() {
            let fits = |copy: &usize| {
                self.can_share_copy(&rewrites_of_copy(&copies, *copy), at, hints, sources)
            };
            copies.push((0..at).find(fits).unwrap_or(at));
        }
        copies
    }

    /// Whether a rewrite can be measured and applied in one copy with others.
    fn can_share_copy(
        &self,
        others: &[usize],
        at: usize,
        hints: &[&Hint],
        sources: &[SourceFile],
    ) -> bool {
        let Self::Methods(methods) = self else { return others.is_empty() };
        let all: Vec<Hint> = others.iter().chain([&at]).map(|at| hints[*at].clone()).collect();
        others.iter().all(|other| methods[*other] != methods[at])
            && hint::apply(&all, sources, all.len()).done.len() == all.len()
    }

    /// For each rewrite the share of the session's samples whose innermost rewritten method is
    /// its own; 1 for all without samples.
    pub fn shares(&self, rewrites: usize, profile: Option<&StackProfile>) -> Vec<f64> {
        let (Self::Methods(methods), Some(profile)) = (self, profile) else {
            return vec![1.0; rewrites];
        };
        let frames = profile.frames.iter().map(|frame| {
            let own = signature(&frame.class, &frame.method).bare();
            methods.iter().find(|method| **method == own)
        });
        let frames: Vec<Option<&MethodSignature>> = frames.collect();
        let mut samples: BTreeMap<&MethodSignature, u64> = BTreeMap::new();
        for (stack, count) in &profile.stacks {
            if let Some(method) = stack.iter().rev().find_map(|frame| frames[*frame as usize]) {
                *samples.entry(method).or_default() += count;
            }
        }
        let all = profile.samples() as f64;
        let share = |method| samples.get(method).map_or(0.0, |samples| *samples as f64 / all);
        methods.iter().map(share).collect()
    }

    /// Share of a session's energy that the saving of several rewrites together is computed from:
    /// that of their methods, each once. `shares` are those of single rewrites.
    pub fn joint_share(&self, shares: &[f64], rewrites: &[usize]) -> f64 {
        let Self::Methods(methods) = self else { return 1.0 };
        let mut seen: Vec<&MethodSignature> = Vec::new();
        let mut share = 0.0;
        for at in rewrites {
            if !seen.contains(&&methods[*at]) {
                seen.push(&methods[*at]);
                share += shares[*at];
            }
        }
        share
    }
}

/// Indices of the rewrites in a copy.
pub(super) fn rewrites_of_copy(copies: &[usize], copy: usize) -> Vec<usize> {
    (0..copies.len()).filter(|at| copies[*at] == copy).collect()
}

/// Methods of the hints' blocks; `None` where a block is missing in this dictionary.
fn methods(hints: &[&Hint], dictionary: &Dictionary) -> Option<Vec<MethodSignature>> {
    let blocks: BTreeMap<BlockId, &BlockEntry> =
        dictionary.blocks.iter().map(|block| (block.id, block)).collect();
    let method = |hint: &&Hint| {
        let block = blocks.get(&hint.block)?;
        Some(signature(&block.class, &block.method).bare())
    };
    hints.iter().map(method).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use crate::blocks::{Granularity, divide};
    use crate::java::ClassPath;
    use crate::operations::count;
    use crate::stacks::parse;

    fn places(methods: &[&str]) -> SavingsBasis {
        SavingsBasis::Methods(methods.iter().map(|method| signature("a.A", method)).collect())
    }

    /// Of ten samples two are in `f` called by `g`, one in `g` itself, and one in a library
    /// function that `g` calls.
    #[test]
    fn a_sample_is_of_the_innermost_rewritten_method() {
        let text = "a.A.main([I)V:1;a.A.g()V:2;a.A.f(I)V:3 2\n\
                    a.A.main([I)V:1;a.A.g()V:2 1\n\
                    a.A.main([I)V:1;a.A.g()V:2;java.lang.String.length()I:9 1\n\
                    a.A.main([I)V:7 6\n";
        let profile = parse(text).unwrap();
        assert_eq!(places(&["f", "g"]).shares(2, Some(&profile)), [0.2, 0.2]);
        assert_eq!(places(&["g", "none", "g"]).shares(3, Some(&profile)), [0.4, 0.0, 0.4]);
        assert_eq!(SavingsBasis::Whole.shares(2, Some(&profile)), [1.0, 1.0]);
        // Together they have the samples of each method once.
        let share = places(&["g", "none", "g"]).joint_share(&[0.4, 0.0, 0.4], &[0, 1, 2]);
        assert_eq!((share, SavingsBasis::Whole.joint_share(&[1.0, 1.0], &[0, 1])), (0.4, 1.0));
    }

    const TWO: &str = "class A {
        String f(int n) { StringBuffer b = new StringBuffer(); b.append(n); return b.toString(); }
        String g(int n) { StringBuffer b = new StringBuffer(); b.append(n); return b.toString(); }
    }";

    fn two() -> ([SourceFile; 1], Dictionary, Vec<Hint>) {
        let files = [SourceFile::parse("A.java", TWO)];
        let blocks = [divide(&files[0], Granularity::Statement)];
        let dictionary = count(&files, &blocks, &ClassPath::open(&[]).unwrap()).dictionary;
        let mut hints = hint::assumed_hints(&dictionary, &files, None);
        hints.retain(|hint| hint.pattern == "string-buffer");
        (files, dictionary, hints)
    }

    #[test]
    fn a_copy_has_rewrites_of_different_methods() {
        let (files, dictionary, hints) = two();
        let hints: Vec<&Hint> = hints.iter().collect();
        let places = |sampler| SavingsBasis::of(&hints, sampler, &dictionary);
        let sampled = places(Some(Sampler::FlightRecorder));
        let SavingsBasis::Methods(methods) = &sampled else { panic!("{sampled:?}") };
        let names: Vec<&str> = methods.iter().map(|method| method.name.as_str()).collect();
        assert_eq!(BTreeSet::from_iter(names), BTreeSet::from(["f", "g"]));
        assert_eq!(sampled.copies(&hints, &files), [0, 0]);
        let of_one = SavingsBasis::Methods(vec![methods[0].clone(); 2]);
        assert_eq!(of_one.copies(&hints, &files), [0, 1]);
        // Inlined code goes by its caller's name there.
        let whole = places(Some(Sampler::Simpleperf));
        assert!(!whole.are_sampled());
        assert_eq!(whole.copies(&hints, &files), [0, 1]);
    }

    #[test]
    fn rewrites_of_one_place_are_in_copies_of_their_own() {
        let (files, _, hints) = two();
        let twice = [&hints[0], &hints[0]];
        assert_eq!(places(&["f", "g"]).copies(&twice, &files), [0, 1]);
        assert_eq!(rewrites_of_copy(&[0, 1, 0], 0), [0, 2]);
    }
}
