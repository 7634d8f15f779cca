-- Every name is prefixed, since the tables may live in the host's own database, and every
-- statement can be run again. Times are microseconds since the Unix epoch. Identifiers are
-- numbers, of five bits for each letter from `a`, 0, on: they have the order of the texts.

CREATE TABLE IF NOT EXISTS handbill_meta (
  schema INTEGER NOT NULL,
  opened INTEGER NOT NULL
) STRICT;

INSERT INTO handbill_meta (schema, opened)
SELECT 3, 0 WHERE NOT EXISTS (SELECT 1 FROM handbill_meta);

-- Live posts and the tombstones of deleted ones. The body stands last, so that lists do not read
-- the pages that it overflows to.
CREATE TABLE IF NOT EXISTS handbill_posts (
  number INTEGER PRIMARY KEY,
  id INTEGER NOT NULL,
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

-- The numbers of posts by their identifiers. These are random, so that each new one would change another
-- page of a large tree: the latest are kept apart, and carried over many at a time, in order.
CREATE TABLE IF NOT EXISTS handbill_ids (
  id INTEGER PRIMARY KEY,
  post INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS handbill_new_ids (
  id INTEGER PRIMARY KEY,
  post INTEGER NOT NULL
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

-- Neighbours in a list, sorted by creation and identifier: the numbers of posts, of five bytes each, the
-- least significant one first. A block reaches from its start up to the start of the next one.
CREATE TABLE IF NOT EXISTS handbill_blocks (
  number INTEGER PRIMARY KEY,
  list INTEGER NOT NULL,
  created_at INTEGER NOT NULL, -- These two are its start.
  id INTEGER NOT NULL,
  last_created_at INTEGER NOT NULL, -- No place of it comes after these two.
  last_id INTEGER NOT NULL,
  places INTEGER NOT NULL,
  posts BLOB NOT NULL
) STRICT;

-- A page is found without reading the blocks before it.
CREATE INDEX IF NOT EXISTS handbill_blocks_in_order
ON handbill_blocks (list, created_at, id, places);

CREATE TABLE IF NOT EXISTS handbill_keys (
  id INTEGER PRIMARY KEY,
  secret BLOB NOT NULL UNIQUE,
  label TEXT,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;
