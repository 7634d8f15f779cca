//! What the protocol says of messages, whatever the tool.

use std::convert::Infallible;

use futures_util::stream;
use handbill_tests::wire::Connection;
use http::Method;
use http_body::Frame;
use http_body_util::StreamBody;
use tokio::net::TcpListener;

use super::*;

#[tokio::test]
async fn clients_of_each_revision_begin_list_the_tools_and_call_one() {
    let agent = Agent::new(&handbill());
    for revision in REVISIONS {
        let agent = agent.clone().speaking(revision);
        let (status, begun) = match revision {
            LATEST => agent.ask("server/discover", json!({})).await,
            _ => {
                let client = json!({"name": "tests", "version": "1"});
                let params =
                    json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": client});
                agent.ask("initialize", params).await
            }
        };
        assert_eq!(status, 200, "{begun}");
        let begun = &begun["result"];
        match revision {
            LATEST => assert!(
                begun["supportedVersions"]
                    .as_array()
                    .unwrap()
                    .contains(&json!(LATEST))
            ),
            _ => assert_eq!(begun["protocolVersion"], revision),
        }
        assert_eq!(begun["capabilities"], json!({"tools": {}}));

        let (_, listed) = agent.ask("tools/list", json!({})).await;
        let tools = listed["result"]["tools"].as_array().unwrap().iter();
        let names: Vec<_> = tools.map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(
            names,
            [
                "publish_post",
                "read_post",
                "find_posts",
                "list_my_posts",
                "update_post",
                "delete_post"
            ]
        );
        assert_eq!(agent.done("find_posts", json!({})).await["total"], 0);
    }
}

#[tokio::test]
async fn a_response_is_json_for_this_client_alone() {
    let agent = Agent::new(&handbill());
    let mut request = agent.request("tools/list", json!({}));
    let id: handbill::RequestId = "of-the-host".parse().unwrap();
    request.extensions_mut().insert(id);
    let response = agent.send(request).await;
    for (name, value) in [
        ("content-type", "application/json"),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("x-request-id", "of-the-host"),
    ] {
        assert_eq!(response.headers()[name], value);
    }
    assert!(!response.headers().contains_key("mcp-session-id"));
}

#[tokio::test]
async fn what_the_protocol_does_not_know_is_an_error_of_the_protocol() {
    let agent = Agent::new(&handbill());
    let unknown = json!({"name": "erase_all", "arguments": {}});
    for revision in REVISIONS {
        let agent = agent.clone().speaking(revision);
        let (_, refused) = agent.ask("tools/call", unknown.clone()).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        let (_, refused) = agent.ask("posts/erase", json!({})).await;
        assert_eq!(refused["error"]["code"], -32601, "{refused}");
        let (_, refused) = agent.ask("prompts/get", json!({"name": "x"})).await;
        assert_eq!(refused["error"]["code"], -32601, "{refused}");
    }
    for revision in ["2031-01-01", "1"] {
        let agent = agent.clone().speaking(revision);
        let (status, _) = agent.ask("tools/list", json!({})).await;
        assert_eq!(status, 400);
    }
    let mut request = agent.request("tools/list", json!({}));
    *request.body_mut() = "{".into();
    assert!(agent.send(request).await.status().is_client_error());
}

#[tokio::test]
async fn headers_that_contradict_the_body_are_refused() {
    let agent = Agent::new(&handbill());
    let params = json!({"name": "find_posts", "arguments": {}});
    for (name, other) in [
        ("mcp-method", "tools/list"),
        ("mcp-name", "delete_post"),
        ("mcp-protocol-version", "2025-11-25"),
    ] {
        let agent = agent.clone().with_header(name, other);
        let (status, refused) = agent.ask("tools/call", params.clone()).await;
        assert_eq!(status, 400, "{name}: {refused}");
        assert_eq!(refused["error"]["code"], -32020, "{name}: {refused}");
    }
}

