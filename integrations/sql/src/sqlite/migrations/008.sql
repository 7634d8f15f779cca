-- Schema 8: changes that wait for the host's durable listeners. Without such listeners, nothing is written here.

-- The durable listeners, by the names that the host gave them.
CREATE TABLE IF NOT EXISTS handbill_listeners (
  name TEXT NOT NULL PRIMARY KEY,
  holder TEXT, -- The instance that tells the listener of changes,
  held_until INTEGER NOT NULL DEFAULT 0 -- and until when, in milliseconds by the system's clock.
) STRICT, WITHOUT ROWID;

-- Each change waits for each listener until that has heard of it. The transaction that makes a change adds it here.
CREATE TABLE IF NOT EXISTS handbill_waiting_changes (
  listener TEXT NOT NULL, -- handbill_listeners.name
  number INTEGER NOT NULL, -- The number of the change, in the order of commits.
  subject TEXT NOT NULL, -- The post or key that it is about.
  made_at INTEGER NOT NULL,
  due INTEGER NOT NULL DEFAULT 0, -- When it is to be told, after the listener has failed.
  attempts INTEGER NOT NULL DEFAULT 0, -- How often the listener has failed.
  change TEXT NOT NULL, -- What happened, and who did it, as JSON.
  PRIMARY KEY (listener, number)
) STRICT;

-- Those that are due.
CREATE INDEX IF NOT EXISTS handbill_waiting_changes_by_due ON handbill_waiting_changes (listener, due, number);

-- Whether an earlier change of the same subject waits.
CREATE INDEX IF NOT EXISTS handbill_waiting_changes_by_subject
ON handbill_waiting_changes (listener, subject, number);

ALTER TABLE handbill_meta ADD COLUMN last_change INTEGER NOT NULL DEFAULT 0; -- The number of the last change.

UPDATE handbill_meta SET schema = 8;
