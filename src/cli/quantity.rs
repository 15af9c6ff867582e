//! Parsers of numbers in flags: each in a range, else refused with the range.

/// Parser for numbers from `lo` to `hi`, both included, with a unit for the message (or none, if
/// empty).
pub fn number_between(
    lo: f64,
    hi: f64,
    unit: &'static str,
) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text| match text.trim().parse::<f64>() {
        Ok(value) if (lo..=hi).contains(&value) => Ok(value),
        _ => Err(format!("give a number from {lo} to {hi} {unit}").trim_end().to_owned()),
    }
}

/// Largest number of rows that a command prints.
pub const PRINTED_ROWS_MAX: usize = 1_000_000;

/// Parser for whole numbers in a range, counts of something.
pub fn whole_number_between(
    lo: usize,
    hi: usize,
) -> impl Fn(&str) -> Result<usize, String> + Clone + Send + Sync + 'static {
    move |text| match text.trim().parse::<usize>() {
        Ok(value) if (lo..=hi).contains(&value) => Ok(value),
        _ => Err(format!("give a whole number from {lo} to {hi}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Arguments;
    use super::*;
    use clap::builder::ValueParser;
    use clap::{CommandFactory, Parser};

    #[test]
    fn numbers_are_held_to_their_range() {
        let watts = number_between(0.001, 1e6, "W");
        assert_eq!(watts("65"), Ok(65.0));
        for wrong in ["1e308", "0", "-1", "NaN", "inf", "65W", ""] {
            let error = watts(wrong).unwrap_err();
            assert_eq!(error, "give a number from 0.001 to 1000000 W", "{wrong}");
        }
    }

    /// The arguments of a command and of those below it, each with the words that lead to it.
    fn all_arguments(command: &clap::Command, words: &str) -> Vec<(String, clap::Arg)> {
        let own = command.get_arguments().map(|arg| (words.to_owned(), arg.clone()));
        let below = command.get_subcommands();
        let below =
            below.flat_map(|sub| all_arguments(sub, &format!("{words} {}", sub.get_name())));
        own.chain(below).collect()
    }

    /// Every flag with a number that is no count refuses one that nothing could have.
    #[test]
    fn no_flag_takes_a_number_that_cannot_be() {
        let number = |argument: &clap::Arg| {
            let of_numbers = ValueParser::from(clap::value_parser!(f64));
            argument.get_value_parser().type_id() == of_numbers.type_id()
        };
        let mut flags = 0;
        for (words, argument) in all_arguments(&Arguments::command(), "wattline") {
            let Some(name) = argument.get_long().filter(|_| number(&argument)) else { continue };
            flags += 1;
            let line = format!("{words} --{name}=1e308");
            let error = Arguments::try_parse_from(line.split(' ')).unwrap_err().to_string();
            assert!(error.contains("give a number from"), "{line}: {error}");
            assert!(error.len() < 300, "{line}: {error}");
        }
        assert!(flags > 10, "{flags}");
    }

    /// Seeds may be any number, and numbers of processes and blocks are looked up.
    const ANY: [&str; 6] = ["seed", "pid", "pid-of", "jvm", "remove", "port"];

    /// Every flag with a count refuses one that this machine could not bear.
    #[test]
    fn no_flag_takes_a_count_without_a_limit() {
        let largest = |argument: &clap::Arg| {
            let parser = argument.get_value_parser().type_id();
            let is = |other: ValueParser| other.type_id() == parser;
            let (small, large) = (u32::MAX.to_string(), (u64::MAX / 2).to_string());
            match () {
                () if is(clap::value_parser!(u32).into()) => Some(small),
                () if is(clap::value_parser!(u64).into()) => Some(large),
                () if is(clap::value_parser!(usize).into()) => Some(large),
                () => None,
            }
        };
        let mut flags = 0;
        for (words, argument) in all_arguments(&Arguments::command(), "wattline") {
            let named = argument.get_long().zip(largest(&argument));
            let Some((name, value)) = named.filter(|(name, _)| !ANY.contains(name)) else {
                continue;
            };
            flags += 1;
            let line = format!("{words} --{name}={value}");
            let error = Arguments::try_parse_from(line.split(' ')).unwrap_err().to_string();
            assert!(error.contains(&format!("invalid value '{value}'")), "{line}: {error}");
        }
        assert!(flags > 10, "{flags}");
    }
}
