//! Each target holds on its stored corpus.

use std::fs;
use std::path::Path;

use handbill_fuzz::TARGETS;

#[test]
fn all_targets_hold_on_the_stored_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for (name, target) in TARGETS {
        let inputs = fs::read_dir(corpus.join(name)).expect("a corpus");
        let mut number = 0;
        for input in inputs {
            target(&fs::read(input.expect("an entry").path()).expect("an input"));
            number += 1;
        }
        assert!(number > 0, "{name} has an empty corpus");
    }
}
