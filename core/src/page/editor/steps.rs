//! The steps from one sequence to another: what is equal, and what was deleted, inserted or replaced.

use std::hash::Hash;
use std::time::Instant;

use similar::algorithms::IdentifyDistinct;
use similar::{Algorithm, DiffOp, capture_diff_deadline};

/// Finds the steps. After the deadline they become larger, but stay correct. The items are compared by numbers, since
/// the compiler takes four seconds more if it compares two types.
pub(super) fn steps<T: Eq + Hash>(old: &[T], new: &[T], deadline: Instant) -> Vec<DiffOp> {
    let items = IdentifyDistinct::<u32>::new(old, 0..old.len(), new, 0..new.len());
    capture_diff_deadline(
        Algorithm::Myers,
        items.old_lookup(),
        items.old_range(),
        items.new_lookup(),
        items.new_range(),
        Some(deadline),
    )
}
