-- Schema 5: an index for the most used tags.
--
-- It is made in about a second for a million tags. During that, posts are read and written as before.
-- Instances of the version before go on working with it.

-- The lists of tags, those with the most posts first.
CREATE INDEX IF NOT EXISTS handbill_list_totals_by_entries ON handbill_list_totals (entries DESC, list)
WHERE list >= 'tag:' AND list < 'tag;';

UPDATE handbill_meta SET value = 5 WHERE name = 'schema';
