-- Schema 1: the tables of Handbill. Later migrations add to them.
--
-- Every name starts with `handbill_`, since the tables may be in the host's own database. Times are microseconds since
-- the Unix epoch (UTC), identifiers are text, and API keys and edit tokens are stored as SHA-256 hashes only.
--
--   The title of a post:     SELECT title FROM handbill_posts WHERE id = 'kqzvbnmtrd';
--   The posts of a tag:      SELECT post FROM handbill_list_entries WHERE list = 'tag:rust' ORDER BY time DESC, post DESC;
--   How many those are:      SELECT COUNT(*) FROM handbill_list_entries WHERE list = 'tag:rust';
--   The posts of an owner:   SELECT id FROM handbill_posts WHERE owner = 'user:42' AND NOT deleted
--                            ORDER BY created_at DESC, id DESC;
--   What is due next:        SELECT id, FROM_UNIXTIME(due_at / 1e6) FROM handbill_posts
--                            WHERE due_at IS NOT NULL ORDER BY due_at, id LIMIT 10;
--
-- Columns that are compared are ASCII or bytes, so that no collation makes two values one. MySQL commits each of these
-- statements by itself. So each can be repeated, and the last one writes the number of the schema.

-- The first table, so that tables of others with the names of those below are recognised.
-- `schema`: the number of the schema, which the last migration wrote. `count`: incremented by the instance that moves
-- list changes, which locks the row. `indexed`: the version of the words that all posts have.
CREATE TABLE IF NOT EXISTS handbill_meta (
  name VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  value BIGINT NOT NULL
) ENGINE = InnoDB;

-- Live posts, and the tombstones of deleted ones, whose identifiers stay taken forever.
CREATE TABLE IF NOT EXISTS handbill_posts (
  id CHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  deleted BOOLEAN NOT NULL DEFAULT FALSE, -- TRUE for a tombstone: its texts are empty, and it is in no list.
  revision BIGINT NOT NULL, -- Counts the writes to the post, from 1.
  visibility VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- `public`, `unlisted` or `draft`.
  owner VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin, -- The owner, or NULL. A tombstone has that of its post.
  created_at BIGINT NOT NULL, -- 0 if the post was deleted before it was imported, like updated_at.
  published_at BIGINT, -- When the post first became public.
  listed_at BIGINT, -- The time that public lists are sorted by; NULL if the post is in none of them.
  updated_at BIGINT NOT NULL,
  publish_at BIGINT, -- When the draft becomes public.
  expires_at BIGINT, -- When the post is deleted.
  due_at BIGINT, -- The earlier of both; NULL if there is none.
  edit_token BINARY(32) NOT NULL, -- The hash of the token that may change the post now.
  created_by VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin, -- The API key that created it; NULL if the host did.
  creation_edit_token BINARY(32), -- This and the next column recognise a repetition of the request that created
  creation_request BINARY(32), -- the post: the hashes of its first edit token and of the request.
  title MEDIUMTEXT,
  focus_keyword MEDIUMTEXT,
  author MEDIUMTEXT, -- Who the post is by, as readers are shown it.
  language MEDIUMTEXT, -- A BCP 47 tag.
  tags MEDIUMTEXT NOT NULL, -- A JSON array of texts, in the author's order.
  heading MEDIUMTEXT, -- The first heading of the body as plain text.
  excerpt MEDIUMTEXT NOT NULL, -- The beginning of the body as plain text.
  picture MEDIUMTEXT, -- The address of the image that lists show, if there is one.
  words MEDIUMTEXT, -- The words by which searches find the post, with a space around each; NULL if it has none yet.
  words_version BIGINT, -- Of the rule that made the words.
  body MEDIUMTEXT NOT NULL, -- Markdown, byte for byte as it was sent.
  KEY handbill_posts_by_edit_token (edit_token),
  KEY handbill_posts_by_owner (owner, deleted, created_at, id),
  KEY handbill_posts_by_due_at (due_at, id)
) ENGINE = InnoDB, ROW_FORMAT = DYNAMIC, DEFAULT CHARACTER SET utf8mb4, COLLATE utf8mb4_bin;

-- Which posts are in which list. The list `all` has the posts that have a `listed_at`, and the list `tag:rust` those of
-- them with the tag `rust`, both by that time. A tag of more than 2,000 bytes has the list `long-tag:` and the SHA-256
-- hash of the tag in hexadecimal digits. The list `word:rust` has the live posts with the word `rust`, by the time when
-- they were published or else created.
CREATE TABLE IF NOT EXISTS handbill_list_entries (
  list VARBINARY(2010) NOT NULL,
  time BIGINT NOT NULL,
  post CHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- handbill_posts.id
  PRIMARY KEY (list, time, post)
) ENGINE = InnoDB, ROW_FORMAT = DYNAMIC;

-- Changes of the lists `all` and `tag:…` that the two tables below do not include yet. Each write adds rows of its own,
-- so that writers never wait for each other. A background task then moves the numbers.
CREATE TABLE IF NOT EXISTS handbill_list_changes (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  list VARBINARY(2010) NOT NULL,
  time BIGINT NOT NULL,
  post CHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  entries BIGINT NOT NULL, -- 1 for an entry that was added, -1 for one that was removed.
  KEY handbill_list_changes_by_list (list, time, post, entries)
) ENGINE = InnoDB, ROW_FORMAT = DYNAMIC;

