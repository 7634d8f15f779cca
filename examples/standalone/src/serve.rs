//! The service itself: what it is made of, and how it starts and stops.

use std::error::Error;
use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use handbill::{Handbill, RateLimits, Store};
use handbill_example_shared::stop_signal;
use sd_notify::NotifyState;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::database::Database;
use crate::options::{Options, Switch};
use crate::server::{Address, Clients, Sockets};
use crate::webhooks::{Webhooks, warn_of_private};
use crate::{metrics, server, systemd};

/// How long the last changes may take to be delivered to listeners, and how long the end of that.
const DELIVERY_TIMEOUT: Duration = Duration::from_millis(500);

/// Serves until a signal stops it.
pub(crate) async fn serve(options: &Options, database: &Database) -> Result<(), Box<dyn Error>> {
    let sockets = listen(&options.listen).await?;
    let addresses: Vec<_> = sockets.addresses().collect::<io::Result<_>>()?;
    let bound = addresses.iter().find(|url| url.starts_with("http:"));
    let own_url = bound.cloned().unwrap_or_else(|| options.listen.url());
    let base_url = options.base_url.as_ref().unwrap_or(&own_url);
    let handbill = service(options, base_url, Arc::clone(&database.store))?;
    let webhooks = Webhooks::open(options)?;
    let handbill = webhooks.add_to(handbill)?;
    webhooks.warn_of_others(&handbill).await;
    let clients = Clients::new(handbill.clone(), options.trusted_proxies.clone())?;
    #[cfg(feature = "mcp")]
    let clients = match options.mcp {
        Switch::On => clients.with_mcp(),
        Switch::Off => clients,
    };
    let max_connections = server::max_connections(options.max_connections);
    // Both end when this is dropped.
    let mut background = JoinSet::new();
    if let Some(address) = &options.metrics_listen {
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|error| cannot_listen(address, &error))?;
        tracing::info!("metrics are at http://{}/metrics", listener.local_addr()?);
        let scraped = metrics::Scraped {
            metrics: Arc::clone(&clients.metrics),
            handbill: handbill.clone(),
            webhooks,
        };
        background.spawn(metrics::serve(listener, scraped));
    }
    let stop = stop(&handbill, Duration::from_secs(options.stop_delay))?;
    let mut stdout = io::stdout();
    for address in &addresses {
        // A closed standard output is no reason to stop.
        let _ = writeln!(stdout, "handbill listening on {address}");
    }
    let _ = stdout.flush();
    systemd::tell(NotifyState::Ready);
    background.spawn(systemd::feed_watchdog());
    server::run(sockets, clients, max_connections, stop).await?;
    let flushed = timeout(DELIVERY_TIMEOUT, handbill.flush()).await;
    if !matches!(flushed, Ok(Ok(()))) {
        tracing::warn!("not all changes were delivered to the listeners in time");
    }
    // If it takes too long, the next start waits until the leases end.
    let _ = timeout(DELIVERY_TIMEOUT, handbill.end_deliveries()).await;
    Ok(())
}

/// The service, with the settings that the options name.
pub(crate) fn service(
    options: &Options,
    base_url: &str,
    store: impl Store + 'static,
) -> Result<Handbill, Box<dyn Error>> {
    warn_of_private(options);
    let rate_limits = match options.rate_limits {
        Switch::On => RateLimits::default(),
        Switch::Off => RateLimits::off(),
    };
    let style = options.style.as_deref().map(read_style).transpose()?;
    let mut handbill = Handbill::new(base_url, store)?
        .with_name(options.name.as_deref().unwrap_or_default())
        .with_description(options.description.as_deref().unwrap_or_default())
        .with_key_requests(options.key_requests.into())
        .with_rate_limits(rate_limits)
        .with_cors(options.cors == Switch::On)
        .with_search(options.search == Switch::On)
        .with_compression()
        .with_style(&style.unwrap_or_default())
        .with_footer(options.footer.as_deref().unwrap_or_default());
    if options.mcp == Switch::On {
        let address = format!("{}/mcp", handbill.base_url());
        handbill = handbill.with_mcp(&address);
    }
    if let Some(contact) = &options.contact {
        handbill = handbill.with_contact(contact.clone());
    }
    Ok(handbill)
}

/// Listens on the sockets that systemd has passed, or else on this address.
async fn listen(address: &Address) -> Result<Sockets, Box<dyn Error>> {
    if let Some(passed) = Sockets::passed()? {
        return Ok(passed);
    }
    let listening = Sockets::bind(address).await;
    listening.map_err(|error| cannot_listen(address, &error))
}

fn cannot_listen(address: &dyn Display, error: &io::Error) -> Box<dyn Error> {
    format!("could not listen on {address}: {error}").into()
}

/// Completes when the program is to accept no more connections: so long after a signal, or at a second one. Until then,
/// `/readyz` tells load balancers.
fn stop(handbill: &Handbill, delay: Duration) -> io::Result<impl Future<Output = ()> + use<>> {
    let signal = stop_signal()?;
    let handbill = handbill.clone();
    Ok(async move {
        signal.await;
        handbill.begin_stop();
        systemd::tell(NotifyState::Stopping);
        if let Ok(second_signal) = stop_signal() {
            let _ = timeout(delay, second_signal).await;
        }
    })
}

/// The operator's style sheet.
fn read_style(file: &Path) -> Result<String, String> {
    let failed = |error| format!("could not read the style sheet {}: {error}", file.display());
    fs::read_to_string(file).map_err(failed)
}
