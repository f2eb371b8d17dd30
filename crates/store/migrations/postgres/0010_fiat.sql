-- Purchases with fiat: what providers offered, what was ordered, what they told of it.

CREATE TABLE fiat_quotes (
    id         TEXT NOT NULL PRIMARY KEY,
    row_key    BIGINT NOT NULL UNIQUE,
    provider   TEXT NOT NULL,
    -- The whole offer, as JSON: it is read only by its id, and never changed.
    offer      TEXT NOT NULL,
    -- 1 once an order came from it.
    taken      BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
);

CREATE INDEX fiat_quotes_unused ON fiat_quotes (created_at) WHERE taken = 0;

CREATE TABLE fiat_orders (
    id             TEXT NOT NULL PRIMARY KEY,
    row_key        BIGINT NOT NULL UNIQUE,
    quote_id       TEXT NOT NULL UNIQUE REFERENCES fiat_quotes (id),
    provider       TEXT NOT NULL,
    provider_order TEXT,
    status         TEXT NOT NULL,
    author         TEXT NOT NULL,
    recipient      TEXT NOT NULL,
    refund_to      TEXT NOT NULL,
    currency       TEXT NOT NULL,
    pays_minor     BIGINT NOT NULL,
    target         TEXT NOT NULL,
    sold           TEXT NOT NULL,
    sold_chain     BIGINT NOT NULL,
    sold_amount    TEXT NOT NULL,
    expected       TEXT NOT NULL,
    least          TEXT NOT NULL,
    -- As the chains hash it; set, with the next three, where the purchase is a jump.
    jump           BYTEA,
    jump_address   TEXT,
    jump_filler    TEXT,
    jump_route     TEXT,
    swap_id        TEXT,
    returned_tx    TEXT,
    widget_url     TEXT NOT NULL,
    origin         TEXT,
    metadata       TEXT,
    -- The provider's delivery, as the chain showed it.
    payout_tx      TEXT,
    payout_index   BIGINT,
    payout_amount  TEXT,
    output         TEXT,
    fill_tx        TEXT,
    failure_code   TEXT,
    failure_source TEXT,
    failure_words  TEXT,
    pay_by         BIGINT NOT NULL,
    due_at         BIGINT,
    -- Whoever claimed the purchase has it until then.
    lease_until    BIGINT NOT NULL DEFAULT 0,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    version        BIGINT NOT NULL
);

CREATE INDEX fiat_orders_by_author ON fiat_orders (author, row_key);
CREATE INDEX fiat_orders_by_recipient ON fiat_orders (recipient, row_key);
CREATE INDEX fiat_orders_due ON fiat_orders (due_at, row_key) WHERE due_at IS NOT NULL;
-- One delivery completes one purchase.
CREATE UNIQUE INDEX fiat_orders_paid_out ON fiat_orders (payout_tx, sold_chain, payout_index)
    WHERE payout_tx IS NOT NULL;

-- Lines are added, and removed by retention alone.
CREATE TABLE fiat_events (
    row_key     BIGINT NOT NULL PRIMARY KEY,
    order_id    TEXT NOT NULL REFERENCES fiat_orders (id) ON DELETE CASCADE,
    status      TEXT,
    detail      TEXT NOT NULL,
    happened_at BIGINT NOT NULL
);

CREATE INDEX fiat_events_of_order ON fiat_events (order_id, row_key);
CREATE INDEX fiat_events_by_age ON fiat_events (happened_at);

-- What providers sent, byte by byte, each event once.
CREATE TABLE fiat_webhooks (
    provider    TEXT NOT NULL,
    event       TEXT NOT NULL,
    order_id    TEXT NOT NULL REFERENCES fiat_orders (id) ON DELETE CASCADE,
    body        BYTEA NOT NULL,
    received_at BIGINT NOT NULL,
    PRIMARY KEY (provider, event)
);

CREATE INDEX fiat_webhooks_of_order ON fiat_webhooks (order_id);
CREATE INDEX fiat_webhooks_by_age ON fiat_webhooks (received_at);