-- How many entries each list has, without the changes above. A list without entries has no row.
CREATE TABLE IF NOT EXISTS handbill_list_totals (
  list VARBINARY(2010) NOT NULL PRIMARY KEY,
  entries BIGINT NOT NULL,
  KEY handbill_list_totals_by_entries (entries DESC, list)
) ENGINE = InnoDB, ROW_FORMAT = DYNAMIC;

-- Long lists are divided into blocks, so that a page in the middle is found without counting all entries before it. A
-- block has the entries from its start to the start of the next one. The block at the beginning of a list has no row.
-- A new post at the end of a list changes no block.
CREATE TABLE IF NOT EXISTS handbill_list_blocks (
  list VARBINARY(2010) NOT NULL,
  time BIGINT NOT NULL, -- This and `post` are the start: there may be an entry or not.
  post CHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  entries_before BIGINT NOT NULL, -- How many entries of the list are older, without the changes above.
  PRIMARY KEY (list, time, post),
  KEY handbill_list_blocks_by_entries_before (list, entries_before)
) ENGINE = InnoDB, ROW_FORMAT = DYNAMIC;

-- API keys in force. A revoked key has no row.
CREATE TABLE IF NOT EXISTS handbill_keys (
  id CHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  secret BINARY(32) NOT NULL, -- The hash of the key.
  label MEDIUMTEXT,
  owner VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- The owner of the key.
  created_at BIGINT NOT NULL,
  last_used_at BIGINT, -- The hour of the last use; NULL if the key was never used.
  KEY handbill_keys_by_secret (secret)
) ENGINE = InnoDB, ROW_FORMAT = DYNAMIC, DEFAULT CHARACTER SET utf8mb4, COLLATE utf8mb4_bin;

-- What was authorised at `until` or before is not written in the name of the owner.
CREATE TABLE IF NOT EXISTS handbill_bars (
  owner BINARY(32) NOT NULL PRIMARY KEY, -- The SHA-256 hash of the owner's text.
  until BIGINT NOT NULL -- For a ban the end of 9998. Otherwise when the owner was erased, or the ban taken back.
) ENGINE = InnoDB;

-- A transaction that writes in the name of owners counts up one of these rows, and one that bars an owner all of them.
-- So a bar waits for the writes in progress, also for those on other nodes of a cluster.
CREATE TABLE IF NOT EXISTS handbill_gates (
  gate BIGINT NOT NULL PRIMARY KEY,
  passed BIGINT NOT NULL
) ENGINE = InnoDB;

-- The durable listeners, by the names that the host gave them.
CREATE TABLE IF NOT EXISTS handbill_listeners (
  name VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  holder VARCHAR(200) CHARACTER SET ascii COLLATE ascii_bin, -- The instance that delivers to the listener,
  held_until BIGINT NOT NULL DEFAULT 0, -- and until when, in milliseconds by the server's clock.
  failure MEDIUMTEXT, -- What the listener last failed with,
  failed_at BIGINT -- and when.
) ENGINE = InnoDB, DEFAULT CHARACTER SET utf8mb4, COLLATE utf8mb4_bin;

-- Each change waits for each listener until it is delivered. The transaction that makes a change adds it here.
CREATE TABLE IF NOT EXISTS handbill_waiting_changes (
  listener VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- handbill_listeners.name
  number BIGINT NOT NULL, -- The number of the change.
  subject VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- The post or key that it is about.
  made_at BIGINT NOT NULL,
  due BIGINT NOT NULL DEFAULT 0, -- When it is to be delivered, after the listener has failed.
  attempts BIGINT NOT NULL DEFAULT 0, -- How often the listener has failed.
  `change` MEDIUMTEXT NOT NULL, -- What happened, and who did it, as JSON.
  PRIMARY KEY (listener, number),
  KEY handbill_waiting_changes_by_due (listener, due, number),
  KEY handbill_waiting_changes_by_subject (listener, subject, number)
) ENGINE = InnoDB, DEFAULT CHARACTER SET utf8mb4, COLLATE utf8mb4_bin;

-- Gives changes their numbers. It has no rows.
CREATE TABLE IF NOT EXISTS handbill_change_numbers (
  number BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY
) ENGINE = InnoDB;

-- Tasks that one instance does at a time: `indexing`.
CREATE TABLE IF NOT EXISTS handbill_leases (
  task VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  holder VARCHAR(200) CHARACTER SET ascii COLLATE ascii_bin, -- The instance that does it,
  held_until BIGINT NOT NULL -- and until when, in milliseconds by the server's clock.
) ENGINE = InnoDB;

-- `installation`: 32 random bytes, made when first needed, which never change. With an API key and an Idempotency-Key,
-- they give the edit token of the post that was created with both.
CREATE TABLE IF NOT EXISTS handbill_secrets (
  name VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  secret BINARY(32) NOT NULL
) ENGINE = InnoDB;

INSERT IGNORE INTO handbill_gates (gate, passed)
SELECT 8 * a.n + b.n, 0
FROM (SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7) AS a
CROSS JOIN (SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7) AS b;

INSERT IGNORE INTO handbill_leases (task, held_until) VALUES ('indexing', 0);

INSERT IGNORE INTO handbill_meta (name, value) VALUES ('count', 0), ('indexed', 1), ('schema', 1);
