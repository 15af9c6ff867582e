//! The constants of one compiled chip, drawn from its seed within the ranges of
//! `datasets/simulated-models/compiled.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::cost::{ASSUMED, OPERATIONS, SIZES, TYPES, check_levels};
use super::super::error::SimulatedModelError;
use super::draw::ChipSeed;

const BUILT_IN: &str = include_str!("../../../datasets/simulated-models/compiled.toml");

/// Joules in a nanojoule, and in a microjoule.
const NANO: f64 = 1e-9;
const MICRO: f64 = 1e-6;

/// Lower and upper bound.
type Range = [f64; 2];
type Ranges = BTreeMap<String, Range>;

/// The file, as read and checked.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConstantsFile {
    place_sigma: f64,
    library_sigma: f64,
    operation: Ranges,
    #[serde(rename = "type")]
    kind: Ranges,
    size: Ranges,
    assumed: Ranges,
    compiled: Ranges,
    interpreter: Ranges,
    inlining: Ranges,
    cache: Ranges,
}

/// One chip.
#[derive(Debug, Clone)]
pub(super) struct ChipConstants {
    /// Standard deviation of the logarithm of a place's factor, and of a library function's.
    pub place_sigma: f64,
    pub library_sigma: f64,
    /// The rest by `table.key`, as drawn.
    drawn: BTreeMap<String, f64>,
}

/// What the agent's runtime needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RuntimeFigures {
    /// Calls and turns of loops after which a method is compiled.
    pub hot: u64,
    /// Instructions of the largest method that is inlined.
    pub small: u64,
    /// How many callers deep.
    pub depth: u64,
}

impl ConstantsFile {
    fn from_toml(text: &str) -> Result<Self, SimulatedModelError> {
        let file: Self = toml::from_str(text).map_err(|error| problem(error.to_string()))?;
        let tables = file.tables();
        let expected: [(&str, Vec<&str>); 8] = [
            ("operation", OPERATIONS.split(';').collect()),
            ("type", TYPES.split(' ').collect()),
            ("size", SIZES.split(' ').collect()),
            ("assumed", ASSUMED.to_vec()),
            ("compiled", vec!["check", "argument"]),
            ("interpreter", vec!["dispatch_nj", "hot", "compile_uj"]),
            ("inlining", vec!["small", "depth"]),
            (
                "cache",
                vec!["first_kib", "second_kib", "beyond_first_nj", "beyond_second_nj", "alive_kib"],
            ),
        ];
        for ((name, ranges), (_, keys)) in tables.into_iter().zip(expected) {
            check_levels(name, ranges, &keys).map_err(problem)?;
            if let Some((key, _)) = ranges.iter().find(|(_, range)| !is_range(**range)) {
                return Err(problem(format!("{name} \"{key}\" is no range above 0")));
            }
        }
        Ok(file)
    }

    fn tables(&self) -> [(&'static str, &Ranges); 8] {
        [
            ("operation", &self.operation),
            ("type", &self.kind),
            ("size", &self.size),
            ("assumed", &self.assumed),
            ("compiled", &self.compiled),
            ("interpreter", &self.interpreter),
            ("inlining", &self.inlining),
            ("cache", &self.cache),
        ]
    }
}

fn is_range([low, high]: Range) -> bool {
    low > 0.0 && low <= high && high <= 1e9
}

fn problem(problem: String) -> SimulatedModelError {
    SimulatedModelError::Table { file: "the compiled chips' ranges".into(), problem }
}

impl ChipConstants {
    /// The chip of a seed.
    ///
    /// # Panics
    /// Never: a test reads the built-in file.
    pub fn of(draw: ChipSeed) -> Self {
        let file =
            ConstantsFile::from_toml(BUILT_IN).expect("the built-in ranges are checked by a test");
        let mut drawn = BTreeMap::new();
        for (table, ranges) in file.tables() {
            for (key, [low, high]) in ranges {
                let name = format!("{table}.{key}");
                let value = low * libm::pow(high / low, draw.share(&name));
                drawn.insert(name, value);
            }
        }
        Self { place_sigma: file.place_sigma, library_sigma: file.library_sigma, drawn }
    }

    fn get(&self, name: &str) -> Option<f64> {
        self.drawn.get(name).copied()
    }

    fn sure(&self, name: &str) -> f64 {
        self.get(name).expect("a range that the file is checked for")
    }

