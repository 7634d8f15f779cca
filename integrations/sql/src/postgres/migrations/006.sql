-- Schema 6: changes that wait for the host's durable listeners. Without such listeners, nothing is written here.
--
-- Instances of the version before go on working with it, but durable listeners do not hear of what these change.

-- The durable listeners, by the names that the host gave them.
CREATE TABLE IF NOT EXISTS handbill_listeners (
  name TEXT COLLATE "C" PRIMARY KEY,
  holder TEXT, -- The instance that tells the listener of changes,
  held_until BIGINT NOT NULL DEFAULT 0 -- and until when, in milliseconds by the server's clock.
);

-- Each change waits for each listener until that has heard of it. The transaction that makes a change adds it here.
CREATE TABLE IF NOT EXISTS handbill_waiting_changes (
  listener TEXT COLLATE "C" NOT NULL, -- handbill_listeners.name
  number BIGINT NOT NULL, -- The number of the change, in the order of commits.
  subject TEXT COLLATE "C" NOT NULL, -- The post or key that it is about.
  made_at BIGINT NOT NULL,
  due BIGINT NOT NULL DEFAULT 0, -- When it is to be told, after the listener has failed.
  attempts BIGINT NOT NULL DEFAULT 0, -- How often the listener has failed.
  change TEXT NOT NULL, -- What happened, and who did it, as JSON.
  PRIMARY KEY (listener, number)
);

-- Those that are due.
CREATE INDEX IF NOT EXISTS handbill_waiting_changes_by_due ON handbill_waiting_changes (listener, due, number);

-- Whether an earlier change of the same subject waits.
CREATE INDEX IF NOT EXISTS handbill_waiting_changes_by_subject
ON handbill_waiting_changes (listener, subject, number);

-- The numbers of changes.
CREATE SEQUENCE IF NOT EXISTS handbill_change_numbers;

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
    EXECUTE FORMAT(
      'GRANT %s ON handbill_listeners, handbill_waiting_changes TO %s',
      privilege.privilege_type, privilege.grantee
    );
    EXECUTE FORMAT('GRANT USAGE ON SEQUENCE handbill_change_numbers TO %s', privilege.grantee);
  END LOOP;
END
$$;

UPDATE handbill_meta SET value = 6 WHERE name = 'schema';
