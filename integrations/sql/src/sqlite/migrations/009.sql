-- Schema 9: owners who may not write. It is empty until one is banned or erased.
--
-- Instances of the version before go on working with it, but let these owners write.

-- What was authorised at `until` or before is not written in the name of the owner.
CREATE TABLE IF NOT EXISTS handbill_bars (
  owner BLOB NOT NULL PRIMARY KEY, -- The SHA-256 hash of the owner's text.
  until INTEGER NOT NULL -- For a ban the end of 9998. Otherwise when the owner was erased, or the ban taken back.
) STRICT, WITHOUT ROWID;

UPDATE handbill_meta SET schema = 9;
