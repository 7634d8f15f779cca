//! Metadata for search engines on the page of a post: schema.org's
//! [BlogPosting](https://schema.org/BlogPosting) in JSON-LD.

use serde_json::json;

use super::site::Site;
use crate::post::PostSummary;

/// The number of characters that search engines show of a headline. It is cut at a word.
const MAX_HEADLINE: usize = 110;

/// The JSON-LD of a post, whose author may have a page at this path. It is safe to insert into a `script` element.
pub(super) fn of(
    site: &Site<'_>,
    post: &PostSummary,
    author_path: Option<&str>,
    url: &str,
    image: &str,
) -> String {
    let focus = post.focus_keyword.as_deref();
    let tags = post.tags.iter().map(|tag| tag.as_str());
    let tags = tags.filter(|tag| Some(*tag) != focus);
    let keywords: Vec<_> = focus.into_iter().chain(tags).collect();
    // Handbill does not know whether the author is a person or an organisation.
    let author = post.author.as_ref();
    let author_url = author_path.map(|path| site.absolute(path, None));
    let author = author.map(|name| match author_url {
        Some(url) => json!({ "@type": "Person", "name": name, "url": url }),
        None => json!({ "@type": "Person", "name": name }),
    });
    let mut posting = json!({
        "@context": "https://schema.org",
        "@type": "BlogPosting",
        "headline": handbill_markdown::cut(site.name_of(post).into_owned(), MAX_HEADLINE),
        "description": post.excerpt,
        "url": url,
        "mainEntityOfPage": { "@type": "WebPage", "@id": url },
        "datePublished": post.date().to_rfc3339(),
        "dateModified": post.updated_at.to_rfc3339(),
        "image": image,
        "author": author,
        "publisher": { "@type": "Organization", "name": site.name, "url": site.absolute("/", None) },
        "inLanguage": post.language,
        "keywords": keywords.join(", "),
    });
    if let Some(members) = posting.as_object_mut() {
        members.retain(|_, value| !value.is_null() && value != "");
    }
    // Prevents `</script>` and `<!--`, which a title may contain.
    posting.to_string().replace('<', "\\u003c")
}
