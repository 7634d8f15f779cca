//! The words by which posts are found. A store has the words of its posts, and finds those with all terms of a query.
//!
//! ```
//! use std::collections::BTreeSet;
//!
//! use handbill_markdown::search::{Query, searchable_text, words};
//!
//! let text = searchable_text("A *Café* in 東京都: <https://cafe.example>");
//! let words: BTreeSet<String> = words(&text).collect();
//! assert!(Query::parse("CAFE 京都")?.matches(&words));
//! assert!(!Query::parse("example")?.matches(&words));
//! # Ok::<(), handbill_markdown::search::TooManyWords>(())
//! ```
//!
//! Texts are compared in one form: NFKC, with full case folding, without characters that are displayed as nothing, and
//! without marks on Latin and Greek letters; `ё` is `е`, and an apostrophe is `'`. All else is decided on this form, so
//! that texts which differ in nothing else have the same words:
//!
//! - A word is one of Unicode's text segmentation (UAX #29) that has a letter or a digit. If signs join letters in it
//!   (*l'homme*, *main.rs*, *snake_case*), each of its parts is a word, too. So is an emoji.
//! - Han, Kana, Thai, Lao, Khmer and Burmese have no spaces between words, and so have other scripts whose lines may
//!   break between any two letters (UAX #14). There, each two characters (of NFKC) that stand together are a word, and
//!   the last one alone is, too, so that one character at the end of a query finds all places.
//! - A word of more than 64 characters is cut, in posts and in queries alike.

mod fold;
mod query;
mod snippet;
mod text;
mod words;

pub use self::query::{MAX_WORDS, Query, Term, TooManyWords};
pub use self::snippet::Snippet;
pub use self::text::searchable_text;
pub use self::words::{WORDS_VERSION, words};
