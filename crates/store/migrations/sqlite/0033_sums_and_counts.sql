-- The database adds up what leaves a chain in an hour, in integers that follow from the amounts, so that a process of the version
-- before writes what it always wrote; what fillers lose in a day has a running total, which is added up anew now and then, because that
-- version does not keep it. Counting orders reads an index.

-- A larger number is read as the largest of 64 bits.
ALTER TABLE outflows ADD COLUMN value_counted INTEGER NOT NULL
    GENERATED ALWAYS AS (min(CAST(value_cents AS INTEGER), 10000000000000)) VIRTUAL;
ALTER TABLE outflows ADD COLUMN fees_counted INTEGER NOT NULL
    GENERATED ALWAYS AS (min(CAST(fees_cents AS INTEGER), 10000000000000)) VIRTUAL;

-- All that a sum reads.
DROP INDEX outflows_by_age;
CREATE INDEX outflows_by_age ON outflows (sent_at, filler, chain, value_counted, fees_counted);

CREATE TABLE loss_totals (
    filler      TEXT NOT NULL PRIMARY KEY,
    cents       TEXT NOT NULL,
    -- When the losses were added up last.
    added_up_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Counts of orders by filler and status read this instead of the orders.
CREATE INDEX orders_counted ON orders (filler, status) WHERE announced = 1;
