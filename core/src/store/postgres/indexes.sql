-- An index that was added to schema 4. It is created when a store is opened, unless it is there. Releases that
-- do not know it maintain it all the same.

-- The lists of tags, those with the most posts first.
CREATE INDEX IF NOT EXISTS handbill_list_totals_by_entries ON handbill_list_totals (entries DESC, list)
WHERE list >= 'tag:' AND list < 'tag;'
