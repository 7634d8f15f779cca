//! Looks for an order in which a post could have handled all calls of a history: the algorithm of Wing and
//! Gong, which tries all orders that real time allows, with Lowe's memory of what was tried already.

use std::collections::HashSet;
use std::fmt::Write;

use super::{Call, State};

/// What was handled, and the post after that.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Step {
    handled: Vec<bool>,
    post: State,
}

impl Step {
    fn after(&self, call: usize, post: State) -> Self {
        let mut handled = self.handled.clone();
        handled[call] = true;
        Self { handled, post }
    }
}

/// Checks that the history of a post is linearizable.
///
/// # Errors
/// If it is not: the history, in the order in which the requests were sent.
pub fn check(calls: &[Call]) -> Result<(), String> {
    let first = Step {
        handled: vec![false; calls.len()],
        post: State::Absent,
    };
    let mut tried = HashSet::new();
    let mut steps = vec![first];
    while let Some(step) = steps.pop() {
        let waiting = || (0..calls.len()).filter(|&call| !step.handled[call]);
        // A call is handled before each call that begins after its response.
        let Some(first_end) = waiting().filter_map(|call| calls[call].end).min() else {
            return Ok(());
        };
        let mut next = Vec::new();
        let can_be_next = |&call: &usize| calls[call].begin < first_end;
        for call in waiting().filter(can_be_next) {
            let Some(post) = calls[call].event.apply(&step.post) else {
                continue;
            };
            let changes_nothing = post == step.post;
            match (changes_nothing, calls[call].end) {
                // If the outcome is unknown, it may also be left out.
                (true, None) => {}
                // What changes nothing is right at once, whatever comes later.
                (true, Some(_)) => {
                    next = vec![step.after(call, post)];
                    break;
                }
                (false, _) => next.push(step.after(call, post)),
            }
        }
        for step in next {
            if tried.insert(step.clone()) {
                steps.push(step);
            }
        }
    }
    Err(print(calls))
}

fn print(calls: &[Call]) -> String {
    let mut calls: Vec<&Call> = calls.iter().collect();
    calls.sort_by_key(|call| call.begin);
    let mut history = String::new();
    for Call { begin, end, event } in calls {
        let end = end.map_or("?".to_owned(), |end| end.to_string());
        let _ = writeln!(history, "{begin:>6} to {end:>6}: {event:?}");
    }
    history
}
