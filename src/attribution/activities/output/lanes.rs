//! The lanes of the picture: for whom each component worked over time.

use super::super::account::Payer;
use super::super::analysis::Analysis;
use super::super::label::Labels;
use super::super::periods::ActivityPeriod;
use super::payer_name;
use super::svg::{COLUMNS, LANE, LEFT, Palette, View, put};
use crate::report::format::{escaped, shortened};

/// For whom a component worked: in each column the activity that took most of its time, as
/// high as the part of the column in which it worked for anybody.
pub(super) fn lane(
    svg: &mut String,
    analysis: &Analysis,
    component: usize,
    y: f64,
    view: View,
    labels: &Labels,
    palette: &mut Palette,
) {
    let name = escaped(&shortened(&analysis.log.components[component].name, 17));
    let full = LANE - 6.0;
    put(
        svg,
        format_args!(
            "<text class=\"lane\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text><rect \
         class=\"track\" x=\"{LEFT}\" y=\"{y:.1}\" width=\"{COLUMNS}\" height=\"{full}\"/>",
            LEFT - 8.0,
            y + 15.0
        ),
    );
    let cells = cells(&analysis.periods.activities[component], view, labels);
    let mut at = 0;
    while at < COLUMNS {
        let Some((payer, part)) = cells[at] else {
            at += 1;
            continue;
        };
        let length = cells[at..].iter().take_while(|cell| **cell == cells[at]).count();
        let height = (full * part).max(3.0);
        put(
            svg,
            format_args!(
                "<rect class=\"{}\" x=\"{}\" y=\"{:.1}\" width=\"{length}\" height=\"{height:.1}\">\
             <title>{}</title></rect>",
                palette.class(payer, labels),
                LEFT + at as f64,
                y + full - height,
                escaped(&payer_name(payer, labels))
            ),
        );
        at += length;
    }
}

/// The busiest payer of each column and the part of the column that is anybody's, in steps
/// of an eighth.
fn cells(periods: &[ActivityPeriod], view: View, labels: &Labels) -> Vec<Option<(Payer, f64)>> {
    let mut times: Vec<Vec<(Payer, f64)>> = vec![Vec::new(); COLUMNS];
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
