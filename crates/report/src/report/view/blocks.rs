//! Chart of blocks, stacked by class of operations, in the paper's two views: in the application,
//! and for 3000 executions.

use crate::account::{BlockAccount, CLASSES, OperationClass, class};
use crate::exact::share;
use crate::format;
use crate::report::data::ReportData;
use crate::report::view::bar_style;
use crate::report::view::links::SourceLinks;
use crate::units::Joules;

/// Largest number of blocks in each view.
const TOP_BLOCKS: usize = 25;

/// Bar of one block.
pub(crate) struct BlockView {
    /// The block's name.
    pub name: String,
    /// `file:line`.
    pub place: String,
    /// Its link into the source; empty where the page doesn't show it.
    pub href: String,
    /// Number of executions.
    pub executions: String,
    /// Energy in this view.
    pub energy: String,
    /// 95 % interval or none.
    pub interval: String,
    /// Parts of the bar, from left to right.
    pub segments: Vec<BarSegment>,
}

/// Part of a bar: one class of operations.
pub(crate) struct BarSegment {
    /// Class, also the colour.
    pub class: &'static str,
    /// Width in percent of the chart.
    pub width: String,
    /// Part of the block's energy.
    pub share: String,
}

/// Bars of blocks by energy in the application, descending.
pub(crate) fn in_application(data: &ReportData<'_>, links: &SourceLinks<'_>) -> Vec<BlockView> {
    let blocks: Vec<&BlockAccount> = data.accounts.blocks.iter().take(TOP_BLOCKS).collect();
    let widest = blocks.first().map_or(0.0, |block| block.entry.joules().0);
    let view = |block: &&BlockAccount| {
        let energy = block.entry.joules();
        let interval = format::interval(block.entry.interval);
        block_view(block, links, (energy, interval), widest)
    };
    blocks.iter().map(view).collect()
}

/// Bars of blocks by energy of 3000 executions, descending.
pub(crate) fn three_thousand_times(
    data: &ReportData<'_>,
    links: &SourceLinks<'_>,
) -> Vec<BlockView> {
    let mut blocks: Vec<&BlockAccount> = data.accounts.blocks.iter().collect();
    blocks.sort_by(|a, b| b.cost.0.total_cmp(&a.cost.0));
    blocks.truncate(TOP_BLOCKS);
    let widest = blocks.first().map_or(0.0, |block| block.energy_of_3000().0);
    let view = |block: &&BlockAccount| {
        let thousands = |end: Joules| end * crate::account::VIEW_EXECUTIONS;
        let interval = block.cost_interval.map(|interval| crate::account::Interval {
            lo: thousands(interval.lo),
            hi: thousands(interval.hi),
        });
        block_view(block, links, (block.energy_of_3000(), format::interval(interval)), widest)
    };
    blocks.iter().map(view).collect()
}

/// Bar of one block, relative to the energy `widest`.
fn block_view(
    block: &BlockAccount,
    links: &SourceLinks<'_>,
    (energy, interval): (Joules, String),
    widest: f64,
) -> BlockView {
    let segment = |which: OperationClass| {
        let share = block.class_share(which).filter(|share| *share > 0.0)?;
        Some(BarSegment {
            class: class::name_of(which),
            width: bar_style(energy.0 * share, widest),
            share: format::percent(share),
        })
    };
    BlockView {
        name: format::visible(&block.name),
        place: format::visible(&format!("{}:{}", block.file, block.start_line)),
        href: links.line(&block.file, block.start_line),
        executions: format::count(block.entry.executions),
        energy: format::energy(energy),
        interval,
        segments: CLASSES.into_iter().filter_map(segment).collect(),
    }
}

/// Entry of the legend: one class of operations.
pub(crate) struct ClassView {
    /// Class, also the colour.
    pub class: &'static str,
    /// Its energy in the scenario.
    pub energy: String,
    /// Part of the energy above idle.
    pub share: String,
}

/// Legend of classes with their energies.
pub fn legend(data: &ReportData<'_>) -> Vec<ClassView> {
    let totals = data.accounts.class_totals();
    let whole = data.accounts.ledger.above_idle();
    CLASSES
        .into_iter()
        .zip(totals)
        .map(|(which, energy)| ClassView {
            class: class::name_of(which),
            energy: format::energy(energy.joules()),
            share: format::percent_or_none(share(energy, whole)),
        })
        .collect()
}
