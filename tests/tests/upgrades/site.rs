//! A site with everything that can be stored, and the requests that show it.

use handbill::store::TextField;
use handbill::{Draft, Handbill, KeyId};
use handbill_testing::samples;
use serde_json::{Value, json};

use crate::exchange::{Exchange, comparable};

/// An author with a key.
struct Author<'a> {
    service: &'a Handbill,
    key: String,
    key_id: KeyId,
}

/// A post as its author knows it.
struct Published {
    id: String,
    token: String,
    /// The request that created it.
    creation: Exchange,
}

impl Published {
    fn path(&self) -> String {
        format!("/api/posts/{}", self.id)
    }

    fn with_token(&self, shows: &str, method: &str) -> Exchange {
        Exchange::new(shows, method, self.path()).with("X-Edit-Token", &self.token)
    }
}

impl<'a> Author<'a> {
    async fn new(service: &'a Handbill, owner: Option<&str>) -> Self {
        let owner = owner.map(|owner| owner.parse().unwrap());
        let issued = service
            .keys()
            .issue(Some("the newsroom"), owner)
            .await
            .unwrap();
        Self {
            service,
            key: issued.key.expose().to_owned(),
            key_id: issued.record.id,
        }
    }

    fn with_key(&self, shows: &str, method: &str, path: &str) -> Exchange {
        Exchange::new(shows, method, path).with("X-Api-Key", &self.key)
    }

    async fn publish(&self, name: &str, post: Value) -> Published {
        let creation = self
            .with_key("a repeated creation", "POST", "/api/posts")
            .with("Idempotency-Key", name)
            .with_body(post);
        let (status, created) = creation.send(self.service).await;
        assert_eq!(status, 201, "{created}");
        let text = |name: &str| created[name].as_str().unwrap().to_owned();
        Published {
            id: text("id"),
            token: text("edit_token"),
            creation,
        }
    }

    async fn send(&self, exchange: Exchange) {
        let (status, response) = exchange.send(self.service).await;
        assert!((200..300).contains(&status), "{response}");
    }
}

