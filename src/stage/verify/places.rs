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

    /// Which rewrites go into which copy of the sources, by their places in the list.
    pub fn copies(&self, hints: &[&Hint], sources: &[SourceFile]) -> Vec<Vec<usize>> {
        let mut copies: Vec<Vec<usize>> = Vec::new();
        for at in 0..hints.len() {
            let fits = |copy: &&mut Vec<usize>| self.are_apart(copy, at, hints, sources);
            match copies.iter_mut().find(fits) {
                Some(copy) => copy.push(at),
                None => copies.push(vec![at]),
            }
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
        let Self::Methods(methods) = self else { return false };
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
    use crate::account::profile::parse;

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
}
