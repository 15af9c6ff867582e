//! Matching of the source's method names with the bytecode's. The two sides name some methods
//! differently; methods that one side cannot separate are summed on both before they are
//! compared:
//!
//! - constructors and field initialisers of a class are one: javac copies the
//!   initialisers into every `<init>`;
//! - lambdas of the methods of one name are one: javac numbers them per class
//!   (`lambda$run$0`), the source per method (`run().lambda_1`);
//! - overloads are told apart by the simple names of their parameter types, then (type
//!   variables are erased) by how many there are.

use std::collections::BTreeMap;

use crate::interval::Interval;
use crate::units::Joules;

/// Signature of a method in a form that source and bytecode share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MethodSignature {
    /// Binary class name with dots.
    pub class: String,
    /// Method name; `lambda$run` for the lambdas of the methods `run`.
    pub name: String,
    /// Simple names of parameter types; absent where they are irrelevant or unknown.
    pub parameters: Option<Vec<String>>,
}

impl MethodSignature {
    /// The signature of all overloads: without parameters.
    pub fn bare(&self) -> Self {
        Self { parameters: None, ..self.clone() }
    }
}

/// A method's figure on one side, before matching.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchedFigure {
    /// Name of the method on its side.
    pub label: String,
    /// Its energy.
    pub energy: Joules,
    /// Interval of an account's figure; absent for a ground truth.
    pub interval: Option<Interval>,
    /// Spread between runs, where it is known.
    pub spread: Option<FigureSpread>,
}

/// Spread of a figure between runs, as standard deviations in joules.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FigureSpread {
    /// Spread of the method's part of a session.
    pub parts: Joules,
    /// Spread because sessions of a case differ from its mean; zero for a ground truth.
    pub sessions: Joules,
}

/// A figure of the accounts beside its ground truth.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureWithTruth {
    /// Name in the ground truth.
    pub label: String,
    /// True energy.
    pub truth: Joules,
    /// The account's energy; absent without a match.
    pub estimate: Option<Joules>,
    /// The account's interval.
    pub interval: Option<Interval>,
    /// Spread of the ground truth between runs, where it is known.
    pub truth_spread: Option<Joules>,
    /// Spread of the account between runs, where it is known.
    pub spread: Option<FigureSpread>,
}

/// Parses a method's name from a dictionary (`solve(int[],T...)`, `run().lambda_1`, `<fields>`)
/// or from bytecode (`solve([IF)V`, `solve(int[],float)`, `lambda$run$0`) into a signature.
pub fn signature(class: &str, method: &str) -> MethodSignature {
    let class = class.replace('/', ".");
    let (name, parameters) = match method.split_once('(') {
        Some((name, rest)) => (name, Some(rest)),
        None => (method.split(".lambda_").next().unwrap_or(method), None),
    };
    let of = |name: String, parameters| MethodSignature { class: class.clone(), name, parameters };
    if method.contains(".lambda_") {
        return of(format!("lambda${}", lambda_host(name)), None);
    }
    if let Some(host) = name.strip_prefix("lambda$") {
        let host = host.rsplit_once('$').map_or(host, |(host, _)| host);
        return of(format!("lambda${host}"), None);
    }
    match name {
        "<init>" | "<fields>" => of("<init>".into(), None),
        "<clinit>" => of("<clinit>".into(), None),
        _ => of(name.into(), parameters.map(parameter_names)),
    }
}

/// Bytecode name of the body that contains a lambda.
fn lambda_host(name: &str) -> &str {
    match name {
        "<init>" | "<fields>" => "new",
        "<clinit>" => "static",
        other => other,
    }
}

/// Simple parameter names from the text behind the opening parenthesis.
fn parameter_names(rest: &str) -> Vec<String> {
    let (inside, after) = rest.rsplit_once(')').unwrap_or((rest, ""));
    if !after.is_empty() {
        return descriptor_names(inside);
    }
    let inside = inside.trim();
    if inside.is_empty() { Vec::new() } else { inside.split(',').map(simple_name).collect() }
}

/// `java.util.Map.Entry` -> `Entry`, `T...` -> `T[]`.
fn simple_name(name: &str) -> String {
    let name = name.trim().replace("...", "[]");
    name.rsplit(['.', '/', '$']).next().unwrap_or("").to_string()
}

