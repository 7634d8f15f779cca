//! Searches: what they find, in which lists, and what pages show of it.

use async_trait::async_trait;
use form_urlencoded::Serializer;
use handbill::MemoryStore;
use handbill::store::{
    Decorated, Decorator, PageRequest, PostList, SearchIndex, Store, StoreError,
};
use serde_json::{Value, json};

use super::lists::links;
use super::markup::{Tag, field, meta, tags};
use super::navigation::links_in_main;
use super::posts_pages::related;
use super::{App, Mount, TestResponse};

/// The query of a search.
fn q(words: &str) -> String {
    let mut query = Serializer::new(String::new());
    query.append_pair("q", words).finish()
}

fn titles(list: &Value) -> Vec<&str> {
    let posts = list["posts"].as_array().unwrap().iter();
    posts.map(|post| post["title"].as_str().unwrap()).collect()
}

/// Checks which posts a search of the API finds, by their titles.
#[track_caller]
fn expect_found(list: &TestResponse, words: &str, expected: &[&str]) {
    let found = list.ok();
    assert_eq!(titles(&found), expected, "{list}: found by {words:?}");
    assert_eq!(found["total"], expected.len(), "{list}: total of {words:?}");
}

/// The form for searches on a page, with the names and values of its fields.
fn search_form(page: &TestResponse) -> Option<Vec<(String, String)>> {
    let tags = tags(page);
    let form = tags
        .iter()
        .position(|tag| tag.attribute("role") == Some("search"))?;
    let inputs: Vec<&Tag> = tags[form..]
        .iter()
        .take_while(|tag| tag.name != "button")
        .filter(|tag| tag.name == "input")
        .collect();
    let is_labelled = |id| tags.iter().any(|tag| tag.attribute("for") == Some(id));
    let search = inputs.iter().find(|tag| tag.attribute("name") == Some("q"));
    let search = search.unwrap_or_else(|| panic!("{page}: the form has no field"));
    assert_eq!(search.attribute("type"), Some("search"), "{page}: its type");
    let id = search.attribute("id").unwrap_or_default();
    assert!(is_labelled(id), "{page}: its label");
    let value = |tag: &Tag, name| tag.attribute(name).unwrap_or_default().to_owned();
    let fields = inputs
        .iter()
        .map(|tag| (value(tag, "name"), value(tag, "value")));
    Some(fields.collect())
}

/// A search finds the posts that have all of its words in their texts, however these are written, the latest first. It
/// follows each change.
pub async fn a_search_finds_the_posts_that_have_all_of_its_words(mount: &Mount) {
    let app = App::new(mount).await;
    let mut posts = Vec::new();
    for fields in [
        json!({ "title": "One", "body": "A *café* by the river.", "tags": "news" }),
        json!({ "title": "Two", "body": "The Cafe\u{301}\n\n`code`", "author": "Ann", "focus_keyword": "bookshop" }),
        json!({ "title": "Three", "body": "今日は東京都にいます。![a picture](x.png)" }),
        json!({ "title": "Four", "body": "Мой ёж, [a link](https://hidden.example/river)" }),
    ] {
        posts.push(app.create(&fields).await);
    }
    for (words, expected) in [
        ("cafe", &["Two", "One"][..]),
        ("CAFÉ, River!", &["One"]),
        ("cafe one", &["One"]),
        ("boo", &["Two"]),
        ("shop", &[]),
        ("ann CODE", &["Two"]),
        ("news", &["One"]),
        ("東京", &["Three"]),
        ("京東", &[]),
        ("picture", &["Three"]),
        ("МОЙ еж", &["Four"]),
        ("hidden", &[]),
        ("cafe absent", &[]),
    ] {
        let list = app.get(&format!("/api/posts?{}", q(words))).await;
        expect_found(&list, words, expected);
    }
    app.update(&posts[0], &json!({ "body": "Another text." }))
        .await;
    app.delete(&posts[1]).await.expect_status(204);
    for (words, expected) in [("cafe", &[][..]), ("another", &["One"]), ("bookshop", &[])] {
        let list = app.get(&format!("/api/posts?{}", q(words))).await;
        expect_found(&list, words, expected);
    }
}

