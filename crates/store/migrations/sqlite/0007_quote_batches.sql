-- Quotes come many at a time: those of one commit are one row. One that an order or a later route points to gets a row of
-- its own in `quotes` beside.
CREATE TABLE quote_batches (
    row_key  INTEGER NOT NULL PRIMARY KEY,
    -- The moments with which the ids begin, in milliseconds; first and last lie within the same 128.
    first_ms INTEGER NOT NULL,
    last_ms  INTEGER NOT NULL,
    -- When the youngest was made.
    newest   INTEGER NOT NULL,
    -- How many there are.
    size     INTEGER NOT NULL,
    -- Of each the last 8 bytes of its id and where its record ends.
    contents BLOB NOT NULL,
    quotes   BLOB NOT NULL
) STRICT;

CREATE INDEX quote_batches_by_moment ON quote_batches (last_ms, first_ms);
CREATE INDEX quote_batches_to_prune ON quote_batches (newest);

-- The batch that a quote came from.
ALTER TABLE quotes ADD COLUMN batch INTEGER;
CREATE INDEX quotes_of_batch ON quotes (batch) WHERE batch IS NOT NULL;
