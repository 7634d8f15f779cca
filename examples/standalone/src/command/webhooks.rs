//! `handbill webhooks`: what webhooks and the hub wait for.

use std::error::Error;
use std::io::{self, Write};

use handbill::{Handbill, Timestamp};

use crate::command::WebhooksCommand;
use crate::options::Options;
use crate::terminal::printable;
use crate::webhooks::{Webhooks, is_webhook, names_of, receivers};

pub(crate) async fn run(
    command: &WebhooksCommand,
    options: &Options,
    handbill: &Handbill,
) -> Result<(), Box<dyn Error>> {
    match command {
        WebhooksCommand::List => list(options, handbill).await,
        WebhooksCommand::Test { webhook } => test(options, webhook).await,
        WebhooksCommand::Drop { webhook } => drop(webhook, handbill).await,
    }
}

async fn list(options: &Options, handbill: &Handbill) -> Result<(), Box<dyn Error>> {
    let set: Vec<_> = receivers(options).map(|(name, _)| name).collect();
    let mut stdout = io::stdout();
    let mut states = handbill.durable_listeners().await?;
    states.retain(is_webhook);
    // For readers: programs read the lines of standard output.
    eprintln!("name\toption\tevents waiting\tsince\tlast failure at\tlast failure");
    for state in &states {
        let is_set = match set.contains(&state.name) {
            true => "set",
            false => "not set",
        };
        let oldest = time(state.oldest);
        let failure = state.last_failure.as_ref();
        let failed_at = time(failure.map(|failure| failure.at));
        let error = failure.map_or("-".to_owned(), |failure| printable(&failure.error));
        let (name, waiting) = (&state.name, state.waiting);
        writeln!(
            stdout,
            "{name}\t{is_set}\t{waiting}\t{oldest}\t{failed_at}\t{error}"
        )?;
    }
    for name in set {
        if !states.iter().any(|state| state.name == name) {
            writeln!(stdout, "{name}\tnot in the database\t0\t-\t-\t-")?;
        }
    }
    Ok(())
}

async fn test(options: &Options, webhook: &str) -> Result<(), Box<dyn Error>> {
    let webhook = Webhooks::find(options, webhook)?;
    let status = webhook.send_test().await?;
    match status.is_success() {
        true => Ok(writeln!(io::stdout(), "status {}", status.as_u16())?),
        false => Err(format!("{}: status {}", webhook.name(), status.as_u16()).into()),
    }
}

async fn drop(webhook: &str, handbill: &Handbill) -> Result<(), Box<dyn Error>> {
    let names = names_of(webhook);
    let states = handbill.durable_listeners().await?;
    let mut states = states.iter().filter(|state| is_webhook(state));
    let state = states.find(|state| names.contains(&state.name));
    let state = state.ok_or_else(|| format!("there is no webhook {}", names[0]))?;
    let (name, waiting) = (&state.name, state.waiting);
    handbill.remove_durable_listener(name).await?;
    eprintln!("dropped {name} and {waiting} events; a start with its option adds it again");
    Ok(())
}

fn time(at: Option<Timestamp>) -> String {
    at.map_or("-".to_owned(), Timestamp::to_rfc3339)
}
