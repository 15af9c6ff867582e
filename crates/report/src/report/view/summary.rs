//! Views of the head of the page: campaign, uncertainty, and ledger.

use crate::account::evaluate::AccountLevel;
use crate::account::{Interval, Ledger, LedgerEntry, LedgerRow, ledger as rows};
use crate::exact::{Femtojoules, share};
use crate::format;
use crate::model;
use crate::power::FigureBasis;
use crate::report::data::{ReportData, ReportedBoard};
use crate::report::view::{fit, hints, overheads};
use crate::scenario::UnanalysedLanguage;
use crate::units::Joules;

/// A summary card: title, figure, explanation.
pub(crate) struct SummaryCard {
    /// Title of the card.
    pub title: &'static str,
    /// The figure.
    pub value: String,
    /// Sentence that explains the figure.
    pub detail: String,
}

/// One row of the ledger.
pub(crate) struct LedgerRowView {
    /// Column name of the entry, or `above idle`, the sum of the rows below.
    pub name: &'static str,
    /// Colour by entry; empty for a sum.
    pub colour: &'static str,
    /// Explanation of the row.
    pub explanation: String,
    /// Energy.
    pub energy: String,
    /// 95 % interval or none.
    pub interval: String,
    /// Share of the energy above idle; `none` for rows outside of it.
    pub share: String,
    /// Width of its part in the bar of the measured energy; empty for sums and negative energies.
    pub width: String,
}

