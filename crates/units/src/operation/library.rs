//! Library functions: methods and constructors that are called and aren't of the analysed sources.

use std::fmt;

use compact_str::CompactString;

/// Class name of methods whose declaring class isn't known.
const UNKNOWN_OWNER: &str = "?";

/// A method or constructor outside of the analysed sources, by the class that declares it:
/// `lib:java.util.List.add`. Overloads are one function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LibraryFunction(CompactString);

impl LibraryFunction {
    /// Prefix of the names of all library functions.
    pub const PREFIX: &str = "lib:";

    /// Makes the function for `method` (`<init>` of a constructor) that the class with the binary
    /// name `owner` declares.
    pub fn new(owner: &str, method: &str) -> LibraryFunction {
        LibraryFunction([Self::PREFIX, owner, ".", method].into_iter().collect())
    }

    /// Makes the function for a method whose class isn't known: `lib:?.add`.
    pub fn unresolved(method: &str) -> LibraryFunction {
        LibraryFunction::new(UNKNOWN_OWNER, method)
    }

    /// Returns the function with this name; `None` where it isn't of the form `lib:CLASS.METHOD`.
    pub fn of_name(name: &str) -> Option<LibraryFunction> {
        let function = name.strip_prefix(Self::PREFIX)?;
        function.contains('.').then(|| LibraryFunction(name.into()))
    }

    /// Returns its name in tables: `lib:java.util.List.add`.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// Returns the binary name of the class that declares it; `?` where that isn't known.
    pub fn owner(&self) -> &str {
        self.parts().0
    }

    /// Returns the name of the method, `<init>` of a constructor.
    pub fn method(&self) -> &str {
        self.parts().1
    }

    /// Whether the class that declares it is known.
    pub fn is_resolved(&self) -> bool {
        self.owner() != UNKNOWN_OWNER
    }

    fn parts(&self) -> (&str, &str) {
        let function = &self.0[Self::PREFIX.len()..];
        function.rsplit_once('.').unwrap_or((UNKNOWN_OWNER, function))
    }
}

impl fmt::Display for LibraryFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for LibraryFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_has_a_class_and_a_method() {
        let function = LibraryFunction::new("java.util.Map$Entry", "getKey");
        assert_eq!(function.name(), "lib:java.util.Map$Entry.getKey");
        assert_eq!(LibraryFunction::of_name(function.name()), Some(function.clone()));
        assert_eq!((function.owner(), function.method()), ("java.util.Map$Entry", "getKey"));
        assert!(function.is_resolved());
        let function = LibraryFunction::unresolved("g");
        assert_eq!((function.name(), function.is_resolved()), ("lib:?.g", false));
    }

    #[test]
    fn other_names_are_no_functions() {
        for name in ["lib:", "lib:other", "Increment", "java.util.List.add"] {
            assert_eq!(LibraryFunction::of_name(name), None, "{name}");
        }
    }
}