/// Fills an empty site. Returns requests with their responses, in the order in which they can be repeated: first
/// those that change nothing.
pub(crate) async fn record(service: &Handbill) -> Vec<Exchange> {
    let newsroom = Author::new(service, Some("user:42")).await;
    let alone = Author::new(service, None).await;
    let revoked = Author::new(service, Some("user:43")).await;
    service.keys().revoke(revoked.key_id).await.unwrap();
    let essay = newsroom.publish("essay", essay()).await;
    let unlisted = newsroom
        .publish(
            "unlisted",
            json!({"body": "By address only.", "visibility": "unlisted", "tags": "rust"}),
        )
        .await;
    let draft = newsroom
        .publish(
            "draft",
            json!({"title": "Not yet", "body": "A draft.", "visibility": "draft"}),
        )
        .await;
    let edited = alone
        .publish(
            "edited",
            json!({"title": "First", "body": "One.", "tags": "été"}),
        )
        .await;
    alone
        .send(
            edited
                .with_token("", "PUT")
                .with_body(json!({"body": "Two."})),
        )
        .await;
    alone
        .send(
            edited
                .with_token("", "PATCH")
                .with_body(json!({"title": "Third", "tags": "rust, été"})),
        )
        .await;
    let hidden = alone
        .publish("hidden", json!({"body": "Was public.", "tags": "hidden"}))
        .await;
    alone
        .send(
            hidden
                .with_token("", "PUT")
                .with_body(json!({"visibility": "draft"})),
        )
        .await;
    let deleted = newsroom
        .publish("deleted", json!({"title": "Gone", "body": "Gone."}))
        .await;
    newsroom.send(deleted.with_token("", "DELETE")).await;
    let deleted_draft = newsroom
        .publish(
            "deleted-draft",
            json!({"body": "Never shown.", "visibility": "draft"}),
        )
        .await;
    newsroom.send(deleted_draft.with_token("", "DELETE")).await;
    let of_the_host = Draft::new()
        .title("Of the host")
        .body("Of no owner.")
        .tags(["host"]);
    let of_the_host = service.posts().create(of_the_host).await.unwrap();

    let lives = [&essay, &unlisted, &draft, &edited, &hidden];
    let mut exchanges = Vec::new();
    for post in lives {
        let id = &post.id;
        exchanges.extend([
            Exchange::new("a post to everyone", "GET", post.path()),
            post.with_token("a post to its edit token", "GET"),
            Exchange::new("a page", "GET", format!("/p/{id}")),
            Exchange::new("a source", "GET", format!("/p/{id}.md")),
            Exchange::new("an edit page", "GET", format!("/e/{}", post.token)),
        ]);
    }
    let of_the_host = of_the_host.id;
    exchanges.extend([
        Exchange::new(
            "a post of the host",
            "GET",
            format!("/api/posts/{of_the_host}"),
        ),
        newsroom.with_key("a draft to a key of its owner", "GET", &draft.path()),
        alone.with_key("a draft to another key", "GET", &draft.path()),
        Exchange::new("a deleted post", "GET", deleted.path()),
        Exchange::new("a deleted draft", "GET", deleted_draft.path()),
        Exchange::new(
            "the edit page of a deleted post",
            "GET",
            format!("/e/{}", deleted.token),
        ),
        Exchange::new("the list of all posts", "GET", "/api/posts"),
        Exchange::new(
            "the list of all posts, with bodies",
            "GET",
            "/api/posts?include=body",
        ),
        Exchange::new("the list of a tag", "GET", "/api/posts?tag=rust"),
        Exchange::new(
            "the list of a tag with letters beyond ASCII",
            "GET",
            "/api/posts?tag=%C3%A9t%C3%A9",
        ),
        Exchange::new(
            "the list of a tag of a hidden post",
            "GET",
            "/api/posts?tag=hidden",
        ),
        Exchange::new("a page of a list", "GET", "/api/posts?per_page=1&page=2"),
        Exchange::new("the feed", "GET", "/feed.json"),
        Exchange::new("the tags", "GET", "/tags"),
        newsroom.with_key("the posts of an owner", "GET", "/api/keys/current/posts"),
        newsroom.with_key(
            "the posts of an owner with a tag",
            "GET",
            "/api/keys/current/posts?tag=rust",
        ),
        alone.with_key(
            "the posts of a key without a named owner",
            "GET",
            "/api/keys/current/posts",
        ),
        newsroom.with_key("a key", "GET", "/api/keys/current"),
        alone.with_key("a key without a named owner", "GET", "/api/keys/current"),
        revoked.with_key("a revoked key", "GET", "/api/keys/current"),
    ]);
    let all = lives.into_iter().chain([&deleted, &deleted_draft]);
    exchanges.extend(all.map(|post| post.creation.clone()));
    exchanges.push(
        essay
            .creation
            .clone()
            .with_body(json!({"body": "Another one."})),
    );
    for exchange in &mut exchanges {
        let (status, response) = exchange.send(service).await;
        (exchange.status, exchange.response) = (status, comparable(response));
    }
    exchanges.extend(changes(&newsroom, lives));
    exchanges
}

/// What authors do next. These are not sent when a site is recorded.
fn changes(newsroom: &Author<'_>, lives: [&Published; 5]) -> Vec<Exchange> {
    let succeeds = |status, exchange: Exchange| Exchange { status, ..exchange };
    let mut changes = Vec::new();
    for post in lives {
        let change = post.with_token("a change with the edit token", "PUT");
        changes.push(succeeds(
            200,
            change.with_body(json!({"body": "Changed.", "tags": "new"})),
        ));
    }
    let [essay, unlisted, draft, ..] = lives;
    let change = newsroom.with_key("a change with a key of the owner", "PUT", &draft.path());
    changes.push(succeeds(
        200,
        change.with_body(json!({"visibility": "public"})),
    ));
    changes.push(Exchange {
        response: json!({"total": 3}),
        ..succeeds(
            200,
            Exchange::new("the changes in a list", "GET", "/api/posts?tag=new"),
        )
    });
    let new_token = format!("{}/edit_token", unlisted.path());
    let new_token = newsroom.with_key("a new edit token", "POST", &new_token);
    changes.push(succeeds(200, new_token));
    changes.push(succeeds(204, essay.with_token("a deletion", "DELETE")));
    let created = newsroom.with_key("a new post", "POST", "/api/posts");
    changes.push(succeeds(
        201,
        created.with_body(json!({"body": "New.", "tags": "new"})),
    ));
    changes
}

fn essay() -> Value {
    let mut essay = json!({
        "title": "Grüße, \u{1F44B}",
        "body": "# A heading\n\nThe *beginning*.\n\n```rust\nlet a = 1;\n```\n\n![](https://example.org/a.png)\n\n[^1] and\ta tab\r\n\n[^1]: A note.\n",
        "tags": ["Rust", "été", "a tag of two words"],
    });
    for &field in &TextField::ALL[1..] {
        essay[field.name()] = json!(samples::text(field, 1));
    }
    essay
}
