//! A client that creates, changes, deletes and reads posts, and records what it sees.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use serde_json::{Value, json};

use super::{Call, Event, Recorder, State, Target};

/// The number of requests of a client.
const REQUESTS: usize = 24;

/// Which reads are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// All: none is behind the others.
    All,
    /// Those that are never cached. The others may be behind other instances, within the store's bound.
    Current,
}

#[derive(Debug)]
pub(super) struct Client<T> {
    target: T,
    api_key: String,
    reads: Reads,
    recorder: Arc<Recorder>,
    known: HashMap<String, Known>,
}

/// What the client knows of a post.
#[derive(Clone, Debug)]
struct Known {
    path: String,
    edit_token: String,
    /// The last entity tag that the client saw.
    etag: HeaderValue,
}

/// A request that was sent. `end` and `response` are `None` if its outcome is unknown.
struct Sent {
    begin: u64,
    end: Option<u64>,
    response: Option<Response<Bytes>>,
}

impl<T: Target> Client<T> {
    pub(super) fn new(target: T, api_key: &str, reads: Reads, recorder: Arc<Recorder>) -> Self {
        Self {
            target,
            api_key: api_key.to_owned(),
            reads,
            recorder,
            known: HashMap::new(),
        }
    }

    /// Makes requests about these posts.
    pub(super) async fn run(mut self, posts: Vec<String>) {
        for _ in 0..REQUESTS {
            let post = &posts[rand::random_range(0..posts.len())];
            let chance = rand::random_range(0..100);
            match self.known.get(post).cloned() {
                None => self.create(post).await,
                Some(_) if chance < 7 => self.create(post).await,
                Some(known) if chance < 27 => self.read(post, &known).await,
                Some(known) if chance < 50 => self.read_current(post, &known).await,
                Some(known) if chance < 97 => self.change(post, &known).await,
                Some(known) => self.delete(post, &known).await,
            }
        }
    }

    async fn create(&mut self, post: &str) {
        // All clients send the same content, since a repetition must.
        let content = 0;
        let body = json!({ "title": content.to_string(), "body": "Some *Markdown*." });
        let request = Request::post("/api/posts")
            .header("x-api-key", &self.api_key)
            .header("idempotency-key", post);
        let sent = self.send(request, &body).await;
        let etag = match &sent.response {
            None => None,
            Some(response) if response.status() == StatusCode::CREATED => {
                let created = json_of(response);
                let text = |name: &str| created[name].as_str().unwrap_or_default().to_owned();
                let Some(etag) = etag_of(response) else {
                    return self.record(post, &sent, wrong(response));
                };
                let known = Known {
                    path: format!("/api/posts/{}", text("id")),
                    edit_token: text("edit_token"),
                    etag: etag.clone(),
                };
                self.known.entry(post.to_owned()).or_insert(known);
                Some(etag)
            }
            Some(response) => return self.record(post, &sent, wrong(response)),
        };
        self.record(post, &sent, Event::Creates { content, etag });
    }

    /// Reads as readers do, at times with a condition.
    async fn read(&mut self, post: &str, known: &Known) {
        if self.reads == Reads::Current {
            return self.read_current(post, known).await;
        }
        let mut request = Request::get(&known.path);
        if rand::random() {
            request = request.header(header::IF_NONE_MATCH, &known.etag);
        }
        let sent = self.send(request, &Value::Null).await;
        if let Some(response) = &sent.response {
            let event = self.shown(post, response);
            self.record(post, &sent, event);
        }
    }

    /// A change that changes nothing returns the current post.
    async fn read_current(&mut self, post: &str, known: &Known) {
        let sent = self.send(patch(known), &json!({})).await;
        if let Some(response) = &sent.response {
            let event = self.shown(post, response);
            self.record(post, &sent, event);
        }
    }

