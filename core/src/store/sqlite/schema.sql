-- Every name is prefixed, since the tables may live in the host's own database, and every
-- statement can be run again. Times are microseconds since the Unix epoch. Identifiers are
-- numbers, of five bits for each letter from `a`, 0, on: they have the order of the texts.

CREATE TABLE IF NOT EXISTS handbill_meta (
  schema INTEGER NOT NULL,
  opened INTEGER NOT NULL
) STRICT;

INSERT INTO handbill_meta (schema, opened)
SELECT 2, 0 WHERE NOT EXISTS (SELECT 1 FROM handbill_meta);

-- Live posts and the tombstones of deleted ones. The body stands last, so that lists do not read
-- the pages that it overflows to.
CREATE TABLE IF NOT EXISTS handbill_posts (
  number INTEGER PRIMARY KEY,
  id INTEGER NOT NULL UNIQUE,
  gone INTEGER NOT NULL DEFAULT 0,
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  edit_token BLOB NOT NULL,
  token_names_id INTEGER NOT NULL, -- Whether the id is the one that the edit token's hash names.
  created_by INTEGER,
  creation_edit_token BLOB,
  creation_request BLOB,
  title TEXT,
  focus_keyword TEXT,
  tags TEXT NOT NULL,
  excerpt TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;

-- A post whose id its edit token names is found by that id.
CREATE INDEX IF NOT EXISTS handbill_posts_by_edit_token ON handbill_posts (edit_token)
WHERE NOT token_names_id;

-- The lists that posts stand in, and how many places each has: the first, named '', holds all live
-- posts, the others those of a tag.
CREATE TABLE IF NOT EXISTS handbill_lists (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  places INTEGER NOT NULL
) STRICT;

INSERT INTO handbill_lists (number, name, places)
SELECT 1, '', 0 WHERE NOT EXISTS (SELECT 1 FROM handbill_lists);

-- The list of all posts stands last, where SQLite appends without searching.
CREATE TABLE IF NOT EXISTS handbill_places (
  list INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  id INTEGER NOT NULL,
  post INTEGER NOT NULL, -- Its number.
  PRIMARY KEY (list DESC, created_at, id)
) STRICT, WITHOUT ROWID;

-- How many places each part of a list has: a block reaches from its start to the start of the next
-- one, so that a page is found without walking the places before it.
CREATE TABLE IF NOT EXISTS handbill_blocks (
  list INTEGER NOT NULL,
  start INTEGER NOT NULL,
  places INTEGER NOT NULL,
  PRIMARY KEY (list, start)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS handbill_keys (
  id INTEGER PRIMARY KEY,
  secret BLOB NOT NULL UNIQUE,
  label TEXT,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;

-- Whoever inserts posts lists and counts them in the same transaction, all together. From then on,
-- triggers keep the lists in step with the posts, and the counts with the lists.

CREATE TRIGGER IF NOT EXISTS handbill_post_retagged AFTER UPDATE OF tags ON handbill_posts
WHEN NEW.tags <> OLD.tags
BEGIN
  DELETE FROM handbill_places
  WHERE created_at = NEW.created_at AND id = NEW.id AND list IN (
    SELECT number FROM handbill_lists WHERE name IN (
      SELECT value FROM json_each(OLD.tags) EXCEPT SELECT value FROM json_each(NEW.tags)
    )
  );
  INSERT INTO handbill_lists (name, places)
  SELECT value, 1 FROM (
    SELECT value FROM json_each(NEW.tags) EXCEPT SELECT value FROM json_each(OLD.tags)
  ) WHERE true
  ON CONFLICT (name) DO UPDATE SET places = places + 1;
  INSERT INTO handbill_places (list, created_at, id, post)
  SELECT number, NEW.created_at, NEW.id, NEW.number FROM handbill_lists WHERE name IN (
    SELECT value FROM json_each(NEW.tags) EXCEPT SELECT value FROM json_each(OLD.tags)
  );
  INSERT INTO handbill_blocks (list, start, places)
  SELECT
    number,
    COALESCE((
      SELECT MAX(start) FROM handbill_blocks WHERE list = number AND start <= NEW.created_at
    ), 0),
    1
  FROM handbill_lists WHERE name IN (
    SELECT value FROM json_each(NEW.tags) EXCEPT SELECT value FROM json_each(OLD.tags)
  )
  ON CONFLICT (list, start) DO UPDATE SET places = places + 1;
END;

CREATE TRIGGER IF NOT EXISTS handbill_post_deleted AFTER UPDATE OF gone ON handbill_posts
WHEN NEW.gone
BEGIN
  DELETE FROM handbill_places
  WHERE list = 1 AND created_at = NEW.created_at AND id = NEW.id;
END;

CREATE TRIGGER IF NOT EXISTS handbill_place_removed AFTER DELETE ON handbill_places
BEGIN
  UPDATE handbill_lists SET places = places - 1 WHERE number = OLD.list;
  UPDATE handbill_blocks SET places = places - 1
  WHERE list = OLD.list AND start = (
    SELECT MAX(start) FROM handbill_blocks WHERE list = OLD.list AND start <= OLD.created_at
  );
END;

CREATE TRIGGER IF NOT EXISTS handbill_list_empty AFTER UPDATE ON handbill_lists
WHEN NEW.places = 0 AND NEW.number <> 1
BEGIN
  DELETE FROM handbill_lists WHERE number = NEW.number;
END;

CREATE TRIGGER IF NOT EXISTS handbill_block_empty AFTER UPDATE ON handbill_blocks
WHEN NEW.places = 0
BEGIN
  DELETE FROM handbill_blocks WHERE list = NEW.list AND start = NEW.start;
END;

-- The last block of a list, which most new posts go to, is cut before its latest places when it has
-- 1,024, so that few of them have to be passed over.
CREATE TRIGGER IF NOT EXISTS handbill_last_block_full AFTER UPDATE ON handbill_blocks
WHEN NEW.places BETWEEN 1024 AND 2047 AND NOT EXISTS (
  SELECT 1 FROM handbill_blocks WHERE list = NEW.list AND start > NEW.start
)
BEGIN
  INSERT INTO handbill_blocks (list, start, places)
  SELECT NEW.list, created_at, (
    SELECT COUNT(*) FROM handbill_places AS later
    WHERE list = NEW.list AND later.created_at >= first.created_at
  )
  FROM handbill_places AS first
  WHERE list = NEW.list AND created_at > NEW.start
  ORDER BY created_at DESC LIMIT 1 OFFSET 31;
  UPDATE handbill_blocks SET places = NEW.places - (
    SELECT COALESCE(SUM(places), 0) FROM handbill_blocks
    WHERE list = NEW.list AND start > NEW.start
  )
  WHERE list = NEW.list AND start = NEW.start;
END;

-- Any other block is cut at its middle place when it has 2,048. Where all of them up to there are of
-- one instant, it stays whole.
CREATE TRIGGER IF NOT EXISTS handbill_block_full AFTER UPDATE ON handbill_blocks
WHEN NEW.places >= 2048 AND NEW.start < (
  SELECT created_at FROM handbill_places
  WHERE list = NEW.list AND created_at >= NEW.start
  ORDER BY created_at LIMIT 1 OFFSET NEW.places / 2
)
BEGIN
  INSERT INTO handbill_blocks (list, start, places)
  SELECT NEW.list, created_at, NEW.places - (
    SELECT COUNT(*) FROM handbill_places AS before
    WHERE list = NEW.list AND before.created_at >= NEW.start
    AND before.created_at < middle.created_at
  )
  FROM handbill_places AS middle
  WHERE list = NEW.list AND created_at >= NEW.start
  ORDER BY created_at LIMIT 1 OFFSET NEW.places / 2;
  UPDATE handbill_blocks SET places = (
    SELECT COUNT(*) FROM handbill_places
    WHERE list = NEW.list AND created_at >= NEW.start AND created_at < (
      SELECT MIN(start) FROM handbill_blocks WHERE list = NEW.list AND start > NEW.start
    )
  )
  WHERE list = NEW.list AND start = NEW.start;
END;
