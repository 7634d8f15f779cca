//! The service that the browser visits: the real program, with posts.

use handbill_tests::load::{get, key_header, post_json};
use handbill_tests::program::Program;
use handbill_tests::server::signal_all;
use handbill_tests::wire::{Connection, TestResponse};
use serde_json::{Value, json};

/// A running service. It is stopped when dropped.
pub(crate) struct Site {
    program: Program,
    /// Another service, without posts, that gives out no keys.
    closed: Program,
    key: String,
    /// The address of a picture on the service itself.
    picture: String,
}

/// A post and its edit token.
pub(crate) struct Post {
    pub(crate) id: String,
    token: String,
}

impl Site {
    pub(crate) async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// With further options of the program.
    pub(crate) async fn start_with(options: &[&str]) -> Self {
        let limits = match options.contains(&"--rate-limits") {
            true => &[][..],
            false => &["--rate-limits", "off"],
        };
        let arguments = [&["--database", "memory:"], limits, options].concat();
        let program = Program::start(&arguments).await;
        let closed = [&arguments[..], &["--key-requests", "closed"]].concat();
        let mut connection = Connection::open(program.address).await.unwrap();
        let key = key_header(&mut connection, "").await;
        let mut site = Self {
            program,
            closed: Program::start(&closed).await,
            key,
            picture: String::new(),
        };
        // It is in no list, and stays: its picture goes with it.
        let note = json!({ "body": "A note.", "visibility": "unlisted" });
        let note = site.publish(&note).await;
        let page = site.get(&note.path()).await;
        let page = String::from_utf8(page.body).unwrap();
        let picture = page.split_once("og:image\" content=\"").unwrap().1;
        site.picture = picture
            .split('"')
            .next()
            .unwrap()
            .replace(&site.url(""), "");
        site
    }

    /// Stops the service from responding.
    pub(crate) fn stall(&self) {
        signal_all("STOP", self.program.id());
    }

    /// Lets it respond again.
    pub(crate) fn resume(&self) {
        signal_all("CONT", self.program.id());
    }

    /// Changes a post until its limit is reached.
    pub(crate) async fn exhaust_changes(&self, post: &Post) {
        let headers = format!("X-Edit-Token: {}\r\n", post.token);
        for number in 0.. {
            let fields = json!({ "title": number.to_string() }).to_string();
            let request = post_json(&format!("/api/posts/{}", post.id), &headers, &fields);
            if self.send(&[b"PUT", &request[4..]].concat()).await.status == 429 {
                return;
            }
        }
    }

    /// Requests keys until this machine's limit is reached, which new posts on `/write` share.
    pub(crate) async fn exhaust_new_posts(&self) {
        while self.send(&post_json("/api/keys", "", "{}")).await.status != 429 {}
    }

    /// Gives a post a new private link.
    pub(crate) async fn renew(&self, post: &Post) {
        let request = format!(
            "POST /api/posts/{}/edit_token HTTP/1.1\r\nHost: localhost\r\nX-Edit-Token: {}\r\nContent-Length: 0\r\n\r\n",
            post.id, post.token
        );
        assert_eq!(self.send(request.as_bytes()).await.status, 200);
    }

    /// Kills the service.
    pub(crate) fn crash(&self) {
        signal_all("KILL", self.program.id());
    }

    /// The address of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.program.address)
    }

    /// The address of a path of a service that gives out no keys.
    pub(crate) fn closed_url(&self, path: &str) -> String {
        format!("http://{}{path}", self.closed.address)
    }

    pub(crate) async fn send(&self, request: &[u8]) -> TestResponse {
        let mut connection = Connection::open(self.program.address).await.unwrap();
        connection.send(request).await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        self.send(&get(path)).await
    }

    /// Publishes a post, or returns the names of the invalid fields.
    pub(crate) async fn try_publish(&self, fields: &Value) -> Result<Post, Vec<String>> {
        let request = post_json("/api/posts", &self.key, &fields.to_string());
        let response = self.send(&request).await;
        let json = response.json();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        if response.status == 422 {
            let errors = json["errors"].as_array().unwrap().iter();
            return Err(errors.map(|error| text(&error["field"])).collect());
        }
        assert_eq!(response.status, 201, "{fields}: {json}");
        Ok(Post {
            id: text(&json["id"]),
            token: text(&json["edit_token"]),
        })
    }

    pub(crate) async fn publish(&self, fields: &Value) -> Post {
        let published = self.try_publish(fields).await;
        published.unwrap_or_else(|refused| panic!("{refused:?} of {fields} are refused"))
    }

    /// Changes a post outside the browser.
    pub(crate) async fn update(&self, post: &Post, fields: &Value) {
        let headers = format!("X-Edit-Token: {}\r\n", post.token);
        let request = post_json(
            &format!("/api/posts/{}", post.id),
            &headers,
            &fields.to_string(),
        );
        let response = self.send(&[b"PUT", &request[4..]].concat()).await;
        assert_eq!(response.status, 200);
    }

    pub(crate) async fn delete(&self, post: &Post) {
        let request = format!(
            "DELETE /api/posts/{} HTTP/1.1\r\nHost: localhost\r\nX-Edit-Token: {}\r\n\r\n",
            post.id, post.token
        );
        assert_eq!(self.send(request.as_bytes()).await.status, 204);
    }

    /// A post with all features of Markdown, and with content that is too wide for a phone.
    pub(crate) fn rich(&self) -> Value {
        let long =
            "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
        let columns = 12;
        let table = format!(
            "{}\n{}\n{}\n",
            "| a wide column ".repeat(columns),
            "|---".repeat(columns),
            "| `cell` ".repeat(columns),
        );
        let body = format!(
            "A first paragraph with *emphasis*, **weight**, ~~a slip~~, `code` and a [link to \
             somewhere](https://example.org/).\n\n\
             ## A section\n\n> A quotation\n> of two lines\n\n\
             ### A smaller one, {long}{long}\n\n\
             1. one\n2. two\n   - a\n   - b\n\n\
             - [x] done\n- [ ] to do\n\n\
             ```rust\nfn main() {{ println!(\"{}\"); }}\n```\n\n{table}\n\
             <https://example.org/{}>\n\n![A lighthouse]({})\n\n\
             ![The same]({} \"A caption with a {long}\")\n\n---\n\n{long}{long}{long}\n\n\
             A note[^1] and the same[^1], on www.example.org.\n\n\
             [^1]: What the note says.\n\n    # A heading in it\n",
            "wide ".repeat(40),
            "path/".repeat(60),
            self.picture,
            self.picture,
        );
        json!({
            "title": "A rich post about harbours",
            "body": body,
            "tags": "harbour, night watch, été",
            "focus_keyword": "harbours",
        })
    }
}

impl Post {
    pub(crate) fn path(&self) -> String {
        format!("/p/{}", self.id)
    }

    pub(crate) fn edit_path(&self) -> String {
        format!("/e/{}", self.token)
    }
}
