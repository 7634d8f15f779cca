//! The steps from one sequence to another: what is equal, and what was deleted, inserted or replaced.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Instant;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// Finds the steps. After the deadline they become larger, but stay correct. Items get numbers, since the compiler
/// takes seconds for each type of what is compared.
pub(super) fn steps<T: Eq + Hash>(old: &[T], new: &[T], deadline: Instant) -> Vec<DiffOp> {
    let mut known = HashMap::new();
    let mut number = |item| {
        let next = known.len();
        *known.entry(item).or_insert(next)
    };
    let old: Vec<_> = old.iter().map(&mut number).collect();
    let new: Vec<_> = new.iter().map(&mut number).collect();
    capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(deadline))
}
