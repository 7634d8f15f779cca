//! Responses of a faulty service: problems that it does not report, and its JSON.

use bytes::Bytes;
use handbill::Code;
use http::request::Parts;
use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::{is_create, is_list, is_own_list, is_read, is_replacement, is_update, pages};
use crate::adapter::Adapter;
use crate::edits::{array, edit_json, edit_problem, lose, own, refusal, replace, set, text};
use crate::fault::Fault::{self, *};

impl Fault {
    /// The problem that a service with this fault does not report.
    fn unseen(self) -> Option<&'static str> {
        Some(match self {
            ServesDeletedPosts => "gone",
            AcceptsWrongTokens => "invalid_edit_token",
            AcceptsTwoTokens => "conflicting_edit_tokens",
            AcceptsWrongKeys => "invalid_api_key",
            AcceptsOtherKeys => "not_the_owner",
            GivesKeysToAnyone => "key_requests_closed",
            NeverLimits => "too_many_requests",
            IgnoresFailedConditions => "precondition_failed",
            AcceptsReusedIdempotencyKeys => "idempotency_key_reused",
            AcceptsAnyIdempotencyKey => "invalid_idempotency_key",
            AcceptsReplacedTokens => "edit_token_replaced",
            AcceptsBadJson => "invalid_json",
            AcceptsBadHeaders => "invalid_header",
            AcceptsBadParameters => "invalid_parameter",
            AcceptsMissingTokens => "missing_edit_token",
            SearchesWithoutIndex => "search_not_available",
            AcceptsAnyMediaType => "unsupported_media_type",
            _ => return None,
        })
    }

    /// The field that a service with this fault does not validate.
    fn unchecked_field(self) -> Option<&'static str> {
        Some(match self {
            AcceptsInvalidTitles => "title",
            AcceptsInvalidBodies => "body",
            AcceptsInvalidTags => "tags",
            AcceptsInvalidKeywords => "focus_keyword",
            AcceptsInvalidAuthors => "author",
            AcceptsInvalidLanguages => "language",
            AcceptsInvalidVisibilities => "visibility",
            AcceptsAnyTime => "expires_at",
            PublishesAnythingLater => "publish_at",
            AcceptsInvalidLabels => "label",
            _ => return None,
        })
    }
}

