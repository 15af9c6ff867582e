//! Pattern: floats that are converted to double and back because a literal lacks its `f`.

use crate::format::{counted, grouped};
use crate::hint::confidence::Confidence;
use crate::hint::context::{HintContext, PricedOperations};
use crate::hint::hint::Hint;
use crate::hint::hint_pattern::{HintPattern, PatternMatch, hint};
use crate::hint::pattern;
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::site::LoopSite;
use crate::java::types::ValueKind;
use crate::java::{SourceFile, SyntaxNode};
use crate::operations::{BlockEntry, Operation, OperationCount, OperationVerb};

/// The pattern `float-and-double`.
pub const PATTERN: HintPattern = HintPattern {
    name: "float-and-double",
    title: "A double literal among floats: two conversions for nothing",
    help: "A literal without an f is a double. A float beside it is converted to double, the \
           operation is done in double, and the result is converted back to float. With an f \
           there is no conversion. Where the literal is a float exactly (0.5, 2.0) the result is \
           the same to the last bit, for one operation on two floats rounds to the same float \
           either way; where it isn't (0.1), the last digits differ. The prediction saves the two \
           conversions, and what the operation costs more in double.",
    reference: "Figueroa, When is double rounding innocuous? (SIGNUM 1995); JLS 3.10.2, 5.6.2",
    basis: PredictionBasis::Costs,
    find,
};

/// Finds literals in all sources, in loops or not.
fn find(context: &HintContext<'_>, _: &[LoopSite<'_>]) -> Vec<Hint> {
    let sources = context.input.sources;
    sources.iter().flat_map(|file| hints_of_file(context, file)).collect()
}

fn hints_of_file(context: &HintContext<'_>, file: &SourceFile) -> Vec<Hint> {
    let nodes = pattern::descendants(file.tree.root_node()).into_iter();
    nodes
        .filter_map(|node| as_float_conversion(file, node))
        .filter_map(|found| hint_at(context, file, &found))
        .collect()
}

/// An operation of a float and a double literal whose result becomes a float.
struct FloatConversion<'t> {
    literal: SyntaxNode<'t>,
    float: SyntaxNode<'t>,
    /// The expression that the rewrite simplifies.
    whole: SyntaxNode<'t>,
    operator: String,
    /// Whether the result is cast, not assigned by `*=`.
    is_cast: bool,
}

/// Parses `x *= 0.5` and `(float) (x * 0.5)`, for a float `x`.
fn as_float_conversion<'t>(file: &SourceFile, node: SyntaxNode<'t>) -> Option<FloatConversion<'t>> {
    if let Some((float, operator, right)) = pattern::as_compound(file, node) {
        let literal = pattern::without_parentheses(right);
        let fits = ["+", "-", "*", "/"].contains(&operator.as_str());
        let found = FloatConversion { literal, float, whole: node, operator, is_cast: false };
        return found.checked(file).filter(|_| fits);
    }
    let (ty, value) = pattern::as_cast(node)?;
    if file.text_of(ty) != "float" {
        return None;
    }
    let value = pattern::without_parentheses(value);
    for operator in ["+", "-", "*", "/"] {
        let Some((left, right)) = pattern::as_binary(file, value, &[operator]) else { continue };
        for (literal, float) in [(left, right), (right, left)] {
            let operator = operator.to_string();
            let found = FloatConversion { literal, float, whole: node, operator, is_cast: true };
            if let Some(found) = found.checked(file) {
                return Some(found);
            }
        }
    }
    None
}

impl FloatConversion<'_> {
    fn checked(self, file: &SourceFile) -> Option<Self> {
        let one = pattern::is_double_literal(file, self.literal) && is_float(file, self.float);
        one.then_some(self)
    }

    /// Source text of the literal as a float.
    fn as_float(&self, file: &SourceFile) -> String {
        let text = file.text_of(self.literal).trim_end_matches(['d', 'D']);
        format!("{text}f")
    }

    /// Whether a float has the literal's exact value.
    fn is_exact(&self, file: &SourceFile) -> bool {
        let text = file.text_of(self.literal).trim_end_matches(['d', 'D']).replace('_', "");
        text.parse::<f64>().is_ok_and(|value| f64::from(value as f32) == value)
    }
}

/// Whether a name, field or element is declared as float in this file.
fn is_float(file: &SourceFile, node: SyntaxNode<'_>) -> bool {
    let node = pattern::without_parentheses(node);
    let of_type = |node: SyntaxNode<'_>, ty: &str| {
        pattern::declaration_of(file, node)
            .is_some_and(|d| pattern::simple_type(&d.type_text) == ty)
    };
    match pattern::as_element(node) {
        Some((array, _)) => of_type(array, "float[]"),
        None => of_type(node, "float"),
    }
}

/// Hint for one literal, where the dictionary has the conversions.
fn hint_at(
    context: &HintContext<'_>,
    file: &SourceFile,
    found: &FloatConversion<'_>,
) -> Option<Hint> {
    let line = pattern::line(found.literal);
    let near = pattern::line(found.whole)..=file.last_line(found.whole);
    const TO: &str = "float to double";
    const BACK: &str = "double to float";
    let converts = |o: &&OperationCount, context: &str| {
        o.operation == Operation::CAST_NUMERIC && o.context == context && near.contains(&o.line)
    };
    let of_block = |block: &&&BlockEntry| {
        block.operations.iter().any(|o| converts(&o, TO))
            && (block.start_line..=block.end_line).contains(&line)
    };
    let block =
        context.blocks_of(&file.path).iter().filter(of_block).min_by_key(|b| context.runs(b))?;
    let runs = context.runs(block) as f64;
    let mut saved = PricedOperations::default();
    for direction in [TO, BACK] {
        let one = block.operations.iter().find(|o| converts(o, direction))?;
        context.add_found(&mut saved, block, one, runs);
    }
    let verb = match found.operator.as_str() {
        "+" => OperationVerb::ADDITION,
        "-" => OperationVerb::SUBTRACTION,
        "*" => OperationVerb::MULTI,
        _ => OperationVerb::DIVISION,
    };
    context.add_known(&mut saved, verb.of(ValueKind::Double), runs);
    context.add_known(&mut saved, verb.of(ValueKind::Float), -runs);
    let (old, new) = (file.text_of(found.literal), found.as_float(file));
    let exact = found.is_exact(file);
    let finding = PatternMatch {
        pattern: PATTERN.name,
        sentence: format!(
            "`{}` is a float, and goes to double and back for the literal `{old}`: {}.",
            file.text_of(found.float),
            counted(grouped(context.runs(block)), "time")
        ),
        advice: format!("Write `{new}`."),
        rewrite: rewrite(file, found, &new),
        condition: match exact {
            true => {
                format!("`{old}` is a float exactly, so the result is the same to the last bit.")
            }
            false => {
                format!("`{old}` isn't a float exactly: the last digits of the result change.")
            }
        },
        saved,
        confidence: if exact { Confidence::High } else { Confidence::Low },
        automatic_fix: None,
    };
    let lines = (pattern::line(found.whole), file.last_line(found.whole));
    Some(hint(context, block, &[block], lines, finding))
}

/// The expression with the new literal, without the then redundant cast.
fn rewrite(file: &SourceFile, found: &FloatConversion<'_>, literal: &str) -> String {
    let (start, end) = (found.whole.start_byte(), found.whole.end_byte());
    let own = found.literal.byte_range();
    let text = format!("{}{literal}{}", &file.text[start..own.start], &file.text[own.end..end]);
    if !found.is_cast {
        return text;
    }
    text.split_once(')').map_or(text.clone(), |(_, rest)| rest.trim().to_string())
}
