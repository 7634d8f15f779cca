//! What users are told of each problem: what it means to this program, and what to do.

use handbill::Code;

/// What is wrong with all requests of a run, if it is with one.
pub(super) const FOR_ALL: [Code; 2] = [Code::MissingApiKey, Code::InvalidApiKey];

const FAULT: &str = "the server could not read the request: report this as a fault of the program, unless something \
                     between it and the server changes requests";

/// What a user is told of a code where no server was asked.
pub(crate) fn says(code: Code) -> &'static str {
    says_of(Some(code)).unwrap_or_default()
}

/// What a user is told of a code, if this program knows it, without the period. The details of the server follow it.
pub(super) fn says_of(code: Option<Code>) -> Option<&'static str> {
    Some(match code? {
        Code::InvalidJson
        | Code::InvalidHeader
        | Code::ConflictingEditTokens
        | Code::InvalidIdempotencyKey
        | Code::CrossSite
        | Code::UnsupportedMediaType => FAULT,
        Code::InvalidParameter => "the server does not accept an option",
        Code::SearchNotAvailable => "the server has no search",
        Code::MissingApiKey => {
            "this needs an API key: set HANDBILL_API_KEY, or name a file with --api-key-file"
        }
        Code::InvalidApiKey => {
            "the server does not know this API key, or it was revoked: set another one in HANDBILL_API_KEY or name its \
             file with --api-key-file"
        }
        Code::MissingEditToken => {
            "changing this post needs an API key of its owner (HANDBILL_API_KEY or --api-key-file), or its edit token in \
             the folder .handbill beside the file"
        }
        Code::InvalidEditToken => {
            "the post has another edit token now than the one in the folder .handbill beside the file: use an API key of \
             its owner"
        }
        Code::NotTheOwner => {
            "the post belongs to another owner than this API key: use a key of its owner, or remove the lines handbill_… \
             from the file to publish it as a post of your own"
        }
        Code::KeyRequestsClosed => "the server issues API keys only through its operator",
        Code::NotFound => {
            "the server has no such post, or it is a draft that these credentials do not open; to publish a file that \
             names it as a new post, remove its lines handbill_…"
        }
        Code::MethodNotAllowed => {
            "the server does not support what this program asks for: one of them is too old for the other"
        }
        Code::EditTokenReplaced => {
            "an earlier run created a post from this file, and the post got another edit token since: find its id with \
             `handbill list --mine`, and add the lines handbill_server and handbill_id to the file"
        }
        Code::Gone => {
            "the post was deleted on the server; to publish a file that names it as a new post, remove its lines handbill_…"
        }
        Code::PreconditionFailed => {
            "another user changed the post since this file was published: see it with `handbill get ID`, and then replace it \
             with `handbill post --force FILE`, or your file with `handbill get ID FILE --force`"
        }
        Code::BodyTooLarge => "the post is larger than the server accepts: make several of it",
        Code::InvalidPost => "the server does not accept the post",
        Code::IdempotencyKeyReused => {
            "an earlier run created another post under the same name: find it with `handbill list --mine`, and add the \
             lines handbill_server and handbill_id to its file"
        }
        Code::Refused => "the post does not follow the rules of the site",
        Code::TooManyRequests => "there were too many requests",
        Code::StoreUnavailable => "the server can't reach its database at the moment",
        _ => return None,
    })
}