/// Simple names of the types in a method descriptor's parentheses: `[ILjava/util/List;`.
fn descriptor_names(descriptor: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = descriptor;
    while !rest.is_empty() {
        let element = rest.trim_start_matches('[');
        let dimensions = rest.len() - element.len();
        let (name, length) = match element.chars().next() {
            Some('L') => {
                let end = element.find(';').unwrap_or(element.len());
                (simple_name(&element[1..end]), (end + 1).min(element.len()))
            }
            Some(code) => (primitive_name(code).to_string(), code.len_utf8()),
            None => break,
        };
        names.push(name + &"[]".repeat(dimensions));
        rest = &element[length..];
    }
    names
}

/// The primitive type of a descriptor's letter.
fn primitive_name(code: char) -> &'static str {
    match code {
        'Z' => "boolean",
        'B' => "byte",
        'C' => "char",
        'S' => "short",
        'I' => "int",
        'J' => "long",
        'F' => "float",
        'D' => "double",
        _ => "?",
    }
}

/// Index of a profile's method in `known`, which is sorted by signature: the method with equal
/// parameters; else the only one of its name with as many (type variables are erased, and a
/// bridge method's time is that of its callee), or the only one of its name where either side has
/// no parameters.
pub fn find_method<T>(
    known: &[T],
    of: impl Fn(&T) -> &MethodSignature,
    wanted: &MethodSignature,
) -> Option<usize> {
    if let Ok(place) = known.binary_search_by(|own| of(own).cmp(wanted)) {
        return Some(place);
    }
    let count = |signature: &MethodSignature| signature.parameters.as_ref().map(Vec::len);
    let is_alike = |own: &MethodSignature| {
        own.class == wanted.class
            && own.name == wanted.name
            && (wanted.parameters.is_none()
                || own.parameters.is_none()
                || count(own) == count(wanted))
    };
    let mut alike = (0..known.len()).filter(|place| is_alike(of(&known[*place])));
    alike.next().filter(|_| alike.next().is_none())
}

/// Matches two lists: by exact signature, then by number of parameters, then by name alone. Each
/// entry of `truth` is returned once, alone or summed with those that it cannot be separated
/// from.
pub fn match_names(
    accounts: Vec<(MethodSignature, MatchedFigure)>,
    truth: Vec<(MethodSignature, MatchedFigure)>,
) -> Vec<FigureWithTruth> {
    match_names_with_rest(accounts, truth).0
}

/// Matches as [`join`], and also returns the accounts' entries without a match in `truth`.
pub(crate) fn match_names_with_rest(
    accounts: Vec<(MethodSignature, MatchedFigure)>,
    truth: Vec<(MethodSignature, MatchedFigure)>,
) -> (Vec<FigureWithTruth>, Vec<MatchedFigure>) {
    let exact = |signature: &MethodSignature| signature.clone();
    let arity = |signature: &MethodSignature| {
        let count = signature.parameters.as_ref().map(|names| vec![names.len().to_string()]);
        MethodSignature { parameters: count, ..signature.clone() }
    };
    let (mut pairs, accounts, truth) = match_by_key(accounts, truth, exact);
    let (more, accounts, truth) = match_by_key(accounts, truth, arity);
    pairs.extend(more);
    let (unsaid, truth): (Vec<_>, Vec<_>) =
        truth.into_iter().partition(|(signature, _)| signature.parameters.is_none());
    let (more, left, alone) = match_by_key(accounts, unsaid, MethodSignature::bare);
    pairs.extend(more);
    pairs.extend(truth.into_iter().chain(alone).map(|(_, item)| FigureWithTruth {
        label: item.label,
        truth: item.energy,
        estimate: None,
        interval: None,
        truth_spread: item.spread.map(|spread| spread.parts),
        spread: None,
    }));
    (pairs, left.into_iter().map(|(_, item)| item).collect())
}

/// Result of a pass: matched pairs, and the unmatched rest of both sides.
type MatchResult = (
    Vec<FigureWithTruth>,
    Vec<(MethodSignature, MatchedFigure)>,
    Vec<(MethodSignature, MatchedFigure)>,
);

