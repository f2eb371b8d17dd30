-- A filler's book of one token. Whoever reserves changes this row first, so that replicas take turns.
CREATE TABLE books (
    filler  TEXT NOT NULL,
    token   TEXT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (filler, token)
);

CREATE TABLE reservations (
    filler     TEXT NOT NULL,
    holder     TEXT NOT NULL,
    token      TEXT NOT NULL,
    amount     TEXT NOT NULL,
    -- build or order; an order never expires.
    kind       TEXT NOT NULL,
    expires_at BIGINT,
    PRIMARY KEY (filler, token, holder)
);

CREATE INDEX reservations_by_holder ON reservations (filler, holder);
