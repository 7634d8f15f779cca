//! Reports requests that take long, with what they waited for: the spans of the service tell it.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{FilterFn, filter_fn};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// A request that takes longer is reported. The time in which its client sends the body does not count.
const LONG: Duration = Duration::from_secs(1);

/// Looks at the spans of the service.
pub(crate) struct SlowRequests(());

/// When a span began.
struct Began(Instant);

/// A request, and what it has waited for.
#[derive(Default)]
struct Request {
    method: String,
    route: String,
    id: String,
    body: Duration,
    queue: Duration,
    store: Duration,
    work: Duration,
}

impl SlowRequests {
    pub(crate) fn layer<S>() -> impl Layer<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let is_ours: FilterFn = filter_fn(|metadata| {
            metadata.is_span()
                && metadata.target().starts_with("handbill::")
                && *metadata.level() <= Level::DEBUG
        });
        Self(()).with_filter(is_ours)
    }
}

impl Request {
    /// Where a span of this name counts.
    fn wait(&mut self, name: &str) -> Option<&mut Duration> {
        match name {
            "body" => Some(&mut self.body),
            "queue" => Some(&mut self.queue),
            "store" => Some(&mut self.store),
            "work" => Some(&mut self.work),
            _ => None,
        }
    }

    fn report(&self, took: Duration) {
        let millis = |duration: Duration| duration.as_millis() as u64;
        tracing::warn!(
            method = self.method,
            route = self.route,
            millis = millis(took),
            store = millis(self.store),
            queue = millis(self.queue),
            work = millis(self.work),
            body = millis(self.body),
            id = self.id,
            "a slow request, with the milliseconds that it waited for each"
        );
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for SlowRequests {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else {
            return;
        };
        span.extensions_mut().insert(Began(Instant::now()));
        if span.name() == "request" {
            let mut request = Request::default();
            attributes.record(&mut request);
            span.extensions_mut().insert(request);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else {
            return;
        };
        let began = span.extensions().get::<Began>().map(|began| began.0);
        let Some(took) = began.map(|began| began.elapsed()) else {
            return;
        };
        if let Some(request) = span.extensions_mut().remove::<Request>() {
            if took.saturating_sub(request.body) > LONG {
                request.report(took);
            }
            return;
        }
        for ancestor in span.scope().skip(1) {
            if let Some(request) = ancestor.extensions_mut().get_mut::<Request>() {
                if let Some(wait) = request.wait(span.name()) {
                    *wait += took;
                }
                return;
            }
        }
    }
}

impl Visit for Request {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let text = format!("{value:?}");
        match field.name() {
            "method" => self.method = text,
            "id" => self.id = text,
            _ => {}
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "route" {
            value.clone_into(&mut self.route);
        }
    }
}
