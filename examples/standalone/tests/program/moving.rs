//! Folders that other tools wrote.

use std::fs;
use std::os::unix::fs::symlink;

use crate::author::Author;
use crate::markdown::{import, last_line, read, table, write};
use crate::place::{Place, stderr, stdout};

/// A folder of each tool, with a link from the first file to the second as the tool writes it.
const LINKED: [(&str, &str, &str); 20] = [
    ("a.md", "b.md", "[b](b.md)"),
    (
        "a.md",
        "deep/b.markdown",
        "[b](./deep/b.markdown \"title\")",
    ),
    ("deep/a.md", "b c.md", "[b](<../b c.md>)"),
    ("a.md", "b.md", "[b][1]\n\n[1]: b.md 'title'\n\nSo it is"),
    (
        "_posts/2024-01-02-a.md",
        "_posts/2024-01-03-b.mkd",
        "[b]({% post_url 2024-01-03-b %})",
    ),
    (
        "_posts/2024-01-02-a.md",
        "_posts/2024-01-03-b.md",
        "[b]({{ site.baseurl }}{% link _posts/2024-01-03-b.md %})",
    ),
    (
        "_posts/2024-01-02-a.md",
        "_posts/2024-01-03-b.md",
        "[b](/news/2024/01/03/b.html)",
    ),
    (
        "content/posts/a.md",
        "content/posts/b.md",
        "[b]({{< ref \"b.md\" >}})",
    ),
    (
        "content/posts/a.md",
        "content/posts/b.md",
        "[b]({{% relref \"/posts/b\" %}})",
    ),
    (
        "content/posts/a/index.md",
        "content/posts/b/index.md",
        "[b](../b/)",
    ),
    ("content/posts/a.md", "content/posts/b.md", "[b](../b/)"),
    (
        "posts/2024-01-02-a/index.md",
        "posts/2024-01-03-b/index.md",
        "[b](/2024/01/03/b/)",
    ),
    ("content/a.md", "content/blog/b.md", "[b](@/blog/b.md)"),
    ("a.md", "notes/b.md", "[[b]]"),
    ("a.md", "notes/b.md", "[[notes/B|the other]]"),
    ("a.md", "notes/b.md", "![[b]]"),
    (
        "a.md",
        "b.md",
        "this:\n\n| x |\n|---|\n| [[b\\|the other]] |\n",
    ),
    ("a.md", "b (c).md", "[b](b%20(c).md)"),
    ("a.md", "posts/b.md", "[b]({{ '/posts/b/' | url }})"),
    (
        "src/a.mdx",
        "src/b.mdown",
        "![picture](https://x.example/p.png) [![](https://x.example/q.png)](b.mdown)",
    ),
];

#[tokio::test]
async fn links_among_the_files_lead_to_their_posts() {
    for (from, to, link) in LINKED {
        let place = Place::new();
        let folder = place.file("posts");
        write(&folder, &[(from, &format!("See {link}.\n")), (to, "B.\n")]);
        let imported = place
            .run(&["import", "posts", "--base-url", "https://example.org"])
            .await;
        assert_eq!(last_line(&imported), "created 2 posts", "{link}");
        let table = table(&imported);
        let row = |name: &str| {
            table
                .iter()
                .find(|row| row[0] == format!("posts/{name}"))
                .unwrap()
        };
        let posts = read(&place, &table).await;
        let (_, post) = posts
            .iter()
            .find(|(file, _)| *file == row(from)[0])
            .unwrap();
        let href = format!("href=\"{}\"", row(to)[1]);
        let html = post["html"].as_str().unwrap();
        assert!(html.contains(&href), "{link} is {html}");
    }
}

/// Front matter that states where a page is or was, the name of its file, and a link to it from another folder.
const STATED: [(&str, &str, &str); 9] = [
    ("permalink: /docs/b/", "_docs/x.md", "[b](/docs/b/)"),
    ("redirect_from: [/old/]", "x.md", "[b](/old/index.html)"),
    ("url: /b/c/", "content/x.md", "[b](/b/c)"),
    ("slug: b", "content/posts/x.md", "[b](/posts/b/)"),
    ("aliases:\n- /b\n- /c", "content/x.md", "[b](/c)"),
    ("path: 2024/01/02/b", "content/x.md", "[b](/2024/01/02/b/)"),
    ("aliases: [The other]", "x.md", "[[The other]]"),
    ("permalink: other", "notes/Other.md", "[b](/other)"),
    ("title: b", "_docs/deep/b.md", "[b](/docs/deep/b/)"),
];

