//! Code locations ("places"): the loops around a microbenchmark's body, each with other code beside
//! the body.
//!
//! Compiled code of the same operations differs between code locations. A microbenchmark in a
//! single loop has the error of that location; its mean over different locations has a smaller one.

/// Code around the body of a microbenchmark: a code location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SurroundingCode {
    /// Declarations before the loop.
    pub locals: &'static str,
    /// The loop's head, which runs `n` times.
    pub head: &'static str,
    /// Statements before the body.
    pub neighbour: &'static str,
    /// A Java boolean expression of the statements' results, kept after the loop.
    pub keep: &'static str,
}

/// The location without other code: the loop alone.
pub(crate) const PLAIN_PLACE: SurroundingCode =
    SurroundingCode { locals: "", head: HEADS[0], neighbour: "", keep: "false" };

/// Loop heads that count to `n`, in different ways.
const HEADS: [&str; 6] = [
    "for (int i = 0; i < n; i++)",
    "for (int i = n; i > 0; i--)",
    "for (int i = -n; i < 0; i++)",
    "for (int i = 0; i < n + n; i += 2)",
    "for (int i = 1; i <= n; i++)",
    "for (int i = n - 1; i >= 0; i--)",
];

/// Neighbouring code: declarations, statements, result. Each costs little, since the code around a
/// body is measured with it.
const NEIGHBOURS: [[&str; 3]; 20] = [
    ["", "", "false"],
    ["int wattlineSum = intOne;", "wattlineSum += i;", "wattlineSum == 0"],
    ["float wattlineSign = floatOne;", "wattlineSign = -wattlineSign;", "wattlineSign == floatTwo"],
    [
        "int wattlineLeast = intOne;",
        "if (i < wattlineLeast) { wattlineLeast = i; }",
        "wattlineLeast == 0",
    ],
    ["int[] wattlineTable = new int[8];", "wattlineTable[i & 7] = i;", "wattlineTable[1] == 0"],
    ["int wattlineBits = intOne;", "wattlineBits ^= i;", "wattlineBits == 0"],
    ["boolean wattlineOdd = yes;", "wattlineOdd = !wattlineOdd;", "wattlineOdd"],
    [
        "int wattlineMost = intOne;",
        "wattlineMost = i > wattlineMost ? i : wattlineMost;",
        "wattlineMost == 0",
    ],
    ["int wattlineLast = intOne;", "wattlineLast = i - wattlineLast;", "wattlineLast == 0"],
    [
        "double wattlineWide = doubleOne;",
        "wattlineWide = wattlineWide + doubleTwo;",
        "wattlineWide == 0",
    ],
    ["long wattlineTotal = longOne;", "wattlineTotal += i;", "wattlineTotal == 0"],
    ["int wattlineTurns = intOne;", "wattlineTurns++;", "wattlineTurns == 0"],
    ["int wattlineTriple = intOne;", "wattlineTriple *= 3;", "wattlineTriple == 0"],
    [
        "int wattlineTwice = intOne;",
        "wattlineTwice = i - (wattlineTwice << 1);",
        "wattlineTwice == 0",
    ],
    ["boolean wattlineParity = yes;", "wattlineParity ^= i > 3;", "wattlineParity"],
    [
        "double wattlineTurned = doubleOne;",
        "wattlineTurned = -wattlineTurned;",
        "wattlineTurned == 0",
    ],
    [
        "int wattlineOther = intOne;",
        "if (i != wattlineOther) { wattlineOther = i; }",
        "wattlineOther == 0",
    ],
    ["int wattlineMasked = intOne;", "wattlineMasked &= i;", "wattlineMasked == 2"],
    [
        "float wattlineScaled = floatOne;",
        "wattlineScaled = wattlineScaled * floatTwo;",
        "wattlineScaled == 0",
    ],
    ["int[] wattlineCounts = new int[8];", "wattlineCounts[i & 7]++;", "wattlineCounts[1] == 0"],
];

/// Number of locations of microbenchmarks that are compiled before they run: every neighbour in
/// every loop.
pub(crate) const PLACES_AHEAD: usize = HEADS.len() * NEIGHBOURS.len();

/// Number of locations of microbenchmarks that are compiled while they run: half of the neighbours
/// in every loop, since each session then waits for every location.
pub(crate) const PLACES_MEANWHILE: usize = PLACES_AHEAD / 2;

/// The first `n` of all [`PLACES_AHEAD`] locations, with as few neighbours as possible, each in
/// every loop.
pub(crate) fn first_places(n: usize) -> impl Iterator<Item = SurroundingCode> {
    let neighbours = n.div_ceil(HEADS.len());
    let around = move |head| {
        let each = NEIGHBOURS.into_iter().take(neighbours);
        each.map(move |[locals, neighbour, keep]| SurroundingCode { locals, head, neighbour, keep })
    };
    HEADS.into_iter().flat_map(around).take(n)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn all_places_differ_and_the_plain_one_is_among_them() {
        for n in [PLACES_AHEAD, PLACES_MEANWHILE] {
            let texts: HashSet<_> =
                first_places(n).map(|place| (place.head, place.neighbour)).collect();
            assert_eq!(texts.len(), n);
            assert_eq!(texts.iter().map(|text| text.0).collect::<HashSet<_>>().len(), HEADS.len());
        }
        assert_eq!(first_places(1).collect::<Vec<_>>(), [PLAIN_PLACE]);
    }
}
