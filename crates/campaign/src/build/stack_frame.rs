//! Frames of a JVM's or Android's stack trace.

/// A frame of a stack trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StackFrame<'t> {
    /// Binary name of the class, with its package.
    pub class: &'t str,
    /// Name of the method, without parameters.
    pub method: &'t str,
    /// Line of the source file, if the class file has lines.
    pub line: Option<u32>,
}

/// The frames of a trace, innermost first.
pub(super) fn stack_frames(trace: &str) -> impl Iterator<Item = StackFrame<'_>> {
    trace.lines().filter_map(|line| {
        let frame = line.trim_start().strip_prefix("at ")?;
        let (place, source) = frame.split_once('(').unwrap_or((frame, ""));
        // A class loader or module stands before a slash.
        let (class, method) = place.rsplit('/').next()?.rsplit_once('.')?;
        let line = source.split(')').next().and_then(|source| source.rsplit_once(':'));
        Some(StackFrame { class, method, line: line.and_then(|(_, line)| line.parse().ok()) })
    })
}

/// The part of a trace about its innermost cause; the whole trace if it names no cause.
pub(super) fn root_cause(trace: &str) -> &str {
    trace.rsplit_once("Caused by: ").map_or(trace, |(_, cause)| cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_class_method_and_line() {
        let trace = "java.lang.X: no\n\tat p.A$B.<init>(A.java:3)\n\tat app//p.C.m(C.java:9)\n\
                     \tat p.D.n(Native Method)\n";
        let frames: Vec<_> =
            stack_frames(trace).map(|frame| (frame.class, frame.method, frame.line)).collect();
        let expected = [("p.A$B", "<init>", Some(3)), ("p.C", "m", Some(9)), ("p.D", "n", None)];
        assert_eq!(frames, expected);
    }

    #[test]
    fn the_last_cause_is_the_root() {
        let trace = "java.lang.X\n\tat p.A.a(A.java:1)\nCaused by: java.lang.Y: no\n\
                     \tat p.B.b(B.java:2)\n";
        assert_eq!(stack_frames(root_cause(trace)).next().unwrap().class, "p.B");
        assert_eq!(root_cause("java.lang.X"), "java.lang.X");
    }
}