/// A page of another site could otherwise use a site that only its visitor can reach (DNS rebinding).
#[tokio::test]
async fn requests_for_other_hosts_and_from_other_sites_are_refused() {
    let agent = Agent::new(&handbill());
    for (name, value, status) in [
        ("host", "example.org", 200),
        ("host", "EXAMPLE.org", 200),
        ("host", "localhost", 403),
        ("host", "127.0.0.1:8080", 403),
        ("host", "example.org.evil.example", 403),
        ("origin", "https://example.org", 200),
        ("origin", "http://example.org", 403),
        ("origin", "https://example.org:8443", 403),
        ("origin", "https://evil.example", 403),
        ("origin", "null", 403),
    ] {
        let agent = agent.clone().with_header(name, value);
        let (found, _) = agent.ask("tools/list", json!({})).await;
        assert_eq!(found, status, "{name}: {value}");
    }

    let local = Handbill::new("http://127.0.0.1:8080", MemoryStore::new()).unwrap();
    let agent = Agent::new(&local);
    for (host, status) in [
        ("127.0.0.1:8080", 200),
        ("127.0.0.1:8081", 403),
        ("localhost:8080", 403),
    ] {
        let agent = agent.clone().with_header("host", host);
        assert_eq!(agent.ask("tools/list", json!({})).await.0, status, "{host}");
    }
}

#[tokio::test]
async fn there_are_no_streams_and_no_sessions() {
    let agent = Agent::new(&handbill());
    for method in [Method::GET, Method::DELETE, Method::PUT, Method::OPTIONS] {
        let mut request = agent.request("tools/list", json!({}));
        *request.method_mut() = method;
        let response = agent.send(request).await;
        assert_eq!(response.status(), 405);
        assert_eq!(response.headers()["allow"], "POST");
    }
}

#[tokio::test]
async fn a_message_may_be_as_long_as_the_longest_post() {
    let handbill = handbill();
    let key = key_of(&handbill, "user:1").await;
    let agent = Agent::new(&handbill).with_key(&key);
    // What a client may write as an escape for each character, at its longest.
    let longest = r"\ud83d\ude00".repeat(100_000 - 1) + "x";
    let call = agent.request(
        "tools/call",
        json!({"name": "publish_post", "arguments": {"body": "BODY"}}),
    );
    let (head, body) = call.into_parts();
    let body = String::from_utf8(body.into_inner().unwrap().to_vec()).unwrap();
    let request = Request::from_parts(head, Full::from(body.replace("BODY", &longest)));
    let response = agent.send(request).await;
    let message: Value = serde_json::from_slice(response.body()).unwrap();
    // As JSON of the API, it is not so long.
    assert_eq!(message["result"]["isError"], false, "{message}");
}

#[tokio::test]
async fn a_message_of_2_mib_is_refused_before_it_is_read() {
    let agent = Agent::new(&handbill());
    let (mut head, _) = agent.request("tools/list", json!({})).into_parts();
    // A body that never ends.
    let chunk = Bytes::from(vec![b' '; 64 * 1024]);
    let chunks = stream::repeat_with(move || Ok::<_, Infallible>(Frame::data(chunk.clone())));
    let endless = Request::from_parts(head.clone(), StreamBody::new(chunks));
    assert_eq!(agent.send(endless).await.status(), 413);

    let length = 2 * 1024 * 1024;
    head.headers.insert("content-length", length.into());
    let unread = StreamBody::new(stream::pending::<Result<Frame<Bytes>, Infallible>>());
    let response = agent.send(Request::from_parts(head.clone(), unread)).await;
    assert_eq!(response.status(), 413);
    let message: Value = serde_json::from_slice(response.body()).unwrap();
    let expected = "A request may have at most 1265536 bytes.";
    let error = json!({"code": -32600, "message": expected});
    assert_eq!(message, json!({"jsonrpc": "2.0", "error": error}));

    head.headers.remove("content-length");
    let broken = StreamBody::new(stream::once(async { Err::<Frame<Bytes>, _>("left") }));
    let response = agent.send(Request::from_parts(head, broken)).await;
    assert_eq!(response.status(), 400);
    assert_eq!(response.headers()["content-type"], "application/json");
}

#[tokio::test]
async fn a_client_that_is_still_sending_too_much_gets_the_response() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let handbill = Handbill::new(&format!("http://{address}"), MemoryStore::new()).unwrap();
    let app = axum::Router::new().route_service("/mcp", McpService::new(handbill));
    tokio::spawn(async move { axum::serve(listener, app).await });
    let length = 4 * 1024 * 1024;
    let head = format!("POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Length: {length}\r\n\r\n");
    let request = [head.into_bytes(), vec![b' '; length]].concat();
    let response = Connection::open(address)
        .await
        .unwrap()
        .send(&request)
        .await;
    assert_eq!(response.unwrap().status, 413);
}
