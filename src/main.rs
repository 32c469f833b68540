//! tmp
use syncscope::*;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let lowering = std::env::args().nth(2);
    let source = finding::Source::new(path.clone(), std::fs::read_to_string(&path).unwrap());
    let reg = catalog::registry();
    let t = std::time::Instant::now();
    match run::run(&source, &reg, &run::Options { lowering, ..Default::default() }) {
        Ok(r) => { eprintln!("{:?}", t.elapsed()); for x in &r.timings { eprintln!("{} {:.6} {}", x.phase, x.seconds, x.items); }
          for c in &r.commands { for o in &c.observations { println!("{} {} {:?}", c.id, c.label, o); } }
          let style = report::Style { color: false, ..Default::default() };
          (catalog::FORMATS[0].write)(&r, &source, &style, &mut std::io::stdout()).unwrap(); }
        Err(e) => println!("{e:?}"),
    }
}
