//! Calls the service in process, without a server or a framework.

use std::net::IpAddr;

use bytes::Bytes;
use handbill::{ClientAddr, Handbill};
use handbill_testing::http::{Mount, SentBody};
use http::{Request, Response};
use http_body_util::BodyExt;
use tower::ServiceExt;

/// The client address of the tests.
pub const LOCAL: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

/// The mount, for tests that need more than the mount checks do.
pub fn mount() -> Mount {
    mount_for(LOCAL)
}

/// The same, for a client at this address.
pub fn mount_for(client: IpAddr) -> Mount {
    Mount::at("/", move |handbill| async move {
        move |request| call(handbill.clone(), client, request)
    })
}

/// Calls the service as a client at this address.
pub async fn call(
    handbill: Handbill,
    client: IpAddr,
    mut request: Request<SentBody>,
) -> Response<Bytes> {
    request.extensions_mut().insert(ClientAddr(client));
    let Ok(response) = handbill.oneshot(request).await;
    let (parts, body) = response.into_parts();
    let Ok(body) = body.collect().await;
    Response::from_parts(parts, body.to_bytes())
}
