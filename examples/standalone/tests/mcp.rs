//! Agents at the program.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

use std::fs::File;

use handbill_tests::load::{get, post_json};
use handbill_tests::program::Program;
use handbill_tests::wire::{Connection, TestResponse};
use serde_json::json;
use tempfile::TempDir;
use tokio::process::Command;

async fn start(folder: &TempDir, options: &[&str]) -> Program {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handbill"));
    command.current_dir(folder).env_clear().args(options);
    command.args([
        "--listen",
        "127.0.0.1:0",
        "--database",
        "memory:",
        "--log",
        "trace,rmcp::service=trace",
    ]);
    command.stderr(File::create(folder.path().join("log")).unwrap());
    Program::spawn(command).await
}

async fn send(program: &Program, request: Vec<u8>) -> TestResponse {
    let request = String::from_utf8(request).unwrap();
    let request = request.replace("Host: localhost", &format!("Host: {}", program.address));
    let mut connection = Connection::open(program.address).await.unwrap();
    connection.send(request.as_bytes()).await.unwrap()
}

#[tokio::test]
async fn an_agent_publishes_and_no_secret_is_logged() {
    let folder = tempfile::tempdir().unwrap();
    let program = start(&folder, &["--mcp", "on"]).await;
    let issued = send(&program, post_json("/api/keys", "", "{}"))
        .await
        .json();
    let key = issued["api_key"].as_str().unwrap();
    let headers = format!(
        "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n\
         Authorization: Bearer {key}\r\n"
    );
    let arguments = json!({"body": "By an agent."});
    let params = json!({"name": "publish_post", "arguments": arguments});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let called = send(&program, post_json("/mcp", &headers, &call.to_string())).await;
    assert_eq!(called.status, 200);
    let created = called.json()["result"]["structuredContent"].take();
    let token = created["edit_token"].as_str().unwrap();
    let id = created["id"].as_str().unwrap();
    let post = send(&program, get(&format!("/api/posts/{id}"))).await;
    assert_eq!(post.json()["body"], "By an agent.");
    assert_eq!(send(&program, get("/mcp")).await.status, 405);
    let site = String::from_utf8(send(&program, get("/llms.txt")).await.body).unwrap();
    let link = format!(
        "\n- [Model Context Protocol](http://{}/mcp)\n",
        program.address
    );
    assert!(site.contains(&link), "{site}");
    assert_eq!(send(&program, get("/mcp/")).await.status, 404);
    assert!(program.stop().await.success());

    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    for secret in [key, token] {
        assert!(!log.contains(secret), "{log}");
    }
    let id = called.headers["x-request-id"].to_str().unwrap();
    let line = log.lines().find(|line| line.ends_with(&format!("id={id}")));
    assert!(
        line.unwrap()
            .contains(r#"method=POST route="/mcp" status=200"#),
        "{log}"
    );
}

#[tokio::test]
async fn there_are_no_tools_unless_the_operator_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let program = start(&folder, &[]).await;
    assert_eq!(
        send(&program, post_json("/mcp", "", "{}")).await.status,
        404
    );
}
