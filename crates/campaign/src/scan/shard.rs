//! Shards of a scan: contiguous parts of the ordered files of about equal size in bytes, so that
//! the tables of all shards, concatenated, equal the table of the whole.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use crate::build::LoadedSource;

/// Shard number `index`, from 1, of `of` shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    of: NonZeroU32,
}

impl Shard {
    /// The shard that contains all files.
    pub const WHOLE: Shard = Shard { index: 1, of: NonZeroU32::MIN };
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        let Some((index, of)) = numbers else {
            return Err("expected I/N, as 2/8 for the second of eight shards".to_owned());
        };
        match NonZeroU32::new(of) {
            Some(of) if (1..=of.get()).contains(&index) => Ok(Shard { index, of }),
            Some(_) => {
                Err(format!("there is no shard {index} of {of}; give one of 1/{of} to {of}/{of}"))
            }
            None => Err("there are no 0 shards; give 1/1 for all files".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// Assignment of files to shards, and the current shard.
pub(super) struct ShardDivision {
    paths: Vec<String>,
    /// Shard number of each file, ascending.
    shards: Vec<u32>,
    shard: Shard,
}

impl ShardDivision {
    /// Divides `files`, which are in the order of their paths.
    pub fn of<'f>(
        files: impl IntoIterator<Item = &'f LoadedSource>,
        shard: Shard,
    ) -> ShardDivision {
        let files: Vec<&LoadedSource> = files.into_iter().collect();
        let bytes: u128 = files.iter().map(|file| weight(file)).sum();
        let mut before = 0;
        let shards = files.iter().map(|file| {
            // By its middle: a file is in one shard only.
            let middle = 2 * before + weight(file);
            before += weight(file);
            1 + (middle * u128::from(shard.of.get()) / (2 * bytes)) as u32
        });
        let shards = shards.collect();
        ShardDivision { paths: files.iter().map(|file| file.path.clone()).collect(), shards, shard }
    }

    /// Whether the file with this index is in the current shard.
    pub(crate) fn has_file(&self, index: usize) -> bool {
        self.shards[index] == self.shard.index
    }

    /// Whether what is said of the file at `path`, which may be none of those divided, is of
    /// the shard: it belongs to the next file.
    pub(crate) fn has_path(&self, path: &str) -> bool {
        let next = self.paths.partition_point(|before| before.as_str() < path);
        let shard = self.shards.get(next).copied().unwrap_or(self.shard.of.get());
        shard == self.shard.index
    }
}

/// Size of a file in the division; an empty file has some weight, too.
fn weight(file: &LoadedSource) -> u128 {
    1 + file.text.len() as u128
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Sources;

    #[test]
    fn shards_are_numbered_from_one() {
        assert_eq!("3/3".parse::<Shard>().unwrap().to_string(), "3/3");
        assert_eq!("1/1".parse::<Shard>().unwrap(), Shard::WHOLE);
        for (text, said) in [
            ("0/3", "no shard 0 of 3"),
            ("4/3", "1/3 to 3/3"),
            ("1/0", "1/1"),
            ("1", "I/N"),
            ("-1/3", "I/N"),
            ("a/b", "I/N"),
            ("1/99999999999", "I/N"),
        ] {
            let error = text.parse::<Shard>().unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn each_file_and_each_path_is_in_one_shard_and_they_stay_in_order() {
        let texts = (0..20).map(|n| (format!("f{n:02}"), "x".repeat(n * n % 37)));
        let files = Sources::of_texts(texts).files;
        for of in [1, 2, 3, 7, 20, 21, 1000] {
            let shards =
                (1..=of).map(|n| ShardDivision::of(&files, format!("{n}/{of}").parse().unwrap()));
            let shards: Vec<ShardDivision> = shards.collect();
            let place = |has: &dyn Fn(&ShardDivision) -> bool| {
                let mut found = shards.iter().enumerate().filter(|(_, shard)| has(shard));
                let (index, _) = found.next().unwrap();
                assert!(found.next().is_none());
                index
            };
            let files: Vec<usize> = (0..20).map(|n| place(&|shard| shard.has_file(n))).collect();
            assert!(files.is_sorted());
            let paths = ["a", "f00", "f00x", "f05", "f05a", "f11", "f19", "g"];
            let paths = paths.map(|path| place(&|shard| shard.has_path(path)));
            assert!(paths.is_sorted());
            assert_eq!((paths[3], paths[5]), (files[5], files[11]));
        }
    }
}