#[tokio::test]
async fn links_lead_to_the_addresses_that_files_state() {
    let (author, _program) = Author::started().await;
    for (number, (front_matter, file, link)) in STATED.into_iter().enumerate() {
        let place = Place::new();
        let (target, from) = (
            format!("---\n{front_matter}\n---\nB.\n"),
            format!("{link}\n"),
        );
        let near = [
            ("a/from.md", from.as_str()),
            (file, target.as_str()),
            ("a/b/c.md", "C.\n"),
        ];
        write(&place.file("posts"), &near);
        let imported = place.run(&["import", "posts"]).await;
        let last = last_line(&imported);
        assert_eq!(last, "created 3 posts", "{link}");
        let table = table(&imported);
        let row = |name: &str| {
            let name = format!("posts/{name}");
            table.iter().find(|row| row[0] == name).unwrap().clone()
        };
        let (_, post) = &read(&place, &[row("a/from.md")]).await[0];
        let body = post["body"].as_str().unwrap();
        assert!(body.contains(&row(file)[1]), "{link} is {body}");

        let folder = format!("posts{number}");
        for (file, text) in near {
            author.write(&format!("{folder}/{file}"), text);
        }
        let published = author.run(&["post", &folder]).await;
        assert_eq!(last_line(&published), "3 created", "{link}");
        let id = author.id(&format!("{folder}/{file}"));
        let post = author
            .run(&["get", &author.id(&format!("{folder}/a/from.md"))])
            .await;
        assert!(stdout(&post).contains(&id), "{link} is {post:?}");
    }
}

#[tokio::test]
async fn titles_and_dates_may_be_in_names_and_addresses() {
    let place = Place::new();
    let files = [
        ("My note.md", "Text.\n", "My note", ""),
        ("Canvas.md", "## Part\n", "Canvas", ""),
        ("日記.md", "Text.\n", "日記", ""),
        ("A plan.md", "# The plan\n", "", ""),
        ("B plan.md", "---\ntitle: B\n---\nText.\n", "B", ""),
        ("Two/README.md", "Text.\n", "", ""),
        ("Rust-1.12.md", "Text.\n", "", ""),
        ("note.md", "Text.\n", "", ""),
        (
            "a.md",
            "+++\npath = '2024/01/02/a'\n+++\nText.\n",
            "",
            "2024-01-02",
        ),
        (
            "b.md",
            "---\npermalink: /x/2024/1/2/b.html\n---\nText.\n",
            "",
            "2024-01-02",
        ),
        (
            "c.md",
            "---\naliases: [/1867/01/02/c]\n---\nText.\n",
            "",
            "",
        ),
        (
            "2024-01-02-d.md",
            "---\ndate: 2024-01-02 10:00 2024 -0800\n---\nText.\n",
            "",
            "2024-01-02",
        ),
        (
            "f.md",
            "---\nurl: https://x.example/2024/01/02/f\n---\nText.\n",
            "",
            "",
        ),
        ("e.md", "---\ndate: git Last Modified\n---\nText.\n", "", ""),
    ];
    let texts = files.map(|(name, text, _, _)| (name, text));
    write(&place.file("posts"), &texts);
    let imported = place.run(&["import", "posts"]).await;
    assert_eq!(
        last_line(&imported),
        "created 14 posts; in the posts: 1 fields that could not be read"
    );
    for (file, post) in read(&place, &table(&imported)).await {
        let mut rows = files
            .iter()
            .filter(|(name, ..)| file == format!("posts/{name}"));
        let (_, _, title, date) = rows.next().unwrap();
        assert_eq!(post["title"].as_str().unwrap_or_default(), *title, "{file}");
        let created = post["created_at"].as_str().unwrap();
        assert_eq!(
            created.starts_with("2024-01-02"),
            !date.is_empty(),
            "{file}: {created}"
        );
    }
}

#[tokio::test]
async fn what_generators_show_as_it_is_has_no_marks_of_theirs() {
    let place = Place::new();
    let text = "import A from 'a';\nimport {\n  B,\n} from 'b';\n\nexport const c = {\n\n\
                {%raw %}`{{ x }}`{%- endraw %} and\n\n```\n{{</* a */>}} {{%/* b */%}} {%/* c */%} {{/* d(e) */}} {{/* no */}}\n```\n\
                ## The *first* {#one}\n\nSee [it](#one), [2] and [3](#3).\n\n## Two\n{: #two .x}\n\n[2]: #two\n\n\
                {{< figure src=\"https://x.example/p.png\" alt='A' link=\"https://x.example\" caption=\"C\" title=\"T\" >}}\n\n\
                {{< figure src=\"https://x.example/q.png\" caption=\"C\" >}}\n\n\
                {{ site.url }}: [{{ site.baseurl }}/]({{ site.url }}/x/)\n";
    write(&place.file("posts"), &[("a.mdx", text)]);
    let imported = place.run(&["import", "posts"]).await;
    assert_eq!(
        last_line(&imported),
        "created 1 posts; in the posts: 1 links that lead nowhere, 1 template tags as text, \
         2 attribute lists without effect, 3 MDX components as text"
    );
    let posts = read(&place, &table(&imported)).await;
    let expected = "\n`{{ x }}` and\n\n```\n{{< a >}} {{% b %}} {% c %} {{ d(e) }} {{/* no */}}\n```\n\
                    ## The *first* \n\nSee [it](#h-the-first), [2] and [3](#3).\n\n## Two\n\n\n[2]: #h-two\n\n\
                    [![A](https://x.example/p.png)](https://x.example)\n\nT\n\nC\n\n![C](https://x.example/q.png)\n\n\
                    {{ site.url }}: [/](/x/)\n";
    assert_eq!(posts[0].1["body"], expected);
}

