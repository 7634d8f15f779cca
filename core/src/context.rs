//! What every handler needs, in one place.

use std::sync::Arc;

use crate::base_url::BaseUrl;
use crate::conditional::ETagMaker;
use crate::limit::Limits;
use crate::rate::Meter;
use crate::rendering::Renderer;
use crate::store::Store;
use crate::time::Clock;

/// The service's parts and settings.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) base_url: BaseUrl,
    pub(crate) limits: Limits,
    pub(crate) meter: Meter,
    pub(crate) key_requests: KeyRequests,
    pub(crate) cors: bool,
    pub(crate) pages: bool,
    pub(crate) clock: Arc<Clock>,
    pub(crate) etags: ETagMaker,
    pub(crate) renderer: Arc<Renderer>,
}

/// Who gets an API key on request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyRequests {
    /// Whoever asks.
    #[default]
    Open,
    /// Nobody: keys come from the host alone.
    Closed,
}
