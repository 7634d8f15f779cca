//! `/e/{edit_token}`: editing a post in the browser.

use serde_json::json;

use super::markup::{field, tags};
use super::{App, Mount};
use crate::samples::texts;

/// `/e/{edit_token}` shows the post in a form and saves it: 303 to a page that confirms it.
pub async fn the_edit_page_saves_its_form(mount: &Mount) {
    let app = App::new(mount).await;
    let mut fields = json!({ "body": "B", "tags": "a,b", "visibility": "draft" });
    for (name, text) in texts(1) {
        fields[name] = json!(text);
    }
    let post = app.create(&fields).await;
    let form = app.get(&post.edit_page()).await;
    for (name, value) in texts(1).chain([("tags", "a, b".to_owned())]) {
        assert_eq!(field(&form, name), value, "{form}: the field {name}");
    }
    let all = tags(&form);
    let selected = all.iter().find(|tag| tag.attribute("selected").is_some());
    let selected = selected.and_then(|tag| tag.attribute("value"));
    assert_eq!(selected, Some("draft"), "{form}: the visibility");
    let revision = field(&form, "revision");
    let new = texts(2).map(|(name, text)| match name {
        "title" => (name, "New \u{e9} & \u{1F389}".to_owned()),
        _ => (name, text),
    });
    let new: Vec<_> = new.collect();
    let mut fields = vec![
        ("revision", &*revision),
        ("body", "one\r\ntwo\r\n\r\nthree"),
        ("tags", "c, #D"),
        ("visibility", "unlisted"),
    ];
    fields.extend(new.iter().map(|(name, text)| (*name, text.as_str())));
    let saved = app.submit(&post.edit_page(), &fields).await;
    let location = saved.expect_status(303).header("location");
    let path = app.path_of(location.unwrap_or_default());
    let leads_back = path.starts_with(&post.edit_page());
    assert!(leads_back, "{saved}: Location is {location:?}");
    let after = app.get(&path).await;
    after.expect_status(200).expect_text(r#"role="status""#);

    let read = app.read(&post).await;
    let texts = new.iter().map(|(name, text)| (*name, json!(text)));
    for (name, value) in texts.chain([
        ("body", json!("one\ntwo\n\nthree")),
        ("tags", json!(["c", "d"])),
        ("visibility", json!("unlisted")),
    ]) {
        assert_eq!(read[name], value, "{name} after the form was saved");
    }
    let empty: Vec<_> = new.iter().map(|(name, _)| (*name, "")).collect();
    let saved = app.submit(&post.edit_page(), &empty).await;
    saved.expect_status(303);
    let read = app.read(&post).await;
    for (name, _) in empty {
        assert_eq!(read[name], json!(null), "{name} after it was cleared");
    }
}

/// A field that is missing in a form is unchanged.
pub async fn a_field_that_a_form_does_not_have_stays_as_it_is(mount: &Mount) {
    let app = App::new(mount).await;
    let mut fields = json!({ "body": "B", "tags": ["a"] });
    for (name, text) in texts(1) {
        fields[name] = json!(text);
    }
    let post = app.create(&fields).await;
    let saved = app.submit(&post.edit_page(), &[("body", "other")]).await;
    saved.expect_status(303);
    let read = app.read(&post).await;
    fields["body"] = json!("other");
    for (name, value) in fields.as_object().unwrap() {
        assert_eq!(read[name], *value, "{name} after the form was saved");
    }
}

/// If the post has changed since the form was loaded, the edit page shows the conflict and
/// overwrites nothing.
pub async fn the_edit_page_shows_a_change_from_elsewhere_instead_of_overwriting_it(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create_body("first").await;
    let opened = field(&app.get(&post.edit_page()).await, "revision");
    let theirs = json!({ "body": "from elsewhere", "title": "theirs" });
    app.update(&post, &theirs).await;

    let mine = |revision: &str| {
        let fields = [
            ("revision", revision),
            ("body", "my own"),
            ("title", "mine"),
        ];
        app.submit(&post.edit_page(), &fields)
    };
    let conflict = mine(&opened).await;
    conflict.expect_status(412);
    for shown in [r#"role="alert""#, "from elsewhere", "theirs", "my own"] {
        conflict.expect_text(shown);
    }
    assert_eq!(field(&conflict, "title"), "mine", "what was typed");
    let stored = app.read(&post).await["body"].clone();
    assert_eq!(stored, "from elsewhere", "the body after the conflict");

    let again = mine(&field(&conflict, "revision")).await;
    again.expect_status(303);
    let saved = app.read(&post).await["body"].clone();
    assert_eq!(saved, "my own", "the body after saving again");
    for malformed in ["", "x", "-1", "1.5", "18446744073709551616"] {
        let response = mine(malformed).await;
        response.problem("invalid_parameter");
    }
}

/// The edit page gives the post a new private link, which it leads to and shows. The old one ends.
pub async fn the_edit_page_gives_a_new_private_link(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let renewed = app.submit(&post.edit_page(), &[("action", "renew")]).await;
    let location = renewed.expect_status(303).header("location");
    let path = app.path_of(location.unwrap_or_default());
    let page = app.get(&path).await;
    page.expect_status(200).expect_text(r#"role="status""#);
    let renewed = path.split('?').next().unwrap();
    assert_ne!(renewed, post.edit_page());
    page.expect_text(&format!("{}{renewed}", app.base()));

    app.get(&post.edit_page()).await.problem("not_found");
    let late = app.submit(&post.edit_page(), &[("body", "late")]).await;
    late.problem("not_found");
    app.submit(renewed, &[("body", "y")])
        .await
        .expect_status(303);
    assert_eq!(app.read(&post).await["body"], "y");
}

/// What someone else changed in other fields and other lines is merged: 200 with the saved post, and with what came in.
/// A change of the same lines is a conflict, and all others stay.
pub async fn changes_of_other_lines_are_merged(mount: &Mount) {
    let app = App::new(mount).await;
    let fields = json!({ "title": "T", "body": "one\ntwo\nthree", "tags": "a" });
    let post = app.create(&fields).await;
    let form = app.get(&post.edit_page()).await;
    let opened = ["revision", "seen", "lines"].map(|name| (name, field(&form, name)));
    let theirs = json!({ "body": "first\ntwo\nthree", "tags": "theirs" });
    app.update(&post, &theirs).await;

    let mine = |body: &'static str| {
        let opened = opened.iter().map(|(name, value)| (*name, value.as_str()));
        let typed = [("title", "Mine"), ("body", body), ("tags", "a")];
        app.submit(&post.edit_page(), &opened.chain(typed).collect::<Vec<_>>())
    };
    let merged = mine("one\r\ntwo\r\nlast").await;
    merged.expect_status(200).expect_text(r#"role="status""#);
    merged.expect_text("first\ntwo\nlast</textarea>");
    let expected = json!({ "title": "Mine", "body": "first\ntwo\nlast", "tags": ["theirs"] });
    let is_merged = async || {
        let read = app.read(&post).await;
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(read[name], *value, "{name} after the changes were merged");
        }
    };
    is_merged().await;
    // A reload sends the form again.
    let again = mine("one\r\ntwo\r\nlast").await;
    again.expect_status(303);
    is_merged().await;

    let conflict = mine("one\r\ntwo\r\n3").await;
    conflict.expect_status(412).expect_text(r#"role="alert""#);
    conflict
        .expect_text("first\ntwo\n3</textarea>")
        .expect_text("last");
    is_merged().await;
    for malformed in ["", "x", "0123456789ab-"] {
        let fields = [("lines", malformed), ("body", "x")];
        let response = app.submit(&post.edit_page(), &fields).await;
        response.problem("invalid_parameter");
    }
}

/// In a conflict, fields that the user did not edit take the stored values, so that saving again
/// reverts nothing. Sending a form twice is not a conflict.
pub async fn a_conflict_preserves_untouched_fields(mount: &Mount) {
    let app = App::new(mount).await;
    let fields = json!({ "title": "T", "body": "one\r\ntwo", "tags": "a" });
    let post = app.create(&fields).await;
    let form = app.get(&post.edit_page()).await;
    let (revision, seen) = (field(&form, "revision"), field(&form, "seen"));
    app.update(&post, &json!({ "body": "theirs", "tags": "theirs" }))
        .await;

    let mine = [
        ("revision", &*revision),
        ("seen", &*seen),
        ("title", "Mine"),
        ("body", "one\r\ntwo"),
        ("tags", "a"),
    ];
    let conflict = app.submit(&post.edit_page(), &mine).await;
    conflict.expect_status(412).expect_text("theirs</textarea>");
    assert_eq!(field(&conflict, "title"), "Mine", "{conflict}: the title");
    assert_eq!(field(&conflict, "tags"), "theirs", "{conflict}: the tags");

    let again = [
        ("revision", &*field(&conflict, "revision")),
        ("title", "Mine"),
        ("body", "theirs"),
        ("tags", "theirs"),
    ];
    for _ in 0..2 {
        let saved = app.submit(&post.edit_page(), &again).await;
        saved.expect_status(303);
    }
    let read = app.read(&post).await;
    for (name, value) in [
        ("title", json!("Mine")),
        ("body", json!("theirs")),
        ("tags", json!(["theirs"])),
    ] {
        assert_eq!(read[name], value, "{name} after the conflict");
    }
}

/// The edit page shows a preview and saves nothing.
pub async fn the_edit_page_previews_what_would_be_published(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create_body("unchanged").await;
    let opened = field(&app.get(&post.edit_page()).await, "revision");
    let fields = [
        ("action", "preview"),
        ("revision", &*opened),
        ("title", "New"),
        ("body", "Some *new* text. [a](x) [b](#nowhere)\r\n"),
        ("tags", "#New tag"),
    ];
    let preview = app.submit(&post.edit_page(), &fields).await;
    preview.expect_status(200);
    // On the post's own page, links lead to their target.
    let link = format!("href=\"{}/p/x\"", app.base());
    for shown in [
        "<p>Some <em>new</em> text. <a ",
        &link,
        ">New</h1>",
        "new tag",
        "lead nowhere",
        ": #nowhere.",
    ] {
        preview.expect_text(shown);
    }
    for (name, value) in [
        ("title", "New"),
        ("tags", "#New tag"),
        ("revision", &*opened),
    ] {
        assert_eq!(field(&preview, name), value, "{preview}: the field {name}");
    }
    app.expect_body(&post, "unchanged").await;
    // What is not valid hides nothing else.
    let faulty = [
        ("action", "preview"),
        ("title", "\u{202E}"),
        ("body", "So *far*"),
    ];
    let faulty = app.submit(&post.edit_page(), &faulty).await;
    faulty
        .expect_text(r#"id="title-error""#)
        .expect_text("<p>So <em>far</em></p>");
    let other = app.submit(&post.edit_page(), &[("action", "publish")]);
    other.await.problem("invalid_parameter");
}

/// The edit page gives advice on valid fields alone, so that it costs no more than storing them.
pub async fn the_edit_page_gives_no_advice_on_a_form_that_is_not_valid(mount: &Mount) {
    const ADVICE: &str = "data-hint=";
    let (app, post) = App::and_post(mount).await;
    let preview = |body: &str, keyword: &str| {
        let fields = [("body", body), ("focus_keyword", keyword)];
        app.submit(
            &post.edit_page(),
            &[&[("action", "preview")], &fields[..]].concat(),
        )
    };
    let valid = preview("# A keyword\n\nText.", "keyword").await;
    valid.expect_status(200).expect_text(ADVICE);

    // Together almost 1 MiB, with as many headings as possible. In a form, `#` takes three bytes.
    let headings = "#\n".repeat(60_000);
    let keyword = "k ".repeat(300_000);
    for (body, keyword) in [
        (&*headings, &*keyword),
        ("[x](#nowhere)", "\u{202E}"),
        (" ", "keyword"),
    ] {
        let page = preview(body, keyword).await;
        page.expect_status(200).expect_no_text(ADVICE);
        page.expect_text(r#"id="faults""#);
    }
}

/// The edit page deletes a post after a confirmation, and only if the post is unchanged since the
/// page was loaded.
pub async fn the_edit_page_deletes_an_unchanged_post_after_confirmation(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let edit = post.edit_page();
    let opened = field(&app.get(&edit).await, "revision");
    let delete = |revision: &str, confirm: &[(&str, &str)]| {
        let fields = [("action", "delete"), ("revision", revision)];
        app.submit(&edit, &[&fields, confirm].concat())
    };
    let confirmed = [("confirm", "yes")];
    delete(&opened, &[]).await.expect_status(422);
    app.update(&post, &json!({ "body": "newer" })).await;
    let overtaken = delete(&opened, &confirmed).await;
    overtaken.expect_status(412).expect_text("newer");
    app.read(&post).await;

    let deleted = delete(&field(&overtaken, "revision"), &confirmed).await;
    deleted
        .expect_status(200)
        .expect_header("cache-control", "no-store");
    for path in [post.path(), post.page(), edit.clone()] {
        app.get(&path).await.problem("gone");
    }
}

/// A browser's conversion of line ends is not a change: an unedited form saves nothing.
pub async fn a_form_that_is_sent_as_it_was_shown_changes_nothing(mount: &Mount) {
    let app = App::new(mount).await;
    let body = "one\r\ntwo\nthree\n";
    let post = app.create(&json!({ "body": body, "tags": "a, b" })).await;
    let before = app.get(&post.path()).await.etag();
    let fields = [
        ("title", ""),
        ("body", "one\r\ntwo\r\nthree\r\n"),
        ("tags", "a, b"),
        ("focus_keyword", ""),
    ];
    let saved = app.submit(&post.edit_page(), &fields).await;
    saved.expect_status(303);
    let after = app.get(&post.path()).await;
    assert_eq!(after.etag(), before, "{after}: the ETag");
    assert_eq!(after.ok()["body"], body, "the post's body");
}

/// The edit page reports invalid fields and preserves the user's input.
pub async fn the_edit_page_names_errors_and_preserves_what_was_typed(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create_body("unchanged").await;
    let title = "x".repeat(201);
    let fields = [("title", &*title), ("body", " "), ("tags", "typed")];
    let page = app.submit(&post.edit_page(), &fields).await;
    page.expect_status(422)
        .expect_text(r#"id="title-error""#)
        .expect_text(r#"id="body-error""#);
    assert_eq!(field(&page, "tags"), "typed", "{page}: tags");
    assert_eq!(field(&page, "title"), title, "{page}: title");
    app.expect_body(&post, "unchanged").await;
}
