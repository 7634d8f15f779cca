//! The parts of the service: the API, the pages, and what comes with them.

/// The part of the service that a route belongs to. It decides whether scripts of other sites may read
/// the responses, whether the host can switch the route off, and whether errors are HTML for browsers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The API: open to scripts of other sites, and always on. Its errors are always problem details.
    Api,
    /// The pages: closed to scripts of other sites.
    Pages,
    /// Feeds, the sitemap, `llms.txt`, and the Markdown sources and cards of posts: open to scripts of other
    /// sites, and switched on and off together with the pages.
    Exports,
}

impl Part {
    /// Whether CORS may open it to scripts of other sites.
    pub(crate) const fn is_open_to_scripts(self) -> bool {
        matches!(self, Self::Api | Self::Exports)
    }

    /// Whether it is switched off together with the pages. A browser then also gets its errors as HTML.
    pub(crate) const fn goes_with_pages(self) -> bool {
        matches!(self, Self::Pages | Self::Exports)
    }
}
