//! Clients who are slow, send too much or ask too often.

use handbill_tests::load::{get, post_json};
use handbill_tests::program::Program;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::place::{Place, new_key, send};

const MEBIBYTE: usize = 1024 * 1024;

#[tokio::test]
async fn a_client_that_says_that_it_has_sent_all_is_answered() {
    let (_place, program) = Place::started().await;
    let mut stream = TcpStream::connect(program.address).await.unwrap();
    stream.write_all(&get("/docs")).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.trim_end().ends_with("</html>"), "{answer}");
}

#[tokio::test]
async fn slow_clients_do_not_keep_others_waiting() {
    let (_place, program) = Place::started().await;
    let mut slow = Vec::new();
    for _ in 0..100 {
        let mut stream = TcpStream::connect(program.address).await.unwrap();
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nX-")
            .await
            .unwrap();
        slow.push(stream);
    }
    let answer = send(&program, &get("/healthz")).await;
    assert_eq!(answer.status, 200);
    for stream in &mut slow {
        stream
            .write_all(b"End: now\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .await
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
}

/// Sends a head and then so much of a body as is taken, as a client does that reads only after
/// that; returns the status.
async fn status_after(program: &Program, head: &str, chunk: &[u8], times: usize) -> String {
    let mut stream = TcpStream::connect(program.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    for _ in 0..times {
        if stream.write_all(chunk).await.is_err() {
            break;
        }
    }
    let mut status = [0; 12];
    stream
        .read_exact(&mut status)
        .await
        .expect("an answer to read");
    String::from_utf8(status.to_vec()).unwrap()
}

#[tokio::test]
async fn who_sends_too_much_reads_the_answer() {
    let (_place, program) = Place::started().await;
    let key = new_key(&program).await;
    let head = |headers: &str| {
        format!(
            "POST /api/posts HTTP/1.1\r\nHost: localhost\r\n\
             Content-Type: application/json\r\n{headers}\r\n"
        )
    };
    let part = vec![b' '; MEBIBYTE];
    let ten = format!("Content-Length: {}\r\n", 10 * MEBIBYTE);

    let status = status_after(&program, &head(&ten), &part, 10).await;
    assert_eq!(status, "HTTP/1.1 401");
    let with_key = head(&format!("{ten}X-Api-Key: {key}\r\n"));
    let status = status_after(&program, &with_key, &part, 10).await;
    assert_eq!(status, "HTTP/1.1 413");

    let endless = head(&format!(
        "Transfer-Encoding: chunked\r\nX-Api-Key: {key}\r\n"
    ));
    let chunk = [b"100000\r\n", &part[..], b"\r\n"].concat();
    let mut stream = TcpStream::connect(program.address).await.unwrap();
    stream.write_all(endless.as_bytes()).await.unwrap();
    let (mut reader, mut writer) = stream.split();
    let mut status = [0; 12];
    tokio::select! {
        biased;
        read = reader.read_exact(&mut status) => { read.expect("an answer to read"); }
        () = async { while writer.write_all(&chunk).await.is_ok() {} std::future::pending().await } => {}
    }
    assert_eq!(&status, b"HTTP/1.1 413");
    assert_eq!(send(&program, &get("/healthz")).await.status, 200);
}

#[tokio::test]
async fn clients_are_held_to_rates_unless_told_otherwise() {
    let (place, program) = Place::started().await;
    for _ in 0..10 {
        new_key(&program).await;
    }
    // The header of a client that is no trusted proxy changes nothing.
    let forged = "X-Forwarded-For: 192.0.2.1\r\n";
    let refused = send(&program, &post_json("/api/keys", forged, "{}")).await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.json()["code"], "too_many_requests");
    let seconds = refused.headers["retry-after"].to_str().unwrap();
    assert!(
        (1..=3600).contains(&seconds.parse::<u32>().unwrap()),
        "{seconds}"
    );
    assert!(program.stop().await.success());

    let program = place.start(&["--rate-limits", "off"]).await;
    for _ in 0..11 {
        new_key(&program).await;
    }
}

#[tokio::test]
async fn clients_behind_a_trusted_proxy_are_told_apart() {
    let place = Place::new();
    let program = place
        .start(&["--trusted-proxies", "127.0.0.0/8, ::1"])
        .await;
    let ask = |client: &str| {
        let header = format!("X-Forwarded-For: {client}\r\n");
        post_json("/api/keys", &header, "{}")
    };
    for _ in 0..10 {
        assert_eq!(send(&program, &ask("192.0.2.1")).await.status, 201);
    }
    assert_eq!(send(&program, &ask("192.0.2.1")).await.status, 429);
    assert_eq!(send(&program, &ask("192.0.2.2")).await.status, 201);
}
