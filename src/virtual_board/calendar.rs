//! Dates of the board's wall clock, in UTC.

/// A moment, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    epoch_s: u64,
    nanos: u32,
    year: u64,
    month: u64,
    day: u64,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] =
    ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

impl Moment {
    /// The moment some nanoseconds after the start of Unix time.
    pub(super) fn from_epoch_ns(epoch_ns: u128) -> Self {
        let epoch_s = u64::try_from(epoch_ns / 1_000_000_000).unwrap_or(u64::MAX);
        let nanos = (epoch_ns % 1_000_000_000) as u32;
        let (year, month, day) = civil(epoch_s / 86_400);
        Self { epoch_s, nanos, year, month, day }
    }

    /// `MM-DD HH:MM:SS.mmm`, as in the log.
    pub(super) fn log_stamp(&self) -> String {
        let millis = self.nanos / 1_000_000;
        format!("{:02}-{:02} {}.{millis:03}", self.month, self.day, self.time())
    }

    /// What `date +FORMAT` prints; an unknown letter stays as it is.
    pub(super) fn format(&self, format: &str) -> String {
        let mut text = String::new();
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '%' => {
                    text.push_str(&letters.next().map_or("%".into(), |letter| self.field(letter)))
                }
                other => text.push(other),
            }
        }
        text
    }

    fn field(&self, letter: char) -> String {
        let day_name = DAYS[(self.epoch_s / 86_400 % 7) as usize];
        let month_name = MONTHS[(self.month.clamp(1, 12) - 1) as usize];
        let [hour, minute, second] = self.clock();
        match letter {
            'Y' => self.year.to_string(),
            'y' => format!("{:02}", self.year % 100),
            'm' => format!("{:02}", self.month),
            'd' => format!("{:02}", self.day),
            'e' => format!("{:2}", self.day),
            'H' => format!("{hour:02}"),
            'M' => format!("{minute:02}"),
            'S' => format!("{second:02}"),
            'N' => format!("{:09}", self.nanos),
            's' => self.epoch_s.to_string(),
            'T' => self.time(),
            'R' => format!("{hour:02}:{minute:02}"),
            'F' => format!("{}-{:02}-{:02}", self.year, self.month, self.day),
            'D' => format!("{:02}/{:02}/{:02}", self.month, self.day, self.year % 100),
            'a' => day_name[..3].to_owned(),
            'A' => day_name.to_owned(),
            'b' | 'h' => month_name[..3].to_owned(),
            'B' => month_name.to_owned(),
            'Z' => "UTC".to_owned(),
            'z' => "+0000".to_owned(),
            'n' => "\n".to_owned(),
            't' => "\t".to_owned(),
            '%' => "%".to_owned(),
            other => format!("%{other}"),
        }
    }

    fn time(&self) -> String {
        let [hour, minute, second] = self.clock();
        format!("{hour:02}:{minute:02}:{second:02}")
    }

    fn clock(&self) -> [u64; 3] {
        [self.epoch_s / 3600 % 24, self.epoch_s / 60 % 60, self.epoch_s % 60]
    }
}

/// Year, month and day of a day since 1970-01-01 (Howard Hinnant's algorithm).
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments() {
        let leap = Moment::from_epoch_ns(1_709_210_096_789_000_000);
        assert_eq!(leap.log_stamp(), "02-29 12:34:56.789");
        assert_eq!(leap.format("%a %b %e %T %Z %Y"), "Thu Feb 29 12:34:56 UTC 2024");
        assert_eq!(leap.format("%s.%N %F 100%%"), "1709210096.789000000 2024-02-29 100%");
        assert_eq!(Moment::from_epoch_ns(0).format("%F %A"), "1970-01-01 Thursday");
    }
}
