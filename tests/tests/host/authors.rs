//! Authors that the host names: their pages, the links to them, and their posts in the API.

use std::sync::Mutex;

use handbill::host::{Author, AuthorKey};
use http::header::{ETAG, IF_NONE_MATCH, LINK, LOCATION};

use super::signed_in::{get_as, header, request, text};
use super::*;

/// What a host knows of its users, who may change.
#[derive(Clone, Default)]
struct Users(Arc<Mutex<Vec<Author>>>);

impl Users {
    /// Ada, who owns what `user:42` owns.
    fn with_ada() -> Self {
        let users = Self::default();
        users.set("ada", "Ada <Lovelace>");
        users
    }

    /// Replaces all users by one.
    fn set(&self, slug: &str, name: &str) {
        let author = Author::new(ada(), slug, name).unwrap();
        *self.0.lock().unwrap() = vec![author];
    }

    /// Finds her by her owner, and by each slug that she ever had.
    fn find(&self, key: &AuthorKey) -> Option<Author> {
        let users = self.0.lock().unwrap();
        let slugs = ["ada", "countess"].map(|slug| AuthorKey::Slug(slug.to_owned()));
        let is_ada = *key == AuthorKey::Owner(ada()) || slugs.contains(key);
        users.first().filter(|_| is_ada).cloned()
    }

    fn in_app(&self, handbill: Handbill) -> Handbill {
        let users = self.clone();
        handbill.with_authors(move |key| {
            let found = users.find(&key);
            async move { Ok(found) }
        })
    }
}

fn ada() -> Owner {
    "user:42".parse().unwrap()
}

async fn create(handbill: &Handbill, title: &str, owner: Owner) -> PostId {
    let draft = Draft::new().title(title).body("x").author("A. L.");
    let created = handbill.posts().create(draft.owner(owner)).await;
    created.unwrap().id
}

async fn hide(handbill: &Handbill, title: &str, visibility: Visibility) {
    let draft = Draft::new().title(title).body("x").visibility(visibility);
    handbill.posts().create(draft.owner(ada())).await.unwrap();
}

#[tokio::test]
async fn an_author_has_a_page_with_their_public_posts_alone() {
    let handbill = Users::with_ada().in_app(handbill());
    let first = create(&handbill, "First", ada()).await;
    create(&handbill, "Second", ada()).await;
    create(&handbill, "Stranger", "user:4".parse().unwrap()).await;
    hide(&handbill, "Draft", Visibility::Draft).await;
    hide(&handbill, "Unlisted", Visibility::Unlisted).await;

    let page = get_as(&handbill, "/by/ada", None).await;
    assert_eq!(page.status(), 200);
    for shown in [
        "<title>Ada &#60;Lovelace&#62; – ",
        "<h1><bdi>Ada &#60;Lovelace&#62;</bdi></h1>",
        "First",
        "Second",
        "rel=\"canonical\" href=\"https://example.org/blog/by/ada\"",
    ] {
        assert!(text(&page).contains(shown), "{shown}: {}", text(&page));
    }
    for hidden in ["Stranger", "Draft", "Unlisted", "user:42", "feed.atom"] {
        assert!(!text(&page).contains(hidden), "{hidden}");
    }
    let older = "href=\"/blog/by/ada?page=2&#38;per_page=1&#38;lang=fr\"";
    let page = get_as(&handbill, "/by/ada?per_page=1&lang=fr", None).await;
    assert!(text(&page).contains(older), "{}", text(&page));
    let page = get_as(&handbill, "/by/ada?per_page=1&page=2", None).await;
    assert!(text(&page).contains(first.as_str()) && !text(&page).contains("Second"));
    let page = get_as(&handbill, "/by/ada?tag=a,b&month=2020-01&q=x", None).await;
    assert!(text(&page).contains("First"), "it has no other parameters");
    for wrong in ["/by/bob", "/by/", "/by/a%64a", "/by/ada/", "/by"] {
        let page = get_as(&handbill, wrong, None).await;
        assert_eq!(page.status(), 404, "{wrong}");
    }
}

