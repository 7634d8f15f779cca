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

#[cfg(test)]
mod tests {
    use super::*;

    const fn block(start: i64, places_before: i64) -> Block {
        Block {
            start,
            places_before,
        }
    }

    const fn change(oldest: i64, newest: i64, places: i64) -> Change {
        Change {
            oldest,
            newest,
            places,
        }
    }

    /// Three blocks of 1,500 places each, and a last one of 1,200.
    fn four() -> Vec<Block> {
        vec![block(100, 1500), block(200, 3000), block(300, 4500)]
    }

    #[test]
    fn new_posts_change_no_block() {
        let outcome = rearrange(vec![block(300, 4500)], &[change(400, 410, 20)], 5720);
        assert_eq!(outcome, Rearranged::default());
    }

    #[test]
    fn what_stands_before_a_block_is_counted_and_what_stands_in_it_is_not() {
        let changes = [
            change(150, 150, -1),
            change(199, 199, 3),
            change(200, 250, 5),
        ];
        let outcome = rearrange(four(), &changes, 5707);
        assert_eq!(outcome.recounted, [block(200, 3002), block(300, 4507)]);
        assert_eq!((outcome.removed.len(), outcome.cuts.len()), (0, 0));
    }

    #[test]
    fn a_block_that_a_change_reaches_across_is_cut_anew() {
        let outcome = rearrange(four(), &[change(150, 200, 10)], 5710);
        assert_eq!(outcome.removed, [200]);
        assert_eq!(outcome.recounted, [block(300, 4510)]);
        let cut = Cut {
            from: block(100, 1500),
            end: 300,
            places: 3010,
            into: PLACES,
        };
        assert_eq!(outcome.cuts, [cut]);
    }

    #[test]
    fn a_list_without_blocks_is_cut_when_it_is_long() {
        let short = rearrange(Vec::new(), &[change(5, 9, 2047)], 2047);
        assert_eq!(short, Rearranged::default());
        let long = rearrange(Vec::new(), &[change(5, 9, 2048)], 2048);
        let cut = Cut {
            from: BEGINNING,
            end: i64::MAX,
            places: 2048,
            into: PLACES,
        };
        assert_eq!(long.cuts, [cut]);
    }

    #[test]
    fn neighbours_that_have_become_small_are_one() {
        let changes = [change(120, 120, -1000), change(220, 220, -1000)];
        let outcome = rearrange(four(), &changes, 3700);
        assert_eq!(outcome.removed, [200]);
        assert_eq!(outcome.recounted, [block(300, 2500)]);
        let none = rearrange(four(), &[change(1, 1, -5700)], 0);
        assert_eq!(none.removed, [100, 200, 300]);
        assert_eq!(none.recounted, []);
    }
}
