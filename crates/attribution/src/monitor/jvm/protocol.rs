//! The agent's lines (`Reader.java` of the agent in `wattline-campaign`). Sums since the probes went
//! in; only what has changed since the last reading is in one.

use std::collections::BTreeMap;

use wattline_units::shortened::shortened;

use crate::descriptor::parameter_types_text;

/// How the agent measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Probes in methods: calls are counted, durations are timed.
    Instrumentation,
    /// Looks at stacks: nothing is counted.
    Sampling,
}

impl Way {
    /// Its name in files, flags and the agent's settings.
    pub fn name(self) -> &'static str {
        match self {
            Way::Instrumentation => "instrumentation",
            Way::Sampling => "sampling",
        }
    }
}

/// The agent's first line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Greeting {
    /// The JVM's process.
    pub pid: u32,
    /// How it measures.
    pub way: Way,
    /// The JVM's version.
    pub java: String,
    /// The JVM's monotonic clock at this moment, in nanoseconds.
    pub now_ns: i64,
}

/// What the agent said that can't be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// Not the agent of this version.
    #[error("the agent says `{0}`, which is no greeting of this version; start the JVM anew")]
    Greeting(String),
    /// A line that is none of its own.
    #[error("the agent's line {line} can't be understood: `{}`", shortened(text))]
    Line {
        /// Line of the reading, from 1.
        line: usize,
        /// Its text.
        text: String,
    },
    /// No head or no end.
    #[error("the agent's reading is cut off")]
    CutOff,
}

/// Sums of one method in one thread since the agent's start: exclusive time, calls, waiting time,
/// bytes of sockets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Exclusive nanoseconds by the probes' clock.
    pub time_ns: i64,
    /// Calls.
    pub calls: u64,
    /// Calls that were counted in windows of time alone, a part of all there were.
    pub calls_in_windows: u64,
    /// Nanoseconds in calls that wait.
    pub waited_ns: i64,
    /// Bytes that sockets read.
    pub received: u64,
    /// Bytes that sockets wrote.
    pub sent: u64,
}

/// What samples say of a node of the tree of calls in one thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SampledFigures {
    /// Nanoseconds of CPU time.
    pub time_ns: i64,
    /// Samples.
    pub samples: u64,
}

/// A method on a path of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JvmCallNode {
    /// The node of its caller; none where the path begins.
    pub parent: Option<usize>,
    /// The method's number.
    pub method: usize,
}

/// The thread under whose number those that have ended are told.
pub const ENDED: u64 = 0;

/// One reading.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JvmReading {
    /// The JVM's monotonic clock.
    pub now_ns: i64,
    /// CPU time of the whole process.
    pub cpu_ns: i64,
    /// Time in which calls were timed: the probes' clock.
    pub timed_ns: i64,
    /// New methods: number, class, name, descriptor, file, first and last line.
    pub methods: Vec<(usize, super::JvmMethod)>,
    /// New nodes of the tree of calls, with their numbers.
    pub nodes: Vec<(usize, JvmCallNode)>,
    /// Live threads: name and CPU time; also [`ENDED`], where that is known.
    pub threads: BTreeMap<u64, (String, i64)>,
    /// What probes found of what has changed, by thread and method.
    pub figures: BTreeMap<(u64, usize), Figures>,
    /// What samples say, by thread and node; without one outside of all methods.
    pub sampled: BTreeMap<(u64, Option<usize>), SampledFigures>,
    /// Bytes outside of all methods, by thread: received and sent.
    pub outside: BTreeMap<u64, (u64, u64)>,
    /// The running method of a thread, and the nanoseconds since it was last charged.
    pub running: BTreeMap<u64, (usize, i64)>,
    /// What went wrong in the agent.
    pub problems: Vec<String>,
}

/// Characters of a text that stands in a line with others.
const NAME_MAX: usize = 60;

