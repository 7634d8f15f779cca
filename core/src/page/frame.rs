//! Frames: each page is shown in the frame of this crate or in the host's own.

use askama::Template;

use super::asset;
use super::site::Site;
use crate::host::page_settings::frame::{Frame, FramedPage};
use crate::http::Head;
use crate::post::PostSummary;

/// A page: a template of the block `main`, with the blocks `title` and `head`.
pub(super) trait Page {
    fn site(&self) -> &Site<'_>;
    fn post(&self) -> Option<&PostSummary>;
    /// The blocks: `title`, `head` and `main`.
    fn blocks(&self) -> [String; 3];
}

/// Implements [`Page`] for a template with the field `site`. The field `post` is named for pages that have it.
macro_rules! page {
    ($name:ty $(, $post:ident)?) => {
        impl $crate::page::frame::Page for $name {
            fn site(&self) -> &$crate::page::site::Site<'_> {
                &self.site
            }

            fn post(&self) -> Option<&$crate::post::PostSummary> {
                None$(.or(Some(self.$post)))?
            }

            fn blocks(&self) -> [String; 3] {
                use $crate::page::frame::render;
                [
                    render(&self.as_title()),
                    render(&self.as_head()),
                    render(self),
                ]
            }
        }
    };
}
pub(super) use page;

pub(super) fn render(template: &impl Template) -> String {
    let text = template.render();
    text.unwrap_or_else(|_| unreachable!("nothing in a template fails to print"))
}

/// Renders a page in the host's frame, or else in our own.
pub(super) fn framed(page: &dyn Page, frame: Option<&Frame>, request: &Head) -> String {
    let (site, [title, head, main]) = (page.site(), page.blocks());
    let Some(frame) = frame else {
        return render(&OwnFrame {
            site,
            title,
            head,
            main,
        });
    };
    let links = PageLinks { site };
    let (style, links) = (render(&links.as_style()), render(&links));
    frame(&FramedPage {
        language: site.language.tag(),
        title: &title,
        head: &head,
        style: &style,
        main: &format!("<div class=\"handbill\">\n{main}{links}</div>\n"),
        post: page.post(),
        may_edit: page.post().is_some_and(|post| may_edit(request, post)),
        request: &request.parts,
    })
}

#[derive(Template)]
#[template(path = "frame.html")]
struct OwnFrame<'a> {
    site: &'a Site<'a>,
    title: String,
    head: String,
    main: String,
}

/// What a page in a host's frame has of ours: the style sheet, and the links to the other pages.
#[derive(Template)]
#[template(path = "links.html", block = "main", blocks = ["style"])]
struct PageLinks<'a> {
    site: &'a Site<'a>,
}

/// Whether a visitor may change a post without a token.
pub(super) fn may_edit(head: &Head, post: &PostSummary) -> bool {
    let visitor = head.signed_in.as_ref();
    visitor.is_some_and(|visitor| visitor.may_edit(post.owner.as_ref()))
}
