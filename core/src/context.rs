//! What every handler receives: the parts and settings of the service, and which caller and request it works for.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::Mutex;
use tokio::sync::OnceCell;

use crate::cache::ResponseCache;
use crate::host::author::FindAuthor;
use crate::host::base_url::BaseUrl;
use crate::host::callback::Callback;
use crate::host::client::TrustedProxies;
use crate::host::key_requests::KeyRequests;
use crate::host::login::LoginAddress;
#[cfg(feature = "pages")]
use crate::host::page_settings::PageSettings;
use crate::host::review::{Submission, Verdict};
use crate::http::ETagMaker;
use crate::http::body_drain::BodyDrain;
use crate::http::route_group::RouteGroup;
use crate::limits::queue::Queues;
use crate::limits::rate_limiter::RateLimiter;
use crate::limits::response_budget::ResponseBudget;
use crate::listener::Listeners;
use crate::observe::measured_store::MeasuredStore;
use crate::observe::request_id::RequestId;
use crate::observe::stats::{ChangeStats, IndexingStats};
use crate::post::{Actor, ChangeNote, Clock, InstallationSecret, Limits, NewChange};
use crate::problem::{Code, Problem};
use crate::store::{Outbox, Outcome, StoreError, Write};

/// The service as it is called: by a request, or by the host's own code.
#[derive(Clone)]
pub(crate) struct Context {
    settings: Arc<Settings>,
    /// The actor of changes that the host's own code makes. A request names its own.
    pub(crate) caller: Actor,
    /// The request that is handled, if it has an identifier.
    pub(crate) request: Option<RequestId>,
    /// The host's note about the changes that are made.
    pub(crate) note: Option<ChangeNote>,
}

/// The parts and settings of the service.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) store: MeasuredStore,
    /// Read from the store by the first creation that needs it.
    pub(crate) installation_secret: Arc<OnceCell<InstallationSecret>>,
    pub(crate) base_url: BaseUrl,
    pub(crate) limits: Limits,
    pub(crate) rate_limiter: Arc<RateLimiter>,
    pub(crate) key_requests: KeyRequests,
    /// Asked before a post is created or changed.
    pub(crate) review: Option<Callback<Submission, Verdict>>,
    /// Without it, there are no pages of authors, and no `?by=`.
    pub(crate) find_author: Option<FindAuthor>,
    /// Where visitors sign in.
    pub(crate) login: Option<LoginAddress>,
    pub(crate) trusted_proxies: TrustedProxies,
    pub(crate) listeners: Arc<Listeners>,
    pub(crate) change_stats: Arc<Mutex<ChangeStats>>,
    pub(crate) indexing_stats: Arc<Mutex<IndexingStats>>,
    pub(crate) cors: bool,
    pub(crate) compresses: bool,
    /// Whether this service has a schedule, and indexes posts.
    pub(crate) runs_tasks: bool,
    pub(crate) is_stopping: Arc<AtomicBool>,
    /// Whether a visitor was signed in since the start: then the host has a login.
    pub(crate) saw_signed_in_visitor: Arc<AtomicBool>,
    pub(crate) pages_are_on: bool,
    #[cfg(feature = "pages")]
    pub(crate) pages: PageSettings,
    pub(crate) clock: Arc<Clock>,
    pub(crate) etags: ETagMaker,
    pub(crate) cache: Arc<ResponseCache>,
    pub(crate) cache_bytes: u64,
    pub(crate) queues: Arc<Queues>,
    pub(crate) response_budget: ResponseBudget,
    pub(crate) body_drain: BodyDrain,
}

impl Context {
    /// The service that the host calls for itself.
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            settings: Arc::new(settings),
            caller: Actor::Host,
            request: None,
            note: None,
        }
    }

    /// Changes the settings of this clone.
    pub(crate) fn settings_mut(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.settings)
    }

    /// Makes a write. If it is applied, its change is counted, and delivered to the listeners. A write in
    /// the name of a barred owner is refused.
    pub(crate) async fn write(
        &self,
        write: Write,
        change: Option<NewChange>,
    ) -> Result<Outcome, Problem> {
        let change = change.map(|change| {
            let request = self.request.as_ref().map(RequestId::to_string);
            change.with_request(request).with_note(self.note.clone())
        });
        let counter = change.as_ref().and_then(|_| ChangeStats::counter(&write));
        let outcome = self.listeners.write(&self.store, write, change).await?;
        if outcome == Outcome::Barred {
            let detail = "Nothing is accepted from this owner.";
            return Err(Problem::new(Code::Refused, detail));
        }
        if let (Some(counter), Outcome::Applied) = (counter, outcome) {
            *counter(&mut self.change_stats.lock()) += 1;
        }
        Ok(outcome)
    }
}

impl Deref for Context {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.settings
    }
}

impl Settings {
    /// Whether scripts of other sites may read the responses of this group.
    pub(crate) fn is_open_to_scripts(&self, group: RouteGroup) -> bool {
        group.is_open_to_scripts() && self.cors
    }

    /// The installation's secret. The store is asked once, for all requests.
    pub(crate) async fn installation_secret(&self) -> Result<&InstallationSecret, StoreError> {
        let ask_store = || {
            let candidate = InstallationSecret::generate();
            self.store.get_or_insert_installation_secret(candidate)
        };
        self.installation_secret.get_or_try_init(ask_store).await
    }

    pub(crate) fn has_search(&self) -> bool {
        self.store.search_index().is_some()
    }

    pub(crate) fn outbox(&self) -> Result<&dyn Outbox, StoreError> {
        let outbox = self.store.outbox();
        outbox.ok_or_else(|| StoreError::new("find the outbox", "the store has none"))
    }
}
