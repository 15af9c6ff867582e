//! One build for the dry runs of all variants: a switch at each statement that a variant
//! may leave out. Tries need no compiler, and what is planned is built for itself.

use std::collections::{BTreeMap, BTreeSet};

use crate::blocks::BlockId;
use crate::instrument::{InstrumentOptions, Probe, Removals, Statement};

use super::BuildError;
use super::variant::{Classes, VariantBuilder, relative_to};

/// The build, and what its switches stand for.
pub(super) struct Switched<'a> {
    /// Entry name -> class file.
    classes: Classes,
    numbers: BTreeMap<Statement, usize>,
    removals: Removals<'a>,
}

/// How often a refused compilation is tried again with fewer switches.
const MOST_REPAIRS: u32 = 12;

impl<'a> VariantBuilder<'a> {
    /// The build with switches, with the count probe.
    ///
    /// # Errors
    /// The application does not compile with the count probe, or javac can't be run.
    pub(crate) fn switched_classes(&mut self) -> Result<&Classes, BuildError> {
        Ok(&self.prepare_switched()?.classes)
    }

    /// The switches that have to be off for the variant without `removed`, as the build reads
    /// them; none if one of its statements has no switch.
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
        Ok(numbers.collect::<Option<Vec<usize>>>().map(|off| digits(&off)))
    }

    fn prepare_switched(&mut self) -> Result<&Switched<'a>, BuildError> {
        let build = match self.switched.take() {
            Some(build) => build,
            None => self.build_switched()?,
        };
        Ok(self.switched.insert(build))
    }

    /// Statements of methods that javac refuses with switches go without; if it refuses
    /// all, the build has none.
    fn build_switched(&mut self) -> Result<Switched<'a>, BuildError> {
        self.prepare_base(Probe::Count)?;
        let removals = Removals::new(&self.application.files, &self.blocks);
        let mut switched = self.application.removable();
        for repair in 0..MOST_REPAIRS {
            let skip = self.bases[&Probe::Count].skip.clone();
            let options = InstrumentOptions {
                switched: switched.clone(),
                ..self.options(Probe::Count, skip)
            };
            let (texts, made) = self.texts(&options);
            let folder = self.folder.path().join(format!("switched-{repair}"));
            let output = folder.join("classes");
            match self.compile(&folder, &texts, &[], &output)? {
                Ok(()) => {
                    let classes = crate::toolchain::jar::read_folder(&output)?;
                    let classes = self.with_resources(classes);
                    let numbers = made.switches.into_iter().enumerate();
                    let numbers = numbers.map(|(number, at)| (at, number)).collect();
                    return Ok(Switched { classes, numbers, removals });
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
        Ok(Switched { classes, numbers: BTreeMap::new(), removals })
    }
}

/// Switches as `S.java` reads them: four to a hexadecimal digit, the first one in the lowest bit.
fn digits(off: &[usize]) -> String {
    let mut digits = vec![0u8; off.iter().max().map_or(0, |last| last / 4 + 1)];
    off.iter().for_each(|number| digits[number / 4] |= 1 << (number % 4));
    digits.iter().map(|digit| format!("{digit:x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn a_digit_has_four_switches() {
        assert_eq!(digits(&[]), "");
        assert_eq!(digits(&[0]), "1");
        assert_eq!(digits(&[9, 1, 3]), "a02");
    }
}
