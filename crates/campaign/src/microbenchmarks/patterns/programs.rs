//! Small programs to hold predictions by patterns against: matrix multiplication and Fibonacci
//! numbers, as microbenchmarks.

use crate::microbenchmarks::Microbenchmark;

/// Types of the matrices' elements.
const ELEMENTS: [&str; 4] = ["int", "long", "float", "double"];

/// Rows and columns of the matrices.
const MATRIX_SIZES: [usize; 3] = [4, 8, 16];

/// Which Fibonacci numbers are computed; a `long` has room for the first 92.
const FIBONACCI_NUMBERS: [usize; 3] = [10, 40, 90];

/// A program whose energy is predicted by the patterns that it executes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidationProgram {
    /// Its name in tables: `matrix multiplication, int, 8 x 8`.
    pub title: String,
    /// The loop around a call of it.
    pub microbenchmark: Microbenchmark,
}

/// All programs.
pub fn validation_programs() -> Vec<ValidationProgram> {
    let matrices = ELEMENTS
        .into_iter()
        .flat_map(|element| MATRIX_SIZES.map(|size| multiplication(element, size)));
    matrices.chain(FIBONACCI_NUMBERS.map(fibonacci)).collect()
}

/// The product of two square matrices, which are one array each, filled with numbers that look
/// random.
fn multiplication(element: &str, size: usize) -> ValidationProgram {
    let locals = format!(
        "int size = {size}; {element}[] a = filled({size} * {size}), b = filled({size} * {size}); \
         {element}[] c = new {element}[{size} * {size}];"
    );
    let helper = format!(
        "static {element}[] filled(int length) {{
        {element}[] made = new {element}[length];
        for (int i = 0, seed = intOne; i < length; i++) {{
            seed = seed * 1103515245 + 12345;
            made[i] = ({element}) (seed >>> 22);
        }}
        return made;
    }}

    static void multiply({element}[] a, {element}[] b, {element}[] c, int size) {{
        for (int i = 0; i < size; i++) {{
            for (int j = 0; j < size; j++) {{
                {element} sum = 0;
                for (int k = 0; k < size; k++) {{
                    sum += a[i * size + k] * b[k * size + j];
                }}
                c[i * size + j] = sum;
            }}
        }}
    }}"
    );
    ValidationProgram {
        title: format!("matrix multiplication, {element}, {size} x {size}"),
        microbenchmark: microbenchmark(
            format!("matrix_{element}_{size}"),
            (locals, helper),
            ("multiply(a, b, c, size);", "c[0] == c[1]"),
        ),
    }
}

/// A Fibonacci number, by adding up.
fn fibonacci(number: usize) -> ValidationProgram {
    let helper = "static long fibonacci(int number) {
        long before = 0;
        long now = 1;
        for (int i = 1; i < number; i++) {
            long next = before + now;
            before = now;
            now = next;
        }
        return now;
    }";
    ValidationProgram {
        title: format!("Fibonacci number {number}"),
        microbenchmark: microbenchmark(
            format!("fibonacci_{number}"),
            (format!("int number = {number}; long c = longOne;"), helper.to_owned()),
            ("c = fibonacci(number);", "c > 0"),
        ),
    }
}

fn microbenchmark(
    name: String,
    (locals, helper): (String, String),
    (body, keep): (&str, &str),
) -> Microbenchmark {
    Microbenchmark {
        name,
        measures: Vec::new(),
        locals,
        body: body.to_owned(),
        helper,
        keep: keep.to_owned(),
        feed: None,
        copies: 1,
        places: 1,
        elements: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn programs_have_names_of_their_own() {
        let all = validation_programs();
        let names: BTreeSet<&str> = all.iter().map(|of| of.microbenchmark.name.as_str()).collect();
        let titles: BTreeSet<&str> = all.iter().map(|of| of.title.as_str()).collect();
        assert_eq!((all.len(), names.len(), titles.len()), (15, 15, 15));
        assert!(titles.contains("matrix multiplication, double, 16 x 16"));
    }
}
