//! `GET /opensearch.xml`: the search, for browsers and other programs
//! ([OpenSearch 1.1](https://github.com/dewitt/opensearch)).

use handbill_markdown::cut;

use super::xml::Document;
use crate::cache::Representation;
use crate::context::Context;
use crate::page::asset;
use crate::page::language::Language;
use crate::problem::Problem;

const MEDIA_TYPE: &str = "application/opensearchdescription+xml";
/// The maximum numbers of characters.
const MAX_SHORT_NAME: usize = 16;
const MAX_LONG_NAME: usize = 48;
const MAX_DESCRIPTION: usize = 1024;

/// The description of the search. It has no language, like feeds.
pub(crate) fn show(context: &Context) -> Result<Representation, Problem> {
    if !context.has_search() {
        return Err(Problem::not_found());
    }
    let (url, name) = (context.base_url.as_str(), &context.pages.name);
    let about = Language::fallback().message("search-about");
    let about = about.with("name", name.as_str()).to_string();
    let mut document = Document::new();
    document.open(
        "OpenSearchDescription",
        &[("xmlns", "http://a9.com/-/spec/opensearch/1.1/")],
    );
    document.text("ShortName", &[], &cut(name.clone(), MAX_SHORT_NAME));
    document.text("LongName", &[], &cut(name.clone(), MAX_LONG_NAME));
    document.text("Description", &[], &cut(about, MAX_DESCRIPTION));
    document.text(
        "Image",
        &[("height", "16"), ("width", "16"), ("type", "image/svg+xml")],
        &asset::ICON.at(url),
    );
    let results = format!("{url}/?q={{searchTerms}}");
    document.empty("Url", &[("type", "text/html"), ("template", &results)]);
    let own = format!("{url}/opensearch.xml");
    document.empty(
        "Url",
        &[("type", MEDIA_TYPE), ("rel", "self"), ("template", &own)],
    );
    document.close("OpenSearchDescription");
    Ok(Representation::new(MEDIA_TYPE).with_body(document.finish()))
}
