//! What a route belongs to: the API, the pages, or the feeds.

/// What a route belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RouteGroup {
    /// Always on.
    Api,
    Pages,
    /// Feeds, the sitemap, `llms.txt`, and the Markdown sources and cards of posts.
    #[cfg(feature = "pages")]
    Feeds,
}

impl RouteGroup {
    /// Whether scripts of other sites may read the responses, if the host allows CORS.
    pub(crate) const fn is_open_to_scripts(self) -> bool {
        !matches!(self, Self::Pages)
    }

    /// Whether the host can switch it off. Browsers get its errors as HTML; those of the API are problem details.
    pub(crate) const fn goes_with_pages(self) -> bool {
        !matches!(self, Self::Api)
    }
}
