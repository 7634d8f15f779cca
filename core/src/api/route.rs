//! The rows of the table of routes for the API, in the order in which the documents list them.

use super::problems::*;
use super::{health, keys, list, openapi, posts};
use crate::cache::Subject;
use crate::http::route_group::RouteGroup::Api;
use crate::problem::Code;
use crate::route::operation::{Names, Operation, Output};
use crate::route::{Row, get, handler, post, reply, row};

const API_KEY: &str = "X-Api-Key";
const EDITOR: &[&str] = &["X-Edit-Token", "token", API_KEY];
const LIST: Names =
    Names("page per_page q by tag from before include If-None-Match If-Modified-Since");
const OWN_LIST: Names =
    Names("page per_page q tag from before include If-None-Match If-Modified-Since");
const CHANGE_POST: Names = Names("id If-Match If-None-Match If-Unmodified-Since");
const PAGE: Names = Names("posts page per_page total total_pages incomplete");
const CREATED: Names = Names("id url edit_url edit_token");
const KEY: Names = Names("id label owner created_at last_used_at");

pub(crate) static ROWS: &[Row] = &[
    post("/api/posts", Api, handler!(posts::create, body)).described(Operation {
        id: "createPost",
        credentials: &[API_KEY],
        parameters: Names("Idempotency-Key"),
        takes: Names::DRAFT,
        returns: &[Output::new(201, CREATED, &["ETag", "Location"])],
        problems: &[MOST, NO_KEY, WRONG_KEY, BODIES, REVIEWS, RETRIES],
    }),
    get("/api/posts", Api, handler!(list::list, reader))
        .cached(|call| {
            let query = list::query_of(call.context, call.head)?;
            Some(call.key(Subject::Lists).with_query(query))
        })
        .described(Operation {
            id: "listPosts",
            credentials: &[],
            parameters: LIST,
            takes: Names::NONE,
            returns: &[
                Output::new(200, PAGE, &["ETag", "Link"]),
                Output::new(304, Names::NONE, &["ETag", "Link"]),
            ],
            problems: &[MOST, QUERIES, SEARCHES],
        }),
    get("/api/posts/{id}", Api, handler!(posts::read, reader))
        .cached(|call| Some(call.key(Subject::Post(call.id()))))
        .described(Operation {
            id: "readPost",
            credentials: &[],
            parameters: Names("id If-None-Match If-Modified-Since"),
            takes: Names::NONE,
            returns: &[
                Output::new(200, Names::POST, &["ETag", "Last-Modified"]),
                Output::new(304, Names::NONE, &["ETag", "Last-Modified"]),
            ],
            problems: &[IDS, &[Code::InvalidHeader, Code::StoreUnavailable]],
        }),
    row("PUT", "/api/posts/{id}", Api, handler!(posts::put, body)).described(UPDATE),
    row(
        "PATCH",
        "/api/posts/{id}",
        Api,
        handler!(posts::patch, body),
    )
    .described(Operation {
        id: "patchPost",
        ..UPDATE
    }),
    row("DELETE", "/api/posts/{id}", Api, handler!(posts::delete)).described(Operation {
        id: "deletePost",
        credentials: EDITOR,
        parameters: CHANGE_POST,
        takes: Names::NONE,
        returns: &[Output::new(204, Names::NONE, &[])],
        problems: &[MOST, QUERIES, IDS, TOKENS, WRONG_KEY, CONDITIONS, REVIEWS],
    }),
    post(
        "/api/posts/{id}/edit_token",
        Api,
        handler!(posts::replace_edit_token),
    )
    .described(Operation {
        id: "replaceEditToken",
        credentials: EDITOR,
        parameters: Names("id"),
        takes: Names::NONE,
        returns: &[Output::new(200, Names("edit_url edit_token"), &[])],
        problems: &[MOST, QUERIES, IDS, TOKENS, WRONG_KEY, REVIEWS],
    }),
    post("/api/keys", Api, handler!(keys::issue, body)).described(Operation {
        id: "issueKey",
        credentials: &[],
        parameters: Names::NONE,
        takes: Names("label"),
        returns: &[Output::new(201, Names("id api_key label created_at"), &[])],
        problems: &[
            MOST,
            BODIES,
            REVIEWS,
            &[Code::KeyRequestsClosed, Code::CrossSite],
        ],
    }),
    get("/api/keys/current", Api, handler!(keys::read)).described(Operation {
        id: "readKey",
        credentials: &[API_KEY],
        parameters: Names::NONE,
        takes: Names::NONE,
        returns: &[Output::new(200, KEY, &[])],
        problems: &[MOST, NO_KEY, WRONG_KEY],
    }),
    row("DELETE", "/api/keys/current", Api, handler!(keys::revoke)).described(Operation {
        id: "revokeKey",
        credentials: &[API_KEY],
        parameters: Names::NONE,
        takes: Names::NONE,
        returns: &[Output::new(204, Names::NONE, &[])],
        problems: &[MOST, NO_KEY, WRONG_KEY],
    }),
    get(
        "/api/keys/current/posts",
        Api,
        handler!(list::list_own, reader),
    )
    .described(Operation {
        id: "listOwnPosts",
        credentials: &[API_KEY],
        parameters: OWN_LIST,
        takes: Names::NONE,
        returns: &[
            Output::new(200, PAGE, &["ETag", "Link"]),
            Output::new(304, Names::NONE, &["ETag", "Link"]),
        ],
        problems: &[MOST, QUERIES, SEARCHES, NO_KEY, WRONG_KEY],
    }),
    get("/healthz", Api, handler!(health::ready)).described(Operation {
        id: "health",
        ..READY
    }),
    get("/livez", Api, |_, _, _| reply!(health::live())).described(Operation {
        id: "live",
        problems: &[],
        ..READY
    }),
    get("/openapi.json", Api, |call, _, _| {
        reply!(openapi::show(call.context))
    })
    .cached(|call| Some(call.key(Subject::Settings)))
    .described(Operation {
        id: "openapi",
        credentials: &[],
        parameters: Names("If-None-Match If-Modified-Since"),
        takes: Names::NONE,
        returns: &[
            Output::new(200, Names::NONE, &["ETag"]),
            Output::new(304, Names::NONE, &["ETag"]),
        ],
        problems: &[&[Code::InvalidHeader]],
    }),
    get("/readyz", Api, handler!(health::ready)).described(READY),
];

const UPDATE: Operation = Operation {
    id: "updatePost",
    credentials: EDITOR,
    parameters: CHANGE_POST,
    takes: Names::DRAFT,
    returns: &[Output::new(200, Names::POST, &["ETag", "Last-Modified"])],
    problems: &[
        MOST, QUERIES, IDS, TOKENS, WRONG_KEY, CONDITIONS, BODIES, REVIEWS,
    ],
};

const READY: Operation = Operation {
    id: "ready",
    credentials: &[],
    parameters: Names::NONE,
    takes: Names::NONE,
    returns: &[Output::new(200, Names("status replicas"), &[])],
    problems: &[&[Code::StoreUnavailable]],
};
