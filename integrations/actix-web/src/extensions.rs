//! What actix-web's middleware and the service tell each other.
//!
//! actix-web has extensions of its own, which can only be read type by type. So the types are listed.

use actix_web::dev;
#[cfg(feature = "pages")]
use handbill::host::CspNonce;
use handbill::{ChangeNote, ClientAddr, Code, RequestId, RoutePattern, SignedIn};

/// Copies a value of one type from a request of actix-web, if there is one.
pub(crate) type PassOn = fn(&dev::Extensions, &mut http::Extensions);

/// The types that Handbill reads.
pub(crate) const OF_REQUESTS: &[PassOn] = &[
    pass_on::<ChangeNote>,
    pass_on::<ClientAddr>,
    pass_on::<RequestId>,
    pass_on::<SignedIn>,
    #[cfg(feature = "pages")]
    pass_on::<CspNonce>,
];

pub(crate) fn pass_on<T: Clone + Send + Sync + 'static>(
    from: &dev::Extensions,
    to: &mut http::Extensions,
) {
    if let Some(value) = from.get::<T>() {
        to.insert(value.clone());
    }
}

/// Copies what Handbill says about its responses.
pub(crate) fn of_response(from: &http::Extensions, to: &mut dev::Extensions) {
    if let Some(pattern) = from.get::<RoutePattern>() {
        to.insert(*pattern);
    }
    if let Some(code) = from.get::<Code>() {
        to.insert(*code);
    }
}
