//! Chromium, and what only its driver offers: the console, the requests and Chrome DevTools. Tests that
//! use these run in Chromium only.

use std::path::Path;

use fantoccini::wd::WebDriverCompatibleCommand;
use http::Method;
use serde_json::{Value, json};
use url::{ParseError, Url};

use super::driver::Programs;
use super::{Browser, Reader};

pub(super) const PROGRAMS: Programs = Programs {
    browser: "chromium",
    driver: "chromedriver",
    install: "apt-get install chromium chromium-driver",
    before_port: "started successfully on port ",
};

/// The session that the driver is asked for. The browser writes its files into the folder.
pub(super) fn capabilities(reader: Reader, folder: &Path) -> Value {
    json!({
        "browserName": "chrome",
        "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        "goog:chromeOptions": {
            "args": [
                "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                "--disable-background-networking", "--disable-component-update",
                "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
                "--window-size=1280,900",
                format!("--user-data-dir={}", folder.join("profile").display()),
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
    })
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
