//! The protocols, and the parts of their campaigns that give the points of their curves.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use wattline::campaign::PlannedCase;
use wattline::dataset::{IdlePolicy, Table};
use wattline::model::{ContextPrice, FitOptions, Penalty, Solver, fit};

use crate::Outcome;
use crate::campaign::{Campaign, Part};
use crate::judge::{ALL, Errors, Judge, KernelPart};

/// The measured campaigns.
pub struct Campaigns {
    pub paper: Campaign,
    pub random: Campaign,
    pub lines: Campaign,
    pub planned: Campaign,
}

/// A protocol's errors against its board time.
pub struct Curve {
    pub name: &'static str,
    pub points: Vec<Point>,
}

/// One part of a campaign.
pub struct Point {
    pub sessions: Sessions,
    pub board_s: f64,
    pub errors: Errors,
}

/// How many sessions.
#[derive(Debug, Clone, Copy)]
pub struct Sessions {
    pub cases: usize,
    pub power: u32,
    pub idle: u32,
    pub kernels: u32,
}

/// Orders in which random cases are taken; a point is the median of their errors.
const ORDERS: u64 = 9;

/// Li & Gallagher's: each case's own idle runs, ten of both.
const PAPER: Part = Part { power: 10, idle: 10, policy: IdlePolicy::OwnCase };
/// Two runs of both, so that there is a standard error; all idle runs in common.
const TWO: Part = Part { power: 2, idle: 2, policy: IdlePolicy::Campaign };
/// One of both.
const ONE: Part = Part { power: 1, idle: 1, policy: IdlePolicy::Campaign };

/// All curves.
pub fn curves(campaigns: &Campaigns, judge: &Judge<'_>) -> Outcome<Vec<Curve>> {
    let Campaigns { paper, random, lines, planned } = campaigns;
    let study = Study { campaigns, judge };
    let none = KernelPart::default();
    let shrink = || FitOptions::new(Solver::Shrink);
    let of_paper = |solver, name| {
        study.prefixes(name, paper, PAPER, &[6, 8, 10, 13, 17, 21], &FitOptions::new(solver), &none)
    };
    let firsts = [5, 8, 12, 16, 20, 30, 40];
    let mut curves = vec![
        of_paper(Solver::Gd, "(a) paper")?,
        of_paper(Solver::Shrink, "(a') paper's sessions, our fit")?,
        study.lots("(b) random cases", random, ONE, &firsts)?,
        study.prefixes("(c) planner, no kernels", planned, ONE, &firsts, &shrink(), &none)?,
        study.prefixes(
            "(c') planner by lines, no kernels",
            lines,
            TWO,
            &firsts,
            &shrink(),
            &none,
        )?,
    ];
    for (name, campaign) in
        [("(d) planner with kernels", planned), ("(d') planner by lines, with kernels", lines)]
    {
        let mut points = Vec::new();
        for (kernels, part, cases) in
            [(1, ONE, 4), (1, ONE, 8), (2, ONE, 8), (3, ONE, 8), (3, TWO, 16), (3, TWO, 40)]
        {
            let Some(kernels) = judge.kernels.get(kernels - 1) else { continue };
            points.extend(study.point(
                campaign,
                &campaign.cases,
                cases,
                part,
                &shrink(),
                kernels,
            )?);
        }
        curves.push(Curve { name, points });
    }
    Ok(curves)
}

struct Study<'c> {
    campaigns: &'c Campaigns,
    judge: &'c Judge<'c>,
}

impl Study<'_> {
    /// Growing parts of a campaign, in the order of its plan.
    fn prefixes(
        &self,
        name: &'static str,
        campaign: &Campaign,
        part: Part,
        sizes: &[usize],
        options: &FitOptions,
        kernels: &KernelPart,
    ) -> Outcome<Curve> {
        let mut points = Vec::new();
        for size in sizes {
            points.extend(self.point(campaign, &campaign.cases, *size, part, options, kernels)?);
        }
        Ok(Curve { name, points })
    }

    /// Growing parts of a campaign in random orders, base cases first; the median of each
    /// error over the orders.
    fn lots(
        &self,
        name: &'static str,
        campaign: &Campaign,
        part: Part,
        sizes: &[usize],
    ) -> Outcome<Curve> {
        let (bases, others): (Vec<_>, Vec<_>) =
            campaign.cases.iter().cloned().partition(|case| case.removed.is_empty());
        let options = FitOptions::new(Solver::Shrink);
        let mut points = Vec::new();
        for size in sizes {
            let mut found = Vec::new();
            for seed in 0..ORDERS {
                let mut others = others.clone();
                others.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
                let cases: Vec<PlannedCase> = bases.iter().cloned().chain(others).collect();
                found.extend(self.point(
                    campaign,
                    &cases,
                    *size,
                    part,
                    &options,
                    &KernelPart::default(),
                )?);
            }
            points.extend(median(found));
        }
        Ok(Curve { name, points })
    }

    /// A fit to the first cases; none where there are fewer.
    fn point(
        &self,
        campaign: &Campaign,
        cases: &[PlannedCase],
        size: usize,
        part: Part,
        options: &FitOptions,
        kernels: &KernelPart,
    ) -> Outcome<Option<Point>> {
        let Some(cases) = cases.get(..size) else { return Ok(None) };
        let contexts = &kernels.contexts;
        let mut options = options.clone();
        if kernels.sessions > 0 {
            options.priors = kernels.priors.clone();
            options.penalty = Penalty::Fixed(1.0);
        }
        let mut model = match fit(&campaign.table(cases, part, contexts)?, &options) {
            Ok(model) => model,
            Err(error) => {
                eprintln!("{size} cases, {}: {error}", options.solver.name());
                return Ok(None);
            }
        };
        model.contexts = contexts.clone();
        let errors = self.judge.errors(&model, &self.held_out(cases, contexts)?)?;
        let sessions =
            Sessions { cases: size, power: part.power, idle: part.idle, kernels: kernels.sessions };
        let board_s = campaign.board_s(cases, part) + kernels.board_s;
        Ok(Some(Point { sessions, board_s, errors }))
    }

    /// The removed cases of the planned and the random campaign that a fit has not seen,
    /// whatever campaign it was fitted to.
    fn held_out(&self, fitted: &[PlannedCase], contexts: &[ContextPrice]) -> Outcome<Vec<Table>> {
        let seen = |case: &PlannedCase| {
            fitted.iter().any(|other| other.input == case.input && other.removed == case.removed)
        };
        let unseen = |campaign: &Campaign| -> Vec<PlannedCase> {
            let removed = campaign.cases.iter().filter(|case| !case.removed.is_empty());
            removed.filter(|case| !seen(case)).cloned().collect()
        };
        let campaigns = [&self.campaigns.planned, &self.campaigns.random];
        campaigns.into_iter().map(|other| other.table(&unseen(other), ALL, contexts)).collect()
    }
}

/// The point of median errors, each by itself.
fn median(points: Vec<Point>) -> Option<Point> {
    let of = |value: &dyn Fn(&Point) -> f64| {
        let mut values: Vec<f64> = points.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let sessions = points.first()?.sessions;
    Some(Point {
        sessions,
        board_s: of(&|p| p.board_s),
        errors: Errors {
            line: (of(&|p| p.errors.line.0), of(&|p| p.errors.line.1)),
            method: (of(&|p| p.errors.method.0), of(&|p| p.errors.method.1)),
            nmae: of(&|p| p.errors.nmae),
        },
    })
}
