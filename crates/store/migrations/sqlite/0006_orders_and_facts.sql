-- Orders as the chains know them, and what the chains have shown. No version before this one made an order, so the two
-- tables are empty and begin anew.

DROP TABLE events;
DROP TABLE orders;

CREATE TABLE orders (
    row_key         INTEGER NOT NULL PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    quote_id        TEXT NOT NULL,
    route_id        TEXT NOT NULL,
    -- The hash of the terms.
    intent_id       TEXT NOT NULL UNIQUE,
    status          TEXT NOT NULL,
    trade_type      TEXT NOT NULL,
    from_token      TEXT NOT NULL,
    to_token        TEXT NOT NULL,
    from_chain      INTEGER NOT NULL,
    to_chain        INTEGER NOT NULL,
    src_amount      TEXT NOT NULL,
    dest_amount     TEXT NOT NULL,
    author          TEXT NOT NULL,
    recipient       TEXT NOT NULL,
    refund_to       TEXT NOT NULL,
    filler          TEXT NOT NULL,
    kind            TEXT NOT NULL,
    method          TEXT NOT NULL,
    -- As the chains hash them.
    terms           BLOB NOT NULL,
    deposit_address TEXT,
    valid_before    INTEGER NOT NULL,
    -- 0 usual, 1 large.
    care            INTEGER NOT NULL,
    -- 1 once it is shown.
    announced       INTEGER NOT NULL,
    told_tx         TEXT,
    handed          BLOB,
    decision        TEXT,
    -- What the chains have shown, as JSON.
    evidence        TEXT NOT NULL,
    -- The deposit's transaction as the evidence has it.
    deposit_tx      TEXT,
    -- 1 while the filler delivers, or has delivered, and was not paid.
    owed            INTEGER NOT NULL,
    failure_reason  TEXT,
    due_at          INTEGER,
    -- Whoever claimed the order has it until then.
    lease_until     INTEGER NOT NULL DEFAULT 0,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    version         INTEGER NOT NULL,
    UNIQUE (quote_id, route_id),
    FOREIGN KEY (quote_id, route_id) REFERENCES routes (quote_id, route_id)
) STRICT;

CREATE INDEX orders_by_author ON orders (author, row_key) WHERE announced = 1;
CREATE INDEX orders_due ON orders (due_at, row_key) WHERE due_at IS NOT NULL;
CREATE INDEX orders_at ON orders (deposit_address, row_key) WHERE deposit_address IS NOT NULL;
CREATE INDEX orders_deposited ON orders (deposit_tx, from_chain, row_key) WHERE deposit_tx IS NOT NULL;
-- A transaction is told for one order.
CREATE UNIQUE INDEX orders_told ON orders (told_tx, from_chain) WHERE told_tx IS NOT NULL;
CREATE INDEX orders_transfers ON orders (from_chain, row_key)
    WHERE deposit_address IS NOT NULL AND status = 'created';
CREATE INDEX orders_transfers_ended ON orders (from_chain, row_key)
    WHERE deposit_address IS NOT NULL AND status <> 'created';
CREATE INDEX orders_owed ON orders (row_key) WHERE owed = 1;
CREATE INDEX orders_unused ON orders (updated_at)
    WHERE announced = 0 AND status = 'failed' AND due_at IS NULL;

-- Lines are added, and removed by retention alone.
CREATE TABLE events (
    row_key     INTEGER NOT NULL PRIMARY KEY,
    order_id    TEXT NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
    kind        TEXT NOT NULL,
    status      TEXT,
    detail      TEXT NOT NULL,
    happened_at INTEGER NOT NULL
) STRICT;

CREATE INDEX events_of_order ON events (order_id, row_key);
CREATE INDEX events_by_age ON events (happened_at);

-- What our contracts told in blocks that stand. Which of the columns from `terms` on are set depends on the kind.
CREATE TABLE facts (
    tx         TEXT NOT NULL,
    chain      INTEGER NOT NULL,
    log_index  INTEGER NOT NULL,
    intent_id  TEXT NOT NULL,
    -- opened, filled, claimed or refunded.
    kind       TEXT NOT NULL,
    block      INTEGER NOT NULL,
    -- The block's own time, in seconds.
    block_time INTEGER NOT NULL,
    -- For which it stands: 0 usual, 1 large. Only grows.
    care       INTEGER NOT NULL,
    terms      BLOB,
    amount     TEXT,
    paid_to    TEXT,
    cause      TEXT,
    PRIMARY KEY (tx, chain, log_index)
) STRICT;

CREATE INDEX facts_of_intent ON facts (intent_id, block_time, chain, block, log_index);

-- Up to where a chain was read for a care; never goes back.
CREATE TABLE marks (
    chain      INTEGER NOT NULL,
    care       INTEGER NOT NULL,
    block      INTEGER NOT NULL,
    hash       TEXT NOT NULL,
    block_time INTEGER NOT NULL,
    PRIMARY KEY (chain, care)
) STRICT, WITHOUT ROWID;

-- What changed at deposit addresses, as of blocks that stand.
CREATE TABLE arrivals (
    order_id TEXT NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
    block    INTEGER NOT NULL,
    token    TEXT NOT NULL,
    address  TEXT NOT NULL,
    balance  TEXT NOT NULL,
    gained   TEXT NOT NULL,
    tx       TEXT,
    PRIMARY KEY (order_id, block, token)
) STRICT, WITHOUT ROWID;

CREATE INDEX arrivals_at ON arrivals (address, block, token);
