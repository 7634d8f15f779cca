//! Metadata for search engines on the page of a post: schema.org's
//! [BlogPosting](https://schema.org/BlogPosting) in JSON-LD.

use serde::Serialize;

use super::site::Site;
use crate::post::PostSummary;

/// The number of characters that search engines show of a headline. It is cut at a word.
const MAX_HEADLINE: usize = 110;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BlogPosting<'a> {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    headline: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    url: &'a str,
    main_entity_of_page: WebPage<'a>,
    date_published: String,
    date_modified: String,
    image: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<Person<'a>>,
    publisher: Organization<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_language: Option<&'a str>,
    #[serde(skip_serializing_if = "String::is_empty")]
    keywords: String,
}

#[derive(Serialize)]
#[serde(tag = "@type")]
struct WebPage<'a> {
    #[serde(rename = "@id")]
    id: &'a str,
}

/// The author. Handbill does not know whether it is a person or an organisation.
#[derive(Serialize)]
#[serde(tag = "@type")]
struct Person<'a> {
    name: &'a str,
}

/// The site that published the post.
#[derive(Serialize)]
#[serde(tag = "@type")]
struct Organization<'a> {
    name: &'a str,
    url: String,
}

/// The JSON-LD of a post, safe to insert into a `script` element.
pub(super) fn of(site: &Site<'_>, post: &PostSummary, url: &str, image: &str) -> String {
    let focus = post.focus_keyword.as_deref();
    let tags = post.tags.iter().map(|tag| tag.as_str());
    let keywords: Vec<_> = focus.into_iter().chain(tags).collect();
    let posting = BlogPosting {
        context: "https://schema.org",
        kind: "BlogPosting",
        headline: handbill_markdown::cut(site.name_of(post).into_owned(), MAX_HEADLINE),
        description: &post.excerpt,
        url,
        main_entity_of_page: WebPage { id: url },
        date_published: post.date().to_rfc3339(),
        date_modified: post.updated_at.to_rfc3339(),
        image,
        author: post.author.as_deref().map(|name| Person { name }),
        publisher: Organization {
            name: site.name,
            url: site.absolute("/", None),
        },
        in_language: post.language.as_deref(),
        keywords: keywords.join(", "),
    };
    let json = serde_json::to_string(&posting)
        .unwrap_or_else(|_| unreachable!("it has string keys and cannot fail"));
    // Prevents `</script>` and `<!--`, which a title may contain.
    json.replace('<', "\\u003c")
}
