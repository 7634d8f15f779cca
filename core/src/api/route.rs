//! The rows of the table of routes for the API, in the order in which the documents list them.

use super::problems::*;
use super::{health, keys, list, openapi, posts};
use crate::cache::Subject;
use crate::http::route_group::RouteGroup::Api;
use crate::problem::Code;
use crate::route::operation::{Fields, Operation, Output};
use crate::route::{Row, get, handler, post, reply, row};

const API_KEY: &str = "X-Api-Key";
const EDITOR: &[&str] = &["X-Edit-Token", "token", API_KEY];
const LIST: &[&str] = &[
    "page",
    "per_page",
    "q",
    "tag",
    "from",
    "before",
    "include",
    "If-None-Match",
    "If-Modified-Since",
];
const READ: &[&str] = &["If-None-Match", "If-Modified-Since"];
const READ_POST: &[&str] = &["id", "If-None-Match", "If-Modified-Since"];
const CHANGE_POST: &[&str] = &["id", "If-Match", "If-None-Match", "If-Unmodified-Since"];
const PAGE: Fields = Fields::Named(&[
    "posts",
    "page",
    "per_page",
    "total",
    "total_pages",
    "incomplete",
]);
const CREATED: Fields = Fields::Named(&["id", "url", "edit_url", "edit_token"]);
const HEALTH: Fields = Fields::Named(&["status", "replicas"]);

pub(crate) static ROWS: &[Row] = &[
    post("/api/posts", Api, handler!(posts::create, body)).described(Operation {
        id: "createPost",
        credentials: &[API_KEY],
        parameters: &["Idempotency-Key"],
        takes: Fields::Draft,
        returns: &[Output::new(201, CREATED, &["ETag", "Location"])],
        problems: &[
            OF_MOST,
            OF_MISSING_KEYS,
            OF_WRONG_KEYS,
            OF_BODIES,
            OF_REVIEWS,
            OF_IDEMPOTENCY_KEYS,
        ],
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
            takes: Fields::None,
            returns: &[
                Output::new(200, PAGE, &["ETag", "Link"]),
                Output::new(304, Fields::None, &["ETag", "Link"]),
            ],
            problems: &[OF_MOST, OF_QUERIES, OF_SEARCHES],
        }),
    get("/api/posts/{id}", Api, handler!(posts::read, reader))
        .cached(|call| Some(call.key(Subject::Post(call.id()))))
        .described(Operation {
            id: "readPost",
            credentials: &[],
            parameters: READ_POST,
            takes: Fields::None,
            returns: &[
                Output::new(200, Fields::Post, &["ETag", "Last-Modified"]),
                Output::new(304, Fields::None, &["ETag", "Last-Modified"]),
            ],
            problems: &[OF_IDS, &[Code::InvalidHeader, Code::StoreUnavailable]],
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
        takes: Fields::None,
        returns: &[Output::new(204, Fields::None, &[])],
        problems: &[
            OF_MOST,
            OF_QUERIES,
            OF_IDS,
            OF_EDIT_TOKENS,
            OF_WRONG_KEYS,
            OF_CONDITIONS,
            OF_REVIEWS,
        ],
    }),
    post(
        "/api/posts/{id}/edit_token",
        Api,
        handler!(posts::replace_edit_token),
    )
    .described(Operation {
        id: "replaceEditToken",
        credentials: EDITOR,
        parameters: &["id"],
        takes: Fields::None,
        returns: &[Output::new(
            200,
            Fields::Named(&["edit_url", "edit_token"]),
            &[],
        )],
        problems: &[
            OF_MOST,
            OF_QUERIES,
            OF_IDS,
            OF_EDIT_TOKENS,
            OF_WRONG_KEYS,
            OF_REVIEWS,
        ],
    }),
    post("/api/keys", Api, handler!(keys::issue, body)).described(Operation {
        id: "issueKey",
        credentials: &[],
        parameters: &[],
        takes: Fields::Named(&["label"]),
        returns: &[Output::new(
            201,
            Fields::Named(&["id", "api_key", "label", "created_at"]),
            &[],
        )],
        problems: &[
            OF_MOST,
            OF_BODIES,
            OF_REVIEWS,
            &[Code::KeyRequestsClosed, Code::CrossSite],
        ],
    }),
    get("/api/keys/current", Api, handler!(keys::read)).described(Operation {
        id: "readKey",
        credentials: &[API_KEY],
        parameters: &[],
        takes: Fields::None,
        returns: &[Output::new(
            200,
            Fields::Named(&["id", "label", "owner", "created_at", "last_used_at"]),
            &[],
        )],
        problems: &[OF_MOST, OF_MISSING_KEYS, OF_WRONG_KEYS],
    }),
    row("DELETE", "/api/keys/current", Api, handler!(keys::revoke)).described(Operation {
        id: "revokeKey",
        credentials: &[API_KEY],
        parameters: &[],
        takes: Fields::None,
        returns: &[Output::new(204, Fields::None, &[])],
        problems: &[OF_MOST, OF_MISSING_KEYS, OF_WRONG_KEYS],
    }),
    get(
        "/api/keys/current/posts",
        Api,
        handler!(list::list_own, reader),
    )
    .described(Operation {
        id: "listOwnPosts",
        credentials: &[API_KEY],
        parameters: LIST,
        takes: Fields::None,
        returns: &[
            Output::new(200, PAGE, &["ETag", "Link"]),
            Output::new(304, Fields::None, &["ETag", "Link"]),
        ],
        problems: &[
            OF_MOST,
            OF_QUERIES,
            OF_SEARCHES,
            OF_MISSING_KEYS,
            OF_WRONG_KEYS,
        ],
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
        parameters: READ,
        takes: Fields::None,
        returns: &[
            Output::new(200, Fields::None, &["ETag"]),
            Output::new(304, Fields::None, &["ETag"]),
        ],
        problems: &[&[Code::InvalidHeader]],
    }),
    get("/readyz", Api, handler!(health::ready)).described(READY),
];

const UPDATE: Operation = Operation {
    id: "updatePost",
    credentials: EDITOR,
    parameters: CHANGE_POST,
    takes: Fields::Draft,
    returns: &[Output::new(200, Fields::Post, &["ETag", "Last-Modified"])],
    problems: &[
        OF_MOST,
        OF_QUERIES,
        OF_IDS,
        OF_EDIT_TOKENS,
        OF_WRONG_KEYS,
        OF_CONDITIONS,
        OF_BODIES,
        OF_REVIEWS,
    ],
};

const READY: Operation = Operation {
    id: "ready",
    credentials: &[],
    parameters: &[],
    takes: Fields::None,
    returns: &[Output::new(200, HEALTH, &[])],
    problems: &[&[Code::StoreUnavailable]],
};
