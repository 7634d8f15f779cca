//! `GET /docs/reference`: each operation, parameter and field, and the limits of this service.

mod contents;

use askama::Template;

use self::contents::Section;
use crate::api::problems;
use crate::cache::Representation;
use crate::context::Context;
use crate::limits::rate::Rate;
use crate::page::site::Site;
use crate::page::{self, asset, frame, text};
use crate::post::Limits;
use crate::route::Call;

#[derive(Template)]
#[template(path = "docs/reference.html", block = "main", blocks = ["title", "head"])]
struct ReferencePage<'a> {
    site: Site<'a>,
    limits: &'a Limits,
    sections: Vec<Section>,
    parameters: Vec<&'static str>,
    fields: Vec<&'static str>,
    /// The parameters that this service does not have.
    unsupported: Vec<&'static str>,
    has_cors: bool,
    max_request: String,
    rates: Vec<String>,
}

frame::page!(ReferencePage<'_>);

pub(crate) fn show(call: Call<'_>) -> Representation {
    let Call { context, head, .. } = call;
    let site = Site::of(context, head);
    let unsupported = contents::unsupported_parameters(context);
    let template = ReferencePage {
        limits: &context.limits,
        sections: contents::sections(),
        parameters: contents::parameters(&unsupported),
        fields: contents::fields(),
        unsupported,
        has_cors: context.cors,
        max_request: size(&site, context.limits.request),
        rates: rates(&site, context),
        site,
    };
    page::public_page(context, head, None).with_body(page::render_page(context, head, &template))
}

fn size(site: &Site<'_>, bytes: usize) -> String {
    const MEBIBYTE: usize = 1024 * 1024;
    let message = if bytes.is_multiple_of(MEBIBYTE) {
        site.language
            .message("size")
            .with("mebibytes", bytes / MEBIBYTE)
    } else {
        // Written as in the settings of the host.
        let message = site.language.message("size-bytes");
        message.with("bytes", bytes.to_string())
    };
    message.to_string()
}

fn rates(site: &Site<'_>, context: &Context) -> Vec<String> {
    let (language, limits) = (site.language, &context.rate_limiter.pages.limits);
    let searches = limits.searches.filter(|_| context.has_search());
    let requests = [
        (limits.creations, language.message("rate-creations")),
        (limits.changes, language.message("rate-changes")),
        (limits.previews, language.message("rate-previews")),
        (searches, language.message("rate-searches")),
        (limits.key_requests, language.message("rate-key-requests")),
        (
            limits.wrong_credentials,
            language.message("rate-wrong-credentials"),
        ),
    ];
    let lines = requests.into_iter().filter_map(|(rate, name)| {
        let line = rate_in_words(site, rate?, |times| times.to_string());
        Some(format!("{name} {line}"))
    });
    let stored = limits.stored_bytes.map(|rate| {
        let line = rate_in_words(site, rate, |bytes| size(site, bytes as usize));
        format!("{} {line}", language.message("rate-stored-bytes"))
    });
    lines.chain(stored).collect()
}

fn rate_in_words(site: &Site<'_>, rate: Rate, amount: impl Fn(u32) -> String) -> String {
    let message = if rate.burst == rate.times {
        site.language.message("rate")
    } else {
        site.language.message("rate-burst")
    };
    message
        .with("amount", amount(rate.times.get()))
        .with("seconds", rate.period.as_secs())
        .with("burst", amount(rate.burst.get()))
        .to_string()
}

/// The message names that this page builds at run time.
#[cfg(test)]
pub(super) fn messages() -> Vec<String> {
    let sections = contents::sections();
    let operations = sections.iter().flat_map(|section| &section.ids);
    let operations = operations.map(|id| format!("op-{id}"));
    let parameters = contents::parameters(&[]).into_iter();
    let parameters = parameters.map(|name| format!("param-{name}"));
    let fields = contents::fields().into_iter();
    let fields = fields.map(|name| format!("field-{name}"));
    operations.chain(parameters).chain(fields).collect()
}
