//! Folders of Markdown files.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Output;

use handbill_tests::load::{get, post_json};
use serde_json::Value;

use crate::place::{Place, raw_in, send, stderr, stdout};

pub(crate) fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

/// Imports the folder `posts`. Returns the lines of the table.
pub(crate) async fn import(place: &Place, arguments: &[&str]) -> Vec<Vec<String>> {
    let imported = place.run(&[&["import", "posts"], arguments].concat()).await;
    assert!(imported.status.success(), "{imported:?}");
    table(&imported)
}

/// The cells of the table that an import printed.
pub(crate) fn table(imported: &Output) -> Vec<Vec<String>> {
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect();
    stdout(imported).lines().map(cells).collect()
}

/// All posts, by their files' names.
pub(crate) async fn read(place: &Place, table: &[Vec<String>]) -> Vec<(String, Value)> {
    let program = place.start(&[]).await;
    let mut posts = Vec::new();
    for line in table {
        let [file, url, edit] = &line[..] else {
            panic!("three columns in {line:?}");
        };
        let (_, id) = url.rsplit_once('/').unwrap();
        let (_, token) = edit.rsplit_once('/').unwrap();
        let address = format!("/api/posts/{id}?token={token}");
        let post = send(&program, &get(&address)).await;
        assert_eq!(
            send(&program, &get(&format!("/e/{token}"))).await.status,
            200
        );
        posts.push((file.clone(), post.json()));
    }
    posts
}

#[tokio::test]
async fn each_file_of_a_folder_becomes_a_post() {
    let place = Place::new();
    let folder = place.file("posts");
    write(
        &folder,
        &[
            (
                "a.md",
                "---\ntitle: \"One\"\ndate: 2024-01-02 03:04:05 +0200\nlastmod: 2024-02-03\n\
                 Tags: [Rust, Web]\nauthor: Ada\nlanguage: en-gb\nslug: same\n---\n\nThe *first*.\n",
            ),
            (
                "deep/er/b.md",
                "+++\ntitle = 'Two'\ndraft = true\nslug = 'same'\n+++\nSecond.\n",
            ),
            ("2023-05-06-from-jekyll.MD", "Only a body.\n"),
            ("notes.txt", "Not Markdown."),
        ],
    );
    let table = import(
        &place,
        &["--base-url", "https://example.org/blog", "--owner", "ada"],
    )
    .await;
    assert!(
        table[0][1].starts_with("https://example.org/blog/p/"),
        "{table:?}"
    );
    let posts = read(&place, &table).await;
    let names: Vec<_> = posts.iter().map(|(file, _)| file.as_str()).collect();
    assert_eq!(
        names,
        [
            "posts/2023-05-06-from-jekyll.MD",
            "posts/a.md",
            "posts/deep/er/b.md"
        ]
    );

    let (_, jekyll) = &posts[0];
    assert_eq!(jekyll["created_at"], "2023-05-06T00:00:00.000Z");
    assert_eq!(jekyll["body"], "Only a body.\n");
    let (_, first) = &posts[1];
    assert_eq!(first["title"], "One");
    assert_eq!(first["body"], "The *first*.\n");
    assert_eq!(first["created_at"], "2024-01-02T01:04:05.000Z");
    assert_eq!(first["published_at"], "2024-01-02T01:04:05.000Z");
    assert_eq!(first["updated_at"], "2024-02-03T00:00:00.000Z");
    assert_eq!(first["tags"], serde_json::json!(["rust", "web"]));
    assert_eq!(
        (&first["author"], &first["language"]),
        (&"Ada".into(), &"en-GB".into())
    );
    assert_eq!(first["visibility"], "public");
    let (_, second) = &posts[2];
    assert_eq!(second["visibility"], "draft");
    assert_eq!(second["published_at"], Value::Null);
    let owned = place.run(&["posts", "list", "--owner", "ada"]).await;
    assert_eq!(stdout(&owned).lines().count(), 3);
}

