-- Who is told what happens to orders, what is on its way to whom, and how each attempt went.

CREATE TABLE webhook_endpoints (
    name       TEXT NOT NULL PRIMARY KEY,
    url        TEXT NOT NULL,
    -- Line by line, the newest first.
    secrets    TEXT NOT NULL,
    integrator TEXT,
    -- config or operator.
    source     TEXT NOT NULL,
    enabled    INTEGER NOT NULL,
    -- Only events after this one are told.
    since      INTEGER NOT NULL,
    -- Up to where events were read.
    read_to    INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- An event goes to an endpoint once; both go with the event.
CREATE TABLE webhook_deliveries (
    event_key   INTEGER NOT NULL REFERENCES events (row_key) ON DELETE CASCADE,
    endpoint    TEXT NOT NULL REFERENCES webhook_endpoints (name) ON DELETE CASCADE,
    order_id    TEXT NOT NULL,
    -- waiting, delivered or given_up.
    state       TEXT NOT NULL,
    attempts    INTEGER NOT NULL,
    waits_since INTEGER NOT NULL,
    -- Set on the oldest of an order's events that waits for the endpoint; the others follow it.
    due_at      INTEGER,
    -- Whoever claimed it has it until then.
    lease_until INTEGER NOT NULL,
    PRIMARY KEY (event_key, endpoint)
) STRICT;

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint, due_at, event_key) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_of_order ON webhook_deliveries (order_id, endpoint, event_key) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (endpoint, state, waits_since) WHERE state <> 'delivered';

CREATE TABLE webhook_attempts (
    row_key   INTEGER NOT NULL PRIMARY KEY,
    event_key INTEGER NOT NULL,
    endpoint  TEXT NOT NULL,
    order_id  TEXT NOT NULL,
    number    INTEGER NOT NULL,
    tried_at  INTEGER NOT NULL,
    -- What the receiver answered.
    status    INTEGER,
    -- delivered, failed or given_up.
    outcome   TEXT NOT NULL,
    words     TEXT NOT NULL,
    FOREIGN KEY (event_key, endpoint) REFERENCES webhook_deliveries (event_key, endpoint) ON DELETE CASCADE
) STRICT;

CREATE INDEX webhook_attempts_of_delivery ON webhook_attempts (event_key, endpoint);
CREATE INDEX webhook_attempts_of_endpoint ON webhook_attempts (endpoint, row_key);
