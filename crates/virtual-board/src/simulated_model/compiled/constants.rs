//! Constants of one compiled model, drawn from its seed within the ranges of
//! `datasets/simulated-models/compiled.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::cost::{
    ASSUMED_OPERATIONS, OPERATION_LEVELS, SIZE_LEVELS, TYPE_LEVELS, check_levels,
};
use super::super::error::SimulatedModelError;
use super::random_draws::ModelSeed;

/// File of the ranges of all constants.
const BUILT_IN: &str = include_str!("../../../datasets/simulated-models/compiled.toml");

/// Joules in a nanojoule, and in a microjoule.
const NANO: f64 = 1e-9;
const MICRO: f64 = 1e-6;

/// Lower and upper bound of a constant, and the ranges of a table by key.
type Range = [f64; 2];
type Ranges = BTreeMap<String, Range>;

/// Ranges of all constants, as read and checked.
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

/// Constants of one compiled model.
#[derive(Debug, Clone)]
pub(super) struct ModelConstants {
    /// Standard deviation of the logarithm of a code location's factor, and of a library
    /// function's.
    pub place_sigma: f64,
    pub library_sigma: f64,
    /// Drawn values of the other constants by `table.key`.
    drawn: BTreeMap<String, f64>,
}

/// Thresholds of the imitated compiler in the agent's runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CompilerThresholds {
    /// Calls and loop iterations after which a method is compiled.
    pub hot: u64,
    /// Bytecode instructions of the largest method that is inlined.
    pub small: u64,
    /// Number of callers into which a method is inlined, one into the other.
    pub depth: u64,
}

impl ConstantsFile {
    fn from_toml(text: &str) -> Result<Self, SimulatedModelError> {
        let file: Self = toml::from_str(text).map_err(|error| ranges_error(error.to_string()))?;
        let tables = file.tables();
        let expected: [(&str, Vec<&str>); 8] = [
            ("operation", OPERATION_LEVELS.split(';').collect()),
            ("type", TYPE_LEVELS.split(' ').collect()),
            ("size", SIZE_LEVELS.split(' ').collect()),
            ("assumed", ASSUMED_OPERATIONS.to_vec()),
            ("compiled", vec!["check", "argument"]),
            ("interpreter", vec!["dispatch_nj", "hot", "compile_uj"]),
            ("inlining", vec!["small", "depth"]),
            (
                "cache",
                vec!["first_kib", "second_kib", "beyond_first_nj", "beyond_second_nj", "alive_kib"],
            ),
        ];
        for ((name, ranges), (_, keys)) in tables.into_iter().zip(expected) {
            check_levels(name, ranges, &keys).map_err(ranges_error)?;
            if let Some((key, _)) = ranges.iter().find(|(_, range)| !is_range(**range)) {
                return Err(ranges_error(format!("{name} \"{key}\" is no range above 0")));
            }
        }
        Ok(file)
    }

    /// Names of the tables with their ranges.
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

/// Whether the bounds are in order, above 0 and at most 1e9.
fn is_range([low, high]: Range) -> bool {
    low > 0.0 && low <= high && high <= 1e9
}

fn ranges_error(problem: String) -> SimulatedModelError {
    SimulatedModelError::Table { file: "the compiled chips' ranges".into(), problem }
}

impl ModelConstants {
    /// Constants of the model with a seed.
    ///
    /// # Panics
    /// Never: a test reads the built-in file.
    pub fn draw(draw: ModelSeed) -> Self {
        let file =
            ConstantsFile::from_toml(BUILT_IN).expect("the built-in ranges are checked by a test");
        let mut drawn = BTreeMap::new();
        for (table, ranges) in file.tables() {
            for (key, [low, high]) in ranges {
                let name = format!("{table}.{key}");
                let value = low * libm::pow(high / low, draw.uniform(&name));
                drawn.insert(name, value);
            }
        }
        Self { place_sigma: file.place_sigma, library_sigma: file.library_sigma, drawn }
    }

