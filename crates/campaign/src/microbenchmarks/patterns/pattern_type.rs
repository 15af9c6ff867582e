//! Names of a type's instructions, in class files and in DEX.

/// A type of values as the patterns name it, or a narrow integer type of conversions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PatternType<'k>(pub &'k str);

impl<'k> PatternType<'k> {
    /// Its name in Java source.
    pub fn java(self) -> &'k str {
        if self.0 == "Reference" { "Object" } else { self.0 }
    }

    /// The field of `MicrobenchmarkValues` with a first value.
    pub fn first_value(self) -> String {
        if self.0 == "Reference" { "object".to_owned() } else { format!("{}One", self.0) }
    }

    /// The field with a second, other value.
    pub fn second_value(self) -> String {
        if self.0 == "Reference" { "text".to_owned() } else { format!("{}Two", self.0) }
    }

    /// A bytecode instruction of this type: `iload` for `load`.
    pub fn opcode(self, operation: &str) -> String {
        let letter = match self.0 {
            "long" => 'l',
            "float" => 'f',
            "double" => 'd',
            "Reference" => 'a',
            _ => 'i',
        };
        format!("{letter}{operation}")
    }

    /// A DEX instruction that is named by its type: `add-float` for `add`.
    pub fn dex(self, operation: &str) -> String {
        format!("{operation}-{}", self.0)
    }

    /// A DEX instruction that is named by the width of its value: `aget-wide` for `aget`.
    pub fn dex_by_width(self, operation: &str) -> String {
        match self.0 {
            "Reference" => format!("{operation}-object"),
            _ if self.is_wide() => format!("{operation}-wide"),
            _ => operation.to_owned(),
        }
    }

    /// The DEX instruction that makes a constant.
    pub fn dex_constant(self) -> String {
        if self.is_wide() { "const-wide" } else { "const" }.to_owned()
    }

    /// Whether a value has 64 bits.
    pub fn is_wide(self) -> bool {
        matches!(self.0, "long" | "double")
    }
}
