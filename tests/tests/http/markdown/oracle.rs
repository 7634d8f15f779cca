//! A second opinion on the HTML: a sanitiser (ammonia) with an allow-list of its own. It must find
//! nothing to remove, and a browser's parser nothing to repair.
//!
//! `HANDBILL_ORACLE_SOURCES=1000000 cargo test --release -p handbill-tests --test http oracle` checks
//! so many generated sources.

use ammonia::Builder;
use handbill_tests::corpora::{folder, read_json, read_strings};
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde::Deserialize;
use tokio::runtime::Builder as RuntimeBuilder;

use super::sanitiser::{ATTRIBUTES, TAGS, api_sanitiser, removed, sanitiser};
use super::show_all;

/// Generated sources in an ordinary run.
const SOURCES: usize = 4_000;
/// How many are checked together.
const TOGETHER: usize = 50;

/// What only a page has.
const PAGE_TAGS: &str = "span wbr";
const PAGE_ATTRIBUTES: [(&str, &[&str]); 6] = [
    ("a", &["class", "aria-label"]),
    ("div", &["tabindex", "role", "aria-label"]),
    ("input", &["aria-label"]),
    ("pre", &["tabindex"]),
    ("section", &["aria-label"]),
    ("span", &["class"]),
];

/// Pieces of Markdown and HTML that mean something to a parser, and texts that try to break out.
const PIECES: [&str; 134] = [
    "> [!NOTE]\n",
    "> [!warning]\n> a\n",
    "[a](#a-1)",
    ">",
    "> ",
    ">>>>",
    "- ",
    "-\n",
    "+ ",
    "* ",
    "1. ",
    "0) ",
    "23. ",
    "-\t",
    "\t",
    "  ",
    "    ",
    "\n",
    "\n\n",
    "\r\n",
    "\\\n",
    "  \n",
    "\u{b}",
    "\u{c}",
    "\u{1}",
    "\u{2028}",
    "\u{a0}",
    "\\",
    "*",
    "**",
    "***",
    "_",
    "__",
    "~",
    "~~",
    "`",
    "``",
    "```\n",
    "```rust\n",
    "``` a\tb\n",
    "~~~\n",
    "~~~\"><script>\n",
    "#\n",
    "# ",
    "## ",
    "=\n",
    "---\n",
    "[",
    "]",
    "(",
    ")",
    "![",
    "](",
    "[]()",
    "[](a)",
    "![]()",
    "[x]",
    "- [x] a\n",
    "- [ ] ",
    "[a]",
    "[a]: /b 'c'\n",
    "[a]: javascript:a\n",
    "[](<>\"'\")",
    "(a \"b\")",
    "![a](//b/c)",
    "![a](https://b/c \"d'\")",
    "![a](http://b)",
    "![*a* `b`\n![c](d)](e)",
    "![a](data:b)",
    "[a](javascript:b)",
    "[a](java\tscript:b)",
    "[a](java&#10;script:b)",
    "[a](javascript&#58;b)",
    "[a](&#1;javascript:b)",
    "[a](\\\\b)",
    "[a](//b)",
    "[a](/\\b)",
    "[a](https:b)",
    "[a](http://b c)",
    "[a](<http://b c>)",
    "[a](http://[)",
    "[a](mailto:b@c)",
    "<a@b.c>",
    "<https://a.b>",
    "<a:b>",
    "<ab:\"&'é>",
    "<http://[::1]>",
    "<javascript:a>",
    "<script>",
    "</script>",
    "<p>\n",
    "<b c='d'>",
    "</b>",
    "<!-- -->",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?",
    "<svg onload=a>",
    "\"",
    "' onclick=a",
    "&",
    "&amp;lt;",
    "&lt;",
    "&quot;",
    "&#13;",
    "&#0;",
    "&#x301;",
    "|a|b|\n|-|:-:|\n|c|d|\n",
    "a|b\n-|-\n",
    "[^a]",
    "[^b]",
    "![^a]",
    "[^a]: ",
    "[^b]:\n    ",
    "[^<b>\"]: [^<b>\"]",
    "[^",
    "\n![a](b \"c <d>\")\n",
    "\n\n![a](//b \"c\")",
    "# a\n",
    "# <b> \"c\"\n",
    "# h-a-2\n",
    "# a 2\n",
    "a\n---\n",
    "https://a.b",
    "www.a.b/c\"d<e>",
    "http://a.b/(c)",
    " https://",
    " www.a_b",
    "```html\n<!-- <a b='c' -->",
    "```py\n\"\"\"",
    "```diff\n+<a>\n",
    "```json\n{\"a\": 1}\n",
];

/// A sanitiser of what the API and feeds have, and one of what pages have.
struct Oracle {
    api: Builder<'static>,
    page: Builder<'static>,
}

impl Oracle {
    fn new() -> Self {
        Self {
            api: api_sanitiser(),
            page: page_sanitiser(),
        }
    }

    /// Expects that the HTML of each source passes everywhere. Returns how many sources posts may have.
    async fn check(&self, sources: impl IntoIterator<Item = String>) -> usize {
        // No body has a NUL.
        let sources = sources.into_iter().map(|source| source.replace('\0', ""));
        let shown = show_all(sources).await;
        for post in &shown {
            for (sanitiser, html) in [
                (&self.api, &post.html),
                (&self.api, &post.feed),
                (&self.page, &post.page),
            ] {
                if let Some(cleaned) = removed(sanitiser, html) {
                    let source = &post.body;
                    panic!("{source:?} became {html:?}, and the sanitiser made it {cleaned:?}");
                }
            }
        }
        shown.len()
    }
}

