//! [`Handbill`]: the service with its settings, and what the host's own code can do with it.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::archive::Archive;
use crate::cache::{self, ResponseCache};
use crate::context::{Context, Settings};
use crate::host::base_url::BaseUrl;
use crate::host::callback::boxed;
use crate::host::client::TrustedProxies;
use crate::host::key_requests::KeyRequests;
#[cfg(feature = "pages")]
use crate::host::page_settings::PageSettings;
use crate::http::ETagMaker;
use crate::http::body_drain::BodyDrain;
use crate::limits::rate::RateLimits;
use crate::limits::rate_limiter::RateLimiter;
use crate::limits::response_budget::ResponseBudget;
use crate::listener::{DurableListenerError, InMemoryListener, ListenerConfig, Listeners};
use crate::observe::measured_store::MeasuredStore;
use crate::observe::request_id::RequestId;
use crate::observe::stats::Stats;
use crate::operations::health;
use crate::operations::host::Posts;
use crate::operations::keys::Keys;
use crate::operations::schedule::Schedule;
use crate::post::{Actor, Change, ChangeNote, Clock, Event, Limits, ParseError};
use crate::problem::Problem;
use crate::store::{ListenerState, Store};

/// The publishing service: API and pages over a store.
///
/// A clone is the same service, and cheap. The service accepts requests with any body type, returns
/// each response with its whole body in memory, and never fails.
///
/// ```
/// use handbill::{Handbill, KeyRequests, MemoryStore};
///
/// let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?
///     .with_key_requests(KeyRequests::Closed)
///     .with_cors(false);
/// # Ok::<_, handbill::ParseError>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct Handbill {
    pub(crate) context: Context,
    /// Makes what is due, until all clones are dropped.
    pub(super) schedule: Arc<Schedule>,
}

impl Handbill {
    /// Creates the service at a public address, over a store.
    ///
    /// From now on, or without a tokio runtime from the first request on, it publishes and deletes posts at their time
    /// (see [`Draft::publish_at`](crate::Draft::publish_at)), unless [`with_tasks`](Self::with_tasks) ends that.
    ///
    /// The address is that of the mount point: `https://example.org`, or `https://example.org/blog` for
    /// a service that is mounted at `/blog`.
    ///
    /// # Errors
    /// If the address is not an absolute `http` or `https` URL, or has a user, a query, a fragment or an
    /// empty segment: links to `//host` lead to another site.
    pub fn new(base_url: &str, store: impl Store) -> Result<Self, ParseError> {
        let base_url = BaseUrl::parse(base_url)?;
        #[cfg(feature = "pages")]
        let pages = PageSettings::new(&base_url);
        #[cfg(feature = "pages")]
        let etags = ETagMaker::new(&base_url, &pages.variant());
        #[cfg(not(feature = "pages"))]
        let etags = ETagMaker::new(&base_url, "");
        let store = MeasuredStore::new(store);
        let cache = ResponseCache::new(cache::DEFAULT_MAX_BYTES, store.changes.clone());
        let context = Context::new(Settings {
            installation_secret: Arc::default(),
            etags,
            pages_are_on: cfg!(feature = "pages"),
            #[cfg(feature = "pages")]
            pages,
            base_url,
            limits: Limits::default(),
            rate_limiter: Arc::new(RateLimiter::new(RateLimits::default())),
            key_requests: KeyRequests::default(),
            trusted_proxies: TrustedProxies::default(),
            listeners: Arc::new(Listeners::default()),
            change_stats: Arc::default(),
            indexing_stats: Arc::default(),
            review: None,
            find_author: None,
            login: None,
            cors: true,
            compresses: false,
            runs_tasks: true,
            is_stopping: Arc::default(),
            saw_signed_in_visitor: Arc::default(),
            clock: Arc::new(Clock::default()),
            cache: Arc::new(cache),
            cache_bytes: cache::DEFAULT_MAX_BYTES,
            store,
            queues: Arc::default(),
            response_budget: ResponseBudget::new(cache::DEFAULT_MAX_BYTES),
            body_drain: BodyDrain::new(),
        });
        Ok(Self {
            schedule: Schedule::start_new(&context),
            context,
        })
    }

    /// Sets the limits of what clients may send.
    pub fn with_limits(self, limits: Limits) -> Self {
        self.with(|settings| settings.limits = limits)
    }

