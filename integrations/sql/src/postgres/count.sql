-- Moves the list changes into totals and blocks, in one transaction. All statements see the same
-- changes, since they share a snapshot; changes that are committed later wait for the next run.

BEGIN ISOLATION LEVEL REPEATABLE READ;

-- One instance at a time. An instance whose snapshot is older than the previous run fails here.
UPDATE handbill_meta SET value = value + 1 WHERE name = 'count';

INSERT INTO handbill_list_totals (list, entries)
SELECT list, SUM(entries) FROM handbill_list_changes GROUP BY list
ON CONFLICT (list) DO UPDATE SET entries = handbill_list_totals.entries + excluded.entries;

DELETE FROM handbill_list_totals
WHERE entries = 0 AND list IN (SELECT list FROM handbill_list_changes);

-- If a change reaches across the start of a block, it is unknown how many entries are before the start.
DELETE FROM handbill_list_blocks AS block USING handbill_list_changes AS change
WHERE block.list = change.list AND change.oldest < block.start AND block.start <= change.newest;

UPDATE handbill_list_blocks AS block SET entries_before = block.entries_before + earlier.entries
FROM (
  SELECT block.list, block.start, SUM(change.entries) AS entries
  FROM handbill_list_changes AS change
  JOIN handbill_list_blocks AS block ON block.list = change.list AND block.start > change.newest
  GROUP BY block.list, block.start
) AS earlier
WHERE block.list = earlier.list AND block.start = earlier.start;

-- Blocks that have become empty, and blocks with nothing before them.
DELETE FROM handbill_list_blocks AS block USING (
  SELECT
    list, start, entries_before,
    LEAD(entries_before, 1, COALESCE(total.entries, 0)) OVER (PARTITION BY list ORDER BY start) AS until
  FROM handbill_list_blocks LEFT JOIN handbill_list_totals AS total USING (list)
  WHERE list IN (SELECT list FROM handbill_list_changes WHERE entries < 0)
) AS found
WHERE block.list = found.list AND block.start = found.start
  AND found.entries_before IN (0, found.until);

-- Divides blocks of 1,024 entries and more into blocks of 512, of which the last is longer. Entries of
-- the same time stay in one block. Only blocks from the oldest change on can have become longer.
INSERT INTO handbill_list_blocks (list, start, entries_before)
SELECT changed.list, entry.listed_at, long.entries_before + entry.before
FROM (
  SELECT list, MIN(oldest) AS oldest FROM handbill_list_changes GROUP BY list
) AS changed
JOIN handbill_list_totals AS total ON total.list = changed.list
CROSS JOIN LATERAL (
  SELECT
    start, entries_before,
    LEAD(start, 1, 9223372036854775807) OVER (ORDER BY start) AS stop,
    LEAD(entries_before, 1, total.entries) OVER (ORDER BY start) - entries_before AS entries
  FROM (
    SELECT 0::BIGINT AS start, 0::BIGINT AS entries_before
    UNION ALL
    SELECT start, entries_before FROM handbill_list_blocks WHERE list = changed.list
  ) AS block
  WHERE start >= COALESCE((
    SELECT MAX(start) FROM handbill_list_blocks
    WHERE list = changed.list AND start <= changed.oldest
  ), 0)
) AS long
CROSS JOIN LATERAL (
  SELECT
    listed_at,
    RANK() OVER (ORDER BY listed_at) - 1 AS before,
    ROW_NUMBER() OVER (ORDER BY listed_at) - 1 AS number
  FROM handbill_list_entries
  WHERE list = changed.list AND listed_at >= long.start AND listed_at < long.stop
) AS entry
WHERE long.entries >= 1024 AND entry.number % 512 = 0 AND entry.number <= long.entries - 512
  AND entry.before > 0
ON CONFLICT (list, start) DO NOTHING;

DELETE FROM handbill_list_changes;

COMMIT;
