//! Roots of functions, by bisection.

/// Returns the root of a falling function between `low` and `high`, by bisection to the last
/// digit of a double; `low` where the function is not above zero there.
pub fn root_of_falling(function: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let (mut low, mut high) = (low, high);
    loop {
        let middle = low + (high - low) / 2.0;
        if !(low < middle && middle < high) {
            return low;
        }
        if function(middle) > 0.0 { low = middle } else { high = middle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_found_to_the_last_digits() {
        let root = root_of_falling(|x| 2.0 - x * x, 0.0, 1e9);
        assert!((root - 2f64.sqrt()).abs() < 1e-15, "{root}");
        assert_eq!(root_of_falling(|x| 1e-300 - x, 0.0, 1.0), 1e-300f64.next_down());
    }

    #[test]
    fn what_has_no_root_ends() {
        assert_eq!(root_of_falling(|x| -x, 0.0, 5.0), 0.0);
        assert_eq!(root_of_falling(|_| -1.0, 2.0, 5.0), 2.0);
        assert_eq!(root_of_falling(|_| 1.0, 0.0, 5.0), 5f64.next_down());
        assert_eq!(root_of_falling(|x| x, 0.0, f64::INFINITY), 0.0);
        assert!(root_of_falling(|_| f64::NAN, 1.0, f64::NAN) == 1.0);
    }
}
