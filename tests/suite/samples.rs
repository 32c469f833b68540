//! temp
use syncscope::finding::Source;
use syncscope::{scenario, graph, order::Timeline};

fn walk(dir: &std::path::Path, out: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let p = entry.unwrap().path();
        if p.is_dir() { walk(&p, out) } else if p.extension().is_some_and(|e| e == "scn") { out.push(p) }
    }
}

#[test]
fn try_all() {
    let mut files = vec![];
    for d in ["/work/shared/samples", "scenarios/tour"] { walk(std::path::Path::new(d), &mut files); }
    files.sort();
    for f in files {
        let text = std::fs::read_to_string(&f).unwrap();
        let source = Source::new(f.display().to_string(), text);
        let (sc, findings) = scenario::parse(&source);
        for x in &findings { println!("{}:{}: {} {} {:?}", source.name, source.line(x.span.start), x.rule.id, x.message, x.help); }
        let tl = Timeline::new(&sc);
        let ev = graph::evaluate(&tl, syncscope::order::LayoutTracker::declared, graph::Options::default());
        let mut got: Vec<(u32,String)> = ev.conflicts.iter().map(|c| {
            let span = match (c.second.part, tl.command(c.second.node)) { (graph::Part::Use(i), Some(cmd)) => cmd.uses[i as usize].span, (graph::Part::Entry(i), Some(cmd)) => match &cmd.kind { scenario::CommandKind::Barrier(b) => b[i as usize].span, _ => cmd.span }, _ => tl.span(c.second.node) };
            (source.line(span.start), format!("{:?}", c.kind)) }).collect();
        got.extend(tl.fence_problems.iter().map(|p| (source.line(p.span.start), format!("{:?}", p.kind))));
        got.sort();
        println!("{} got {:?} want {:?}", f.display(), got, sc.expectations.iter().map(|e| (e.line, e.ids.clone())).collect::<Vec<_>>());
    }
}
