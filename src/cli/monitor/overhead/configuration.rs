//! Ways in which the agent measures, as `--mode` names them.

use clap::Parser;

use crate::attribution::monitor::agent_overhead::WITHOUT_AGENT;
use crate::cli::monitor::arguments::Arguments;
use crate::failure::Failure;

/// A configuration of the experiment.
#[derive(Debug, Clone)]
pub struct AgentConfiguration {
    /// Its name in tables.
    pub name: String,
    /// The settings of the monitor; none without the agent.
    pub arguments: Option<Box<Arguments>>,
}

/// The flags of `monitor` by themselves.
#[derive(Debug, Parser)]
struct MonitorFlags {
    #[command(flatten)]
    arguments: Arguments,
}

/// The configurations of an experiment: the one without the agent, then those of `--mode`.
pub fn configurations(modes: &[String]) -> Result<Vec<AgentConfiguration>, Failure> {
    let without = AgentConfiguration { name: WITHOUT_AGENT.into(), arguments: None };
    let mut all = vec![without];
    for mode in modes {
        if all.iter().any(|known| known.name == *mode) {
            return Err(Failure::Usage(format!("--mode: {mode} is there twice; give it once")));
        }
        all.push(configuration(mode)?);
    }
    Ok(all)
}

fn configuration(mode: &str) -> Result<AgentConfiguration, Failure> {
    let wrong = || {
        Failure::Usage(format!(
            "--mode {mode}: give sampling, sampling:MS (1 to 10000 ms), instrumentation or exact"
        ))
    };
    let (name, period) = mode.split_once(':').map_or((mode, None), |(name, ms)| (name, Some(ms)));
    let words = match (name, period) {
        ("sampling", None) => vec!["--mode", "sampling"],
        ("sampling", Some(ms)) => vec!["--mode", "sampling", "--period-ms", ms],
        ("instrumentation", None) => vec!["--mode", "instrumentation"],
        ("exact", None) => vec!["--mode", "instrumentation", "--exact"],
        _ => return Err(wrong()),
    };
    let flags = MonitorFlags::try_parse_from(["monitor"].into_iter().chain(words));
    let arguments = flags.map_err(|_| wrong())?.arguments;
    Ok(AgentConfiguration { name: mode.into(), arguments: Some(Box::new(arguments)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_settings_of_the_monitor() {
        let modes = ["sampling".to_owned(), "sampling:10".into(), "exact".into()];
        let all = configurations(&modes).unwrap();
        let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, [WITHOUT_AGENT, "sampling", "sampling:10", "exact"]);
        let period = |number: usize| all[number].arguments.as_ref().unwrap().period_ms;
        assert_eq!((period(1), period(2)), (None, Some(10)));
        assert!(all[3].arguments.as_ref().unwrap().exact);
    }

    #[test]
    fn other_modes_are_refused_with_those_that_there_are() {
        for wrong in ["probes", "sampling:0", "sampling:x", "exact:3", ""] {
            let error = configurations(&[wrong.to_owned()]).unwrap_err().to_string();
            assert!(error.contains("sampling:MS"), "{error}");
        }
        let twice = configurations(&["exact".to_owned(), "exact".into()]).unwrap_err();
        assert!(twice.to_string().contains("twice"), "{twice}");
    }
}