#[tokio::test]
async fn what_is_left_out_is_counted_by_reason() {
    let place = Place::new();
    let folder = place.file("posts");
    write(
        &folder,
        &[
            ("_index.md", "---\ntitle: Posts\n---\nA list."),
            ("b/_index.fr.md", "---\ntitle: Posts\n---\n"),
            ("SUMMARY.md", "- [a](a.md)\n"),
            ("empty.md", "---\ntitle: Empty\n---\n \n"),
            ("notes.txt", "Not Markdown."),
            ("node_modules/x/README.md", "A package."),
            ("_includes/x.md", "A part."),
            (
                "a.md",
                "---\ntitle: A\nauthor: [[Ada]]\n---\n[x](x.md) [[y]] [z](/z/) [](#here) [](https://x.example) ![](p.png)\n\n\
                 {{< youtube x >}} {% include x %}{: .note} <b>x</b> `{{< code >}} [x](x.md)`\n\n\
                 {% highlight ruby %}\nputs '{{ x }}'\n{% endhighlight %}\n\n<!--more-->\n\n\
                 > [!abstract] In short\n> x\n\n> [!TIP]\n> x\n\n```rust\n{{#include x.rs}}\n```\n\n:::note[x]\nx\n:::\n\n![p]\n\n[p]: p.svg\n\n%% hidden %% 100%% of [[#part-one]], 50%% of it.\n",
            ),
            ("faulty.md", "---\ntitle: a\ntitle: b\n---\nx"),
        ],
    );
    symlink(folder.join("a.md"), folder.join("link.md")).unwrap();
    let refused = place.run(&["import", "posts"]).await;
    assert_eq!(
        stderr(&refused),
        "posts/faulty.md: title is there twice, at line 3\nhandbill: faulty files: 1; nothing was created\n"
    );
    let rest = "left out: 3 section pages, 1 pages without text, 1 faulty files, 2 folders of templates or packages, \
                1 files that are not Markdown, 1 symbolic links; in the posts: 3 links that lead nowhere, \
                2 pictures that stay behind, 1 fields that could not be read, 1 shortcodes as text, \
                2 template tags as text, 1 attribute lists without effect, 2 callouts as text, 1 HTML tags as text";
    let dry = place
        .run(&["import", "posts", "--skip-faulty", "--dry-run"])
        .await;
    assert_eq!(last_line(&dry), format!("1 posts would be created; {rest}"));
    let shown = table(&dry);
    assert_eq!(shown[0][..4], ["posts/a.md", "public", "-", "A"]);
    assert!(
        shown[0][6].starts_with("3 links that lead nowhere, "),
        "{shown:?}"
    );
    assert_eq!(shown[1], ["posts/SUMMARY.md", "left out", "section pages"]);
    let imported = place.run(&["import", "posts", "--skip-faulty"]).await;
    assert!(imported.status.success());
    assert_eq!(last_line(&imported), format!("created 1 posts; {rest}"));
    let posts = read(&place, &table(&imported)).await;
    let body = posts[0].1["body"].as_str().unwrap();
    assert!(body.contains("```ruby\nputs '{{ x }}'\n```"), "{body}");
    assert!(body.contains("`{{< code >}} [x](x.md)`"), "{body}");
    let end = "\n 100%% of [#part-one](#h-part-one), 50%% of it.\n";
    assert!(body.ends_with(end), "{body}");
}