/// Origin of the figures in a few words.
pub fn origin(data: &ReportData<'_>) -> &'static str {
    match data.board.basis {
        FigureBasis::Simulated => "Simulated on a virtual board",
        FigureBasis::Estimated => "Estimated by a model, not measured",
        FigureBasis::Measured => "Measured by a power meter",
    }
}

/// Sentence below the title on the origin of the figures.
pub fn headline(data: &ReportData<'_>) -> String {
    let board = format::visible(&data.board.name);
    match data.board.basis {
        FigureBasis::Simulated => {
            let simulated_model = simulated_model(data.board).map(|model| format!(" ({model})"));
            format!(
                "{board}. Software computed the energies{}; no device was measured.",
                simulated_model.unwrap_or_default()
            )
        }
        FigureBasis::Estimated => format!(
            "{board}. A model of power computed the energies from CPU time: joules are in \
             proportion to it, and their absolute values depend on the power that the model assumes."
        ),
        FigureBasis::Measured => format!("{board}."),
    }
}

/// Sentence on the simulated energy model of a virtual board, and the scope of errors against its
/// ground truth.
pub fn simulated_model(board: &ReportedBoard) -> Option<String> {
    let name = board.simulated_model.as_ref()?;
    Some(match name.as_str() {
        "additive" => {
            "additive simulated energy model, whose energies add up by operation as the fitted model assumes"
                .into()
        }
        _ => format!("simulated energy model {}, which spends as compiled code does", format::visible(name)),
    })
}

/// Facts on meter, frequency, solver and size of the campaign.
pub fn facts(data: &ReportData<'_>) -> Vec<(&'static str, String)> {
    let campaign = &data.campaign;
    let runs = format!(
        "{} power, {} idle, {} traced; {} more failed a check",
        format::count(campaign.power_runs as u64),
        format::count(campaign.idle_runs as u64),
        format::count(campaign.traced_runs as u64),
        format::count(campaign.failed_runs as u64)
    );
    let sequences = format::counted(campaign.sequences, "input sequence");
    let cases = format!("{} from {sequences}", campaign.cases);
    let mut facts = vec![
        ("Meter", format::visible(&data.board.meter)),
        ("Frequency", data.board.frequency.as_deref().map_or("not fixed".into(), format::visible)),
        ("Cases", cases),
        ("Runs", runs),
        ("Microbenchmarks", format::count(campaign.microbenchmarks as u64)),
        ("Solver", solver(data)),
    ];
    facts.extend(overheads::rows(data));
    facts
}

/// Text on the solver and its chosen parameters.
fn solver(data: &ReportData<'_>) -> String {
    let name = format::visible(&data.model.solver);
    match &data.model.choice {
        None => name,
        Some(choice) => {
            let (chosen, why) = (choice.predictor(), format::visible(&choice.why));
            let of = match data.model.case_costs_j {
                Some(_) => " for whole cases, shrink with the microbenchmarks for single costs",
                None => "",
            };
            format!("{name}: {}{of}, because {why}", format::visible(&chosen))
        }
    }
}

/// The summary cards: energy, what to change, and how certain both are.
pub fn cards(data: &ReportData<'_>) -> Vec<SummaryCard> {
    let mut cards = vec![spent(data), saving(data), validation(data)];
    cards.extend(truth(data));
    cards
}

/// Card of the energy above idle.
fn spent(data: &ReportData<'_>) -> SummaryCard {
    let ledger = &data.accounts.ledger;
    let above = ledger.above_idle();
    let interval = match above_idle_interval(ledger) {
        Some(interval) => format!("95 % interval {}.", format::interval(Some(interval))),
        None => "No interval.".into(),
    };
    let idle = match has_idle(ledger) {
        true => format!("Idle adds {}.", format::energy(ledger.energy(LedgerEntry::Idle).joules())),
        false => "Idle energy was not measured.".into(),
    };
    SummaryCard {
        title: "Energy above idle",
        value: format::energy(above.joules()),
        detail: format!("{interval} {idle}"),
    }
}

/// Whether idle energy was measured.
fn has_idle(ledger: &Ledger) -> bool {
    ledger.row(LedgerEntry::Idle).is_some_and(|row| row.remark.is_empty())
}

/// Sentence on the energy that costs x counts explain, on the runtime's own energy by the CPU
/// times of its threads, and on the rest. A rest below zero is called that: no model explains more
/// than all energy.
pub fn explained(data: &ReportData<'_>) -> String {
    let ledger = &data.accounts.ledger;
    let above = ledger.above_idle();
    let by_threads = ledger.row(LedgerEntry::Compiler).is_some();
    let is_explained = |entry| match entry {
        LedgerEntry::Operations | LedgerEntry::Library => true,
        LedgerEntry::Gc => !by_threads,
        _ => false,
    };
    let rows = ledger.rows.iter().filter(|row| is_explained(row.entry) && row.remark.is_empty());
    let (mut names, mut energy) = (Vec::new(), Femtojoules::ZERO);
    for row in rows {
        names.push(in_sentence(row.entry));
        energy += row.energy;
    }
    let part = |energy| format::percent_or_none(share(energy, above).filter(|_| above.0 > 0));
    let runtime = match by_threads {
        true => format!(
            " The CPU times of the runtime's threads add {} for compilers and {} for GC.",
            part(ledger.energy(LedgerEntry::Compiler)),
            part(ledger.energy(LedgerEntry::Gc))
        ),
        false => String::new(),
    };
    let names = names.join(" and ");
    let exceeds = energy > above;
    let costs = match exceeds {
        true => {
            format!("exceed the energy above idle by {}", format::energy((energy - above).joules()))
        }
        false => format!("explain {} of the energy above idle", part(energy)),
    };
    let unexplained = ledger.row(LedgerEntry::Unexplained);
    let rest = unexplained.map_or(Joules(0.0), |row| ledger.displayed_energy(row));
    let size = Joules(rest.0.abs());
    let rest_text = format!("{} ({})", format::energy(size), part(Femtojoules::from_joules(size)));
    let end = match (rest.0 < 0.0, exceeds) {
        (false, _) => format!("{rest_text} remains unexplained."),
        (true, true) => format!("The row unexplained subtracts {rest_text}."),
        (true, false) => format!(
            "Together they exceed the energy above idle by {rest_text}, which the row unexplained \
             subtracts."
        ),
    };
    format!("Costs x counts of {names} {costs}.{runtime} {end}")
}

/// Name of a row within a sentence.
fn in_sentence(entry: LedgerEntry) -> &'static str {
    if entry == LedgerEntry::Gc { "GC" } else { entry.name() }
}

/// Card of the validation error beside the best baseline's.
fn validation(data: &ReportData<'_>) -> SummaryCard {
    let own = fit::held_out_nmae(data.cv, &data.model.solver);
    let best = match model::cv_verdict(data.cv) {
        Some(found) => format!(
            "; best baseline ({}): {}.",
            found.baseline,
            format::percent(found.baseline_nmae)
        ),
        None => "; there is no baseline.".into(),
    };
    let title = "Error on held-out cases";
    match own {
        Some(own) => SummaryCard {
            title,
            value: format::percent(own),
            detail: format!("Mean over cases left out of the fit{best}"),
        },
        None => SummaryCard {
            title,
            value: "not checked".into(),
            detail: "No case was left out of the fit.".into(),
        },
    }
}

/// Card of line errors against the ground truth; `None` without one.
fn truth(data: &ReportData<'_>) -> Option<SummaryCard> {
    let line = data.evaluation?.level(AccountLevel::Line)?;
    Some(SummaryCard {
        title: "Error of line energies",
        value: format::percent(line.median_error),
        detail: format!(
            "Median against the ground truth; 90 % are within {}.",
            format::percent(line.p90_error)
        ),
    })
}

