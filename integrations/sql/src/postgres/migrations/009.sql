-- Schema 9: the words of posts, by which searches find them, and their pictures, and why listeners fail.
--
-- It makes empty tables, which takes a moment for a million posts. The posts that are there are indexed in the
-- background, after the start. Instances of the version before go on working with it, and write posts without words
-- and pictures.

ALTER TABLE handbill_posts
  ADD COLUMN IF NOT EXISTS picture TEXT; -- The address of the image that lists show, if there is one.

CREATE TABLE IF NOT EXISTS handbill_indexed (
  post TEXT COLLATE "C" PRIMARY KEY, -- handbill_posts.id
  revision BIGINT NOT NULL, -- Of the post. If the post has another one now, these are no words of it.
  version BIGINT NOT NULL, -- Of the rule that made the words.
  words TSVECTOR NOT NULL
);

CREATE INDEX IF NOT EXISTS handbill_indexed_by_words ON handbill_indexed USING GIN (words);

-- Tasks that one instance does at a time: `indexing`.
CREATE TABLE IF NOT EXISTS handbill_leases (
  task TEXT COLLATE "C" PRIMARY KEY,
  holder TEXT NOT NULL, -- The instance that does it,
  held_until BIGINT NOT NULL -- and until when, in milliseconds by the server's clock.
);

ALTER TABLE handbill_listeners
  ADD COLUMN IF NOT EXISTS failure TEXT, -- What the listener last failed with,
  ADD COLUMN IF NOT EXISTS failed_at BIGINT; -- and when.

-- `indexed`: the version of the words that all posts have.
INSERT INTO handbill_meta (name, value)
SELECT 'indexed', CASE WHEN EXISTS (SELECT 1 FROM handbill_posts) THEN 0 ELSE 1 END
ON CONFLICT (name) DO NOTHING;

-- Users who may write posts may write these tables, too, as instances of theirs need it from now on.
DO $$
DECLARE
  privilege RECORD;
BEGIN
  FOR privilege IN
    SELECT DISTINCT privilege_type, CASE grantee WHEN 'PUBLIC' THEN grantee ELSE QUOTE_IDENT(grantee) END AS grantee
    FROM information_schema.role_table_grants
    WHERE table_schema = CURRENT_SCHEMA() AND table_name = 'handbill_posts'
      AND privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
  LOOP
    EXECUTE FORMAT('GRANT %s ON handbill_indexed, handbill_leases TO %s', privilege.privilege_type, privilege.grantee);
  END LOOP;
END
$$;

UPDATE handbill_meta SET value = 9 WHERE name = 'schema';
