//! `GET /opensearch.xml`: the search, for browsers and other programs
//! ([OpenSearch 1.1](https://github.com/dewitt/opensearch)).

use askama::Template;
use handbill_markdown::cut;

use super::xml;
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

#[derive(Template)]
#[template(path = "feed/opensearch.xml")]
struct OpenSearch<'a> {
    url: &'a str,
    short_name: String,
    long_name: String,
    description: String,
}

/// The description of the search. It has no language, like feeds.
pub(crate) fn show(context: &Context) -> Result<Representation, Problem> {
    if !context.has_search() {
        return Err(Problem::not_found());
    }
    let (url, name) = (context.base_url.as_str(), &context.pages.name);
    let about = Language::fallback().message("search-about");
    let about = about.with("name", name.as_str()).to_string();
    let template = OpenSearch {
        url,
        short_name: cut(name.clone(), MAX_SHORT_NAME),
        long_name: cut(name.clone(), MAX_LONG_NAME),
        description: cut(about, MAX_DESCRIPTION),
    };
    Ok(Representation::new(MEDIA_TYPE).with_body(xml::document(&template)))
}