/// Pairs entries of both sides with equal keys.
fn match_by_key(
    accounts: Vec<(MethodSignature, MatchedFigure)>,
    truth: Vec<(MethodSignature, MatchedFigure)>,
    key: impl Fn(&MethodSignature) -> MethodSignature,
) -> MatchResult {
    type Side = Vec<(MethodSignature, MatchedFigure)>;
    let mut groups: BTreeMap<MethodSignature, (Side, Side)> = BTreeMap::new();
    for item in accounts {
        groups.entry(key(&item.0)).or_default().0.push(item);
    }
    for item in truth {
        groups.entry(key(&item.0)).or_default().1.push(item);
    }
    let (mut pairs, mut left, mut right) = (Vec::new(), Vec::new(), Vec::new());
    for (ours, theirs) in groups.into_values() {
        if ours.is_empty() || theirs.is_empty() {
            left.extend(ours);
            right.extend(theirs);
        } else {
            pairs.push(sum_pair(&ours, &theirs));
        }
    }
    (pairs, left, right)
}

/// Sums both sides into one pair. The interval of a sum is the sum of the intervals, and its
/// spread that of the spreads, as if all errors had one direction: rather too wide than too
/// narrow.
fn sum_pair(
    ours: &[(MethodSignature, MatchedFigure)],
    theirs: &[(MethodSignature, MatchedFigure)],
) -> FigureWithTruth {
    let labels: Vec<&str> = theirs.iter().map(|(_, item)| item.label.as_str()).collect();
    let interval = ours.iter().map(|(_, item)| item.interval).reduce(|sum, interval| {
        let (sum, interval) = (sum?, interval?);
        Some(Interval { lo: sum.lo + interval.lo, hi: sum.hi + interval.hi })
    });
    let spread = |side: &[(MethodSignature, MatchedFigure)]| {
        let spreads =
            side.iter().map(|(_, item)| item.spread).collect::<Option<Vec<FigureSpread>>>()?;
        let sum = |of: fn(&FigureSpread) -> Joules| spreads.iter().map(of).sum();
        Some(FigureSpread { parts: sum(|of| of.parts), sessions: sum(|of| of.sessions) })
    };
    FigureWithTruth {
        label: labels.join(" + "),
        truth: theirs.iter().map(|(_, item)| item.energy).sum(),
        estimate: Some(ours.iter().map(|(_, item)| item.energy).sum()),
        interval: interval.flatten(),
        truth_spread: spread(theirs).map(|spread| spread.parts),
        spread: spread(ours),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(ours: &str, theirs: &str) {
        assert_eq!(signature("a.A", ours), signature("a/A", theirs));
    }

    #[test]
    fn source_and_bytecode_names_meet() {
        same("solve(int[],String...)", "solve([I[Ljava/lang/String;)V");
        same("of(java.util.Map.Entry,long)", "of(Ljava/util/Map$Entry;J)Ljava/lang/Object;");
        same("go()", "go()Z");
        same("go(float,A$B)", "go(float,a.A$B)");
        same("run(int).lambda_2", "lambda$run$0");
        same("run().lambda_1.lambda_1", "lambda$run$17");
        same("<fields>.lambda_1", "lambda$new$3");
        same("<clinit>.lambda_1", "lambda$static$0");
        same("<fields>", "<init>(I)V");
        same("<init>(int)", "<init>");
    }

    fn item(method: &str, energy: f64) -> (MethodSignature, MatchedFigure) {
        let item = MatchedFigure {
            label: method.into(),
            energy: Joules(energy),
            interval: None,
            spread: None,
        };
        (signature("A", method), item)
    }

    #[test]
    fn erased_types_match_by_number_and_the_rest_is_not_hidden() {
        let ours = vec![
            item("put(T)", 1.0),
            item("put(int)", 2.0),
            item("<init>()", 3.0),
            item("<fields>", 4.0),
        ];
        let theirs = vec![
            item("put(Ljava/lang/Object;)V", 10.0),
            item("put(I)V", 20.0),
            item("<init>(I)V", 30.0),
            item("access$000(LA;)I", 40.0),
        ];
        let pairs = match_names(ours, theirs);
        let estimate = |label: &str| {
            pairs.iter().find(|pair| pair.label == label).unwrap().estimate.map(|e| e.0)
        };
        assert_eq!(estimate("put(I)V"), Some(2.0));
        assert_eq!(estimate("put(Ljava/lang/Object;)V"), Some(1.0));
        assert_eq!(estimate("<init>(I)V"), Some(7.0));
        assert_eq!(estimate("access$000(LA;)I"), None);
    }

    #[test]
    fn strange_descriptors_do_not_panic() {
        for strange in ["f(L)V", "f([)V", "f(Lé;", "f(é)é", "(", "f)(", "lambda$", ""] {
            signature("A", strange);
        }
    }
}
