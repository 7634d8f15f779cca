//! Page numbers, page sizes, tags and searches in query strings: parsing them, and writing them into links.

use std::num::NonZeroU64;

use form_urlencoded::Serializer;
use handbill_markdown::is_bidi_override;
use handbill_markdown::search;

use crate::http::Query;
use crate::post::{
    Limits, Month, PageRequest, PageSize, PageStart, Period, Search, Tag, Timestamp, is_comma,
};
use crate::problem::Problem;

/// The maximum number of posts per page for clients.
pub(crate) const MAX_PER_PAGE: PageSize = PageSize::of::<50>();
const DEFAULT_PER_PAGE: PageSize = PageSize::of::<20>();
pub(crate) const MAX_SEARCH: usize = 200;

/// A page of a list that a client asks for by its number.
#[derive(Clone)]
pub(crate) struct NumberedPage {
    pub(crate) number: NonZeroU64,
    pub(crate) request: PageRequest,
    pub(crate) period: Period,
    /// If the period is one, as on pages for people.
    pub(crate) month: Option<Month>,
    pub(crate) search: Option<SearchText>,
    /// The slug of the author, if the query names one.
    pub(crate) author_slug: Option<String>,
}

/// What a client searches for.
#[derive(Clone)]
pub(crate) struct SearchText {
    /// As it was typed, on one line, without characters that change the direction of text.
    pub(crate) text: String,
    #[cfg(feature = "pages")]
    pub(crate) query: search::Query,
}

/// A page of all posts, or of those with a tag.
pub(crate) fn page(query: &Query, limits: &Limits) -> Result<NumberedPage, Problem> {
    let mut page = page_of_all(query)?;
    page.request.tag = tag(query, limits)?;
    page.request.bodies = match query.one("include")?.as_deref() {
        None | Some("") => false,
        Some("body") => true,
        Some(_) => return Err(Query::invalid("include", "must be body")),
    };
    Ok(page)
}

/// A page of all posts, without their bodies.
pub(crate) fn page_of_all(query: &Query) -> Result<NumberedPage, Problem> {
    let number = whole_number(query, "page", u64::MAX)?.unwrap_or(NonZeroU64::MIN);
    let per_page = whole_number(query, "per_page", MAX_PER_PAGE.get().into())?;
    let per_page = per_page.and_then(|posts| PageSize::new(posts.get().try_into().ok()?).ok());
    let per_page = per_page.unwrap_or(DEFAULT_PER_PAGE);
    let start = PageStart::Skip(per_page.offset_of(number));
    Ok(NumberedPage {
        number,
        request: PageRequest::first(per_page).with_start(start),
        period: Period::ALL,
        month: None,
        search: None,
        author_slug: None,
    })
}

/// A search as pages and links show it. None of the changes makes other words of it.
pub(crate) fn search_line(text: &str) -> String {
    let shown = text.trim().chars().filter(|c| !is_bidi_override(*c));
    let shown = shown.map(|c| match c {
        c if c.is_whitespace() => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    });
    shown.collect()
}

fn instant(query: &Query, name: &str) -> Result<Option<Timestamp>, Problem> {
    let fault = "must be a time of RFC 3339 with an offset";
    query.parsed(name, |text| text.parse().ok(), fault)
}

/// Parses and normalises the tag in a query. `None` if there is none or it is empty.
pub(crate) fn tag(query: &Query, limits: &Limits) -> Result<Option<Tag>, Problem> {
    match query.one("tag")? {
        Some(text) if text.contains(is_comma) => {
            Err(Query::invalid("tag", "must be one tag, without a comma"))
        }
        Some(text) => Tag::parse(&text, limits.tag)
            .map_err(|error| Query::invalid("tag", &format!("is not valid: {}", error.detail))),
        None => Ok(None),
    }
}

/// Parses a parameter that is a whole number from 1 to `max`, in decimal digits only.
pub(crate) fn whole_number(
    query: &Query,
    name: &str,
    max: u64,
) -> Result<Option<NonZeroU64>, Problem> {
    let Some(text) = query.one(name)? else {
        return Ok(None);
    };
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Query::invalid(name, "must be a whole number"));
    }
    match text.parse::<NonZeroU64>() {
        Ok(number) if number.get() <= max => Ok(Some(number)),
        _ => Err(Query::invalid(
            name,
            &format!("must be between 1 and {max}"),
        )),
    }
}

impl NumberedPage {
    /// Limits the list to the posts `from` an instant on and `before` another one, as the query says.
    pub(crate) fn in_period(self, query: &Query) -> Result<Self, Problem> {
        let period = Period {
            from: instant(query, "from")?,
            before: instant(query, "before")?,
        };
        Ok(Self { period, ..self })
    }

    /// Limits the list to what the `q` of the query finds. The rest of the list comes first.
    pub(crate) fn in_search(self, query: &Query, has_search: bool) -> Result<Self, Problem> {
        let text = query.one("q")?.filter(|text| !text.trim().is_empty());
        let Some(text) = text else {
            return Ok(self);
        };
        if !has_search {
            return Err(Problem::search_not_available());
        }
        if text.chars().count() > MAX_SEARCH {
            let fault = format!("must have at most {MAX_SEARCH} characters");
            return Err(Query::invalid("q", &fault));
        }
        let text = search_line(&text);
        let words = search::Query::parse(&text).map_err(|_| {
            let fault = format!("must have at most {} words", search::MAX_WORDS);
            Query::invalid("q", &fault)
        })?;
        let request = self.request.with_search(Some(Search::new(&words)));
        let search = Some(SearchText {
            text,
            #[cfg(feature = "pages")]
            query: words,
        });
        Ok(Self {
            request,
            search,
            ..self
        })
    }

    /// The query for another page of the same list, with all parameters.
    pub(crate) fn query(&self, number: u64) -> String {
        self.query_if(number, |_| true)
    }

    /// The query for another page of the same list, without parameters that have their default value.
    pub(crate) fn short_query(&self, number: u64) -> String {
        self.query_if(number, |is_default| !is_default)
    }

    /// The query of a list that is cached. Searches are not, since anyone can ask for any number of them.
    pub(crate) fn cache_query(&self) -> Option<String> {
        let is_cached = self.search.is_none();
        is_cached.then(|| self.short_query(self.number.get()))
    }

    /// `is_written` decides on a parameter by whether it has its default value.
    fn query_if(&self, number: u64, is_written: impl Fn(bool) -> bool) -> String {
        // The owner of a list is that of a key or an author, and is in no query.
        let PageRequest {
            list: _,
            tag,
            // It is made of the text.
            search: _,
            start: _,
            per_page,
            bodies,
        } = &self.request;
        let mut query = Serializer::new(String::new());
        if is_written(number == 1) {
            query.append_pair("page", &number.to_string());
        }
        if is_written(*per_page == DEFAULT_PER_PAGE) {
            query.append_pair("per_page", &per_page.get().to_string());
        }
        if let Some(search) = &self.search {
            query.append_pair("q", &search.text);
        }
        if let Some(slug) = &self.author_slug {
            query.append_pair("by", slug);
        }
        if let Some(tag) = tag {
            query.append_pair("tag", tag.as_str());
        }
        if let Some(month) = self.month {
            query.append_pair("month", &month.to_string());
        } else {
            for (name, time) in [("from", self.period.from), ("before", self.period.before)] {
                if let Some(time) = time {
                    query.append_pair(name, &time.to_precise_rfc3339());
                }
            }
        }
        if *bodies {
            query.append_pair("include", "body");
        }
        query.finish()
    }
}
