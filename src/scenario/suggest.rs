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
        // Swapping two neighbours is one edit.
        let distance = strsim::osa_distance(word, candidate);
        if distance <= bound {
            best = Some((distance, candidate));
            if distance == 1 {
                break;
            }
        }
    }
    best.map(|(_, candidate)| candidate)
}
