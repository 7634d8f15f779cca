//! What a host sets about the pages.

pub(crate) mod frame;
pub(crate) mod look;

use std::sync::Arc;

use self::frame::Frame;
use self::look::{Contact, OwnStyle};
use crate::host::base_url::BaseUrl;

#[derive(Clone)]
pub(crate) struct PageSettings {
    /// What the site is called.
    pub(crate) name: String,
    /// What it is about, in one sentence.
    pub(crate) description: Option<String>,
    pub(crate) style: Option<OwnStyle>,
    /// A line in the footer.
    pub(crate) footer: Option<String>,
    pub(crate) contact: Option<Contact>,
    pub(crate) frame: Option<Frame>,
    /// The address of the WebSub hub of the feeds.
    pub(crate) hub: Option<Arc<str>>,
    /// The address for agents.
    pub(crate) mcp: Option<Arc<str>>,
}

impl PageSettings {
    pub(crate) fn new(base_url: &BaseUrl) -> Self {
        let host = base_url.origin().split_once("://");
        Self {
            name: host.map_or("", |(_, host)| host).to_owned(),
            description: None,
            style: None,
            footer: None,
            contact: None,
            frame: None,
            hub: None,
            mcp: None,
        }
    }

    /// What the bytes of responses depend on, for their entity tags.
    pub(crate) fn variant(&self) -> String {
        let site = (&self.name, &self.description);
        let look = (&self.style, &self.footer, &self.contact);
        format!("{:?}", (site, look, &self.hub, &self.mcp))
    }
}
