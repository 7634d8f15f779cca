//! The settings in `docs/operating.md`.

const PAGE: &str = include_str!("../../../docs/operating.md");

/// The block of this proxy that is named so, such as `nginx` and `path`.
pub(crate) fn block(proxy: &str, name: &str) -> String {
    let opening = format!("```{proxy} {name}\n");
    let (_, rest) = PAGE.split_once(&opening).expect(&opening);
    let (block, _) = rest.split_once("```").expect("it ends");
    block.to_owned()
}

/// What the table of Unix sockets says of this proxy: the path of the socket, and its address for the proxy.
pub(crate) fn unix_socket(proxy: &str) -> (&'static str, &'static str) {
    let (_, table) = PAGE.split_once("| path of the socket |").expect("a table");
    let mut rows = table.lines();
    let row = rows.find(|row| row.to_lowercase().starts_with(&format!("| {proxy} ")));
    let mut words = row.expect(proxy).split('`').skip(1).step_by(2);
    let (_group, path, address) = (words.next(), words.next(), words.next());
    (path.expect("a path"), address.expect("an address"))
}

/// Replaces what must be there.
pub(crate) fn replace(text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "{old} is not in\n{text}");
    text.replace(old, new)
}
