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
  id TEXT NOT NULL UNIQUE,
  gone INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  edit_token BLOB NOT NULL,
  created_by TEXT,
  creation_edit_token BLOB,
  creation_request BLOB,
  title TEXT,
  focus_keyword TEXT,
  tags TEXT NOT NULL,
  excerpt TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS handbill_posts_by_edit_token ON handbill_posts (edit_token);

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
