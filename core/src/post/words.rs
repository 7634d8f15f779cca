//! The words by which a post is found.

use std::collections::BTreeSet;
use std::sync::Arc;

use handbill_markdown::search::{Term, WORDS_VERSION, searchable_text, words};

use super::{Post, Tag};

/// A post is found by this many bytes of different words.
const MAX_BYTES: usize = 1_000_000;

/// The words of a post, each once, in the order of their bytes. A store does not look into them.
///
/// Each has 1 to 64 characters, none of which is white space or a control character. Signs of ASCII are among them,
/// such as `'`, `.` and `_`, but no word begins with one. Together they have at most 1,000,000 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    version: u32,
    words: Arc<[String]>,
}

impl Words {
    /// The version of the function that makes them. It changes when a post gets other words.
    pub const VERSION: u32 = WORDS_VERSION;

    /// Those of a post's title, tags, author, focus keyword and body.
    pub fn of(post: &Post) -> Self {
        let summary = &post.summary;
        let lines = [&summary.title, &summary.author, &summary.focus_keyword];
        let lines = lines.into_iter().flatten().map(String::as_str);
        let tags = summary.tags.iter().map(Tag::as_str);
        let body = searchable_text(&post.body);
        let texts = lines.chain(tags).chain([body.as_str()]);
        let (mut found, mut bytes) = (BTreeSet::new(), 0);
        for word in texts.flat_map(words) {
            let len = word.len();
            if bytes + len > MAX_BYTES {
                break;
            }
            if found.insert(word) {
                bytes += len;
            }
        }
        Self::new(Self::VERSION, found)
    }

    /// Words of another version, for tests of stores.
    pub fn new(version: u32, words: BTreeSet<String>) -> Self {
        let words = words.into_iter().collect();
        Self { version, words }
    }

    /// The version of the function that made them.
    pub const fn version(&self) -> u32 {
        self.version
    }

    /// Whether a term finds one of them.
    pub(crate) fn have(&self, term: &Term) -> bool {
        let next = self.words.partition_point(|word| *word < term.text);
        self.words.get(next).is_some_and(|word| term.finds(word))
    }

    /// The words.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }
}
