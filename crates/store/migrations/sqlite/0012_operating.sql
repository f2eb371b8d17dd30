-- What those who run the service keep in it: what is paused, fillers that joined at run time, and what keeps orders from moving.

CREATE TABLE pauses (
    -- chain, token, filler or onramp.
    kind   TEXT NOT NULL,
    name   TEXT NOT NULL,
    reason TEXT NOT NULL,
    since  INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE filler_records (
    name            TEXT NOT NULL PRIMARY KEY,
    -- remote or oif.
    protocol        TEXT NOT NULL,
    url             TEXT NOT NULL,
    secret          TEXT,
    deadline_millis INTEGER,
    added_at        INTEGER NOT NULL,
    -- Kept for the orders that are not over.
    removed_at      INTEGER
) STRICT, WITHOUT ROWID;

-- One line per order: what last kept it from moving.
CREATE TABLE troubles (
    order_id TEXT NOT NULL PRIMARY KEY REFERENCES orders (id) ON DELETE CASCADE,
    kind     TEXT NOT NULL,
    words    TEXT NOT NULL,
    since    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX orders_unmoved ON orders (updated_at) WHERE due_at IS NOT NULL;
CREATE INDEX orders_ended ON orders (updated_at) WHERE status IN ('filled', 'refunded');
