//! One build for the dry runs of all variants: a switch at each statement that a variant may leave
//! out. Tries need no compiler; planned variants get builds of their own.

use std::collections::{BTreeMap, BTreeSet};

use crate::blocks::BlockId;
use crate::instrument::{InstrumentOptions, Probe, Removals, StatementPosition};

use super::BuildError;
use super::variant::{Classes, VariantBuilder, relative_to};

/// Class files of the build with switches, and the statement of each switch.
pub(super) struct SwitchedClasses<'a> {
    /// Class files by entry name.
    classes: Classes,
    numbers: BTreeMap<StatementPosition, usize>,
    removals: Removals<'a>,
}

/// Number of further compilations, with fewer switches, after javac refused one.
const MOST_REPAIRS: u32 = 12;

impl<'a> VariantBuilder<'a> {
    /// The classes of the build with switches and the count probe; built on first use.
    ///
    /// # Errors
    /// The application does not compile with the count probe, or javac can't be run.
    pub(crate) fn switched_classes(&mut self) -> Result<&Classes, BuildError> {
        Ok(&self.prepare_switched()?.classes)
    }

    /// The switches to turn off for the variant without `removed`, in the build's encoding; `None`
    /// if a removed statement has no switch.
    ///
    /// # Errors
    /// As [`VariantBuilder::switched_classes`].
    pub(crate) fn switches_of(
        &mut self,
        removed: &BTreeSet<BlockId>,
    ) -> Result<Option<String>, BuildError> {
        self.prepare_switched()?;
        let Some(build) = &self.switched else { return Ok(None) };
        let statements = build.removals.statements(&self.blocks, removed);
        let numbers = statements.iter().map(|at| build.numbers.get(at).copied());
        Ok(numbers.collect::<Option<Vec<usize>>>().map(|off| switch_digits(&off)))
    }

    fn prepare_switched(&mut self) -> Result<&SwitchedClasses<'a>, BuildError> {
        let build = match self.switched.take() {
            Some(build) => build,
            None => self.build_switched()?,
        };
        Ok(self.switched.insert(build))
    }

    /// Compiles the build with switches. Methods that javac refuses with switches get none; if it
    /// refuses all, the build has no switches.
    fn build_switched(&mut self) -> Result<SwitchedClasses<'a>, BuildError> {
        self.prepare_base(Probe::Count)?;
        let removals = Removals::new(&self.application.files, &self.blocks);
        let mut switched = self.application.removable();
        for repair in 0..MOST_REPAIRS {
            let skip = self.bases[&Probe::Count].skip.clone();
            let options = InstrumentOptions {
                switched: switched.clone(),
                ..self.instrument_options(Probe::Count, skip)
            };
            let (texts, made) = self.instrumented_texts(&options);
            let folder = self.folder.path().join(format!("switched-{repair}"));
            let output = folder.join("classes");
            match self.compile(&folder, &texts, &[], &output)? {
                Ok(()) => {
                    let classes = crate::toolchain::jar::read_folder(&output)?;
                    let classes = self.with_resources(classes);
                    let numbers = made.switches.into_iter().enumerate();
                    let numbers = numbers.map(|(number, at)| (at, number)).collect();
                    return Ok(SwitchedClasses { classes, numbers, removals });
                }
                Err(errors) => {
                    let errors = relative_to(&folder.join("src"), errors);
                    let blamed = self.probed_blocks_at(&errors);
                    let before = switched.len();
                    switched.retain(|id| !blamed.contains(id));
                    if switched.len() == before {
                        break;
                    }
                }
            }
        }
        let classes = self.bases[&Probe::Count].classes.clone();
        Ok(SwitchedClasses { classes, numbers: BTreeMap::new(), removals })
    }
}

/// Encodes switches as `S.java` reads them: four to a hexadecimal digit, the first one in the
/// lowest bit.
fn switch_digits(off: &[usize]) -> String {
    let mut digits = vec![0u8; off.iter().max().map_or(0, |last| last / 4 + 1)];
    off.iter().for_each(|number| digits[number / 4] |= 1 << (number % 4));
    digits.iter().map(|digit| format!("{digit:x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::switch_digits;

    #[test]
    fn a_digit_has_four_switches() {
        assert_eq!(switch_digits(&[]), "");
        assert_eq!(switch_digits(&[0]), "1");
        assert_eq!(switch_digits(&[9, 1, 3]), "a02");
    }
}
