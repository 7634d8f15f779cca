//! Cargo notices a new migration, which is a new file, only if it is told where to look.

fn main() {
    for store in ["postgres", "sqlite"] {
        println!("cargo::rerun-if-changed=src/{store}/migrations");
    }
}
