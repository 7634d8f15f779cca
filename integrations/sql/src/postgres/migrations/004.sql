-- Schema 4: the tables of Handbill. Later migrations add to them.
--
-- Every name starts with `handbill_`, since the tables may be in the host's own database. Times are
-- microseconds since the Unix epoch (UTC), identifiers are text, and API keys and edit tokens are stored as
-- SHA-256 hashes only.
--
--   The title of a post:     SELECT title FROM handbill_posts WHERE id = 'kqzvbnmtrd';
--   The posts of a tag:      SELECT post FROM handbill_list_entries WHERE list = 'tag:rust'
--                            ORDER BY listed_at DESC, post DESC;
--   How many those are:      SELECT COUNT(*) FROM handbill_list_entries WHERE list = 'tag:rust';
--   The posts of an owner:   SELECT id FROM handbill_posts WHERE owner = 'user:42' AND NOT deleted
--                            ORDER BY created_at DESC, id DESC;
--   A readable time:         SELECT TO_TIMESTAMP(created_at / 1e6) FROM handbill_posts;
--
-- Names are compared by bytes (COLLATE "C"), whatever the order of the database is.

-- Live posts, and the tombstones of deleted ones, whose identifiers stay taken for ever.
CREATE TABLE handbill_posts (
  id TEXT COLLATE "C" PRIMARY KEY,
  deleted BOOLEAN NOT NULL, -- TRUE for a tombstone: its texts are empty, and it is in no list.
  revision BIGINT NOT NULL, -- Counts the writes to the post, from 1.
  created_at BIGINT NOT NULL, -- 0 if the post was deleted before it was imported, like updated_at.
  updated_at BIGINT NOT NULL,
  edit_token BYTEA NOT NULL, -- The hash of the token that may change the post now.
  created_by TEXT, -- The API key that created the post; NULL if the host did.
  creation_edit_token BYTEA, -- This and the next column recognise a repetition of the request that
  creation_request BYTEA, -- created the post: the hashes of its first edit token and of the request.
  title TEXT,
  focus_keyword TEXT,
  tags TEXT NOT NULL, -- A JSON array of texts, in the author's order.
  excerpt TEXT NOT NULL, -- The beginning of the body as plain text.
  heading TEXT, -- The first heading of the body as plain text.
  author TEXT, -- Who the post is by, as readers are shown it.
  language TEXT, -- A BCP 47 tag.
  visibility TEXT NOT NULL, -- `public`, `unlisted` or `draft`. A tombstone has that of its post.
  owner TEXT COLLATE "C", -- The owner, or NULL. A tombstone has that of its post.
  published_at BIGINT, -- When the post first became public.
  listed_at BIGINT, -- The time that public lists are sorted by; NULL if the post is in none of them.
  body TEXT NOT NULL -- Markdown, byte for byte as it was sent.
);

CREATE INDEX handbill_posts_by_edit_token ON handbill_posts (edit_token);

-- The lists of owners: all their live posts.
CREATE INDEX handbill_posts_by_owner ON handbill_posts (owner, created_at, id)
WHERE owner IS NOT NULL AND NOT deleted;

-- Which posts are in which public list: only those that have a `listed_at`. The list `all` has all of
-- them, and the list `tag:rust` those with the tag `rust`. A tag of more than 2,000 bytes, which is too
-- long for an index, has the list `long-tag:` and the SHA-256 hash of the tag in hexadecimal digits.
CREATE TABLE handbill_list_entries (
  list TEXT COLLATE "C" NOT NULL,
  listed_at BIGINT NOT NULL,
  post TEXT COLLATE "C" NOT NULL, -- handbill_posts.id
  PRIMARY KEY (list, listed_at, post)
);

-- Changes of lists that the two tables below do not include yet. Each write adds rows of its own, so
-- that writers never wait for each other; a background task then moves the numbers (`count.sql`).
CREATE TABLE handbill_list_changes (
  list TEXT COLLATE "C" NOT NULL,
  change TEXT COLLATE "C" NOT NULL, -- The least id of a batch of new posts, or `id/revision`.
  oldest BIGINT NOT NULL, -- The entries added or removed are between these two times.
  newest BIGINT NOT NULL,
  entries BIGINT NOT NULL, -- How many entries the list gained. Negative: how many it lost.
  PRIMARY KEY (list, change)
);

-- How many entries each list has, without the changes above. A list without entries has no row.
CREATE TABLE handbill_list_totals (
  list TEXT COLLATE "C" PRIMARY KEY,
  entries BIGINT NOT NULL
);

-- Long lists are divided into blocks, so that a page in the middle is found without counting all
-- entries before it. A block has the entries from its start to the start of the next block. The block
-- at the beginning of a list has no row. A new post at the end of a list changes no block.
CREATE TABLE handbill_list_blocks (
  list TEXT COLLATE "C" NOT NULL,
  start BIGINT NOT NULL, -- A time.
  entries_before BIGINT NOT NULL, -- How many entries are older, without the changes above.
  PRIMARY KEY (list, start)
);

CREATE INDEX handbill_list_blocks_by_entries_before
ON handbill_list_blocks (list, entries_before);

-- API keys in force. A revoked key has no row.
CREATE TABLE handbill_keys (
  id TEXT COLLATE "C" PRIMARY KEY,
  secret BYTEA NOT NULL, -- The hash of the key.
  label TEXT,
  owner TEXT NOT NULL, -- The owner of the key.
  created_at BIGINT NOT NULL,
  last_used_at BIGINT -- The hour of the last use; NULL if the key was never used.
);

CREATE INDEX handbill_keys_by_secret ON handbill_keys (secret);

-- `installation`: 32 random bytes, made when first needed, which never change. With an API key and an
-- Idempotency-Key, they give the edit token of the post that was created with both.
CREATE TABLE handbill_secrets (
  name TEXT COLLATE "C" PRIMARY KEY,
  secret BYTEA NOT NULL
);

-- `schema`: the number of the schema, which the last migration wrote. `count`: incremented by the instance
-- that moves list changes, which locks the row. `timeline …`: a random number for each timeline of the
-- server, by which replicas are recognised.
CREATE TABLE handbill_meta (
  name TEXT COLLATE "C" PRIMARY KEY,
  value BIGINT NOT NULL
);

INSERT INTO handbill_meta (name, value) VALUES ('count', 0);

INSERT INTO handbill_meta (name, value) VALUES ('schema', 4);
