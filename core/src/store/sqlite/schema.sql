-- Every name is prefixed, since the tables may live in the host's own database, and every
-- statement can be run again. Times are microseconds since the Unix epoch.

CREATE TABLE IF NOT EXISTS handbill_meta (
  schema INTEGER NOT NULL,
  opened INTEGER NOT NULL
) STRICT;

INSERT INTO handbill_meta (schema, opened)
SELECT 1, 0 WHERE NOT EXISTS (SELECT 1 FROM handbill_meta);

-- Live posts and the tombstones of deleted ones. The body stands last, so that lists do not read
-- the pages that it overflows to.
CREATE TABLE IF NOT EXISTS handbill_posts (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  gone INTEGER NOT NULL DEFAULT 0,
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  edit_token BLOB NOT NULL,
  token_names_id INTEGER NOT NULL, -- Whether the id is the one that the edit token's hash names.
  created_by TEXT,
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

-- The lists that posts stand in: the one named '' holds all live posts, the others those of a tag.
CREATE TABLE IF NOT EXISTS handbill_places (
  list TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  post TEXT NOT NULL,
  PRIMARY KEY (list, created_at, post)
) STRICT, WITHOUT ROWID;

-- How many places each list has, altogether and in blocks: a block reaches from its start to the
-- start of the next one, so that a page is found without walking the places before it.
CREATE TABLE IF NOT EXISTS handbill_totals (
  list TEXT PRIMARY KEY,
  places INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS handbill_blocks (
  list TEXT NOT NULL,
  start INTEGER NOT NULL,
  places INTEGER NOT NULL,
  PRIMARY KEY (list, start)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS handbill_keys (
  id TEXT PRIMARY KEY,
  secret BLOB NOT NULL UNIQUE,
  label TEXT,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;

-- Whoever inserts posts lists and counts them in the same transaction, all together. From then on,
-- triggers keep the lists in step with the posts, and the counts with the lists.

CREATE TRIGGER IF NOT EXISTS handbill_post_retagged AFTER UPDATE OF tags ON handbill_posts
WHEN NEW.tags <> OLD.tags
BEGIN
  DELETE FROM handbill_places
  WHERE created_at = NEW.created_at AND post = NEW.id AND list IN (
    SELECT value FROM json_each(OLD.tags) EXCEPT SELECT value FROM json_each(NEW.tags)
  );
  INSERT INTO handbill_places
  SELECT value, NEW.created_at, NEW.id FROM (
    SELECT value FROM json_each(NEW.tags) EXCEPT SELECT value FROM json_each(OLD.tags)
  );
  INSERT INTO handbill_totals
  SELECT value, 1 FROM (
    SELECT value FROM json_each(NEW.tags) EXCEPT SELECT value FROM json_each(OLD.tags)
  ) WHERE true
  ON CONFLICT (list) DO UPDATE SET places = places + 1;
  INSERT INTO handbill_blocks
  SELECT
    value,
    COALESCE((
      SELECT MAX(start) FROM handbill_blocks WHERE list = value AND start <= NEW.created_at
    ), 0),
    1
  FROM (
    SELECT value FROM json_each(NEW.tags) EXCEPT SELECT value FROM json_each(OLD.tags)
  ) WHERE true
  ON CONFLICT (list, start) DO UPDATE SET places = places + 1;
END;

CREATE TRIGGER IF NOT EXISTS handbill_post_deleted AFTER UPDATE OF gone ON handbill_posts
WHEN NEW.gone
BEGIN
  DELETE FROM handbill_places
  WHERE list = '' AND created_at = NEW.created_at AND post = NEW.id;
END;

CREATE TRIGGER IF NOT EXISTS handbill_place_removed AFTER DELETE ON handbill_places
BEGIN
  UPDATE handbill_totals SET places = places - 1 WHERE list = OLD.list;
  UPDATE handbill_blocks SET places = places - 1
  WHERE list = OLD.list AND start = (
    SELECT MAX(start) FROM handbill_blocks WHERE list = OLD.list AND start <= OLD.created_at
  );
END;

CREATE TRIGGER IF NOT EXISTS handbill_total_empty AFTER UPDATE ON handbill_totals
WHEN NEW.places = 0
BEGIN
  DELETE FROM handbill_totals WHERE list = NEW.list;
END;

CREATE TRIGGER IF NOT EXISTS handbill_block_empty AFTER UPDATE ON handbill_blocks
WHEN NEW.places = 0
BEGIN
  DELETE FROM handbill_blocks WHERE list = NEW.list AND start = NEW.start;
END;

-- A block that grows to 2,048 places is cut at its middle one. Where all of them up to there are of
-- one instant, it stays whole.
CREATE TRIGGER IF NOT EXISTS handbill_block_full AFTER UPDATE ON handbill_blocks
WHEN NEW.places >= 2048 AND NEW.start < (
  SELECT created_at FROM handbill_places
  WHERE list = NEW.list AND created_at >= NEW.start
  ORDER BY created_at LIMIT 1 OFFSET NEW.places / 2
)
BEGIN
  INSERT INTO handbill_blocks
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
