-- The schema of a Lemmata database. Every statement may run twice: two processes may create
-- one database at the same moment. A change of shape raises SCHEMA_VERSION in database.py.

PRAGMA application_id = 0x4C454D41;  -- "LEMA"

CREATE TABLE IF NOT EXISTS meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The JSON is the node; the other columns are read off it, so that they cannot disagree.
CREATE TABLE IF NOT EXISTS nodes (
  id      TEXT PRIMARY KEY,
  body    TEXT NOT NULL CHECK (json_valid(body)),
  kind    TEXT GENERATED ALWAYS AS (json_extract(body, '$.kind')),
  name    TEXT GENERATED ALWAYS AS (json_extract(body, '$.name')),
  module  TEXT GENERATED ALWAYS AS (json_extract(body, '$.module')),
  label   TEXT GENERATED ALWAYS AS (json_extract(body, '$.label')),
  updated TEXT NOT NULL,
  CHECK (json_extract(body, '$.id') = id)
) STRICT;
CREATE INDEX IF NOT EXISTS nodes_by_label ON nodes (label, kind);
CREATE INDEX IF NOT EXISTS nodes_by_module ON nodes (module, name);
CREATE INDEX IF NOT EXISTS nodes_by_name ON nodes (name);

CREATE TABLE IF NOT EXISTS contributions (
  parent      TEXT NOT NULL REFERENCES nodes (id),
  child       TEXT NOT NULL REFERENCES nodes (id),
  rating      INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
  explanation TEXT NOT NULL,
  operator    TEXT NOT NULL,
  strength    REAL NOT NULL CHECK (strength BETWEEN 0 AND 1),
  PRIMARY KEY (parent, child),
  CHECK (parent <> child)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS contributions_by_child ON contributions (child);

CREATE TABLE IF NOT EXISTS aliases (
  alias  TEXT PRIMARY KEY,
  kept   TEXT NOT NULL REFERENCES nodes (id),
  reason TEXT NOT NULL,
  added  TEXT NOT NULL,
  CHECK (alias <> kept)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS aliases_by_kept ON aliases (kept);

-- The abstraction tree T_C. Level 1 lies directly above the nodes.
CREATE TABLE IF NOT EXISTS clusters (
  id       TEXT PRIMARY KEY,
  level    INTEGER NOT NULL CHECK (level >= 1),
  parent   TEXT REFERENCES clusters (id) DEFERRABLE INITIALLY DEFERRED,
  summary  TEXT NOT NULL,
  centroid BLOB NOT NULL,  -- float32, little-endian
  size     INTEGER NOT NULL CHECK (size >= 1)
) STRICT;

CREATE TABLE IF NOT EXISTS cluster_members (
  node    TEXT PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
  cluster TEXT NOT NULL REFERENCES clusters (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS members_by_cluster ON cluster_members (cluster);

CREATE TABLE IF NOT EXISTS runs (
  id       TEXT PRIMARY KEY,
  goal     TEXT NOT NULL,
  theory   TEXT NOT NULL,
  settings TEXT NOT NULL CHECK (json_valid(settings)),
  started  TEXT NOT NULL,
  ended    TEXT,
  counts   TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(counts))
) STRICT, WITHOUT ROWID;

-- The memory across runs: one row for each statement of a theory, with its latest fate.
CREATE TABLE IF NOT EXISTS candidates (
  serial          INTEGER PRIMARY KEY,
  theory          TEXT NOT NULL,
  canonical       TEXT NOT NULL,
  statement       TEXT NOT NULL,
  operator        TEXT NOT NULL,
  body            TEXT NOT NULL CHECK (json_valid(body)),
  size            INTEGER GENERATED ALWAYS AS (json_extract(body, '$.size')),
  hypotheses      INTEGER GENERATED ALWAYS AS (json_extract(body, '$.hypotheses')),
  stage           TEXT NOT NULL,
  outcome         TEXT,
  reason          TEXT NOT NULL,
  counterexample  TEXT NOT NULL,
  attempts        INTEGER NOT NULL CHECK (attempts >= 0),
  seconds         REAL NOT NULL CHECK (seconds >= 0),
  run             TEXT REFERENCES runs (id),
  node            TEXT REFERENCES nodes (id),
  library_version INTEGER NOT NULL CHECK (library_version >= 0),
  first_seen      TEXT NOT NULL,
  last_seen       TEXT NOT NULL,
  UNIQUE (theory, canonical)
) STRICT;
CREATE INDEX IF NOT EXISTS candidates_by_outcome ON candidates (outcome, theory);
CREATE INDEX IF NOT EXISTS candidates_by_node ON candidates (node);

-- The log: what each run decided about each candidate, in order; rows are only added.
CREATE TABLE IF NOT EXISTS trials (
  serial    INTEGER PRIMARY KEY AUTOINCREMENT,
  candidate INTEGER NOT NULL REFERENCES candidates (serial),
  run       TEXT REFERENCES runs (id),
  operator  TEXT NOT NULL,
  stage     TEXT NOT NULL,
  outcome   TEXT,
  reason    TEXT NOT NULL,
  seconds   REAL NOT NULL,
  time      TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS trials_by_run ON trials (run);

-- Laws that were refuted, in a form that is matched without Lean, each with the values at which it
-- fails. The values are tried first on new laws; `kills` counts those that fell to them.
CREATE TABLE IF NOT EXISTS refutations (
  candidate  INTEGER PRIMARY KEY REFERENCES candidates (serial),
  law        TEXT NOT NULL CHECK (json_valid(law)),
  assignment TEXT NOT NULL CHECK (json_valid(assignment)),
  kills      INTEGER NOT NULL DEFAULT 0 CHECK (kills >= 0)
) STRICT;

-- Proof searches that found nothing: what they had at hand, and where they were stuck.
CREATE TABLE IF NOT EXISTS failures (
  serial          INTEGER PRIMARY KEY AUTOINCREMENT,
  candidate       INTEGER NOT NULL REFERENCES candidates (serial),
  run             TEXT REFERENCES runs (id),
  library_version INTEGER NOT NULL,
  offered         TEXT NOT NULL CHECK (json_valid(offered)),
  stuck           TEXT NOT NULL,
  seconds         REAL NOT NULL CHECK (seconds >= 0),
  time            TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS failures_by_candidate ON failures (candidate);

-- Conjectures of which Lean proved that not all can be true. `other` is NULL where the library
-- alone contradicts the one.
CREATE TABLE IF NOT EXISTS contradictions (
  serial    INTEGER PRIMARY KEY AUTOINCREMENT,
  one       INTEGER NOT NULL REFERENCES candidates (serial),
  other     INTEGER REFERENCES candidates (serial),
  premises  TEXT NOT NULL CHECK (json_valid(premises)),
  statement TEXT NOT NULL,
  proof     TEXT NOT NULL,
  time      TEXT NOT NULL
) STRICT;

-- What the Lean modules of the library are rendered from. The serial numbers are never used
-- twice: the largest one is the version of the library.
CREATE TABLE IF NOT EXISTS lemmas (
  serial   INTEGER PRIMARY KEY AUTOINCREMENT,
  module   TEXT NOT NULL,
  ordinal  INTEGER NOT NULL CHECK (ordinal >= 1),
  node     TEXT NOT NULL UNIQUE REFERENCES nodes (id),
  name     TEXT NOT NULL,
  text     TEXT NOT NULL,
  appended TEXT NOT NULL,
  UNIQUE (module, ordinal),
  UNIQUE (module, name)
) STRICT;

-- When a lemma was last proved again, and with what outcome.
CREATE TABLE IF NOT EXISTS rechecks (
  node      TEXT PRIMARY KEY REFERENCES nodes (id),
  outcome   TEXT NOT NULL,
  toolchain TEXT NOT NULL,
  seconds   REAL NOT NULL CHECK (seconds >= 0),
  time      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS modules (
  module   TEXT PRIMARY KEY,
  hash     TEXT NOT NULL,
  rendered TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS audit (
  seq     INTEGER PRIMARY KEY,
  time    TEXT NOT NULL,
  event   TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail  TEXT NOT NULL,
  prev    TEXT NOT NULL,
  hash    TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS audit_by_subject ON audit (subject, event);
CREATE TRIGGER IF NOT EXISTS audit_never_changes BEFORE UPDATE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit chain is append-only'); END;
CREATE TRIGGER IF NOT EXISTS audit_never_shrinks BEFORE DELETE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit chain is append-only'); END;
