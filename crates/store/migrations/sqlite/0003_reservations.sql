-- A filler's book of one token. Whoever reserves changes this row first, so that replicas take turns.
CREATE TABLE books (
    filler  TEXT NOT NULL,
    token   TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (filler, token)
) STRICT, WITHOUT ROWID;

CREATE TABLE reservations (
    filler     TEXT NOT NULL,
    holder     TEXT NOT NULL,
    token      TEXT NOT NULL,
    amount     TEXT NOT NULL,
    -- build or order; an order never expires.
    kind       TEXT NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (filler, token, holder)
) STRICT, WITHOUT ROWID;

CREATE INDEX reservations_by_holder ON reservations (filler, holder);
