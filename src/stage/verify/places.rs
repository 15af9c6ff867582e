//! By what a rewrite's saving is told: where the board's sampler names every method, by what
//! the rewritten method spends, else by what the whole application does.
//!
//! Sessions of compiled code differ by some percent, more than most rewrites save. What a
//! method spends, with all that it calls, is a part of that by samples: it is known to a few
//! percent of itself, whatever the rest of the session does. And as rewrites of different
//! methods don't touch each other there, one copy of the sources has many of them.

use crate::account::matching::signature;
use crate::account::profile::{Frame, Profile};
use crate::device::Sampler;
use crate::hint::{self, Hint};
use crate::java::SourceFile;
use crate::operations::Dictionary;

/// Class and name of a method. Overloads are one: what one of them doesn't rewrite is the
/// same before and after.
type Method = (String, String);

/// By what savings are told, for each of the rewrites.
#[derive(Debug)]
pub(super) enum Places {
    /// By whole sessions.
    Whole,
    /// By samples in the methods, one for each rewrite.
    Methods(Vec<Method>),
}

impl Places {
    /// What a board's sampler allows.
    pub fn of(hints: &[&Hint], sampler: Option<Sampler>, dictionary: &Dictionary) -> Self {
        match sampler.filter(|sampler| sampler.shows_inlined()) {
            None => Self::Whole,
            Some(_) => Self::Methods(hints.iter().map(|hint| method(hint, dictionary)).collect()),
        }
    }

    /// Whether sessions are sampled.
    pub fn are_sampled(&self) -> bool {
        matches!(self, Self::Methods(_))
    }

    /// Into which copy of the sources each rewrite goes, by number.
    pub fn copies(&self, hints: &[&Hint], sources: &[SourceFile]) -> Vec<usize> {
        let mut copies: Vec<usize> = Vec::new();
        for at in 0..hints.len() {
            let fits = |copy: &usize| self.are_apart(&of_copy(&copies, *copy), at, hints, sources);
            copies.push((0..at).find(fits).unwrap_or(at));
        }
        copies
    }

    /// Whether a rewrite can be told from others in one copy, and made beside them.
    fn are_apart(
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

    /// For each rewrite the part of the samples of a session whose innermost method among
    /// those with a rewrite is its own; 1 for all without samples.
    pub fn shares(&self, rewrites: usize, profile: Option<&Profile>) -> Vec<f64> {
        let (Self::Methods(methods), Some(profile)) = (self, profile) else {
            return vec![1.0; rewrites];
        };
        let frames = profile.frames.iter().map(|frame| {
            let own = name_of(frame);
            methods.iter().position(|method| *method == own)
        });
        let frames: Vec<Option<usize>> = frames.collect();
        let mut samples = vec![0.0; rewrites];
        for (stack, count) in &profile.stacks {
            if let Some(first) = stack.iter().rev().find_map(|frame| frames[*frame as usize]) {
                samples[first] += *count as f64;
            }
        }
        let all = profile.samples() as f64;
        let of_method = |method: &Method| {
            let first = methods.iter().position(|other| other == method).unwrap_or(0);
            samples[first] / all
        };
        methods.iter().map(of_method).collect()
    }
}

/// The rewrites of a copy, by their places in the list.
pub(super) fn of_copy(copies: &[usize], copy: usize) -> Vec<usize> {
    (0..copies.len()).filter(|at| copies[*at] == copy).collect()
}

/// The method in which a hint's block stands.
fn method(hint: &Hint, dictionary: &Dictionary) -> Method {
    let block = dictionary.blocks.iter().find(|block| block.id == hint.block);
    block.map_or_else(Method::default, |block| {
        let signature = signature(&block.class, &block.method);
        (signature.class, signature.name)
    })
}

fn name_of(frame: &Frame) -> Method {
    let signature = signature(&frame.class, &frame.method);
    (signature.class, signature.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use crate::account::profile::parse;
    use crate::blocks::{Granularity, divide};
    use crate::java::ClassPath;
    use crate::operations::count;

    fn places(methods: &[&str]) -> Places {
        let name = |method: &&str| ("a.A".to_string(), (*method).to_string());
        Places::Methods(methods.iter().map(name).collect())
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
        assert_eq!(Places::Whole.shares(2, Some(&profile)), [1.0, 1.0]);
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
        let places = |sampler| Places::of(&hints, sampler, &dictionary);
        let sampled = places(Some(Sampler::FlightRecorder));
        let Places::Methods(methods) = &sampled else { panic!("{sampled:?}") };
        let names: Vec<&str> = methods.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(BTreeSet::from_iter(names), BTreeSet::from(["f", "g"]));
        assert_eq!(sampled.copies(&hints, &files), [0, 0]);
        let of_one = Places::Methods(vec![methods[0].clone(); 2]);
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
        assert_eq!(of_copy(&[0, 1, 0], 0), [0, 2]);
    }
}
