-- Where an order's intent stands, and where the hub's book of intents was last told that it does, both in the book's own
-- numbers; -1 for an order that no version wrote that knows them.
ALTER TABLE orders ADD COLUMN intent_state BIGINT NOT NULL DEFAULT -1;
ALTER TABLE orders ADD COLUMN booked_state BIGINT NOT NULL DEFAULT 0;

CREATE INDEX orders_untold ON orders (row_key) WHERE announced = 1 AND intent_state <> booked_state;

-- Deposits in the order of their time, for orders that are made from them.
CREATE INDEX facts_openings ON facts (block_time, chain, block, log_index, tx) WHERE kind = 'opened';