/// Card of the first hint.
fn saving(data: &ReportData<'_>) -> SummaryCard {
    let Some(hint) = data.hints.first() else {
        return SummaryCard {
            title: "What to change first",
            value: "no hint".into(),
            detail: format!("Why: {}.", data.no_hints),
        };
    };
    let amount = hint.measured.map(|measured| measured.saving);
    let (how, amount) = match (&amount, hint.predicted()) {
        (Some(measured), _) => ("measured", Some(measured)),
        (None, predicted) => ("predicted", predicted),
    };
    let place = hints::short_place(hint);
    SummaryCard {
        title: "The first hint saves",
        value: amount
            .and_then(|amount| amount.share)
            .map_or("not predicted".into(), format::percent),
        detail: match amount {
            Some(amount) => format!(
                "{} ({how}), {} in {}.",
                hints::share_interval(amount),
                hint.pattern,
                format::visible(&place)
            ),
            None => format!("{} in {}.", hint.pattern, format::visible(&place)),
        },
    }
}

/// Rows of the ledger: measured, idle, their difference, and its parts.
pub fn ledger(data: &ReportData<'_>) -> Vec<LedgerRowView> {
    let ledger = &data.accounts.ledger;
    let basis = data.board.basis;
    let rows = ledger.rows.iter();
    let mut views: Vec<LedgerRowView> = rows.map(|row| entry(ledger, row, basis)).collect();
    let after_idle = ledger.rows.iter().position(|row| row.entry > LedgerEntry::Idle);
    views.insert(after_idle.unwrap_or(views.len()), above_idle(ledger));
    views.extend(ledger.unanalysed.iter().map(|language| unanalysed(*language)));
    views
}

fn entry(ledger: &Ledger, row: &LedgerRow, basis: FigureBasis) -> LedgerRowView {
    let is_part = row.entry > LedgerEntry::Idle && row.remark.is_empty();
    let part = share(row.energy, ledger.above_idle()).filter(|_| is_part);
    let is_whole = row.entry == LedgerEntry::Measured;
    LedgerRowView {
        name: row.entry.name(),
        colour: if is_whole { "" } else { row.entry.name() },
        explanation: explanation(row, basis),
        energy: match row.remark {
            "" => format::energy(ledger.displayed_energy(row)),
            remark => remark.to_string(),
        },
        interval: format::interval(row.interval),
        share: format::percent_or_none(part),
        width: format::bar_width(row.share.filter(|_| !is_whole).unwrap_or(0.0)),
    }
}

/// Row of a language that is not analysed.
fn unanalysed(language: UnanalysedLanguage) -> LedgerRowView {
    LedgerRowView {
        name: rows::unanalysed_row_name(language),
        colour: "",
        explanation: format!(
            "What {} code spends is in library, where Java calls it, and in unexplained",
            language.name()
        ),
        energy: rows::NOT_KNOWN.to_string(),
        interval: format::interval(None),
        share: format::percent_or_none(None),
        width: format::bar_width(0.0),
    }
}

/// Row of the energy above idle: the difference of the first two rows.
fn above_idle(ledger: &Ledger) -> LedgerRowView {
    let energy = ledger.above_idle();
    LedgerRowView {
        name: "above idle",
        colour: "",
        explanation: "What the application adds: the sum of the rows below; all shares of this \
                      report are parts of it"
            .into(),
        energy: format::energy(energy.joules()),
        interval: format::interval(above_idle_interval(ledger)),
        share: format::percent_or_none(share(energy, energy)),
        width: format::bar_width(0.0),
    }
}

/// Interval of the energy above idle. Power and idle runs are independent: half widths add in
/// squares.
fn above_idle_interval(ledger: &Ledger) -> Option<Interval> {
    let half = |entry| {
        let interval = ledger.row(entry)?.interval?;
        Some((interval.hi - interval.lo).0 / 2.0)
    };
    let idle = if has_idle(ledger) { half(LedgerEntry::Idle)? } else { 0.0 };
    let both = half(LedgerEntry::Measured)?.hypot(idle);
    let energy = ledger.above_idle().joules();
    Some(Interval { lo: energy - Joules(both), hi: energy + Joules(both) })
}