/// Nothing in a search is an operator. A search without a word finds nothing, and a blank one counts as absent.
pub async fn nothing_in_a_search_is_an_operator(mount: &Mount) {
    let app = App::new(mount).await;
    let body = "or near x c snake_case it's needle";
    app.create(&json!({ "title": "T", "body": body })).await;
    app.create(&json!({ "title": "U", "body": "100 other" }))
        .await;
    for words in [
        "OR",
        "NEAR(",
        "x*",
        "-x",
        "\"x\"",
        "x:",
        "x OR c",
        "(c",
        "c\0x",
        "it's",
        "'x",
        "snake_case",
        "nee*",
        "%c",
        "needle; --",
        "ne\u{AD}edle",
        "\u{202E}needle\u{2066}",
    ] {
        let list = app.get(&format!("/api/posts?{}", q(words))).await;
        expect_found(&list, words, &["T"]);
        app.get(&format!("/?{}", q(words))).await.expect_status(200);
    }
    let long = "%".repeat(200);
    for words in [
        "NOT x",
        "x OR other",
        "\0",
        "\"",
        "'",
        "*",
        "%",
        "_",
        ":",
        "-",
        "(",
        "?!",
        "\u{200B}",
        "\u{202E}",
        &long,
    ] {
        let list = app.get(&format!("/api/posts?{}", q(words))).await;
        expect_found(&list, words, &[]);
        app.get(&format!("/?{}", q(words))).await.expect_status(200);
    }
    for blank in ["", " ", "\t\u{3000}"] {
        let list = app.get(&format!("/api/posts?{}", q(blank))).await;
        expect_found(&list, blank, &["U", "T"]);
    }
}

/// A search has at most 200 characters and 16 words. A browser gets the form back, with what was typed.
pub async fn a_search_has_at_most_200_characters_and_16_words(mount: &Mount) {
    let app = App::new(mount).await;
    app.create(&json!({ "title": "T", "body": "a" })).await;
    for (words, found) in [("a ".repeat(16), 1), ("é".repeat(200), 0)] {
        let list = app.get(&format!("/api/posts?{}", q(&words))).await;
        assert_eq!(list.ok()["total"], found, "{list}");
    }
    let (words, characters) = ("a ".repeat(17), "é".repeat(201));
    for query in [
        q(&words),
        q(&characters),
        "q=a&q=a".to_owned(),
        "q=%FF".to_owned(),
    ] {
        for path in ["/api/posts", "/"] {
            let refused = app.get(&format!("{path}?{query}")).await;
            let problem = refused.problem("invalid_parameter");
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.starts_with("q "), "{refused}: {detail}");
        }
    }
    let page = app
        .get(&format!("/?{}", q(&words)))
        .header("accept", "text/html");
    let page = page.await;
    page.expect_status(400);
    assert_eq!(field(&page, "q"), words.trim(), "{page}: what was typed");
}

