//! How names are written in a comparison.

use crate::format;

/// Level and name in 52 columns. A method's name says more than its parameters, which are cut
/// first; of a name that is still too long the end stays, which says more than the package.
pub(super) fn subject_cell(level: &str, name: &str) -> String {
    let room = 51 - level.len();
    let name: Vec<char> = format::visible(name).replace('\n', " ").chars().collect();
    let name = cut_parameters(name, room);
    let cut = name.len().saturating_sub(room);
    let mark = if cut > 0 { "…" } else { "" };
    let kept: String = name.iter().skip(cut + mark.chars().count()).collect();
    format!("{level} {mark}{kept}")
}

/// A name with as much of its parameters as there is room for; nothing is cut where nothing of
/// them is too long.
fn cut_parameters(name: Vec<char>, room: usize) -> Vec<char> {
    const CUT: [char; 2] = ['…', ')'];
    let parameters = name.iter().position(|c| *c == '(').map(|open| open + 1);
    let Some(parameters) = parameters.filter(|_| name.len() > room) else { return name };
    let kept = room.saturating_sub(CUT.len()).max(parameters);
    if kept + CUT.len() >= name.len() {
        return name;
    }
    name.into_iter().take(kept).chain(CUT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_method_the_name_stays() {
        let scan = "com.shatteredpixel.mechanics.ShadowCaster.scanOctant(int,boolean[],int,int,int,double)";
        let shown = subject_cell("method", scan);
        assert!(shown.ends_with(".ShadowCaster.scanOctant(…)"), "{shown}");
        assert_eq!(shown.chars().count(), 52);
        let short = "a.b.Rather.longNameOfAMethod(int,int,double,double,boolean)";
        let shown = subject_cell("method", short);
        assert_eq!(shown, "method a.b.Rather.longNameOfAMethod(int,int,double…)");
        assert_eq!(subject_cell("method", "a.B.run(int)"), "method a.B.run(int)");
        let class = subject_cell("class", &format!("{}.Name", "package".repeat(9)));
        assert!(class.starts_with("class …") && class.ends_with(".Name"), "{class}");
    }
}
