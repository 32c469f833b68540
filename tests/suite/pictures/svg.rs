//! Drawings, element by element.

use super::{Drawing, THREE, draw_barrier_draw, drawing, each_random, list, span};

/// A rectangle: its class, edges, and what it says.
struct Rect {
    class: String,
    left: f64,
    right: f64,
    says: String,
}

fn rects(svg: &str) -> Vec<Rect> {
    let elements = svg.split("<rect ").skip(1);
    let rect = |element: &str| {
        let of = |name: &str| {
            let (_, rest) = element.split_once(&format!("{name}=\""))?;
            Some(rest.split_once('"')?.0.to_owned())
        };
        let number = |name: &str| of(name)?.parse::<f64>().ok();
        let (_, says) = element.split_once("<title>")?;
        Some(Rect {
            class: of("class")?,
            left: number("x")?,
            right: number("x")? + number("width")?,
            says: says.split_once("</title>")?.0.to_owned(),
        })
    };
    elements.filter_map(rect).collect()
}

/// The rectangles of a command or barrier.
fn of<'r>(rects: &'r [Rect], id: &str) -> impl Iterator<Item = &'r Rect> {
    let sign = format!("({id}, line ");
    rects.iter().filter(move |rect| rect.says.contains(&sign))
}

/// Where a time is in a drawing of a run that lasts so long.
fn x(ps: u64, until: u64) -> f64 {
    204.0 + ps as f64 / until as f64 * (1280.0 - 204.0 - 24.0)
}

#[test]
fn what_waits_is_no_solid_bar_in_a_drawing() {
    let mut waits = 0;
    each_random(|run| {
        let rects = rects(&run.svg);
        let until = run.json["makespan_ps"].as_u64().expect("a time");
        for row in list(run, "commands") {
            let id = row["id"].as_str().expect("an id");
            let solid: Vec<&Rect> = of(&rects, id).filter(|rect| rect.class == "work").collect();
            for wait in row["waits"].as_array().expect("a list") {
                let (from, to) = (x(span(wait).0, until), x(span(wait).1, until));
                if to - from < 2.0 || of(&rects, id).next().is_none() {
                    continue;
                }
                waits += 1;
                let is_over = |rect: &&&Rect| rect.left < to - 0.6 && rect.right > from + 0.6;
                let over: Vec<&str> = solid.iter().filter(is_over).map(|r| &*r.says).collect();
                assert!(
                    over.is_empty(),
                    "{id} waits in {wait}: {over:?}\n{}",
                    run.text
                );
                let by = wait["by"].as_str().unwrap_or("turn");
                let is_told = of(&rects, id).any(|rect| {
                    (rect.left - from).abs() < 0.2
                        && (rect.right - to).abs() < 0.2
                        && rect.says.contains(by)
                });
                assert!(
                    is_told,
                    "{id}: {wait} is drawn and says who holds it\n{}",
                    run.text
                );
            }
        }
    });
    assert!(waits > 20, "{waits} waits");
}

#[test]
fn draw_barrier_draw_is_what_a_drawing_shows_from_left_to_right() {
    for (scene, [first, second, third, _]) in draw_barrier_draw() {
        let drawing = drawing(&scene);
        let rects = rects(&drawing.svg);
        let edge = |id: &str, classes: &[&str]| {
            let own = of(&rects, id).filter(|rect| classes.contains(&&*rect.class));
            let edges: Vec<(f64, f64)> = own.map(|rect| (rect.left, rect.right)).collect();
            assert!(
                !edges.is_empty(),
                "{}: {id} is drawn as {classes:?}",
                drawing.name
            );
            edges
        };
        let end = |edges: &[(f64, f64)]| edges.iter().map(|(_, right)| *right).fold(0.0, f64::max);
        let work = edge(first, &["work"]);
        let operates = end(&edge(
            second,
            &["drain", "other", "clean", "layout", "invalidate"],
        ));
        // The last part in which the second draw works; before it there is a vertex stage that nothing holds.
        let last = edge(third, &["work"])
            .iter()
            .map(|(left, _)| *left)
            .fold(0.0, f64::max);
        assert!(end(&work) <= operates + 0.2, "{}", drawing.name);
        assert!(operates <= last + 0.2, "{}", drawing.name);
        assert!(
            of(&rects, third).any(|rect| rect.class == "held"),
            "{}",
            drawing.name
        );
    }
}