/// Reads the first line.
pub fn parse_greeting(line: &str) -> Result<Greeting, ProtocolError> {
    let bad = || ProtocolError::Greeting(line.chars().take(NAME_MAX).collect());
    let words = line.trim_end().strip_prefix("wattline-monitor 3 ").ok_or_else(bad)?;
    let field =
        |key: &str| words.split(' ').find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    let way = match field("mode") {
        Some("instrumentation") => Way::Instrumentation,
        Some("sampling") => Way::Sampling,
        _ => return Err(bad()),
    };
    let pid = field("pid").and_then(|pid| pid.parse().ok()).ok_or_else(bad)?;
    let now_ns = field("now").and_then(|now| now.parse().ok()).ok_or_else(bad)?;
    let java = field("java").unwrap_or("unknown").chars().take(NAME_MAX).collect();
    Ok(Greeting { pid, way, java, now_ns })
}

/// Reads one answer to `read`.
pub fn parse_reading(text: &str) -> Result<JvmReading, ProtocolError> {
    let mut lines = text.lines().enumerate();
    let mut reading = JvmReading::default();
    let head = lines.next().and_then(|(_, line)| head(line, &mut reading));
    head.ok_or(ProtocolError::CutOff)?;
    for (at, line) in lines {
        if line == "end" {
            return Ok(reading);
        }
        add(line, &mut reading).ok_or_else(|| ProtocolError::Line {
            line: at + 1,
            text: line.chars().take(80).collect(),
        })?;
    }
    Err(ProtocolError::CutOff)
}

fn head(line: &str, reading: &mut JvmReading) -> Option<()> {
    let mut words = line.strip_prefix("cycle ")?.split(' ').map(str::parse::<i64>);
    reading.now_ns = words.next()?.ok()?;
    reading.cpu_ns = words.next()?.ok()?;
    reading.timed_ns = words.next()?.ok()?;
    Some(())
}

fn add(line: &str, reading: &mut JvmReading) -> Option<()> {
    let (kind, rest) = line.split_once(' ')?;
    match kind {
        "problem" => reading.problems.push(rest.to_string()),
        "method" => reading.methods.push(method(rest)?),
        "node" => {
            let words = numbers(rest)?;
            let [number, parent, method] = words.as_slice() else { return None };
            let method = usize::try_from(*method).ok()?;
            let node = JvmCallNode { parent: usize::try_from(*parent).ok(), method };
            reading.nodes.push((usize::try_from(*number).ok()?, node));
        }
        "s" => {
            let words = numbers(rest)?;
            let [thread, node, time_ns, samples] = words.as_slice() else { return None };
            let key = (u64::try_from(*thread).ok()?, usize::try_from(*node).ok());
            let samples = u64::try_from(*samples).ok()?;
            reading.sampled.insert(key, SampledFigures { time_ns: *time_ns, samples });
        }
        "thread" => {
            let mut words = rest.splitn(3, ' ');
            let (id, cpu_ns) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            reading.threads.insert(id, (words.next().unwrap_or("").to_string(), cpu_ns));
        }
        "m" => {
            let words: Vec<i64> = numbers(rest)?;
            let [thread, method, time_ns, calls, in_windows, waited_ns, received, sent] =
                words.as_slice()
            else {
                return None;
            };
            let whole = |number: &i64| u64::try_from(*number).ok();
            let key = (whole(thread)?, usize::try_from(*method).ok()?);
            let figures = Figures {
                time_ns: *time_ns,
                calls: whole(calls)?,
                calls_in_windows: whole(in_windows)?,
                waited_ns: *waited_ns,
                received: whole(received)?,
                sent: whole(sent)?,
            };
            reading.figures.insert(key, figures);
        }
        "outside" => {
            let words = numbers(rest)?;
            let [thread, received, sent] = words.as_slice() else { return None };
            let whole = |number: &i64| u64::try_from(*number).ok();
            reading.outside.insert(whole(thread)?, (whole(received)?, whole(sent)?));
        }
        "running" => {
            let words = numbers(rest)?;
            let [thread, method, since] = words.as_slice() else { return None };
            let method = usize::try_from(*method).ok()?;
            reading.running.insert(u64::try_from(*thread).ok()?, (method, *since));
        }
        _ => return None,
    }
    Some(())
}

