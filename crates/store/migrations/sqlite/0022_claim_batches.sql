-- Which orders one transaction claims, recorded before it is sent; a claim of a single order is a row of one order without members.

CREATE TABLE claim_batches (
    id         TEXT NOT NULL PRIMARY KEY,
    filler     TEXT NOT NULL,
    chain      INTEGER NOT NULL,
    orders     INTEGER NOT NULL,
    -- Whether its orders are claimed alone, because the batch failed.
    dissolved  INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX claim_batches_newest ON claim_batches (filler, chain, created_at);

CREATE TABLE claim_batch_orders (
    intent_id TEXT NOT NULL PRIMARY KEY,
    batch_id  TEXT NOT NULL REFERENCES claim_batches (id),
    -- Its place in the list that the attesters sign.
    place     INTEGER NOT NULL,
    terms     BLOB NOT NULL
) STRICT;

CREATE INDEX claim_batch_orders_of_batch ON claim_batch_orders (batch_id, place);
