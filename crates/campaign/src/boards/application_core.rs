//! The core that an application runs on.

use crate::scenario::BoardSettings;

use super::unfit_key::UnfitKey;

/// Default core of the application, as in Li and Gallagher 2016, for boards that do not show which
/// cores are the big ones.
pub(crate) const DEFAULT_CORE: u32 = 3;

/// The core of the application: the scenario's, else the board's last big core.
pub(super) fn application_core(
    settings: &BoardSettings,
    last_big: Option<u32>,
) -> Result<u32, UnfitKey> {
    let core = settings.big_core.or(last_big).unwrap_or(DEFAULT_CORE);
    if core != settings.sampler_core {
        return Ok(core);
    }
    let problem = format!("is {core}, which is where the board runs the application: name another");
    Err(UnfitKey { key: "board.sampler_core", problem })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::scenario::parse_scenario;

    #[test]
    fn the_application_runs_on_a_big_core_and_not_beside_the_sampler() {
        let core = |board: &str, last_big: Option<u32>| {
            let text = format!(
                "name = 'a'\n[application]\npackage = 'a.b'\nmain = 'A'\n[[source]]\npath = 's'\n\
                 [[input]]\nname = 'one'\n[board]\n{board}\n"
            );
            application_core(&parse_scenario(&text, Path::new("s.toml")).unwrap().board, last_big)
        };
        assert_eq!(core("", Some(7)).unwrap(), 7);
        assert_eq!(core("big_core = 5", Some(7)).unwrap(), 5);
        assert_eq!(core("", None).unwrap(), DEFAULT_CORE);
        let error = core("sampler_core = 7", Some(7)).unwrap_err().to_string();
        assert!(error.contains("board.sampler_core"), "{error}");
    }
}