/// Files that Hugo or Jekyll would not publish, and a body for each.
const HIDDEN: [(&str, &str); 24] = [
    ("draft-yaml.md", "---\ndraft: true\n---\nx"),
    ("draft-case.md", "---\nDraft: TRUE\n---\nx"),
    ("draft-toml.md", "+++\nDraft = true\n+++\nx"),
    ("draft-text.md", "+++\ndraft = 'true'\n+++\nx"),
    ("draft-json.md", "{\"DRAFT\": true}\nx"),
    ("draft-yes.md", "---\ndraft: yes\n---\nx"),
    ("draft-after-space.md", "\n---\ndraft: true\n---\nx"),
    ("unpublished.md", "---\npublished: false\n---\nx"),
    ("unpublished-no.md", "---\nPublished: no\n---\nx"),
    ("unpublished-obsidian.md", "---\npublish: false\n---\nx"),
    ("unpublished-eleventy.md", "---\npermalink: false\n---\nx"),
    ("unpublished-zola.md", "+++\nrender = false\n+++\nx"),
    ("unpublished-hugo.md", "---\nbuild: {render: never}\n---\nx"),
    ("zola/deep/draft.md", "x"),
    ("hugo/draft.md", "x"),
    ("_drafts/jekyll.md", "x"),
    ("blog/_drafts/deep/er.md", "---\ntitle: x\n---\nx"),
    ("expired.md", "---\nexpiryDate: 2001-01-01\n---\nx"),
    (
        "expired-case.md",
        "---\nexpirydate: 2001-01-01T00:00:00Z\n---\nx",
    ),
    ("expired-toml.md", "+++\nunpublishDate = 2001-01-01\n+++\nx"),
    (
        "future.md",
        "---\ndate: 9000-01-01\nlastmod: 9000-01-01\n---\nx",
    ),
    ("future-end.md", "---\nDate: 9999-12-31T23:59:59Z\n---\nx"),
    (
        "future-publish.md",
        "---\ndate: 2001-01-01\npublishdate: 9000-01-01\n---\nx",
    ),
    ("9000-01-01-future.md", "x"),
];
const HIDDEN_COUNTS: &str = "24 became drafts: 7 draft, 6 not published, 2 below _drafts, 2 in a hidden section, 3 expired, \
     4 dated in the future";
/// Section pages that hide what is below them, or only a part of it.
const SECTIONS: [(&str, &str); 3] = [
    ("zola/_index.md", "+++\ndraft = true\n+++\n"),
    (
        "hugo/_index.md",
        "---\ncascade:\n- target: {path: /x}\n- build: {render: never}\n---\n",
    ),
    (
        "part/_index.md",
        "---\ncascade: [{draft: true, target: {path: /x}}]\n---\n",
    ),
];

