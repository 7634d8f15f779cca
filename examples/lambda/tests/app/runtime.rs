//! The program, and a server that gives it events as Lambda does.

use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use handbill_tests::mount::listen;
use serde_json::Value;
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;

use crate::gateway::{Gateway, Request, Response};

/// Longer than any response takes, even on a slow machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A running program, which gets one event at a time. It is killed when dropped.
#[derive(Debug)]
pub(crate) struct Lambda {
    program: Child,
    events: mpsc::Sender<Value>,
    /// An error is what the program reports instead of a response.
    responses: mpsc::Receiver<Result<Value, String>>,
}

struct Api {
    events: Mutex<mpsc::Receiver<Value>>,
    responses: mpsc::Sender<Result<Value, String>>,
}

impl Lambda {
    pub(crate) async fn start(base_url: &str, database: &str) -> Self {
        let (events, for_program) = mpsc::channel(1);
        let (from_program, responses) = mpsc::channel(1);
        let address = serve(Api {
            events: Mutex::new(for_program),
            responses: from_program,
        });
        let program = Command::new(env!("CARGO_BIN_EXE_handbill-example-lambda"))
            .env("AWS_LAMBDA_RUNTIME_API", address.await.to_string())
            .env("AWS_LAMBDA_FUNCTION_NAME", "handbill")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256")
            .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
            .env("BASE_URL", base_url)
            .env("DATABASE_URL", database)
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn();
        Self {
            program: program.expect("the program starts"),
            events,
            responses,
        }
    }

    /// Sends an event, and returns what the program responds to Lambda.
    pub(crate) async fn invoke(&mut self, event: Value) -> Value {
        self.events.send(event).await.expect("the server runs");
        let response = timeout(TIMEOUT, self.responses.recv()).await;
        let response = response.expect("a response in time").expect("a response");
        response.expect("a response that is no error")
    }

    /// Sends a request through a gateway.
    pub(crate) async fn send(&mut self, gateway: Gateway, request: Request<'_>) -> Response {
        Response::new(&self.invoke(gateway.event(&request, false)).await)
    }

    /// Sends a signal to the program: `STOP` freezes it, and `CONT` lets it go on.
    pub(crate) async fn signal(&self, signal: &str) {
        let id = self.program.id().expect("it runs").to_string();
        let sent = Command::new("kill")
            .args(["-s", signal, &id])
            .status()
            .await;
        assert!(sent.expect("kill runs").success());
    }

    /// Ends the program, and returns its log.
    pub(crate) async fn log(mut self) -> String {
        self.program.start_kill().expect("it can be killed");
        let output = self.program.wait_with_output().await;
        String::from_utf8(output.expect("its output").stdout).expect("text")
    }
}

/// Lambda's Runtime API, on a free port.
async fn serve(api: Api) -> SocketAddr {
    let invocation = "/2018-06-01/runtime/invocation";
    let app = Router::new()
        .route(&format!("{invocation}/next"), get(next))
        .route(&format!("{invocation}/{{id}}/response"), post(respond))
        .route(&format!("{invocation}/{{id}}/error"), post(fail))
        .with_state(Arc::new(api));
    let (listener, address) = listen().await;
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

/// Waits for the next event.
async fn next(State(api): State<Arc<Api>>) -> impl IntoResponse {
    let event = api.events.lock().await.recv().await;
    let headers = [
        ("content-type", "application/json"),
        (
            "lambda-runtime-aws-request-id",
            "8476a536-e9f4-11e8-9739-2dfe598c3fcd",
        ),
        ("lambda-runtime-deadline-ms", "4102444800000"),
        (
            "lambda-runtime-invoked-function-arn",
            "arn:aws:lambda:eu-west-1:123456789012:function:handbill",
        ),
    ];
    match event {
        Some(event) => (StatusCode::OK, headers, event.to_string()).into_response(),
        // The test is over.
        None => StatusCode::GONE.into_response(),
    }
}

async fn respond(State(api): State<Arc<Api>>, body: String) -> StatusCode {
    let response = serde_json::from_str(&body).map_err(|error| error.to_string());
    let _ = api.responses.send(response).await;
    StatusCode::ACCEPTED
}

async fn fail(State(api): State<Arc<Api>>, body: String) -> StatusCode {
    let _ = api.responses.send(Err(body)).await;
    StatusCode::ACCEPTED
}
