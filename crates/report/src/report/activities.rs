//! Report of energy by component and activity: a page of its own, in one file without network,
//! and a section of a campaign's report.

use askama::Template;

use super::ReportSection;
use super::html::PAGE_STYLE;
use crate::attribution::activities::output::{
    PictureOptions, PrintedTable, TIMELINE_STYLE, timelines,
};
use crate::attribution::activities::{Analysis, Labels};
use crate::format::visible;

#[derive(Template)]
#[template(path = "activities.html")]
struct ActivitiesPage<'a> {
    style: &'a str,
    timeline_style: &'a str,
    version: &'a str,
    subtitle: String,
    timeline: String,
}

/// Writes the page. `subtitle` names the recording, and whether it is simulated. The timelines
/// cover the nanoseconds of `window`, if given; `sections` follow, each a head with its tables.
#[must_use]
pub fn activities_page(
    analyses: &[Analysis],
    labels: &Labels,
    subtitle: &str,
    (from_ns, to_ns): (Option<i64>, Option<i64>),
    sections: &[(String, Vec<PrintedTable>)],
) -> String {
    let options = PictureOptions { heading: "h2", what: "Node", from_ns, to_ns, sections };
    let page = ActivitiesPage {
        style: PAGE_STYLE,
        timeline_style: TIMELINE_STYLE,
        version: env!("CARGO_PKG_VERSION"),
        subtitle: visible(subtitle),
        timeline: timelines(analyses, labels, &options),
    };
    page.render().expect("templates only write to a String, which can't fail")
}

/// Section of a campaign's report, with a timeline for each input sequence.
#[must_use]
pub fn activities_section(analyses: &[Analysis], labels: &Labels) -> ReportSection {
    let options = PictureOptions { heading: "h3", what: "Input", ..PictureOptions::default() };
    ReportSection {
        id: "activities",
        title: "Activities",
        sentence: "Which component drew the power in one power run of each input, and for which \
                   activity of the application it worked.",
        style: TIMELINE_STYLE,
        html: timelines(analyses, labels, &options),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_what_it_is_about_as_text() {
        let page = activities_page(&[], &Labels::default(), "a <script> & more", (None, None), &[]);
        assert!(page.contains("a &#60;script&#62; &#38; more"), "{page}");
        assert!(!page.contains("<script>") && page.contains("class=\"timelines\""));
        assert!(!page.contains("http://") && !page.contains("https://"));
    }
}
