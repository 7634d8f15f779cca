//! The style sheets, scripts and images of the pages. Their names contain a hash of their content, so
//! browsers can cache them forever.

use std::sync::LazyLock;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use sha2::{Digest, Sha256};

use crate::cache::Representation;
use crate::context::Context;
use crate::post::hex;
use crate::problem::Problem;

pub(crate) struct Asset {
    file: &'static str,
    media_type: &'static str,
    bytes: LazyLock<Bytes>,
    /// The file name in its address, such as `page-0123456789abcdef.css`.
    name: LazyLock<String>,
}

/// How the name of the host's style sheet begins.
const OWN_STYLE: &str = "style-";

macro_rules! assets {
    ($($name:ident: $file:literal $([$($before:literal),+])?, $media_type:literal;)*) => {
        $(
            pub(crate) static $name: &Asset = {
                static ASSET: Asset = Asset {
                    file: $file,
                    media_type: $media_type,
                    bytes: LazyLock::new(|| {
                        as_sent($media_type, &[
                            $($(include_bytes!(concat!("assets/", $before)).as_slice(),)+)?
                            include_bytes!(concat!("assets/", $file)).as_slice(),
                        ])
                    }),
                    name: LazyLock::new(|| hashed_name(ASSET.file, &ASSET.bytes)),
                };
                &ASSET
            };
        )*

        static ALL: LazyLock<Vec<&Asset>> = LazyLock::new(|| vec![$($name),*]);
    };
}

assets! {
    STYLE: "page.css", "text/css; charset=utf-8";
    LIST_STYLE: "list.css", "text/css; charset=utf-8";
    CODE_STYLE: "code.css", "text/css; charset=utf-8";
    POST_STYLE: "post.css" ["notice.css", "text.css"], "text/css; charset=utf-8";
    DOCS_STYLE: "docs.css", "text/css; charset=utf-8";
    FORM_STYLE: "form.css" ["notice.css"], "text/css; charset=utf-8";
    EDITOR_STYLE: "editor.css" ["notice.css", "text.css", "code.css", "form.css"], "text/css; charset=utf-8";
    FRAME_STYLE: "frame.css", "text/css; charset=utf-8";
    COPY_SCRIPT: "copy.js", "text/javascript; charset=utf-8";
    ONCE_SCRIPT: "once.js", "text/javascript; charset=utf-8";
    POST_SCRIPT: "post.js", "text/javascript; charset=utf-8";
    COUNT_SCRIPT: "count.js", "text/javascript; charset=utf-8";
    EDITOR_SCRIPT: "editor.js", "text/javascript; charset=utf-8";
    TIMES_SCRIPT: "times.js", "text/javascript; charset=utf-8";
    TYPING_SCRIPT: "typing.js", "text/javascript; charset=utf-8";
    PASTE_SCRIPT: "paste.js", "text/javascript; charset=utf-8";
    TURNDOWN_SCRIPT: "turndown.js", "text/javascript; charset=utf-8";
    OFFER_SCRIPT: "offer.js", "text/javascript; charset=utf-8";
    LISTED_SCRIPT: "listed.js", "text/javascript; charset=utf-8";
    LINK_SCRIPT: "link.js", "text/javascript; charset=utf-8";
    YOUR_POSTS_SCRIPT: "your-posts.js", "text/javascript; charset=utf-8";
    ICON: "icon.svg", "image/svg+xml";
    TOUCH_ICON: "touch-icon.png", "image/png";
    SMALL_APP_ICON: "app-icon-192.png", "image/png";
    LARGE_APP_ICON: "app-icon-512.png", "image/png";
    CARD: "card.png", "image/png";
}

impl Asset {
    pub(super) fn bytes(&self) -> Bytes {
        self.bytes.clone()
    }

    /// The address of the file, below the address or the path of the mount point.
    pub(super) fn at(&self, root: &str) -> String {
        format!("{root}/assets/{}", *self.name)
    }
}

/// Joins the files. Removes indentation and comment lines, and in style sheets unneeded spaces and semicolons.
fn as_sent(media_type: &str, files: &[&'static [u8]]) -> Bytes {
    if !media_type.starts_with("text/") {
        return Bytes::from_static(files[0]);
    }
    let text = files.concat();
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines().map(str::trim_start);
    let is_comment =
        |line: &&str| line.starts_with("//") || (line.starts_with("/*") && line.ends_with("*/"));
    let lines = lines.filter(|line| !line.is_empty() && !is_comment(line));
    if media_type.starts_with("text/css") {
        let text = lines.collect::<Vec<_>>().join(" ");
        let parts = [" {", "{ ", "; ", ": ", ", ", "} ", " > "].into_iter();
        let text = parts.fold(text, |text, part| text.replace(part, part.trim()));
        return text.replace(";}", "}").into();
    }
    lines.collect::<Vec<_>>().join("\n").into()
}

fn hashed_name(file: &str, bytes: &[u8]) -> String {
    let (stem, extension) = file.split_once('.').unwrap_or((file, ""));
    let hash = Sha256::digest(bytes);
    format!("{stem}-{}.{extension}", hex::encode(&hash[..8]))
}

/// Whether there is a file with this name. Only the host knows the name of its style sheet.
pub(super) fn is_there(name: &str) -> bool {
    name.starts_with(OWN_STYLE) || find(name).is_some()
}

fn find(name: &str) -> Option<&'static Asset> {
    ALL.iter().copied().find(|asset| *asset.name == name)
}

/// The file that has this name: one of the pages, or the host's style sheet.
pub(super) fn show(context: &Context, name: &str) -> Result<Representation, Problem> {
    if let Some(asset) = find(name) {
        return Ok(immutable(asset.media_type, asset.bytes()));
    }
    let style = context.pages.style.as_ref();
    let style = style.filter(|style| style.name == name);
    let style = style.ok_or_else(Problem::not_found)?;
    Ok(immutable(STYLE.media_type, style.css.clone()))
}

/// A file that browsers never revalidate (RFC 8246).
fn immutable(media_type: &'static str, bytes: Bytes) -> Representation {
    let mut file = Representation::new(media_type);
    let control = HeaderValue::from_static("public, max-age=31536000, immutable");
    file.headers_mut().insert(header::CACHE_CONTROL, control);
    file.with_body(bytes)
}
