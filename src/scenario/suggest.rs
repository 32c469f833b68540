//! "Did you mean": the nearest of some words.

/// The candidate nearest to `word`, if one is near enough to be meant.
pub(super) fn nearest<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let limit = (word.len() / 3).clamp(1, 6);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.eq_ignore_ascii_case(word) {
            return Some(candidate);
        }
        let bound = best.map_or(limit, |(d, _)| d - 1);
        if candidate.len().abs_diff(word.len()) > bound {
            continue;
        }
        let distance = distance(word, candidate);
        if distance <= bound {
            best = Some((distance, candidate));
            if distance == 1 {
                break;
            }
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Edits between two words, where swapping two neighbours is one edit. Bytes, not characters: names are ASCII.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row = vec![0; b.len() + 1];
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + same);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last[b.len()]
}
