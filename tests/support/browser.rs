//! A real browser, through its WebDriver. Each test has its own, and it can reach only this machine.

mod chromium;
mod driver;
mod firefox;

use std::fmt;
use std::time::{Duration, Instant};

use fantoccini::{Client, ClientBuilder};
use serde_json::Value;

pub use self::chromium::{Message, Request};
use self::driver::Driver;

/// Longer than any condition takes. A condition that never holds fails after this time.
const DEADLINE: Duration = Duration::from_secs(30);

/// The browsers that tests can use.
#[derive(Clone, Copy, Debug)]
pub enum Engine {
    /// Chromium, in which all tests run.
    Chromium,
    /// Firefox, in which an author's tests run too.
    Firefox,
}

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

impl Browser {
    /// Starts a browser. Reports what is missing if it can't.
    pub async fn start(engine: Engine, reader: Reader) -> Option<Self> {
        let programs = match engine {
            Engine::Chromium => chromium::PROGRAMS,
            Engine::Firefox => firefox::PROGRAMS,
        };
        let mut driver = Driver::start(&programs).await?;
        let capabilities = match engine {
            Engine::Chromium => chromium::capabilities(reader, driver.folder.path()),
            Engine::Firefox => firefox::capabilities(reader),
        };
        let Value::Object(capabilities) = capabilities else {
            unreachable!("capabilities are an object");
        };
        let client = ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://{}", driver.address))
            .await
            .expect("the browser starts");
        driver.session = client.session_id().await.expect("the session has an id");
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
}

/// Waits until a condition in the browser holds.
pub async fn until(what: impl fmt::Display, holds: impl AsyncFn() -> bool) {
    let started = Instant::now();
    while !holds().await {
        assert!(started.elapsed() < DEADLINE, "{what}");
        tokio::task::yield_now().await;
    }
}
