-- What was read of compiled libraries: one row for each declaration. It can always be read again.

PRAGMA application_id = 0x4C454D4B;  -- "LEMK"

CREATE TABLE IF NOT EXISTS meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A module as it was when it was read.
CREATE TABLE IF NOT EXISTS modules (
  name    TEXT PRIMARY KEY,
  source  TEXT NOT NULL,      -- the toolchain, or the folder of a project
  path    TEXT NOT NULL,
  size    INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  digest  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS modules_by_source ON modules (source);

CREATE TABLE IF NOT EXISTS declarations (
  row       INTEGER PRIMARY KEY AUTOINCREMENT,
  id        TEXT NOT NULL UNIQUE,
  name      TEXT NOT NULL,
  module    TEXT NOT NULL REFERENCES modules (name) ON DELETE CASCADE,
  canonical TEXT NOT NULL,    -- digest of the statement's canonical form, or empty
  body      TEXT NOT NULL,    -- the method node, without its features
  features  TEXT NOT NULL,    -- tokens of the statement, a line each
  constants TEXT NOT NULL     -- {name: [occurrences in the statement, in the body, tactics, survives]}
) STRICT;
CREATE INDEX IF NOT EXISTS declarations_by_module ON declarations (module);
CREATE INDEX IF NOT EXISTS declarations_by_canonical ON declarations (canonical);
CREATE INDEX IF NOT EXISTS declarations_by_name ON declarations (name);

-- Edges that came with a source, where its evidence is more than the constants mentioned.
CREATE TABLE IF NOT EXISTS contributions (
  child  TEXT NOT NULL REFERENCES declarations (id) ON DELETE CASCADE,
  parent TEXT NOT NULL,
  body   TEXT NOT NULL,
  PRIMARY KEY (child, parent)
) STRICT, WITHOUT ROWID;
