//! The rules of each field, on creating as on updating.

use handbill::Limits;
use handbill::store::TextField;
use serde_json::{Value, json};

use super::{App, Mount};
use crate::samples;

/// A value of a field, and the value that reads show or its error code.
pub(super) type Case<'a> = (Value, Result<Value, &'a str>);

fn long(count: usize) -> String {
    "é".repeat(count)
}

/// Checks the rule of a field on creation and on update.
pub(super) async fn hold(mount: &Mount, field: &str, cases: &[Case<'_>]) {
    let app = App::new(mount).await;
    let post = app
        .create(&json!({ "title": "t", "body": "b", "tags": "g", "focus_keyword": "f" }))
        .await;
    for (value, expected) in cases {
        let mut fields = json!({ "body": "x" });
        fields[field] = value.clone();
        let before = app.read(&post).await;
        let created = app.post(&fields).await;
        let updated = app.put(&post, &json!({ field: value })).await;
        let mut sent = format!("{field}: {value}");
        sent = sent.chars().take(100).collect();
        match expected {
            Ok(shown) => {
                let read = app.read(&created.created()).await;
                assert_eq!(read[field], *shown, "created with {sent}");
                assert_eq!(updated.ok()[field], *shown, "updated with {sent}");
            }
            Err(fault) => {
                created.expect_faults(&[(field, fault)]);
                updated.expect_faults(&[(field, fault)]);
                let after = app.read(&post).await;
                assert_eq!(after, before, "refused, and changed by {sent}");
            }
        }
    }
}

/// An optional text is one line: trimmed; empty means none; no control characters, no bidi overrides.
pub async fn each_optional_text_is_one_line(mount: &Mount) {
    for &field in TextField::ALL {
        let text = samples::text(field, 1);
        let cases = [
            (json!(format!("  {text} \n")), Ok(json!(text))),
            (json!(""), Ok(json!(null))),
            (json!(" \t "), Ok(json!(null))),
            (json!(null), Ok(json!(null))),
            (json!("x".repeat(900_000)), Err("too_long")),
            (json!("a\u{0}b"), Err("control_character")),
            (json!("a\nb"), Err("control_character")),
            (json!("a\u{7F}b"), Err("control_character")),
            (json!("a\u{85}b"), Err("control_character")),
            (json!("a\u{2028}b"), Err("control_character")),
            (json!("a\u{2029}b"), Err("control_character")),
            (json!("a\u{202A}b"), Err("bidi_override")),
            (json!("a\u{202E}b"), Err("bidi_override")),
            (json!("a\u{2066}b"), Err("bidi_override")),
            (json!("a\u{2069}b"), Err("bidi_override")),
            (json!(1), Err("wrong_type")),
            (json!(["x"]), Err("wrong_type")),
        ];
        hold(mount, field.name(), &cases).await;
    }
}

/// A title: at most 200 characters.
pub async fn a_title_is_a_line_of_at_most_200_characters(mount: &Mount) {
    let cases = [
        (json!(format!(" {} ", long(200))), Ok(json!(long(200)))),
        (json!(long(201)), Err("too_long")),
        (json!("a\u{200F}\u{202F}b"), Ok(json!("a\u{200F}\u{202F}b"))),
    ];
    hold(mount, "title", &cases).await;
}

/// A body: not blank; at most 100,000 characters; no NUL.
pub async fn a_body_is_text_of_at_most_100_000_characters(mount: &Mount) {
    let cases = [
        (json!(""), Err("blank")),
        (json!(" \n\u{3000}\t"), Err("blank")),
        (json!(null), Err("blank")),
        (json!("a\u{0}b"), Err("nul")),
        (json!(long(100_000)), Ok(json!(long(100_000)))),
        (json!(long(100_001)), Err("too_long")),
        (json!({}), Err("wrong_type")),
        (json!(false), Err("wrong_type")),
    ];
    hold(mount, "body", &cases).await;
}

/// Titles and tags that consist of white space, format characters and fillers alone count as empty:
/// readers could not see the links that they are the text of.
pub async fn a_name_without_a_visible_character_counts_as_empty(mount: &Mount) {
    let invisible = [
        "\u{AD}",
        "\u{34F}",
        "\u{600}",
        "\u{61C}",
        "\u{115F}",
        "\u{1160}",
        "\u{17B4}",
        "\u{180B}",
        "\u{180E}",
        "\u{200B}",
        "\u{200D}",
        "\u{2060}",
        "\u{2800}",
        "\u{3164}",
        "\u{FE0F}",
        "\u{FEFF}",
        "\u{FFA0}",
        "\u{FFF9}",
        "\u{1BCA0}",
        "\u{E0020}",
        "\u{E0100}",
        " \u{200B}\u{2800} \u{3000}\u{3164}\u{FE0F} ",
    ];
    let titles = invisible.map(|text| (json!(text), Ok(json!(null))));
    hold(mount, "title", &titles).await;
    let tags = invisible.map(|text| (json!([text, format!("#{text}"), "x"]), Ok(json!(["x"]))));
    hold(mount, "tags", &tags).await;

    let visible = [
        "a\u{200B}",
        "\u{2764}\u{FE0F}",
        "\u{301}",
        "\u{3131}\u{3164}",
    ];
    let titles = visible.map(|text| (json!(text), Ok(json!(text))));
    hold(mount, "title", &titles).await;
    let many = "\u{200B}".repeat(300);
    hold(mount, "title", &[(json!(many), Ok(json!(null)))]).await;
    hold(mount, "tags", &[(json!(many), Ok(json!([])))]).await;
}

/// Tags: one string or an array. Each is trimmed, without leading `#`, NFC and lowercase, with
/// white space collapsed. Empty tags and duplicates are dropped, and the order is preserved.
pub async fn tags_are_normalised_and_stay_in_order(mount: &Mount) {
    let cases = [
        (
            json!("Rust, web ,rust,, #Web  Apps"),
            Ok(json!(["rust", "web", "web apps"])),
        ),
        (
            json!(["Rust", " #rust ", "", "B", "a"]),
            Ok(json!(["rust", "b", "a"])),
        ),
        (
            json!("E\u{301}te\u{301},\u{c9}T\u{c9}"),
            Ok(json!(["\u{e9}t\u{e9}"])),
        ),
        (json!("a \t\n b"), Ok(json!(["a b"]))),
        (json!("##x,C#"), Ok(json!(["x", "c#"]))),
        (json!(",, ,#,"), Ok(json!([]))),
        (json!(""), Ok(json!([]))),
        (json!([]), Ok(json!([]))),
        (json!(null), Ok(json!([]))),
    ];
    hold(mount, "tags", &cases).await;
}

/// Tags: at most 20 of at most 50 characters; no control characters, no bidi overrides, no comma in
/// an array's item.
pub async fn tags_are_at_most_20_of_at_most_50_characters(mount: &Mount) {
    let numbered = |count: usize| (0..count).map(|n| n.to_string()).collect::<Vec<_>>();
    let cases = [
        (json!(numbered(20)), Ok(json!(numbered(20)))),
        (
            json!(numbered(20).join(",") + ",0,1,,"),
            Ok(json!(numbered(20))),
        ),
        (json!(numbered(21)), Err("too_many")),
        (json!(numbered(21).join(",")), Err("too_many")),
        (json!([long(50)]), Ok(json!([long(50)]))),
        (json!([long(51)]), Err("too_long")),
        (
            json!("新聞，科技、a،b"),
            Ok(json!(["新聞", "科技", "a", "b"])),
        ),
        (json!(["a,b"]), Err("comma")),
        (json!(["新聞，科技"]), Err("comma")),
        (json!(["a\u{0}b"]), Err("control_character")),
        (json!("a\u{7}b"), Err("control_character")),
        (json!("a\u{202E}b"), Err("bidi_override")),
        (json!(["a", 1]), Err("wrong_type")),
        (json!([null]), Err("wrong_type")),
        (json!(7), Err("wrong_type")),
        (json!({}), Err("wrong_type")),
    ];
    hold(mount, "tags", &cases).await;
}

/// A focus keyword: at most 100 characters.
pub async fn a_focus_keyword_is_a_line_of_at_most_100_characters(mount: &Mount) {
    let cases = [
        (json!(" a b "), Ok(json!("a b"))),
        (json!(long(100)), Ok(json!(long(100)))),
        (json!(long(101)), Err("too_long")),
    ];
    hold(mount, "focus_keyword", &cases).await;
}

/// An author: at most 100 characters, one of them visible.
pub async fn an_author_is_a_line_of_at_most_100_characters(mount: &Mount) {
    let cases = [
        (json!(" Ann  Ex\n"), Ok(json!("Ann  Ex"))),
        (json!("\u{200B}\u{3164}"), Ok(json!(null))),
        (json!(long(100)), Ok(json!(long(100)))),
        (json!(long(101)), Err("too_long")),
    ];
    hold(mount, "author", &cases).await;
}

/// A language: a BCP 47 tag of at most 35 characters, shown in its canonical case; empty means
/// none.
pub async fn a_language_is_a_bcp_47_tag_in_its_canonical_case(mount: &Mount) {
    let cases = [
        (json!("en"), Ok(json!("en"))),
        (json!(" DE-at "), Ok(json!("de-AT"))),
        (json!("zh-hANT-tw"), Ok(json!("zh-Hant-TW"))),
        (
            json!("SL-ROZAJ-BISKE-1994"),
            Ok(json!("sl-rozaj-biske-1994")),
        ),
        (json!("es-419"), Ok(json!("es-419"))),
        (json!("X-Our-OWN"), Ok(json!("x-our-own"))),
        (json!(""), Ok(json!(null))),
        (json!(null), Ok(json!(null))),
        (json!("a".repeat(36)), Err("too_long")),
        (json!("english please"), Err("not_a_language")),
        (json!("en_GB"), Err("not_a_language")),
        (json!("e"), Err("not_a_language")),
        (json!("-en"), Err("not_a_language")),
        (json!("\u{e9}n"), Err("not_a_language")),
        (json!("e\u{0}n"), Err("control_character")),
        (json!(1), Err("wrong_type")),
    ];
    hold(mount, "language", &cases).await;
}

/// A visibility: `public`, `unlisted` or `draft`, as it is spelled here.
pub async fn a_visibility_is_public_unlisted_or_draft(mount: &Mount) {
    let cases = [
        (json!("unlisted"), Ok(json!("unlisted"))),
        (json!("public"), Ok(json!("public"))),
        (json!("Public"), Err("unknown_value")),
        (json!("private"), Err("unknown_value")),
        (json!(true), Err("wrong_type")),
        (json!(["public"]), Err("wrong_type")),
    ];
    hold(mount, "visibility", &cases).await;
    let app = App::new(mount).await;
    let draft = app
        .create(&json!({ "body": "x", "visibility": "draft" }))
        .await;
    let read = app.edit("GET", &draft).await.ok();
    assert_eq!(read["visibility"], "draft", "created as a draft");
}

/// Unknown field names are refused.
pub async fn an_unknown_field_is_refused(mount: &Mount) {
    for field in ["edit_token", "Title", "_method", ""] {
        hold(mount, field, &[(json!("x"), Err("unknown_field"))]).await;
    }
}

/// The body is required on creation.
pub async fn a_post_has_a_body(mount: &Mount) {
    let app = App::new(mount).await;
    for fields in [json!({}), json!({ "title": "x" })] {
        let response = app.post(&fields).await;
        response.expect_faults(&[("body", "required")]);
    }
}

/// All faulty fields are reported at once, each with its error.
pub async fn all_faulty_fields_are_named_at_once(mount: &Mount) {
    let app = App::new(mount).await;
    let faulty = json!({
        "title": "x".repeat(201), "body": " ", "tags": 3, "focus_keyword": "a\u{202E}", "mood": 1,
        "author": "a\u{0}", "language": "no language", "visibility": "secret", "expires_at": "2001-01-01T00:00:00Z",
        "publish_at": "soon",
    });
    let post = app.create_body("x").await;
    for call in [app.post(&faulty), app.put(&post, &faulty)] {
        call.await.expect_faults(&[
            ("author", "control_character"),
            ("body", "blank"),
            ("expires_at", "unknown_value"),
            ("focus_keyword", "bidi_override"),
            ("language", "not_a_language"),
            ("mood", "unknown_field"),
            ("publish_at", "unknown_value"),
            ("tags", "wrong_type"),
            ("title", "too_long"),
            ("visibility", "unknown_value"),
        ]);
    }
    let title = json!({ "title": "x".repeat(243), "body": "x" });
    let problem = app.post(&title).await.problem("invalid_post");
    let errors = json!([{
        "field": "title", "code": "too_long", "detail": "at most 200 characters; this has 243",
    }]);
    assert_eq!(problem["errors"], errors, "{problem}");
}

/// Read-only fields are ignored on update and unknown on creation.
pub async fn read_only_fields_are_ignored_on_update_and_refused_on_create(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let before = app.read(&post).await;
    for name in [
        "id",
        "url",
        "html",
        "excerpt",
        "created_at",
        "published_at",
        "updated_at",
    ] {
        for value in [json!("other"), json!(1), json!(null), json!([{}])] {
            let after = app.put(&post, &json!({ name: value })).await.ok();
            assert_eq!(after, before, "updated with {name}: {value}");
        }
        let response = app.post(&json!({ "body": "x", name: "y" })).await;
        response.expect_faults(&[(name, "unknown_field")]);
    }
}

/// A host can change the limits.
pub async fn a_host_sets_other_limits(mount: &Mount) {
    let mut limits = Limits::default();
    (limits.title, limits.tags, limits.request) = (3, 1, 100);
    let app = App::new(mount).await;
    let app = app.set(|service| service.with_limits(limits)).await;
    app.create(&json!({ "body": "x", "title": "abc", "tags": "a" }))
        .await;
    let longer = json!({ "body": "x", "title": "abcd", "tags": "a,b" });
    let response = app.post(&longer).await;
    assert_eq!(response.faulty_fields(), ["tags", "title"], "{response}");
    let larger = app.post(&json!({ "body": "x".repeat(100) })).await;
    larger.problem("body_too_large");
    let document = app.get("/openapi.json").await.ok();
    let title = &document["components"]["schemas"]["NewPost"]["properties"]["title"];
    let pattern = title["pattern"].as_str().unwrap_or_default();
    assert!(pattern.contains("{0,3}"), "the pattern of titles: {title}");
}

/// A body is refused if its HTML is larger than 8 times the body + 64 KiB.
pub async fn a_body_whose_html_outgrows_it_is_too_complex(mount: &Mount) {
    let app = App::new(mount).await;
    let wide = format!(
        "{}|\n{}|\n{}",
        "|a".repeat(4_000),
        "|-".repeat(4_000),
        "|x|\n".repeat(4_000)
    );
    let wide = json!({ "body": wide });
    let post = app.create_body("x").await;
    for call in [app.post(&wide), app.put(&post, &wide)] {
        call.await.expect_faults(&[("body", "too_complex")]);
    }
    assert_eq!(app.read(&post).await["body"], "x", "the body is unchanged");
}

/// A body is refused if its HTML is larger than 1 MiB.
pub async fn a_body_whose_html_has_more_than_one_mebibyte_is_too_complex(mount: &Mount) {
    const MEBIBYTE: usize = 1024 * 1024;
    let app = App::new(mount).await;
    // Each row is filled up with a thousand cells. The rest is long enough to allow 8 times as much.
    let table = |rows| {
        let (head, rule) = ("|a".repeat(1000), "|-".repeat(1000));
        let rest = "\u{1F389}".repeat(50_000);
        format!("{head}|\n{rule}|\n{}\n{rest}", "|x|\n".repeat(rows))
    };
    let post = app.create_body(&table(92)).await;
    let html = app.read(&post).await["html"].as_str().map(str::len);
    let is_largest = |html: &usize| (MEBIBYTE - 20_000..=MEBIBYTE).contains(html);
    assert!(
        html.as_ref().is_some_and(is_largest),
        "bytes of HTML: {html:?}"
    );

    let too_large = json!({ "body": table(94) });
    for call in [app.post(&too_large), app.put(&post, &too_large)] {
        call.await.expect_faults(&[("body", "too_complex")]);
    }
}

/// An error about client input stays small.
pub async fn an_error_stays_small_for_a_large_request(mount: &Mount) {
    let app = App::new(mount).await;
    let names: Vec<_> = (0..60_000).map(|n| format!(r#""{n}":1"#)).collect();
    let long = "n".repeat(900_000);
    for (body, most) in [
        (format!("{{{}}}", names.join(",")), 20_000),
        (format!(r#"{{"body":"x","{long}":1}}"#), 2_000),
    ] {
        let response = app.post_as().body("application/json", body).await;
        response.problem("invalid_post");
        let length = response.body.len();
        assert!(length < most, "the error has {length} bytes");
    }
}
