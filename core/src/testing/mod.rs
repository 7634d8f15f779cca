//! The contracts as tests: [`store`] for who writes a store, [`http`] for who writes an adapter.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a check that can't go on has found a fault, and panics to say so"
)]

pub mod http;
pub mod store;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// Holds the list of names in a kit's macro, after the line that `opens` it, to the checks in
    /// the files beside it: a check that is not listed is one that nobody runs.
    fn compare(kit: &str, opens: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("src/testing")
            .join(kit);
        let files = fs::read_dir(&folder).unwrap();
        let sources: Vec<String> = files
            .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
            .collect();
        let mut written: Vec<&str> = sources
            .iter()
            .flat_map(|source| source.lines())
            .filter_map(|line| line.strip_prefix("pub async fn ")?.split('(').next())
            .collect();
        let module = fs::read_to_string(folder.join("mod.rs")).unwrap();
        let mut named: Vec<&str> = module
            .lines()
            .skip_while(|line| !line.contains(opens))
            .skip(1)
            .take_while(|line| line.trim() != "}")
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        written.sort_unstable();
        named.sort_unstable();
        assert!(!written.is_empty());
        assert_eq!(written, named);
    }

    #[test]
    fn the_macros_name_every_check() {
        compare("store", "@each $fresh_store;");
        compare("http", "@each $path, $mount;");
    }
}