    pub fn runtime(&self) -> RuntimeFigures {
        let whole = |name: &str| self.sure(name).round() as u64;
        RuntimeFigures {
            hot: whole("interpreter.hot"),
            small: whole("inlining.small"),
            depth: whole("inlining.depth"),
        }
    }

    /// Joules of one execution of a pattern in compiled code, without the place's factor;
    /// none if the text is no pattern.
    pub fn compiled_j(&self, pattern: &str) -> Option<f64> {
        if pattern == "array" {
            return Some(self.get("assumed.array byte")? * NANO);
        }
        let Some((form, rest)) = pattern.split_once(':') else {
            return Some(self.get(&format!("compiled.{pattern}"))? * NANO);
        };
        let nanojoules = match form {
            "op" => self.head(rest)?,
            "size" => self.get(&format!("size.{rest}"))?,
            "return" => self.head(&format!("return statement/{rest}"))?,
            "assumed" => self.get(&format!("assumed.{rest}"))?,
            _ => return None,
        };
        Some(nanojoules * NANO)
    }

    fn head(&self, text: &str) -> Option<f64> {
        let mut parts = text.splitn(3, '/');
        let operation = self.get(&format!("operation.{}", parts.next()?))?;
        let kind = match parts.next() {
            None => 1.0,
            Some(kind) => self.get(&format!("type.{kind}"))?,
        };
        let size = match parts.next() {
            None => 0.0,
            Some(size) => self.get(&format!("size.{size}"))?,
        };
        Some(operation * kind + size)
    }

    /// The same where it is interpreted: each instruction is fetched, too.
    pub(crate) fn interpreted_j(&self, pattern: &str) -> Option<f64> {
        let executed = self.compiled_j(pattern)?;
        let is_instruction = pattern.contains(':');
        Some(
            executed
                + if is_instruction { self.sure("interpreter.dispatch_nj") * NANO } else { 0.0 },
        )
    }

    /// Joules of the compilation of an instruction.
    pub(crate) fn compile_j(&self) -> f64 {
        self.sure("interpreter.compile_uj") * MICRO
    }

    /// Bytes of the two levels of caches, and joules of an access beyond each.
    pub fn levels(&self) -> [(f64, f64); 2] {
        ["first", "second"].map(|level| {
            let bytes = self.sure(&format!("cache.{level}_kib")) * 1024.0;
            (bytes, self.sure(&format!("cache.beyond_{level}_nj")) * NANO)
        })
    }

    /// Bytes of a class that are alive at most.
    pub(crate) fn alive_bytes(&self) -> f64 {
        self.sure("cache.alive_kib") * 1024.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_lie_in_their_ranges_and_are_the_seeds() {
        let file = ConstantsFile::from_toml(BUILT_IN).unwrap();
        let chips = [1, 2, 1].map(|seed| ChipConstants::of(ChipSeed::new(seed)));
        assert_eq!(chips[0].drawn, chips[2].drawn);
        assert_ne!(chips[0].drawn, chips[1].drawn);
        for (table, ranges) in file.tables() {
            for (key, [low, high]) in ranges {
                let value = chips[0].sure(&format!("{table}.{key}"));
                assert!((*low..=*high).contains(&value), "{table}.{key}: {value}");
            }
        }
    }

    #[test]
    fn every_pattern_has_a_price_in_both_states() {
        let chip = ChipConstants::of(ChipSeed::new(1));
        for pattern in [
            "op:Addition/int",
            "op:Object allocation/Reference/Reference",
            "op:else branch",
            "size:Load",
            "return:double",
            "assumed:monitor",
        ] {
            let compiled = chip.compiled_j(pattern).unwrap();
            let interpreted = chip.interpreted_j(pattern).unwrap();
            assert!(interpreted > compiled + 14e-9, "{pattern}");
        }
        assert_eq!(chip.compiled_j("check"), chip.interpreted_j("check"));
        for wrong in ["op:Sum/int", "bytes", "call:x", "size:x", "what"] {
            assert_eq!(chip.compiled_j(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn wrong_ranges_are_refused() {
        for (from, to, expected) in [
            ("\"Addition\" = [4.0", "\"Addition\" = [40.0", "\"Addition\" is no range"),
            ("\"Addition\"", "\"Sum\"", "unknown key \"Sum\" in [operation]"),
            ("hot = [400.0", "hot = [0.0", "\"hot\" is no range"),
            ("place_sigma", "sigma", "unknown field"),
        ] {
            let error =
                ConstantsFile::from_toml(&BUILT_IN.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
