-- Schema 6: the tables of Handbill. Later migrations add to them.
--
-- Every name starts with `handbill_`, since the file may be the host's own database. Times are microseconds
-- since the Unix epoch (UTC), identifiers are text, and API keys and edit tokens are stored as SHA-256 hashes
-- only.
--
--   The title of a post:     SELECT title FROM handbill_posts WHERE id = 'kqzvbnmtrd';
--   The posts of a tag:      SELECT post FROM handbill_list_entries WHERE list = 'tag:rust'
--                            ORDER BY listed_at DESC, post DESC;
--   How many those are:      SELECT posts FROM handbill_lists WHERE name = 'tag:rust';
--   The most used tags:      SELECT SUBSTR(name, 5), posts FROM handbill_lists
--                            WHERE SUBSTR(name, 1, 4) = 'tag:' ORDER BY posts DESC, name LIMIT 10;
--   The drafts of an owner:  SELECT id FROM handbill_posts WHERE owner = 'user:42' AND visibility = 'draft';
--   A readable time:         SELECT datetime(created_at / 1000000, 'unixepoch') FROM handbill_posts;
--
-- Triggers maintain the lists, in the transaction of each write to `handbill_posts`.

CREATE TABLE handbill_meta ( -- One row.
  schema INTEGER NOT NULL, -- The number of this schema.
  installation_secret BLOB -- 32 random bytes, made when first needed, which never change. With an API
  -- key and an Idempotency-Key, they give the edit token of the post that was created with both.
) STRICT;

INSERT INTO handbill_meta (schema) VALUES (6);

-- Live posts, and the tombstones of deleted ones, whose identifiers stay taken for ever. The body is
-- the last column, so that lists do not read the pages that it overflows to.
CREATE TABLE handbill_posts (
  id TEXT NOT NULL PRIMARY KEY,
  deleted INTEGER NOT NULL DEFAULT 0, -- 1 for a tombstone: its texts are empty.
  revision INTEGER NOT NULL, -- Counts the writes to the post, from 1.
  visibility TEXT NOT NULL, -- 'public', 'unlisted' or 'draft'. A tombstone has the last one of its post.
  owner TEXT, -- The owner, as the host or the API key says.
  created_at INTEGER NOT NULL,
  published_at INTEGER, -- When the post first became public.
  listed_at INTEGER, -- The time that public lists are sorted by; NULL if the post is in none of them.
  updated_at INTEGER NOT NULL,
  edit_token BLOB NOT NULL, -- The hash of the token that may change the post now.
  created_by TEXT, -- The API key that created the post; NULL if the host did.
  creation_edit_token BLOB, -- This and the next column recognise a repetition of the request that
  creation_request BLOB, -- created the post: the hashes of its first edit token and of the request.
  title TEXT,
  focus_keyword TEXT,
  author TEXT,
  language TEXT, -- A BCP 47 tag.
  tags TEXT NOT NULL, -- A JSON array of texts, in the author's order.
  heading TEXT, -- The first heading of the body.
  excerpt TEXT NOT NULL, -- The beginning of the body as plain text.
  body TEXT NOT NULL -- Markdown, byte for byte as it was sent.
) STRICT;

CREATE INDEX handbill_posts_by_edit_token ON handbill_posts (edit_token);

-- The list of an owner, which has all live posts.
CREATE INDEX handbill_posts_by_owner ON handbill_posts (owner, deleted, created_at, id)
WHERE owner IS NOT NULL;

-- Which live posts are in which public list, in the order of the list, oldest first. The list `all` has
-- all posts with a `listed_at`, the list `tag:rust` those of them with the tag `rust`.
CREATE TABLE handbill_list_entries (
  list TEXT NOT NULL,
  listed_at INTEGER NOT NULL,
  post TEXT NOT NULL, -- handbill_posts.id
  PRIMARY KEY (list, listed_at, post)
) STRICT, WITHOUT ROWID;

