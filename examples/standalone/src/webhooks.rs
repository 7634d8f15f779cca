//! The webhooks and the hub that the options name, and the file with the secrets of the webhooks.
//!
//! A line of the file has the name of a webhook, its secret, and after a rotation the secret before. Each webhook has
//! its own, so that no receiver can sign what another one verifies. Of several lines with one name, the first counts:
//! so instances that start at the same time, and share the file, have the same secrets. A line that begins with `#` is
//! a comment.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use handbill::Handbill;
use handbill::store::ListenerState;
use handbill_webhooks::{Counts, InvalidUrl, Secret, Webhook, WebhookUrl};

use crate::database_url::DatabaseUrl;
use crate::options::{Options, Switch};

const SECRETS_FILE: &str = "handbill-webhooks.secrets";

/// URLs with white space or commas between them. A comma within one is written `%2C`.
#[derive(Clone, Debug)]
pub(crate) struct WebhookUrls(pub(crate) Vec<WebhookUrl>);

/// The webhooks and the hub of the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Webhooks(Vec<Webhook>);

/// The secrets of a webhook: the one of now, and the one before.
type Secrets = (Secret, Option<Secret>);

impl WebhookUrls {
    /// The errors do not repeat the URLs, whose paths may be secret.
    pub(crate) fn parse(list: &str) -> Result<Self, InvalidUrl> {
        let urls = list.split(|c: char| c.is_whitespace() || c == ',');
        let urls = urls.filter(|url| !url.is_empty()).map(str::parse);
        urls.collect::<Result<_, _>>().map(Self)
    }
}

impl Webhooks {
    /// Those that the options name. Makes the secrets that are missing.
    pub(crate) fn open(options: &Options) -> Result<Self, Box<dyn Error>> {
        let file = secrets_file(options);
        let mut webhooks: Vec<Webhook> = Vec::new();
        for url in options.webhooks() {
            let name = name_of(url);
            if !webhooks.iter().any(|other| other.name() == name) {
                webhooks.push(webhook(url, secrets(&file, &name)?));
            }
        }
        webhooks.extend(options.hub.clone().map(Webhook::hub));
        let allowed = options.webhook_private == Switch::On;
        let webhooks = webhooks
            .into_iter()
            .map(|webhook| webhook.with_private_addresses(allowed));
        Ok(Self(webhooks.collect()))
    }

    /// The webhook that the options name by this URL or name, with the secrets that are there.
    pub(crate) fn find(options: &Options, named: &str) -> Result<Webhook, Box<dyn Error>> {
        let names = names_of(named);
        let mut urls = options.webhooks();
        let url = urls.find(|url| names.contains(&name_of(url)));
        let url = url.ok_or_else(|| format!("no option names the webhook {}", names[0]))?;
        let (file, name) = (secrets_file(options), name_of(url));
        let secrets = find(&file, &name)?.ok_or_else(|| {
            let file = file.display();
            format!("{file} has no secret for {name}: the service makes it at its start")
        })?;
        let allowed = options.webhook_private == Switch::On;
        Ok(webhook(url, secrets).with_private_addresses(allowed))
    }

    /// A line for each webhook and the hub that the options name. Reads the secrets that are there, and makes none.
    pub(crate) fn check(options: &Options) -> Result<BTreeSet<String>, Box<dyn Error>> {
        let file = secrets_file(options);
        let shown = file.display();
        let hub = options.hub.iter().map(hub_name);
        let hub = hub.map(|hub| format!("{hub}: gets a notice of each new post"));
        let mut lines: BTreeSet<_> = hub.collect();
        for url in options.webhooks() {
            let name = name_of(url);
            lines.insert(match find(&file, &name)? {
                Some(_) => format!("{name}: its secret is in {shown}"),
                None => {
                    check_writable(&file)?;
                    format!("{name}: the start would make its secret in {shown}")
                }
            });
        }
        Ok(lines)
    }

    pub(crate) fn add_to(&self, mut handbill: Handbill) -> Result<Handbill, Box<dyn Error>> {
        for webhook in &self.0 {
            handbill = webhook.add_to(handbill)?;
        }
        Ok(handbill)
    }

    /// What became of deliveries, with the names of the listeners.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&str, Counts)> {
        let webhooks = self.0.iter();
        webhooks.map(|webhook| (webhook.name(), webhook.counts()))
    }

    /// Logs for which webhooks changes wait although no option names them.
    pub(crate) async fn warn_of_others(&self, handbill: &Handbill) {
        for state in handbill.durable_listeners().await.unwrap_or_default() {
            if is_webhook(&state) && !self.0.iter().any(|webhook| webhook.name() == state.name) {
                let (name, waiting) = (&state.name, state.waiting);
                tracing::warn!(
                    "no option names {name} any more, for which {waiting} events wait; \
                     `handbill webhooks drop` ends it"
                );
            }
        }
    }
}