fn numbers(text: &str) -> Option<Vec<i64>> {
    text.split(' ').map(|word| word.parse().ok()).collect()
}

fn method(text: &str) -> Option<(usize, super::JvmMethod)> {
    let fields: Vec<&str> = text.split('\t').collect();
    let [number, class, name, descriptor, file, first, last] = fields.as_slice() else {
        return None;
    };
    let package = class.rsplit_once('.').map(|(package, _)| package.replace('.', "/") + "/");
    let file = match *file {
        "" => String::new(),
        file => package.unwrap_or_default() + file,
    };
    let method = super::JvmMethod {
        class: class.to_string(),
        name: format!("{name}{}", parameter_types_text(descriptor)),
        file,
        first_line: first.parse().ok()?,
        last_line: last.parse().ok()?,
    };
    Some((number.parse().ok()?, method))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const READING: &str = "cycle 100 2000 7\nproblem x: y\n\
        method 0\tcom.a.B$C\tget\t(I[Ljava/lang/String;[[J)V\tB.java\t3\t9\n\
        node 0 -1 0\nnode 1 0 0\nthread 13 500 qtp 1-2 @x\n\
        s 13 1 30 2\ns 13 -1 5 1\nm 13 0 40 2 1 3 10 20\noutside 13 1 2\nrunning 13 0 5\nend\n";

    #[test]
    fn a_reading_with_every_kind_of_line() {
        let reading = parse_reading(READING).unwrap();
        assert_eq!((reading.now_ns, reading.cpu_ns), (100, 2000));
        let (number, method) = &reading.methods[0];
        assert_eq!((*number, method.name.as_str()), (0, "get(int,String[],long[][])"));
        assert_eq!((method.file.as_str(), method.first_line), ("com/a/B.java", 3));
        assert_eq!(reading.threads[&13], ("qtp 1-2 @x".to_string(), 500));
        let figures = reading.figures[&(13, 0)];
        assert_eq!((figures.time_ns, figures.calls, figures.sent), (40, 2, 20));
        assert_eq!((figures.calls_in_windows, reading.timed_ns), (1, 7));
        assert_eq!(reading.nodes[1], (1, JvmCallNode { parent: Some(0), method: 0 }));
        assert_eq!(reading.nodes[0].1.parent, None);
        assert_eq!(reading.sampled[&(13, Some(1))], SampledFigures { time_ns: 30, samples: 2 });
        assert_eq!(reading.sampled[&(13, None)].time_ns, 5);
        assert_eq!((reading.running[&13], reading.outside[&13]), ((0, 5), (1, 2)));
    }

    #[test]
    fn what_is_cut_off_or_strange_is_refused() {
        assert_eq!(parse_reading(&READING.replace("end\n", "")), Err(ProtocolError::CutOff));
        assert_eq!(parse_reading(""), Err(ProtocolError::CutOff));
        let strange = parse_reading("cycle 1 2 3\nm 1 2\nend\n").unwrap_err();
        assert!(strange.to_string().contains("line 2"), "{strange}");
        assert!(parse_greeting("HTTP/1.1 400").is_err());
        let greeting =
            parse_greeting("wattline-monitor 3 pid=7 mode=sampling java=17 now=5\n").unwrap();
        assert_eq!((greeting.pid, greeting.way, greeting.now_ns), (7, Way::Sampling, 5));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[ -~\t\n]{0,200}", descriptor in "[(\\[LIJ;)a/]{0,12}") {
            let _ = parse_reading(&format!("cycle 1 2 3\n{text}\nend\n"));
            let _ = (parse_greeting(&text), parameter_types_text(&descriptor));
        }
    }
}
