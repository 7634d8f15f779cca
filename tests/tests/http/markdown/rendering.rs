//! Which HTML stands for which Markdown.

use super::show;

/// Containers that are nested deeper are left out, and their text stays.
const MAX_DEPTH: usize = 32;
const REL: &str = "rel=\"nofollow ugc noopener noreferrer\"";

async fn html(source: &str) -> String {
    show(source).await.html
}

async fn page(source: &str) -> String {
    show(source).await.page
}

#[tokio::test]
async fn links_have_only_safe_addresses() {
    assert_eq!(
        html("[a](https://x.example 'b') [c](javascript:alert(1)) [d](../e) <f@g.example>").await,
        "<p><a href=\"https://x.example\" title=\"b\" rel=\"nofollow ugc noopener noreferrer\">a</a> \
         <a rel=\"nofollow ugc noopener noreferrer\">c</a> \
         <a href=\"../e\" rel=\"nofollow ugc noopener noreferrer\">d</a> \
         <a href=\"mailto:f@g.example\" rel=\"nofollow ugc noopener noreferrer\">f@g.example</a></p>\n"
    );
}

#[tokio::test]
async fn links_are_not_nested() {
    assert_eq!(
        html("[a <https://b.example> c](d)").await,
        "<p><a href=\"d\" rel=\"nofollow ugc noopener noreferrer\">a https://b.example c</a></p>\n"
    );
}

#[tokio::test]
async fn images_are_lazy_and_send_no_referrer() {
    assert_eq!(
        html("![a *b* `\"c\"`\n![d](e)](https://x.example/i.png \"f\") ![g](http://x.example)")
            .await,
        "<p><img src=\"https://x.example/i.png\" alt=\"a b &quot;c&quot; d\" title=\"f\" \
         loading=\"lazy\" referrerpolicy=\"no-referrer\"> \
         g</p>\n"
    );
}

#[tokio::test]
async fn lists_code_and_tasks_render() {
    assert_eq!(
        html("3. a\n4. b\n\n***\n\n- [x] c\n- [ ] ~~d~~\n\n```rust x\n<e>\n```\n\n```f,g\n```")
            .await,
        "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>\n<hr>\n<ul>\n\
         <li><input disabled=\"\" type=\"checkbox\" checked=\"\">\nc</li>\n\
         <li><input disabled=\"\" type=\"checkbox\">\n<del>d</del></li>\n</ul>\n\
         <pre><code class=\"language-rust\">&lt;e&gt;\n</code></pre>\n\
         <pre><code class=\"language-f\"></code></pre>\n"
    );
}

#[tokio::test]
async fn nesting_is_cut_and_text_is_shown() {
    let deep = html(&format!("{}end", "> ".repeat(5_000))).await;
    assert_eq!(deep.matches("<blockquote>").count(), MAX_DEPTH);
    assert!(deep.contains("end"));
    let deep_table = html(&format!("{q}|a|\n{q}|-|\n{q}|b|", q = "> ".repeat(30))).await;
    assert!(!deep_table.contains("<table>"), "{deep_table}");
    assert!(deep_table.contains('b'), "{deep_table}");
}

