-- Schema 10: the words of posts, by which searches find them, and their pictures, and why listeners fail.
--
-- It makes empty tables, which takes a moment for a million posts. The posts that are there are indexed in the
-- background, after the start. Instances of the version before go on working with it, and write posts without words
-- and pictures.

ALTER TABLE handbill_posts ADD COLUMN picture TEXT; -- The address of the image that lists show, if there is one.

-- Which posts have words.
CREATE TABLE IF NOT EXISTS handbill_indexed (
  place INTEGER NOT NULL PRIMARY KEY, -- In `handbill_words`: the date, or a little more if another post has that.
  post TEXT NOT NULL, -- handbill_posts.id
  version INTEGER NOT NULL, -- Of the rule that made the words.
  date INTEGER NOT NULL -- When the post was published, or else created.
) STRICT;

CREATE INDEX IF NOT EXISTS handbill_indexed_by_post ON handbill_indexed (post, version);

-- The posts with each word. It does not have the texts, and its tokenizer changes nothing: it separates words at
-- spaces. `=owner:…` and `=tag:…` are words of posts in these lists, and `=hidden` of those in no public list.
CREATE VIRTUAL TABLE IF NOT EXISTS handbill_words USING fts5 (
  words, content='', contentless_delete=1, detail=none,
  tokenize="ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);

-- Its words in their order.
CREATE VIRTUAL TABLE IF NOT EXISTS handbill_vocabulary USING fts5vocab (handbill_words, instance);

-- Writes join a few large parts of the index less often than by default. A search looks into some more of them.
INSERT INTO handbill_words (handbill_words, rank) VALUES ('automerge', 8);

-- The words of a post go with its text.
CREATE TRIGGER IF NOT EXISTS handbill_posts_reworded AFTER UPDATE OF revision, deleted ON handbill_posts BEGIN
  DELETE FROM handbill_indexed WHERE post = OLD.id;
END;

CREATE TRIGGER IF NOT EXISTS handbill_indexed_deleted AFTER DELETE ON handbill_indexed BEGIN
  DELETE FROM handbill_words WHERE rowid = OLD.place;
END;

-- The version of the words that all posts have,
ALTER TABLE handbill_meta ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;
-- the instance that indexes posts,
ALTER TABLE handbill_meta ADD COLUMN indexer TEXT;
-- and until when, in milliseconds by the system's clock.
ALTER TABLE handbill_meta ADD COLUMN indexer_until INTEGER NOT NULL DEFAULT 0;

-- What a listener last failed with,
ALTER TABLE handbill_listeners ADD COLUMN failure TEXT;
-- and when.
ALTER TABLE handbill_listeners ADD COLUMN failed_at INTEGER;

UPDATE handbill_meta SET indexed = NOT EXISTS (SELECT 1 FROM handbill_posts);

UPDATE handbill_meta SET schema = 10;
