//! Cargo does not notice new files by itself, and each migration is one.

fn main() {
    for store in ["mysql", "postgres", "sqlite"] {
        println!("cargo::rerun-if-changed=src/{store}/migrations");
    }
}
