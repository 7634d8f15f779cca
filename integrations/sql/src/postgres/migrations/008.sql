-- Schema 8: owners who may not write, and posts that are published and deleted at their time.
--
-- It makes an empty index in about a second for a million posts. During that, posts are read, and writes of posts wait.
-- Instances of the version before go on working with it, but let these owners write, and publish nothing by themselves.
--
--   What is due next:  SELECT id, TO_TIMESTAMP(due_at / 1e6) FROM handbill_posts
--                      WHERE due_at IS NOT NULL ORDER BY due_at, id LIMIT 10;

ALTER TABLE handbill_posts
  ADD COLUMN IF NOT EXISTS publish_at BIGINT, -- When the draft becomes public.
  ADD COLUMN IF NOT EXISTS expires_at BIGINT, -- When the post is deleted.
  ADD COLUMN IF NOT EXISTS due_at BIGINT; -- The earlier of both; NULL if there is none.

CREATE INDEX IF NOT EXISTS handbill_posts_by_due_at ON handbill_posts (due_at, id) WHERE due_at IS NOT NULL;

-- What was authorised at `until` or before is not written in the name of the owner.
CREATE TABLE IF NOT EXISTS handbill_bars (
  owner BYTEA PRIMARY KEY, -- The SHA-256 hash of the owner's text.
  until BIGINT NOT NULL -- For a ban the end of 9998. Otherwise when the owner was erased, or the ban taken back.
);

-- Users who may write posts may write this table, too, as instances of theirs need it from now on.
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
    EXECUTE FORMAT('GRANT %s ON handbill_bars TO %s', privilege.privilege_type, privilege.grantee);
  END LOOP;
END
$$;

UPDATE handbill_meta SET value = 8 WHERE name = 'schema';
