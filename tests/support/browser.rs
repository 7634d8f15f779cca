//! A real browser: Chromium and its WebDriver. Each test has its own, and it can reach only this
//! machine.

use std::fmt;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder};
use http::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use url::{ParseError, Url};

use crate::missing;

/// Longer than any condition takes. A condition that never holds fails after this time.
const DEADLINE: Duration = Duration::from_secs(30);

/// The settings of a reader's browser.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// The preferred languages, as in `Accept-Language`.
    pub languages: &'static str,
    /// Whether pages may run scripts.
    pub runs_scripts: bool,
}

/// A running browser with one window. It is stopped, and its files are deleted, when dropped.
#[derive(Debug)]
pub struct Browser {
    client: Client,
    _driver: Driver,
}

/// A message on the browser's console.
#[derive(Debug)]
pub struct Message {
    /// The source: `network`, `security`, `console-api`, `javascript`, …
    pub source: String,
    /// The text. It begins with the address that it is about.
    pub text: String,
}

/// A request that the browser sent or tried to send.
#[derive(Debug)]
pub struct Request {
    /// The kind of resource: `Document`, `Stylesheet`, `Script`, `Image`, `Fetch`, …
    pub kind: String,
    /// The address.
    pub url: String,
}

impl Browser {
    /// Starts a browser. Reports what is missing if it can't.
    pub async fn start(reader: Reader) -> Option<Self> {
        let install = "apt-get install chromium chromium-driver";
        if missing::program("chromedriver", install) || missing::program("chromium", install) {
            return None;
        }
        let driver = Driver::start().await;
        let capabilities = json!({
            "browserName": "chrome",
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
            "goog:chromeOptions": {
                "args": [
                    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                    "--disable-background-networking", "--disable-component-update",
                    "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
                    "--window-size=1280,900",
                    format!("--user-data-dir={}", driver.folder.path().join("profile").display()),
                    format!("--lang={}", reader.languages),
                    // A request to another host appears in the log and goes nowhere.
                    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                ],
                "prefs": {
                    "intl.accept_languages": reader.languages,
                    "profile.managed_default_content_settings.javascript":
                        if reader.runs_scripts { 1 } else { 2 },
                },
            },
        });
        let Value::Object(capabilities) = capabilities else {
            unreachable!("capabilities are an object");
        };
        let client = ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://{}", driver.address))
            .await
            .expect("the browser starts");
        Some(Self {
            client,
            _driver: driver,
        })
    }

    /// The WebDriver session of the window.
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// Opens an address and waits until the page is loaded.
    pub async fn open(&self, url: &str) {
        let opened = self.client.goto(url).await;
        opened.unwrap_or_else(|error| panic!("{url} opens: {error}"));
    }

    /// Runs a script in the page, as the body of a function, and returns its result.
    pub async fn run(&self, script: &str, arguments: Vec<Value>) -> Value {
        let result = self.client.execute(script, arguments).await;
        result.unwrap_or_else(|error| panic!("a script runs: {error}\n{script}"))
    }

    /// The same for a script that passes its result to its last argument.
    pub async fn run_async(&self, script: &str, arguments: Vec<Value>) -> Value {
        let result = self.client.execute_async(script, arguments).await;
        result.unwrap_or_else(|error| panic!("a script runs: {error}\n{script}"))
    }

    /// Sends a command to the browser (Chrome DevTools Protocol).
    pub async fn devtools(&self, method: &'static str, parameters: Value) -> Value {
        let body = json!({ "cmd": method, "params": parameters });
        self.send("goog/cdp/execute", body).await
    }

    /// Shows pages as on a screen of this size in CSS pixels, in light or dark.
    pub async fn show_as(&self, width: u32, height: u32, colors: &str) {
        let screen = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
        });
        self.devtools("Emulation.setDeviceMetricsOverride", screen)
            .await;
        let features = json!([{ "name": "prefers-color-scheme", "value": colors }]);
        self.devtools(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        )
        .await;
    }

    /// The console messages since the last call.
    pub async fn console(&self) -> Vec<Message> {
        let entries = self.log("browser").await;
        let text = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let messages = entries.iter().map(|entry| Message {
            source: text(entry, "source"),
            text: text(entry, "message"),
        });
        messages.collect()
    }

    /// The requests since the last call.
    pub async fn requests(&self) -> Vec<Request> {
        let entries = self.log("performance").await;
        let requests = entries.iter().filter_map(|entry| {
            let event: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let event = &event["message"];
            let sent = event["method"] == "Network.requestWillBeSent";
            sent.then_some(())?;
            Some(Request {
                kind: event["params"]["type"].as_str()?.to_owned(),
                url: event["params"]["request"]["url"].as_str()?.to_owned(),
            })
        });
        requests.collect()
    }

    async fn log(&self, name: &str) -> Vec<Value> {
        match self.send("se/log", json!({ "type": name })).await {
            Value::Array(entries) => entries,
            other => panic!("a log is a list, and not {other}"),
        }
    }

    async fn send(&self, path: &'static str, body: Value) -> Value {
        let response = self.client.issue_cmd(DriverCommand { path, body }).await;
        response.unwrap_or_else(|error| panic!("{path} returns a response: {error}"))
    }
}

/// Waits until a condition in the browser holds.
pub async fn until(what: impl fmt::Display, holds: impl AsyncFn() -> bool) {
    let started = Instant::now();
    while !holds().await {
        assert!(started.elapsed() < DEADLINE, "{what}");
        tokio::task::yield_now().await;
    }
}

/// A command that only Chromium's driver knows.
#[derive(Debug)]
struct DriverCommand {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for DriverCommand {
    fn endpoint(&self, base_url: &Url, session_id: Option<&str>) -> Result<Url, ParseError> {
        let session = session_id.unwrap_or_default();
        base_url.join(&format!("session/{session}/{}", self.path))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.to_string()))
    }
}

/// The WebDriver program, with a folder for all files that it writes.
#[derive(Debug)]
struct Driver {
    child: Child,
    address: SocketAddr,
    folder: TempDir,
    /// Its output must not be a pipe that nothing reads.
    _output: BufReader<tokio::process::ChildStdout>,
}

impl Driver {
    async fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = Command::new("chromedriver")
            .arg("--port=0")
            .env("TMPDIR", folder.path())
            .env("HOME", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the driver starts");
        let output = child.stdout.take().expect("its output is piped");
        let output = tokio::process::ChildStdout::from_std(output).expect("a pipe");
        let mut output = BufReader::new(output);
        let port = loop {
            let mut line = String::new();
            let read = output.read_line(&mut line).await.expect("it prints a line");
            assert!(read > 0, "it names its port");
            let port = line.split_once("started successfully on port ");
            if let Some((_, port)) = port {
                break port.trim().trim_end_matches('.').parse().expect("a port");
            }
        };
        Self {
            child,
            address: SocketAddr::from(([127, 0, 0, 1], port)),
            folder,
            _output: output,
        }
    }

    /// Requests that it stops its browsers and itself.
    fn shut_down(&self) -> std::io::Result<()> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(DEADLINE))?;
        stream.write_all(b"GET /shutdown HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
        stream.read_exact(&mut [0; 12])?;
        Ok(())
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if self.shut_down().is_err() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
