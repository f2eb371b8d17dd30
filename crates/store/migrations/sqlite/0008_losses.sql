-- What fillers have borne above what orders were worth, in cents of a dollar.

CREATE TABLE losses (
    filler   TEXT NOT NULL,
    order_id TEXT NOT NULL,
    cents    TEXT NOT NULL,
    borne_at INTEGER NOT NULL,
    PRIMARY KEY (filler, order_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX losses_by_age ON losses (filler, borne_at);