#[tokio::test]
async fn on_a_page_what_scrolls_takes_the_focus_and_tasks_have_names() {
    let source = "|a|\n|-|\n\n    code\n\n- [x] a\n- [ ] b\n\n![<pre>](a \"<table>\")\n<pre>";
    let page = page(source).await;
    for part in [
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table>",
        "</table></div>",
        "<pre tabindex=\"0\"><code>code",
        "<input aria-label=\"Done\" ",
        "<input aria-label=\"Not done\" ",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    let bare = page
        .replace(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">",
            "",
        )
        .replace("</table></div>", "</table>")
        .replace(" tabindex=\"0\"", "")
        .replace(" aria-label=\"Done\"", "")
        .replace(" aria-label=\"Not done\"", "");
    assert_eq!(bare, html(source).await);
}

#[tokio::test]
async fn on_a_page_lines_break_within_long_rows_of_combining_marks() {
    for source in [
        "a".to_owned() + &"\u{301}".repeat(70),
        "a".to_owned() + &"&#x301;".repeat(70),
    ] {
        let page = page(&source).await;
        assert_eq!(page.matches("<wbr>").count(), 2);
        assert_eq!(page.replace("<wbr>", ""), html(&source).await);
    }
    let vietnamese = "Việt Nam, e\u{302}\u{301}";
    assert_eq!(page(vietnamese).await, html(vietnamese).await);
}

#[tokio::test]
async fn bare_addresses_are_links() {
    assert_eq!(
        html("https://a.example/b_c_d?e&f, (www.b.example).").await,
        format!(
            "<p><a href=\"https://a.example/b_c_d?e&amp;f\" {REL}>https://a.example/b_c_d?e&amp;f</a>, \
             (<a href=\"http://www.b.example\" {REL}>www.b.example</a>).</p>\n"
        )
    );
}

#[tokio::test]
async fn no_address_is_a_link_in_a_link_in_code_or_in_an_alternative_text() {
    for source in [
        "`www.b.example`",
        "```\nwww.b.example\n```",
        "    www.b.example",
        "![www.b.example](a)",
    ] {
        assert!(!html(source).await.contains("<a"), "{source}");
    }
    let link = html("[a **www.b.example** c](d)").await;
    assert_eq!(link.matches("<a ").count(), 1, "{link}");
    let deep = html(&(">".repeat(40) + "www.b.example")).await;
    assert!(!deep.contains("<a"), "{deep}");
}

#[tokio::test]
async fn headings_have_identifiers_of_their_own() {
    assert_eq!(
        html("# A *b* `c`\n\n> A b c\n> ---\n\n### www.d.example ![e](f)[^g]\n\n[^g]: # A b c")
            .await,
        format!(
            "<h1 id=\"h-a-b-c\">A <em>b</em> <code>c</code></h1>\n\
             <blockquote>\n<h2 id=\"h-a-b-c-2\">A b c</h2>\n</blockquote>\n\
             <h3 id=\"h-www-d-example\"><a href=\"http://www.d.example\" {REL}>www.d.example</a> \
             <img src=\"f\" alt=\"e\" loading=\"lazy\" referrerpolicy=\"no-referrer\">\
             <sup><a href=\"#fn-1\" id=\"fnref-1\" {REL}>1</a></sup></h3>\n\
             <section>\n<ol>\n<li id=\"fn-1\">\n<h1 id=\"h-a-b-c-3\">A b c</h1>\n\
             <p><a href=\"#fnref-1\" {REL}>↩\u{FE0E}</a></p>\n</li>\n</ol>\n</section>\n"
        )
    );
}

#[tokio::test]
async fn on_a_page_the_heading_that_starts_a_post_without_title_is_the_only_one_of_its_level() {
    for (source, levels) in [("## a\n\n### b\n\n# c", "122"), ("a\n\n# b\n\n## c", "23")] {
        let page = page(source).await;
        let shown = page.split("</h").skip(1).map(|part| &part[..1]);
        assert_eq!(shown.collect::<String>(), levels, "{page}");
    }
}

#[tokio::test]
async fn a_heading_of_two_lines_is_two_words() {
    assert_eq!(html("a\nb\n===").await, "<h1 id=\"h-a-b\">a\nb</h1>\n");
}

#[tokio::test]
async fn links_within_a_post_stay_fragments_in_a_feed() {
    let feed = show("a[^b] [c](d)\n\n[^b]: e").await.feed;
    for address in ["#fn-1", "#fnref-1", "https://example.org/p/d"] {
        assert!(feed.contains(&format!("href=\"{address}\"")), "{feed}");
    }
}

#[tokio::test]
async fn footnotes_are_numbered_as_the_text_refers_to_them() {
    assert_eq!(
        html("a[^x]\n\n[^y]: *y*\n[^X]: x[^z]\n\n    more\n[^x]: again\n\n> b[^y][^x]\n> [^z]: z")
            .await,
        format!(
            "<p>a<sup><a href=\"#fn-1\" id=\"fnref-1\" {REL}>1</a></sup></p>\n\
             <blockquote>\n<p>b<sup><a href=\"#fn-2\" id=\"fnref-2\" {REL}>2</a></sup>\
             <sup><a href=\"#fn-1\" id=\"fnref-1-2\" {REL}>1</a></sup></p>\n</blockquote>\n\
             <section>\n<ol>\n\
             <li id=\"fn-1\">\n<p>x<sup><a href=\"#fn-3\" id=\"fnref-3\" {REL}>3</a></sup></p>\n<p>more \
             <a href=\"#fnref-1\" {REL}>↩\u{FE0E}</a> <a href=\"#fnref-1-2\" {REL}>↩\u{FE0E}2</a></p>\n</li>\n\
             <li id=\"fn-2\">\n<p><em>y</em> <a href=\"#fnref-2\" {REL}>↩\u{FE0E}</a></p>\n</li>\n\
             <li id=\"fn-3\">\n<p>z <a href=\"#fnref-3\" {REL}>↩\u{FE0E}</a></p>\n</li>\n\
             </ol>\n</section>\n"
        )
    );
}

#[tokio::test]
async fn a_footnote_without_a_partner_is_shown() {
    assert_eq!(html("a[^b]").await, "<p>a[^b]</p>\n");
    assert_eq!(
        html("[^b]: c").await,
        "<section>\n<ol>\n<li id=\"fn-1\">\n<p>c</p>\n</li>\n</ol>\n</section>\n"
    );
    let deep = html(&format!("{}a[^b]\n\n[^b]: c", ">".repeat(40))).await;
    assert!(deep.contains("a[^b]"), "{deep}");
}

#[tokio::test]
async fn an_image_with_a_title_that_is_alone_is_a_figure() {
    let image = "loading=\"lazy\" referrerpolicy=\"no-referrer\">";
    assert_eq!(
        html("a\n\n![b](c \"d & <e>\")\n\nf").await,
        format!(
            "<p>a</p>\n<figure><img src=\"c\" alt=\"b\" {image}\
             <figcaption>d &amp; &lt;e&gt;</figcaption></figure>\n<p>f</p>\n"
        )
    );
    for source in [
        "![b](c)",
        "![b](c \"d\") e",
        "e ![b](c \"d\")",
        "![b](c \"d\")![b](c \"d\")",
        "[![b](c \"d\")](e)",
        "*![b](c \"d\")*",
        "- ![b](c \"d\")",
        "# ![b](c \"d\")",
    ] {
        assert!(!html(source).await.contains("<figure>"), "{source}");
    }
}

#[tokio::test]
async fn quotes_dashes_and_formulas_stay_as_they_were_typed() {
    assert_eq!(
        html("\"a\" -- 'b' --- c... $d$ $$e$$\n\nf\n: g").await,
        "<p>\"a\" -- 'b' --- c... $d$ $$e$$</p>\n<p>f\n: g</p>\n"
    );
}

#[tokio::test]
async fn on_a_page_headings_link_to_themselves_and_footnotes_have_names() {
    let source = "# a\n\nb[^c][^c]\n\n[^c]: d";
    let page = page(source).await;
    let anchor = format!(
        "\u{a0}<a class=\"anchor\" href=\"#h-a\" aria-label=\"Link to this section\" {REL}></a></h1>"
    );
    let labels = [
        " aria-label=\"Footnotes\"",
        " aria-label=\"Footnote 1\"",
        " aria-label=\"Back to the text\"",
        " aria-label=\"Back to the text 2\"",
    ];
    let mut bare = page.replace(&anchor, "</h1>");
    assert_ne!(bare, page);
    for label in labels {
        assert!(page.contains(label), "{label} is not in {page}");
        bare = bare.replace(label, "");
    }
    assert_eq!(bare, html(source).await);
}

#[tokio::test]
async fn on_a_page_code_has_colours_up_to_a_bound() {
    let source = "```rust\nlet a = 1; // <b>\n```\n\n```nonsense\nlet\n```\n\n    let\n";
    let page = page(source).await;
    assert!(
        page.contains(
            "<code class=\"language-rust\"><span class=\"hl-keyword\">let</span> a = \
             <span class=\"hl-number\">1</span>; <span class=\"hl-comment\">// &lt;b&gt;</span>\n</code>"
        ),
        "{page}"
    );
    assert_eq!(page.matches("<span").count(), 3, "{page}");
    assert!(!html(source).await.contains("<span"));
    let block = format!("```c\n{}\n```\n", "1 ".repeat(10_000));
    let long = show(block.repeat(3)).await.page;
    assert_eq!(long.matches("<span").count(), 10_000);
}

#[tokio::test]
async fn a_page_is_not_much_larger_than_its_html() {
    let headings = page(&"# a\n".repeat(600)).await;
    assert_eq!(headings.matches("class=\"anchor\"").count(), 500);
    for (source, len) in [
        ("# a\n", 100_000),
        ("```c\n1\n```\n", 100_000),
        ("```c\n1 1 1 1\n", 100_000),
        // A longer one is too complex.
        ("[^a]: b\n[^a] ", 3_000),
    ] {
        let shown = show(source.repeat(len / source.len())).await;
        let (html, page) = (shown.html.len(), shown.page.len());
        assert!(page < html + 1024 * 1024, "{source:.10}: {html}, {page}");
    }
}
