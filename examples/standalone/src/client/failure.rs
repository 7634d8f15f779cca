//! Why a request did not do what it should.

use std::time::Duration;

use handbill::Code;
use http::{StatusCode, header};
use serde::Deserialize;

use super::advice::{self, FOR_ALL};
use super::{Response, ServerUrl, Version, retries};

/// Why a request failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// There is no connection, so nothing was sent.
    Unreachable(String),
    /// The connection ended before the response did, so the request may have had its effect.
    Broken(String),
    /// The server refused the request.
    Refused(Box<Refusal>),
    /// Anything else, as a sentence.
    Other(String),
}

/// A response that says no.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(super) status: StatusCode,
    /// What went wrong, if this program knows the code.
    pub(crate) code: Option<Code>,
    /// The problem document, if there is one.
    problem: Option<ProblemDocument>,
    server: Version,
    pub(super) retry_after: Option<Duration>,
}

/// A problem document (RFC 9457). Members that newer servers add are ignored.
#[derive(Debug, Deserialize)]
struct ProblemDocument {
    code: String,
    #[serde(default)]
    detail: String,
    #[serde(default)]
    errors: Vec<FieldErrorDocument>,
}

#[derive(Debug, Deserialize)]
struct FieldErrorDocument {
    field: String,
    #[serde(default)]
    detail: String,
}

impl From<String> for Failure {
    fn from(sentence: String) -> Self {
        Self::Other(sentence)
    }
}

impl Failure {
    pub(crate) fn other(sentence: &str) -> Self {
        Self::Other(sentence.to_owned())
    }

    pub(super) fn unreachable(server: &ServerUrl, reason: &str) -> Self {
        Self::Unreachable(format!("could not connect to {server}: {reason}"))
    }

    pub(super) fn broken(server: &ServerUrl, reason: &str) -> Self {
        Self::Broken(format!("the connection to {server} broke: {reason}"))
    }

    pub(super) fn unreadable(expected: &str) -> Self {
        Self::Other(format!(
            "the server did not respond with {expected}, as a Handbill server would"
        ))
    }

    pub(super) fn not_handbill(server: &ServerUrl) -> Self {
        Self::Other(format!(
            "{server} is not the address of a Handbill server, or the server is too old: {server}/openapi.json does not \
             describe it; the address is the one before /p/ in the addresses of posts"
        ))
    }

    /// Redirects are not followed: they could lead credentials to another server.
    pub(super) fn redirected(server: &ServerUrl, response: &Response) -> Self {
        let target = response.text_header(&header::LOCATION);
        let target = target.unwrap_or("no address");
        Self::Other(format!(
            "{server} redirects to {target}, and redirects are not followed; if that is your server, pass its address as \
             --server"
        ))
    }

    /// The failure of the request for the server's description.
    pub(super) fn of_description(self, server: &ServerUrl) -> Self {
        match self {
            Self::Refused(of) if of.status.is_client_error() && !of.is_busy() => {
                Self::not_handbill(server)
            }
            other => other,
        }
    }

    /// The failure of a `HEAD`, whose status says what its problem document would.
    pub(super) fn without_document(mut self) -> Self {
        if let Self::Refused(refusal) = &mut self {
            refusal.code = refusal.code.or(match refusal.status {
                StatusCode::NOT_FOUND => Some(Code::NotFound),
                StatusCode::GONE => Some(Code::Gone),
                _ => None,
            });
        }
        self
    }

    /// The code of the problem, if the server sent one that this program knows.
    pub(crate) fn code(&self) -> Option<Code> {
        match self {
            Self::Refused(refusal) => refusal.code,
            _ => None,
        }
    }

    /// Whether the server did nothing, and will do nothing if the request is repeated as it is.
    pub(crate) fn is_final(&self) -> bool {
        const FINAL: [StatusCode; 4] = [
            StatusCode::BAD_REQUEST,
            StatusCode::PAYLOAD_TOO_LARGE,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            StatusCode::UNPROCESSABLE_ENTITY,
        ];
        matches!(self, Self::Refused(refusal) if FINAL.contains(&refusal.status))
    }

    /// Whether other requests would fail as well, so that there is no point in sending them now.
    pub(crate) fn holds_for_all(&self) -> bool {
        self.may_succeed_later() || self.code().is_some_and(|code| FOR_ALL.contains(&code))
    }

    /// Whether the same request may succeed later.
    pub(crate) fn may_succeed_later(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Broken(_) => true,
            Self::Refused(refusal) => refusal.is_busy(),
            Self::Other(_) => false,
        }
    }

    /// What went wrong and what to do.
    pub(crate) fn message(self) -> String {
        match self {
            Self::Unreachable(message) | Self::Broken(message) | Self::Other(message) => message,
            Self::Refused(refusal) => refusal.message(),
        }
    }
}

impl Refusal {
    /// The refusal of a server in this version.
    pub(super) fn new(response: &Response, server: Version) -> Self {
        let problem: Option<ProblemDocument> = serde_json::from_slice(&response.body).ok();
        let name = problem.as_ref().map(|problem| problem.code.as_str());
        let mut codes = Code::ALL.iter().copied();
        let code = name.and_then(|name| codes.find(|code| code.as_str() == name));
        let retry_after = response.text_header(&header::RETRY_AFTER);
        Self {
            status: response.status,
            code,
            problem,
            server,
            retry_after: retry_after.and_then(|text| retries::wait(text, response.date())),
        }
    }

    /// Whether the server, or a proxy in front of it, may accept the request later.
    pub(super) fn is_busy(&self) -> bool {
        matches!(self.status.as_u16(), 429 | 502 | 503 | 504)
    }

    /// Whether the credential is wrong for the post, so that another one may be right. A draft is not found with a
    /// wrong credential.
    pub(super) const fn may_accept_another_credential(&self) -> bool {
        matches!(
            self.code,
            Some(Code::InvalidApiKey | Code::InvalidEditToken | Code::NotTheOwner | Code::NotFound)
        )
    }

    fn message(&self) -> String {
        let mut message = match (advice::says_of(self.code), &self.problem) {
            (Some(says), _) => says.to_owned(),
            (None, Some(problem)) => {
                let note = self.server.note();
                let note = note.unwrap_or_else(|| "it is not of this version".to_owned());
                let (status, code) = (self.status.as_u16(), &problem.code);
                format!(
                    "the server responded {status}, {code}, which this program does not know: {note}"
                )
            }
            (None, None) => format!(
                "the response was {}, not one of Handbill: something in front of the server may have sent it",
                self.status
            ),
        };
        if let Some(problem) = &self.problem {
            let fields = problem.errors.iter();
            let fields = fields.map(|error| format!("{}: {}", error.field, error.detail));
            let fields: Vec<_> = fields.collect();
            if !fields.is_empty() {
                message = format!("{message}: {}", fields.join("; "));
            } else if !problem.detail.is_empty() {
                message = format!("{message} ({})", problem.detail.trim_end_matches('.'));
            }
        }
        if let Some(wait) = self.retry_after.filter(|_| self.is_busy()) {
            message = format!("{message}; try again {}", retries::when(wait));
        }
        message
    }
}