/// A search goes with the other parameters of a list, which its links keep.
pub async fn a_search_goes_with_the_other_parameters_of_a_list(mount: &Mount) {
    let app = App::new(mount).await;
    for number in 0..5 {
        let tag = if number % 2 == 0 { "even" } else { "odd" };
        let fields = json!({ "title": number.to_string(), "body": "Äpfel & more", "tags": tag });
        app.create(&fields).await;
    }
    app.create(&json!({ "title": "other", "body": "pears" }))
        .await;
    let words = q("äpfel &");
    for (more, expected) in [
        ("&per_page=2", &["4", "3"][..]),
        ("&per_page=2&page=2", &["2", "1"]),
        ("&per_page=2&page=3", &["0"]),
        ("&per_page=2&page=4", &[]),
        ("&from=2000-01-01T00:00:00Z", &["4", "3", "2", "1", "0"]),
    ] {
        let list = app.get(&format!("/api/posts?{words}{more}")).await;
        let found = list.ok();
        assert_eq!(titles(&found), expected, "{list}");
        assert_eq!(found["total"], 5, "{list}");
        assert_eq!(found.get("incomplete"), None, "{list}");
        list.expect_header("cache-control", "public, no-cache");
        let known = app.get(&format!("/api/posts?{words}{more}"));
        let known = known.header("if-none-match", list.etag()).await;
        known.expect_status(304);
        for (relation, path) in links(&app, &list) {
            let other = app.get(&path).await;
            assert_eq!(other.ok()["total"], 5, "{other}: `{relation}` of {more}");
        }
    }
    for (more, expected) in [
        ("&tag=Even", &["4", "2", "0"][..]),
        ("&tag=even&per_page=1&page=2", &["2"]),
        ("&before=2000-01-01T00:00:00Z", &[]),
        ("&from=2200-01-01T00:00:00Z", &[]),
    ] {
        let list = app.get(&format!("/api/posts?{words}{more}")).await;
        assert_eq!(titles(&list.ok()), expected, "{list}");
    }
    let list = app.get(&format!("/api/posts?{words}&include=body")).await;
    assert_eq!(list.ok()["posts"][0]["body"], "Äpfel & more", "{list}");
    let head = app.call("HEAD", &format!("/api/posts?{words}")).await;
    head.expect_status(200);
}

/// Drafts and unlisted posts are found by requests with a key of their owner alone. They count in no total of others.
pub async fn hidden_posts_are_found_by_their_owner_alone(mount: &Mount) {
    let app = App::new(mount).await;
    for visibility in ["public", "unlisted", "draft"] {
        let fields = json!({ "title": visibility, "body": "secret", "visibility": visibility });
        app.create(&fields).await;
    }
    let list = app.get(&format!("/api/posts?{}", q("secret"))).await;
    expect_found(&list, "secret", &["public"]);
    let page = app.get(&format!("/?{}", q("secret"))).await;
    page.expect_text("One post").expect_no_text(">unlisted<");
    let path = format!("/api/keys/current/posts?{}", q("secret"));
    let own = app.get(&path).header("x-api-key", &*app.key).await;
    expect_found(&own, "secret", &["draft", "unlisted", "public"]);
    own.expect_header("cache-control", "private, no-store");
    let other = app.with_another_key().await;
    let others = other.get(&path).header("x-api-key", &*other.key).await;
    expect_found(&others, "secret", &[]);
}

/// A store that may miss posts of a thousand or more.
struct Indexing(MemoryStore);

#[async_trait]
impl Decorator for Indexing {
    fn inner(&self) -> &dyn Store {
        &self.0
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        let is_search = page.search.is_some();
        let mut found = self.0.list_posts(page).await?;
        if is_search {
            found.total = 1_000;
        }
        Ok(found.with_incomplete(is_search))
    }
}

/// Until all posts are indexed, a search says that it is incomplete. A page says so, too, and that there may be more
/// posts than the latest thousand.
pub async fn a_search_says_what_it_may_have_missed(mount: &Mount) {
    let app = App::over(mount, Decorated(Indexing(MemoryStore::new()))).await;
    app.create(&json!({ "title": "T", "body": "x" })).await;
    let list = app.get("/api/posts?q=x").await;
    assert_eq!(list.ok()["incomplete"], true, "{list}");
    let list = app.get("/api/posts").await;
    assert_eq!(list.ok().get("incomplete"), None, "{list}");
    let page = app.get("/?q=x").await;
    page.expect_text("still being indexed")
        .expect_text("latest 1,000");
}

