//! Pages, files and feeds of a faulty service.

use bytes::Bytes;
use http::request::Parts;
use http::{Response, StatusCode};
use serde_json::json;

use super::is_feed;
use crate::edits::{edit_json, lose, own, put, replace, set, text};
use crate::fault::Fault::{self, *};

/// Changes the response as the faulty service would.
pub(super) fn show(fault: Fault, request: &Parts, response: &mut Response<Bytes>) {
    let path = request.uri.path();
    let status = response.status();
    let is_page = text(response.headers(), "content-type").starts_with("text/html");
    match fault {
        LetsAssetsExpire if path.starts_with("/assets/") => {
            set(response, "cache-control", "no-store");
        }
        HidesPostsOnTheIndex if path.len() < 2 => replace(response, ">Title ", ">"),
        HidesPicturesOnTheIndex if path.len() < 2 => replace(response, "<img ", "<span "),
        HidesCanonicalAddresses if is_page => replace(response, "canonical", "self"),
        AdvisesOnFaults if is_page => replace(
            response,
            "id=\"faults\"",
            "id=\"faults\" data-hint=\"title\"",
        ),
        HidesKeys if is_page => replace(response, "hb_", ""),
        HidesLimits if is_page => replace(response, "4321", "4000"),
        PutsCausesIntoPages if is_page && status == StatusCode::SERVICE_UNAVAILABLE => {
            put(response, "<!doctype html>The disk is on fire.");
        }
        DescribesAnotherServer if path == "/openapi.json" => edit_json(response, |document| {
            document["servers"] = json!([{ "url": "http://localhost" }]);
        }),
        LosesOpenGraph if is_page => replace(response, "og:", ""),
        ChangesSources if path.ends_with(".md") => {
            let body = [response.body(), &b"\n"[..]].concat();
            put(response, body);
        }
        MiscountsTags if path == "/tags" => replace(response, ">3</span>", ">5</span>"),
        LosesSourcesInLlmsText if path == "/llms.txt" => replace(response, ".md)", ")"),
        DoesNotEscapeMarkdown if path == "/llms.txt" => replace(response, "\\", ""),
        VariesByLanguageOnly if path.starts_with("/p/") => {
            set(response, "vary", "Accept-Language");
        }
        ShowsNotesAsHeadings if is_page => replace(response, "class=\"note\"", ""),
        NumbersNoPages if is_page => {
            replace(response, ", Page 2 of 3", "");
            replace(response, " Page 2 of 3.", "");
        }
        HidesOtherLanguages if is_page => replace(response, "hreflang=", "data-language="),
        OffersKeysToAnyone if is_page => {
            replace(response, "<main", "<a href=\"/keys\">Get a key</a><main");
        }
        TurnsDatesAround if is_page => replace(response, "<time dir=\"ltr\"", "<time"),
        PutsDetailsIntoPages if is_page && status == StatusCode::NOT_FOUND => {
            let detail = "The address is mistyped, incomplete or was never used.";
            replace(response, "</main>", &format!("<p>{detail}</p></main>"));
        }
        DoesNotEscape if is_page || is_feed(request) => {
            replace(response, "&lt;", "<");
            replace(response, "&amp;lt;", "<");
        }
        MarksNothing if is_page => replace(response, "<mark>", ""),
        HidesSearches if is_page => replace(response, "role=\"search\"", ""),
        LosesFrames if is_page => replace(response, " | host</title>", "</title>"),
        HidesFeedsFromPages if is_page => replace(response, "/feed.", "/food."),
        HasOneLanguageInDocs if is_page => replace(response, "lang=\"fr\"", "lang=\"en\""),
        LosesOperationsInDocs if path == "/docs" => replace(response, "/edit_token", "/"),
        LosesParametersInDocs if path == "/docs/reference" => {
            replace(response, "<code>per_page</code>", "")
        }
        LosesErrorsInDocs if path == "/docs/errors" => replace(response, "id=\"not-found\"", ""),
        PublishesAnyway if path == "/write" && status == StatusCode::UNPROCESSABLE_ENTITY => {
            *response = own(200, "A page.");
        }
        ServesPagesAnyway if status == StatusCode::NOT_FOUND => {
            *response = own(200, "A page.");
        }

        LosesItemsOfFeeds if is_feed(request) => {
            replace(response, "<entry>", "<!-- ");
            edit_json(response, |feed| feed["items"] = json!([]));
        }
        LosesTimesInFeeds if is_feed(request) => {
            replace(response, "published", "made");
            replace(response, "date_made", "made");
        }
        MakesFeedsRelative if is_feed(request) => replace(response, "http://handbill.test", ""),
        LosesOriginsOfFeeds if is_feed(request) || path.ends_with(".md") => {
            lose(response, &["access-control-allow-origin"]);
        }
        _ => {}
    }
}
