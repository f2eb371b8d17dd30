-- Amounts are text of base units, times are milliseconds since 1970, keys are made by the service.
-- Random ids lead, so that a distributed database spreads the rows.

CREATE TABLE quotes (
    id           TEXT NOT NULL PRIMARY KEY,
    row_key      BIGINT NOT NULL UNIQUE,
    trade_type   TEXT NOT NULL,
    from_token   TEXT NOT NULL,
    to_token     TEXT NOT NULL,
    amount       TEXT NOT NULL,
    from_address TEXT NOT NULL,
    recipient    TEXT NOT NULL,
    refund_to    TEXT NOT NULL,
    slippage     BIGINT,
    integrator   TEXT,
    created_at   BIGINT NOT NULL,
    -- 1 once an order came from it: such a quote is kept.
    taken        BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX quotes_to_prune ON quotes (created_at) WHERE taken = 0;

CREATE TABLE routes (
    quote_id          TEXT NOT NULL REFERENCES quotes (id) ON DELETE CASCADE,
    route_id          TEXT NOT NULL,
    place             BIGINT NOT NULL,
    filler            TEXT NOT NULL,
    kind              TEXT NOT NULL,
    exact_out         TEXT,
    deposit_methods   TEXT NOT NULL,
    amount_in         TEXT NOT NULL,
    amount_out        TEXT NOT NULL,
    min_amount_out    TEXT NOT NULL,
    expected_seconds  BIGINT NOT NULL,
    valid_before      BIGINT NOT NULL,
    price_holds_until BIGINT,
    estimated_gas     TEXT,
    fees              TEXT NOT NULL,
    PRIMARY KEY (quote_id, route_id)
);

CREATE TABLE orders (
    id             TEXT NOT NULL PRIMARY KEY,
    row_key        BIGINT NOT NULL UNIQUE,
    quote_id       TEXT NOT NULL,
    route_id       TEXT NOT NULL,
    status         TEXT NOT NULL,
    trade_type     TEXT NOT NULL,
    from_token     TEXT NOT NULL,
    to_token       TEXT NOT NULL,
    src_amount     TEXT NOT NULL,
    dest_amount    TEXT NOT NULL,
    author         TEXT NOT NULL,
    recipient      TEXT NOT NULL,
    refund_to      TEXT NOT NULL,
    deposit_tx     TEXT,
    failure_reason TEXT,
    due_at         BIGINT,
    -- Whoever claimed the order has it until then.
    lease_until    BIGINT NOT NULL DEFAULT 0,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    version        BIGINT NOT NULL,
    UNIQUE (quote_id, route_id),
    FOREIGN KEY (quote_id, route_id) REFERENCES routes (quote_id, route_id)
);

CREATE INDEX orders_by_author ON orders (author, row_key);
CREATE INDEX orders_due ON orders (due_at, row_key) WHERE due_at IS NOT NULL;

-- Lines are added, and removed by retention alone.
CREATE TABLE events (
    row_key     BIGINT NOT NULL PRIMARY KEY,
    order_id    TEXT NOT NULL REFERENCES orders (id),
    kind        TEXT NOT NULL,
    status      TEXT,
    detail      TEXT NOT NULL,
    happened_at BIGINT NOT NULL
);

CREATE INDEX events_of_order ON events (order_id, row_key);
CREATE INDEX events_by_age ON events (happened_at);
