//! Which rows decide numbers, and which only judge them: whole kinds of rows are held out, so that what is held out is unlike
//! what was fitted. Of the random streams, where each is unlike the others, it is every second one.

use super::rows::Row;

/// Whether a fit never sees a row. `place` is that in its table, from 1 on.
pub(crate) fn is_held_out(row: &Row, place: usize) -> bool {
    let text = |key: &str| row.text(key).unwrap_or_default();
    let number = |key: &str| row.number(key).unwrap_or_default();
    match row.table.as_str() {
        // Other durations than in the chains, independent work around barriers, repeated barriers.
        "A" => matches!(
            row.name.as_str(),
            "chain_sweep" | "split" | "split_many" | "redundant_barriers" | "state_change"
        ),
        "A2" => text("pattern").starts_with("WAR"),
        "A3" => text("mask").starts_with("ALL") || row.name == "event_parts",
        "B" => row.name != "A4_with_long_B",
        "C" => {
            matches!(text("pattern"), "fill->compute" | "copy->fill")
                || text("variant") == "right_x2"
        }
        "D" => matches!(
            row.name.as_str(),
            "draw_then_copy_image" | "compute_write_frag_sample" | "draw_dispatch_alternate"
        ),
        "E" => row.name == "roundtrip_same_queue_gap" || text("mode") == "K submits one call",
        "P" | "Q" | "W2" => true,
        "V" => place.is_multiple_of(2),
        // Groups of these sizes, and of one size of groupshared memory.
        "W" => matches!(number("local_size"), 64 | 512) || number("shared_bytes") == 11264,
        _ => false,
    }
}
