//! What a host sets, for the service or for a request, and the types with which its own code decides. The most used
//! ones are at the root of the crate.

pub(crate) mod author;
pub(crate) mod base_url;
pub(crate) mod callback;
pub(crate) mod client;
pub(crate) mod key_requests;
pub(crate) mod login;
#[cfg(feature = "pages")]
pub(crate) mod page_settings;
pub(crate) mod review;
pub(crate) mod signed_in;

pub use self::author::{Author, AuthorKey};
pub use self::key_requests::{KeyDecision, KeyGrant};
pub use self::login::LoginAddress;
#[cfg(feature = "pages")]
#[cfg_attr(docsrs, doc(cfg(feature = "pages")))]
pub use self::page_settings::frame::{CspNonce, FramedPage};
#[cfg(feature = "pages")]
#[cfg_attr(docsrs, doc(cfg(feature = "pages")))]
pub use self::page_settings::look::Contact;
pub use self::review::{Submission, Verdict};
