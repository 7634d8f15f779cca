//! What a host sets about the pages.

pub(crate) mod frame;
pub(crate) mod look;
pub(crate) mod site_name;

use std::sync::Arc;

use self::frame::Frame;
use self::look::Look;
use self::site_name::SiteName;
use crate::host::base_url::BaseUrl;

#[derive(Clone)]
pub(crate) struct PageSettings {
    pub(crate) are_on: bool,
    pub(crate) site: SiteName,
    pub(crate) look: Look,
    pub(crate) frame: Option<Frame>,
    /// The address of the WebSub hub of the feeds.
    pub(crate) hub: Option<Arc<str>>,
    /// The address for agents.
    pub(crate) mcp: Option<Arc<str>>,
}

impl PageSettings {
    pub(crate) fn new(base_url: &BaseUrl) -> Self {
        Self {
            are_on: cfg!(feature = "pages"),
            site: SiteName::of(base_url),
            look: Look::default(),
            frame: None,
            hub: None,
            mcp: None,
        }
    }

    /// What the bytes of responses depend on, for their entity tags.
    pub(crate) fn variant(&self) -> String {
        format!("{:?}", (&self.site, &self.look, &self.hub, &self.mcp))
    }
}