    /// Value of a constant `table.key`.
    fn value(&self, name: &str) -> Option<f64> {
        self.drawn.get(name).copied()
    }

    /// Value of a constant that the file is checked for.
    fn required_value(&self, name: &str) -> f64 {
        self.value(name).expect("a range that the file is checked for")
    }

    /// Thresholds of the imitated compiler.
    pub fn compiler_thresholds(&self) -> CompilerThresholds {
        let whole = |name: &str| self.required_value(name).round() as u64;
        CompilerThresholds {
            hot: whole("interpreter.hot"),
            small: whole("inlining.small"),
            depth: whole("inlining.depth"),
        }
    }

    /// Joules of one execution of a pattern in compiled code, without the code location's factor;
    /// `None` if the text is no pattern.
    pub fn compiled_j(&self, pattern: &str) -> Option<f64> {
        if pattern == "array" {
            return Some(self.value("assumed.array byte")? * NANO);
        }
        let Some((form, rest)) = pattern.split_once(':') else {
            return Some(self.value(&format!("compiled.{pattern}"))? * NANO);
        };
        let nanojoules = match form {
            "op" => self.operation_nj(rest)?,
            "size" => self.value(&format!("size.{rest}"))?,
            "return" => self.operation_nj(&format!("return statement/{rest}"))?,
            "assumed" => self.value(&format!("assumed.{rest}"))?,
            _ => return None,
        };
        Some(nanojoules * NANO)
    }

    /// Nanojoules of `OPERATION[/TYPE[/SIZE]]`.
    fn operation_nj(&self, text: &str) -> Option<f64> {
        let mut parts = text.splitn(3, '/');
        let operation = self.value(&format!("operation.{}", parts.next()?))?;
        let kind = match parts.next() {
            None => 1.0,
            Some(kind) => self.value(&format!("type.{kind}"))?,
        };
        let size = match parts.next() {
            None => 0.0,
            Some(size) => self.value(&format!("size.{size}"))?,
        };
        Some(operation * kind + size)
    }

    /// Joules of one execution of a pattern in interpreted code, where each instruction is fetched,
    /// too.
    pub(crate) fn interpreted_j(&self, pattern: &str) -> Option<f64> {
        let executed = self.compiled_j(pattern)?;
        let is_instruction = pattern.contains(':');
        Some(
            executed
                + if is_instruction {
                    self.required_value("interpreter.dispatch_nj") * NANO
                } else {
                    0.0
                },
        )
    }

    /// Joules of compiling one bytecode instruction.
    pub(crate) fn compile_j(&self) -> f64 {
        self.required_value("interpreter.compile_uj") * MICRO
    }

    /// Bytes of the two levels of caches, and joules of an access beyond each.
    pub fn cache_levels(&self) -> [(f64, f64); 2] {
        ["first", "second"].map(|level| {
            let bytes = self.required_value(&format!("cache.{level}_kib")) * 1024.0;
            (bytes, self.required_value(&format!("cache.beyond_{level}_nj")) * NANO)
        })
    }

    /// Largest number of live bytes of a class.
    pub(crate) fn alive_bytes(&self) -> f64 {
        self.required_value("cache.alive_kib") * 1024.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_lie_in_their_ranges_and_are_the_seeds() {
        let file = ConstantsFile::from_toml(BUILT_IN).unwrap();
        let chips = [1, 2, 1].map(|seed| ModelConstants::draw(ModelSeed::new(seed)));
        assert_eq!(chips[0].drawn, chips[2].drawn);
        assert_ne!(chips[0].drawn, chips[1].drawn);
        for (table, ranges) in file.tables() {
            for (key, [low, high]) in ranges {
                let value = chips[0].required_value(&format!("{table}.{key}"));
                assert!((*low..=*high).contains(&value), "{table}.{key}: {value}");
            }
        }
    }

    #[test]
    fn every_pattern_has_a_price_in_both_states() {
        let chip = ModelConstants::draw(ModelSeed::new(1));
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
