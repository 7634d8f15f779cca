//! The rules of each field, on creating as on updating.

use serde_json::{Value, json};

use crate::app::App;

/// A value of a field, and what reads show in its place or what is wrong with it.
type Case<'a> = (&'a str, Value, Result<Value, &'a str>);

fn cases() -> Vec<Case<'static>> {
    let long = |count: usize| "é".repeat(count);
    let numbered = |count: usize| (0..count).map(|n| n.to_string()).collect::<Vec<_>>();
    vec![
        ("title", json!("  Hello \n"), Ok(json!("Hello"))),
        ("title", json!(""), Ok(json!(null))),
        ("title", json!(" \t "), Ok(json!(null))),
        ("title", json!(null), Ok(json!(null))),
        (
            "title",
            json!(format!(" {} ", long(200))),
            Ok(json!(long(200))),
        ),
        ("title", json!(long(201)), Err("too_long")),
        ("title", json!("x".repeat(900_000)), Err("too_long")),
        ("title", json!("a\u{0}b"), Err("control_character")),
        ("title", json!("a\nb"), Err("control_character")),
        ("title", json!("a\u{7F}b"), Err("control_character")),
        ("title", json!("a\u{85}b"), Err("control_character")),
        ("title", json!("a\u{202A}b"), Err("bidi_override")),
        ("title", json!("a\u{202E}b"), Err("bidi_override")),
        ("title", json!("a\u{2066}b"), Err("bidi_override")),
        ("title", json!("a\u{2069}b"), Err("bidi_override")),
        (
            "title",
            json!("a\u{200F}\u{202F}b"),
            Ok(json!("a\u{200F}\u{202F}b")),
        ),
        ("title", json!(1), Err("wrong_type")),
        ("title", json!(["x"]), Err("wrong_type")),
        ("body", json!(""), Err("blank")),
        ("body", json!(" \n\u{3000}\t"), Err("blank")),
        ("body", json!(null), Err("blank")),
        ("body", json!("a\u{0}b"), Err("nul")),
        ("body", json!(long(100_000)), Ok(json!(long(100_000)))),
        ("body", json!(long(100_001)), Err("too_long")),
        ("body", json!({}), Err("wrong_type")),
        ("body", json!(false), Err("wrong_type")),
        (
            "tags",
            json!("Rust, web ,rust,, #Web  Apps"),
            Ok(json!(["rust", "web", "web apps"])),
        ),
        (
            "tags",
            json!(["Rust", " #rust ", "", "B", "a"]),
            Ok(json!(["rust", "b", "a"])),
        ),
        (
            "tags",
            json!("E\u{301}te\u{301},\u{c9}T\u{c9}"),
            Ok(json!(["\u{e9}t\u{e9}"])),
        ),
        ("tags", json!("a \t\n b"), Ok(json!(["a b"]))),
        ("tags", json!("##x,C#"), Ok(json!(["x", "c#"]))),
        ("tags", json!(",, ,#,"), Ok(json!([]))),
        ("tags", json!(""), Ok(json!([]))),
        ("tags", json!([]), Ok(json!([]))),
        ("tags", json!(null), Ok(json!([]))),
        ("tags", json!(numbered(20)), Ok(json!(numbered(20)))),
        (
            "tags",
            json!(numbered(20).join(",") + ",0,1,,"),
            Ok(json!(numbered(20))),
        ),
        ("tags", json!(numbered(21)), Err("too_many")),
        ("tags", json!(numbered(21).join(",")), Err("too_many")),
        ("tags", json!([long(50)]), Ok(json!([long(50)]))),
        ("tags", json!([long(51)]), Err("too_long")),
        ("tags", json!(["a,b"]), Err("comma")),
        ("tags", json!(["a\u{0}b"]), Err("control_character")),
        ("tags", json!("a\u{7}b"), Err("control_character")),
        ("tags", json!("a\u{202E}b"), Err("bidi_override")),
        ("tags", json!(["a", 1]), Err("wrong_type")),
        ("tags", json!([null]), Err("wrong_type")),
        ("tags", json!(7), Err("wrong_type")),
        ("tags", json!({}), Err("wrong_type")),
        ("focus_keyword", json!(" a b "), Ok(json!("a b"))),
        ("focus_keyword", json!(""), Ok(json!(null))),
        ("focus_keyword", json!(null), Ok(json!(null))),
        ("focus_keyword", json!(long(100)), Ok(json!(long(100)))),
        ("focus_keyword", json!(long(101)), Err("too_long")),
        ("focus_keyword", json!("a\tb"), Err("control_character")),
        ("focus_keyword", json!("a\u{2067}b"), Err("bidi_override")),
        ("focus_keyword", json!(true), Err("wrong_type")),
        ("edit_token", json!("x"), Err("unknown_field")),
        ("Title", json!("x"), Err("unknown_field")),
        ("", json!("x"), Err("unknown_field")),
    ]
}

