//! The head of the page: what was measured, how sure it is, and the ledger.

use crate::account::LedgerEntry;
use crate::account::evaluate::Level;
use crate::report::data::ReportData;
use crate::report::format;
use crate::report::view::fit;

/// One summary card.
pub struct Card {
    /// What it is about.
    pub title: &'static str,
    /// The figure.
    pub value: String,
    /// One sentence that explains it.
    pub detail: String,
}

/// One row of the ledger.
pub struct LedgerView {
    /// Column name of the entry, which is also its style.
    pub name: &'static str,
    /// What it is.
    pub explanation: &'static str,
    /// Energy.
    pub energy: String,
    /// 95 % interval or none.
    pub interval: String,
    /// Part of what was measured.
    pub share: String,
    /// Width of its part of the bar; nothing for the whole and what is negative.
    pub width: String,
}

/// The sentence under the title that says where the figures come from.
pub fn headline(data: &ReportData<'_>) -> String {
    let board = format::visible(&data.board.name);
    if data.board.is_virtual {
        format!("{board}. The energies are those of a simulated chip, not of a device.")
    } else {
        format!("{board}.")
    }
}

/// Meter, frequency, solver, size of the campaign.
pub fn facts(data: &ReportData<'_>) -> Vec<(&'static str, String)> {
    let campaign = &data.campaign;
    let runs = format!(
        "{} power, {} idle, {} traced; {} more failed a check",
        format::count(campaign.power_runs as u64),
        format::count(campaign.idle_runs as u64),
        format::count(campaign.traced_runs as u64),
        format::count(campaign.failed_runs as u64)
    );
    let cases = format!("{} from {} input sequences", campaign.cases, campaign.sequences);
    vec![
        ("Meter", format::visible(&data.board.meter)),
        ("Frequency", data.board.frequency.as_deref().map_or("not fixed".into(), format::visible)),
        ("Cases", cases),
        ("Runs", runs),
        ("Micro-kernels", format::count(campaign.kernels as u64)),
        ("Solver", format::visible(&data.model.solver)),
    ]
}

/// The cards.
pub fn cards(data: &ReportData<'_>) -> Vec<Card> {
    let mut cards = vec![spent(data), explained(data), validation(data)];
    cards.extend(truth(data));
    cards.push(saving(data));
    cards
}

/// Energy above idle.
fn spent(data: &ReportData<'_>) -> Card {
    let ledger = &data.accounts.ledger;
    let above = ledger.above_idle();
    let idle = format::energy(ledger.energy(LedgerEntry::Idle).joules());
    Card {
        title: "Spent above idle",
        value: format::energy(above.joules()),
        detail: format!("What the application's base cases add to {idle} of idle energy."),
    }
}

/// What the model explains.
fn explained(data: &ReportData<'_>) -> Card {
    let above = data.accounts.ledger.above_idle();
    let unexplained = data.accounts.ledger.energy(LedgerEntry::Unexplained);
    let part = (above.0 > 0).then(|| 1.0 - unexplained.0 as f64 / above.0 as f64);
    Card {
        title: "Explained by the model",
        value: format::percent_or_none(part),
        detail: format!(
            "Costs x counts of operations, library and GC; {} remain unexplained.",
            format::energy(unexplained.joules())
        ),
    }
}

/// The validation error beside the flat baseline's.
fn validation(data: &ReportData<'_>) -> Card {
    let error = |model: &str| fit::mean_nmae(data.cv, model, "validation");
    Card {
        title: "Error on unseen cases",
        value: format::percent_or_none(error(&data.model.solver)),
        detail: format!(
            "Mean validation NMAE. One cost for all operations: {}.",
            format::percent_or_none(error("flat"))
        ),
    }
}

/// Line errors against the truth, where one is known.
fn truth(data: &ReportData<'_>) -> Option<Card> {
    let line = data.evaluation?.level(Level::Line)?;
    Some(Card {
        title: "Error of line energies",
        value: format::percent(line.median_error),
        detail: format!(
            "Median against the virtual board's truth; 90 % of the lines are within {}.",
            format::percent(line.p90_error)
        ),
    })
}

/// The first hint.
fn saving(data: &ReportData<'_>) -> Card {
    let title = "Largest predicted saving";
    match data.hints.first() {
        None => Card {
            title,
            value: format::NONE.into(),
            detail: "No known pattern was found in a hot block.".into(),
        },
        Some(hint) => Card {
            title,
            value: format::percent_or_none(hint.saving.share),
            detail: format!("{} in {}.", hint.pattern, format::visible(&hint.block_name)),
        },
    }
}

/// The ledger's rows.
pub fn ledger(data: &ReportData<'_>) -> Vec<LedgerView> {
    let rows = data.accounts.ledger.rows.iter();
    rows.map(|row| LedgerView {
        name: row.entry.name(),
        explanation: explanation(row.entry),
        energy: match row.remark {
            "" => format::energy(row.energy.joules()),
            remark => remark.to_string(),
        },
        interval: format::interval(row.interval),
        share: format::percent_or_none(row.share.filter(|_| row.remark.is_empty())),
        width: match row.entry {
            LedgerEntry::Measured => format::width(0.0),
            _ => format::width(row.share.unwrap_or(0.0)),
        },
    })
    .collect()
}

/// What a row of the ledger is.
fn explanation(entry: LedgerEntry) -> &'static str {
    match entry {
        LedgerEntry::Measured => "Energy of the sessions: the sum of the rows below",
        LedgerEntry::Idle => "The board in the same time without the application",
        LedgerEntry::Operations => "The source's own operations",
        LedgerEntry::Library => "Library functions that the source calls",
        LedgerEntry::Gc => "Garbage collections",
        LedgerEntry::Unexplained => "Measured, but not explained by the model (may be negative)",
    }
}
