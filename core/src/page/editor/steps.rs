//! The steps from one sequence to another: what is equal, and what was deleted, inserted or replaced.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Instant;

use similar::DiffOp;
use similar::algorithms::{Capture, Compact, Replace, myers};

/// Finds the steps. After the deadline they become larger, but stay correct.
pub(super) fn steps<T: Eq + Hash>(old: &[T], new: &[T], deadline: Instant) -> Vec<DiffOp> {
    let mut known = HashMap::new();
    let mut number = |item| {
        let next = known.len();
        *known.entry(item).or_insert(next)
    };
    let old: Vec<_> = old.iter().map(&mut number).collect();
    let new: Vec<_> = new.iter().map(&mut number).collect();
    between_numbers(&old, &new, deadline)
}

/// Not generic, since the compiler takes seconds for each type of item.
fn between_numbers(old: &[usize], new: &[usize], deadline: Instant) -> Vec<DiffOp> {
    let mut steps = Compact::new(Replace::new(Capture::new()), old, new);
    let (all_old, all_new) = (0..old.len(), 0..new.len());
    let Ok(()) = myers::diff_deadline(&mut steps, old, all_old, new, all_new, Some(deadline));
    steps.into_inner().into_inner().into_ops()
}
