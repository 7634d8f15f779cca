//! When a post is published and deleted by itself.

use std::time::SystemTime;

use handbill::Timestamp;
use serde_json::json;

use super::fields::hold;
use super::{App, Mount};

/// A time: RFC 3339 with an offset, to the millisecond, at most 10 years ahead. `publish_at` is in the future, and
/// `expires_at` at least a minute ahead. What a post has already is no fault.
pub async fn a_time_is_rfc_3339_with_an_offset_and_ahead(mount: &Mount) {
    let year: i64 = year_of_today();
    let next = year + 1;
    let at = |text: &str| json!(format!("{next}-{text}"));
    let faults = [
        json!("2001-01-01T00:00:00Z"),
        json!(format!("{}-01-01T00:00:00Z", year + 11)),
        json!("9999-12-31T23:59:59Z"),
        at("02-03T04:05:06"),
        at("02-03"),
        at("02-03T04:05Z"),
        at("02-30T04:05:06Z"),
        at("02-03T24:00:00Z"),
        at("02-03T04:05:06+25:00"),
        at("02-03T04:05:06.Z"),
        at("02-03T04:05:06Z[Europe/Paris]"),
        at("02-03T04:05:60Z"),
        at("06-30T23:59:61Z"),
        json!(format!("+00{next}-02-03T04:05:06Z")),
        json!(format!("{next}0203T040506Z")),
        json!("tomorrow"),
        json!("x".repeat(100_000)),
    ];
    let mut cases = vec![
        (at("02-03T04:05:06Z"), Ok(at("02-03T04:05:06.000Z"))),
        (at("02-03t04:05:06.1239z"), Ok(at("02-03T04:05:06.123Z"))),
        (at("02-03T04:05:06.5+01:30"), Ok(at("02-03T02:35:06.500Z"))),
        (at("12-31T23:59:60Z"), Ok(at("12-31T23:59:59.000Z"))),
        (at("07-01T01:59:60+02:00"), Ok(at("06-30T23:59:59.000Z"))),
        (json!(""), Ok(json!(null))),
        (json!(null), Ok(json!(null))),
        (json!(1), Err("wrong_type")),
    ];
    cases.extend(
        faults
            .into_iter()
            .map(|value| (value, Err("unknown_value"))),
    );
    hold(mount, "expires_at", &cases).await;
    let app = App::new(mount).await;
    for (value, expected) in cases {
        let created = app.post(&json!({ "body": "x", "publish_at": value })).await;
        match expected {
            Ok(shown) => {
                let read = app.edit("GET", &created.created()).await.ok();
                assert_eq!(read["publish_at"], shown, "created with {value}");
                let resent = app.put(&created.created(), &read).await.ok();
                assert_eq!(resent, read, "sent back");
            }
            Err(fault) => created.expect_faults(&[("publish_at", fault)]),
        }
    }
}

/// A new post with `publish_at` is a draft, and with another visibility refused. To make it public or unlisted takes
/// the time back, and so does `null`.
pub async fn only_a_draft_is_published_later(mount: &Mount) {
    let app = App::new(mount).await;
    let later = json!(format!("{}-02-03T04:05:06.000Z", year_of_today() + 1));
    let public = app.create_body("x").await;
    for visibility in ["public", "unlisted"] {
        let both = json!({ "body": "x", "visibility": visibility, "publish_at": later });
        for call in [app.post(&both), app.put(&public, &both)] {
            call.await.expect_faults(&[("publish_at", "conflicts")]);
        }
        let post = app
            .create(&json!({ "body": "x", "publish_at": later }))
            .await;
        let draft = app.edit("GET", &post).await.ok();
        assert_eq!(draft["visibility"], "draft", "{draft}");
        let shown = app
            .put(&post, &json!({ "visibility": visibility }))
            .await
            .ok();
        assert_eq!(
            shown["publish_at"],
            json!(null),
            "made {visibility} by hand"
        );
    }
    let alone = app.put(&public, &json!({ "publish_at": later })).await;
    alone.expect_faults(&[("publish_at", "conflicts")]);
    let hidden = json!({ "visibility": "draft", "publish_at": later });
    let hidden = app.put(&public, &hidden).await.ok();
    assert_eq!(hidden["publish_at"], later, "{hidden}");
    let back = app.put(&public, &json!({ "publish_at": null })).await.ok();
    let shown = (&back["visibility"], &back["publish_at"]);
    assert_eq!(shown, (&json!("draft"), &json!(null)), "taken back");
}

fn year_of_today() -> i64 {
    let now = Timestamp::from(SystemTime::now()).to_rfc3339();
    now[..4].parse().expect("a year")
}
