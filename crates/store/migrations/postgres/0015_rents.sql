-- Accounts of orders for which somebody pays rent until they are closed, on chains where accounts cost something; a row goes
-- when nothing is left to do.
CREATE TABLE rents (
    order_id TEXT NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
    -- order or fill.
    account  TEXT NOT NULL,
    chain    BIGINT NOT NULL,
    -- When to look at it, by the chain's own time in seconds.
    due      BIGINT NOT NULL,
    PRIMARY KEY (order_id, account)
);

CREATE INDEX rents_due ON rents (chain, due);

-- What was ordered before is looked at first, and put off by whoever reads its terms.
INSERT INTO rents (order_id, account, chain, due)
    SELECT id, 'order', from_chain, 0 FROM orders WHERE from_chain = 20011000000 AND status <> 'failed';
INSERT INTO rents (order_id, account, chain, due)
    SELECT id, 'fill', to_chain, 0 FROM orders WHERE to_chain = 20011000000 AND status <> 'failed';
