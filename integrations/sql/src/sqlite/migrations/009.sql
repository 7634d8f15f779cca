-- Schema 9: owners who may not write, and posts that are published and deleted at their time.
--
-- It makes an empty index, which takes a moment for a million posts.
-- Instances of the version before go on working with it, but let these owners write, and publish nothing by themselves.
--
--   What is due next:  SELECT id, datetime(due_at / 1000000, 'unixepoch') FROM handbill_posts
--                      WHERE due_at IS NOT NULL ORDER BY due_at, id LIMIT 10;

ALTER TABLE handbill_posts ADD COLUMN publish_at INTEGER; -- When the draft becomes public.
ALTER TABLE handbill_posts ADD COLUMN expires_at INTEGER; -- When the post is deleted.
ALTER TABLE handbill_posts ADD COLUMN due_at INTEGER; -- The earlier of both; NULL if there is none.

CREATE INDEX IF NOT EXISTS handbill_posts_by_due_at ON handbill_posts (due_at, id) WHERE due_at IS NOT NULL;

-- What was authorised at `until` or before is not written in the name of the owner.
CREATE TABLE IF NOT EXISTS handbill_bars (
  owner BLOB NOT NULL PRIMARY KEY, -- The SHA-256 hash of the owner's text.
  until INTEGER NOT NULL -- For a ban the end of 9998. Otherwise when the owner was erased, or the ban taken back.
) STRICT, WITHOUT ROWID;

UPDATE handbill_meta SET schema = 9;
