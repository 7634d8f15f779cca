//! The methods of [`Handbill`] that set what the pages look like and who may frame them.

use std::sync::Arc;

use crate::host::page_settings::PageSettings;
use crate::host::page_settings::frame::FramedPage;
use crate::host::page_settings::look::{Contact, OwnStyle};
use crate::http::ETagMaker;
use crate::service::Handbill;

/// Settings of the pages, with the feature `pages`.
#[cfg_attr(docsrs, doc(cfg(feature = "pages")))]
impl Handbill {
    /// Sets the name of the site, for its pages, its feeds and links to its posts. By default it is the host
    /// of its address. All instances of a service need the same name.
    pub fn with_name(self, name: &str) -> Self {
        self.with_variant(|pages| {
            if let Some(name) = one_line(name) {
                pages.name = name;
            }
        })
    }

    /// Sets what the site is about: a sentence for its first page, its feeds and search engines. By default
    /// there is none. All instances of a service need the same one.
    pub fn with_description(self, description: &str) -> Self {
        self.with_variant(|pages| pages.description = one_line(description))
    }

    /// Adds a style sheet after those of the pages, in CSS. By default there is none. It can set the variables of our
    /// style sheet, such as `--link`; `examples/axum/themes` has examples. A host with a frame links its own.
    pub fn with_style(self, css: &str) -> Self {
        self.with_variant(|pages| pages.style = OwnStyle::new(css))
    }

    /// Sets a line of plain text for the footer of each page. By default there is none.
    pub fn with_footer(self, text: &str) -> Self {
        self.with_variant(|pages| pages.footer = one_line(text))
    }

    /// Sets the contact for readers: the footer of each page links there, and so does *Report this post* on the page of
    /// a post. By default there is none.
    pub fn with_contact(self, contact: Contact) -> Self {
        self.with_variant(|pages| pages.contact = Some(contact))
    }

    /// Names a hub in the feeds, by its address, from which readers can get new posts at once
    /// ([WebSub](https://www.w3.org/TR/websub/), section 4). By default there is none. A listener has to tell the hub
    /// of new posts: the crate `handbill-webhooks` has one.
    pub fn with_hub(self, url: &str) -> Self {
        self.with_variant(|pages| pages.hub = Some(url.into()))
    }

    /// Names the address at which agents use this service by the Model Context Protocol in `llms.txt`. By default there
    /// is none. The crate `handbill-mcp` has a service for it.
    pub fn with_mcp(self, url: &str) -> Self {
        self.with_variant(|pages| pages.mcp = Some(url.into()))
    }

    /// Changes what pages and feeds contain. Entity tags depend on it.
    fn with_variant(self, change: impl FnOnce(&mut PageSettings)) -> Self {
        self.with(|settings| {
            change(&mut settings.pages);
            settings.etags = ETagMaker::new(&settings.base_url, &settings.pages.variant());
        })
    }

    /// Sets whether there are pages, feeds, a sitemap, `llms.txt` and sources of posts besides the API. By
    /// default, there are.
    pub fn with_pages(self, shown: bool) -> Self {
        self.with(|settings| settings.pages_are_on = shown)
    }

    /// Replaces our frame around each page by the host's own: a function that takes the parts of a page
    /// and returns a whole HTML document with these parts in it.
    ///
    /// The pages' Content-Security-Policy allows the frame to load files from its own origin, and images
    /// from any origin over https. A host with scripts or styles inside its frame gives its requests a
    /// [`CspNonce`](crate::host::CspNonce). Since the frame may depend on the request, framed pages are stored
    /// by browsers only, not by shared caches. [`FramedPage`] has an example.
    pub fn with_frame<F>(self, frame: F) -> Self
    where
        F: Fn(&FramedPage<'_>) -> String + Send + Sync + 'static,
    {
        self.with(|settings| settings.pages.frame = Some(Arc::new(frame)))
    }
}

/// The text with a space in place of white space and control characters, which a feed could not contain.
/// `None` if nothing remains.
fn one_line(text: &str) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then(|| words.join(" "))
}
