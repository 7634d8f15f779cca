//! Page numbers, page sizes and tags in query strings: parsing them, and writing them into links.

use form_urlencoded::Serializer;

use crate::http::request::Query;
use crate::limit::Limits;
use crate::post::{PageRequest, Tag};
use crate::problem::Problem;

/// The maximum number of posts per page for clients.
pub(crate) const MAX_PER_PAGE: u32 = 50;
const DEFAULT_PER_PAGE: u32 = 20;

/// Parses the requested page from a query.
pub(crate) fn page_request(query: &Query, limits: &Limits) -> Result<PageRequest, Problem> {
    let page = whole_number(query, "page", u64::MAX)?.unwrap_or(1);
    let per_page = whole_number(query, "per_page", u64::from(MAX_PER_PAGE))?;
    let per_page = per_page.and_then(|number| u32::try_from(number).ok());
    let tag = tag(query, limits)?;
    let bodies = match query.one("include")?.as_deref() {
        None | Some("") => false,
        Some("body") => true,
        Some(_) => return Err(Query::invalid("include", "must be body")),
    };
    let request = PageRequest::new(page, per_page.unwrap_or(DEFAULT_PER_PAGE));
    let request = request.unwrap_or_else(|_| unreachable!("both numbers were read in bounds"));
    Ok(request.with_tag(tag).with_bodies(bodies))
}

/// Parses and normalises the tag in a query. `None` if there is none or it is empty.
pub(crate) fn tag(query: &Query, limits: &Limits) -> Result<Option<Tag>, Problem> {
    match query.one("tag")? {
        Some(text) if text.contains(',') => {
            Err(Query::invalid("tag", "must be one tag, without a comma"))
        }
        Some(text) => Tag::parse(&text, limits.tag)
            .map_err(|error| Query::invalid("tag", &format!("is not valid: {}", error.detail))),
        None => Ok(None),
    }
}

/// The query for a tag.
pub(crate) fn query_of_tag(tag: &str) -> String {
    Serializer::new(String::new())
        .append_pair("tag", tag)
        .finish()
}

/// Parses a parameter that is a whole number from 1 to `max`, in decimal digits only.
pub(crate) fn whole_number(query: &Query, name: &str, max: u64) -> Result<Option<u64>, Problem> {
    let Some(text) = query.one(name)? else {
        return Ok(None);
    };
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Query::invalid(name, "must be a whole number"));
    }
    match text.parse() {
        Ok(number) if (1..=max).contains(&number) => Ok(Some(number)),
        _ => Err(Query::invalid(
            name,
            &format!("must be between 1 and {max}"),
        )),
    }
}

/// The query for another page of the same list, without parameters that have their default value.
pub(crate) fn short_query_of(page: &PageRequest, number: u64) -> String {
    let mut query = Serializer::new(String::new());
    if number > 1 {
        query.append_pair("page", &number.to_string());
    }
    if page.per_page() != DEFAULT_PER_PAGE {
        query.append_pair("per_page", &page.per_page().to_string());
    }
    if let Some(tag) = page.tag() {
        query.append_pair("tag", tag.as_str());
    }
    query.finish()
}

/// The query for another page of the same list, with all parameters.
pub(crate) fn query_of(page: &PageRequest, number: u64) -> String {
    let mut query = Serializer::new(String::new());
    query.append_pair("page", &number.to_string());
    query.append_pair("per_page", &page.per_page().to_string());
    if let Some(tag) = page.tag() {
        query.append_pair("tag", tag.as_str());
    }
    if page.bodies() {
        query.append_pair("include", "body");
    }
    query.finish()
}