#[tokio::test]
async fn captions_and_shortcodes_of_wordpress_are_read() {
    let place = Place::new();
    let text = "<figure>\n\n![x](https://x.example/p.png)\n\n<figcaption>\n\nDawn\n\n</figcaption>\n\n</figure>\n\n\
                \\[caption id=\"a\\_1\"\\]![y](https://x.example/q.png) Dusk\\[/caption\\]\n\n\
                \\[embed\\]https://x.example/v\\[/embed\\]\n\n- one\n\n  <figure>\n\n  two\n\n  </figure>\n\n\
                three\n<figure>\n\nfour\n\n";
    let rest = "\\[embed\\] \\[gallery\\] \\[form to=\"me\"\\] \\[sic\\] <figure>\n";
    let text = format!("{text}{rest}");
    write(
        &place.file("posts"),
        &[("2024-01-02-a/index.md", text.as_str())],
    );
    let imported = place.run(&["import", "posts"]).await;
    assert_eq!(
        last_line(&imported),
        "created 1 posts; in the posts: 3 shortcodes as text, 1 HTML tags as text"
    );
    let posts = read(&place, &table(&imported)).await;
    let (_, post) = &posts[0];
    assert_eq!(post["created_at"], "2024-01-02T00:00:00.000Z");
    let expected = "![x](https://x.example/p.png)\n\nDawn\n\n![y](https://x.example/q.png) Dusk\n\n\
                    https://x.example/v\n\n- one\n\n  \n\n  two\n\n  \n\nthree\n\n\nfour\n\n";
    assert_eq!(post["body"], format!("{expected}{rest}"));
}

#[tokio::test]
async fn no_owner_is_a_dash() {
    let place = Place::new();
    write(&place.file("posts"), &[("a.md", "A.\n")]);
    import(&place, &["--owner", "-"]).await;
    import(&place, &["--owner", "ada"]).await;
    let listed = async |arguments: &[&str]| {
        let listed = place.run(&[&["posts", "list"], arguments].concat()).await;
        stdout(&listed).lines().count()
    };
    assert_eq!(listed(&[]).await, 2);
    assert_eq!(listed(&["--owner", "-"]).await, 1);
    assert_eq!(listed(&["--until", "2001-01-01"]).await, 0);
    let would = place
        .run(&["posts", "delete", "--until", "9000-01-01"])
        .await;
    assert_eq!(stdout(&would), "1\t-\n1\tada\n");
    let done = place
        .run(&["posts", "delete", "--owner", "-", "--yes"])
        .await;
    assert_eq!(stderr(&done), "deleted 1 posts\n");
    assert!(
        !place
            .run(&["owners", "erase", "-", "--yes"])
            .await
            .status
            .success()
    );
    assert_eq!(listed(&[]).await, 1);
}

#[tokio::test]
async fn published_files_link_to_each_other_from_the_first_run_on() {
    let (author, _program) = Author::started().await;
    author.write("posts/a.md", "[b](b.md) and [nothing](c.md)\n");
    author.write("posts/b.md", "[a](a.md)\n");
    author.write("posts/_index.md", "---\ntitle: Posts\n---\n");
    let published = author.run(&["post", "posts"]).await;
    assert!(published.status.success(), "{published:?}");
    let says =
        "2 created, 1 skipped; left out: 1 section pages; in the posts: 1 links that lead nowhere";
    assert_eq!(last_line(&published), says);
    for (from, to) in [("a", "b"), ("b", "a")] {
        let id = author.id(&format!("posts/{from}.md"));
        let target = author.id(&format!("posts/{to}.md"));
        let post = author.run(&["get", &id]).await;
        let link = format!("[{to}]({}/p/{target})", author.server);
        assert!(stdout(&post).contains(&link), "{post:?}");
    }
    let again = author.post(&["posts"]).await;
    assert_eq!(
        again
            .iter()
            .filter(|(outcome, ..)| outcome == "unchanged")
            .count(),
        2
    );
}

#[tokio::test]
async fn faulty_files_are_skipped_where_the_author_says_so() {
    let (author, _program) = Author::started().await;
    author.write("posts/a.md", "A.\n");
    author.write("posts/b.md", "---\ndate: soon\n---\nB.\n");
    let refused = author.run(&["post", "posts"]).await;
    assert_eq!(refused.status.code(), Some(1));
    let published = author.run(&["post", "posts", "--skip-faulty"]).await;
    assert!(published.status.success(), "{published:?}");
    assert!(stderr(&published).starts_with("posts/b.md: date: “soon” is not a date"));
    assert_eq!(
        last_line(&published),
        "1 created, 1 skipped; left out: 1 faulty files"
    );
    fs::create_dir(author.path("empty")).unwrap();
    let empty = author.run(&["post", "empty"]).await;
    assert_eq!(stderr(&empty), "no Markdown files\n");
}

#[tokio::test]
async fn edit_tokens_are_not_stored_where_they_would_be_committed() {
    let (author, _program) = Author::started().await;
    author.write("a.md", "A.\n");
    author.write(".handbill/.gitignore", "*.pending.json\n");
    let refused = author.run(&["post", "a.md"]).await;
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        stderr(&refused).contains("its .gitignore must be one line *"),
        "{refused:?}"
    );
    author.write(".handbill/.gitignore", "*\n");
    assert_eq!(author.post(&["a.md"]).await[0].0, "created");
}
