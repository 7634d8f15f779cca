//! What users are told of each problem: what it means to this program, and what to do.

use handbill::Code;

/// What is said about a code.
pub(super) struct Advice {
    code: Code,
    /// Whether all requests of a run would fail in the same way.
    pub(super) for_all: bool,
    /// One sentence without its period. The details of the server follow it.
    pub(super) says: &'static str,
}

/// One row for each code of the API.
const ADVICE: [Advice; 25] = [
    row(Code::InvalidJson, FAULT),
    row(
        Code::InvalidParameter,
        "the server does not accept an option",
    ),
    row(Code::InvalidHeader, FAULT),
    row(Code::ConflictingEditTokens, FAULT),
    row(Code::InvalidIdempotencyKey, FAULT),
    row(Code::SearchNotAvailable, "the server has no search"),
    Advice {
        for_all: true,
        ..row(
            Code::MissingApiKey,
            "this needs an API key: set HANDBILL_API_KEY, or name a file with --api-key-file",
        )
    },
    Advice {
        for_all: true,
        ..row(
            Code::InvalidApiKey,
            "the server does not know this API key, or it was revoked: set another one in HANDBILL_API_KEY or name its \
             file with --api-key-file",
        )
    },
    row(
        Code::MissingEditToken,
        "changing this post needs an API key of its owner (HANDBILL_API_KEY or --api-key-file), or its edit token in \
         the folder .handbill beside the file",
    ),
    row(
        Code::InvalidEditToken,
        "the post has another edit token now than the one in the folder .handbill beside the file: use an API key of \
         its owner",
    ),
    row(
        Code::NotTheOwner,
        "the post belongs to another owner than this API key: use a key of its owner, or remove the lines handbill_… \
         from the file to publish it as a post of your own",
    ),
    row(
        Code::KeyRequestsClosed,
        "the server issues API keys only through its operator",
    ),
    row(Code::CrossSite, FAULT),
    row(
        Code::NotFound,
        "the server has no such post, or it is a draft that these credentials do not open; to publish a file that \
         names it as a new post, remove its lines handbill_…",
    ),
    row(
        Code::MethodNotAllowed,
        "the server does not support what this program asks for: one of them is too old for the other",
    ),
    row(
        Code::EditTokenReplaced,
        "an earlier run created a post from this file, and the post got another edit token since: find its id with \
         `handbill list --mine`, and add the lines handbill_server and handbill_id to the file",
    ),
    row(
        Code::Gone,
        "the post was deleted on the server; to publish a file that names it as a new post, remove its lines handbill_…",
    ),
    row(
        Code::PreconditionFailed,
        "another user changed the post since this file was published: see it with `handbill get ID`, and then replace it \
         with `handbill post --force FILE`, or your file with `handbill get ID FILE --force`",
    ),
    row(
        Code::BodyTooLarge,
        "the post is larger than the server accepts: make several of it",
    ),
    row(Code::UnsupportedMediaType, FAULT),
    row(Code::InvalidPost, "the server does not accept the post"),
    row(
        Code::IdempotencyKeyReused,
        "an earlier run created another post under the same name: find it with `handbill list --mine`, and add the \
         lines handbill_server and handbill_id to its file",
    ),
    row(
        Code::Refused,
        "the post does not follow the rules of the site",
    ),
    row(Code::TooManyRequests, "there were too many requests"),
    row(
        Code::StoreUnavailable,
        "the server can't reach its database at the moment",
    ),
];

const FAULT: &str = "the server could not read the request: report this as a fault of the program, unless something \
                     between it and the server changes requests";

const fn row(code: Code, says: &'static str) -> Advice {
    Advice {
        code,
        for_all: false,
        says,
    }
}

/// What a user is told of a code where no server was asked.
pub(crate) fn says(code: Code) -> &'static str {
    Advice::of(Some(code)).map_or("", |advice| advice.says)
}

impl Advice {
    /// What is said about a code, if this program knows it.
    pub(super) fn of(code: Option<Code>) -> Option<&'static Self> {
        ADVICE.iter().find(|advice| Some(advice.code) == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_of_the_api_has_one_piece_of_advice() {
        for code in Code::ALL {
            let rows = ADVICE.iter().filter(|advice| advice.code == *code);
            let rows: Vec<_> = rows.collect();
            assert_eq!(rows.len(), 1, "{code:?} in client/advice.rs");
            let says = rows[0].says;
            assert!(!says.is_empty() && !says.ends_with('.'), "{code:?}: {says}");
            assert!(!says.contains("  "), "{code:?}: {says}");
        }
    }
}