#[tokio::test]
async fn each_field_has_its_rule_on_creating() {
    let app = App::new().await;
    let mut total = 0;
    for (field, value, expected) in cases() {
        let mut fields = json!({ "body": "x" });
        fields[field] = value;
        let answer = app.post(&fields).await;
        match expected {
            Ok(shown) => {
                total += 1;
                assert_eq!(app.read(&answer.created()).await[field], shown);
            }
            Err(fault) => assert_eq!(answer.faults(), [(field.to_owned(), fault.to_owned())]),
        }
    }
    assert_eq!(app.get("/api/posts").await.ok()["total"], total);
}

#[tokio::test]
async fn each_field_has_its_rule_on_updating() {
    let app = App::new().await;
    let post = app
        .create(&json!({ "title": "t", "body": "b", "tags": "g", "focus_keyword": "f" }))
        .await;
    for (field, value, expected) in cases() {
        let before = app.read(&post).await;
        let answer = app.put(&post, &json!({ field: value })).await;
        match expected {
            Ok(shown) => assert_eq!(answer.ok()[field], shown),
            Err(fault) => {
                assert_eq!(answer.faults(), [(field.to_owned(), fault.to_owned())]);
                assert_eq!(app.read(&post).await, before);
            }
        }
    }
}

#[tokio::test]
async fn a_post_has_a_body() {
    let app = App::new().await;
    let required = [("body".to_owned(), "required".to_owned())];
    assert_eq!(app.post(&json!({})).await.faults(), required);
    assert_eq!(app.post(&json!({ "title": "x" })).await.faults(), required);
}

#[tokio::test]
async fn all_faulty_fields_are_named_at_once() {
    let app = App::new().await;
    let faulty = json!({
        "title": "x".repeat(201), "body": " ", "tags": 3, "focus_keyword": "a\u{202E}", "mood": 1,
    });
    let expected = [
        ("body", "blank"),
        ("focus_keyword", "bidi_override"),
        ("mood", "unknown_field"),
        ("tags", "wrong_type"),
        ("title", "too_long"),
    ]
    .map(|(field, fault)| (field.to_owned(), fault.to_owned()));
    assert_eq!(app.post(&faulty).await.faults(), expected);
    let post = app.create_body("x").await;
    assert_eq!(app.put(&post, &faulty).await.faults(), expected);

    let title = json!({ "title": "x".repeat(243), "body": "x" });
    let problem = app.post(&title).await.problem("invalid_post");
    assert_eq!(
        problem["errors"],
        json!([{
            "field": "title", "code": "too_long", "detail": "at most 200 characters; this has 243",
        }])
    );
}

#[tokio::test]
async fn read_only_names_are_passed_over_on_update_and_refused_on_create() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let read_only = ["id", "url", "html", "excerpt", "created_at", "updated_at"];
    for name in read_only {
        let before = app.read(&post).await;
        for value in [json!("other"), json!(1), json!(null), json!([{}])] {
            assert_eq!(app.update(&post, &json!({ name: value })).await, before);
        }
        let answer = app.post(&json!({ "body": "x", name: "y" })).await;
        assert_eq!(
            answer.faults(),
            [(name.to_owned(), "unknown_field".to_owned())]
        );
    }
}

#[tokio::test]
async fn a_host_sets_other_limits() {
    let limits = {
        let mut limits = handbill::Limits::default();
        (limits.title, limits.tags, limits.request) = (3, 1, 100);
        limits
    };
    let app = App::new().await.set(|service| service.with_limits(limits));
    app.create(&json!({ "body": "x", "title": "abc", "tags": "a" }))
        .await;
    let answer = app
        .post(&json!({ "body": "x", "title": "abcd", "tags": "a,b" }))
        .await;
    assert_eq!(answer.faulty_fields(), ["tags", "title"]);
    app.post(&json!({ "body": "x".repeat(100) }))
        .await
        .problem("body_too_large");
    let document = app.get("/openapi.json").await.ok();
    let schema = &document["components"]["schemas"]["NewPost"]["properties"];
    assert_eq!(schema["title"]["maxLength"], 3);
}

#[tokio::test]
async fn a_body_whose_html_outgrows_it_is_too_complex() {
    let app = App::new().await;
    let wide = format!(
        "{}|\n{}|\n{}",
        "|a".repeat(4_000),
        "|-".repeat(4_000),
        "|x|\n".repeat(4_000)
    );
    let too_complex = [("body".to_owned(), "too_complex".to_owned())];
    assert_eq!(
        app.post(&json!({ "body": wide })).await.faults(),
        too_complex
    );
    let post = app.create_body("x").await;
    assert_eq!(
        app.put(&post, &json!({ "body": wide })).await.faults(),
        too_complex
    );
    assert_eq!(app.read(&post).await["body"], "x");
}