    /// Sets the rates that clients are limited to.
    pub fn with_rate_limits(self, limits: RateLimits) -> Self {
        self.with(|settings| settings.rate_limiter = Arc::new(RateLimiter::new(limits)))
    }

    /// Sets the proxies whose `X-Forwarded-For` is trusted. By default, none is.
    pub fn with_trusted_proxies(self, proxies: TrustedProxies) -> Self {
        self.with(|settings| settings.trusted_proxies = proxies)
    }

    /// Sets a listener for events. By default, there is none.
    ///
    /// It receives an event for each change that this service makes, over HTTP or for the host, once the change is
    /// durable. It receives one event at a time, and the events of one post in the order of its changes. Its panics are
    /// logged and have no other effect. Up to 8,192 events wait for it in memory, and are lost when the process ends.
    /// Beyond that, each change waits for up to 5 seconds and then fails, unmade, with `store_unavailable`. If the
    /// store cannot tell whether a change was made, there is no event.
    ///
    /// ```
    /// use handbill::{Event, Handbill, MemoryStore};
    ///
    /// let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?
    ///     .with_listener(|event| async move {
    ///         if let Event::PostCreated(post) = event {
    ///             println!("{} is new", post.id.as_str());
    ///         }
    ///     });
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_listener<F, Fut>(self, listener: F) -> Self
    where
        F: Fn(Event) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let listener = InMemoryListener::new(boxed(listener));
        self.context.listeners.set_in_memory(listener);
        self
    }

    /// Adds a listener that misses nothing, also when the process is killed: for an audit or a search index.
    ///
    /// The store records each change in the transaction that makes it, until the listener has returned `Ok` for it. An
    /// error, a panic, or a call of more than a minute, which is dropped, brings the change again: after a second, and
    /// then after pauses that grow to 23 h, unless the error is a [`DeliveryError`](crate::DeliveryError), which asks
    /// for other pauses, or for the end. So each change is delivered **at least once**. Save [`Change::number`] with
    /// your own rows to recognise repetitions: one that is not greater than the last number of the same post is one.
    ///
    /// The changes of one post come in their order, and each one only after those before it have succeeded. Changes of
    /// different posts do not wait for each other: up to 32 calls run at a time. Of all instances that share a store,
    /// one makes the calls; if it is killed, another one goes on within 5 seconds.
    ///
    /// The name finds the listener again after a restart, and in other instances, which should set the same one. A new
    /// name hears of the changes from now on. From then on changes wait for it, also while no instance has set it,
    /// until [`remove_durable_listener`](Self::remove_durable_listener).
    ///
    /// Call it on a tokio runtime, so that changes which were left over are delivered at once. All clones share the
    /// listener.
    ///
    /// ```
    /// use handbill::{Change, Handbill, MemoryStore};
    /// # async fn write_row(change: Change) -> Result<(), std::io::Error> { Ok(()) }
    ///
    /// let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?
    ///     .with_durable_listener("audit", |change| async move {
    ///         write_row(change).await?;
    ///         Ok(())
    ///     })?;
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the store has no [outbox](Store::outbox), or the name does not have 1 to 100 visible ASCII characters.
    pub fn with_durable_listener<F, Fut>(
        self,
        name: &str,
        listener: F,
    ) -> Result<Self, DurableListenerError>
    where
        F: Fn(Change) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), Box<dyn Error + Send + Sync>>> + Send + 'static,
    {
        let context = &self.context;
        let config = ListenerConfig {
            name: DurableListenerError::check(name, &context.store)?,
            callback: boxed(listener),
            store: context.store.clone(),
            clock: Arc::clone(&context.clock),
        };
        context.listeners.add_durable(config);
        Ok(self)
    }

    /// The durable listeners that the store knows, with what waits for each.
    ///
    /// # Errors
    /// `store_unavailable`, also if the store has no outbox.
    pub async fn durable_listeners(&self) -> Result<Vec<ListenerState>, Problem> {
        Ok(self.context.outbox()?.listeners().await?)
    }

    /// Removes a durable listener and what waits for it. Returns whether there was one. Then set it no more: an
    /// instance that does so adds it again.
    ///
    /// # Errors
    /// `store_unavailable`, also if the store has no outbox.
    pub async fn remove_durable_listener(&self, name: &str) -> Result<bool, Problem> {
        Ok(self.context.outbox()?.remove_listener(name).await?)
    }

    /// Waits until every change that was made before this call was delivered to all listeners of this service, in
    /// memory and durable ones, or a durable one has failed at it. It is for tests, and for a clean stop. It waits for
    /// a listener that does not return, so limit the time.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn flush(&self) -> Result<(), Problem> {
        let now = self.context.clock.now();
        Ok(self.context.listeners.flush(now).await?)
    }

    /// Ends the deliveries to durable listeners by all clones, so that another instance or the next start goes on at
    /// once: for a clean stop, after [`flush`](Self::flush). Calls that still run are dropped, and made again there.
    pub async fn end_deliveries(&self) {
        self.context.listeners.end().await;
    }

    /// Says that the host is about to stop: from now on, `/readyz` and `/healthz` return 503, so that a load balancer
    /// sends its requests elsewhere. Everything else goes on as before, in all clones.
    pub fn begin_stop(&self) {
        self.context.is_stopping.store(true, Ordering::Relaxed);
    }

    /// The same service, by which the host's own code makes changes in the name of another actor than [`Actor::Host`]:
    /// of posts and keys, and bans and erasures. It has the host's rights, whatever the actor. Listeners and statements
    /// see the actor, and a [note](Self::with_note), such as the reason.
    ///
    /// ```
    /// use handbill::{Actor, Handbill, MemoryStore, PostId};
    ///
    /// /// A page of the host's own, on which its staff look after posts.
    /// async fn delete(
    ///     handbill: &Handbill,
    ///     id: PostId,
    ///     staff: &str,
    ///     why: &str,
    /// ) -> Result<(), Box<dyn std::error::Error>> {
    ///     let staff = handbill.by(Actor::Staff(staff.parse()?)).with_note(why);
    ///     Ok(staff.posts().delete(id).await?)
    /// }
    /// ```
    pub fn by(&self, actor: Actor) -> Self {
        let mut handbill = self.clone();
        handbill.context.caller = actor;
        handbill
    }

    /// Sets what the host notes about the changes that its own code makes with this clone of the service.
    pub fn with_note(mut self, note: impl Into<ChangeNote>) -> Self {
        self.context.note = Some(note.into());
        self
    }

    /// Sets the identifier of a request that is recorded with the changes which the host's own code makes with this
    /// clone of the service.
    pub fn with_request_id(mut self, id: RequestId) -> Self {
        self.context.request = Some(id);
        self
    }

    /// Sets whether scripts of other sites may use the API and read the feeds, the sitemap and the
    /// sources of posts (CORS). By default, they may.
    pub fn with_cors(self, allowed: bool) -> Self {
        self.with(|settings| settings.cors = allowed)
    }

    /// Sets how many bytes of finished responses the service caches: 64 MiB by default.
    ///
    /// The budget covers everything that this service caches: responses with posts, lists, pages and feeds, with their
    /// compressed forms. A response is used for as long as the store's [`Changes`](crate::store::Changes) allow.
    ///
    /// Responses of more than 64 KiB that are being sent and are not in the cache may take 64 MiB more.
    /// Beyond that, such responses are refused with 503. See [`memory_shortage`](Self::memory_shortage).
    pub fn with_cache_bytes(self, max_bytes: u64) -> Self {
        self.with(|settings| settings.cache_bytes = max_bytes)
    }

    /// Lets readers see posts and lists as they were up to this long ago, if the store does not tell of changes
    /// ([`Store::changes`]). By default such a store is asked at each read. What this service writes itself is seen at
    /// once.
    ///
    /// ```
    /// use std::time::Duration;
    /// # use handbill::{Handbill, MemoryStore};
    /// # let our_store = MemoryStore::new();
    /// let handbill = Handbill::new("https://example.org/blog", our_store)?.with_max_age(Duration::from_secs(1));
    /// # Ok::<(), handbill::ParseError>(())
    /// ```
    pub fn with_max_age(self, age: Duration) -> Self {
        self.with_store(|store| store.with_max_age(age))
    }

    /// Sets whether posts are found by their words, if the store can search
    /// ([`Store::search_index`]). By default, they are. Without search, no words are stored with posts. If a later
    /// start allows it again, it indexes those that lack them.
    pub fn with_search(self, allowed: bool) -> Self {
        self.with_store(|store| store.with_search(allowed))
    }

    fn with_store(self, set: impl FnOnce(MeasuredStore) -> MeasuredStore) -> Self {
        let handbill = self.with(|settings| settings.store = set(settings.store.clone()));
        let runs_tasks = handbill.context.runs_tasks;
        handbill.with_tasks(runs_tasks)
    }

    /// Sets whether this service publishes and deletes posts at their time, and makes older posts searchable, in tasks
    /// of its own. By default, it does. A program that only manages the posts of a service leaves that to the service.
    pub fn with_tasks(self, allowed: bool) -> Self {
        let handbill = self.with(|settings| settings.runs_tasks = allowed);
        Self {
            schedule: Schedule::start_new(&handbill.context),
            ..handbill
        }
    }

    /// Compresses public responses of 1 KiB and more with Brotli or gzip, as clients accept it, each once for all
    /// clients. By default, they are sent as they are. What is private may hold a secret, and is never compressed.
    #[cfg(feature = "compression")]
    #[cfg_attr(docsrs, doc(cfg(feature = "compression")))]
    pub fn with_compression(self) -> Self {
        self.with(|settings| settings.compresses = true)
    }

    /// The public address of the mount point, without a slash at its end.
    pub fn base_url(&self) -> &str {
        self.context.base_url.as_str()
    }

    /// The posts, for the host's own code.
    pub fn posts(&self) -> Posts<'_> {
        Posts::new(&self.context)
    }

    /// The API keys, for the host's own code.
    pub fn keys(&self) -> Keys<'_> {
        Keys::new(&self.context)
    }

    /// Everything that the store has, as a file that another store can read.
    pub fn archive(&self) -> Archive<'_> {
        Archive::new(&self.context)
    }

    /// What the service has done, what it has in memory, and what waits, for the host's metrics. All clones have the
    /// same.
    ///
    /// What is to be known of a single response is in its extensions: the [`RoutePattern`](crate::RoutePattern), and
    /// the [`Code`](crate::Code) of a problem. So a host counts both with the metrics that it has for all of its
    /// routes.
    ///
    /// It asks the store for its health and for its listeners, and takes 1.5 seconds at most.
    ///
    /// ```
    /// # use handbill::{Draft, Handbill, MemoryStore};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
    /// handbill.posts().create(Draft::new().body("Counted.")).await?;
    /// let stats = handbill.stats().await;
    /// assert_eq!(stats.changes.posts_created, 1);
    /// println!("{} bytes of responses are cached", stats.responses.bytes);
    /// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub async fn stats(&self) -> Stats {
        health::stats(&self.context).await
    }

    /// Waits until memory for large responses is short. Returns how many bytes should be freed, at least 1.
    ///
    /// Clients that read slowly hold their responses in memory, until large ones are refused to all clients
    /// ([`with_cache_bytes`](Self::with_cache_bytes)). Memory is short before, as soon as responses of more
    /// than 64 KiB take more than 48 MiB besides the cache.
    ///
    /// A host that owns its connections calls this in a loop. Each time, it takes the client that holds the most bytes
    /// of responses which are being sent to it, and closes that client's connection whose response has been being sent
    /// for the longest; then the next one, until what they held covers the bytes. Memory is free when the last copy of
    /// a response's body is dropped, so the host waits a moment before the next call. A response that is in the cache,
    /// or that several clients read, is in memory once and its memory is not free then; the next call says so.
    ///
    /// It may be dropped at any time, and several callers may wait.
    ///
    /// ```
    /// # use std::time::Duration;
    /// use handbill::Handbill;
    /// # fn close_slow_readers(_: u64) {}
    ///
    /// async fn free_memory(handbill: Handbill) {
    ///     loop {
    ///         let bytes = handbill.memory_shortage().await;
    ///         close_slow_readers(bytes);
    ///         tokio::time::sleep(Duration::from_millis(10)).await;
    ///     }
    /// }
    /// ```
    pub async fn memory_shortage(&self) -> u64 {
        self.context.response_budget.shortage().await
    }

    pub(crate) fn with(mut self, set: impl FnOnce(&mut Settings)) -> Self {
        let settings = self.context.settings_mut();
        set(settings);
        // Cached responses depend on the settings.
        let changes = settings.store.changes.clone();
        settings.cache = Arc::new(ResponseCache::new(settings.cache_bytes, changes));
        settings.response_budget = ResponseBudget::new(settings.cache_bytes);
        self
    }
}