/// Logs which webhooks and hub are at private addresses, if those are refused. Names are not looked up.
pub(crate) fn warn_of_private(options: &Options) {
    let is_refused = |url: &WebhookUrl| options.webhook_private == Switch::Off && url.is_private();
    for (name, _) in receivers(options).filter(|(_, url)| is_refused(url)) {
        tracing::warn!(
            "{name} is at a private address, and gets nothing without --webhook-private on"
        );
    }
}

fn webhook(url: &WebhookUrl, (now, old): Secrets) -> Webhook {
    let webhook = Webhook::new(url.clone(), now);
    match old {
        Some(old) => webhook.with_old_secret(old),
        None => webhook,
    }
}

/// Whether a listener is a webhook or a hub of this program, now or earlier.
pub(crate) fn is_webhook(state: &ListenerState) -> bool {
    state.name.starts_with("webhook:") || state.name.starts_with("hub:")
}

/// The name of a webhook, which its secret does not change.
fn name_of(url: &WebhookUrl) -> String {
    let webhook = Webhook::new(url.clone(), Secret::generate());
    webhook.name().to_owned()
}

fn hub_name(url: &WebhookUrl) -> String {
    Webhook::hub(url.clone()).name().to_owned()
}

/// The names and addresses of the webhooks and the hub that the options name.
pub(crate) fn receivers(options: &Options) -> impl Iterator<Item = (String, &WebhookUrl)> {
    let webhooks = options.webhooks().map(|url| (name_of(url), url));
    webhooks.chain(options.hub.iter().map(|url| (hub_name(url), url)))
}

/// The names that a URL stands for, as a webhook and as a hub. Any other text is a name.
pub(crate) fn names_of(webhook: &str) -> Vec<String> {
    match webhook.parse() {
        Ok(url) => vec![name_of(&url), hub_name(&url)],
        Err(_) => vec![webhook.to_owned()],
    }
}

/// The file that the options name, or else one beside the database of SQLite, or in the working directory.
fn secrets_file(options: &Options) -> PathBuf {
    match (&options.webhook_secrets, &options.database) {
        (Some(file), _) => file.clone(),
        (None, DatabaseUrl::Sqlite(database)) => database.with_file_name(SECRETS_FILE),
        (None, _) => SECRETS_FILE.into(),
    }
}

/// Whether a secret can be added to the file, as far as that shows while nothing is written.
fn check_writable(file: &Path) -> Result<(), Box<dyn Error>> {
    let folder = std::path::absolute(file)?;
    let is_in_folder = folder.parent().is_some_and(Path::is_dir);
    match OpenOptions::new().append(true).open(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && is_in_folder => Ok(()),
        opened => opened.map(drop).map_err(|error| cannot_write(file, &error)),
    }
}

fn cannot_write(file: &Path, error: &io::Error) -> Box<dyn Error> {
    format!("could not write {}: {error}", file.display()).into()
}

/// The secrets of a webhook, which are made if there are none.
fn secrets(file: &Path, name: &str) -> Result<Secrets, Box<dyn Error>> {
    if let Some(found) = find(file, name)? {
        return Ok(found);
    }
    // Who has edited the file may have left out the last end of a line.
    let text = fs::read_to_string(file).unwrap_or_default();
    let is_ended = text.is_empty() || text.ends_with('\n');
    let end = if is_ended { "" } else { "\n" };
    let line = format!("{end}{name} {}\n", Secret::generate().expose());
    let mut options = OpenOptions::new();
    let opened = options.append(true).create(true).mode(0o600).open(file);
    let written = opened.and_then(|mut opened| opened.write_all(line.as_bytes()));
    written.map_err(|error| cannot_write(file, &error))?;
    tracing::info!("made a secret for {name} in {}", file.display());
    let found = find(file, name)?;
    found.ok_or_else(|| format!("{} has no secret for {name}", file.display()).into())
}

/// The secrets of a webhook. Refuses the file if any line is not understood, and repeats nothing of it.
fn find(file: &Path, name: &str) -> Result<Option<Secrets>, Box<dyn Error>> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|error| format!("could not read {}: {error}", file.display()))?,
    };
    let mut found = None;
    for (index, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        let Some(named) = words.next().filter(|word| !word.starts_with('#')) else {
            continue;
        };
        let secrets: Option<Vec<Secret>> = words.map(|word| word.parse().ok()).collect();
        let mut secrets = secrets.into_iter().flatten();
        let secrets = (secrets.next(), secrets.next(), secrets.next());
        let (true, (Some(now), old, None)) = (named.starts_with("webhook:"), secrets) else {
            let expected = "the name of a webhook and one secret or two, or # and a comment";
            let (file, line) = (file.display(), index + 1);
            return Err(format!("{file}, line {line}: expected {expected}").into());
        };
        if named == name {
            found.get_or_insert((now, old));
        }
    }
    Ok(found)
}
