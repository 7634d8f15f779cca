//! When a failed request is repeated.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;

use super::Failure;

/// How often a request is repeated after its connection broke.
const MAX_BREAKS: u32 = 3;
/// How often a request is repeated that a busy server refused.
const MAX_BUSY: u32 = 30;
/// The longest wait that a server may ask for.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// How long one request may wait in all.
const MAX_TOTAL: Duration = Duration::from_secs(150);
/// A wait that people are told of.
pub(super) const ANNOUNCED: Duration = Duration::from_secs(5);

/// Counts the repetitions of one request.
#[derive(Default)]
pub(super) struct Retries {
    breaks: u32,
    busy: u32,
    total: Duration,
}

impl Retries {
    /// How long to wait before the request is repeated, if it is repeated.
    pub(super) fn wait_after(&mut self, failure: &Failure) -> Option<Duration> {
        let wait = match failure {
            Failure::Broken(_) => {
                self.breaks += 1;
                // A server may close a connection that was idle, so the first repetition is at once.
                Duration::from_secs(u64::from(self.breaks - 1))
            }
            Failure::Refused(refusal) if refusal.is_busy() => {
                self.busy += 1;
                let unasked = Duration::from_secs(1 << self.busy.min(4));
                refusal.retry_after.unwrap_or(unasked)
            }
            _ => return None,
        };
        self.total = self.total.saturating_add(wait);
        let may_wait = wait <= MAX_WAIT && self.total <= MAX_TOTAL;
        (may_wait && self.breaks <= MAX_BREAKS && self.busy <= MAX_BUSY).then_some(wait)
    }
}

/// The value of `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date by the clock of the server.
pub(super) fn wait(text: &str, server_time: Option<Timestamp>) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let now = server_time.unwrap_or_else(Timestamp::now);
    let wait = http_date(text)?.duration_since(now);
    Some(wait.try_into().unwrap_or_default())
}

/// Parses a date of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
pub(super) fn http_date(text: &str) -> Option<Timestamp> {
    let parser = rfc2822::DateTimeParser::new();
    parser.parse_timestamp(text).ok()
}

/// `in 90 seconds`, or the time.
pub(super) fn when(wait: Duration) -> String {
    const SHORT: u64 = 120;
    if wait.as_secs() <= SHORT {
        return format!("in {} seconds", wait.as_secs());
    }
    match Timestamp::now().checked_add(wait) {
        Ok(later) => format!("after {later:.0}"),
        Err(_) => "much later".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{Refusal, Response, Version};

    fn refused(status: u16, retry_after: Option<&str>) -> Failure {
        let mut headers = http::HeaderMap::new();
        if let Some(text) = retry_after {
            headers.insert("retry-after", text.parse().unwrap());
        }
        let response = Response {
            status: status.try_into().unwrap(),
            headers,
            body: bytes::Bytes::new(),
        };
        Failure::Refused(Box::new(Refusal::new(&response, Version::default())))
    }

    /// All waits until the request is given up.
    fn waits(failure: &Failure) -> Vec<u64> {
        let mut retries = Retries::default();
        let waits = std::iter::from_fn(|| retries.wait_after(failure));
        waits.map(|wait| wait.as_secs()).collect()
    }

    #[test]
    fn a_busy_server_is_asked_again_as_it_says_and_only_for_so_long() {
        assert_eq!(waits(&refused(503, Some("1"))), [1; 30]);
        assert_eq!(waits(&refused(429, Some("60"))), [60; 2]);
        assert_eq!(waits(&refused(429, Some("0"))), [0; 30]);
        assert_eq!(
            waits(&refused(502, None)),
            [2, 4, 8, 16, 16, 16, 16, 16, 16, 16, 16]
        );
        for failure in [
            refused(429, Some("61")),
            refused(429, Some("18446744073709551615")),
            refused(422, Some("1")),
            Failure::other("anything"),
            Failure::Unreachable(String::new()),
        ] {
            assert_eq!(waits(&failure), [0; 0], "{failure:?}");
        }
    }

    #[test]
    fn a_broken_connection_is_opened_again_three_times() {
        assert_eq!(waits(&Failure::Broken(String::new())), [0, 1, 2]);
    }

    #[test]
    fn the_time_to_try_again_is_read_in_both_forms() {
        let now = http_date("Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(wait(" 7 ", now), Some(Duration::from_secs(7)));
        let at = |text: &str| wait(text, now).map(|wait| wait.as_secs());
        assert_eq!(at("Sun, 06 Nov 1994 08:50:07 GMT"), Some(30));
        assert_eq!(at("Sun, 06 Nov 1994 08:00:00 GMT"), Some(0));
        assert_eq!(at("soon"), None);
        assert_eq!(when(Duration::from_secs(90)), "in 90 seconds");
        assert!(when(Duration::from_secs(3600)).starts_with("after 2"));
        assert_eq!(when(Duration::MAX), "much later");
    }
}
