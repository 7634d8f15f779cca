//! What a route belongs to: the API, the pages, or the feeds.

/// What a route belongs to. It decides whether scripts of other sites may read the responses, whether the host can
/// switch the route off, and whether errors are HTML for browsers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RouteGroup {
    /// Open to scripts of other sites, and always on. Its errors are always problem details.
    Api,
    /// Closed to scripts of other sites.
    Pages,
    /// Feeds, the sitemap, `llms.txt`, and the Markdown sources and cards of posts: open to scripts of other
    /// sites, and switched on and off together with the pages.
    Feeds,
}

impl RouteGroup {
    /// Whether CORS may open it to scripts of other sites.
    pub(crate) const fn is_open_to_scripts(self) -> bool {
        matches!(self, Self::Api | Self::Feeds)
    }

    /// Whether it is switched off together with the pages. A browser then also gets its errors as HTML.
    pub(crate) const fn goes_with_pages(self) -> bool {
        matches!(self, Self::Pages | Self::Feeds)
    }
}