/// `/?q=` shows the posts that a search finds, with what matches, and is not indexed.
pub async fn a_page_of_results_shows_what_matches(mount: &Mount) {
    let app = App::new(mount).await;
    let hay = "Much hay, and no more than that. ".repeat(20);
    let body = format!("{hay}Then a Needle in it.\n\n{hay}");
    let post = app
        .create(&json!({ "title": "By needle", "body": body, "tags": "needles" }))
        .await;
    app.create(&json!({ "title": "Other", "body": "x" })).await;
    let page = app.get(&format!("/?{}", q("NEEDLE"))).await;
    page.expect_status(200)
        .expect_header("x-robots-tag", "noindex")
        .expect_text("<title>Search: NEEDLE")
        .expect_text("By <mark>needle</mark>")
        .expect_text("Then a <mark>Needle</mark> in it.")
        .expect_text("<mark>needles</mark>")
        .expect_text("One post")
        .expect_no_text("Other");
    assert_eq!(meta(&page, "robots").as_deref(), Some("noindex"), "{page}");
    let to_post = format!("{}{}", app.mount.prefix(), post.page());
    let is_link = |link: &Tag| link.attribute("href") == Some(&to_post);
    assert!(links_in_main(&page).iter().any(is_link), "{page}");
    let form = search_form(&page);
    assert_eq!(
        form,
        Some(vec![("q".to_owned(), "NEEDLE".to_owned())]),
        "{page}"
    );
    let french = app.get(&format!("/?{}&lang=fr", q("needle"))).await;
    french.expect_text("lang=\"fr\"").expect_text("Recherche");
    let known = app
        .get(&format!("/?{}", q("NEEDLE")))
        .header("if-none-match", page.etag());
    known.await.expect_status(304);
}

/// A search that finds nothing leads on: to another search, to the same in all posts, and to what there is.
pub async fn a_search_without_results_leads_on(mount: &Mount) {
    let app = App::new(mount).await;
    app.create(&json!({ "title": "T", "body": "needle", "tags": "a" }))
        .await;
    for query in [
        "q=absent",
        "q=%3F%21",
        "q=needle&tag=b",
        "q=needle&month=2001-12",
        "q=needle&page=7",
    ] {
        let page = app.get(&format!("/?{query}")).await;
        page.expect_status(200);
        assert!(search_form(&page).is_some(), "{page}: another search");
        let links = links_in_main(&page);
        assert!(links.len() > 1, "{page}: links");
        let mut finds_needle = false;
        for link in &links {
            let target = app.follow(link.attribute("href").unwrap_or_default()).await;
            target.expect_status(200);
            finds_needle |= target.text().contains("<mark>needle</mark>");
        }
        assert_eq!(finds_needle, query.contains("needle"), "{page}");
    }
}

/// Lists, the page of the tags, and that of what is not found have a form for searches, which works without scripts. On
/// a list it searches the same posts.
pub async fn lists_and_what_is_not_found_offer_a_search(mount: &Mount) {
    let app = App::new(mount).await;
    app.create(&json!({ "title": "T", "body": "needle", "tags": "a b" }))
        .await;
    let gone = app.create_body("x").await;
    app.delete(&gone).await.expect_status(204);
    let gone = gone.page();
    for (path, kept) in [
        ("/", &[][..]),
        ("/tags", &[]),
        ("/nothing", &[]),
        (&gone, &[]),
        ("/?tag=a+b", &[("tag", "a b")]),
        ("/?month=2001-12", &[("month", "2001-12")]),
        ("/?lang=fr", &[("lang", "fr")]),
    ] {
        let page = app.get(path).header("accept", "text/html").await;
        let fields = search_form(&page).unwrap_or_else(|| panic!("{page}: it has no form"));
        let fields: Vec<_> = fields
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        assert_eq!(
            fields,
            [&[("q", "")][..], kept].concat(),
            "{page}: its fields"
        );
    }
    let is_form = |tag: &&Tag| tag.attribute("role") == Some("search");
    let page = app.get("/").await;
    let action = tags(&page)
        .iter()
        .find(is_form)
        .map(|form| form.attribute("action").unwrap().to_owned());
    let results = app
        .follow(&format!("{}?{}", action.unwrap(), q("needle")))
        .await;
    results.expect_text("<mark>needle</mark>");
}