pub(crate) fn last_line(output: &Output) -> String {
    stderr(output).lines().last().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn what_hugo_and_jekyll_hide_becomes_a_draft() {
    let place = Place::new();
    let folder = place.file("posts");
    write(&folder, &HIDDEN);
    write(&folder, &SECTIONS);
    write(
        &folder,
        &[
            (
                "a.md",
                "---\ndraft: false\npublished: true\nexpiryDate: 9999-12-31\n---\nx",
            ),
            ("b.md", "---\npublishDate: 2001-02-03\n---\nx"),
            ("part/c.md", "---\npublish: true\npermalink: /c/\n---\nx"),
        ],
    );
    let dry = place.run(&["import", "--dry-run", "posts"]).await;
    let would = HIDDEN_COUNTS.replace("became", "would become");
    assert_eq!(
        last_line(&dry),
        format!("27 posts would be created; {would}; left out: 3 section pages")
    );
    let imported = place.run(&["import", "posts"]).await;
    assert_eq!(
        last_line(&imported),
        format!("created 27 posts; {HIDDEN_COUNTS}; left out: 3 section pages")
    );
    let posts = read(&place, &table(&imported)).await;
    for (file, post) in posts {
        let is_shown = ["posts/a.md", "posts/b.md", "posts/part/c.md"].contains(&&*file);
        let expected = match is_shown {
            true => "public",
            false => "draft",
        };
        assert_eq!(post["visibility"], expected, "{file}");
        assert_eq!(post["published_at"].is_null(), !is_shown, "{file}");
        if file == "posts/b.md" {
            assert_eq!(post["created_at"], "2001-02-03T00:00:00.000Z");
        }
    }
}

#[tokio::test]
async fn no_time_of_an_imported_post_is_in_the_future() {
    let place = Place::new();
    write(&place.file("posts"), &HIDDEN);
    write(
        &place.file("posts"),
        &[("a.md", "---\nlastmod: 9000-01-01\n---\nx")],
    );
    let table = import(&place, &[]).await;
    for (file, post) in read(&place, &table).await {
        for name in ["created_at", "updated_at"] {
            assert!(post[name].as_str().unwrap() < "9000", "{file}: {post}");
        }
    }
    // Nor does a draft get there when it is published.
    let program = place.start(&[]).await;
    for [file, url, edit] in table.iter().map(|line| [&line[0], &line[1], &line[2]]) {
        let (_, id) = url.rsplit_once('/').unwrap();
        let (_, token) = edit.rsplit_once('/').unwrap();
        let headers = format!("X-Edit-Token: {token}\r\n");
        let body = r#"{"visibility": "public"}"#;
        let request = post_json(&format!("/api/posts/{id}"), &headers, body);
        let request = [b"PATCH", &request["POST".len()..]].concat();
        let published = send(&program, &request).await;
        assert_eq!(published.status, 200);
        let published = published.json();
        assert!(
            published["published_at"].as_str().unwrap() < "9000",
            "{file}: {published}"
        );
    }
}

#[tokio::test]
async fn files_and_folders_whose_names_begin_with_a_dot_are_skipped() {
    let place = Place::new();
    let folder = place.file(".content");
    write(
        &folder,
        &[
            ("shown.md", "x"),
            (".hidden.md", "x"),
            (".trash/deleted.md", "x"),
            ("a/.git/b/c.md", "x"),
        ],
    );
    let imported = place.run(&["import", ".content"]).await;
    assert_eq!(last_line(&imported), "created 1 posts");
    assert_eq!(table(&imported)[0][0], ".content/shown.md");
}

#[tokio::test]
async fn a_folder_of_drafts_has_drafts_however_it_is_named() {
    let place = Place::new();
    let folder = place.file("site/_drafts");
    write(&folder, &[("a.md", "x")]);
    symlink(&folder, place.file("linked")).unwrap();
    for name in ["site/_drafts", "linked"] {
        let imported = place.run(&["import", name]).await;
        assert_eq!(
            last_line(&imported),
            "created 1 posts; 1 became drafts: 1 below _drafts"
        );
    }
}

#[tokio::test]
async fn the_visibility_of_the_command_is_for_what_is_not_hidden() {
    let place = Place::new();
    write(
        &place.file("posts"),
        &[("a.md", "---\ndraft: true\n---\nA.\n"), ("b.md", "B.\n")],
    );
    for (visibility, expected, says) in [
        ("public", ["draft", "public"], "; 1 became drafts: 1 draft"),
        (
            "unlisted",
            ["draft", "unlisted"],
            "; 1 became drafts: 1 draft",
        ),
        ("draft", ["draft", "draft"], ""),
    ] {
        let arguments = ["import", "posts", "--visibility", visibility];
        let dry = place.run(&[&arguments[..], &["--dry-run"]].concat()).await;
        let would = says.replace("became", "would become");
        assert_eq!(last_line(&dry), format!("2 posts would be created{would}"));
        let imported = place.run(&arguments).await;
        assert_eq!(last_line(&imported), format!("created 2 posts{says}"));
        let posts = read(&place, &table(&imported)).await;
        let visibilities: Vec<_> = posts.iter().map(|(_, post)| &post["visibility"]).collect();
        assert_eq!(visibilities, expected);
    }
}

#[tokio::test]
async fn a_dry_run_writes_nothing() {
    let place = Place::new();
    write(&place.file("posts"), &[("a.md", "A.\n"), ("b.md", "B.\n")]);
    assert!(place.keys(&["issue"]).await.status.success());
    let dry = place.run(&["import", "--dry-run", "posts"]).await;
    assert!(dry.status.success(), "{dry:?}");
    assert_eq!(stderr(&dry), "2 posts would be created\n");
    assert_eq!(stdout(&place.run(&["posts", "list"]).await), "");
}

#[tokio::test]
async fn names_and_texts_of_files_reach_the_terminal_escaped() {
    let place = Place::new();
    let name = "a\u{1b}[31m\u{9b}\u{202e}.md";
    write(&place.file("posts"), &[(name, "A.\n")]);
    let imported = place.run(&["import", "posts"]).await;
    let escaped = r"posts/a\u{1b}[31m\u{9b}\u{202e}.md";
    assert_eq!(table(&imported)[0][0], escaped);
    write(
        &place.file("posts"),
        &[
            (name, "---\ndate: \"so\\e[31mon\"\n---\nx"),
            ("b.md", "---\ntitle: [\"\\e[31m\", \"\\e\"]\n---\nx"),
            ("c.md", "---\n\u{9b}: &\u{9b} *\u{9b}\n---\nx"),
        ],
    );
    let refused = place.run(&["import", "posts"]).await;
    let says = stderr(&refused);
    assert!(says.starts_with(&format!("{escaped}: ")), "{says}");
    assert!(says.contains(r"“so\u{1b}[31mon” is not a date"), "{says}");
    assert_eq!(raw_in(says), None, "{says:?}");
}

#[tokio::test]
async fn all_faulty_files_are_named_and_nothing_is_written() {
    let place = Place::new();
    let folder = place.file("posts");
    let long = format!("---\ntitle: {}\n---\nx", "x".repeat(201));
    write(
        &folder,
        &[
            ("good.md", "Good.\n"),
            ("yaml.md", "---\ntitle: [\n---\nx"),
            ("toml.md", "+++\ntitle = \n+++\nx"),
            ("date.md", "---\ndate: soon\n---\nx"),
            ("old.md", "---\ndate: 1969-12-31\n---\nx"),
            ("expiry.md", "---\nExpirydate: soon\n---\nx"),
            ("publish.md", "---\npublishDate: soon\n---\nx"),
            ("draft.md", "---\ndraft: perhaps\n---\nx"),
            ("published.md", "---\npublished: perhaps\n---\nx"),
            ("end.md", "---\ntitle: x\n"),
            ("long.md", &long),
            ("language.md", "---\nlanguage: not a language\n---\nx"),
        ],
    );
    fs::write(folder.join("bytes.md"), b"\xFF\xFEa\0").unwrap();
    let large = fs::File::create(folder.join("large.md")).unwrap();
    large.set_len(100 * 1024 * 1024 * 1024).unwrap();
    assert!(place.keys(&["issue"]).await.status.success());
    for dry in [&["--dry-run"][..], &[]] {
        let refused = place.run(&[&["import", "posts"], dry].concat()).await;
        assert!(!refused.status.success());
        assert_eq!(stdout(&refused), "");
        let says = stderr(&refused);
        for (file, expected) in [
            ("yaml.md", "at line 2"),
            ("toml.md", "its TOML: "),
            ("date.md", "“soon” is not a date"),
            ("old.md", "not in the years 1970 to 9998"),
            ("expiry.md", "expirydate: “soon” is not a date"),
            ("publish.md", "publishdate: “soon” is not a date"),
            ("draft.md", "draft: true or false is expected"),
            (
                "published.md",
                "published: true, false or a date is expected",
            ),
            ("end.md", "has no end"),
            ("long.md", "title is longer than 200 characters"),
            ("language.md", "language is not a language tag"),
            ("bytes.md", "not in UTF-8"),
            ("large.md", "too large"),
        ] {
            let line = says
                .lines()
                .find(|line| line.starts_with(&format!("posts/{file}: ")));
            assert!(
                line.is_some_and(|line| line.contains(expected)),
                "{file}: {says}"
            );
        }
        assert!(
            says.ends_with("faulty files: 13; nothing was created\n"),
            "{says}"
        );
        assert_eq!(says.lines().count(), 14, "{says}");
    }
    assert_eq!(stdout(&place.run(&["posts", "list"]).await), "");
}

#[tokio::test]
async fn links_are_not_followed_and_names_may_have_any_bytes() {
    let place = Place::new();
    let (folder, outside) = (place.file("posts"), place.file("outside"));
    write(&outside, &[("secret.md", "Secret.\n")]);
    write(&folder, &[("a.md", "A.\n"), ("b\tc\n.md", "B.\n")]);
    symlink(&outside, folder.join("linked-folder")).unwrap();
    symlink(outside.join("secret.md"), folder.join("linked.md")).unwrap();
    symlink(&folder, folder.join("around")).unwrap();
    fs::write(folder.join(OsStr::from_bytes(b"\xFF.md")), "C.\n").unwrap();
    let table = import(&place, &[]).await;
    let bodies: Vec<_> = read(&place, &table).await;
    let mut bodies: Vec<_> = bodies
        .iter()
        .map(|(_, post)| post["body"].clone())
        .collect();
    bodies.sort_by_key(Value::to_string);
    assert_eq!(bodies, ["A.\n", "B.\n", "C.\n"]);
}

#[tokio::test]
async fn an_export_is_read_back_by_an_import() {
    let (old, new) = (Place::new(), Place::new());
    let body = "\n# A heading\n\n---\n\ntext without end";
    let written = format!(
        "---\ntitle: 'Yes: \"no\" # \\ – 1.0'\ndate: 2024-01-02T03:04:05.000678Z\nlastmod: 2025-01-01\n\
         tags: ['null', 'a: b', été]\nauthor: 'true'\nlanguage: fr\n---\n\n{body}"
    );
    write(
        &old.file("posts"),
        &[
            ("a.md", &written),
            ("b.md", "Plain.\n"),
            ("draft.md", "---\ndraft: true\n---\nNot yet.\n"),
        ],
    );
    import(&old, &[]).await;
    let posts = new.file("posts");
    for _ in 0..2 {
        let exported = old
            .run(&["export", "--markdown", posts.to_str().unwrap()])
            .await;
        assert!(exported.status.success(), "{exported:?}");
    }
    let table = import(&new, &[]).await;
    assert_eq!(table.len(), 2, "public posts only, and once: {table:?}");
    let posts = read(&new, &table).await;
    let (file, post) = &posts[0];
    assert!(
        file.contains("/posts/2024-01-02-") || file.starts_with("posts/2024-01-02-"),
        "{file}"
    );
    assert_eq!(post["title"], "Yes: \"no\" # \\ – 1.0");
    assert_eq!(post["body"], body);
    assert_eq!(post["tags"], serde_json::json!(["null", "a: b", "été"]));
    assert_eq!(
        (&post["author"], &post["language"]),
        (&"true".into(), &"fr".into())
    );
    assert_eq!(post["updated_at"], "2025-01-01T00:00:00.000Z");
    let (archive, again) = (old.run(&["export"]).await, new.run(&["export"]).await);
    for archive in [archive, again] {
        assert!(
            stdout(&archive).contains("\"created_at\":1704164645000678"),
            "to the microsecond"
        );
    }
}

#[tokio::test]
async fn each_import_creates_new_posts() {
    let place = Place::new();
    write(&place.file("posts"), &[("a.md", "A.\n")]);
    let (first, second) = (import(&place, &[]).await, import(&place, &[]).await);
    assert_ne!(first[0][1], second[0][1]);
}

#[tokio::test]
async fn an_owner_is_not_for_an_archive() {
    let place = Place::new();
    assert!(place.keys(&["issue"]).await.status.success());
    assert!(place.run(&["export", "all.ndjson"]).await.status.success());
    let refused = place.run(&["import", "all.ndjson", "--owner", "ada"]).await;
    assert!(!refused.status.success());
    assert!(
        stderr(&refused).contains("--owner and --visibility are for folders"),
        "{refused:?}"
    );
}
