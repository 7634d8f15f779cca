//! What pages load: styles, script and pictures, under names that change with what is in them, so that
//! a browser keeps each for good.

use std::fmt;
use std::sync::LazyLock;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use sha2::{Digest, Sha256};

use crate::http::response::{self, Response};

/// A file that pages load.
pub(crate) struct Asset {
    file: &'static str,
    media_type: &'static str,
    bytes: &'static [u8],
    name: LazyLock<String>,
}

macro_rules! assets {
    ($($name:ident: $file:literal, $media_type:literal;)*) => {
        $(
            pub(crate) static $name: &Asset = {
                static ASSET: Asset = Asset {
                    file: $file,
                    media_type: $media_type,
                    bytes: include_bytes!(concat!("assets/", $file)),
                    name: LazyLock::new(|| hashed_name(ASSET.file, ASSET.bytes)),
                };
                &ASSET
            };
        )*

        static ALL: LazyLock<Vec<&Asset>> = LazyLock::new(|| vec![$($name),*]);
    };
}

assets! {
    STYLE: "page.css", "text/css; charset=utf-8";
    FORM_STYLE: "form.css", "text/css; charset=utf-8";
    FRAME_STYLE: "frame.css", "text/css; charset=utf-8";
    SCRIPT: "page.js", "text/javascript; charset=utf-8";
    ICON: "icon.svg", "image/svg+xml";
    CARD: "card.png", "image/png";
}

impl Asset {
    /// The name that it is served under: `page-0123456789abcdef.css`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

fn hashed_name(file: &str, bytes: &[u8]) -> String {
    let (stem, extension) = file.split_once('.').unwrap_or((file, ""));
    let hash: String = Sha256::digest(bytes)[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{stem}-{hash}.{extension}")
}

/// The file of this name.
pub(crate) fn find(name: &str) -> Option<&'static Asset> {
    ALL.iter().copied().find(|asset| asset.name() == name)
}

/// The file. Whoever has it never asks again (RFC 8246).
pub(crate) fn show(asset: &Asset) -> Response {
    let mut response = response::bytes(asset.media_type, Bytes::from_static(asset.bytes));
    response::set(
        &mut response,
        header::CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=31536000, immutable"),
    );
    response
}

impl fmt::Debug for Asset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Asset").field(&self.file).finish()
    }
}
