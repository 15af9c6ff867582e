//! The instructions that a pattern is about, in class files and in DEX.

use std::collections::BTreeMap;

/// Number of instructions by name, as `plain_name` gives it.
pub(super) type InstructionCounts = BTreeMap<String, i64>;

/// The name of bytecode instructions that hold their constant: `iconst_1`, `bipush`.
pub(super) const CONSTANT: &str = "constant";

/// The instructions of one execution of a statement beside those of its baseline, in both formats;
/// with those of a branch that is not taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StatementCode {
    /// In class files.
    pub class_file: InstructionCounts,
    /// In DEX files: any of these, as D8 translates for old releases of Android otherwise.
    pub dex: Vec<InstructionCounts>,
    /// The instructions of the whole method that the statement calls, if it calls one.
    pub called: Option<CalledCode>,
}

/// The instructions of a called method.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CalledCode {
    /// Name of the method.
    pub method: &'static str,
    /// In class files.
    pub class_file: InstructionCounts,
    /// In DEX files.
    pub dex: InstructionCounts,
}

impl StatementCode {
    /// The code of these instructions.
    pub fn of<C: Into<String>, D: Into<String>>(
        class_file: impl IntoIterator<Item = C>,
        dex: impl IntoIterator<Item = D>,
    ) -> Self {
        Self { class_file: counted(class_file), dex: vec![counted(dex)], called: None }
    }
}

/// Counts names.
pub(super) fn counted<S: Into<String>>(names: impl IntoIterator<Item = S>) -> InstructionCounts {
    let mut counts = InstructionCounts::new();
    for name in names {
        *counts.entry(name.into()).or_default() += 1;
    }
    counts
}

/// An instruction's name without what compilers choose freely: the encoding of its registers and
/// of a constant (`add-int/2addr`, `const/16`, `iconst_1`). `operand` is the type of a constant in
/// the class file's pool.
pub(crate) fn plain_name(name: &str, operand: &str) -> String {
    let is_constant = ["iconst_", "lconst_", "fconst_", "dconst_", "aconst_"]
        .iter()
        .any(|start| name.starts_with(start));
    match name {
        _ if is_constant || matches!(name, "bipush" | "sipush") => CONSTANT.to_owned(),
        "ldc" if operand.starts_with(['J', 'D']) => "ldc2_w".to_owned(),
        _ => match name.split_once('/') {
            Some((base, form)) if form.starts_with("lit") => format!("{base}/lit"),
            Some((base, _)) => base.to_owned(),
            None => name.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_have_one_name() {
        let plain = |name| plain_name(name, "");
        assert_eq!(plain("add-int/2addr"), "add-int");
        assert_eq!(plain("add-int/lit8"), plain("add-int/lit16"));
        assert_ne!(plain("add-int/lit8"), plain("add-int"));
        assert_eq!([plain("const/4"), plain("const/high16")], ["const", "const"]);
        assert_eq!(plain("const-wide/16"), "const-wide");
        assert_eq!([plain("iconst_m1"), plain("sipush")], [CONSTANT, CONSTANT]);
        assert_eq!(plain_name("ldc", "D"), "ldc2_w");
        assert_eq!(plain_name("ldc", "F"), "ldc");
    }
}
