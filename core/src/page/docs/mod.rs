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
        errors: site.to("/docs/errors").to_string(),
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
    if bytes.is_multiple_of(MEBIBYTE) {
        let mebibytes = bytes / MEBIBYTE;
        return site
            .words
            .say("size")
            .with("mebibytes", mebibytes)
            .to_string();
    }
    site.words
        .say("size-bytes")
        .with("bytes", bytes)
        .to_string()
}

/// The rate limits in words.
fn rates(site: &Site<'_>, limits: &RateLimits) -> Vec<String> {
    let RateLimits {
        creations,
        key_requests,
        wrong_credentials,
    } = limits;
    let words = site.words;
    let all = [
        (creations, words.say("rate-creations")),
        (key_requests, words.say("rate-key-requests")),
        (wrong_credentials, words.say("rate-wrong-credentials")),
    ];
    let lines = all.into_iter().filter_map(|(rate, name)| {
        let Rate {
            times,
            period,
            burst,
        } = (*rate)?;
        let rate = words.say("rate").with("times", u64::from(times.get()));
        let rate = rate.with("seconds", period.as_secs());
        let rate = rate.with("burst", u64::from(burst.get()));
        Some(format!("{name} {rate}"))
    });
    lines.collect()
}

/// The message names that this page builds at run time.
#[cfg(test)]
pub(crate) fn messages() -> Vec<String> {
    let steps = tour::steps("", true);
    let names = steps.iter().flat_map(|step| [step.title(), step.text()]);
    names.collect()
}
