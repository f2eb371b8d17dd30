-- Webhooks of purchases: whose a purchase is, which endpoints want its events, what is on its way, and each attempt.

ALTER TABLE fiat_orders ADD COLUMN integrator TEXT;

-- orders, purchases or all.
ALTER TABLE webhook_endpoints ADD COLUMN about TEXT NOT NULL DEFAULT 'orders';
-- Up to where events of purchases were read.
ALTER TABLE webhook_endpoints ADD COLUMN purchases_read_to BIGINT NOT NULL DEFAULT 0;

-- Like webhook_deliveries, for events of purchases.
CREATE TABLE purchase_deliveries (
    event_key   BIGINT NOT NULL REFERENCES fiat_events (row_key) ON DELETE CASCADE,
    endpoint    TEXT NOT NULL REFERENCES webhook_endpoints (name) ON DELETE CASCADE,
    order_id    TEXT NOT NULL,
    -- waiting, delivered or given_up.
    state       TEXT NOT NULL,
    attempts    BIGINT NOT NULL,
    queued_at   BIGINT NOT NULL,
    -- Set on the oldest of a purchase's events that waits for the endpoint; the others follow it.
    due_at      BIGINT,
    -- Whoever claimed it has it until then.
    lease_until BIGINT NOT NULL,
    PRIMARY KEY (event_key, endpoint)
);

CREATE INDEX purchase_deliveries_due ON purchase_deliveries (endpoint, due_at, event_key) WHERE due_at IS NOT NULL;
CREATE INDEX purchase_deliveries_of_order ON purchase_deliveries (order_id, endpoint, event_key) WHERE state = 'waiting';
CREATE INDEX purchase_deliveries_open ON purchase_deliveries (endpoint, state, queued_at) WHERE state <> 'delivered';

CREATE TABLE purchase_attempts (
    row_key   BIGINT NOT NULL PRIMARY KEY,
    event_key BIGINT NOT NULL,
    endpoint  TEXT NOT NULL,
    order_id  TEXT NOT NULL,
    number    BIGINT NOT NULL,
    tried_at  BIGINT NOT NULL,
    -- What the receiver answered.
    status    BIGINT,
    -- delivered, failed or given_up.
    outcome   TEXT NOT NULL,
    message   TEXT NOT NULL,
    FOREIGN KEY (event_key, endpoint) REFERENCES purchase_deliveries (event_key, endpoint) ON DELETE CASCADE
);

CREATE INDEX purchase_attempts_of_delivery ON purchase_attempts (event_key, endpoint);
CREATE INDEX purchase_attempts_of_endpoint ON purchase_attempts (endpoint, row_key);
