//! The operand stack while a method is read from its start to its end, with what pushed each value.

/// What made a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A local variable.
    Load,
    /// A constant in its instruction; whether it is -1.
    Constant { is_minus_one: bool },
    /// A constant of 32 bits in the class file's pool.
    Pool32,
    /// A constant of 64 bits there; whether it is -1.
    Pool64 { is_minus_one: bool },
    /// Another constant there: a string, a class.
    PoolReference,
    /// A new object, by `new`.
    New,
    /// A comparison of values of a type, for the branch after it.
    Compared(&'static str),
    /// Anything else.
    Computed,
}

impl Origin {
    /// Whether a load or a constant made it, and nothing else.
    pub fn is_simple(self) -> bool {
        !matches!(self, Self::New | Self::Compared(_) | Self::Computed)
    }

    /// Whether it is the constant -1.
    pub fn is_minus_one(self) -> bool {
        matches!(self, Self::Constant { is_minus_one: true } | Self::Pool64 { is_minus_one: true })
    }
}

/// A value on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StackValue {
    /// What made it.
    pub origin: Origin,
    /// Number of the instruction that made it; none for a value from before a jump's target.
    pub made_by: Option<usize>,
    /// Whether it has 64 bits.
    pub is_wide: bool,
}

impl StackValue {
    const UNKNOWN: Self = Self { origin: Origin::Computed, made_by: None, is_wide: false };
}

/// The values that instructions since the last target of a jump have left.
#[derive(Debug, Default)]
pub(super) struct OperandStack(Vec<StackValue>);

impl OperandStack {
    /// Pushes a value.
    pub fn push(&mut self, value: StackValue) {
        self.0.push(value);
    }

    /// Takes the value on top; an unknown one where it was left before a jump.
    pub fn pop(&mut self) -> StackValue {
        self.0.pop().unwrap_or(StackValue::UNKNOWN)
    }

    /// Takes the values of two words on top: one of 64 bits, or two.
    pub fn pop_two_words(&mut self) {
        if !self.pop().is_wide {
            self.pop();
        }
    }

    /// Takes all values, as nothing is known of the stack at the target of a jump.
    pub fn clear(&mut self) -> Vec<StackValue> {
        std::mem::take(&mut self.0)
    }

    /// Copies values as `dup` and its relatives do.
    pub fn duplicate(&mut self, name: &str) {
        let one = self.pop();
        let both = name.starts_with("dup2") && !one.is_wide;
        let top = if both { vec![self.pop(), one] } else { vec![one] };
        let below = match name.strip_prefix("dup2").or(name.strip_prefix("dup")) {
            Some("_x1") => vec![self.pop()],
            Some("_x2") => {
                let next = self.pop();
                if next.is_wide { vec![next] } else { vec![self.pop(), next] }
            }
            _ => Vec::new(),
        };
        self.0.extend(top.iter().chain(&below).chain(&top).copied());
    }

    /// Exchanges the two values on top.
    pub fn swap(&mut self) {
        let (one, other) = (self.pop(), self.pop());
        self.0.extend([one, other]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(at: usize, is_wide: bool) -> StackValue {
        StackValue { origin: Origin::Load, made_by: Some(at), is_wide }
    }

    fn after(name: &str, values: &[StackValue]) -> Vec<usize> {
        let mut stack = OperandStack::default();
        values.iter().for_each(|value| stack.push(*value));
        stack.duplicate(name);
        stack.clear().into_iter().map(|value| value.made_by.unwrap()).collect()
    }

    #[test]
    fn values_are_copied_below_others_by_their_width() {
        let narrow = [value(1, false), value(2, false), value(3, false)];
        assert_eq!(after("dup", &narrow), [1, 2, 3, 3]);
        assert_eq!(after("dup_x1", &narrow), [1, 3, 2, 3]);
        assert_eq!(after("dup_x2", &narrow), [3, 1, 2, 3]);
        assert_eq!(after("dup2", &narrow), [1, 2, 3, 2, 3]);
        assert_eq!(after("dup2_x1", &narrow), [2, 3, 1, 2, 3]);
        assert_eq!(after("dup2", &[value(1, false), value(2, true)]), [1, 2, 2]);
        assert_eq!(after("dup2_x1", &[value(1, false), value(2, true)]), [2, 1, 2]);
        assert_eq!(after("dup_x2", &[value(1, true), value(2, false)]), [2, 1, 2]);
    }

    #[test]
    fn what_was_left_before_a_jump_is_unknown() {
        let mut stack = OperandStack::default();
        assert_eq!(stack.pop(), StackValue::UNKNOWN);
        stack.push(value(1, false));
        assert_eq!(stack.clear().len(), 1);
        assert_eq!(stack.pop().made_by, None);
    }
}
