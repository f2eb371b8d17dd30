-- The database adds up what leaves a chain in an hour, so these amounts are integers; what fillers lose in a day has a running
-- total. Counting orders reads an index.

ALTER TABLE outflows RENAME TO outflows_as_text;
DROP INDEX outflows_by_age;

CREATE TABLE outflows (
    filler      TEXT NOT NULL,
    purpose     TEXT NOT NULL,
    chain       INTEGER NOT NULL,
    value_cents INTEGER NOT NULL,
    fees_cents  INTEGER NOT NULL,
    sent_at     INTEGER NOT NULL,
    PRIMARY KEY (filler, purpose)
) STRICT, WITHOUT ROWID;

-- A larger number is read as the largest of 64 bits.
INSERT INTO outflows (filler, purpose, chain, value_cents, fees_cents, sent_at)
SELECT filler, purpose, chain, min(CAST(value_cents AS INTEGER), 10000000000000),
    min(CAST(fees_cents AS INTEGER), 10000000000000), sent_at FROM outflows_as_text;

DROP TABLE outflows_as_text;

-- All that a sum reads.
CREATE INDEX outflows_by_age ON outflows (sent_at, filler, chain, value_cents, fees_cents);

CREATE TABLE loss_totals (
    filler TEXT NOT NULL PRIMARY KEY,
    cents  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO loss_totals (filler, cents)
SELECT filler, CAST(sum(CAST(cents AS INTEGER)) AS TEXT) FROM losses GROUP BY filler;

-- Counts of orders by filler and status read this instead of the orders.
CREATE INDEX orders_counted ON orders (filler, status) WHERE announced = 1;