/// Explanation of a row of the ledger.
fn explanation(row: &LedgerRow, basis: FigureBasis) -> String {
    match row.entry {
        LedgerEntry::Measured => match basis {
            FigureBasis::Simulated => "Energy of the sessions, simulated".into(),
            FigureBasis::Estimated => "Energy of the sessions, estimated from CPU time".into(),
            FigureBasis::Measured => "Energy of the sessions".into(),
        },
        LedgerEntry::Idle if !row.remark.is_empty() => {
            "The target in the same time without the application: the meter gives no idle power"
                .into()
        }
        LedgerEntry::Idle => format!(
            "The target in the same time without the application: {} of the energy of the sessions",
            format::percent_or_none(row.share)
        ),
        LedgerEntry::Operations => "The source's own operations".into(),
        LedgerEntry::Library => "Library functions that the source calls".into(),
        LedgerEntry::Compiler => "The runtime's compilers, by the CPU time of their threads".into(),
        LedgerEntry::Gc => "GC".into(),
        LedgerEntry::Unexplained => {
            "Energy above idle that the model does not explain (may be negative)".into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::class::{CLASSES, name_of};
    use crate::report::html::PAGE_STYLE;
    use crate::report::sample;

    /// What has none would be a hole in a bar.
    #[test]
    fn entries_of_the_ledger_and_classes_have_colours() {
        use LedgerEntry::{Compiler, Gc, Idle, Library, Operations, Unexplained};
        let entries = [Idle, Operations, Library, Compiler, Gc, Unexplained].map(LedgerEntry::name);
        for name in entries.into_iter().chain(CLASSES.map(name_of)) {
            let rule = format!(".{name} {{ background: var(--{name}); }}");
            assert!(
                PAGE_STYLE.contains(&rule) && PAGE_STYLE.contains(&format!("--{name}: #")),
                "{name}"
            );
        }
    }

    /// Compilers with half of the energy are not explained by costs of operations.
    #[test]
    fn what_the_runtime_spends_itself_is_not_explained_by_the_model() {
        let mut sample = sample::report();
        let ledger = &mut sample.accounts.ledger;
        let half = Femtojoules(ledger.above_idle().0 / 2);
        let operations = ledger.rows.iter_mut().find(|row| row.entry == LedgerEntry::Operations);
        let operations = operations.unwrap();
        let compiler =
            LedgerRow { entry: LedgerEntry::Compiler, energy: half, ..operations.clone() };
        operations.energy = operations.energy - half;
        ledger.rows.insert(4, compiler);
        ledger.rows.sort_by_key(|row| row.entry);
        let sentence = explained(&sample.data());
        let of = |entry| sample.accounts.ledger.energy(entry);
        let model = of(LedgerEntry::Operations) + of(LedgerEntry::Library);
        let expected = super::share(model, sample.accounts.ledger.above_idle()).unwrap();
        assert!(
            sentence.contains(&format!("explain {} of", format::percent(expected))),
            "{sentence}"
        );
        assert!(expected < 0.6, "{expected}");
        assert!(sentence.contains("50.0 % for compilers"), "{sentence}");
        assert!(!explained(&sample::report().data()).contains("compilers"));
    }

    /// "100.1 % explained" would be read as an error of arithmetic.
    #[test]
    fn a_sum_above_the_measured_energy_is_no_share_explained() {
        let sample = sample::report();
        let ledger = &sample.accounts.ledger;
        let of = |entry| ledger.energy(entry);
        let model = of(LedgerEntry::Operations) + of(LedgerEntry::Library) + of(LedgerEntry::Gc);
        let excess = format::energy((model - ledger.above_idle()).joules());
        let sentence = explained(&sample.data());
        assert!(model > ledger.above_idle());
        assert!(
            sentence.contains(&format!("exceed the energy above idle by {excess}")),
            "{sentence}"
        );
        assert!(sentence.contains("unexplained subtracts"), "{sentence}");
        assert!(!sentence.contains("explain 1"), "{sentence}");
    }

    /// An estimate is never called a measurement by the words before the headline.
    #[test]
    fn the_origin_says_whether_a_meter_measured() {
        let sample = sample::report();
        let with = |basis| {
            let data = sample.data();
            let board = ReportedBoard { basis, ..data.board.clone() };
            origin(&ReportData { board: &board, ..data })
        };
        assert_eq!(with(FigureBasis::Simulated), "Simulated on a virtual board");
        assert_eq!(with(FigureBasis::Estimated), "Estimated by a model, not measured");
        assert_eq!(with(FigureBasis::Measured), "Measured by a power meter");
    }

    /// Idle is no part of what the application spends: its share is none, and the shares of
    /// the parts add up to all of it.
    #[test]
    fn all_shares_are_of_the_energy_above_idle() {
        let sample = sample::report();
        let rows = ledger(&sample.data());
        let share = |name: &str| rows.iter().find(|row| row.name == name).unwrap().share.clone();
        assert_eq!((share("measured"), share("idle")), ("none".into(), "none".into()));
        assert_eq!(share("above idle"), "100.0 %");
        let data = sample.data();
        let ledger = &data.accounts.ledger;
        let parts = ledger.rows.iter().filter(|row| row.entry > LedgerEntry::Idle);
        let whole = ledger.above_idle();
        let sum: f64 = parts.filter_map(|row| super::share(row.energy, whole)).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        let operations = ledger.energy(LedgerEntry::Operations);
        let expected = format::percent_or_none(super::share(operations, whole));
        assert_eq!(share("operations"), expected);
    }
}
