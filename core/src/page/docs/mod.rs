//! `GET /docs`: the documentation of the API for people. It has a tour of commands to paste, a reference
//! that is generated from `openapi.json`, and a page about errors.

pub(crate) mod errors;
mod reference;
mod tour;

use askama::Template;

use self::reference::Reference;
use self::tour::Step;
use super::site::Site;
use super::{asset, frame, text};
use crate::api::words;
use crate::context::Context;
use crate::http::representation::Representation;
use crate::http::request::Head;
use crate::key_requests::KeyRequests;
use crate::rate::{Rate, RateLimits};

#[derive(Template)]
#[template(path = "docs/docs.html", blocks = ["title", "head", "main"])]
struct DocsPage<'a> {
    site: Site<'a>,
    /// The address of the page about errors.
    errors: String,
    tour: Vec<Step>,
    keys_are_open: bool,
    reference: Reference,
    has_cors: bool,
    max_request: String,
    rates: Vec<String>,
}

frame::page!(DocsPage<'_>);

/// The page.
pub(crate) fn show<'a>(context: &'a Context, head: &'a Head) -> Representation<'a> {
    let site = Site::of(context, head);
    let keys_are_open = matches!(context.key_requests, KeyRequests::Open);
    let template = DocsPage {
        errors: site.to("/docs/errors"),
        tour: tour::steps(site.url, keys_are_open),
        keys_are_open,
        reference: Reference::of(context),
        has_cors: context.cors,
        max_request: size(&site, context.limits.request),
        rates: rates(&site, context.meter.limits()),
        site,
    };
    let page = super::write(context, head, &template);
    super::public(context, head, async { Ok(page) })
}

/// A size in words.
fn size(site: &Site<'_>, bytes: usize) -> String {
    const MEBIBYTE: usize = 1024 * 1024;
    let message = if bytes.is_multiple_of(MEBIBYTE) {
        site.words.say("size").with("mebibytes", bytes / MEBIBYTE)
    } else {
        site.words.say("size-bytes").with("bytes", bytes)
    };
    message.to_string()
}

/// The rate limits in words.
fn rates(site: &Site<'_>, limits: &RateLimits) -> Vec<String> {
    let words = site.words;
    let requests = [
        (limits.creations, words.say("rate-creations")),
        (limits.changes, words.say("rate-changes")),
        (limits.previews, words.say("rate-previews")),
        (limits.key_requests, words.say("rate-key-requests")),
        (
            limits.wrong_credentials,
            words.say("rate-wrong-credentials"),
        ),
    ];
    let lines = requests.into_iter().filter_map(|(rate, name)| {
        let line = rate_in_words(site, rate?, |times| times.to_string());
        Some(format!("{name} {line}"))
    });
    let stored = limits.stored_bytes.map(|rate| {
        let line = rate_in_words(site, rate, |bytes| size(site, bytes as usize));
        format!("{} {line}", words.say("rate-stored-bytes"))
    });
    lines.chain(stored).collect()
}

fn rate_in_words(site: &Site<'_>, rate: Rate, amount: impl Fn(u32) -> String) -> String {
    let message = if rate.burst == rate.times {
        site.words.say("rate")
    } else {
        site.words.say("rate-burst")
    };
    message
        .with("amount", amount(rate.times.get()))
        .with("seconds", rate.period.as_secs())
        .with("burst", amount(rate.burst.get()))
        .to_string()
}

/// The message names that this page builds at run time.
#[cfg(test)]
pub(crate) fn messages() -> Vec<String> {
    let steps = tour::steps("", true);
    let names = steps.iter().flat_map(|step| [step.title(), step.text()]);
    names.collect()
}
