//! The service without a server, at the root and below a path that is removed.

use std::pin::Pin;

use bytes::Bytes;
use handbill::Handbill;
use handbill_testing::http::SentBody;
use handbill_tests::{bare, mount};
use http::{Request, Response};

async fn mount(
    path: &'static str,
    handbill: Handbill,
) -> impl Fn(Request<SentBody>) -> Pin<Box<dyn Future<Output = Response<Bytes>> + Send>> {
    move |request| {
        let request = mount::below(path, request);
        Box::pin(bare::call(handbill.clone(), bare::LOCAL, request))
    }
}

crate::at_the_root_and_below!(super::mount);
