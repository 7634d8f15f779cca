//! A real browser: Chromium under its WebDriver, a private copy for each test, which reaches nothing
//! beyond this machine.

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

/// No condition takes as long to come true; one that never does ends here.
const DEADLINE: Duration = Duration::from_secs(30);

/// How a reader has set the browser up.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// The languages that are asked for, as in `Accept-Language`.
    pub languages: &'static str,
    /// Whether pages may run scripts.
    pub runs_scripts: bool,
}

/// A running browser with one window, gone without a trace when dropped.
#[derive(Debug)]
pub struct Browser {
    client: Client,
    _driver: Driver,
}

/// A message on the browser's console.
#[derive(Debug)]
pub struct Message {
    /// What wrote it: `network`, `security`, `console-api`, `javascript`, …
    pub source: String,
    /// What it says, which begins with the address that it is about.
    pub text: String,
}

/// A request that the browser sent, or would have.
#[derive(Debug)]
pub struct Request {
    /// What it was for: `Document`, `Stylesheet`, `Script`, `Image`, `Fetch`, …
    pub kind: String,
    /// Where it went.
    pub url: String,
}

impl Browser {
    /// Starts a browser, or says aloud what is missing for it.
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
                    // Whatever a page asks for elsewhere is seen in the log and goes nowhere.
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

    /// What drives its window.
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// Goes to an address, and waits for the page to be loaded.
    pub async fn open(&self, url: &str) {
        let opened = self.client.goto(url).await;
        opened.unwrap_or_else(|error| panic!("{url} opens: {error}"));
    }

    /// What a script returns, run in the page as the body of a function.
    pub async fn run(&self, script: &str, arguments: Vec<Value>) -> Value {
        let result = self.client.execute(script, arguments).await;
        result.unwrap_or_else(|error| panic!("a script runs: {error}\n{script}"))
    }

    /// The same for a script that calls its last argument with its result.
    pub async fn run_async(&self, script: &str, arguments: Vec<Value>) -> Value {
        let result = self.client.execute_async(script, arguments).await;
        result.unwrap_or_else(|error| panic!("a script runs: {error}\n{script}"))
    }

    /// Has the browser itself do something (Chrome DevTools Protocol).
    pub async fn devtools(&self, method: &'static str, parameters: Value) -> Value {
        let body = json!({ "cmd": method, "params": parameters });
        self.ask("goog/cdp/execute", body).await
    }

    /// Shows pages as a screen of so many CSS pixels does, in light or dark.
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

    /// What stands on the console since it was last looked at.
    pub async fn console(&self) -> Vec<Message> {
        let entries = self.log("browser").await;
        let text = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let messages = entries.iter().map(|entry| Message {
            source: text(entry, "source"),
            text: text(entry, "message"),
        });
        messages.collect()
    }

    /// What was asked for since this was last looked at.
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
        match self.ask("se/log", json!({ "type": name })).await {
            Value::Array(entries) => entries,
            other => panic!("a log is a list, and not {other}"),
        }
    }

    async fn ask(&self, path: &'static str, body: Value) -> Value {
        let answer = self.client.issue_cmd(Ask { path, body }).await;
        answer.unwrap_or_else(|error| panic!("{path} answers: {error}"))
    }
}

/// Waits until a condition holds that the browser works on.
pub async fn until(what: impl fmt::Display, holds: impl AsyncFn() -> bool) {
    let started = Instant::now();
    while !holds().await {
        assert!(started.elapsed() < DEADLINE, "{what}");
        tokio::task::yield_now().await;
    }
}

/// A command that only Chromium's driver knows.
#[derive(Debug)]
struct Ask {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for Ask {
    fn endpoint(&self, base_url: &Url, session_id: Option<&str>) -> Result<Url, ParseError> {
        let session = session_id.unwrap_or_default();
        base_url.join(&format!("session/{session}/{}", self.path))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.to_string()))
    }
}

/// The program that drives browsers, with a folder for all that they write.
#[derive(Debug)]
struct Driver {
    child: Child,
    address: SocketAddr,
    folder: TempDir,
    /// It must not write into a pipe that nobody holds.
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
            let read = output
                .read_line(&mut line)
                .await
                .expect("it says something");
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

    /// Asks it to end its browsers and itself.
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