/// Browsers find out by `/opensearch.xml` how to search here (OpenSearch 1.1).
pub async fn the_search_is_described_for_browsers(mount: &Mount) {
    let app = App::new(mount).await;
    let name = "Müller & Söhne, <Drucker> in Köln";
    let app = app.set(|service| service.with_name(name)).await;
    app.create(&json!({ "title": "T", "body": "needle" })).await;
    for path in ["/", "/tags", "/?q=needle"] {
        let page = app.get(path).await;
        let file = app.follow(&related(&page, "search")).await;
        file.expect_status(200)
            .expect_header("content-type", "application/opensearchdescription+xml")
            .expect_text("<Description>")
            .expect_text("Müller &amp; Söhne");
        let elements = tags(&file);
        let results = elements
            .iter()
            .find(|tag| tag.attribute("type") == Some("text/html"));
        let template = results
            .and_then(|url| url.attribute("template"))
            .unwrap_or_default();
        let results = app
            .follow(&template.replace("{searchTerms}", "needle"))
            .await;
        results.expect_text("<mark>needle</mark>");
        let short = file.text().split("<ShortName>").nth(1).unwrap_or_default();
        let short = short
            .split('<')
            .next()
            .unwrap_or_default()
            .replace("&amp;", "&");
        assert!((1..=16).contains(&short.chars().count()), "{file}: {short}");
    }
}

/// What is searched for, and what is found, is text.
pub async fn client_text_is_escaped_in_searches(mount: &Mount) {
    let app = App::new(mount).await;
    let hostile = "<script>alert(1)</script> \"x' needle";
    app.create(&json!({ "title": hostile, "body": format!("{hostile}\n\n`{hostile}`"), "author": hostile, "tags": [hostile.replace(',', "")] }))
        .await;
    for words in [
        "needle",
        "script alert",
        hostile,
        "\"><script>alert(1)</script>",
        "</script><script>alert(1)",
    ] {
        let page = app.get(&format!("/?{}", q(words))).await;
        page.expect_status(200).expect_text("<mark>");
        let is_ours = |tag: &Tag| !tag.name.starts_with("script") || tag.attribute("src").is_some();
        assert!(tags(&page).iter().all(is_ours), "{page}: a script");
        assert_eq!(field(&page, "q"), words, "{page}: what was typed");
    }
    let bidi = app
        .get(&format!("/?{}", q("needle\u{202E}\u{2066}x\0")))
        .await;
    for control in ["\u{202E}", "\u{2066}", "\0"] {
        bidi.expect_no_text(control);
    }
}

/// A store without an index.
struct NoIndex(MemoryStore);

impl Decorator for NoIndex {
    fn inner(&self) -> &dyn Store {
        &self.0
    }

    fn search_index(&self) -> Option<&dyn SearchIndex> {
        None
    }
}

/// Where the store has no index, a search is refused, and nothing offers one.
pub async fn a_store_without_an_index_has_no_search(mount: &Mount) {
    let app = App::over(mount, Decorated(NoIndex(MemoryStore::new()))).await;
    app.create(&json!({ "title": "T", "body": "x" })).await;
    let get = |path: &str| app.get(path).header("x-api-key", &*app.key);
    for path in ["/api/posts", "/api/keys/current/posts", "/"] {
        get(&format!("{path}?q=x"))
            .await
            .problem("search_not_available");
        get(&format!("{path}?q=+")).await.expect_status(200);
    }
    for path in ["/", "/tags", "/nothing"] {
        let page = app.get(path).header("accept", "text/html").await;
        page.expect_no_text("role=\"search\"")
            .expect_no_text("opensearch");
    }
    app.get("/opensearch.xml").await.problem("not_found");
    app.get("/openapi.json")
        .await
        .expect_no_text("\"name\":\"q\"");
    app.get("/docs/reference")
        .await
        .expect_no_text("<code>q</code>");
}
