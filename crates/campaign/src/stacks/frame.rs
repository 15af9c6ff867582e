//! One frame of a stack, in the notations of different profilers.

/// Frame of a stack; only frames of Java methods have a class.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProfileFrame {
    /// Binary class name with dots; empty for a frame that is no Java method.
    pub class: String,
    /// Method name, with its descriptor where the profile has it.
    pub method: String,
    /// Line number, from 1, where the profile has it.
    pub line: Option<u32>,
}

impl ProfileFrame {
    /// Parses `a/B.run`, `a.B.run(I)V:12` (async-profiler, Flight Recorder), `La/B;::run` and
    /// `a/B:::run` (perf with a map of the JVM), each with or without a suffix such as `_[j]`. Any
    /// other text is a frame without a class.
    pub fn parse(text: &str) -> Self {
        let (name, line) = split_line(without_marker(text.trim()));
        let (path, descriptor) = match name.find('(') {
            Some(at) => name.split_at(at),
            None => (name, ""),
        };
        match split_method(path) {
            Some((class, method)) => Self {
                class: class.replace('/', "."),
                // async-profiler's `sig` writes `|`, so that no descriptor cuts a stack.
                method: format!("{method}{}", descriptor.replace('|', ";")),
                line,
            },
            None => Self { class: String::new(), method: name.to_owned(), line },
        }
    }
}

/// The text without `_[j]`, `_[i]`, `_[k]`, `_[0]`, which mark how the method was compiled.
fn without_marker(text: &str) -> &str {
    let inside = text.strip_suffix(']').and_then(|rest| rest.rsplit_once("_["));
    inside.filter(|(_, mark)| mark.chars().count() == 1).map_or(text, |(name, _)| name)
}

/// Splits off a line number, `:12`.
fn split_line(text: &str) -> (&str, Option<u32>) {
    let split = text.rsplit_once(':').and_then(|(name, line)| {
        let line: u32 = line.parse().ok()?;
        (!name.is_empty() && !name.ends_with(':')).then_some((name, line))
    });
    split.map_or((text, None), |(name, line)| (name, Some(line).filter(|line| *line > 0)))
}

/// Splits class and method; of C++'s `a::b`, only a name whose path has `/` is a Java class.
fn split_method(path: &str) -> Option<(&str, &str)> {
    let (class, method) = match path.rsplit_once("::") {
        Some((class, method)) => {
            let class = class.trim_end_matches([':', ';']);
            let bare = class.strip_prefix('L').filter(|_| path.contains(";::"));
            let class = bare.unwrap_or(class);
            (class.contains('/') || bare.is_some()).then_some((class, method))?
        }
        None => path.rsplit_once('.')?,
    };
    (!class.is_empty() && !method.is_empty()).then_some((class, method))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, String, Option<u32>) {
        let frame = ProfileFrame::parse(text);
        (frame.class, frame.method, frame.line)
    }

    #[test]
    fn the_spellings_of_profilers_meet() {
        let expected = |line| ("a.B$C".to_owned(), "run".to_owned(), line);
        for text in ["a/B$C.run", "a.B$C.run", "a/B$C.run_[j]", "La/B$C;::run", "a/B$C:::run_[i]"] {
            assert_eq!(read(text), expected(None), "{text}");
        }
        assert_eq!(read("a/B$C.run:17_[0]"), expected(Some(17)));
        let full = read("a.B.run(Ljava/lang/String;[I)V:3");
        assert_eq!(full, ("a.B".into(), "run(Ljava/lang/String;[I)V".into(), Some(3)));
        assert_eq!(read("a/B.run(Ljava/lang/String|[I)V:3").1, full.1);
        assert_eq!(read("a/B.<init>").1, "<init>");
    }

    #[test]
    fn what_is_no_java_has_no_class() {
        for text in
            ["start_thread", "std::sort", "[unknown]", "", "::", "entry_SYSCALL_64_[k]", "."]
        {
            assert_eq!(read(text).0, "", "{text}");
        }
    }
}
