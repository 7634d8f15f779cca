//! The checker accepts what a correct service may respond, and finds histories that it cannot.

use handbill_tests::histories::{Call, Event, State, check};
use http::HeaderValue;

fn etag(revision: u64) -> Option<HeaderValue> {
    Some(format!("\"{revision}\"").parse().unwrap())
}

/// The post in this revision, whose content has the same number.
fn live(revision: u64) -> State {
    State::Live {
        content: revision,
        etag: etag(revision),
    }
}

fn creates() -> Event {
    Event::Creates {
        content: 1,
        etag: etag(1),
    }
}

/// A change from one revision to another.
fn changes(expected: u64, to: u64) -> Event {
    Event::Changes {
        expected: etag(expected),
        content: to,
        etag: etag(to),
    }
}

fn deletes() -> Event {
    Event::Deletes { expected: None }
}

fn shows(revision: u64) -> Event {
    Event::Shows(live(revision))
}

/// Calls with their beginnings and ends, after the creation of the post.
fn is_linearizable(calls: impl IntoIterator<Item = (u64, u64, Event)>) -> bool {
    let calls = calls.into_iter().map(|(begin, end, event)| Call {
        begin,
        end: (end != UNKNOWN).then_some(end),
        event,
    });
    let created = Call {
        begin: 0,
        end: Some(1),
        event: creates(),
    };
    let calls: Vec<_> = std::iter::once(created).chain(calls).collect();
    check(&calls).is_ok()
}

const UNKNOWN: u64 = u64::MAX;

#[test]
fn calls_one_after_the_other_are_linearizable() {
    assert!(is_linearizable([
        (2, 3, shows(1)),
        (4, 5, creates()),
        (6, 7, changes(1, 2)),
        (8, 9, shows(2)),
        (10, 11, Event::Differs(etag(1).unwrap())),
        (12, 13, Event::StillHas(etag(2).unwrap())),
        (14, 15, deletes()),
        (16, 17, Event::Shows(State::Gone)),
        (18, 19, creates()),
    ]));
}

#[test]
fn concurrent_calls_are_linearizable_if_any_order_explains_them() {
    // Two changes without a condition, and readers that see both states during the changes.
    let unconditional = |to| Event::Changes {
        expected: None,
        content: to,
        etag: etag(to),
    };
    assert!(is_linearizable([
        (2, 20, unconditional(2)),
        (3, 20, unconditional(3)),
        (4, 5, shows(1)),
        (6, 7, shows(3)),
        (8, 9, shows(2)),
        (21, 22, shows(2)),
    ]));
    // No call can have seen both first and last.
    assert!(!is_linearizable([
        (2, 20, unconditional(2)),
        (3, 20, unconditional(3)),
        (6, 7, shows(3)),
        (8, 9, shows(2)),
        (21, 22, shows(3)),
    ]));
}

#[test]
fn a_change_with_an_unknown_outcome_may_have_been_made_late_or_not_at_all() {
    let unknown = Event::Changes {
        expected: None,
        content: 2,
        etag: None,
    };
    let change = (2, UNKNOWN, unknown);
    assert!(is_linearizable([change.clone(), (3, 4, shows(1))]));
    assert!(is_linearizable([
        change.clone(),
        (3, 4, shows(1)),
        (5, 6, shows(2))
    ]));
    assert!(!is_linearizable([
        change,
        (3, 4, shows(2)),
        (5, 6, shows(1))
    ]));
}

#[test]
fn a_stale_read_is_found() {
    assert!(!is_linearizable([(2, 3, changes(1, 2)), (4, 5, shows(1))]));
    let still_has = Event::StillHas(etag(1).unwrap());
    assert!(!is_linearizable([(2, 3, changes(1, 2)), (4, 5, still_has)]));
}

#[test]
fn readers_that_see_changes_in_different_orders_are_found() {
    assert!(!is_linearizable([
        (2, 20, changes(1, 2)),
        (3, 4, shows(2)),
        (5, 6, shows(1)),
    ]));
}

#[test]
fn a_lost_update_is_found() {
    assert!(!is_linearizable([
        (2, 4, changes(1, 2)),
        (3, 5, changes(1, 3)),
    ]));
}

#[test]
fn a_refusal_without_a_reason_is_found() {
    let differs = Event::Differs(etag(1).unwrap());
    assert!(!is_linearizable([(2, 3, differs)]));
}

#[test]
fn an_entity_tag_that_does_not_change_is_found() {
    let change = Event::Changes {
        expected: None,
        content: 2,
        etag: etag(1),
    };
    assert!(!is_linearizable([(2, 3, change)]));
}

#[test]
fn a_deleted_post_that_comes_back_is_found() {
    assert!(!is_linearizable([(2, 3, deletes()), (4, 5, shows(1))]));
    assert!(!is_linearizable([(2, 3, deletes()), (4, 5, changes(1, 2))]));
}

#[test]
fn content_that_no_client_sent_and_wrong_responses_are_found() {
    assert!(!is_linearizable([(2, 3, shows(7))]));
    let absent = Event::Shows(State::Absent);
    assert!(!is_linearizable([(2, 3, absent)]));
    let wrong = Event::IsWrong("500".to_owned());
    assert!(!is_linearizable([(2, 3, wrong)]));
}
