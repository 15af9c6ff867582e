//! Pairing of equal items of two sequences: the common prefix and suffix, then the longest common
//! subsequence between.

/// Largest table of lengths in cells; above, only common prefix and suffix are paired.
const MOST_CELLS: usize = 16_000_000;

/// Pairs of indices of equal items, increasing in both sequences.
pub(super) fn pairs<T: PartialEq>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a_rest, b_rest) = (&a[head..], &b[head..]);
    let tail = a_rest.iter().rev().zip(b_rest.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a_mid, b_mid) = (&a_rest[..a_rest.len() - tail], &b_rest[..b_rest.len() - tail]);
    let mut found: Vec<(usize, usize)> = (0..head).map(|i| (i, i)).collect();
    found.extend(
        longest_common_subsequence(a_mid, b_mid).into_iter().map(|(i, j)| (head + i, head + j)),
    );
    let (a_tail, b_tail) = (a.len() - tail, b.len() - tail);
    found.extend((0..tail).map(|k| (a_tail + k, b_tail + k)));
    found
}

/// Longest common subsequence, by the table of lengths for all suffixes.
fn longest_common_subsequence<T: PartialEq>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    let (n, m) = (a.len(), b.len());
    if n == 0 || m == 0 || n.saturating_mul(m) > MOST_CELLS {
        return Vec::new();
    }
    let at = |i: usize, j: usize| i * (m + 1) + j;
    let mut longest = vec![0u32; (n + 1) * (m + 1)];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            longest[at(i, j)] = match a[i] == b[j] {
                true => longest[at(i + 1, j + 1)] + 1,
                false => longest[at(i + 1, j)].max(longest[at(i, j + 1)]),
            };
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while i < n && j < m {
        if a[i] == b[j] {
            found.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if longest[at(i + 1, j)] >= longest[at(i, j + 1)] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_is_paired_in_order() {
        let text = |s: &str| s.chars().collect::<Vec<_>>();
        let found = pairs(&text("axbcyd"), &text("abzcd"));
        assert_eq!(found, [(0, 0), (2, 1), (3, 3), (5, 4)]);
        assert_eq!(pairs(&text("aa"), &text("a")), [(0, 0)]);
        assert!(
            pairs(&text(""), &text("a")).is_empty() && pairs(&text("b"), &text("a")).is_empty()
        );
    }
}
