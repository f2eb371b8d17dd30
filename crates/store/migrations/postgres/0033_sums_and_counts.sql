-- The database adds up what leaves a chain in an hour, in integers that follow from the amounts, so that a process of the version
-- before writes what it always wrote; what fillers lose in a day has a running total, which is added up anew now and then, because that
-- version does not keep it. Counting orders reads an index.

ALTER TABLE outflows
    ADD COLUMN value_counted BIGINT NOT NULL GENERATED ALWAYS AS (LEAST(value_cents::NUMERIC, 10000000000000)::BIGINT) STORED,
    ADD COLUMN fees_counted BIGINT NOT NULL GENERATED ALWAYS AS (LEAST(fees_cents::NUMERIC, 10000000000000)::BIGINT) STORED;

-- All that a sum reads.
DROP INDEX outflows_by_age;
CREATE INDEX outflows_by_age ON outflows (sent_at, filler, chain, value_counted, fees_counted);

CREATE TABLE loss_totals (
    filler      TEXT NOT NULL PRIMARY KEY,
    cents       TEXT NOT NULL,
    -- When the losses were added up last.
    added_up_at BIGINT NOT NULL
);

-- Counts of orders by filler and status read this instead of the orders.
CREATE INDEX orders_counted ON orders (filler, status) WHERE announced = 1;