#[tokio::test]
async fn an_author_without_posts_has_a_page_that_says_so() {
    let handbill = Users::with_ada().in_app(handbill());
    for path in ["/by/ada", "/by/ada?page=7"] {
        let page = get_as(&handbill, path, None).await;
        assert_eq!(page.status(), 200, "{path}");
        assert!(text(&page).contains("nothing yet"), "{path}");
    }
}

/// Whoever knows all posts of a list, such as none, could otherwise find out the owner by trying.
#[tokio::test]
async fn the_entity_tag_of_a_list_does_not_depend_on_the_owner() {
    let mut tags = Vec::new();
    for owner in ["user:1", "user:2"] {
        let author = Author::new(owner.parse().unwrap(), "ada", "Ada").unwrap();
        let handbill = handbill().with_authors(move |_| {
            let author = author.clone();
            async move { Ok(Some(author)) }
        });
        for path in ["/by/ada", "/api/posts?by=ada"] {
            tags.push(header(&get_as(&handbill, path, None).await, ETAG).to_owned());
        }
    }
    assert_eq!(tags[..2], tags[2..]);
}

#[tokio::test]
async fn what_a_host_and_an_author_change_is_seen_at_once() {
    let users = Users::with_ada();
    let handbill = users.in_app(handbill());
    let post = create(&handbill, "First", ada()).await;
    let page = get_as(&handbill, "/by/ada", None).await;
    let current = header(&page, ETAG).to_owned();
    let again = request("GET", "/by/ada", None).header(IF_NONE_MATCH, &current);
    assert_eq!(status_of(&handbill, again).await, 304);

    users.set("ada", "Countess Lovelace");
    let again = request("GET", "/by/ada", None).header(IF_NONE_MATCH, &current);
    let again = send(&handbill, again.body(Full::default()).unwrap()).await;
    assert!(text(&again).contains("Countess"));
    handbill.posts().delete(post).await.unwrap();
    let page = get_as(&handbill, "/by/ada", None).await;
    assert!(!text(&page).contains("First"));
    users.set("countess", "Countess Lovelace");
    let led = get_as(&handbill, "/by/ada", None).await;
    assert_eq!(led.status(), 303);
    assert_eq!(header(&led, LOCATION), "/blog/by/countess");
    assert_eq!(get_as(&handbill, "/by/countess", None).await.status(), 200);
}

#[tokio::test]
async fn the_page_of_a_post_links_to_its_author() {
    let handbill = Users::with_ada().in_app(handbill());
    let hers = create(&handbill, "Hers", ada()).await;
    let other = create(&handbill, "Not hers", "user:4".parse().unwrap()).await;
    let page = get_as(&handbill, &format!("/p/{hers}?lang=fr"), None).await;
    let link = "<a rel=\"author\" href=\"/blog/by/ada?lang=fr\"><bdi lang=\"\">A. L.</bdi></a>";
    assert!(text(&page).contains(link), "{}", text(&page));
    let linked = "\"url\":\"https://example.org/blog/by/ada\"";
    assert!(text(&page).contains(linked), "{}", text(&page));
    let draft = Draft::new().body("x").owner(ada());
    let unsigned = handbill.posts().create(draft.clone()).await.unwrap().id;
    let draft = draft.author("A. L.").visibility(Visibility::Unlisted);
    let unlisted = handbill.posts().create(draft).await.unwrap().id;
    for without in [other, unsigned, unlisted] {
        let page = get_as(&handbill, &format!("/p/{without}"), None).await;
        assert!(!text(&page).contains("/by/"), "{}", text(&page));
    }
}