    async fn change(&mut self, post: &str, known: &Known) {
        let content = u64::from(rand::random::<u32>());
        let expected = expected(known);
        let request = with_condition(patch(known), expected.as_ref());
        let body = json!({ "title": content.to_string() });
        let sent = self.send(request, &body).await;
        let etag = match (&sent.response, &expected) {
            (None, _) => None,
            (Some(response), Some(expected)) if is_refused(response) => {
                return self.record(post, &sent, Event::Differs(expected.clone()));
            }
            (Some(response), _) => match self.shown(post, response) {
                Event::Shows(State::Live {
                    content: shown,
                    etag,
                }) if shown == content => etag,
                // It is gone.
                event @ Event::Shows(State::Gone) => return self.record(post, &sent, event),
                _ => return self.record(post, &sent, wrong(response)),
            },
        };
        let event = Event::Changes {
            expected,
            content,
            etag,
        };
        self.record(post, &sent, event);
    }

    async fn delete(&mut self, post: &str, known: &Known) {
        let expected = expected(known);
        let request = Request::delete(&known.path).header("x-edit-token", &known.edit_token);
        let request = with_condition(request, expected.as_ref());
        let sent = self.send(request, &Value::Null).await;
        let event = match (&sent.response, &expected) {
            (Some(response), Some(expected)) if is_refused(response) => {
                Event::Differs(expected.clone())
            }
            (Some(response), _) if response.status() == StatusCode::GONE => {
                Event::Shows(State::Gone)
            }
            (Some(response), _) if response.status() != StatusCode::NO_CONTENT => wrong(response),
            _ => Event::Deletes { expected },
        };
        self.record(post, &sent, event);
    }

    async fn send(&mut self, request: http::request::Builder, body: &Value) -> Sent {
        let body = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let request = request
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::CONTENT_LENGTH, body.len())
            .body(body)
            .expect("a request");
        let begin = self.recorder.tick();
        let response = self.target.send(request).await;
        let end = response.is_some().then(|| self.recorder.tick());
        Sent {
            begin,
            end,
            response,
        }
    }

    fn record(&self, post: &str, sent: &Sent, event: Event) {
        let Sent { begin, end, .. } = *sent;
        self.recorder.add(post, Call { begin, end, event });
    }

    /// What a response shows of a post.
    fn shown(&mut self, post: &str, response: &Response<Bytes>) -> Event {
        let etag = etag_of(response);
        if let (Some(known), Some(etag)) = (self.known.get_mut(post), &etag) {
            known.etag.clone_from(etag);
        }
        match (response.status(), etag) {
            (StatusCode::OK, Some(etag)) => {
                let title = json_of(response)["title"].clone();
                match title.as_str().and_then(|title| title.parse().ok()) {
                    Some(content) => Event::Shows(State::Live {
                        content,
                        etag: Some(etag),
                    }),
                    None => wrong(response),
                }
            }
            (StatusCode::NOT_MODIFIED, Some(etag)) => Event::StillHas(etag),
            (StatusCode::NOT_FOUND, _) => Event::Shows(State::Absent),
            (StatusCode::GONE, _) => Event::Shows(State::Gone),
            _ => wrong(response),
        }
    }
}

fn patch(known: &Known) -> http::request::Builder {
    Request::patch(&known.path).header("x-edit-token", &known.edit_token)
}

/// The value of `If-Match`. Most changes have one.
fn expected(known: &Known) -> Option<HeaderValue> {
    rand::random_ratio(3, 4).then(|| known.etag.clone())
}

fn with_condition(
    request: http::request::Builder,
    expected: Option<&HeaderValue>,
) -> http::request::Builder {
    match expected {
        Some(etag) => request.header(header::IF_MATCH, etag),
        None => request,
    }
}

fn is_refused(response: &Response<Bytes>) -> bool {
    response.status() == StatusCode::PRECONDITION_FAILED
}

fn etag_of(response: &Response<Bytes>) -> Option<HeaderValue> {
    response.headers().get(header::ETAG).cloned()
}

fn json_of(response: &Response<Bytes>) -> Value {
    serde_json::from_slice(response.body()).unwrap_or_default()
}

fn wrong(response: &Response<Bytes>) -> Event {
    let body = String::from_utf8_lossy(response.body());
    Event::IsWrong(format!("{}: {body}", response.status()))
}
