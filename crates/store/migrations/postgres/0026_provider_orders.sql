-- Orders that a liquidity provider settles: what the payer was told and which contracts are pinned, as JSON.

ALTER TABLE orders ADD COLUMN provider TEXT;

-- A transfer of a provider completes or returns one order.
CREATE TABLE provider_payouts (
    tx        TEXT NOT NULL,
    chain     BIGINT NOT NULL,
    log_index BIGINT NOT NULL,
    order_id  TEXT NOT NULL,
    PRIMARY KEY (tx, chain, log_index)
);