/// Of HTML for a page.
fn page_sanitiser() -> Builder<'static> {
    let tags = TAGS.split(' ').chain(PAGE_TAGS.split(' '));
    let attributes = ATTRIBUTES.into_iter().chain(PAGE_ATTRIBUTES);
    sanitiser(tags, attributes)
}

#[test]
fn the_oracle_finds_what_is_not_allowed() {
    let (api, page) = (api_sanitiser(), page_sanitiser());
    let link = "rel=\"nofollow ugc noopener noreferrer\"";
    let image = "loading=\"lazy\" referrerpolicy=\"no-referrer\"";
    for allowed in [
        format!("<p><a href=\"x\" {link}>a</a><img src=\"https://x\" {image}></p>\n"),
        "<pre><code class=\"language-c++\">'&#39;\u{a0}</code></pre>".to_owned(),
        format!(
            "<h2 id=\"h-a\">a<sup><a href=\"#fn-1\" id=\"fnref-1-2\" {link}>1</a></sup></h2>\
             <section><ol><li id=\"fn-1\">b</li></ol></section>"
        ),
        "<div class=\"callout tip\">\n<p class=\"callout-title\" lang=\"fr\">a</p></div>"
            .to_owned(),
        format!("<figure><img src=\"b\" {image}><figcaption>c</figcaption></figure>"),
    ] {
        assert_eq!(removed(&api, &allowed), None);
    }
    for forbidden in [
        "<script>a</script>",
        "<p onclick=\"a\">b</p>",
        "<p id=\"a\">b</p>",
        "<h1 id=\"content\">b</h1>",
        "<h1 id=\"h-a b\">b</h1>",
        "<h1 id=\"h-A\">b</h1>",
        "<h1 id=\"fn-1\">b</h1>",
        "<ol><li id=\"fn-a\">b</li></ol>",
        "<section class=\"a\">b</section>",
        "<div class=\"callout notice\">a</div>",
        "<p class=\"notice\">a</p>",
        &format!("<a class=\"anchor\" href=\"#h-a\" {link}></a>"),
        "<p><!-- a --></p>",
        "<p>a<p>b</p>",
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"b\">a</div>",
        "<a href=\"x\">a</a>",
        &format!("<a href=\"javascript:x\" {link}>a</a>"),
        &format!("<a href=\"java\tscript:x\" {link}>a</a>"),
        &format!("<a href=\"x\" {link}><a href=\"y\" {link}>a</a></a>"),
        "<img src=\"https://x\">",
        &format!("<img src=\"http://x\" {image}>"),
        &format!("<img src=\"//x\" {image}>"),
        "<code class=\"language-a b\">a</code>",
        "<input type=\"text\">",
        "<td>a</td>",
    ] {
        assert!(removed(&api, forbidden).is_some(), "{forbidden}");
    }
    for forbidden in [
        "<div class=\"fixed\">a</div>",
        "<pre tabindex=\"1\">a</pre>",
        "<p><wbr id=\"a\"></p>",
        "<pre tabindex=\"0\"><code><span class=\"notice\">a</span></code></pre>",
        &format!("<a class=\"quiet\" href=\"#h-a\" {link}></a>"),
    ] {
        assert!(removed(&page, forbidden).is_some(), "{forbidden}");
    }
}

#[tokio::test]
async fn nothing_is_removed_from_generated_sources() {
    let oracle = Oracle::new();
    let sources = std::env::var("HANDBILL_ORACLE_SOURCES");
    let sources = sources.map_or(SOURCES, |number| {
        number.parse().expect("a number of sources")
    });
    let mut random = StdRng::seed_from_u64(sources as u64);
    let mut checked = 0;
    for _ in 0..sources.div_ceil(TOGETHER) {
        let sources = (0..TOGETHER).map(|_| {
            let length = random.random_range(1..30);
            let pieces = (0..length).map(|_| PIECES[random.random_range(0..PIECES.len())]);
            pieces.collect()
        });
        checked += oracle.check(sources.collect::<Vec<_>>()).await;
    }
    assert!(checked > sources / 10 * 9, "{checked}");
}

proptest! {
    #[test]
    fn nothing_is_removed_from_arbitrary_text(source in any::<String>(), line in "[ -~\n]{0,80}") {
        let mut runtime = RuntimeBuilder::new_current_thread();
        let runtime = runtime.enable_time().build().unwrap();
        runtime.block_on(Oracle::new().check([source, line]));
    }
}

#[tokio::test]
async fn nothing_is_removed_from_the_corpora() {
    let Some(folder) = folder() else { return };
    let oracle = Oracle::new();
    for name in [
        "xss/payloadbox_xss.json",
        "strings/blns.json",
        "sqli/payloadbox_sqli.json",
    ] {
        let strings = read_strings(&folder.join(name));
        assert!(strings.len() > 400, "{name}");
        for strings in strings.chunks(TOGETHER - 1) {
            let all = strings.join("\n\n");
            oracle.check(strings.iter().cloned().chain([all])).await;
        }
    }
    #[derive(Deserialize)]
    struct Pathological {
        parts: Vec<(String, usize)>,
    }
    let sources = read_json(&folder.join("markdown/pathological.json"));
    let sources: Vec<Pathological> = serde_json::from_value(sources).unwrap();
    assert!(sources.len() >= 50);
    for Pathological { parts } in sources {
        // As many repeats as make a text of some kilobytes: the sanitiser, not we, is slow on more.
        let whole: usize = parts.iter().map(|(unit, count)| unit.len() * count).sum();
        let scaled = |count: &usize| (count * 10_000 / whole.max(10_000)).max(1);
        let source = parts.iter().map(|(unit, count)| unit.repeat(scaled(count)));
        oracle.check([source.collect()]).await;
    }
}
