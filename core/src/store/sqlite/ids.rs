//! Identifiers as the numbers that they are kept as: five bits for each of the ten letters. SQLite
//! compares numbers in a fraction of the time that texts take, and these have the texts' order.

use crate::id::{KeyId, PostId};

/// The number of the post with the identifier `?1`.
macro_rules! number_of_post {
    () => {
        "COALESCE(
           (SELECT post FROM handbill_new_ids WHERE id = ?1),
           (SELECT post FROM handbill_ids WHERE id = ?1)
         )"
    };
}
pub(super) use number_of_post;

const LETTERS: u32 = 10;
const BITS: u32 = 5;

pub(super) fn of_post(id: PostId) -> i64 {
    number(id.as_str())
}

pub(super) fn of_key(id: KeyId) -> i64 {
    number(id.as_str())
}

/// The post's identifier, if the number is that of one.
pub(super) fn post(number: i64) -> Option<PostId> {
    letters(number)?.parse::<PostId>().ok()
}

/// The key's identifier, if the number is that of one.
pub(super) fn key(number: i64) -> Option<KeyId> {
    letters(number)?.parse::<KeyId>().ok()
}

fn number(id: &str) -> i64 {
    let letters = id.bytes().map(|letter| i64::from(letter - b'a'));
    letters.fold(0, |number, letter| number << BITS | letter)
}

fn letters(number: i64) -> Option<String> {
    let is_of_as_many = number >> (BITS * LETTERS) == 0;
    let letters = (0..LETTERS).rev().map(|at| {
        let letter = number >> (BITS * at) & ((1 << BITS) - 1);
        char::from(b'a' + letter as u8)
    });
    is_of_as_many.then(|| letters.collect())
}
