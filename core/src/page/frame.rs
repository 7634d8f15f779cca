//! The frame around each page: ours, or the host's.

use askama::Template;
use http::request::Parts;

use super::asset;
use super::site::Site;
use crate::frame::{Frame, FramedPage};

/// A page: a template whose blocks `title`, `head` and `main` go into a frame. By itself it renders
/// within ours.
pub(super) trait Page: Template {
    /// What all pages share.
    fn site(&self) -> &Site<'_>;
    /// Its blocks, rendered: `title`, `head` and `main`.
    fn blocks(&self) -> [String; 3];
}

/// Makes a template with the field `site` a [`Page`].
macro_rules! page {
    ($name:ty) => {
        impl $crate::page::frame::Page for $name {
            fn site(&self) -> &$crate::page::site::Site<'_> {
                &self.site
            }

            fn blocks(&self) -> [String; 3] {
                use $crate::page::frame::rendered;
                [
                    rendered(&self.as_title()),
                    rendered(&self.as_head()),
                    rendered(&self.as_main()),
                ]
            }
        }
    };
}
pub(super) use page;

pub(super) fn rendered(template: &impl Template) -> String {
    let text = template.render();
    text.unwrap_or_else(|_| unreachable!("templates hold nothing that fails to print"))
}

/// The page in its frame.
pub(super) fn framed(page: &impl Page, frame: Option<&Frame>, request: &Parts) -> String {
    let Some(frame) = frame else {
        return rendered(page);
    };
    let (site, [title, head, main]) = (page.site(), page.blocks());
    let style = rendered(&Style { site });
    frame(&FramedPage {
        language: site.words.tag(),
        title: &title,
        head: &head,
        style: &style,
        main: &format!("<div class=\"handbill\">\n{main}</div>\n"),
        request,
    })
}

#[derive(Template)]
#[template(
    source = r#"<link rel="stylesheet" href="{{ site.asset(asset::STYLE) }}"{{ site.nonce()|safe }}>"#,
    ext = "html"
)]
struct Style<'a> {
    site: &'a Site<'a>,
}
