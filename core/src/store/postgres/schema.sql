-- Every name is prefixed, since the tables may live in the host's own database. Each statement adds
-- something, can be run again, and is run by itself, which engines that do not change schemas within
-- transactions want. Times are microseconds since the Unix epoch. Names are compared by bytes
-- (COLLATE "C"), whatever the database's own order is.

-- Live posts and the tombstones of deleted ones.
CREATE TABLE IF NOT EXISTS handbill_posts (
  id TEXT COLLATE "C" PRIMARY KEY,
  gone BOOLEAN NOT NULL,
  revision BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  edit_token BYTEA NOT NULL,
  token_names_id BOOLEAN NOT NULL, -- Whether the id is the one that the edit token's hash names.
  created_by TEXT,
  creation_edit_token BYTEA,
  creation_request BYTEA,
  title TEXT,
  focus_keyword TEXT,
  tags TEXT NOT NULL, -- A JSON array.
  lists TEXT, -- A JSON array of the tags' lists, where they are not named as the tags are.
  excerpt TEXT NOT NULL,
  body TEXT NOT NULL
);

-- A post whose id its edit token names is found by that id.
CREATE INDEX IF NOT EXISTS handbill_posts_by_edit_token ON handbill_posts (edit_token)
WHERE NOT token_names_id;

-- The lists that posts stand in: the one named '' holds all live posts, the others those of a tag,
-- whose name they have unless that is long.
CREATE TABLE IF NOT EXISTS handbill_places (
  list TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  post TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (list, created_at, post)
);

-- How many places a list gained or lost by a change (of one post, or of posts that came together)
-- that is not counted yet, and between which times they stand. Who writes adds rows of its own, so
-- that no two writers wait for each other; the counter carries them over into the two tables below.
CREATE TABLE IF NOT EXISTS handbill_uncounted (
  list TEXT COLLATE "C" NOT NULL,
  change TEXT COLLATE "C" NOT NULL,
  oldest BIGINT NOT NULL,
  newest BIGINT NOT NULL,
  places BIGINT NOT NULL,
  PRIMARY KEY (list, change)
);

-- How many places each list has, of those that are counted.
CREATE TABLE IF NOT EXISTS handbill_totals (
  list TEXT COLLATE "C" PRIMARY KEY,
  places BIGINT NOT NULL
);

-- Long lists in blocks, each from its start to the start of the next one: how many of the counted
-- places stand before it. A page is found from there, without walking what is before.
CREATE TABLE IF NOT EXISTS handbill_blocks (
  list TEXT COLLATE "C" NOT NULL,
  start BIGINT NOT NULL,
  places_before BIGINT NOT NULL,
  PRIMARY KEY (list, start)
);

CREATE INDEX IF NOT EXISTS handbill_blocks_by_places ON handbill_blocks (list, places_before);

CREATE TABLE IF NOT EXISTS handbill_keys (
  id TEXT COLLATE "C" PRIMARY KEY,
  secret BYTEA NOT NULL,
  label TEXT,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT
);

CREATE INDEX IF NOT EXISTS handbill_keys_by_secret ON handbill_keys (secret);

-- 'counted': how often was counted; locked by who counts. 'history …': a mark, at random, in each
-- history of the server's log that replicas were read in. 'schema': the number of what is above,
-- written last, so that whoever finds it finds all.
CREATE TABLE IF NOT EXISTS handbill_meta (
  name TEXT COLLATE "C" PRIMARY KEY,
  value BIGINT NOT NULL
);

INSERT INTO handbill_meta (name, value) VALUES ('counted', 0) ON CONFLICT (name) DO NOTHING;

INSERT INTO handbill_meta (name, value) VALUES ('schema', 1) ON CONFLICT (name) DO NOTHING;
