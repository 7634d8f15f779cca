-- Schema 7: an index for the tombstones of an owner, which forget the owner when it is erased.
--
-- It is made in about a second for a million posts. During that, posts are read, and writes of posts wait.
-- Instances of the version before go on working with it.

CREATE INDEX IF NOT EXISTS handbill_tombstones_by_owner ON handbill_posts (owner)
WHERE owner IS NOT NULL AND deleted;

UPDATE handbill_meta SET value = 7 WHERE name = 'schema';
