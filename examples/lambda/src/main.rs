//! Handbill on AWS Lambda, over PostgreSQL. It serves function URLs, HTTP APIs, REST APIs and load balancers.
//!
//! `lambda_http` makes a request of each kind of event. `respond` adds what Handbill needs to know: the path below the
//! mount, and the client.

#[cfg(test)]
mod tests;

use std::env;
use std::time::Instant;

use handbill::{ClientAddr, Handbill, RoutePattern};
use handbill_sql::PostgresStore;
use lambda_http::http::Uri;
use lambda_http::request::RequestContext;
use lambda_http::{Error, IntoResponse, Request, RequestExt, Service, service_fn, tracing};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// What URLs escape in paths.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'}');

#[tokio::main]
async fn main() -> Result<(), Error> {
    tracing::init_default_subscriber();
    let base_url = setting("BASE_URL")?;
    // Not `cached`: between two requests the process is frozen. It learns of no changes then, and its clock may stand
    // still, so it would take old posts for fresh ones.
    let store = PostgresStore::open(&setting("DATABASE_URL")?).await?;
    let handbill = Handbill::new(&base_url, store)?;
    let address: Uri = base_url.parse()?;
    let mount = address.path().trim_end_matches('/');
    lambda_http::run(service_fn(|request| respond(&handbill, mount, request))).await
}

/// The error does not repeat the value, which may be a secret.
fn setting(name: &str) -> Result<String, Error> {
    env::var(name).map_err(|_| format!("the environment variable {name} is missing").into())
}

/// Responds to a request. Logs routes, not paths: Handbill's paths and queries can contain secrets.
async fn respond(
    handbill: &Handbill,
    mount: &str,
    mut request: Request,
) -> Result<impl IntoResponse + use<>, Error> {
    let (started, method) = (Instant::now(), request.method().clone());
    *request.uri_mut() = below(mount, &request)?;
    if let Some(client) = client(&request) {
        request.extensions_mut().insert(client);
    }
    let response = handbill.clone().call(request).await?;
    let route = response.extensions().get::<RoutePattern>();
    let route = route.map_or("-", |pattern| pattern.0);
    let (status, micros) = (response.status().as_u16(), started.elapsed().as_micros());
    tracing::info!("{method} {route} {status} {micros} µs");
    Ok(response)
}

/// The path below the mount, and the query. A REST API does not send its stage, although the public address has it,
/// so the path may lack the mount.
fn below(mount: &str, request: &Request) -> Result<Uri, Error> {
    // The path as it came in the event: that of `request.uri()` is normalised, and always has the stage. An HTTP API
    // has decoded it.
    let whole = utf8_percent_encode(request.raw_http_path(), ESCAPED).to_string();
    let path = match whole.strip_prefix(mount) {
        Some("") => "/",
        Some(path) if path.starts_with('/') => path,
        _ => &whole,
    };
    let query = request.uri().query();
    let query = query.map_or(String::new(), |query| format!("?{query}"));
    Ok(format!("{path}{query}").parse()?)
}

/// The address that AWS received the request from. A client can't forge it.
fn client(request: &Request) -> Option<ClientAddr> {
    let address = match request.request_context_ref()? {
        RequestContext::ApiGatewayV1(context) => context.identity.source_ip.as_deref()?,
        RequestContext::ApiGatewayV2(context) => context.http.source_ip.as_deref()?,
        // The event of a load balancer has it in the header alone, where it appends it to what the client sent.
        RequestContext::Alb(_) => {
            let forwarded = request.headers().get_all("x-forwarded-for");
            let last = forwarded.iter().next_back()?.to_str().ok()?;
            last.rsplit(',').next()?.trim()
        }
        _ => return None,
    };
    address.parse().ok().map(ClientAddr)
}
