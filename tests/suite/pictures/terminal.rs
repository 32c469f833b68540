//! What a terminal shows, column by column.

use super::{THREE, draw_barrier_draw, drawing};

/// A line of the timeline: its name and its signs.
fn rows(text: &str) -> Vec<(String, Vec<char>)> {
    let axis = text.lines().position(|line| line.contains('└'));
    let lines: Vec<&str> = text.lines().collect();
    let axis = axis.expect("an axis");
    let first = lines[..axis]
        .iter()
        .rposition(|line| line.is_empty())
        .map_or(0, |at| at + 1);
    let margin = lines[axis]
        .chars()
        .position(|sign| sign == '└')
        .expect("a margin");
    let row = |line: &&str| {
        let signs: Vec<char> = line.chars().collect();
        let name: String = signs.iter().take(margin).collect();
        (
            name.trim().to_owned(),
            signs.get(margin..).unwrap_or_default().to_vec(),
        )
    };
    lines[first..axis].iter().map(row).collect()
}

/// The columns of the block with a name.
fn block(rows: &[(String, Vec<char>)], name: &str) -> (usize, usize) {
    for (_, signs) in rows {
        let line: String = signs.iter().collect();
        let Some(at) = line.find(&format!("┣{name}")) else {
            continue;
        };
        let start = line[..at].chars().count();
        let end = signs[start..]
            .iter()
            .position(|sign| *sign == '┫')
            .expect("an end");
        return (start, start + end);
    }
    panic!("{name} is drawn: {rows:?}");
}

#[test]
fn draw_barrier_draw_is_what_a_terminal_shows_from_left_to_right() {
    for (scene, ids) in draw_barrier_draw() {
        let drawing = drawing(&scene);
        let rows = rows(&drawing.text);
        let label = |id: &str| {
            let all = drawing.json["commands"].as_array().expect("a list");
            let own = all.iter().find(|row| row["id"] == id).expect("a command");
            let label = own["label"].as_str().expect("a label");
            label.split('"').nth(1).unwrap_or(label).to_owned()
        };
        let (first, third) = (block(&rows, &label(ids[0])), block(&rows, &label(ids[2])));
        let barriers = rows
            .iter()
            .find(|(name, _)| name == "barriers")
            .expect("a row");
        let operates = barriers.1.iter().rposition(|sign| *sign == '▓');
        let operates = operates.unwrap_or_else(|| {
            barriers
                .1
                .iter()
                .rposition(|s| *s == '░')
                .expect("it drains")
        });
        assert!(
            first.1 <= operates && operates <= third.0,
            "{}",
            drawing.text
        );
        let held = rows.iter().any(|(_, signs)| signs.contains(&'╱'));
        assert!(held, "{}", drawing.text);
        assert!(
            drawing.text.contains(&format!("held by {}", ids[3])),
            "{}",
            drawing.text
        );
    }
}

#[test]
fn a_deadlock_of_three_queues_is_drawn() {
    let drawing = drawing(THREE);
    let rows = rows(&drawing.text);
    for wait in drawing.json["stuck"].as_array().expect("a list") {
        let queue = wait["queue"].as_str().expect("a queue");
        let (_, signs) = rows.iter().find(|(name, _)| name == queue).expect("a row");
        assert_eq!(signs.last(), Some(&'▶'), "{}", drawing.text);
        let line: String = signs.iter().collect();
        let says = wait["says"].as_str().expect("words");
        assert!(line.contains(&says[..20]), "{}", drawing.text);
    }
    assert!(
        drawing.text.contains("never ends: a#1 → b#1 → c#1 → a#1"),
        "{}",
        drawing.text
    );
}

/// Forty dispatches in flight, among them the two of a hazard, the shortest of all.
#[test]
fn the_commands_of_a_finding_are_drawn_and_named_among_forty() {
    let mut text =
        String::from("queue gfx : direct\nbuffer shared : 4KiB { flags UNORDERED_ACCESS }\n");
    for i in 0..40 {
        let line = format!("buffer b{i} : 4KiB {{ flags UNORDERED_ACCESS }}\n");
        text += &line;
    }
    text += "timeline { gfx execute {\n";
    for i in 0..40 {
        let line = format!(
            "  dispatch \"number {i}\" 1x1x1 takes {}us {{ UNORDERED_ACCESS b{i} }}\n",
            100 + i
        );
        text += &line;
        if i % 20 == 10 {
            let line = format!(
                "  dispatch \"guilty {i}\" 1x1x1 takes 1us {{ UNORDERED_ACCESS shared }}\n"
            );
            text += &line;
        }
    }
    text += "} }\n";
    let drawing = drawing(&text);
    for name in ["guilty 10", "guilty 30"] {
        let keys = drawing.text.lines().skip_while(|line| !line.contains('└'));
        let is_named = keys.filter(|line| line.contains(name)).count() > 0;
        assert!(is_named, "{name}\n{}", drawing.text);
    }
    let rows = rows(&drawing.text);
    let marks: Vec<String> = rows
        .iter()
        .filter(|(name, _)| name == "hazards")
        .map(|(_, s)| s.iter().collect())
        .collect();
    assert!(
        marks.iter().any(|row| row.contains("A1")) && marks.iter().any(|row| row.contains("A2")),
        "{}",
        drawing.text
    );
}

#[test]
fn barriers_are_listed_with_what_they_take_of_the_critical_path() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/scenarios/tour/deferred_frame.scn"
    );
    let drawing = drawing(&std::fs::read_to_string(path).expect("a scene"));
    let lines: Vec<&str> = drawing.text.lines().collect();
    let head = lines
        .iter()
        .position(|line| line.starts_with("id "))
        .expect("a table");
    assert!(lines[head].contains(" critical "), "{}", lines[head]);
    let order = "in order of what each takes of the critical path";
    assert!(
        lines[head..].iter().any(|line| line.contains(order)),
        "{}",
        drawing.text
    );
}