fn crowd(count: u32) -> Drawing {
    let mut text = String::from("queue gfx : direct\n");
    for i in 0..count {
        let line = format!("buffer b{i} : 4KiB {{ flags UNORDERED_ACCESS }}\n");
        text += &line;
    }
    text += "timeline { gfx execute {\n";
    for i in 0..count {
        // The last is the longest.
        let line = format!(
            "  dispatch \"d{i}\" 1x1x1 takes {}us {{ UNORDERED_ACCESS b{i} }}\n",
            100 + i * 20
        );
        text += &line;
    }
    text += "} }\n";
    drawing(&text)
}

#[test]
fn twelve_commands_in_flight_are_all_drawn_and_beyond_that_the_shortest_are_not() {
    for (count, missing) in [(12, 0), (15, 3)] {
        let drawing = crowd(count);
        let rects = rects(&drawing.svg);
        for (index, row) in drawing.json["commands"]
            .as_array()
            .expect("a list")
            .iter()
            .enumerate()
        {
            let is_drawn =
                of(&rects, row["id"].as_str().expect("an id")).any(|rect| rect.class == "work");
            assert_eq!(is_drawn, index >= missing, "{row}");
        }
    }
}

/// Where the line from a badge ends: a letter and number, and a place.
fn badges(svg: &str) -> Vec<(String, f64)> {
    let mut all = Vec::new();
    let mut place = 0.0;
    for line in svg.lines() {
        if line.contains("class=\"lead\"") {
            let (_, rest) = line.split_once('L').expect("a line");
            place = rest
                .split(' ')
                .next()
                .expect("a place")
                .parse()
                .expect("a number");
        }
        if line.contains("class=\"bad mid\"") {
            let (_, rest) = line.split_once('>').expect("a text");
            all.push((rest.split('<').next().expect("words").to_owned(), place));
        }
    }
    all
}

#[test]
fn badges_of_hazards_are_at_their_moments() {
    for rule in ["HZ101", "HZ102", "HZ103", "HZ110", "HZ201"] {
        let path = format!(
            "{}/scenarios/rules/{rule}/fires.scn",
            env!("CARGO_MANIFEST_DIR")
        );
        let drawing = drawing(&std::fs::read_to_string(path).expect("a scene"));
        let until = drawing.json["makespan_ps"].as_u64().expect("a time");
        let badges = badges(&drawing.svg);
        let met = drawing.json["meetings"].as_array().expect("a list");
        assert!(!met.is_empty(), "{rule}");
        for (met, letter) in met.iter().zip('A'..) {
            for (side, number) in [("first_ps", 1), ("second_ps", 2)] {
                let at = met[side].as_u64().expect("it ran");
                let name = format!("{letter}{number}");
                let badge = badges.iter().find(|(badge, _)| *badge == name);
                let (_, place) = badge.expect("a badge");
                assert!((place - x(at, until)).abs() < 0.2, "{rule}: {name}");
            }
            if rule == "HZ110" {
                let is_one = met["first_ps"] == met["second_ps"];
                assert!(is_one, "one command: nothing goes back");
            }
        }
    }
}

#[test]
fn what_never_ends_is_drawn_to_the_right_edge() {
    let drawing = drawing(THREE);
    let rects = rects(&drawing.svg);
    let stuck = drawing.json["stuck"].as_array().expect("a list");
    assert_eq!(stuck.len(), 3);
    for wait in stuck {
        let id = wait["id"].as_str().expect("an id");
        let open = of(&rects, id)
            .find(|rect| rect.class == "never")
            .expect("a bar");
        assert!((open.right - 1256.0).abs() < 0.2, "{id}");
        assert!(
            open.says
                .contains(&wait["says"].as_str().expect("words").replace(">=", "&gt;=")),
            "{}",
            open.says
        );
    }
    assert_eq!(
        drawing.svg.matches("class=\"keeps\"").count(),
        4,
        "an arrow for each, and one in the legend"
    );
    assert!(
        drawing.svg.contains(">1 us<") || drawing.svg.contains(">500 ns<"),
        "an axis with a length"
    );
}
