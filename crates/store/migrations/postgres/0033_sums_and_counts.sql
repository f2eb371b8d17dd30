-- The database adds up what leaves a chain in an hour, so these amounts are integers; what fillers lose in a day has a running
-- total. Counting orders reads an index.

DROP INDEX outflows_by_age;

ALTER TABLE outflows
    ALTER COLUMN value_cents TYPE BIGINT USING LEAST(value_cents::NUMERIC, 10000000000000)::BIGINT,
    ALTER COLUMN fees_cents TYPE BIGINT USING LEAST(fees_cents::NUMERIC, 10000000000000)::BIGINT;

-- All that a sum reads.
CREATE INDEX outflows_by_age ON outflows (sent_at, filler, chain, value_cents, fees_cents);

CREATE TABLE loss_totals (
    filler TEXT NOT NULL PRIMARY KEY,
    cents  TEXT NOT NULL
);

INSERT INTO loss_totals (filler, cents)
SELECT filler, SUM(cents::NUMERIC)::TEXT FROM losses GROUP BY filler;

-- Counts of orders by filler and status read this instead of the orders.
CREATE INDEX orders_counted ON orders (filler, status) WHERE announced = 1;
