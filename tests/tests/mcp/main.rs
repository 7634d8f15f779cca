//! Agents at the service of the Model Context Protocol: whole messages, in each revision that clients speak.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod protocol;
mod tools;

use bytes::Bytes;
use handbill::{Draft, Handbill, KeyRequests, MemoryStore, Owner};
use handbill_mcp::McpService;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use serde_json::{Value, json};
use tower::ServiceExt;

const REVISIONS: [&str; 3] = ["2025-06-18", "2025-11-25", LATEST];
const LATEST: &str = "2026-07-28";

fn handbill() -> Handbill {
    let handbill = Handbill::new("https://example.org/blog", MemoryStore::new()).unwrap();
    handbill.with_key_requests(KeyRequests::Closed)
}

/// A new key of this owner.
async fn key_of(handbill: &Handbill, owner: &str) -> String {
    let owner: Owner = owner.parse().unwrap();
    let issued = handbill.keys().issue(None, Some(owner)).await.unwrap();
    issued.key.expose().to_owned()
}

/// An agent, and the protocol that its client speaks.
#[derive(Clone)]
struct Agent {
    service: McpService,
    revision: &'static str,
    headers: Vec<(&'static str, String)>,
}

impl Agent {
    fn new(handbill: &Handbill) -> Self {
        let host = ("host", "example.org".to_owned());
        Self {
            service: McpService::new(handbill.clone()),
            revision: LATEST,
            headers: vec![host],
        }
    }

    fn speaking(mut self, revision: &'static str) -> Self {
        self.revision = revision;
        self
    }

    fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value.into()));
        self
    }

    fn with_key(self, key: &str) -> Self {
        self.with_header("authorization", format!("Bearer {key}"))
    }

    /// The message with the headers and members that its revision asks for.
    fn request(&self, method: &str, mut params: Value) -> Request<Full<Bytes>> {
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("accept", "application/json, text/event-stream".to_owned()),
            ("mcp-protocol-version", self.revision.to_owned()),
        ];
        if self.revision == LATEST {
            headers.push(("mcp-method", method.to_owned()));
            if let Some(name) = params["name"].as_str() {
                headers.push(("mcp-name", name.to_owned()));
            }
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": self.revision,
                "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        headers.retain(|(name, _)| self.headers.iter().all(|(other, _)| name != other));
        let mut request = Request::post("/mcp");
        for (name, value) in headers.iter().chain(&self.headers) {
            request = request.header(*name, value);
        }
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        request.body(message.to_string().into()).unwrap()
    }

    async fn send<B>(&self, request: Request<B>) -> Response<Bytes>
    where
        B: http_body::Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>
            + Send
            + 'static,
    {
        let response = self.service.clone().oneshot(request).await.unwrap();
        response.map(|body| body.into_inner().unwrap())
    }

    async fn ask(&self, method: &str, params: Value) -> (StatusCode, Value) {
        let response = self.send(self.request(method, params)).await;
        let message = serde_json::from_slice(response.body());
        (response.status(), message.unwrap_or_default())
    }

    /// The result of a tool: its object, its texts, and whether it is an error.
    async fn call(&self, tool: &str, arguments: Value) -> (Value, Vec<String>, bool) {
        let params = json!({"name": tool, "arguments": arguments});
        let (status, message) = self.ask("tools/call", params).await;
        assert_eq!(status, 200, "{message}");
        let result = &message["result"];
        let texts = result["content"].as_array().unwrap().iter();
        let texts = texts.map(|content| content["text"].as_str().unwrap().to_owned());
        let is_error = result["isError"] == true;
        (
            result["structuredContent"].clone(),
            texts.collect(),
            is_error,
        )
    }

    /// The object of a tool that succeeds.
    async fn done(&self, tool: &str, arguments: Value) -> Value {
        let (object, texts, is_error) = self.call(tool, arguments).await;
        assert!(!is_error, "{texts:?}");
        object
    }

    /// The code of the problem that a tool has.
    async fn refused(&self, tool: &str, arguments: Value) -> String {
        let (problem, texts, is_error) = self.call(tool, arguments).await;
        assert!(is_error, "{problem}");
        assert_eq!(serde_json::from_str::<Value>(&texts[0]).unwrap(), problem);
        problem["code"].as_str().unwrap().to_owned()
    }
}
