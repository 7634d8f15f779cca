//! How blocks of a list follow changes: worked out here, out of numbers alone.

/// Places of a block from which on it is cut.
const MOST_PLACES: i64 = 2048;
/// Places of the blocks that it is cut into, and of two neighbours that become one.
const PLACES: i64 = 1024;
/// Before all times, where the first block of a list begins, which no table needs to tell.
const BEGINNING: Block = Block {
    start: 0,
    places_before: 0,
};

/// Reaches from its start to the start of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) start: i64,
    /// Places of the list before its start.
    pub(super) places_before: i64,
}

/// Places that a list gained, or lost where it is less than none, between two times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) oldest: i64,
    pub(super) newest: i64,
    pub(super) places: i64,
}

/// A part of a list to be cut into blocks of so many places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) from: Block,
    pub(super) end: i64,
    pub(super) places: i64,
    pub(super) into: i64,
}

/// What becomes of a list's blocks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Rearranged {
    /// The starts of those that are no more.
    pub(super) removed: Vec<i64>,
    pub(super) recounted: Vec<Block>,
    pub(super) cuts: Vec<Cut>,
}

/// The blocks from the one on that the oldest change lies in, oldest first, after these changes,
/// with which the list has so many places in all.
///
/// Where a change reaches across a block's start, how many places came before that is not known: the
/// block is removed, and what it was a part of is cut again if that is too long.
pub(super) fn rearrange(blocks: Vec<Block>, changes: &[Change], total: i64) -> Rearranged {
    let mut outcome = Rearranged::default();
    let mut kept = Vec::with_capacity(blocks.len() + 1);
    let oldest = changes.iter().map(|change| change.oldest).min();
    if blocks
        .first()
        .is_none_or(|first| oldest < Some(first.start))
    {
        kept.push(BEGINNING);
    }
    for block in blocks {
        let reaches_across =
            |change: &Change| change.oldest < block.start && block.start <= change.newest;
        if changes.iter().any(reaches_across) {
            outcome.removed.push(block.start);
            continue;
        }
        let before = changes.iter().filter(|change| change.newest < block.start);
        let shift: i64 = before.map(|change| change.places).sum();
        let places_before = block.places_before + shift;
        kept.push(Block {
            places_before,
            ..block
        });
        if shift != 0 {
            outcome.recounted.push(Block {
                places_before,
                ..block
            });
        }
    }
    let mut at = 1;
    while at < kept.len() {
        let end = kept.get(at + 1).map_or(total, |next| next.places_before);
        if end - kept[at - 1].places_before <= PLACES {
            let small = kept.remove(at);
            outcome.recounted.retain(|block| block.start != small.start);
            outcome.removed.push(small.start);
        } else {
            at += 1;
        }
    }
    for (at, from) in kept.iter().enumerate() {
        let next = kept.get(at + 1);
        let places = next.map_or(total, |next| next.places_before) - from.places_before;
        if places >= MOST_PLACES {
            outcome.cuts.push(Cut {
                from: *from,
                end: next.map_or(i64::MAX, |next| next.start),
                places,
                into: PLACES,
            });
        }
    }
    outcome
}
