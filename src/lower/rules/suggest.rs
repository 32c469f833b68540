//! "Did you mean": the nearest of some words, or all of them.

/// Words that are listed.
const LISTED_MAX: usize = 40;
/// Characters of a word that a message repeats.
const SHOWN_MAX: usize = 40;

/// What would have been right instead of `word`.
pub(in crate::lower) fn known(word: &str, known: &[&str]) -> String {
    let all = if known.len() > LISTED_MAX {
        String::new()
    } else {
        format!("known: {}", known.join(", "))
    };
    match nearest(word, known) {
        Some(near) if all.is_empty() => format!("did you mean `{near}`?"),
        Some(near) => format!("did you mean `{near}`? ({all})"),
        None if all.is_empty() => "the page on rule files lists the words".to_owned(),
        None => all,
    }
}

fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let limit = (word.len() / 3).clamp(1, 6);
    let lower = word.to_ascii_lowercase();
    let distance = |known: &str| strsim::osa_distance(&lower, &known.to_ascii_lowercase());
    let near = known.iter().map(|known| (distance(known), *known));
    let near = near.filter(|(distance, _)| *distance <= limit);
    near.min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// A word as a message repeats it.
pub(crate) fn cut(word: &str) -> String {
    let mut shown: String = word.chars().take(SHOWN_MAX).collect();
    if shown.len() < word.len() {
        shown.push('…');
    }
    shown
}
