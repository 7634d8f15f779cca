//! Exports spans by OTLP, over HTTP, to a collector. The standard variables say where and how: the endpoint is in
//! `OTEL_EXPORTER_OTLP_ENDPOINT`, or else there is no export; `OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER` and others are
//! heeded, too.

use std::env;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::header::HeaderMap;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{TraceContextExt, TracerProvider};
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_http::{HeaderExtractor, HttpClient, HttpError};
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tokio::runtime::Handle;
use tracing::{Level, Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

/// The time limit for one export.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Where the endpoint is.
const ENDPOINTS: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
];

/// Exports what is left when it is dropped.
#[derive(Debug)]
pub(crate) struct Export(SdkTracerProvider);

/// The layer that exports spans, if the environment names a collector.
pub(crate) fn layer<S>(
    runtime: &Handle,
) -> Result<Option<(impl Layer<S>, Export)>, ExporterBuildError>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let is_named = |name: &&str| env::var_os(name).is_some_and(|endpoint| !endpoint.is_empty());
    if !ENDPOINTS.iter().any(is_named) {
        return Ok(None);
    }
    let client = OnRuntime {
        client: HyperClient::with_default_connector(TIMEOUT, None),
        runtime: runtime.clone(),
    };
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(client)
        .build()?;
    let mut resource = Resource::builder();
    if env::var_os("OTEL_SERVICE_NAME").is_none() {
        resource = resource.with_service_name("handbill");
    }
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource.build())
        .build();
    let ours = filter_fn(|metadata| {
        metadata.is_span()
            && metadata.target().starts_with("handbill")
            && *metadata.level() <= Level::DEBUG
    });
    let layer = tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("handbill"))
        .with_location(false)
        .with_threads(false)
        .with_filter(ours);
    Ok(Some((layer, Export(provider))))
}

/// Makes the span a child of the one that `traceparent` names.
pub(crate) fn set_parent(span: &Span, headers: &HeaderMap) {
    let parent = TraceContextPropagator::new().extract(&HeaderExtractor(headers));
    // It fails only if no layer exports the span.
    let _ = span.set_parent(parent);
}

/// Sets the name of a span, which becomes known after it has begun.
pub(crate) fn set_name(span: &Span, name: String) {
    span.context().span().update_name(name);
}

impl Drop for Export {
    fn drop(&mut self) {
        if let Err(error) = self.0.shutdown() {
            tracing::warn!(%error, "the last spans could not be exported");
        }
    }
}

/// Sends requests on the runtime of the program: spans are exported by a thread that has none.
#[derive(Debug)]
struct OnRuntime {
    client: HyperClient,
    runtime: Handle,
}

#[async_trait]
impl HttpClient for OnRuntime {
    async fn send_bytes(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let sent = self
            .runtime
            .spawn(async move { client.send_bytes(request).await });
        sent.await?
    }
}
