-- Quotes are not stored any more: a route's id holds what an order is built from. Orders keep what they need of their quote,
-- and refer to no other table.

-- Dropping a table deletes what refers to it while foreign keys are enforced: then this fails before anything is lost.
CREATE TEMP TABLE without_foreign_keys (enforced INTEGER NOT NULL CHECK (enforced = 0));
INSERT INTO without_foreign_keys SELECT foreign_keys FROM pragma_foreign_keys;
DROP TABLE without_foreign_keys;

CREATE TABLE orders_19 (
    row_key          INTEGER NOT NULL PRIMARY KEY,
    id               TEXT NOT NULL UNIQUE,
    quote_id         TEXT NOT NULL,
    -- The sealed route, or the filler's name in orders from before.
    route_id         TEXT NOT NULL,
    -- The hash of the terms.
    intent_id        TEXT NOT NULL UNIQUE,
    status           TEXT NOT NULL,
    trade_type       TEXT NOT NULL,
    from_token       TEXT NOT NULL,
    to_token         TEXT NOT NULL,
    from_chain       INTEGER NOT NULL,
    to_chain         INTEGER NOT NULL,
    src_amount       TEXT NOT NULL,
    dest_amount      TEXT NOT NULL,
    author           TEXT NOT NULL,
    recipient        TEXT NOT NULL,
    refund_to        TEXT NOT NULL,
    filler           TEXT NOT NULL,
    kind             TEXT NOT NULL,
    -- The filler's own id of its offer.
    filler_quote     TEXT,
    -- Who asked for the quote.
    integrator       TEXT,
    method           TEXT NOT NULL,
    -- As the chains hash them.
    terms            BLOB NOT NULL,
    deposit_address  TEXT,
    forwarding_order BLOB,
    valid_before     INTEGER NOT NULL,
    -- 0 standard, 1 large.
    finality_tier    INTEGER NOT NULL,
    -- 1 once it is shown.
    announced        INTEGER NOT NULL,
    submitted_tx     TEXT,
    built            BLOB,
    signed_payload   BLOB,
    decision         TEXT,
    -- What the chains have shown, as JSON.
    evidence         TEXT NOT NULL,
    -- The deposit's transaction as the evidence has it.
    deposit_tx       TEXT,
    -- 1 while the filler delivers, or has delivered, and was not paid.
    owed             INTEGER NOT NULL,
    failure_reason   TEXT,
    intent_state     INTEGER NOT NULL DEFAULT -1,
    booked_state     INTEGER NOT NULL DEFAULT 0,
    due_at           INTEGER,
    -- Whoever claimed the order has it until then.
    lease_until      INTEGER NOT NULL DEFAULT 0,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    version          INTEGER NOT NULL,
    UNIQUE (quote_id, route_id)
) STRICT;

INSERT INTO orders_19 (row_key, id, quote_id, route_id, intent_id, status, trade_type, from_token, to_token, from_chain,
    to_chain, src_amount, dest_amount, author, recipient, refund_to, filler, kind, integrator, method, terms,
    deposit_address, forwarding_order, valid_before, finality_tier, announced, submitted_tx, built, signed_payload,
    decision, evidence, deposit_tx, owed, failure_reason, intent_state, booked_state, due_at, lease_until, created_at,
    updated_at, version)
SELECT row_key, id, quote_id, route_id, intent_id, status, trade_type, from_token, to_token, from_chain,
    to_chain, src_amount, dest_amount, author, recipient, refund_to, filler, kind,
    (SELECT integrator FROM quotes WHERE quotes.id = orders.quote_id), method, terms,
    deposit_address, forwarding_order, valid_before, finality_tier, announced, submitted_tx, built, signed_payload,
    decision, evidence, deposit_tx, owed, failure_reason, intent_state, booked_state, due_at, lease_until, created_at,
    updated_at, version
FROM orders;

DROP TABLE orders;
ALTER TABLE orders_19 RENAME TO orders;

CREATE INDEX orders_by_author ON orders (author, row_key) WHERE announced = 1;
CREATE INDEX orders_due ON orders (due_at, row_key) WHERE due_at IS NOT NULL;
CREATE INDEX orders_at ON orders (deposit_address, row_key) WHERE deposit_address IS NOT NULL;
CREATE INDEX orders_deposited ON orders (deposit_tx, from_chain, row_key) WHERE deposit_tx IS NOT NULL;
-- A transaction is submitted for one order.
CREATE UNIQUE INDEX orders_told ON orders (submitted_tx, from_chain) WHERE submitted_tx IS NOT NULL;
CREATE INDEX orders_transfers ON orders (from_chain, row_key)
    WHERE deposit_address IS NOT NULL AND status = 'created';
CREATE INDEX orders_transfers_ended ON orders (from_chain, row_key)
    WHERE deposit_address IS NOT NULL AND status <> 'created';
CREATE INDEX orders_owed ON orders (row_key) WHERE owed = 1;
CREATE INDEX orders_unused ON orders (updated_at)
    WHERE announced = 0 AND status = 'failed' AND due_at IS NULL;
CREATE INDEX orders_unmoved ON orders (updated_at) WHERE due_at IS NOT NULL;
CREATE INDEX orders_ended ON orders (updated_at) WHERE status IN ('filled', 'refunded');
CREATE INDEX orders_untold ON orders (row_key) WHERE announced = 1 AND intent_state <> booked_state;

DROP TABLE routes;
DROP TABLE quotes;
DROP TABLE quote_batches;