impl Adapter {
    /// Changes the response as the faulty service would.
    pub(crate) fn show(&self, request: &Parts, sent: &[u8], response: &mut Response<Bytes>) {
        let Some(fault) = self.fault else { return };
        let path = request.uri.path();
        let status = response.status();
        let mut memory = self.memory.lock().unwrap();
        memory.responses += 1;
        if is_create(request) && status == StatusCode::CREATED {
            let fields: Value = serde_json::from_slice(sent).unwrap_or_default();
            let created: Value = serde_json::from_slice(response.body()).unwrap_or_default();
            if let ("draft" | "unlisted", Some(id)) = (
                fields["visibility"].as_str().unwrap_or_default(),
                created["id"].as_str(),
            ) {
                memory.hidden.push(id.to_owned());
            }
        }
        let problem: Value = match text(response.headers(), "content-type") {
            "application/problem+json" => {
                serde_json::from_slice(response.body()).unwrap_or_default()
            }
            _ => Value::Null,
        };
        let is_faulty = |name: &str| {
            let errors = problem["errors"].as_array().into_iter().flatten();
            errors.clone().any(|error| error["field"] == name)
        };
        if fault.unseen().is_some_and(|code| problem["code"] == code)
            || fault.unchecked_field().is_some_and(is_faulty)
        {
            *response = own(200, "{}");
            return;
        }
        let is_page = text(response.headers(), "content-type").starts_with("text/html");
        match fault {
            AcceptsUnknownFields => {
                let errors = problem["errors"].as_array().into_iter().flatten();
                if errors.clone().any(|error| error["code"] == "unknown_field") {
                    *response = own(200, "{}");
                }
            }
            NamesOneFaultOnly if !problem.is_null() => edit_problem(response, |problem| {
                if let Some(errors) = array(problem, "errors") {
                    errors.truncate(1);
                }
            }),
            RepeatsWhatWasSent if problem["code"] == "invalid_post" => {
                let sent = String::from_utf8_lossy(sent).into_owned();
                edit_problem(response, |problem| problem["detail"] = sent.into());
            }
            TellsKeysApart if problem["code"] == "invalid_api_key" => {
                let length = text(&request.headers, "x-api-key").len();
                edit_problem(response, |problem| {
                    problem["detail"] = format!("It has {length} characters.").into();
                });
            }

            RepeatsCreations if status == StatusCode::CREATED && is_create(request) => {
                memory.created.get_or_insert_with(|| response.clone());
            }
            CachesFailures if is_create(request) => {
                let name = text(&request.headers, "idempotency-key").to_owned();
                if !name.is_empty() {
                    memory.named = Some((name, response.clone()));
                }
            }
            DerivesTokensFromRequestsOnly if request.headers.contains_key("idempotency-key") => {
                edit_json(response, |post| {
                    post["id"] = "b".repeat(10).into();
                    post["edit_token"] = "0".repeat(43).into();
                });
            }
            ForgetsEditAddresses if is_create(request) => edit_json(response, |post| {
                post["edit_url"] = Value::Null;
            }),
            AcceptsAnyCodeLanguage if is_read(request) => {
                replace(response, "<code>", r#"<code class=\"language-x notice\">"#);
            }
            LosesAutolinks if is_read(request) => replace(response, "<a href", "<span title"),
            RepeatsIds if is_read(request) => replace(response, "world-2", "world"),
            LosesFootnotes if is_read(request) => replace(response, "<li id", "<li class"),
            MakesDashes if is_read(request) => replace(response, "--", "–"),
            ShowsNoHtml if is_read(request) => edit_json(response, |post| {
                post["html"] = Value::Null;
            }),
            OmitsNulls if path.starts_with("/api") => edit_json(response, |value| {
                if let Some(members) = value.as_object_mut() {
                    members.retain(|_, value| !value.is_null());
                }
            }),
            GivesLongExcerpts if is_read(request) => edit_json(response, |post| {
                let excerpt = post["excerpt"].as_str().unwrap_or_default();
                post["excerpt"] = format!("{excerpt}{}", ".".repeat(200)).into();
            }),
            PutsHeadingsIntoExcerpts if is_read(request) => edit_json(response, |post| {
                let body = post["body"].as_str().unwrap_or_default();
                if let Some(rest) = body.strip_prefix("# ") {
                    post["excerpt"] = rest.replace('\n', " ").into();
                }
            }),
            TellsDraftsApart if memory.hidden.iter().any(|id| path.contains(id)) => {
                edit_problem(response, |problem| {
                    problem["detail"] = "It is a draft.".into()
                });
            }
            LetsDraftsBeCached if is_read(request) => {
                set(response, "cache-control", "public, no-cache");
            }
            LetsHiddenPostsBeIndexed => lose(response, &["x-robots-tag"]),
            CountsHiddenPosts if is_list(request) => edit_json(response, |list| {
                let total = list["total"].as_u64().unwrap_or_default();
                list["total"] = (total + memory.hidden.len() as u64).into();
            }),
            ListsShownDraftsLast if is_list(request) => edit_json(response, |list| {
                if let Some(posts) = array(list, "posts") {
                    posts.sort_by_key(|post| memory.hidden.iter().any(|id| post["id"] == **id));
                }
            }),
            HidesDraftsFromTheirOwners if is_own_list(request) => edit_json(response, |list| {
                if let Some(posts) = array(list, "posts") {
                    posts.retain(|post| post["visibility"] != "draft");
                }
            }),
            LosesOwners if path == "/api/keys/current" => edit_json(response, |key| {
                key["owner"] = Value::Null;
            }),
            LosesNames if is_page => replace(response, "Head two", "Untitled"),
            LetsLinksBeFollowed => replace(response, "nofollow", "follow"),
            ShowsTokens => {
                let shown: Value = serde_json::from_slice(response.body()).unwrap_or_default();
                if let Some(token) = shown["edit_token"].as_str() {
                    token.clone_into(&mut memory.token);
                } else if is_read(request) {
                    edit_json(response, |post| post["title"] = memory.token.clone().into());
                }
            }
            ShowsInvisibleNames if is_update(request) => edit_json(response, |post| {
                let sent: Value = serde_json::from_slice(sent).unwrap_or_default();
                if post["title"].is_null() && sent["title"] != "" {
                    post["title"] = sent["title"].clone();
                }
            }),
            AlwaysMakesNewTags if is_update(request) => {
                set(response, "etag", &format!("\"{}\"", memory.responses));
            }
            SortsTags => edit_json(response, |post| {
                if let Some(tags) = array(post, "tags") {
                    tags.sort_by_key(ToString::to_string);
                }
            }),
            ShowsReplacements if is_replacement(request) => memory.replaced += 1,
            ShowsReplacements if is_read(request) => edit_json(response, |post| {
                post["replaced"] = memory.replaced.into();
            }),

            ReversesLists if is_list(request) => edit_json(response, |list| {
                if let Some(posts) = array(list, "posts") {
                    posts.reverse();
                }
            }),
            MovesUpdatedPosts if is_list(request) => edit_json(response, |list| {
                if let Some(posts) = array(list, "posts") {
                    // Two times may be the same millisecond.
                    posts.sort_by_key(|post| {
                        let is_updated = post["updated_at"] != post["created_at"];
                        std::cmp::Reverse((post["updated_at"].to_string(), is_updated))
                    });
                }
            }),
            LosesPagesPastTheEnd if is_list(request) => {
                let list: Value = serde_json::from_slice(response.body()).unwrap_or_default();
                if list["posts"] == json!([]) && list["total"] != 0 {
                    *response = refusal(Code::NotFound);
                }
            }
            ShowsNoTagsInLists if is_list(request) => edit_json(response, |list| {
                for post in array(list, "posts").into_iter().flatten() {
                    post["tags"] = json!([]);
                }
            }),
            OmitsNullsInLists if is_list(request) => edit_json(response, |list| {
                for post in array(list, "posts").into_iter().flatten() {
                    let members = post.as_object_mut().into_iter();
                    members.for_each(|members| members.retain(|_, value| !value.is_null()));
                }
            }),
            ListsAllBodies if is_list(request) => edit_json(response, |list| {
                for post in array(list, "posts").into_iter().flatten() {
                    for name in ["body", "html"] {
                        if post.get(name) == Some(&Value::Null) {
                            post[name] = "too much".into();
                        }
                    }
                }
            }),
            CountsAPageOfNoPosts if is_list(request) => edit_json(response, |list| {
                if list["total_pages"] == 0 {
                    list["total_pages"] = 1.into();
                }
            }),
            LosesSearchesInLinks if response.headers().contains_key("link") => {
                let links = text(response.headers(), "link").replace("q=", "x=");
                set(response, "link", &links);
            }
            ClaimsToBeComplete if is_list(request) => edit_json(response, |list| {
                if let Some(members) = list.as_object_mut() {
                    members.remove("incomplete");
                }
            }),
            LosesTagsOfLists if is_list(request) => lose(response, &["etag"]),
            LosesLabels if path.starts_with("/api/keys") => edit_json(response, |key| {
                key["label"] = Value::Null;
            }),
            _ => pages::show(fault, request, response),
        }
    }
}