#[tokio::test]
async fn the_api_lists_the_posts_of_an_author() {
    let handbill = Users::with_ada().in_app(handbill());
    create(&handbill, "First", ada()).await;
    create(&handbill, "Second", ada()).await;
    create(&handbill, "Stranger", "user:4".parse().unwrap()).await;
    hide(&handbill, "Draft", Visibility::Draft).await;
    let list = get(&handbill, "/api/posts?by=ada").await;
    assert_eq!(list["total"], 2);
    assert_eq!(list["posts"][1]["title"], "First");
    let found = get(&handbill, "/api/posts?by=ada&q=second").await;
    assert_eq!(found["total"], 1);
    assert_eq!(get(&handbill, "/api/posts?by=").await["total"], 3);

    let request = Request::get("/api/posts?by=ada&per_page=1");
    let page = send(&handbill, request.body(Full::default()).unwrap()).await;
    let next = "<https://example.org/blog/api/posts?page=2&per_page=1&by=ada>; rel=\"next\"";
    assert!(header(&page, LINK).contains(next), "{:?}", page.headers());
    for wrong in ["by=bob", "by=a%20b", "by=ada&by=ada"] {
        let problem = get(&handbill, &format!("/api/posts?{wrong}")).await;
        assert_eq!(problem["code"], "invalid_parameter", "{wrong}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.starts_with("by "), "{detail}");
    }
}

#[tokio::test]
async fn a_host_that_names_no_authors_has_neither_pages_nor_lists_of_them() {
    let plain = handbill();
    let post = create(&plain, "First", ada()).await;
    assert_eq!(get_as(&plain, "/by/ada", None).await.status(), 404);
    assert_eq!(get(&plain, "/api/posts?by=bob").await["total"], 1);
    let page = get_as(&plain, &format!("/p/{post}"), None).await;
    assert!(!text(&page).contains("/by/"));

    let with_authors = Users::with_ada().in_app(plain.clone());
    for (handbill, is_there) in [(plain, false), (with_authors, true)] {
        let document = get(&handbill, "/openapi.json").await;
        let operation = &document["paths"]["/api/posts"]["get"];
        let parameters = operation["parameters"].as_array().unwrap();
        let has_it = parameters.iter().any(|one| one["name"] == "by");
        assert_eq!(has_it, is_there);
        let reference = get_as(&handbill, "/docs/reference", None).await;
        assert_eq!(text(&reference).contains("id=\"by\""), is_there);
    }
}

#[tokio::test(start_paused = true)]
async fn where_the_host_does_not_find_authors_their_lists_fail_and_posts_do_not() {
    let state = Arc::new(Mutex::new("works"));
    let (users, asked) = (Users::with_ada(), Arc::clone(&state));
    let handbill = handbill().with_authors(move |key| {
        let (found, state) = (users.find(&key), *asked.lock().unwrap());
        async move {
            match state {
                "fails" => Err("the users are not here".into()),
                "panics" => panic!("a fault of the host"),
                "waits" => std::future::pending().await,
                _ => Ok(found),
            }
        }
    });
    let post = create(&handbill, "First", ada()).await;
    let path = format!("/p/{post}");
    for fault in ["fails", "panics", "waits"] {
        *state.lock().unwrap() = fault;
        let page = get_as(&handbill, "/by/ada", None).await;
        assert_eq!(page.status(), 503, "{fault}");
        assert!(!text(&page).contains("not here"), "{fault}");
        let problem = get(&handbill, "/api/posts?by=ada").await;
        assert_eq!(problem["code"], "store_unavailable", "{fault}");
        let page = get_as(&handbill, &path, None).await;
        assert_eq!(page.status(), 200, "{fault}");
        assert!(!text(&page).contains("/by/"), "{fault}");
    }
    *state.lock().unwrap() = "works";
    assert!(text(&get_as(&handbill, &path, None).await).contains("/by/ada"));
}

#[test]
fn an_author_has_a_slug_that_an_address_may_have_and_a_name_that_is_seen() {
    for slug in ["a", "Ada-1.x_y~z", &"a".repeat(100), "..."] {
        assert!(Author::new(ada(), slug, "Ada").is_ok(), "{slug}");
    }
    for slug in [
        "",
        ".",
        "..",
        "a/b",
        "a b",
        "é",
        "%41",
        "a?b",
        &"a".repeat(101),
    ] {
        assert!(Author::new(ada(), slug, "Ada").is_err(), "{slug}");
    }
    for name in ["", " ", "\u{200B}", "\u{202E}"] {
        assert!(Author::new(ada(), "ada", name).is_err(), "{name:?}");
    }
}
