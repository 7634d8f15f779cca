//! A minimal HTTP/1.1 client, so that tests can send malformed requests and a load costs little.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

/// A complete response.
#[derive(Debug)]
pub struct TestResponse {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Vec<u8>,
}

impl TestResponse {
    /// The body as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("the body is JSON")
    }
}

/// A connection that sends one request after the other.
#[derive(Debug)]
pub struct Connection<S = TcpStream> {
    stream: S,
    buffer: Vec<u8>,
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    /// If the connection is refused.
    pub async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self::over(stream))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    /// Uses an open connection.
    pub fn over(stream: S) -> Self {
        Self {
            stream,
            buffer: Vec::with_capacity(16 * 1024),
        }
    }

    /// Sends a request as it is and reads the response.
    ///
    /// # Errors
    /// If the connection ends before the response does.
    pub async fn send(&mut self, request: &[u8]) -> io::Result<TestResponse> {
        self.stream.write_all(request).await?;
        let is_head = request.starts_with(b"HEAD ");
        let end_of_head = self.read_head().await?;
        let (status, headers) = parse_head(&self.buffer[..end_of_head]);
        let length = if is_head { 0 } else { content_length(&headers) };
        self.read_until(end_of_head + length).await?;
        let body = self.buffer[end_of_head..end_of_head + length].to_vec();
        self.buffer.drain(..end_of_head + length);
        Ok(TestResponse {
            status,
            headers,
            body,
        })
    }

    /// Sends a request and reads the response, but parses only the status. This costs a load
    /// generator little.
    ///
    /// # Errors
    /// If the connection ends before the response does.
    pub async fn status_of(&mut self, request: &[u8]) -> io::Result<u16> {
        self.stream.write_all(request).await?;
        self.read_status().await
    }

    /// Sends a request and returns the time until the first byte of the response, after the
    /// response is complete.
    ///
    /// # Errors
    /// If the connection ends before the response does.
    pub async fn first_byte_of(&mut self, request: &[u8]) -> io::Result<Duration> {
        let sent = Instant::now();
        self.stream.write_all(request).await?;
        self.read_more().await?;
        let waited = sent.elapsed();
        self.read_status().await?;
        Ok(waited)
    }

    async fn read_status(&mut self) -> io::Result<u16> {
        let end_of_head = self.read_head().await?;
        let head = &self.buffer[..end_of_head];
        let status = head
            .get(9..12)
            .and_then(|digits| str::from_utf8(digits).ok()?.parse().ok());
        let length = scan_content_length(head);
        self.read_until(end_of_head + length).await?;
        self.buffer.drain(..end_of_head + length);
        status.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    async fn read_head(&mut self) -> io::Result<usize> {
        let mut searched = 0;
        loop {
            let found = self.buffer[searched..]
                .windows(4)
                .position(|four| four == b"\r\n\r\n");
            if let Some(at) = found {
                return Ok(searched + at + 4);
            }
            searched = self.buffer.len().saturating_sub(3);
            self.read_more().await?;
        }
    }

    async fn read_until(&mut self, length: usize) -> io::Result<()> {
        while self.buffer.len() < length {
            self.read_more().await?;
        }
        Ok(())
    }

    async fn read_more(&mut self) -> io::Result<()> {
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

fn parse_head(head: &[u8]) -> (StatusCode, HeaderMap) {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .expect("a status line");
    let status = status.parse().expect("a status");
    let mut headers = HeaderMap::new();
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let name: HeaderName = name.parse().expect("a header's name");
        let value: HeaderValue = value.trim().parse().expect("a header's value");
        headers.append(name, value);
    }
    (status, headers)
}

fn content_length(headers: &HeaderMap) -> usize {
    let length = headers.get(http::header::CONTENT_LENGTH);
    length
        .and_then(|length| length.to_str().ok()?.parse().ok())
        .unwrap_or(0)
}

fn scan_content_length(head: &[u8]) -> usize {
    const NAME: &[u8] = b"content-length: ";
    let at = head.windows(NAME.len()).position(|window| window == NAME);
    let digits = at.map_or(&[][..], |at| &head[at + NAME.len()..]);
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |length, digit| length * 10 + usize::from(digit - b'0'))
}
