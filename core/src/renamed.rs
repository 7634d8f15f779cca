//! Types under their names in version 0.1.

use crate::base_url::ParseBaseUrlError;
use crate::client::ParseTrustedProxyError;
use crate::owner::ParseOwnerError;
#[cfg(feature = "pages")]
use crate::page_settings::frame::ParseCspNonceError;
use crate::post::{PageRequestError, ParseTagError, ParseVisibilityError};

macro_rules! renamed {
    ($($old:ident => $new:ident;)*) => {$(
        #[doc = concat!("The old name of [`", stringify!($new), "`].")]
        #[deprecated(since = "0.2.0", note = "it has the name of the type that it stands for")]
        pub type $old = $new;
    )*};
}

renamed! {
    InvalidBaseUrl => ParseBaseUrlError;
    InvalidTrustedProxy => ParseTrustedProxyError;
    InvalidOwner => ParseOwnerError;
    InvalidPageRequest => PageRequestError;
    EmptyTag => ParseTagError;
    UnknownVisibility => ParseVisibilityError;
}

#[cfg(feature = "pages")]
renamed! {
    InvalidCspNonce => ParseCspNonceError;
}