-- How many posts each list has. A list without posts has no row.
CREATE TABLE handbill_lists (
  name TEXT NOT NULL PRIMARY KEY,
  posts INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Positions in a list, about 1,000 entries apart at most, so that a page in the middle of a long list is
-- found without counting all entries before it. The first mark of each list is before all entries.
-- A new post at the end of a list changes no mark.
CREATE TABLE handbill_list_marks (
  list TEXT NOT NULL,
  listed_at INTEGER NOT NULL, -- This and `post` are the position: there may be an entry or not.
  post TEXT NOT NULL,
  entries_before INTEGER NOT NULL, -- How many entries of the list are older than the position.
  PRIMARY KEY (list, listed_at, post)
) STRICT, WITHOUT ROWID;

CREATE INDEX handbill_list_marks_by_entries_before ON handbill_list_marks (list, entries_before);

-- API keys in force. A revoked key has no row.
CREATE TABLE handbill_keys (
  id TEXT NOT NULL PRIMARY KEY,
  secret BLOB NOT NULL UNIQUE, -- The hash of the key.
  label TEXT,
  owner TEXT NOT NULL, -- The owner of the key.
  created_at INTEGER NOT NULL,
  last_used_at INTEGER -- The hour of the last use; NULL if the key was never used.
) STRICT, WITHOUT ROWID;

CREATE TRIGGER handbill_posts_inserted AFTER INSERT ON handbill_posts WHEN NEW.listed_at IS NOT NULL BEGIN
  INSERT INTO handbill_list_entries (list, listed_at, post)
  SELECT 'all', NEW.listed_at, NEW.id
  UNION ALL SELECT 'tag:' || value, NEW.listed_at, NEW.id FROM json_each(NEW.tags);
END;

-- A post changes its tags, or is listed, or is not listed any more.
CREATE TRIGGER handbill_posts_updated AFTER UPDATE OF listed_at, tags ON handbill_posts
WHEN NEW.listed_at IS NOT OLD.listed_at OR NEW.tags <> OLD.tags BEGIN
  DELETE FROM handbill_list_entries
  WHERE listed_at = OLD.listed_at AND post = OLD.id AND list IN (
    SELECT 'all' WHERE NEW.listed_at IS NOT OLD.listed_at
    UNION ALL SELECT 'tag:' || value FROM json_each(OLD.tags)
    WHERE NEW.listed_at IS NOT OLD.listed_at
    OR value NOT IN (SELECT value FROM json_each(NEW.tags))
  );
  INSERT INTO handbill_list_entries (list, listed_at, post)
  SELECT list, NEW.listed_at, NEW.id FROM (
    SELECT 'all' AS list WHERE NEW.listed_at IS NOT OLD.listed_at
    UNION ALL SELECT 'tag:' || value FROM json_each(NEW.tags)
    WHERE NEW.listed_at IS NOT OLD.listed_at
    OR value NOT IN (SELECT value FROM json_each(OLD.tags))
  )
  WHERE NEW.listed_at IS NOT NULL;
END;

CREATE TRIGGER handbill_lists_inserted AFTER INSERT ON handbill_lists BEGIN
  INSERT INTO handbill_list_marks (list, listed_at, post, entries_before)
  VALUES (NEW.name, -1, '', 0);
END;

CREATE TRIGGER handbill_lists_deleted AFTER DELETE ON handbill_lists BEGIN
  DELETE FROM handbill_list_marks WHERE list = OLD.name;
END;

-- Where the marks before and after a new entry are 1,000 entries apart, one more goes between them. To
-- look for that takes longer than the insertion, so one insertion in 20 looks: identifiers are random and
-- made of 20 letters.
CREATE TRIGGER handbill_list_marks_inserted BEFORE INSERT ON handbill_list_entries
WHEN NEW.post LIKE '%b' BEGIN
  INSERT INTO handbill_list_marks (list, listed_at, post, entries_before)
  SELECT NEW.list, entry.listed_at, entry.post, before.entries_before + 500
  FROM (
    SELECT listed_at, post, entries_before FROM handbill_list_marks
    WHERE list = NEW.list AND (listed_at, post) <= (NEW.listed_at, NEW.post)
    ORDER BY listed_at DESC, post DESC LIMIT 1
  ) AS before
  CROSS JOIN handbill_list_entries AS entry
  WHERE before.entries_before + 1000 <= COALESCE(
    (
      SELECT entries_before FROM handbill_list_marks
      WHERE list = NEW.list AND (listed_at, post) > (NEW.listed_at, NEW.post)
      ORDER BY listed_at, post LIMIT 1
    ),
    (SELECT posts FROM handbill_lists WHERE name = NEW.list)
  )
  AND entry.list = NEW.list
  AND (entry.listed_at, entry.post) >= (before.listed_at, before.post)
  ORDER BY entry.listed_at, entry.post LIMIT 1 OFFSET 500;
END;

CREATE TRIGGER handbill_list_entries_inserted AFTER INSERT ON handbill_list_entries BEGIN
  INSERT INTO handbill_lists (name, posts) VALUES (NEW.list, 1)
  ON CONFLICT (name) DO UPDATE SET posts = posts + 1;

  UPDATE handbill_list_marks SET entries_before = entries_before + 1
  WHERE list = NEW.list AND (listed_at, post) > (NEW.listed_at, NEW.post);
END;

CREATE TRIGGER handbill_list_entries_deleted AFTER DELETE ON handbill_list_entries BEGIN
  UPDATE handbill_list_marks SET entries_before = entries_before - 1
  WHERE list = OLD.list AND (listed_at, post) > (OLD.listed_at, OLD.post);

  -- The mark after the entry is of no use if no entry is left between it and the mark before.
  DELETE FROM handbill_list_marks
  WHERE list = OLD.list
  AND (listed_at, post) = (
    SELECT listed_at, post FROM handbill_list_marks
    WHERE list = OLD.list AND (listed_at, post) > (OLD.listed_at, OLD.post)
    ORDER BY listed_at, post LIMIT 1
  )
  AND entries_before = (
    SELECT entries_before FROM handbill_list_marks
    WHERE list = OLD.list AND (listed_at, post) <= (OLD.listed_at, OLD.post)
    ORDER BY listed_at DESC, post DESC LIMIT 1
  );

  UPDATE handbill_lists SET posts = posts - 1 WHERE name = OLD.list;
  DELETE FROM handbill_lists WHERE name = OLD.list AND posts = 0;
END;
