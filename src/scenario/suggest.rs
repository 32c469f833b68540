//! "Did you mean": the nearest of some words, or those that are close.

/// Words that are shown as close.
const CLOSE_MAX: usize = 4;

/// The candidate nearest to `word`, if one is near enough to be meant.
pub(super) fn nearest<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let limit = (word.len() / 3).clamp(1, 6);
    let mut best: Option<(usize, &str)> = None;
    let meant = short_for(word);
    for candidate in candidates {
        if candidate.eq_ignore_ascii_case(word) || meant == Some(candidate) {
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

/// What a short word of everyday speech stands for: views, and the stages of shaders.
fn short_for(word: &str) -> Option<&'static str> {
    const WORDS: [(&str, &str); 9] = [
        ("SRV", "SHADER_RESOURCE"),
        ("UAV", "UNORDERED_ACCESS"),
        ("RTV", "RENDER_TARGET"),
        ("DSV", "DEPTH_STENCIL_WRITE"),
        ("CBV", "CONSTANT_BUFFER"),
        ("VBV", "VERTEX_BUFFER"),
        ("PIXEL", "PIXEL_SHADING"),
        ("VERTEX", "VERTEX_SHADING"),
        ("COMPUTE", "COMPUTE_SHADING"),
    ];
    let mut words = WORDS.iter();
    let is_it = |(short, _): &&(&str, &str)| short.eq_ignore_ascii_case(word);
    words.find(is_it).map(|(_, long)| *long)
}

/// The candidates that are close to `word`, closest first: few edits away, or made of one of its parts.
pub(super) fn close<'c>(word: &str, candidates: &[&'c str]) -> Vec<&'c str> {
    const PART_MIN: usize = 4;
    let lower = word.to_ascii_lowercase().replace('_', "-");
    let parts: Vec<&str> = lower.split('-').filter(|p| p.len() >= PART_MIN).collect();
    let shares = |candidate: &str| {
        let own: Vec<&str> = candidate.split('-').collect();
        parts.iter().any(|part| {
            let meets =
                |o: &&str| o.starts_with(*part) || o.len() >= PART_MIN && part.starts_with(*o);
            own.iter().any(meets)
        })
    };
    let limit = (word.len() / 3).clamp(1, 6);
    let mut found: Vec<(usize, &str)> = candidates
        .iter()
        .map(|candidate| (strsim::osa_distance(&lower, candidate), *candidate))
        .filter(|(distance, candidate)| *distance <= limit || shares(candidate))
        .collect();
    found.sort_by_key(|(distance, _)| *distance);
    // A slip of the finger is told only what was meant.
    if found.first().is_some_and(|(distance, _)| *distance <= 1) {
        found.truncate(1);
    }
    found.truncate(CLOSE_MAX);
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::{close, nearest};

    #[test]
    fn close_words() {
        let words = [
            "draw",
            "draw-indexed",
            "dispatch",
            "dispatch-rays",
            "copy",
            "copy-as",
            "clear-rtv",
            "clear-dsv",
            "clear-uav",
            "predicate",
            "marker",
        ];
        assert_eq!(close("drawindexed", &words), ["draw-indexed"]);
        assert_eq!(close("Draw", &words), ["draw"]);
        assert_eq!(
            close("clear", &words),
            ["clear-rtv", "clear-dsv", "clear-uav"]
        );
        assert_eq!(close("draw-instanced", &words), ["draw-indexed", "draw"]);
        assert_eq!(close("copy-texture", &words), ["copy-as", "copy"]);
        assert_eq!(
            close("dispatch_mesh", &words),
            ["dispatch-rays", "dispatch"]
        );
        assert!(close("teapot", &words).is_empty());
    }

    #[test]
    fn short_words_of_everyday_speech_are_known() {
        let accesses = ["SHADER_RESOURCE", "UNORDERED_ACCESS", "RENDER_TARGET"];
        assert_eq!(nearest("SRV", accesses), Some("SHADER_RESOURCE"));
        assert_eq!(nearest("uav", accesses), Some("UNORDERED_ACCESS"));
        assert_eq!(
            nearest("PIXEL", ["ALL", "PIXEL_SHADING"]),
            Some("PIXEL_SHADING")
        );
        // Where it is no word of the kind that is asked for.
        assert_eq!(nearest("DSV", accesses), None);
    }
}
