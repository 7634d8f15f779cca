//! The kit's table of addresses, against the table of routes and the addresses that the service's own pages name.

use std::collections::BTreeSet;

use handbill::Handbill;
use handbill_testing::http::ADDRESSES;
use serde_json::json;

use crate::html::elements;

#[test]
fn the_table_has_every_route() {
    // For a visitor whom the host has signed in, and where the host names authors.
    let others = BTreeSet::from(["/p/{id}/edit", "/by/{slug}"]);
    let routes: BTreeSet<_> = Handbill::endpoints().map(|one| one.pattern).collect();
    let known: BTreeSet<_> = ADDRESSES.iter().map(|address| address.path).collect();
    assert_eq!(known, routes.difference(&others).copied().collect());
}

#[tokio::test]
async fn the_table_has_every_address_that_a_page_leads_to() {
    let app = crate::app().await;
    let fields = json!({ "title": "T", "body": "x", "tags": "a" });
    let post = app.create(&fields).await;
    let known: BTreeSet<_> = ADDRESSES.iter().map(|address| address.path).collect();
    let mut named = BTreeSet::new();
    for path in app.paths(&post, |address| address.kind.is_page()).await {
        let page = app.get(&path).await;
        for element in elements(page.text()) {
            let leads = ["href", "src", "action", "content"]
                .into_iter()
                .filter_map(|name| element.attribute(name));
            for address in leads.filter(|address| !address.starts_with("//")) {
                let path = address.strip_prefix(&app.base()).unwrap_or(address);
                let Some(path) = path.split(['?', '#']).next() else {
                    continue;
                };
                if path.starts_with("/assets/") {
                    named.insert("/assets/{name}".to_owned());
                } else if path.starts_with('/') {
                    let path = path.replace(&post.id, "{id}");
                    named.insert(path.replace(&post.token, "{edit_token}"));
                }
            }
        }
    }
    let missing: Vec<_> = named
        .iter()
        .filter(|path| !known.contains(path.as_str()))
        .collect();
    assert!(missing.is_empty(), "not in the table: {missing:?}");
    // Otherwise nothing would be proved.
    assert!(named.len() > 12, "{named:?}");
}
