//! One frame of a stack, as the different profilers spell it.

/// A frame. Only those of Java have a class.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProfileFrame {
    /// Binary class name with dots; empty for what is no Java method.
    pub class: String,
    /// Method, with its descriptor where the profile says it.
    pub method: String,
    /// Line, from 1, where the profile says it.
    pub line: Option<u32>,
}

impl ProfileFrame {
    /// Reads `a/B.run`, `a.B.run(I)V:12` (async-profiler, Flight Recorder), `La/B;::run` and
    /// `a/B:::run` (perf with a map of the JVM), each perhaps with a mark such as `_[j]`.
    /// Anything else is a frame without a class.
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

/// Without `_[j]`, `_[i]`, `_[k]`, `_[0]`: how it was compiled, which is no part of the name.
fn without_marker(text: &str) -> &str {
    let inside = text.strip_suffix(']').and_then(|rest| rest.rsplit_once("_["));
    inside.filter(|(_, mark)| mark.chars().count() == 1).map_or(text, |(name, _)| name)
}

/// Takes off `:12`.
fn split_line(text: &str) -> (&str, Option<u32>) {
    let split = text.rsplit_once(':').and_then(|(name, line)| {
        let line: u32 = line.parse().ok()?;
        (!name.is_empty() && !name.ends_with(':')).then_some((name, line))
    });
    split.map_or((text, None), |(name, line)| (name, Some(line).filter(|line| *line > 0)))
}

/// Class and method; of C++'s `a::b` only what has a path with `/` is a class of Java.
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
