//! How the commands on a server end.

use std::io;

use crate::client::Failure;

/// An exit status. The help of the commands explains each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    Failed = 1,
    Usage = 2,
    Conflict = 3,
    Unavailable = 4,
}

/// Why a command stopped before it was done.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) exit: Exit,
    /// A sentence without its period.
    pub(crate) message: String,
}

impl Stop {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Failed,
            message: message.into(),
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.into(),
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self {
            exit: match failure.may_succeed_later() {
                true => Exit::Unavailable,
                false => Exit::Failed,
            },
            message: failure.message(),
        }
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::new(error.to_string())
    }
}
