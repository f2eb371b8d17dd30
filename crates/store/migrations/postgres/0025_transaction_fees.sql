-- What the transactions for orders have cost, for the results of market makers.

CREATE TABLE transaction_fees (
    chain       BIGINT NOT NULL,
    purpose     TEXT NOT NULL,
    filler      TEXT NOT NULL,
    -- Smallest units of the chain's coin, in decimal.
    fee         TEXT NOT NULL,
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (chain, purpose)
);

CREATE INDEX transaction_fees_by_time ON transaction_fees (recorded_at);
