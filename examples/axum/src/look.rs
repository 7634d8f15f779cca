//! The look of all pages of the shop, including the blog.

use axum::http::header;
use axum::response::IntoResponse;
use handbill::host::FramedPage;

/// Puts the shop's header and footer around a page of the blog.
pub(crate) fn frame(page: &FramedPage<'_>) -> String {
    document(
        page.language,
        page.title,
        &[page.style, page.head].concat(),
        page.main,
    )
}

/// A complete page. `title`, `head` and `main` are HTML.
pub(crate) fn document(language: &str, title: &str, head: &str, main: &str) -> String {
    format!(
        r#"<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} | The shop</title>
{head}
<link rel="stylesheet" href="/shop.css">
</head>
<body>
<header><nav aria-label="Shop"><a href="/">The shop</a> <a href="/blog">Our blog</a></nav></header>
<main>
{main}
</main>
<footer><p>The shop, open from nine to five.</p></footer>
</body>
</html>
"#
    )
}

/// The shop's own style sheet, with a theme for the blog. The Content-Security-Policy of the blog allows the
/// same origin.
pub(crate) async fn style() -> impl IntoResponse {
    const THEME: &str = include_str!("../themes/newspaper.css");
    const STYLE: &str = "
:root { color-scheme: light dark; font: 100%/1.6 system-ui, sans-serif; }
body { max-width: 44rem; margin: 0 auto; padding: 0 1rem; }
body > header { border-bottom: 3px solid; padding: 1rem 0; }
body > header a { margin-inline-end: 1.5rem; }
body > footer { border-top: 1px solid; margin-top: 3rem; }
";
    let style = [STYLE, THEME].concat();
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], style)
}
