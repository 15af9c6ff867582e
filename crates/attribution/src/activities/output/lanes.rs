//! The lanes of the picture: for whom each component worked over time.

use super::super::account::Payer;
use super::super::analysis::Analysis;
use super::super::label::Labels;
use super::super::periods::ActivityPeriod;
use super::palette::Palette;
use super::payer_name;
use super::time_view::{COLUMN_COUNT, LANE_HEIGHT, LEFT_MARGIN, TimeView};
use wattline_units::format::{truncate, visible};
use wattline_units::px::Px;

/// Height of a lane's bars in columns in which a component worked all the time.
pub(super) const BAR_HEIGHT: f64 = LANE_HEIGHT - 6.0;

/// Lane of a component in the picture: bars of the payers that it worked for.
pub(super) struct Lane {
    pub y: Px,
    /// The component's name.
    pub name: String,
    pub bars: Vec<LaneBar>,
    /// Class of the component's tone in the stack; none where it is not in there.
    pub key: Option<String>,
}

/// Bar of a lane: stretch of columns in which a component worked mostly for one payer.
pub(super) struct LaneBar {
    pub class: String,
    pub x: f64,
    pub y: Px,
    /// In columns.
    pub width: usize,
    pub height: Px,
    pub payer: String,
}

/// Returns a component's lane: in each column the payer with most of its time, as high as the share
/// of the column in which it worked for any payer.
pub(super) fn component_lane(
    analysis: &Analysis,
    component: usize,
    y: f64,
    view: TimeView,
    labels: &Labels,
    palette: &mut Palette,
) -> Lane {
    let cells = busiest_payers(&analysis.periods.activities[component], view, labels);
    let mut bars = Vec::new();
    let mut at = 0;
    for stretch in cells.chunk_by(|one, next| one == next) {
        if let Some((payer, part)) = stretch[0] {
            let height = (BAR_HEIGHT * part).max(3.0);
            bars.push(LaneBar {
                class: palette.colour_class(payer, labels),
                x: LEFT_MARGIN + at as f64,
                y: Px(y + BAR_HEIGHT - height),
                width: stretch.len(),
                height: Px(height),
                payer: visible(&payer_name(payer, labels)),
            });
        }
        at += stretch.len();
    }
    let name = &analysis.log.components[component].name;
    Lane { y: Px(y), name: visible(&truncate(name, 17)), bars, key: None }
}

/// Returns the busiest payer of each column and the share of the column with any payer, in steps of
/// an eighth.
fn busiest_payers(
    periods: &[ActivityPeriod],
    view: TimeView,
    labels: &Labels,
) -> Vec<Option<(Payer, f64)>> {
    let mut times: Vec<Vec<(Payer, f64)>> = vec![Vec::new(); COLUMN_COUNT];
    for period in periods.iter().filter(|p| p.end_ns > view.start_ns && p.start_ns < view.end_ns) {
        for (at, part) in view.columns(period.start_ns, period.end_ns) {
            for label in period.charged.iter().filter(|label| !labels.is_idle(**label)) {
                let payer = Payer::Activity(*label);
                let share = part / period.charged.len() as f64;
                match times[at].iter_mut().find(|(known, _)| *known == payer) {
                    Some((_, sum)) => *sum += share,
                    None => times[at].push((payer, share)),
                }
            }
        }
    }
    let busiest = |all: Vec<(Payer, f64)>| {
        let whole: f64 = all.iter().map(|(_, time)| time).sum();
        let most = all.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((most.0, ((whole * 8.0).ceil() / 8.0).min(1.0)))
    };
    times.into_iter().map(busiest).collect()
}
