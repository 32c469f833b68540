//! The text of a scene with its barriers placed: its author's, but for the barriers.

use super::on;
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::place::Policy;
use syncscope::run::Options;

/// A label is no expectation, comments stay with their commands, and a second run changes nothing.
#[test]
fn nothing_but_barriers_is_changed() {
    let text = "queue q : direct
texture t : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; initial UNDEFINED }
buffer b : 4KiB { flags UNORDERED_ACCESS }
list l : direct {
  // Pass 1: mine
  draw \"first //~ HZ104\" { RENDER_TARGET t }
  // Pass 2: mine, too
  dispatch \"x\" 1x1x1 { UNORDERED_ACCESS b }
  // Pass 3
  dispatch \"y\" 1x1x1 { UNORDERED_ACCESS b; SHADER_RESOURCE t }
}
timeline { q execute l }
";
    let registry = catalog::registry();
    let place = |text: &str| {
        let source = Source::new("mine.scn", text);
        let placed = on(&source, "", Policy::Search, &registry, &Options::default());
        let placed = placed.expect("it can be placed");
        assert!(placed.left.is_empty(), "{:?}", placed.left);
        placed.source.text
    };
    let once = place(text);
    for line in text.lines() {
        assert!(
            once.lines().any(|it| it == line),
            "`{line}` is gone:\n{once}"
        );
    }
    assert_eq!(place(&once), once);
}

/// Lists on one line keep their line as far as it goes.
#[test]
fn what_shares_its_line_stays() {
    let text = "queue q : direct
buffer b : 4KiB { flags UNORDERED_ACCESS }
list l : direct { dispatch \"x\" 1x1x1 { UNORDERED_ACCESS b }; dispatch \"y\" 1x1x1 { UNORDERED_ACCESS b } } // two
list m : direct { barrier { global { sync ALL -> ALL; access COMMON -> COMMON } }; dispatch \"z\" 1x1x1 { SHADER_RESOURCE b } }
timeline { q execute l; q execute m } // all
";
    let registry = catalog::registry();
    let source = Source::new("mine.scn", text);
    let placed = on(&source, "", Policy::Search, &registry, &Options::default());
    let placed = placed.expect("it can be placed");
    let call = "barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS } }";
    let expected = format!(
        "queue q : direct
buffer b : 4KiB {{ flags UNORDERED_ACCESS }}
list l : direct {{ dispatch \"x\" 1x1x1 {{ UNORDERED_ACCESS b }};
  // needed: dispatch \"x\" before dispatch \"y\"
  {call}
  dispatch \"y\" 1x1x1 {{ UNORDERED_ACCESS b }} }} // two
list m : direct {{ dispatch \"z\" 1x1x1 {{ SHADER_RESOURCE b }} }}
timeline {{ q execute l; q execute m }} // all
"
    );
    assert_eq!(placed.source.text, expected);
}

/// Nobody knows what a list is for that nothing executes.
#[test]
fn lists_that_nothing_executes_stay() {
    let text = "texture t : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET }
queue q : direct
list never : direct {
  barrier { texture t { sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout COMMON -> RENDER_TARGET } }
  clear-rtv t
  barrier { texture t { sync RENDER_TARGET -> COMPUTE_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
  dispatch 1x1x1 { SHADER_RESOURCE t }
}
timeline { }
";
    let source = Source::new("never.scn", text);
    let registry = catalog::registry();
    let placed = on(&source, "", Policy::Search, &registry, &Options::default());
    assert_eq!(placed.expect("nothing is to be done").source.text, text);
}
